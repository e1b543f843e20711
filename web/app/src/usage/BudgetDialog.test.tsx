import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { openPage } from "../../tests/page";
import { BudgetBars } from "./BudgetBars";
import { BudgetDialog } from "./BudgetDialog";
import { budget } from "./testing/reports";

async function openDialog(budgets = [budget("b1")]) {
  const page = await openPage();
  render(<BudgetDialog />, { wrapper: page.wrapper });
  await page.answer("budget.get", { budgets });
  return page;
}

describe("budgets", () => {
  test("what is set can be changed, and another added", async () => {
    const page = await openDialog();
    const limit = screen.getByRole("textbox", { name: "Limit in dollars", hidden: true });
    expect(limit).toHaveProperty("value", "10");
    fireEvent.change(limit, { target: { value: "12,50" } });
    fireEvent.click(screen.getByRole("button", { name: "Add a budget" }));
    fireEvent.change(screen.getAllByRole("textbox", { name: "Limit in tokens" })[1] as HTMLElement, { target: { value: "2M" } });
    fireEvent.click(screen.getByRole("button", { name: "Save" }));
    const { params } = page.socket.call("budget.set");
    expect(params["budgets"]).toEqual([
      { id: "b1", period: "week", unpriced: "ignore", agentId: null, limitMicroUsd: 12_500_000, limitTokens: null },
      { period: "week", unpriced: "ignore", agentId: null, limitMicroUsd: null, limitTokens: 2_000_000 },
    ]);
    await page.answer("budget.set", { budgets: [budget("b1")] });
    expect(page.session.ui.get().overlay).toBeNull();
  });

  test("a budget without any limit is not sent, and the form says why", async () => {
    const page = await openDialog([]);
    fireEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(screen.getByRole("alert").textContent).toBe("A budget needs a limit in dollars or in tokens");
    expect(page.socket.calls.some(({ method }) => method === "budget.set")).toBe(false);
  });

  test("what the server refuses keeps the form as it was typed", async () => {
    const page = await openDialog();
    fireEvent.click(screen.getByRole("button", { name: "Save" }));
    await page.socket.refuse("budget.set", "NOT_FOUND", "there is no such workspace");
    expect((await screen.findByRole("alert")).textContent).toContain("there is no such workspace");
    expect(screen.getByRole("textbox", { name: "Limit in dollars" })).toHaveProperty("value", "10");
  });

  test("what another page set meanwhile is shown beside one's own, which is saved over it only when asked", async () => {
    const page = await openDialog();
    fireEvent.change(screen.getByRole("textbox", { name: "Limit in dollars" }), { target: { value: "12" } });
    fireEvent.click(screen.getByRole("button", { name: "Save" }));
    const rule = { id: "b1", period: "week", unpriced: "ignore", agentId: null, limitMicroUsd: 10_000_000, limitTokens: null };
    expect(page.socket.call("budget.set").params["base"]).toEqual([rule]);
    await page.answer("budget.set", { conflict: { budgets: [budget("b1", { limitMicroUsd: 50_000_000 })] } });
    expect((await screen.findByRole("alert")).textContent).toContain("of $50.00");
    expect(screen.getByRole("textbox", { name: "Limit in dollars" })).toHaveProperty("value", "12");
    fireEvent.click(screen.getByRole("button", { name: "Save mine" }));
    expect(page.socket.call("budget.set").params["base"]).toEqual([{ ...rule, limitMicroUsd: 50_000_000 }]);
    await page.answer("budget.set", { budgets: [budget("b1")] });
    expect(page.session.ui.get().overlay).toBeNull();
  });

  test("a bar tells what is spent, that cards are paused, and what the rule for unpriced requests does", async () => {
    const { wrapper } = await openPage();
    const budgets = [
      budget("b1", { percent: 103, paused: true, spentMicroUsd: 10_300_000 }),
      budget("b2", { period: "day", limitTokens: 5_000, unpricedRequests: 2 }),
      budget("b3", { period: "total", unpriced: "pause", unpricedRequests: 1, paused: true }),
    ];
    render(<BudgetBars budgets={budgets} />, { wrapper });
    const words = screen.getAllByRole("listitem").map((item) => item.textContent);
    expect(words[0]).toContain("Cards are paused");
    expect(words[0]).toContain("$10.30 of $10.00");
    expect(words[0]).toContain("You can.");
    expect(words[1]).toContain("1,000 of 5,000 tokens");
    expect(words[1]).toContain("2 requests without a price do not count");
    expect(words[2]).toContain("1 request without a price pauses cards");
    expect(screen.getByRole("meter", { name: "This week: 103 % spent" })).toBeTruthy();
  });
});
