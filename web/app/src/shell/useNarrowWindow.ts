import { useEffect } from "react";
import type { Session } from "../state/session";

/** Where columns lie over the canvas; the same width as in `panel.css`. */
const NARROW = "(max-width: 760px)";

/** Puts the columns away where they would lie over the canvas: in a page that opens narrow, and when it becomes so. */
export function useNarrowWindow(session: Session): void {
  useEffect(() => {
    const narrow = window.matchMedia(NARROW);
    const putAway = () => {
      if (narrow.matches) session.ui.update((ui) => ({ ...ui, inspectorOpen: false, filesOpen: false, agentsOpen: false }));
    };
    putAway();
    narrow.addEventListener("change", putAway);
    return () => narrow.removeEventListener("change", putAway);
  }, [session]);
}
