import type { Session } from "../state/session";

/** Opens the page of usage. */
export function openUsage(session: Session): void {
  session.ui.update((ui) => ({ ...ui, overlay: "usage", timelineOf: null }));
}

/** Opens an agent's timeline. */
export function openTimeline(session: Session, agentId: string): void {
  session.ui.update((ui) => ({ ...ui, overlay: "usage", timelineOf: agentId }));
}

/** Opens the budgets of the workspace; what they told is looked at by that. */
export function openBudgets(session: Session): void {
  session.usage.markSeen();
  session.ui.update((ui) => ({ ...ui, overlay: "budgets" }));
}
