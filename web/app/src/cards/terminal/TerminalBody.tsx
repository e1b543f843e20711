import { lazy, useRef, useState } from "react";
import { PlayIcon } from "@heroicons/react/24/outline";
import type { TerminalCard } from "../../wire/records";
import type { CardBodyProps } from "../contract";
import { Awaited } from "../parts/Awaited";
import { sayFailure } from "../parts/failure";
import { shellName } from "./state";
import styles from "./terminal.module.css";

const TerminalView = lazy(() => import("./TerminalView"));

/** A terminal: the shell's screen, and the way to start it again once it has ended. */
export function TerminalBody(props: CardBodyProps<TerminalCard>) {
  const { card, api } = props;
  const { t } = api;
  const { runtime } = card;
  const [starting, setStarting] = useState(false);
  const root = useRef<HTMLDivElement>(null);

  async function start() {
    if (starting) return;
    setStarting(true);
    try {
      await api.call("terminal.start", { cardId: card.id });
      root.current?.querySelector<HTMLElement>("[data-enter]")?.click();
    } catch (error) {
      sayFailure(api, "terminal.start", card.name, error);
    } finally {
      setStarting(false);
    }
  }

  return (
    <div ref={root} className={styles.terminal}>
      <Awaited text={t("terminal.loading")} className={styles.waiting}>
        <TerminalView key={card.id} {...props} onStart={() => void start()} />
      </Awaited>
      {runtime?.status === "exited" && (
        <div className={`${styles.notice ?? ""} nodrag`} role="status">
          <p>
            {runtime.exitCode === null
              ? t("terminal.ended", { shell: shellName(card) })
              : t("terminal.endedWith", { shell: shellName(card), code: runtime.exitCode })}
          </p>
          <button type="button" className="btn is-primary" disabled={starting} onClick={() => void start()}>
            <PlayIcon aria-hidden="true" width={13} />
            {t("terminal.startAgain")}
          </button>
        </div>
      )}
    </div>
  );
}
