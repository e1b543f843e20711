import { useEffect } from "react";
import { useSession } from "../shell/context";

/**
 * What the page can know of a frame that is used: that it has the keyboard. A press inside a frame is not ours to see,
 * so the card is selected when its frame takes the focus; and while a button is held outside, frames let the pointer
 * pass, or a drag across one would get lost in it.
 */
export function useFrameFocus(): void {
  const session = useSession();
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const look = () => {
      const cardId = session.frames.cardOf(document.activeElement);
      if (session.frames.focused.get() === cardId) return;
      session.frames.focused.set(cardId);
      if (cardId === null || session.canvas.get()?.cards.has(cardId) !== true) return;
      session.ui.update((ui) => ({ ...ui, selection: { cardIds: [cardId], arrowIds: [] } }));
    };
    const later = () => setTimeout(look);
    const press = (held: boolean) => () => document.documentElement.toggleAttribute("data-pressed", held);
    window.addEventListener("blur", later, { signal });
    window.addEventListener("focus", later, { signal });
    document.addEventListener("focusin", look, { signal });
    window.addEventListener("pointerdown", press(true), { signal, capture: true });
    window.addEventListener("pointerup", press(false), { signal, capture: true });
    window.addEventListener("pointercancel", press(false), { signal, capture: true });
    return () => {
      stop.abort();
      document.documentElement.removeAttribute("data-pressed");
    };
  }, [session]);
}
