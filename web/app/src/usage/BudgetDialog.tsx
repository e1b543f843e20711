import { useState, type FormEvent } from "react";
import { useSession, useT } from "../shell/context";
import { Modal } from "../shell/Modal";
import { PlusIcon } from "../shell/icons";
import { useStore } from "../state/store";
import { useWork } from "../packages/useWork";
import { ProblemNotice } from "../packages/ProblemNotice";
import type { Budget } from "../wire/records";
import { BudgetFields } from "./BudgetFields";
import { BudgetBars } from "./BudgetBars";
import { draftOf, faultOf, limitOf, NEW_BUDGET, ruleOf, type BudgetDraft } from "./budgetDraft";
import { useBudgets } from "./hooks";
import styles from "./budgets.module.css";

const MOST_BUDGETS = 20;

/** The window in which limits of a workspace are set. */
export function BudgetDialog() {
  const session = useSession();
  const t = useT();
  const name = useStore(session.canvas, (state) => state?.workspace.name ?? "");
  const { budgets, known } = useBudgets();
  const close = () => session.ui.update((ui) => ({ ...ui, overlay: null }));
  return (
    <Modal title={t("budget.title", { name })} onClose={close}>
      <p className="muted">{t("budget.about")}</p>
      {known ? <BudgetForm budgets={budgets} onClose={close} /> : <p role="status">{t("app.loading")}</p>}
    </Modal>
  );
}

function BudgetForm({ budgets, onClose }: { budgets: readonly Budget[]; onClose(): void }) {
  const t = useT();
  const { session, busy, problem, run } = useWork();
  const [drafts, setDrafts] = useState(() => draftsOf(budgets));
  /** What the drafts began from, or what stood in the way of saving them. */
  const [base, setBase] = useState(budgets);
  const [isOvertaken, setOvertaken] = useState(false);
  const [tried, setTried] = useState(false);
  const faults = drafts.map(faultOf);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const workspaceId = session.workspaceId;
    if (workspaceId === null || faults.some((fault) => fault !== null)) return;
    const found = await run(() =>
      session.client.call("budget.set", { workspaceId, budgets: drafts.map(limitOf), base: base.map(ruleOf) }),
    );
    if (found === null) return;
    if ("conflict" in found) {
      session.usage.takeBudgets(workspaceId, found.conflict.budgets);
      setBase(found.conflict.budgets);
      setOvertaken(true);
      return;
    }
    session.usage.takeBudgets(workspaceId, found.budgets);
    session.usage.markSeen();
    session.toast((t) => t("budget.saved"), "success");
    onClose();
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <ul className={styles["drafts"]}>
        {drafts.map((draft, place) => (
          <BudgetFields
            key={draft.id ?? `new ${String(place)}`}
            draft={draft}
            number={place + 1}
            fault={tried ? (faults[place] ?? null) : null}
            onChange={(changed) => setDrafts(drafts.map((each, index) => (index === place ? changed : each)))}
            onRemove={() => setDrafts(drafts.filter((_, index) => index !== place))}
          />
        ))}
      </ul>
      {drafts.length === 0 ? <p className="muted">{t("budget.none")}</p> : null}
      <ProblemNotice problem={problem} />
      {isOvertaken ? (
        <section className="notice tone-warning" role="alert">
          <p>{t("budget.overtaken")}</p>
          {base.length === 0 ? <p className="muted">{t("budget.none")}</p> : <BudgetBars budgets={base} />}
        </section>
      ) : null}
      <footer className="modal-foot">
        <button type="button" className="btn" disabled={drafts.length >= MOST_BUDGETS} onClick={() => setDrafts([...drafts, NEW_BUDGET])}>
          <PlusIcon size={13} /> {t("budget.add")}
        </button>
        <span className="spring" />
        <button type="button" className="btn" onClick={onClose}>
          {t(isOvertaken ? "budget.keepTheirs" : "app.cancel")}
        </button>
        <button type="submit" className={`btn ${isOvertaken ? "is-danger" : "is-primary"}`} aria-busy={busy}>
          {t(isOvertaken ? "budget.saveMine" : "app.save")}
        </button>
      </footer>
    </form>
  );
}

function draftsOf(budgets: readonly Budget[]): readonly BudgetDraft[] {
  return budgets.length === 0 ? [NEW_BUDGET] : budgets.map(draftOf);
}
