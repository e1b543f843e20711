import type { Translate } from "../i18n/catalogue";
import type { Language } from "../wire/records";

/** Short forms of times, sizes and numbers for the panels. */

export function clockTime(atMs: number, language: Language): string {
  return new Date(atMs).toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
}

/** The time of today; the day before it where that is another one. */
export function moment(atMs: number, nowMs: number, language: Language): string {
  const at = new Date(atMs);
  const time = clockTime(atMs, language);
  if (at.toDateString() === new Date(nowMs).toDateString()) return time;
  return `${at.toLocaleDateString(language, { dateStyle: "medium" })} ${time}`;
}

export function ago(atMs: number, nowMs: number, t: Translate): string {
  const seconds = Math.max(0, Math.round((nowMs - atMs) / 1000));
  if (seconds < 5) return t("time.now");
  if (seconds < 60) return t("time.seconds", { count: seconds });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return t("time.minutes", { count: minutes });
  const hours = Math.round(minutes / 60);
  if (hours < 48) return t("time.hours", { count: hours });
  return t("time.days", { count: Math.round(hours / 24) });
}

export function size(bytes: number, t: Translate): string {
  if (bytes < 1024) return t("size.bytes", { count: bytes });
  if (bytes < 1024 * 1024) return t("size.kib", { count: short(bytes / 1024) });
  return t("size.mib", { count: short(bytes / 1024 / 1024) });
}

/** A fact that no line break tears apart. */
export function unbroken(words: string): string {
  return words.replaceAll(" ", "\u00a0");
}

function short(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
