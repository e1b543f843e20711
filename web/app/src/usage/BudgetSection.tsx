import { useSession, useT } from "../shell/context";
import { openBudgets } from "./actions";
import { BudgetBars } from "./BudgetBars";
import { useBudgets } from "./hooks";
import styles from "./budgets.module.css";

/** The budgets of the workspace among its settings. */
export function BudgetSection() {
  const session = useSession();
  const t = useT();
  const { budgets } = useBudgets();
  return (
    <section className={styles["section"]} aria-label={t("budget.heading")}>
      <h3>{t("budget.heading")}</h3>
      {budgets.length === 0 ? <p className="muted">{t("budget.none")}</p> : <BudgetBars budgets={budgets} />}
      <button type="button" className="btn" onClick={() => openBudgets(session)}>
        {t(budgets.length === 0 ? "budget.set" : "budget.change")}
      </button>
    </section>
  );
}
