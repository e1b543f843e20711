import { useEffect, useState } from "react";
import { reasonOf } from "../i18n/reasonOf";
import { useNow } from "../panels/useNow";
import { useSession } from "../shell/context";
import { useStore } from "../state/store";
import type { AgentTimeline } from "../wire/records";
import { fitting, moved, zoomed, type TimeWindow } from "./timelineScale";

const RENEW_MS = 10_000;

/** A span that ends now, or one that stands still. */
type View = { spanMs: number } | TimeWindow;

/** An agent's timeline in a window that can be moved and zoomed; one that ends now is kept true. */
export function useTimeline(agentId: string, firstSpanMs: number) {
  const session = useSession();
  const now = useNow(RENEW_MS);
  const [view, setView] = useState<View>({ spanMs: firstSpanMs });
  const [timeline, setTimeline] = useState<AgentTimeline | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const online = useStore(session.connection, ({ phase }) => phase === "online");
  const [readings, setReadings] = useState(0);
  const live = "spanMs" in view;
  const window = live ? { since: Math.max(0, now - view.spanMs), until: now } : view;
  const { since, until } = window;

  useEffect(() => session.client.on("usage.changed", () => setReadings((count) => count + 1)), [session]);
  useEffect(() => {
    if (!online) return;
    let current = true;
    session.client
      .call("usage.timeline", { agentId, since, until })
      .then((found) => {
        if (!current) return;
        setTimeline(found);
        setProblem(null);
      })
      .catch((error: unknown) => {
        if (current) setProblem(reasonOf(session.t, error));
      });
    return () => {
      current = false;
    };
  }, [session, online, agentId, since, until, readings]);

  const settle = (next: TimeWindow) => setView(next.until >= now ? { spanMs: next.until - next.since } : next);
  return {
    timeline,
    problem,
    /** What is shown is of another window than the one asked for. */
    busy: timeline === null || timeline.until - timeline.since !== until - since,
    spanMs: live ? view.spanMs : null,
    fit: () => {
      const all = timeline === null ? null : fitting(timeline);
      if (all !== null) setView(all);
    },
    show: (spanMs: number) => setView({ spanMs }),
    zoom: (factor: number) => settle(zoomed(window, factor, now)),
    move: (share: number) => settle(moved(window, share, now)),
  };
}
