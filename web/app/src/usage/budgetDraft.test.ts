import { describe, expect, test } from "vitest";
import { draftOf, faultOf, limitOf, NEW_BUDGET } from "./budgetDraft";
import { budget } from "./testing/reports";

describe("a budget in its form", () => {
  test("limits are read as people type them", () => {
    const limits = (usd: string, tokens: string) => {
      const { limitMicroUsd, limitTokens } = limitOf({ ...NEW_BUDGET, usd, tokens });
      return [limitMicroUsd, limitTokens];
    };
    expect(limits("$12.50", "2M")).toEqual([12_500_000, 2_000_000]);
    expect(limits("0,5", "1.5k")).toEqual([500_000, 1_500]);
    expect(limits("", "2 000 000")).toEqual([null, 2_000_000]);
    expect(limits("1,234.50", "2,000,000")).toEqual([1_234_500_000, 2_000_000]);
    expect(limits("0,125", "2,5M")).toEqual([125_000, 2_500_000]);
  });

  test.each([
    ["ten", "", "money"],
    ["0", "", "money"],
    ["-3", "", "money"],
    ["1,000", "", "money"],
    ["1.000,50", "", "money"],
    [".", "", "money"],
    ["", "many", "tokens"],
    ["", "2.5", "tokens"],
    ["", "2,000k", "tokens"],
    ["", "k", "tokens"],
    ["", "0", "tokens"],
    [" ", "", "none"],
    ["3", "", null],
  ])("with %j dollars and %j tokens the fault is %j", (usd, tokens, fault) => {
    expect(faultOf({ ...NEW_BUDGET, usd, tokens })).toBe(fault);
  });

  test("what was set comes back as it is, with its id", () => {
    const known = budget("b1", { limitMicroUsd: 12_340_000, limitTokens: 5_000, agentId: "a1", unpriced: "pause" });
    expect(limitOf(draftOf(known))).toEqual({
      id: "b1",
      period: "week",
      unpriced: "pause",
      agentId: "a1",
      limitMicroUsd: 12_340_000,
      limitTokens: 5_000,
    });
  });
});
