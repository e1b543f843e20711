import { describe, expect, test } from "vitest";
import type { TimelineRequest } from "../wire/records";
import { axisTicks, fitting, moved, placeRequests, zoomed } from "./timelineScale";

function request(startedAt: number | null, endedAt: number, more: Partial<TimelineRequest> = {}): TimelineRequest {
  return { startedAt, endedAt, inputTokens: 1, outputTokens: 1, cacheReadTokens: null, cacheWriteTokens: null, ...more };
}

describe("a timeline", () => {
  test("requests that follow each other share a lane, those that overlap do not", () => {
    const placed = placeRequests({
      since: 0,
      until: 100,
      requests: [request(0, 10), request(10, 20), request(15, 30), request(40, 50, { subagent: { id: "s" } })],
    });
    expect(placed.map(({ lane, from, to }) => [lane, from, to])).toEqual([
      [0, 0, 0.1],
      [0, 0.1, 0.2],
      [1, 0.15, 0.3],
      [2, 0.4, 0.5],
    ]);
  });

  test("a request whose beginning is not reported is a tick at its end", () => {
    const [tick] = placeRequests({ since: 0, until: 100, requests: [request(null, 60)] });
    expect([tick?.from, tick?.to]).toEqual([0.6, 0.6]);
  });

  test("a bar that began before the window is cut to it", () => {
    const [bar] = placeRequests({ since: 50, until: 150, requests: [request(0, 100)] });
    expect([bar?.from, bar?.to]).toEqual([0, 0.5]);
  });

  test("the axis has round local times", () => {
    const hour = 3_600_000;
    expect(axisTicks({ since: 0, until: 8 * hour }, 0)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((count) => count * hour));
    expect(axisTicks({ since: 0, until: 2 * 86_400_000 }, -330)[0]).toBe(0.5 * hour);
  });

  test("all that happened fits with room at both ends", () => {
    const turn = { start: 100_000, end: null, counted: true };
    expect(fitting({ requests: [request(120_000, 130_000)], turns: [turn], until: 200_000 })).toEqual({ since: 95_000, until: 205_000 });
    expect(fitting({ requests: [request(null, 130_000)], turns: [], until: 200_000 })).toEqual({ since: 129_500, until: 140_500 });
    expect(fitting({ requests: [], turns: [], until: 200_000 })).toBeNull();
  });

  test("a window is moved and zoomed, and never ends after now", () => {
    expect(zoomed({ since: 0, until: 100_000 }, 0.5, 100_000)).toEqual({ since: 25_000, until: 75_000 });
    expect(zoomed({ since: 0, until: 100_000 }, 2, 100_000)).toEqual({ since: 0, until: 100_000 });
    expect(moved({ since: 100_000, until: 200_000 }, -0.5, 200_000)).toEqual({ since: 50_000, until: 150_000 });
    expect(moved({ since: 100_000, until: 200_000 }, 1, 250_000)).toEqual({ since: 150_000, until: 250_000 });
    expect(zoomed({ since: 0, until: 12_000 }, 0.1, 12_000).until - 0).toBeGreaterThan(0);
  });
});
