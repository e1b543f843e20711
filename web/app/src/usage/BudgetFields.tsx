import { useId } from "react";
import { useSession, useT } from "../shell/context";
import { TrashIcon } from "../shell/icons";
import { useStore } from "../state/store";
import type { BudgetDraft, DraftFault } from "./budgetDraft";
import styles from "./budgets.module.css";

const PERIODS = [
  ["day", "budget.periodDay"],
  ["week", "budget.periodWeek"],
  ["month", "budget.periodMonth"],
  ["total", "budget.periodTotal"],
] as const;
const FAULTS = { money: "budget.faultMoney", tokens: "budget.faultTokens", none: "budget.faultNone" } as const;

interface BudgetFieldsProps {
  draft: BudgetDraft;
  number: number;
  fault: DraftFault | null;
  onChange(draft: BudgetDraft): void;
  onRemove(): void;
}

/** One budget in the form: how much, each when, whose, and what is done with requests nobody knows the price of. */
export function BudgetFields({ draft, number, fault, onChange, onRemove }: BudgetFieldsProps) {
  const session = useSession();
  const t = useT();
  const faultId = useId();
  const cards = useStore(session.canvas, (state) => state?.cards);
  const agents = [...(cards?.values() ?? [])].filter((card) => card.kind === "agent");
  const gone = draft.agentId !== null && !agents.some((agent) => agent.id === draft.agentId);
  const faulty = (which: DraftFault) => (fault === which || fault === "none" ? { "aria-invalid": true, "aria-describedby": faultId } : {});
  return (
    <li className={styles["draft"]} role="group" aria-label={t("budget.number", { count: number })}>
      <div className={styles["pair"]}>
        <label className="field">
          <span>{t("budget.money")}</span>
          <input
            inputMode="decimal"
            value={draft.usd}
            placeholder={t("budget.noLimit")}
            {...faulty("money")}
            onChange={(event) => onChange({ ...draft, usd: event.target.value })}
          />
        </label>
        <label className="field">
          <span>{t("budget.tokens")}</span>
          <input
            value={draft.tokens}
            placeholder={t("budget.noLimit")}
            {...faulty("tokens")}
            onChange={(event) => onChange({ ...draft, tokens: event.target.value })}
          />
        </label>
      </div>
      <div className={styles["pair"]}>
        <label className="field">
          <span>{t("budget.period")}</span>
          <select value={draft.period} onChange={(event) => onChange({ ...draft, period: event.target.value as BudgetDraft["period"] })}>
            {PERIODS.map(([id, label]) => (
              <option key={id} value={id}>
                {t(label)}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>{t("budget.whose")}</span>
          <select
            value={draft.agentId ?? ""}
            onChange={(event) => onChange({ ...draft, agentId: event.target.value === "" ? null : event.target.value })}
          >
            <option value="">{t("budget.whole")}</option>
            {agents.map((agent) => (
              <option key={agent.id} value={agent.id}>
                {agent.name}
              </option>
            ))}
            {gone && draft.agentId !== null ? <option value={draft.agentId}>{t("budget.goneAgent")}</option> : null}
          </select>
        </label>
      </div>
      <div className={styles["pair"]}>
        <label className="field">
          <span>{t("budget.unpriced")}</span>
          <select
            value={draft.unpriced}
            onChange={(event) => onChange({ ...draft, unpriced: event.target.value as BudgetDraft["unpriced"] })}
          >
            <option value="ignore">{t("budget.ignore")}</option>
            <option value="pause">{t("budget.pause")}</option>
          </select>
        </label>
        <button
          type="button"
          className={`icon-btn ${styles["drop"] ?? ""}`}
          aria-label={t("budget.remove")}
          title={t("budget.remove")}
          onClick={onRemove}
        >
          <TrashIcon />
        </button>
      </div>
      {fault === null ? null : (
        <p id={faultId} className="notice tone-danger" role="alert">
          {t(FAULTS[fault])}
        </p>
      )}
    </li>
  );
}
