import { useEffect, useState, type ReactNode } from "react";
import { useSession, useT } from "../shell/context";
import { Modal } from "../shell/Modal";
import type { Dialog } from "../wire/records";
import { askerOf } from "./dialogData";

interface QuestionProps {
  dialog: Dialog;
  title: string;
  /** Fills the window: what is asked must be read. */
  full?: boolean;
  /** The buttons; they get a function that answers, and whether an answer is on its way. */
  buttons(answer: (accepted: boolean, permissions?: readonly string[]) => void, answered: boolean): ReactNode;
  children: ReactNode;
}

/** A question of the server to the owner: who asks, what for, and how long it waits. Closing it refuses. */
export function Question({ dialog, title, full = false, buttons, children }: QuestionProps) {
  const session = useSession();
  const t = useT();
  const [answered, setAnswered] = useState(false);
  const secondsLeft = useSecondsTo(dialog.deadlineAtMs);
  const answer = (accepted: boolean, permissions?: readonly string[]) => {
    setAnswered(true);
    session.client
      .call("dialog.answer", { dialogId: dialog.id, accepted, ...(permissions !== undefined && { permissions }) })
      .catch((error: unknown) => {
        setAnswered(false);
        session.report("fail.answer", error);
      });
  };
  return (
    <Modal title={title} urgent full={full} onClose={() => answer(false)}>
      {children}
      <footer className="modal-foot">
        <span className="muted" role="timer">
          {secondsLeft > 0 ? t("ask.deadline", { count: secondsLeft }) : t("ask.over")}
        </span>
        <span className="spring" />
        {buttons(answer, answered)}
      </footer>
    </Modal>
  );
}

/** The card behind a question. Its name is its own choice, its package's is not. */
export function WhoAsks({ dialog }: { dialog: Dialog }) {
  const t = useT();
  const asker = askerOf(dialog);
  return (
    <dl className="rows">
      <div className="row">
        <dt>{t("asked.card")}</dt>
        <dd title={asker.name}>{asker.name}</dd>
      </div>
      {asker.packageId === null ? null : (
        <div className="row">
          <dt>{t("asked.package")}</dt>
          <dd>
            {asker.package} <code title={asker.packageId}>{asker.packageId}</code>
          </dd>
        </div>
      )}
    </dl>
  );
}

function useSecondsTo(deadlineAtMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((deadlineAtMs - now) / 1000));
}
