import type { ReactNode } from "react";
import { useT } from "./context";

interface DialogFootProps {
  onCancel(): void;
  /** The words of the button that sends the form. */
  children: ReactNode;
  disabled: boolean;
}

/** The two buttons at the end of a form in a dialog: away from it, and on. */
export function DialogFoot({ onCancel, children, disabled }: DialogFootProps) {
  const t = useT();
  return (
    <footer className="modal-foot">
      <span className="spring" />
      <button type="button" className="btn" onClick={onCancel}>
        {t("app.cancel")}
      </button>
      <button type="submit" className="btn is-primary" disabled={disabled}>
        {children}
      </button>
    </footer>
  );
}
