import type { UsageRow } from "../wire/records";

/** Days as bars: what is stacked in each, and how high it is. */

export type Measure = "costMicroUsd" | "totalTokens";

const MOST_SERIES = 6;

export interface Series {
  key: string;
  name: string;
}

export interface DayPart {
  /** The place of its series; the series after the last is all others together. */
  series: number;
  name: string;
  value: number;
}

export interface DayBar {
  key: string;
  atMs: number;
  /** Null where nothing was reported. */
  total: number | null;
  requests: number;
  unpriced: number;
  parts: readonly DayPart[];
}

export interface DayBars {
  days: readonly DayBar[];
  series: readonly Series[];
  /** Whether some parts belong to none of the series. */
  others: boolean;
  most: number;
}

/** The days of a report with their parts: the largest few in series of their own, the rest together. */
export function dayBars(rows: readonly UsageRow[], measure: Measure): DayBars {
  const sums = new Map<string, { name: string; value: number }>();
  for (const part of rows.flatMap((row) => row.parts ?? [])) {
    const key = part.key ?? part.name;
    const known = sums.get(key);
    sums.set(key, { name: known?.name ?? part.name, value: (known?.value ?? 0) + (part[measure] ?? 0) });
  }
  const large = [...sums].sort(([, one], [, other]) => other.value - one.value).filter(([, { value }]) => value > 0);
  const series = large.slice(0, MOST_SERIES).map(([key, { name }]) => ({ key, name }));
  const days = rows.map((row): DayBar => {
    return {
      key: row.key ?? row.name,
      atMs: row.from ?? 0,
      total: row[measure],
      requests: row.requests,
      unpriced: row.unpricedRequests,
      parts: partsOf(row, measure, series),
    };
  });
  return {
    days,
    series,
    others: large.length > series.length,
    most: Math.max(0, ...days.map((day) => day.total ?? 0)),
  };
}

function partsOf(row: UsageRow, measure: Measure, series: readonly Series[]): DayPart[] {
  const found: DayPart[] = [];
  let others = 0;
  for (const part of row.parts ?? []) {
    const value = part[measure] ?? 0;
    const place = series.findIndex((each) => each.key === (part.key ?? part.name));
    if (value <= 0) continue;
    if (place >= 0) found.push({ series: place, name: part.name, value });
    else others += value;
  }
  if (others > 0) found.push({ series: series.length, name: "", value: others });
  if (row.parts === undefined && (row[measure] ?? 0) > 0) found.push({ series: 0, name: "", value: row[measure] ?? 0 });
  return found.sort((one, other) => one.series - other.series);
}

/** Round heights for the lines behind the bars: at most three, the last at or above the highest bar. */
export function gridLines(most: number): number[] {
  if (most <= 0) return [];
  const rough = most / 2;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  const lines = [step];
  while ((lines.at(-1) ?? 0) < most) lines.push((lines.at(-1) ?? 0) + step);
  return lines;
}
