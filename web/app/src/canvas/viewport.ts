import { useReactFlow, useStoreApi } from "@xyflow/react";
import { useEffect, useMemo, useRef } from "react";
import { sought } from "../agents/going";
import { useSession } from "../shell/context";
import { createStore, useStore } from "../state/store";
import { boundsOf, clamp, type Point, type Rect } from "./geometry";

export const MIN_ZOOM = 0.06;
export const MAX_ZOOM = 2;
const FIT_MS = 220;

function duration(): number {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : FIT_MS;
}

/** What a part of the page may do with the viewport. */
export interface ViewportTools {
  /** Shows these cards, or all. */
  fit(cardIds?: readonly string[], durationMs?: number): void;
  zoomTo(zoom: number): void;
  zoomBy(factor: number): void;
  /** Brings a card into view without changing the zoom, unless it is too small to read. */
  goTo(cardId: string): void;
  /** Where the pointer is over the canvas, else its middle. */
  pointer(): Point;
}

export function useViewport(): ViewportTools {
  const session = useSession();
  const flow = useReactFlow();
  const store = useStoreApi();
  return useMemo(
    () => ({
      fit: (cardIds, durationMs = duration()) => {
        const cards = session.canvas.get()?.cards;
        if (cards === undefined) return;
        const shown = [...cards.values()].filter((card) => cardIds === undefined || cardIds.includes(card.id));
        const bounds = boundsOf(shown);
        if (bounds === null) return;
        const { width, height } = store.getState();
        void flow.setViewport(viewportFor(bounds, width, height), { duration: durationMs });
      },
      zoomTo: (zoom) => void flow.zoomTo(zoom, { duration: duration() }),
      zoomBy: (factor) => void flow.zoomTo(flow.getZoom() * factor, { duration: duration() }),
      goTo: (cardId) => {
        const card = session.canvas.get()?.cards.get(cardId);
        if (card === undefined) return;
        const zoom = Math.max(flow.getZoom(), 0.8);
        void flow.setCenter(card.x + card.w / 2, card.y + card.h / 2, { zoom, duration: duration() });
      },
      pointer: () => flow.screenToFlowPosition(lastPointer ?? middleOf(store.getState())),
    }),
    [session, flow, store],
  );
}

let lastPointer: Point | null = null;
window.addEventListener(
  "pointermove",
  (event) => {
    const over = event.target instanceof Element && event.target.closest(".react-flow") !== null;
    lastPointer = over ? { x: event.clientX, y: event.clientY } : null;
  },
  { passive: true },
);

/** Kept free of cards: the map, the bars and the tray lie over the lower edge. */
const MARGINS = { side: 28, top: 28, bottom: 126 };

/** The viewport that shows a stretch of the canvas. A few cards are not blown up to fill a large screen. */
export function viewportFor(bounds: Rect, width: number, height: number): { x: number; y: number; zoom: number } {
  const roomW = width - 2 * MARGINS.side;
  const roomH = height - MARGINS.top - MARGINS.bottom;
  const most = clamp(width / 1800, 1, 2);
  const zoom = clamp(Math.min(roomW / bounds.w, roomH / bounds.h), MIN_ZOOM, most);
  return {
    zoom,
    x: MARGINS.side + (roomW - bounds.w * zoom) / 2 - bounds.x * zoom,
    y: MARGINS.top + (roomH - bounds.h * zoom) / 2 - bounds.y * zoom,
  };
}

/** Shows the whole of a workspace when it is first seen. */
export function useFirstFit(): void {
  const session = useSession();
  const store = useStoreApi();
  const workspaceId = useStore(session.canvas, (state) => state?.workspace.id ?? null);
  const { fit } = useViewport();
  const fitted = useRef<string | null>(null);
  useEffect(() => {
    if (workspaceId === null || fitted.current === workspaceId) return;
    const attempt = () => {
      if (fitted.current === workspaceId || store.getState().panZoom === null || store.getState().width === 0) return;
      fitted.current = workspaceId;
      fit(undefined, 0);
    };
    attempt();
    return store.subscribe(attempt);
  }, [workspaceId, store, fit]);
}

/** The card that has just been made, to be brought into view. */
export const revealed = createStore<{ cardId: string } | null>(null);

/** Moves the canvas, no farther than needed and without zooming, when a new card lies outside what can be seen. */
export function useReveal(): void {
  const session = useSession();
  const flow = useReactFlow();
  const store = useStoreApi();
  useEffect(
    () =>
      revealed.subscribe(() => {
        const wanted = revealed.get();
        const card = wanted === null ? undefined : session.canvas.get()?.cards.get(wanted.cardId);
        if (card === undefined) return;
        const [x, y, zoom] = store.getState().transform;
        const { width, height } = store.getState();
        const left = card.x * zoom + x;
        const top = card.y * zoom + y;
        const shift = {
          x: inward(left, left + card.w * zoom, MARGINS.side, width - MARGINS.side),
          y: inward(top, top + card.h * zoom, MARGINS.top, height - MARGINS.bottom),
        };
        if (shift.x === 0 && shift.y === 0) return;
        void flow.setViewport({ x: x + shift.x, y: y + shift.y, zoom }, { duration: duration() });
      }),
    [session, flow, store],
  );
}

/** Brings a card that somebody looks for into the middle. */
export function useSought(): void {
  const { goTo } = useViewport();
  useEffect(
    () =>
      sought.subscribe(() => {
        const wanted = sought.get();
        if (wanted !== null) goTo(wanted.cardId);
      }),
    [goTo],
  );
}

/** How far a stretch has to be shifted to lie within limits; its beginning counts when it is too long for them. */
export function inward(start: number, end: number, min: number, max: number): number {
  if (start < min) return min - start;
  return end > max ? Math.max(max - end, min - start) : 0;
}

/** Gives the point of the canvas in the middle of the screen. */
export function useCenter(): () => Point {
  const flow = useReactFlow();
  const store = useStoreApi();
  return useMemo(
    () => () => flow.screenToFlowPosition(middleOf(store.getState())),
    [flow, store],
  );
}

function middleOf({ width, height, domNode }: { width: number; height: number; domNode: Element | null }): Point {
  const box = domNode?.getBoundingClientRect();
  return { x: (box?.left ?? 0) + width / 2, y: (box?.top ?? 0) + height / 2 };
}
