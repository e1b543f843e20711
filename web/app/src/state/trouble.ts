import type { ArrowStats } from "../wire/records";

/** How many values did not arrive along an arrow. Skipped ones, which nobody asked for, do not count. */
export function troubleOf(stats: ArrowStats): number {
  return stats.dropped + stats.refused + stats.loops;
}
