import { useReactFlow, useStoreApi } from "@xyflow/react";
import { useEffect, useMemo, useRef } from "react";
import { useSession } from "../shell/context";
import { useStore } from "../state/store";
import { boundsOf, type Point, type Rect } from "./geometry";

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
}

export function useViewport(): ViewportTools {
  const session = useSession();
  const flow = useReactFlow();
  return useMemo(
    () => ({
      fit: (cardIds, durationMs = duration()) => {
        const cards = session.canvas.get()?.cards;
        if (cards === undefined) return;
        const shown = [...cards.values()].filter((card) => cardIds === undefined || cardIds.includes(card.id));
        const bounds = boundsOf(shown);
        if (bounds === null) return;
        const { x, y, w: width, h: height } = roomy(bounds);
        void flow.fitBounds({ x, y, width, height }, { padding: 0.06, duration: durationMs });
      },
      zoomTo: (zoom) => void flow.zoomTo(zoom, { duration: duration() }),
      zoomBy: (factor) => void flow.zoomTo(flow.getZoom() * factor, { duration: duration() }),
      goTo: (cardId) => {
        const card = session.canvas.get()?.cards.get(cardId);
        if (card === undefined) return;
        const zoom = Math.max(flow.getZoom(), 0.8);
        void flow.setCenter(card.x + card.w / 2, card.y + card.h / 2, { zoom, duration: duration() });
      },
    }),
    [session, flow],
  );
}

/** A lone small card is not blown up to fill the screen. */
function roomy(bounds: Rect): Rect {
  const w = Math.max(bounds.w, 900);
  const h = Math.max(bounds.h, 560);
  return { x: bounds.x - (w - bounds.w) / 2, y: bounds.y - (h - bounds.h) / 2, w, h };
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

/** Gives the point of the canvas in the middle of the screen. */
export function useCenter(): () => Point {
  const flow = useReactFlow();
  const store = useStoreApi();
  return useMemo(
    () => () => {
      const { width, height, domNode } = store.getState();
      const box = domNode?.getBoundingClientRect();
      return flow.screenToFlowPosition({ x: (box?.left ?? 0) + width / 2, y: (box?.top ?? 0) + height / 2 });
    },
    [flow, store],
  );
}
