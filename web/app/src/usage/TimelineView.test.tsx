import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { openPage } from "../../tests/page";
import type { AgentTimeline, TimelineRequest } from "../wire/records";
import { TimelineView } from "./TimelineView";

const request: TimelineRequest = {
  startedAt: 20_000,
  endedAt: 30_000,
  inputTokens: 1200,
  outputTokens: 5,
  cacheReadTokens: null,
  cacheWriteTokens: 0,
  model: "glimmer-2",
  tools: ["Bash", "Edit"],
};
const timeline: AgentTimeline = {
  agentId: "a1",
  harness: "claude-code",
  since: 0,
  until: 100_000,
  usageReadable: true,
  requestTimes: "start-end",
  requests: [request, { ...request, startedAt: 40_000, endedAt: 90_000, model: "glimmer-3" }],
  truncated: false,
  statuses: [
    { status: "idle", from: 0, to: 15_000 },
    { status: "working", from: 15_000, to: 100_000 },
  ],
  turns: [
    { start: 2_000, end: 3_000, counted: false, endedAs: "finished" },
    { start: 15_000, end: null, counted: true },
  ],
  scannedAt: 1,
};

async function openTimeline(given: Partial<AgentTimeline> = {}) {
  const page = await openPage();
  const { container } = render(<TimelineView agentId="a1" />, { wrapper: page.wrapper });
  await page.answer("usage.timeline", { ...timeline, ...given });
  const count = (selector: string) => container.querySelectorAll(selector).length;
  return { ...page, count };
}

describe("an agent's timeline", () => {
  test("requests are bars over the statuses and turns", async () => {
    const { count } = await openTimeline();
    expect(count("[data-request=bar]")).toBe(2);
    expect(count("[data-status=working]")).toBe(1);
    expect(screen.getByTitle("Turn, 1.0 s. Not counted: no request was made")).toBeTruthy();
    expect(screen.getByTitle("Turn that goes on")).toBeTruthy();
  });

  test("without the time of sending they are marks at their ends", async () => {
    const { count } = await openTimeline({ requestTimes: "end", requests: [{ ...request, startedAt: null }] });
    expect(count("[data-request=tick]")).toBe(1);
    expect(screen.getByText(/marks show when they ended/)).toBeTruthy();
  });

  test("keys go through the requests, whose facts are told", async () => {
    await openTimeline();
    const group = screen.getByRole("group", { name: "Requests" });
    fireEvent.keyDown(group, { key: "ArrowRight" });
    expect(screen.getByText("glimmer-2")).toBeTruthy();
    expect(screen.getByText("Bash, Edit")).toBeTruthy();
    expect(screen.getByText("1,200")).toBeTruthy();
    expect(screen.getByText("not reported")).toBeTruthy();
    fireEvent.keyDown(group, { key: "ArrowRight" });
    expect(screen.getByText("glimmer-3")).toBeTruthy();
    expect(screen.getByText("50 s")).toBeTruthy();
  });

  test("an agent whose log is not read has its statuses, and says what is not reported", async () => {
    const { count } = await openTimeline({ usageReadable: false, requestTimes: "none", requests: [] });
    expect(count("[data-status=working]")).toBe(1);
    expect(screen.getByText(/requests and tokens are not reported/)).toBeTruthy();
  });

  test("a window with too many requests says that these are the newest", async () => {
    await openTimeline({ truncated: true });
    expect(screen.getByText(/these are the newest 2/)).toBeTruthy();
  });

  test("zooming asks for the narrower window", async () => {
    const { socket } = await openTimeline();
    const span = () => {
      const { since, until } = socket.call("usage.timeline").params as { since: number; until: number };
      return until - since;
    };
    const before = span();
    fireEvent.click(screen.getByRole("button", { name: "Closer" }));
    expect(span()).toBe(before / 2);
  });
});
