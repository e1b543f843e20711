import { useT } from "../shell/context";
import { Modal } from "../shell/Modal";

interface RemovalQuestionProps {
  /** The question, with the name of what would go. */
  title: string;
  /** What goes with it, and whether it comes back. */
  text: string;
  /** The word of the button that does it. */
  yes: string;
  onYes(): void;
  onNo(): void;
}

/** Asks before something goes for good; the way back has the focus. */
export function RemovalQuestion({ title, text, yes, onYes, onNo }: RemovalQuestionProps) {
  const t = useT();
  return (
    <Modal title={title} onClose={onNo}>
      <p>{text}</p>
      <footer className="modal-foot">
        <span className="spring" />
        <button type="button" className="btn" autoFocus onClick={onNo}>
          {t("app.cancel")}
        </button>
        <button type="button" className="btn is-danger is-solid" onClick={onYes}>
          {yes}
        </button>
      </footer>
    </Modal>
  );
}
