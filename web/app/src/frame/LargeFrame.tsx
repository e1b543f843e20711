import { useEffect, useLayoutEffect, useRef } from "react";
import { useSession, useT } from "../shell/context";
import { CloseIcon } from "../shell/icons";
import { useStore } from "../state/store";
import styles from "./frame.module.css";

/** A card that fills the page below the top bar: the same frame, moved. */
export function LargeFrame() {
  const session = useSession();
  const cardId = useStore(session.frames.expanded, (expanded) => expanded);
  const known = useStore(session.canvas, (state) => cardId !== null && state?.cards.has(cardId) === true);
  return cardId === null || !known ? null : <Large key={cardId} cardId={cardId} />;
}

function Large({ cardId }: { cardId: string }) {
  const session = useSession();
  const t = useT();
  const { frames } = session;
  const name = useStore(session.canvas, (state) => state?.cards.get(cardId)?.name ?? "");
  const status = useStore(session.canvas, (state) => state?.cards.get(cardId)?.chrome.status ?? null);
  const place = useRef<HTMLDivElement>(null);
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    close.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  useLayoutEffect(() => (place.current === null ? undefined : frames.showLarge(cardId, place.current)), [frames, cardId]);
  return (
    <section
      className={styles.large}
      role="dialog"
      aria-label={name}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Escape") frames.expand(null);
      }}
    >
      <header className={styles.largeHead}>
        <h2>{name}</h2>
        {status === null ? null : (
          <span className={`chip tone-${status.tone}`} title={status.text}>
            <span>{status.text}</span>
          </span>
        )}
        <span className="spring" />
        <button
          ref={close}
          type="button"
          className="icon-btn"
          aria-label={t("frame.shrink")}
          title={`${t("frame.shrink")} (Esc)`}
          onClick={() => frames.expand(null)}
        >
          <CloseIcon />
        </button>
      </header>
      <div ref={place} className={styles.largePlace} />
    </section>
  );
}
