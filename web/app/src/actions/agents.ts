import { freePlace, type Point } from "../canvas/geometry";
import { revealed } from "../canvas/viewport";
import { cardBodies } from "../cards/registry";
import { reasonOf } from "../i18n/reasonOf";
import type { Session } from "../state/session";
import { undoByRemoving } from "./cards";

/** Opens the window for a new agent, which will lie around a point; `exact`: there, even over another card. */
export function askForAgent(session: Session, at: Point, exact = false): void {
  session.ui.update((ui) => ({ ...ui, newAgent: { at, exact } }));
}

/** Opens or closes the overview of agents, which has its place where the files have theirs. */
export function toggleAgents(session: Session): void {
  session.ui.update((ui) => ({ ...ui, agentsOpen: !ui.agentsOpen, filesOpen: false }));
}

/** Puts an agent on the canvas and starts it; gives why it could not be made, null when it was. */
export async function createAgent(
  session: Session,
  wishes: Readonly<Record<string, unknown>>,
  at: Point,
  exact: boolean,
): Promise<string | null> {
  const workspaceId = session.workspaceId;
  if (workspaceId === null) return session.t("fail.away");
  const size = cardBodies.agent.defaultSize;
  const corner = { x: Math.round(at.x - size.w / 2), y: Math.round(at.y - size.h / 2) };
  const cards = session.canvas.get()?.cards ?? new Map();
  const place = exact ? corner : freePlace(corner, size, [...cards.values()]);
  try {
    const card = await session.client.call("agent.create", { workspaceId, ...wishes, ...place, ...size });
    session.assume([{ op: "putCard", card }]);
    undoByRemoving(session, "undo.add", [card.id], card.name);
    session.ui.update((ui) => ({ ...ui, selection: { cardIds: [card.id], arrowIds: [] } }));
    revealed.set({ cardId: card.id });
    return null;
  } catch (error) {
    return reasonOf(session.t, error);
  }
}
