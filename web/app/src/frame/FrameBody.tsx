import { ArrowPathIcon, ArrowRightStartOnRectangleIcon } from "@heroicons/react/24/outline";
import { useLayoutEffect, useRef, type ReactNode } from "react";
import { toldOf } from "../i18n/reasonOf";
import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import type { CustomCard, FrameRuntime } from "../wire/records";
import styles from "./frame.module.css";

/** The body of a card that is a page of its own: the place where its frame stands, and what is said when none does. */
export function FrameBody({ card, runtime }: { card: CustomCard; runtime: FrameRuntime }) {
  const session = useSession();
  const t = useT();
  const { frames } = session;
  const place = useRef<HTMLDivElement>(null);
  const state = useStore(frames.states, (states) => states.get(card.id));
  const large = useStore(frames.expanded, (expanded) => expanded === card.id);
  // Before its place leaves the document, the frame has to be out of it: later it would have started over.
  useLayoutEffect(() => (place.current === null ? undefined : frames.show(card.id, place.current)), [frames, card.id]);

  const reload = (
    <Action label={t("frame.reload")} onClick={() => frames.reload(card.id)}>
      <ArrowPathIcon aria-hidden="true" width={13} />
    </Action>
  );
  return (
    <div className={styles.body}>
      <div ref={place} className={styles.place} />
      <button type="button" className={styles.enter} data-enter="click" tabIndex={-1} onClick={() => frames.focus(card.id)}>
        {t("frame.enter", { name: card.name })}
      </button>
      {state?.phase === "mounted" && (runtime.status === "unresponsive" || runtime.status === "failed") ? (
        <div className={styles.strip} data-tone={runtime.status === "failed" ? "danger" : "warning"} role="alert">
          <span title={runtime.error === null ? undefined : toldOf(t, runtime.error)}>
            {t(runtime.status === "failed" ? "frame.failed" : "frame.silent")}
          </span>
          {reload}
        </div>
      ) : null}
      {state?.phase === "mounting" || (state?.phase === "mounted" && runtime.status === "loading") ? (
        <p className={styles.loading} role="status" aria-label={t("app.loading")} />
      ) : null}
      {state?.phase === "elsewhere" ? (
        <Notice text={t("frame.elsewhere")}>
          <Action label={t("frame.takeOver")} onClick={() => frames.takeOver(card.id)}>
            <ArrowRightStartOnRectangleIcon aria-hidden="true" width={13} />
          </Action>
        </Notice>
      ) : null}
      {state?.phase === "refused" || state?.phase === "stopped" ? (
        <Notice text={state.phase === "refused" ? state.message : t(`frame.${state.why}`)} danger>
          {reload}
        </Notice>
      ) : null}
      {large ? (
        <Notice text={t("frame.large")}>
          <Action label={t("frame.shrink")} onClick={() => frames.expand(null)} />
        </Notice>
      ) : null}
    </div>
  );
}

function Notice({ text, danger = false, children }: { text: string; danger?: boolean; children: ReactNode }) {
  return (
    <div className={styles.notice} role={danger ? "alert" : "status"}>
      <p>{text}</p>
      {children}
    </div>
  );
}

function Action({ label, onClick, children }: { label: string; onClick(): void; children?: ReactNode }) {
  return (
    <button type="button" className="btn nodrag" onClick={onClick}>
      {children}
      {label}
    </button>
  );
}
