import { ConfirmQuestion, LinkQuestion, PermissionQuestion } from "../asking/CardQuestions";
import { PromptQuestion } from "../asking/PromptQuestion";
import { StartQuestion } from "../asking/StartQuestion";
import { removalQuestion, removeNow } from "../canvas/removing";
import { useStore } from "../state/store";
import type { Dialog } from "../wire/records";
import { useSession, useT } from "./context";
import { Modal } from "./Modal";

/** The questions of the server to the owner, one at a time in the order they came, and the page's own before removing. */
export function Questions() {
  const session = useSession();
  const dialog = useStore(session.canvas, (state) => state?.dialogs[0] ?? null);
  const removal = useStore(removalQuestion, (question) => question);
  return (
    <>
      {dialog === null ? null : <ServerQuestion key={dialog.id} dialog={dialog} />}
      {removal === null ? null : <RemovalDialog />}
    </>
  );
}

function ServerQuestion({ dialog }: { dialog: Dialog }) {
  switch (dialog.kind) {
    case "startProgram":
      return <StartQuestion dialog={dialog} />;
    case "permission":
      return <PermissionQuestion dialog={dialog} />;
    case "link":
      return <LinkQuestion dialog={dialog} />;
    case "prompt":
      return <PromptQuestion dialog={dialog} />;
    case "confirm":
      return <ConfirmQuestion dialog={dialog} />;
  }
}

function RemovalDialog() {
  const session = useSession();
  const t = useT();
  const question = useStore(removalQuestion, (known) => known);
  if (question === null) return null;
  const { running, selection } = question;
  return (
    <Modal title={t("remove.title", { count: selection.cardIds.length })} onClose={() => removalQuestion.set(null)}>
      <p>{t("remove.running", { names: running.join(", "), count: running.length })}</p>
      <p className="muted">{t("remove.undo")}</p>
      <footer className="modal-foot">
        <span className="spring" />
        <button type="button" className="btn" autoFocus onClick={() => removalQuestion.set(null)}>
          {t("app.cancel")}
        </button>
        <button type="button" className="btn is-danger is-solid" onClick={() => void removeNow(session, selection)}>
          {t("remove.yes")}
        </button>
      </footer>
    </Modal>
  );
}
