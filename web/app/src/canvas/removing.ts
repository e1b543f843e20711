import { disconnect } from "../actions/arrows";
import { removeCards } from "../actions/cards";
import { cardBodies } from "../cards/registry";
import type { Session } from "../state/session";
import { createStore } from "../state/store";
import type { Selection } from "../state/ui";

interface RemovalQuestion {
  selection: Selection;
  /** The names of the cards in which something runs. */
  running: readonly string[];
}

/** The question whether cards in which something runs may go; null while there is none. */
export const removalQuestion = createStore<RemovalQuestion | null>(null);

/** Removes cards and arrows, asking first when that would end a running program. */
export function askAndRemove(session: Session, selection: Selection): void {
  if (!session.online) {
    session.toast((t) => t("fail.away"), "warning");
    return;
  }
  const cards = session.canvas.get()?.cards;
  const running = selection.cardIds.flatMap((id) => {
    const card = cards?.get(id);
    return card !== undefined && cardBodies[card.kind].running?.(card) === true ? [card.name] : [];
  });
  if (running.length > 0) removalQuestion.set({ selection, running });
  else void removeNow(session, selection);
}

export async function removeNow(session: Session, { cardIds, arrowIds }: Selection): Promise<void> {
  removalQuestion.set(null);
  await disconnect(session, arrowIds);
  await removeCards(session, cardIds);
}
