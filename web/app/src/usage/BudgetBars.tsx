import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import type { Budget } from "../wire/records";
import { count, money } from "./amounts";
import { budgetName, budgetTone } from "./budgetWords";
import { BUDGET_STEPS } from "./desk";
import styles from "./budgets.module.css";

/** The budgets of a workspace as bars with marks at 50, 80 and 100 per cent. */
export function BudgetBars({ budgets }: { budgets: readonly Budget[] }) {
  return (
    <ul className={styles["budgets"]}>
      {budgets.map((budget) => (
        <BudgetBar key={budget.id} budget={budget} />
      ))}
    </ul>
  );
}

/** The bar reaches a little past its limit, so that what is over can be seen. */
const FULL_AT = 120;

function BudgetBar({ budget }: { budget: Budget }) {
  const session = useSession();
  const t = useT();
  const language = useStore(session.app, (app) => app.preferences.language);
  const cards = useStore(session.canvas, (state) => state?.cards);
  const name = budgetName(budget, cards, t);
  const { limitMicroUsd, limitTokens, spentMicroUsd, spentTokens, percent, paused, unpricedRequests } = budget;
  return (
    <li>
      <div className={styles["budgetHead"]}>
        <b>{name}</b>
        <span className={`chip tone-${budgetTone(budget)}`} title={paused ? t("budget.pausedHint") : undefined}>
          {paused ? t("budget.paused") : `${String(percent)} %`}
        </span>
      </div>
      <div
        className={`${styles["budgetBar"] ?? ""} tone-${budgetTone(budget)}`}
        role="meter"
        aria-label={t("budget.bar", { name, percent })}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.min(100, percent)}
      >
        <i style={{ width: `${String((Math.min(FULL_AT, percent) / FULL_AT) * 100)}%` }} />
        {BUDGET_STEPS.map((step) => (
          <u key={step} style={{ left: `${String((step / FULL_AT) * 100)}%` }} data-step={step} />
        ))}
      </div>
      <div className={styles["marks"]} aria-hidden="true">
        {BUDGET_STEPS.map((step) => (
          <small key={step} style={{ left: `${String((step / FULL_AT) * 100)}%` }}>
            {step}
          </small>
        ))}
      </div>
      <p>
        {limitMicroUsd === null ? null : (
          <span>
            {t("budget.of", {
              spent: spentMicroUsd === null ? money(0, language) : money(spentMicroUsd, language),
              limit: money(limitMicroUsd, language),
            })}
          </span>
        )}
        {limitTokens === null ? null : (
          <span>{t("budget.ofTokens", { spent: count(spentTokens ?? 0, language), limit: count(limitTokens, language) })}</span>
        )}
        {limitMicroUsd !== null && unpricedRequests > 0 ? (
          <small className="muted">
            {t(budget.unpriced === "pause" ? "budget.unpricedPause" : "budget.unpricedIgnored", { count: unpricedRequests })}
          </small>
        ) : null}
        {paused ? <small className="muted">{t("budget.pausedHint")}</small> : null}
      </p>
    </li>
  );
}
