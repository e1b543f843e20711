import { useId, useRef, type ReactNode } from "react";
import { useModal } from "./useModal";

interface ModalProps {
  title: string;
  onClose(): void;
  wide?: boolean;
  full?: boolean;
  /** A question that a stray Escape must not answer. */
  urgent?: boolean;
  children: ReactNode;
}

/** A window above the page that holds the focus until it is closed. */
export function Modal({ title, onClose, wide = false, full = false, urgent = false, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useModal(dialog);
  return (
    <dialog
      ref={dialog}
      className={full ? "modal is-full" : wide ? "modal is-wide" : "modal"}
      role={urgent ? "alertdialog" : undefined}
      aria-labelledby={heading}
      onKeyDown={(event) => event.stopPropagation()}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (!urgent && event.target === dialog.current) onClose();
      }}
    >
      <div className="modal-box">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
