import { fireEvent, render, screen, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { openPage } from "../../tests/page";
import { settle } from "../../tests/makers";
import type { UsageReport } from "../wire/records";
import { usageReport, usageRow } from "./testing/reports";
import { UsagePage } from "./UsagePage";

const days = usageReport([], { by: "day" });
const report = usageReport(
  [
    usageRow("a1", { name: "Builder", harness: "claude-code", costMicroUsd: 420_000, requests: 4 }),
    usageRow("a2", {
      name: "Asker",
      harness: "qwen-code",
      cacheReadTokens: null,
      cacheWriteTokens: null,
      costMicroUsd: null,
      unpricedRequests: 1,
    }),
  ],
  { total: usageRow("total", { requests: 5, costMicroUsd: 420_000, unpricedRequests: 1 }), partial: true },
);

/** The page with a report that the test gives; the page asks for two. */
async function openUsagePage(given: UsageReport) {
  const page = await openPage({ cards: [] });
  render(<UsagePage />, { wrapper: page.wrapper });
  await settle();
  for (const call of page.socket.calls.filter(({ method }) => method === "usage.report")) {
    const by = (call.params as { by: string }).by;
    await page.socket.say({ kind: "res", id: call.id, ok: true, result: by === "day" ? days : given });
  }
  await settle();
  await screen.findByRole("region", { name: "In detail by" });
  return page;
}

function cells(name: string): string[] {
  const row = screen.getByRole("rowheader", { name }).closest("tr");
  if (row === null) throw new Error(`no line ${name}`);
  return within(row)
    .getAllByRole("cell")
    .map((cell) => cell.textContent);
}

describe("the page of usage", () => {
  test("a sum that was not reported is said, and a cost without price too", async () => {
    await openUsagePage(report);
    await screen.findByRole("rowheader", { name: /^Builder/ });
    expect(cells("Asker qwen-code")).toEqual(["1", "1", "2", "not reported", "not reported", "not reported", "6", "no price"]);
    expect(cells("Total").at(-1)).toBe("$0.42 +");
  });

  test("what is not known is explained: requests without a price, and log content by reason", async () => {
    await openUsagePage({
      ...report,
      skipped: 4,
      skips: [
        { harness: "codex-cli", reason: "malformed", count: 2 },
        { harness: "opencode", reason: "database is locked", count: 1 },
        { harness: "pi", reason: "No such file or directory", count: 1 },
      ],
    });
    const note = await screen.findByRole("note");
    expect(note.textContent).toContain("1 request has no known price");
    expect(note.textContent).toContain("codex-cli: broken or unfinished lines × 2");
    expect(note.textContent).toContain("opencode: database is locked × 1");
    expect(note.textContent).toContain("pi: a log that went before it was read × 1");
  });

  test("an agent whose log is not read has a line that says so", async () => {
    const silent = usageRow("c9", { name: "Amp one", harness: "amp", requests: 0, totalTokens: null, costMicroUsd: null });
    await openUsagePage(usageReport([silent]));
    expect(await screen.findByRole("rowheader", { name: "Amp one amp" })).toBeTruthy();
    expect(cells("Amp one amp")).toEqual(["not reported"]);
  });

  test("days on which nothing was asked say so in the chart", async () => {
    const page = await openUsagePage(report);
    const chart = within(screen.getByRole("region", { name: "By day" }));
    expect(chart.getByText("No requests in this period.")).toBeTruthy();
    fireEvent.click(chart.getByRole("button", { name: "Model" }));
    const asked = page.socket.calls.filter(({ method, params }) => method === "usage.report" && params["by"] === "day");
    const day = usageRow("2026-11-30", { requests: 1, costMicroUsd: null, totalTokens: null });
    await page.socket.say({ kind: "res", id: asked.at(-1)?.id, ok: true, result: usageReport([day], { by: "day" }) });
    await vi.waitFor(() => expect(chart.queryByText("No requests in this period.")).toBeNull());
  });

  test("a head sorts the lines", async () => {
    await openUsagePage(report);
    const names = () => screen.getAllByRole("rowheader").map((head) => head.textContent);
    expect(names()).toEqual(["Builder claude-code", "Asker qwen-code", "Total"]);
    fireEvent.click(screen.getByRole("button", { name: "Requests" }));
    fireEvent.click(screen.getByRole("button", { name: "Requests" }));
    expect(names()).toEqual(["Asker qwen-code", "Builder claude-code", "Total"]);
  });

  test("a long table is drawn in part until all of it is asked for", async () => {
    await openUsagePage(usageReport(Array.from({ length: 130 }, (_, index) => usageRow(`s${String(index)}`))));
    await screen.findByRole("table");
    const lines = () => document.querySelectorAll("tbody tr").length;
    expect(lines()).toBe(100);
    fireEvent.click(screen.getByText("Show all 130 lines"));
    expect(lines()).toBe(130);
  });

  test("the first scan shows how far it is, and why usage could not be read", async () => {
    const page = await openPage();
    render(<UsagePage />, { wrapper: page.wrapper });
    expect(screen.getByText("Reading the agents' logs…")).toBeTruthy();
    await page.event("usage.progress", { done: 3 * 2 ** 20, total: 12 * 2 ** 20 });
    expect(screen.getByRole("progressbar", { name: "Reading logs: 3.0 MiB of 12 MiB" })).toBeTruthy();
    const asked = page.socket.calls.find(({ method, params }) => method === "usage.report" && params["by"] === "agent");
    await page.socket.say({ kind: "res", id: asked?.id, ok: false, error: { code: "UNAVAILABLE", message: "usage.db is newer" } });
    expect((await screen.findByRole("alert")).textContent).toContain("usage.db is newer");
  });

  test("days come in parts by agent, model or sender", async () => {
    const page = await openUsagePage(report);
    const chart = within(screen.getByRole("region", { name: "By day" }));
    for (const name of ["Model", "Sender"]) fireEvent.click(chart.getByRole("button", { name }));
    const asked = page.socket.calls.filter(({ method, params }) => method === "usage.report" && params["by"] === "day");
    expect(asked.map(({ params }) => params["split"])).toEqual(["agent", "model", "sender"]);
    const note = usageRow("c1", { name: "Note", costMicroUsd: 450_000 });
    const person = usageRow("", { name: "person", costMicroUsd: 900_000 });
    const day = usageRow("2026-11-30", { from: 1_796_000_000_000, costMicroUsd: 1_350_000 });
    const rows = [{ ...day, parts: [{ ...person, key: null }, note] }];
    await page.socket.say({ kind: "res", id: asked.at(-1)?.id, ok: true, result: usageReport(rows, { by: "day" }) });
    const legend = await chart.findAllByRole("listitem");
    expect(legend.map((line) => line.textContent)).toEqual([" person $0.90", " Note $0.45"]);
  });

  test("refreshing reads the logs and asks anew", async () => {
    const page = await openUsagePage(report);
    fireEvent.click(screen.getByRole("button", { name: "Refresh" }));
    const before = page.socket.calls.filter(({ method }) => method === "usage.report").length;
    await page.answer("usage.scan", { logs: 1, read: 1, readBytes: 1, failed: 0 });
    expect(page.socket.calls.filter(({ method }) => method === "usage.report").length).toBe(before + 2);
  });
});
