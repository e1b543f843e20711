import type { AgentTimeline, TimelineRequest } from "../wire/records";

/** Where things stand on a timeline; places are shares of the window, 0 to 1. */

export interface Placed {
  request: TimelineRequest;
  lane: number;
  from: number;
  /** Equal to `from` for a tick: when the request began is not reported. */
  to: number;
}

export interface TimeWindow {
  since: number;
  until: number;
}

const LEAST_WINDOW_MS = 10_000;
const MOST_WINDOW_MS = 30 * 86_400_000;
/** How close two ticks of a lane may stand, as a share of the window. */
const TICK_ROOM = 0.004;

export function shareOf(atMs: number, { since, until }: TimeWindow): number {
  return Math.min(1, Math.max(0, (atMs - since) / Math.max(1, until - since)));
}

/** Requests as bars and ticks; those that overlap go to lanes below each other, an agent's own above its sub-agents'. */
export function placeRequests(timeline: Pick<AgentTimeline, "requests" | "since" | "until">): Placed[] {
  const own = timeline.requests.filter((request) => request.subagent === undefined);
  const subs = timeline.requests.filter((request) => request.subagent !== undefined);
  const placed = inLanes(own, timeline, 0);
  const below = Math.max(-1, ...placed.map(({ lane }) => lane)) + 1;
  return [...placed, ...inLanes(subs, timeline, below)].sort((one, other) => one.request.endedAt - other.request.endedAt);
}

function inLanes(requests: readonly TimelineRequest[], window: TimeWindow, first: number): Placed[] {
  const ends: number[] = [];
  const byStart = requests
    .map((request) => ({ request, from: shareOf(request.startedAt ?? request.endedAt, window), to: shareOf(request.endedAt, window) }))
    .sort((one, other) => one.from - other.from);
  return byStart.map(({ request, from, to }) => {
    const free = ends.findIndex((end) => end <= from);
    const lane = free === -1 ? ends.length : free;
    ends[lane] = from === to ? to + TICK_ROOM : to;
    return { request, from, to, lane: first + lane };
  });
}

const STEPS_MS = [1, 2, 5, 10, 15, 30].flatMap((seconds) => [seconds * 1_000]).concat(
  [1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  [1, 2, 3, 6, 12].map((hours) => hours * 3_600_000),
  [1, 2, 7].map((days) => days * 86_400_000),
);

/** Round moments for the axis, in local time, at most about eight. */
export function axisTicks({ since, until }: TimeWindow, offsetMinutes: number): number[] {
  const span = until - since;
  const step = STEPS_MS.find((each) => span / each <= 8) ?? STEPS_MS.at(-1) ?? span;
  const shift = offsetMinutes * 60_000;
  const ticks: number[] = [];
  for (let at = Math.ceil((since - shift) / step) * step + shift; at < until; at += step) ticks.push(at);
  return ticks;
}

/** The window about all that a timeline holds, with a little room at both ends; null when it holds nothing. */
export function fitting({ requests, turns, until }: Pick<AgentTimeline, "requests" | "turns" | "until">): TimeWindow | null {
  const starts = [...requests.map((request) => request.startedAt ?? request.endedAt), ...turns.map((turn) => turn.start)];
  const ends = [...requests.map((request) => request.endedAt), ...turns.map((turn) => turn.end ?? until)];
  if (starts.length === 0) return null;
  const since = Math.min(...starts);
  const span = Math.max(LEAST_WINDOW_MS, Math.max(...ends) - since);
  return { since: Math.max(0, Math.round(since - span * 0.05)), until: Math.round(since + span * 1.05) };
}

/** The window made narrower or wider about its middle, ended no later than now. */
export function zoomed({ since, until }: TimeWindow, factor: number, nowMs: number): TimeWindow {
  const span = Math.min(MOST_WINDOW_MS, Math.max(LEAST_WINDOW_MS, (until - since) * factor));
  return endedBy({ since: (since + until - span) / 2, until: (since + until + span) / 2 }, nowMs);
}

/** The window moved by a share of itself, ended no later than now. */
export function moved({ since, until }: TimeWindow, share: number, nowMs: number): TimeWindow {
  const by = (until - since) * share;
  return endedBy({ since: since + by, until: until + by }, nowMs);
}

function endedBy({ since, until }: TimeWindow, nowMs: number): TimeWindow {
  const late = Math.max(0, until - nowMs);
  return { since: Math.max(0, Math.round(since - late)), until: Math.round(until - late) };
}
