/** How many frames of the page something has time to be drawn; what lies outside the screen never is. */
const MAX_FRAMES = 300;

/** Gives the keyboard to what will be drawn soon, unless the person has gone elsewhere until then. */
export function focusWhenDrawn(selector: string): void {
  const before = document.activeElement;
  let frames = 0;
  const look = () => {
    if (document.activeElement !== before) return;
    const drawn = document.querySelector<HTMLElement | SVGElement>(selector);
    if (drawn !== null) drawn.focus({ preventScroll: true });
    else if (++frames < MAX_FRAMES) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
