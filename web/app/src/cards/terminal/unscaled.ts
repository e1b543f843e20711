const mouseEvents = ["mousedown", "mousemove", "mouseup", "click", "dblclick", "wheel"] as const;

/** A coordinate as it were if the screen were not zoomed: same origin, the distance divided by the scale. */
function unscaledAt(at: number, origin: number, scale: number): number {
  return origin + (at - origin) / scale;
}

/**
 * Corrects the mouse over a terminal on a zoomed canvas. The terminal divides by the width of a cell as laid out and
 * knows nothing of the canvas's zoom, so without this a selection would begin beside the pointer.
 *
 * Covers drags that leave the terminal. Gives the function that stops it.
 */
export function unscaleMouse(host: HTMLElement): () => void {
  const ends = new AbortController();
  let pressed = false;

  function correct(event: MouseEvent) {
    const inside = event.target instanceof Node && host.contains(event.target);
    if (event.type === "mousedown") pressed = inside;
    const concerned = inside || pressed;
    if (event.type === "mouseup") pressed = false;
    if (!concerned) return;
    const screen = host.querySelector<HTMLElement>(".xterm-screen") ?? host;
    const box = screen.getBoundingClientRect();
    const scale = box.width / screen.offsetWidth;
    if (!Number.isFinite(scale) || Math.abs(scale - 1) < 0.005) return;
    const clientX = unscaledAt(event.clientX, box.left, scale);
    const clientY = unscaledAt(event.clientY, box.top, scale);
    Object.defineProperties(event, { clientX: { value: clientX }, clientY: { value: clientY } });
  }

  for (const name of mouseEvents) window.addEventListener(name, correct, { capture: true, signal: ends.signal });
  return () => ends.abort();
}
