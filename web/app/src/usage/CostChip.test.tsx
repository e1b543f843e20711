import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { openPage } from "../../tests/page";
import type { Card } from "../wire/records";
import { CostChip } from "./CostChip";
import { usageReport, usageRow } from "./testing/reports";

function agent(harness: string): Card {
  return { id: "a1", workspaceId: "w1", kind: "agent", name: "Builder", content: { harness } } as unknown as Card;
}

describe("the chip of an agent's cost", () => {
  test("it says what today cost, and on a look ahead what the next turn may cost", async () => {
    const page = await openPage({ cards: [agent("claude-code")] });
    render(<CostChip agentId="a1" />, { wrapper: page.wrapper });
    await page.answer("usage.report", usageReport([usageRow("a1", { costMicroUsd: 420_000, totalTokens: 1_234_567 })]));
    const chip = screen.getByRole("button", { name: "Today $0.42 · 1.2M tokens" });
    fireEvent.pointerEnter(chip);
    await page.answer("usage.agent", { usage: {}, estimate: { turns: 3, costMicroUsd: 150_000, totalTokens: 9_000 } });
    expect(chip.title).toContain("The next turn: about $0.15, 9,000 tokens, by the last 3 turns");
    fireEvent.click(chip);
    expect(page.session.ui.get()).toMatchObject({ overlay: "usage", timelineOf: "a1" });
  });

  test("an agent that did nothing today, or whose log is not read, has none", async () => {
    const page = await openPage({ cards: [agent("claude-code")] });
    render(<CostChip agentId="a1" />, { wrapper: page.wrapper });
    await page.answer("usage.report", usageReport([usageRow("a1", { requests: 0, costMicroUsd: null })]));
    expect(screen.queryByRole("button")).toBeNull();
    const other = await openPage({ cards: [agent("amp")] });
    render(<CostChip agentId="a1" />, { wrapper: other.wrapper });
    expect(other.socket.calls.some(({ method }) => method === "usage.report")).toBe(false);
  });
});
