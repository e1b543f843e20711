import type { TextKey, Translate } from "../i18n/catalogue";
import type { Language, PricedSums } from "../wire/records";

/** Money and tokens in words. What was not reported is said and is never 0. */

const MICRO = 1_000_000;
const FINE_BELOW_USD = 0.1;
const LEAST_SHOWN_USD = 0.0001;

/** Micro-dollars as money: cents, below ten of them hundredths of a cent; what is less than that is not shown as zero. */
export function money(microUsd: number, language: Language): string {
  const usd = microUsd / MICRO;
  if (microUsd > 0 && usd < LEAST_SHOWN_USD) return `<${dollars(LEAST_SHOWN_USD, 4, language)}`;
  return dollars(usd, usd > 0 && usd < FINE_BELOW_USD ? 4 : 2, language);
}

/** Micro-dollars to the last one. */
export function exactMoney(microUsd: number, language: Language): string {
  return dollars(microUsd / MICRO, 6, language);
}

function dollars(usd: number, digits: number, language: Language): string {
  return new Intl.NumberFormat(language, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: Math.min(digits, 4),
    maximumFractionDigits: digits,
  }).format(usd);
}

export function count(value: number, language: Language): string {
  return new Intl.NumberFormat(language).format(value);
}

/** A number in few characters, such as 1.2M. */
export function shortCount(value: number, language: Language): string {
  return new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 }).format(value);
}

/** A cell of a sum: its number, "not reported", or a dash where there was nothing to report. */
export function tokensText(value: number | null, requests: number, t: Translate, language: Language): string {
  if (value !== null) return count(value, language);
  return requests > 0 ? t("usage.notReported") : "–";
}

/** What some requests cost, with a plus where some have no price. */
export function costText(
  sums: Pick<PricedSums, "costMicroUsd" | "requests" | "unpricedRequests">,
  t: Translate,
  language: Language,
): string {
  if (sums.costMicroUsd === null) return sums.requests > 0 ? t("usage.noPrice") : "–";
  return `${money(sums.costMicroUsd, language)}${sums.unpricedRequests > 0 ? " +" : ""}`;
}

/** The part of all that was read which a cache gave, 0 to 1; null where that was not reported. */
export function cacheShare(sums: Pick<PricedSums, "inputTokens" | "cacheReadTokens" | "cacheWriteTokens">): number | null {
  if (sums.cacheReadTokens === null) return null;
  const all = (sums.inputTokens ?? 0) + sums.cacheReadTokens + (sums.cacheWriteTokens ?? 0);
  return all === 0 ? null : sums.cacheReadTokens / all;
}

export function percent(share: number, language: Language): string {
  return new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }).format(share);
}

/** A span of time in its two largest units. */
export function duration(ms: number, t: Translate): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return t("usage.seconds", { count: ms < 9_950 ? (ms / 1000).toFixed(1) : seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("usage.minutes", { minutes, seconds: seconds % 60 });
  return t("usage.hours", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

const SAYINGS: Readonly<Record<string, TextKey>> = { person: "usage.person", "unknown model": "usage.unknownModel" };

/** The name of a line; the few names that are the server's own words are said in the page's language. */
export function rowName(row: { readonly key: string | null; readonly name: string }, t: Translate): string {
  const saying = row.key === null ? SAYINGS[row.name] : undefined;
  return saying === undefined ? row.name : t(saying);
}
