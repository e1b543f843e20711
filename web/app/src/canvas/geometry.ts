/** Rectangles, sides and curves, in the coordinates of the canvas. No state and no DOM. */

export interface Point {
  x: number;
  y: number;
}
export interface Rect extends Point {
  w: number;
  h: number;
}
export type Side = "left" | "right" | "top" | "bottom";

export interface Anchor extends Point {
  side: Side;
  /** True where a port's own dot already marks the place. */
  onDot: boolean;
}

function center(rect: Rect): Point {
  return { x: rect.x + rect.w / 2, y: rect.y + rect.h / 2 };
}

/** The side of a card that looks at another: sideways when the gap beside is the wider one. */
export function facingSide(from: Rect, to: Rect): Side {
  const gapX = Math.max(to.x - (from.x + from.w), from.x - (to.x + to.w));
  const gapY = Math.max(to.y - (from.y + from.h), from.y - (to.y + to.h));
  const a = center(from);
  const b = center(to);
  // Curves read best sideways, so a card above or below has to be clearly so.
  if (gapX >= gapY - 24 || gapY < 0) return b.x >= a.x ? "right" : "left";
  return b.y >= a.y ? "bottom" : "top";
}

const PULL = 0.25;
const REACH = 0.34;
const DOT_STEP = 18;

/** How far off the middle of its side the dot of one of `count` families sits. */
export function dotOffset(index: number, count: number): number {
  return (index - (count - 1) / 2) * DOT_STEP;
}

/** Where an arrow meets a card: at a port's dot when one is given, else off the middle towards the other card. */
export function anchorOn(from: Rect, to: Rect, dots: Partial<Record<Side, number>> = {}): Anchor {
  const side = facingSide(from, to);
  const a = center(from);
  const b = center(to);
  const dot = dots[side];
  if (side === "left" || side === "right") {
    const shift = dot ?? clamp((b.y - a.y) * PULL, -from.h * REACH, from.h * REACH);
    return { side, onDot: dot !== undefined, x: side === "right" ? from.x + from.w : from.x, y: a.y + shift };
  }
  const shift = dot ?? clamp((b.x - a.x) * PULL, -from.w * REACH, from.w * REACH);
  return { side, onDot: dot !== undefined, x: a.x + shift, y: side === "bottom" ? from.y + from.h : from.y };
}

interface Curve {
  path: string;
  middle: Point;
}

/** A cubic curve that leaves and enters at right angles to the sides. */
export function curveBetween(start: Anchor, end: Anchor): Curve {
  const one = control(start, end);
  const other = control(end, start);
  const path = `M${n(start.x)} ${n(start.y)} C${n(one.x)} ${n(one.y)} ${n(other.x)} ${n(other.y)} ${n(end.x)} ${n(end.y)}`;
  return {
    path,
    middle: {
      x: start.x * 0.125 + one.x * 0.375 + other.x * 0.375 + end.x * 0.125,
      y: start.y * 0.125 + one.y * 0.375 + other.y * 0.375 + end.y * 0.125,
    },
  };
}

const NORMALS: Record<Side, Point> = {
  left: { x: -1, y: 0 },
  right: { x: 1, y: 0 },
  top: { x: 0, y: -1 },
  bottom: { x: 0, y: 1 },
};

function control(from: Anchor, to: Point): Point {
  const normal = NORMALS[from.side];
  const along = Math.abs((to.x - from.x) * normal.x + (to.y - from.y) * normal.y);
  const across = Math.abs((to.x - from.x) * normal.y) + Math.abs((to.y - from.y) * normal.x);
  const reach = clamp(along * 0.5 + across * 0.12, 22, 220);
  return { x: from.x + normal.x * reach, y: from.y + normal.y * reach };
}

/** A point moved away from a side, as the tip of an arrow keeps off the border. */
export function offset(anchor: Anchor, distance: number): Anchor {
  const normal = NORMALS[anchor.side];
  return { ...anchor, x: anchor.x + normal.x * distance, y: anchor.y + normal.y * distance };
}

const CHARACTER_PX = 6;

/** Whether a label fits between the ends of a curve without running under a card. */
export function labelFits(text: string, start: Anchor, end: Anchor): boolean {
  const sideways = start.side === "left" || start.side === "right";
  return !sideways || text.length * CHARACTER_PX + 12 <= Math.abs(end.x - start.x);
}

export function overlaps(one: Rect, other: Rect, gap = 0): boolean {
  return (
    one.x < other.x + other.w + gap &&
    other.x < one.x + one.w + gap &&
    one.y < other.y + other.h + gap &&
    other.y < one.y + one.h + gap
  );
}

const GAP = 64;
const NEIGHBOURS = 60;

/**
 * The place nearest to a wish at which a card of this size covers no other: the wish, or beside one of the cards near
 * it, in line with that card. Beside counts as nearer than below, for screens are wider than high.
 */
export function freePlace(wish: Point, size: { w: number; h: number }, taken: readonly Rect[]): Point {
  const away = (point: Point) => Math.hypot(point.x - wish.x, (point.y - wish.y) * 1.5);
  const near = [...taken].sort((a, b) => away(a) - away(b)).slice(0, NEIGHBOURS);
  const places = [wish, ...near.flatMap((rect) => placesBeside(rect, size))].sort((a, b) => away(a) - away(b));
  const free = (point: Point) => taken.every((rect) => !overlaps({ ...point, ...size }, rect, GAP - 1));
  const place = places.find(free) ?? wish;
  return { x: Math.round(place.x), y: Math.round(place.y) };
}

function placesBeside(rect: Rect, { w, h }: { w: number; h: number }): Point[] {
  const right = rect.x + rect.w + GAP;
  const below = rect.y + rect.h + GAP;
  return [
    { x: right, y: rect.y },
    { x: rect.x, y: below },
    { x: rect.x - w - GAP, y: rect.y },
    { x: rect.x, y: rect.y - h - GAP },
    { x: right, y: below },
  ];
}

export function boundsOf(rects: readonly Rect[]): Rect | null {
  const [first] = rects;
  if (first === undefined) return null;
  let { x: left, y: top } = first;
  let right = left + first.w;
  let bottom = top + first.h;
  for (const rect of rects) {
    left = Math.min(left, rect.x);
    top = Math.min(top, rect.y);
    right = Math.max(right, rect.x + rect.w);
    bottom = Math.max(bottom, rect.y + rect.h);
  }
  return { x: left, y: top, w: right - left, h: bottom - top };
}

export type Heading = "left" | "right" | "up" | "down";

/** The nearest other card in a direction: near ahead counts once, off to the side twice. */
export function nearestTowards<T extends Rect>(from: Rect, others: readonly T[], heading: Heading): T | null {
  const origin = center(from);
  let best: T | null = null;
  let bestCost = Number.POSITIVE_INFINITY;
  for (const other of others) {
    const point = center(other);
    const dx = point.x - origin.x;
    const dy = point.y - origin.y;
    const ahead = heading === "left" ? -dx : heading === "right" ? dx : heading === "up" ? -dy : dy;
    const aside = heading === "left" || heading === "right" ? Math.abs(dy) : Math.abs(dx);
    if (ahead <= 1) continue;
    const cost = ahead + aside * 2;
    if (cost < bestCost) {
      best = other;
      bestCost = cost;
    }
  }
  return best;
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

const CLEARANCE = 6;
const SEARCHED = 400;

/** A small bar moved as little as it takes to cover no card and stay in view; as it was where there is no such place. */
export function clearOf(bar: Rect, cards: readonly Rect[], view: Rect): Rect {
  if (!overlaps(bar, view)) return bar;
  const near = cards.filter((card) => overlaps(card, view) && overlaps(card, bar, SEARCHED));
  const xs = [bar.x, ...near.flatMap((card) => [card.x - CLEARANCE - bar.w, card.x + card.w + CLEARANCE])];
  const ys = [bar.y, ...near.flatMap((card) => [card.y - CLEARANCE - bar.h, card.y + card.h + CLEARANCE])];
  const places = xs.flatMap((x) => ys.map((y) => ({ ...bar, x, y })));
  const far = (place: Rect) => Math.hypot(place.x - bar.x, place.y - bar.y);
  const free = places.filter((place) => within(place, view) && !near.some((card) => overlaps(place, card)));
  return free.reduce<Rect | null>((best, place) => (best === null || far(place) < far(best) ? place : best), null) ?? bar;
}

function within(one: Rect, other: Rect): boolean {
  return (
    one.x >= other.x && one.y >= other.y && one.x + one.w <= other.x + other.w && one.y + one.h <= other.y + other.h
  );
}
