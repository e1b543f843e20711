import { OWN_LIMITS, checkValue, isPlainObject, permitted } from "@cardloom/protocol";
import type { Issue, MethodRow } from "@cardloom/protocol";
import { CardSdkError } from "../errors";
import type { RateWindow } from "./rates";

/** What the gate must know about one call. `effective` is the caller's permissions with the closure applied. */
export interface Facts {
  readonly params: unknown;
  readonly effective: ReadonlySet<string>;
  readonly now: number;
  readonly ready: boolean;
  readonly visible: boolean;
  joined(cardId: string): boolean;
  readonly rate: RateWindow | null;
}

/**
 * Why a call is refused; null lets it pass and counts it.
 *
 * The same questions in the same order as in every host: NOT_READY, METHOD_NOT_FOUND, INVALID_PARAMS,
 * PERMISSION_DENIED, NOT_CONNECTED, NOT_VISIBLE, RATE_LIMITED.
 */
export function check(method: string, row: MethodRow | undefined, facts: Facts): CardSdkError | null {
  if (!facts.ready && !(row?.beforeReady ?? false)) return new CardSdkError("NOT_READY", "Call host.ready first.");
  if (row === undefined || !row.built) return new CardSdkError("METHOD_NOT_FOUND", "This host offers no such method.");
  return (
    checkParams(method, row, facts.params) ??
    checkPermission(row, facts.effective) ??
    checkArrow(row, facts) ??
    checkVisible(method, row, facts) ??
    checkRate(method, facts)
  );
}

/** The refusal for want of a permission. */
export function permissionDenied(permission: string): CardSdkError {
  return new CardSdkError("PERMISSION_DENIED", `This needs the permission ${permission}.`, { permission });
}

/** The refusal of a call that comes too soon. */
export function rateLimited(retryAfterMs: number, what: string): CardSdkError {
  return new CardSdkError("RATE_LIMITED", `${what}: try again in ${retryAfterMs} ms.`, { retryAfterMs });
}

/** The refusal of a value that does not fit; the message names the first place, data all of them. */
export function invalidParams(issues: readonly Issue[], what: string): CardSdkError {
  const [first] = issues;
  return new CardSdkError("INVALID_PARAMS", `${what}: ${first?.path || "the value"}: ${first?.message ?? ""}`, issues);
}

function checkParams(method: string, row: MethodRow, params: unknown): CardSdkError | null {
  const issues = checkValue(row.params, params, { maxIssues: OWN_LIMITS.paramsIssues });
  return issues.length === 0 ? null : invalidParams(issues, method);
}

function checkPermission({ permissionsAnyOf }: MethodRow, effective: ReadonlySet<string>): CardSdkError | null {
  return permitted(permissionsAnyOf, effective) ? null : permissionDenied(permissionsAnyOf[0] ?? "");
}

function checkArrow({ needsArrow }: MethodRow, { params, joined }: Facts): CardSdkError | null {
  if (needsArrow === null || !isPlainObject(params)) return null;
  const cardId = params[needsArrow];
  if (typeof cardId === "string" && joined(cardId)) return null;
  return new CardSdkError("NOT_CONNECTED", `No arrow joins this card to ${String(cardId)}.`);
}

function checkVisible(method: string, row: MethodRow, { visible }: Facts): CardSdkError | null {
  return !row.visible || visible ? null : new CardSdkError("NOT_VISIBLE", `${method} needs the card on screen.`);
}

function checkRate(method: string, { rate, now }: Facts): CardSdkError | null {
  const retryAfterMs = rate?.take(now) ?? 0;
  return retryAfterMs === 0 ? null : rateLimited(retryAfterMs, method);
}
