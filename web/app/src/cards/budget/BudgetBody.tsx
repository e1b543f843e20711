import { useSession } from "../../shell/context";
import { openBudgets } from "../../usage/actions";
import { BudgetBars } from "../../usage/BudgetBars";
import { useBudgets } from "../../usage/hooks";
import styles from "../../usage/budgets.module.css";
import type { BudgetCard } from "../../wire/records";
import type { CardBodyProps } from "../contract";

/** A card that shows the workspace's budgets; all such cards show the same. */
export function BudgetBody({ api }: CardBodyProps<BudgetCard>) {
  const session = useSession();
  const { budgets } = useBudgets();
  return (
    <div className={`nowheel ${styles["budgetCard"] ?? ""}`}>
      {budgets.length === 0 ? (
        <p>
          {api.t("budget.none")} <span className="muted">{api.t("budget.noneHint")}</span>
        </p>
      ) : (
        <BudgetBars budgets={budgets} />
      )}
      <button type="button" className="btn nodrag" data-enter="click" onClick={() => openBudgets(session)}>
        {api.t(budgets.length === 0 ? "budget.set" : "budget.change")}
      </button>
    </div>
  );
}
