import type { Session } from "../state/session";

export async function undo(session: Session): Promise<void> {
  if (!session.online) {
    session.toast((t) => t("fail.away"), "warning");
    return;
  }
  const outcome = await session.undo.undo();
  if (outcome?.done === false) session.report("fail.undo", outcome.error);
}

export async function redo(session: Session): Promise<void> {
  if (!session.online) {
    session.toast((t) => t("fail.away"), "warning");
    return;
  }
  const outcome = await session.undo.redo();
  if (outcome?.done === false) session.report("fail.redo", outcome.error);
}
