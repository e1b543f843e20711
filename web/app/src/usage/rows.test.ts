import { describe, expect, test } from "vitest";
import type { UsageRow } from "../wire/records";
import { nextOrder, sortRows, toCsv } from "./rows";
import { usageRow } from "./testing/reports";

const names = (rows: readonly UsageRow[]) => rows.map((row) => row.name);
const rows = [
  usageRow("b", { costMicroUsd: 5 }),
  usageRow("a", { costMicroUsd: null }),
  usageRow("c", { costMicroUsd: 9 }),
  usageRow("d", { costMicroUsd: 5 }),
];

describe("the lines of a report", () => {
  test("what was not reported stands last either way", () => {
    const cost = (row: UsageRow) => row.costMicroUsd;
    expect(names(sortRows(rows, { column: "costMicroUsd", down: true }, cost))).toEqual(["c", "b", "d", "a"]);
    expect(names(sortRows(rows, { column: "costMicroUsd", down: false }, cost))).toEqual(["b", "d", "c", "a"]);
    expect(names(sortRows(rows, { column: "name", down: true }, (row) => row.name))).toEqual(["d", "c", "b", "a"]);
  });

  test("a press on a head sorts by it, another turns it round", () => {
    const first = nextOrder({ column: "costMicroUsd", down: true }, "requests");
    expect(first).toEqual({ column: "requests", down: true });
    expect(nextOrder(first, "requests")).toEqual({ column: "requests", down: false });
    expect(nextOrder(first, "name")).toEqual({ column: "name", down: false });
  });

  test("CSV leaves what was not reported empty, quotes, and lets no name run as a formula", () => {
    const text = toCsv([usageRow("k", { name: '=1+1, "x"', inputTokens: 0, cacheWriteTokens: null, costMicroUsd: 7 })]);
    const [head, line, end] = text.split("\r\n");
    expect(head).toContain("key,name,harness,requests,inputTokens");
    expect(line).toBe('k,"\'=1+1, ""x""",,1,0,2,3,,,6,7,0');
    expect(end).toBe("");
  });

  test("CSV leaves all of an agent empty whose logs are not read", () => {
    const nothing = { inputTokens: null, outputTokens: null, cacheReadTokens: null, totalTokens: null, costMicroUsd: null };
    const silent = usageRow("a9", { harness: "amp", requests: 0, cacheWriteTokens: null, ...nothing });
    expect(toCsv([silent]).split("\r\n")[1]).toBe("a9,a9,amp,,,,,,,,,");
  });

  test.each(["=1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1"])("a name like %j is no formula", (name) => {
    const [, line] = toCsv([usageRow("k", { name })]).split("\r\n");
    expect(line).toMatch(/^k,"?'/);
  });
});
