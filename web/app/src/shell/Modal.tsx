import { useEffect, useId, useLayoutEffect, useRef, type ReactNode, type RefObject } from "react";
import { useModal } from "./useModal";

interface ModalProps {
  title: string;
  onClose(): void;
  wide?: boolean;
  full?: boolean;
  /** A question that a stray Escape must not answer. */
  urgent?: boolean;
  /** Keeps which button was pressed last: one that led to another window has the focus when this one is back. */
  pressedRef?: RefObject<string | null>;
  children: ReactNode;
}

/** A window above the page that holds the focus until it is closed. */
export function Modal({ title, onClose, wide = false, full = false, urgent = false, pressedRef, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const buttons = [...(dialog.current?.querySelectorAll("button") ?? [])];
    // React knows the attribute as its own, which comes before the window is open.
    buttons.find((button) => nameOf(button) === pressedRef?.current)?.setAttribute("autofocus", "");
  }, [pressedRef]);
  useModal(dialog);
  // At the opening, and when it shows another thing than before.
  useEffect(() => begin(dialog.current), [title]);
  useEffect(() => {
    // There was nothing to have the focus; by now it may have come.
    if (document.activeElement === dialog.current) begin(dialog.current);
  });
  return (
    <dialog
      ref={dialog}
      className={full ? "modal is-full" : wide ? "modal is-wide" : "modal"}
      role={urgent ? "alertdialog" : undefined}
      aria-labelledby={heading}
      onKeyDown={(event) => event.stopPropagation()}
      onClickCapture={(event) => {
        const button = (event.target as Element).closest("button");
        if (pressedRef !== undefined && button !== null) pressedRef.current = nameOf(button);
      }}
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

function nameOf(button: HTMLButtonElement): string {
  return button.getAttribute("aria-label") ?? button.textContent;
}

const CONTROLS = "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled";

/** Begins at the top. Where the browser gave the focus to the window itself, or to what scrolls in it, a control has it. */
function begin(dialog: HTMLDialogElement | null): void {
  const now = document.activeElement;
  if (dialog === null || !dialog.contains(now)) return;
  const isThere = now?.matches(CONTROLS) === true || now?.hasAttribute("autofocus") === true;
  if (!isThere) dialog.querySelector<HTMLElement>(CONTROLS)?.focus({ preventScroll: true });
  // The first control may be the last thing of what is to be read.
  dialog.scrollTop = 0;
}
