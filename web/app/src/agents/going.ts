import type { LocatedAgent } from "../state/agentWatch";
import type { Session } from "../state/session";
import { createStore } from "../state/store";

/** The card that the canvas shall bring before the eyes. */
export const sought = createStore<{ cardId: string } | null>(null);

/** Shows an agent: its workspace first, then its card, chosen and in the middle. */
export async function goToAgent(session: Session, { workspace, card }: LocatedAgent): Promise<void> {
  if (session.workspaceId !== workspace.id) await session.show(workspace.id);
  if (session.canvas.get()?.cards.has(card.id) !== true) return;
  session.ui.update((ui) => ({ ...ui, selection: { cardIds: [card.id], arrowIds: [] } }));
  // The canvas fits a workspace that is shown for the first time; the card comes after that.
  requestAnimationFrame(() => requestAnimationFrame(() => sought.set({ cardId: card.id })));
}
