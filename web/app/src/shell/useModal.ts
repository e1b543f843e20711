import { useEffect, useRef, type RefObject } from "react";

/**
 * Opens a window above the page, and gives the focus back to where it was when the window goes.
 *
 * Whoever took the focus meanwhile keeps it. Gives what to call where the way leads elsewhere: then it is not given back.
 */
export function useModal(dialog: RefObject<HTMLDialogElement | null>): () => void {
  const before = useRef<Element | null>(null);
  useEffect(() => {
    const element = dialog.current;
    before.current = document.activeElement;
    element?.showModal();
    // It goes as its element does; closing it would give the focus back in any case.
    return () => {
      const now = document.activeElement;
      const isFree = now === null || now === document.body || element?.contains(now) === true;
      const former = before.current;
      if (isFree && former instanceof HTMLElement && former.isConnected) former.focus({ preventScroll: true });
    };
  }, [dialog]);
  return () => {
    before.current = null;
  };
}
