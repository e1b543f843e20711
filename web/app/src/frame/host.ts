/** The iframes themselves. They are moved, never made anew: a frame that leaves the document starts over. */

/** What a frame may do: run scripts, and nothing else. */
const SANDBOX = "allow-scripts";

type Movable = ParentNode & { moveBefore?(node: Node, child: Node | null): void };

let lot: HTMLElement | null = null;

/** Where frames wait that are not in sight: in the document, so that they keep running. */
function parkingLot(): HTMLElement {
  if (lot?.isConnected !== true) {
    lot = document.createElement("div");
    lot.className = "frame-lot";
    lot.inert = true;
    document.body.append(lot);
  }
  return lot;
}

/**
 * A frame that loads an address; it waits in the lot until it is placed. `given` hears of it before the page gives it the
 * keyboard, as a menu does that closes: then the frame did not take it.
 */
export function makeFrame(url: string, title: string, given: (frame: HTMLIFrameElement) => void): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.focus = (options) => {
    given(frame);
    HTMLElement.prototype.focus.call(frame, options);
  };
  frame.setAttribute("sandbox", SANDBOX);
  frame.setAttribute("allow", "");
  frame.referrerPolicy = "no-referrer";
  frame.title = title;
  frame.className = "frame";
  frame.src = url;
  parkingLot().append(frame);
  return frame;
}

/** Puts a frame into a place, without loading it again where the browser can do that. True when it starts over. */
export function placeFrame(frame: HTMLIFrameElement, place: HTMLElement): boolean {
  return frame.parentElement !== place && moveTo(frame, place);
}

/** Takes a frame out of sight, at the size it had. True when it starts over. */
export function parkFrame(frame: HTMLIFrameElement): boolean {
  const { clientWidth, clientHeight } = frame;
  if (frame.parentElement === lot) return false;
  if (clientWidth > 0 && clientHeight > 0) {
    frame.style.width = `${clientWidth}px`;
    frame.style.height = `${clientHeight}px`;
  }
  return moveTo(frame, parkingLot());
}

function moveTo(frame: HTMLIFrameElement, place: HTMLElement): boolean {
  const target: Movable = place;
  if (place !== lot) frame.style.width = frame.style.height = "";
  if (target.moveBefore !== undefined && frame.isConnected && place.isConnected) {
    target.moveBefore(frame, null);
    return false;
  }
  place.append(frame);
  return true;
}
