import { cardUnder } from "../canvas/drawing";
import type { Point } from "../canvas/geometry";
import type { Session } from "../state/session";
import { createStore } from "../state/store";
import type { FileRef } from "./fileRef";
import { sendFile } from "./sending";

/** Where the pointer is while a file is carried, in pixels of the window. */
export const carryingPointer = createStore<Point | null>(null);

const CLICK_SLOP_PX = 5;

/** Carries a file with the pointer: press, drag, let go over a card. A press without a drag is a click. Escape gives up. */
export function carryFile(session: Session, ref: FileRef, at: Point): void {
  const stop = new AbortController();
  const finish = (done: boolean) => {
    stop.abort();
    const carrying = session.ui.get().carrying;
    carryingPointer.set(null);
    session.ui.update((ui) => ({ ...ui, carrying: null }));
    if (done && carrying !== null && carrying.targetId !== null) void sendFile(session, carrying.targetId, carrying.ref);
  };
  const listen = <Name extends keyof WindowEventMap>(name: Name, run: (event: WindowEventMap[Name]) => void) =>
    window.addEventListener(name, run, { signal: stop.signal, capture: true });
  listen("pointermove", (event) => {
    const point = { x: event.clientX, y: event.clientY };
    const started = session.ui.get().carrying !== null;
    if (!started && Math.hypot(point.x - at.x, point.y - at.y) <= CLICK_SLOP_PX) return;
    if (!started && !session.online) {
      finish(false);
      session.toast((t) => t("fail.away"), "warning");
      return;
    }
    getSelection()?.removeAllRanges();
    carryingPointer.set(point);
    const targetId = cardUnder(point);
    session.ui.update((ui) => (ui.carrying?.targetId === targetId ? ui : { ...ui, carrying: { ref, targetId } }));
  });
  listen("pointerup", () => finish(true));
  listen("pointercancel", () => finish(false));
  listen("keydown", (event) => {
    if (event.key !== "Escape" || session.ui.get().carrying === null) return;
    event.stopPropagation();
    finish(false);
  });
  listen("blur", (event) => {
    // The press itself takes the focus from somewhere; only the window's own loss ends the drag.
    if (event.target === event.currentTarget) finish(false);
  });
}
