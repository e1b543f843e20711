import { useStoreApi } from "@xyflow/react";
import { useEffect, type RefObject } from "react";
import { useSession } from "../shell/context";
import { shownScheme } from "../theme/useScheme";
import type { Card } from "../wire/records";
import { overlaps, type Rect } from "./geometry";

type Visibility = "visible" | "overview" | "hidden";
const REPORT_EVERY_MS = 700;

/** How well each card is seen in a part of the canvas. */
export function visibilities(cards: Iterable<Card>, view: Rect, overview: boolean): Map<string, Visibility> {
  const seen = new Map<string, Visibility>();
  for (const card of cards) {
    seen.set(card.id, !overlaps(card, view) ? "hidden" : overview ? "overview" : "visible");
  }
  return seen;
}

/** Tells the server which cards this page shows: at most every 700 ms, only when that changed, new cards at once. */
export function usePresence(box: RefObject<HTMLDivElement | null>): void {
  const session = useSession();
  const flow = useStoreApi();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let told = "";
    let toldAt = Number.NEGATIVE_INFINITY;
    let count = 0;
    const report = () => {
      timer = null;
      const state = session.canvas.get();
      if (!session.online || box.current === null) return;
      const [x, y, zoom] = flow.getState().transform;
      const { width, height } = flow.getState();
      const view = { x: -x / zoom, y: -y / zoom, w: width / zoom, h: height / zoom };
      const expanded = session.frames.expanded.get();
      const seen = visibilities(state?.cards.values() ?? [], view, session.ui.get().detail !== "full");
      // What lies behind a card that fills the page is out of sight; the card itself is in it wherever it lies.
      if (expanded !== null) for (const cardId of seen.keys()) seen.set(cardId, cardId === expanded ? "visible" : "hidden");
      const cards = [...seen].map(([cardId, visibility]) => ({ cardId, visibility }));
      const active = document.visibilityState === "visible" && document.hasFocus();
      const presence = {
        workspaceId: state?.workspace.id ?? null,
        active,
        cards,
        focusedCardId: session.frames.focused.get(),
        scheme: shownScheme(),
      };
      const text = JSON.stringify(presence);
      if (text === told) return;
      told = text;
      toldAt = performance.now();
      session.client.call("client.presence", presence).catch(() => {
        told = "";
      });
    };
    const soon = () => {
      const now = session.canvas.get()?.cards.size ?? 0;
      if (timer !== null && now === count) return;
      if (timer !== null) clearTimeout(timer);
      const isNew = now !== count;
      count = now;
      timer = setTimeout(report, isNew ? Math.max(0, toldAt + REPORT_EVERY_MS - performance.now()) : REPORT_EVERY_MS);
    };
    const forget = () => {
      told = "";
      soon();
    };
    const stops = [
      flow.subscribe(soon),
      session.canvas.subscribe(soon),
      session.connection.subscribe(forget),
      session.frames.expanded.subscribe(soon),
      session.frames.focused.subscribe(soon),
      session.app.subscribe(soon),
    ];
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const stop = new AbortController();
    scheme.addEventListener("change", soon, { signal: stop.signal });
    window.addEventListener("focus", soon, { signal: stop.signal });
    window.addEventListener("blur", soon, { signal: stop.signal });
    document.addEventListener("visibilitychange", soon, { signal: stop.signal });
    soon();
    return () => {
      stops.forEach((end) => end());
      stop.abort();
      if (timer !== null) clearTimeout(timer);
    };
  }, [session, flow, box]);
}
