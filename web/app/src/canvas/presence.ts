import { useStoreApi } from "@xyflow/react";
import { useEffect, type RefObject } from "react";
import { useSession } from "../shell/context";
import type { Session } from "../state/session";
import { shownScheme } from "../theme/useScheme";
import type { Card } from "../wire/records";
import { overlaps, type Rect } from "./geometry";

type Visibility = "visible" | "overview" | "hidden";
type FlowState = ReturnType<ReturnType<typeof useStoreApi>["getState"]>;
const REPORT_EVERY_MS = 700;

/** How well each card is seen in a part of the canvas. */
export function visibilities(cards: Iterable<Card>, view: Rect, overview: boolean): Map<string, Visibility> {
  const seen = new Map<string, Visibility>();
  for (const card of cards) {
    seen.set(card.id, !overlaps(card, view) ? "hidden" : overview ? "overview" : "visible");
  }
  return seen;
}

/** What this page shows now, as the server is told. */
function pictureOf(session: Session, flow: FlowState) {
  const state = session.canvas.get();
  const [x, y, zoom] = flow.transform;
  const view = { x: -x / zoom, y: -y / zoom, w: flow.width / zoom, h: flow.height / zoom };
  const seen = visibilities(state?.cards.values() ?? [], view, session.ui.get().detail !== "full");
  const expanded = session.frames.expanded.get();
  // What lies behind a card that fills the page is out of sight; the card itself is in it wherever it lies.
  if (expanded !== null) for (const cardId of seen.keys()) seen.set(cardId, cardId === expanded ? "visible" : "hidden");
  return {
    workspaceId: state?.workspace.id ?? null,
    active: document.visibilityState === "visible" && document.hasFocus(),
    cards: [...seen].map(([cardId, visibility]) => ({ cardId, visibility })),
    focusedCardId: session.frames.focused.get(),
    scheme: shownScheme(),
  };
}

/**
 * Tells the server which cards this page shows: at most every 700 ms, only when that changed, new cards at once. What
 * waits to be told is told before whatever may make a card ask the person for something: only a card in sight may. What
 * the server refused to hear, as it does when a page calls too much at once, is told again.
 */
export function usePresence(box: RefObject<HTMLDivElement | null>): void {
  const session = useSession();
  const flow = useStoreApi();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let told = "";
    let toldAt = Number.NEGATIVE_INFINITY;
    let count = 0;
    const stop = new AbortController();
    const report = () => {
      timer = null;
      if (!session.online || box.current === null) return;
      const picture = pictureOf(session, flow.getState());
      const text = JSON.stringify(picture);
      if (text === told) return;
      told = text;
      toldAt = performance.now();
      session.client.call("client.presence", picture).catch(() => {
        if (told === text && !stop.signal.aborted) forget();
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
    const tellWaiting = () => {
      if (timer === null) return;
      clearTimeout(timer);
      report();
    };
    const atOnce = () => {
      soon();
      tellWaiting();
    };
    const stops = [
      flow.subscribe(soon),
      session.canvas.subscribe(soon),
      session.connection.subscribe(forget),
      session.frames.expanded.subscribe(atOnce),
      session.frames.focused.subscribe(atOnce),
      session.app.subscribe(soon),
      session.sightToldBy(tellWaiting),
    ];
    const scheme = matchMedia("(prefers-color-scheme: dark)");
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
