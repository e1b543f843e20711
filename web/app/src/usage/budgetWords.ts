import type { Translate } from "../i18n/catalogue";
import type { Budget, Card } from "../wire/records";

/** Whose budget it is and of which time, in words. */
export function budgetName(budget: Budget, cards: ReadonlyMap<string, Card> | undefined, t: Translate): string {
  const period = t(`budget.${budget.period}`);
  if (budget.agentId === null) return period;
  return `${period} · ${cards?.get(budget.agentId)?.name ?? t("budget.goneAgent")}`;
}

export function budgetTone(budget: Budget): "accent" | "warning" | "danger" {
  if (budget.paused || budget.percent >= 100) return "danger";
  return budget.percent >= 80 ? "warning" : "accent";
}
