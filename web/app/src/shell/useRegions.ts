import { useEffect } from "react";

const REGIONS = [".topbar button", ".files [role=tree], .files button", ".react-flow__node", ".tray button", ".panel button, .panel input"];

/** F6 goes round the regions of the page, Shift-F6 back: bar, files, canvas, tray, panel. It also leads out of a terminal. */
export function useRegions(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "F6" || event.ctrlKey) return;
      event.preventDefault();
      event.stopPropagation();
      const firsts = REGIONS.flatMap((selector) => document.querySelector<HTMLElement>(selector) ?? []);
      const roots = firsts.map((first) => first.closest(".topbar, .files, .react-flow, .tray, .panel"));
      const at = roots.findIndex((root) => root?.contains(document.activeElement) === true);
      const next = (at + (event.shiftKey ? -1 : 1) + firsts.length) % firsts.length;
      firsts[next]?.focus();
    };
    window.addEventListener("keydown", onKey, true);
    return () => window.removeEventListener("keydown", onKey, true);
  }, []);
}
