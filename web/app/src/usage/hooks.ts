import { useEffect, useMemo } from "react";
import { useSession } from "../shell/context";
import { useStore } from "../state/store";
import type { Budget } from "../wire/records";
import { noticeStepOf, placeOf, type Answer, type Question } from "./desk";

/** The answer to a question, kept true while it is shown. The question must be the same object between renders. */
export function useReport(question: Question): Answer {
  const { usage } = useSession();
  const store = useMemo(() => usage.answerTo(question), [usage, question]);
  useEffect(() => usage.hold(question), [usage, question]);
  return useStore(store, (answer) => answer);
}

const NO_BUDGETS: readonly Budget[] = [];

/** The budgets of the workspace on the screen; none until they were told. */
export function useBudgets(): { budgets: readonly Budget[]; known: boolean } {
  const session = useSession();
  const workspaceId = useStore(session.canvas, (state) => state?.workspace.id ?? null);
  const known = useStore(session.usage.budgets, (value) => value);
  const online = useStore(session.connection, ({ phase }) => phase === "online");
  const missing = workspaceId !== null && known?.workspaceId !== workspaceId;
  useEffect(() => {
    if (online && missing) session.usage.loadBudgets(workspaceId).catch(() => undefined);
  }, [session, online, missing, workspaceId]);
  return missing || known === null ? { budgets: NO_BUDGETS, known: false } : { budgets: known.budgets, known: true };
}

/** The budgets that passed a step which their owner has not looked at, the fullest first. */
export function useBudgetNotices(): readonly Budget[] {
  const session = useSession();
  const { budgets } = useBudgets();
  const seen = useStore(session.usage.seenSteps, (steps) => steps);
  return useMemo(
    () =>
      budgets
        .filter((budget) => noticeStepOf(budget) > (seen.get(placeOf(budget)) ?? 0))
        .sort((one, other) => other.percent - one.percent),
    [budgets, seen],
  );
}
