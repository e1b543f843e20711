import { describe, expect, test } from "vitest";
import { dayBars, gridLines } from "./days";
import { usageRow } from "./testing/reports";

const part = (key: string, costMicroUsd: number | null) => usageRow(key, { costMicroUsd });

describe("days as bars", () => {
  test("parts are stacked in the order of what they come to over all days", () => {
    const bars = dayBars(
      [
        usageRow("2026-01-01", { costMicroUsd: 30, parts: [part("a", 10), part("b", 20)] }),
        usageRow("2026-01-02", { costMicroUsd: 50, parts: [part("a", 50)] }),
      ],
      "costMicroUsd",
    );
    expect(bars.series.map(({ key }) => key)).toEqual(["a", "b"]);
    expect(bars.days.map((day) => day.parts.map(({ series, value }) => [series, value]))).toEqual([
      [
        [0, 10],
        [1, 20],
      ],
      [[0, 50]],
    ]);
    expect([bars.most, bars.others]).toEqual([50, false]);
  });

  test("many small parts are one", () => {
    const parts = Array.from({ length: 9 }, (_, index) => part(`m${String(index)}`, 9 - index));
    const bars = dayBars([usageRow("2026-01-01", { costMicroUsd: 45, parts })], "costMicroUsd");
    expect(bars.series).toHaveLength(6);
    expect(bars.others).toBe(true);
    expect(bars.days[0]?.parts.at(-1)).toEqual({ series: 6, name: "", value: 3 + 2 + 1 });
  });

  test("a day without any report has no height, which is not zero", () => {
    const bars = dayBars([usageRow("2026-01-01", { requests: 2, costMicroUsd: null, parts: [part("a", null)] })], "costMicroUsd");
    expect(bars.days[0]).toMatchObject({ total: null, requests: 2, parts: [] });
    expect(bars.series).toEqual([]);
  });

  test("lines behind the bars have round heights and enclose the highest", () => {
    expect(gridLines(0)).toEqual([]);
    expect(gridLines(100)).toEqual([50, 100]);
    expect(gridLines(4_310_000)).toEqual([5_000_000]);
    expect(gridLines(7)).toEqual([5, 10]);
  });
});
