import type { Arrow, Direction } from "../wire/records";
import { arrowBetween } from "../state/canvas";
import type { Session } from "../state/session";
import { matchCards } from "../ports/flows";
import { matchText } from "../ports/matchText";
import { restore } from "./cards";

function arrowOf(session: Session, arrowId: string): Arrow | null {
  return session.canvas.get()?.arrows.get(arrowId) ?? null;
}

/** Draws an arrow that carries from one card to another, or says why that would be of no use. */
export function connect(session: Session, fromId: string, toId: string): Promise<Arrow | null> {
  return session.undo.after(connectNow(session, fromId, toId));
}

async function connectNow(session: Session, fromId: string, toId: string): Promise<Arrow | null> {
  const state = session.canvas.get();
  const from = state?.cards.get(fromId);
  const to = state?.cards.get(toId);
  if (state === null || from === undefined || to === undefined) return null;
  const match = matchCards(from, to, arrowBetween(state, fromId, toId) !== null);
  if (!match.fits) {
    if (match.reason !== "self") session.toast((t) => matchText(t, match, from, to), "warning");
    return null;
  }
  try {
    const arrow = await session.client.call("canvas.connect", { a: fromId, b: toId, direction: "forward" });
    session.assume([{ op: "putArrow", arrow }]);
    const { workspaceId, id } = arrow;
    session.undo.push({
      label: (t) => t("undo.connect", { from: from.name, to: to.name }),
      undo: () => cut(session, id),
      redo: () => restoreArrow(session, workspaceId, id),
    });
    return arrow;
  } catch (error) {
    session.report("fail.connect", error);
    return null;
  }
}

export function disconnect(session: Session, arrowIds: readonly string[]): Promise<void> {
  return session.undo.after(disconnectNow(session, arrowIds));
}

async function disconnectNow(session: Session, arrowIds: readonly string[]): Promise<void> {
  const workspaceId = session.workspaceId;
  const known = arrowIds.filter((id) => arrowOf(session, id) !== null);
  if (workspaceId === null || known.length === 0) return;
  const cutAll = async () => {
    for (const id of known) await cut(session, id);
  };
  try {
    await cutAll();
  } catch (error) {
    session.report("fail.disconnect", error);
    return;
  }
  session.undo.push({
    label: (t) => t("undo.disconnect", { count: known.length }),
    undo: () => restore(session, [], known),
    redo: cutAll,
  });
}

async function cut(session: Session, arrowId: string): Promise<void> {
  await session.client.call("canvas.disconnect", { arrowId });
  session.assume([{ op: "removeArrow", arrowId }]);
}

async function restoreArrow(session: Session, workspaceId: string, arrowId: string): Promise<void> {
  if (session.workspaceId === workspaceId) await restore(session, [], [arrowId]);
}

export function setDirection(session: Session, arrowId: string, direction: Direction): Promise<void> {
  return session.undo.after(setDirectionNow(session, arrowId, direction));
}

async function setDirectionNow(session: Session, arrowId: string, direction: Direction): Promise<void> {
  const before = arrowOf(session, arrowId)?.direction;
  if (before === undefined || before === direction) return;
  const set = async (wanted: Direction) => {
    const arrow = await session.client.call("canvas.updateArrow", { arrowId, direction: wanted });
    session.assume([{ op: "putArrow", arrow }]);
  };
  try {
    await set(direction);
  } catch (error) {
    session.report("fail.direction", error);
    return;
  }
  session.undo.push({ label: (t) => t("undo.direction"), undo: () => set(before), redo: () => set(direction) });
}

/** The other one-way direction; a two-way arrow stays as it is. */
export function reversed(direction: Direction): Direction {
  if (direction === "both") return "both";
  return direction === "forward" ? "backward" : "forward";
}

export async function setPaused(session: Session, arrowId: string, paused: boolean): Promise<void> {
  try {
    const arrow = await session.client.call(paused ? "arrow.pause" : "arrow.resume", { arrowId });
    session.assume([{ op: "putArrow", arrow }]);
  } catch (error) {
    session.report("fail.pause", error);
  }
}

export async function confirmArrow(session: Session, arrowId: string): Promise<void> {
  try {
    const arrow = await session.client.call("canvas.updateArrow", { arrowId, confirm: true });
    session.assume([{ op: "putArrow", arrow }]);
  } catch (error) {
    session.report("fail.confirm", error);
  }
}

/** Sends a kept value again: the one of an entry, else the arrow's last. */
export async function resend(session: Session, arrowId: string, entryId?: number): Promise<void> {
  try {
    const params = entryId === undefined ? { arrowId } : { arrowId, entryId };
    const { delivered } = await session.client.call("arrow.resend", params);
    session.toast((t) => t("toast.resent", { count: delivered }), delivered > 0 ? "success" : "warning");
  } catch (error) {
    session.report("fail.resend", error);
  }
}
