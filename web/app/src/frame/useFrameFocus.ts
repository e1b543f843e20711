import { useEffect } from "react";
import type { Session } from "../state/session";
import { useSession } from "../shell/context";
import type { Entries } from "./entries";

const LOOK_MS = 200;

/**
 * What the page can know of a frame that is used: that it has the keyboard. A press inside a frame is not ours to see,
 * so the card is selected when its frame takes the focus; a frame that takes it for itself has to give it back. While a
 * button is held outside, frames let the pointer pass, or a drag across one would get lost in it.
 */
export function useFrameFocus(): void {
  const session = useSession();
  useEffect(() => follow(session), [session]);
}

function follow(session: Session): () => void {
  const stop = new AbortController();
  const listening = { signal: stop.signal, capture: true };
  const { entries, focused } = session.frames;
  let before: Element | null = document.activeElement;
  let looking: ReturnType<typeof setInterval> | undefined;

  const look = () => {
    if (stop.signal.aborted) return;
    const frame = document.activeElement;
    const cardId = session.frames.cardOf(frame);
    if (cardId === null || frame === null) {
      clearInterval(looking);
      looking = undefined;
      if (frame !== null && frame !== document.body) before = frame;
      focused.set(null);
      return;
    }
    if (focused.get() === cardId) return;
    if (!isPersons(entries, frame)) {
      session.frames.refuseFocus(cardId, before);
      return;
    }
    before = frame;
    focused.set(cardId);
    // From one frame to the next nothing is heard.
    looking ??= setInterval(look, LOOK_MS);
    if (session.canvas.get()?.cards.has(cardId) !== true) return;
    session.ui.update((ui) => ({ ...ui, selection: { cardIds: [cardId], arrowIds: [] } }));
  };
  const later = () => setTimeout(look);
  const pass = (passing: boolean) => document.documentElement.toggleAttribute("data-pressed", passing);

  window.addEventListener("blur", later, listening);
  window.addEventListener("focus", later, listening);
  document.addEventListener(
    "focusin",
    (event) => {
      if (!(event.target instanceof HTMLIFrameElement)) entries.inPage(isField(event.target), event.timeStamp);
      look();
    },
    listening,
  );
  window.addEventListener("keydown", (event) => entries.key(event.key, event.timeStamp), listening);
  window.addEventListener("pointerdown", () => pass(true), listening);
  window.addEventListener("pointerup", () => pass(false), listening);
  window.addEventListener("pointercancel", () => pass(false), listening);
  return () => {
    stop.abort();
    clearInterval(looking);
    pass(false);
  };
}

function isPersons(entries: Entries, frame: Element): boolean {
  const within = frame.closest("[inert]") === null && document.querySelector(":modal") === null;
  // Where the browser does not tell, the rest has to do.
  const active = (navigator.userActivation as UserActivation | undefined)?.isActive ?? true;
  return entries.isPersons(frame, performance.now(), active, within);
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea"));
}
