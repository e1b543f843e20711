import { useEffect, useRef, useState, type PointerEvent, type ReactNode } from "react";
import { createPortal } from "react-dom";
import { dropPlace, type DropPlace, type DropZone } from "./drop";
import styles from "./parts.module.css";

/** How far the pointer goes before a press becomes a drag, in pixels. */
const threshold = 5;
/** Rows scroll when the pointer comes this near to the edge of their list. */
const edge = 24;

interface Dragging {
  id: string;
  text: string;
  x: number;
  y: number;
  place: DropPlace | null;
}

interface RowDrag {
  /** Goes on the element that is or holds the zones (`data-zone`) with their rows (`data-row`). */
  onPointerDown(event: PointerEvent<HTMLElement>): void;
  draggedId: string | null;
  place: DropPlace | null;
  /** What follows the pointer; to be rendered anywhere. */
  ghost: ReactNode;
}

/**
 * Drags rows within and between zones with the pointer. Works at any zoom, because all is measured on the screen.
 * Escape and a lost pointer leave everything as it was.
 */
export function useRowDrag(onDrop: (id: string, place: DropPlace) => void): RowDrag {
  const [dragging, setDragging] = useState<Dragging | null>(null);
  const stop = useRef<(() => void) | null>(null);
  const drop = useRef(onDrop);
  useEffect(() => {
    drop.current = onDrop;
  });
  useEffect(() => () => stop.current?.(), []);

  function onPointerDown(event: PointerEvent<HTMLElement>) {
    const target = event.target as HTMLElement;
    const row = target.closest<HTMLElement>("[data-row]");
    if (event.button !== 0 || row === null || target.closest("input,select,textarea,button,a") !== null) return;
    stop.current?.();
    stop.current = follow(event.currentTarget, row, event, setDragging, (id, place) => drop.current(id, place));
  }

  return {
    onPointerDown,
    draggedId: dragging?.id ?? null,
    place: dragging?.place ?? null,
    ghost:
      dragging === null
        ? null
        : createPortal(
            <div className={styles.ghost} style={{ left: dragging.x, top: dragging.y }} aria-hidden="true">
              {dragging.text}
            </div>,
            document.body,
          ),
  };
}

/** Follows one press of the pointer to its end; gives the function that breaks it off. */
function follow(
  root: HTMLElement,
  row: HTMLElement,
  start: PointerEvent,
  show: (dragging: Dragging | null) => void,
  drop: (id: string, place: DropPlace) => void,
): () => void {
  const id = row.dataset["row"] ?? "";
  const text = row.dataset["rowText"] ?? "";
  const ends = new AbortController();
  let place: DropPlace | null = null;
  let moving = false;

  function end() {
    ends.abort();
    show(null);
  }

  function move(event: globalThis.PointerEvent) {
    if (event.pointerId !== start.pointerId) return;
    if (!moving && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < threshold) return;
    moving = true;
    scrollNear(root, event);
    place = dropPlace(zonesOf(root), event.clientX, event.clientY, id);
    show({ id, text, x: event.clientX, y: event.clientY, place });
  }

  function up(event: globalThis.PointerEvent) {
    if (event.pointerId !== start.pointerId) return;
    end();
    if (moving && place !== null) drop(id, place);
  }

  function key(event: KeyboardEvent) {
    if (event.key !== "Escape" || !moving) return;
    event.stopPropagation();
    end();
  }

  const { signal } = ends;
  window.addEventListener("pointermove", move, { signal });
  window.addEventListener("pointerup", up, { signal });
  window.addEventListener("pointercancel", end, { signal });
  window.addEventListener("keydown", key, { signal, capture: true });
  return end;
}

/** Measures the zones of a list or board as they lie on the screen now. */
function zonesOf(root: HTMLElement): DropZone[] {
  const zones = [root, ...root.querySelectorAll<HTMLElement>("[data-zone]")];
  return zones.filter((zone) => zone.dataset["zone"] !== undefined).map((zone) => ({
    id: zone.dataset["zone"] ?? "",
    ...boxOf(zone),
    rows: [...zone.querySelectorAll<HTMLElement>("[data-row]")].map((row) => ({
      id: row.dataset["row"] ?? "",
      ...boxOf(row),
    })),
  }));
}

function boxOf(element: HTMLElement): { left: number; top: number; right: number; bottom: number } {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  return { left, top, right, bottom };
}

function scrollNear(root: HTMLElement, at: { clientX: number; clientY: number }): void {
  for (const list of [root, ...root.querySelectorAll<HTMLElement>("[data-scrolls]")]) {
    if (list.dataset["scrolls"] === undefined) continue;
    const box = list.getBoundingClientRect();
    if (at.clientX < box.left || at.clientX > box.right) continue;
    if (at.clientY < box.top + edge) list.scrollTop -= edge / 2;
    if (at.clientY > box.bottom - edge) list.scrollTop += edge / 2;
  }
}
