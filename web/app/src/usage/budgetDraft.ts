import type { Budget, BudgetLimit } from "../wire/records";

/** A budget as it stands in the form: limits as they were typed. */
export interface BudgetDraft {
  id: string | null;
  period: BudgetLimit["period"];
  unpriced: BudgetLimit["unpriced"];
  agentId: string | null;
  usd: string;
  tokens: string;
}

export type DraftFault = "money" | "tokens" | "none";

export const NEW_BUDGET: BudgetDraft = { id: null, period: "week", unpriced: "ignore", agentId: null, usd: "", tokens: "" };

const MICRO = 1_000_000;
const MOST = Number.MAX_SAFE_INTEGER;

export function draftOf(budget: Budget): BudgetDraft {
  return {
    id: budget.id,
    period: budget.period,
    unpriced: budget.unpriced,
    agentId: budget.agentId,
    usd: budget.limitMicroUsd === null ? "" : String(budget.limitMicroUsd / MICRO),
    tokens: budget.limitTokens === null ? "" : String(budget.limitTokens),
  };
}

/** What is set of a budget, as it was told. */
export function ruleOf({ id, period, unpriced, agentId, limitMicroUsd, limitTokens }: Budget): BudgetLimit {
  return { id, period, unpriced, agentId, limitMicroUsd, limitTokens };
}

/** What keeps a draft from being set; null when nothing does. */
export function faultOf(draft: BudgetDraft): DraftFault | null {
  const usd = microUsdOf(draft.usd);
  const tokens = tokensOf(draft.tokens);
  if (Number.isNaN(usd)) return "money";
  if (Number.isNaN(tokens)) return "tokens";
  return usd === null && tokens === null ? "none" : null;
}

export function limitOf(draft: BudgetDraft): BudgetLimit {
  return {
    ...(draft.id !== null && { id: draft.id }),
    period: draft.period,
    unpriced: draft.unpriced,
    agentId: draft.agentId,
    limitMicroUsd: microUsdOf(draft.usd),
    limitTokens: tokensOf(draft.tokens),
  };
}

const GROUPED = /^[1-9]\d{0,2}(,\d{3})+$/;
const GROUPED_WITH_CENTS = /^[1-9]\d{0,2}(,\d{3})+\.\d*$/;
const DECIMAL = /^(\d+[.,]?\d*|[.,]\d+)$/;

/**
 * Dollars as typed, with a point or a comma before the cents; NaN for what is no amount above zero, and for 1,000, which
 * is a thousand to some people and one to others.
 */
function microUsdOf(text: string): number | null {
  const plain = text.replaceAll(/[\s$_]/g, "");
  if (plain === "") return null;
  if (GROUPED_WITH_CENTS.test(plain)) return amount(Math.round(Number(plain.replaceAll(",", "")) * MICRO));
  return DECIMAL.test(plain) && !GROUPED.test(plain) ? amount(Math.round(Number(plain.replace(",", ".")) * MICRO)) : Number.NaN;
}

/** Tokens as typed, such as 2000000, 2,000,000, 2 000 000 or 2.5M; NaN for parts of a token. */
function tokensOf(text: string): number | null {
  const plain = text.replaceAll(/[\s_]/g, "").toLowerCase();
  if (plain === "") return null;
  if (GROUPED.test(plain)) return amount(Number(plain.replaceAll(",", "")));
  const [, digits = "", unit] = /^(.*?)([km]?)$/.exec(plain) ?? [];
  if (!DECIMAL.test(digits) || GROUPED.test(digits)) return Number.NaN;
  const tokens = Number(digits.replace(",", ".")) * (unit === "m" ? 1_000_000 : unit === "k" ? 1_000 : 1);
  const whole = Math.round(tokens);
  return Math.abs(tokens - whole) < 1e-6 ? amount(whole) : Number.NaN;
}

function amount(value: number): number {
  return value >= 1 && value <= MOST ? value : Number.NaN;
}
