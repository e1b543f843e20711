import { arrange } from "../actions/cards";
import { cardBodies } from "../cards/registry";
import type { Session } from "../state/session";
import type { Rect } from "./geometry";

interface Nudge {
  timer: ReturnType<typeof setTimeout>;
  before: Map<string, Rect>;
  /** Kept apart from the canvas: an answer of the server about something else brings the old place back meanwhile. */
  wanted: Map<string, Rect>;
  /** Lets an undo go on that waits for what the keys did. */
  landed(): void;
}
let nudging: Nudge | null = null;
const NUDGE_REST_MS = 350;

/** Moves (or resizes) by keys: shown at once, sent as one change when the keys rest. */
export function nudge(session: Session, cardIds: readonly string[], by: { x: number; y: number }, resize: boolean): void {
  const state = session.canvas.get();
  if (state === null) return;
  if (!session.online) {
    session.toast((t) => t("fail.away"), "warning");
    return;
  }
  const before = nudging?.before ?? new Map<string, Rect>();
  const wanted = nudging?.wanted ?? new Map<string, Rect>();
  const landed = nudging?.landed ?? holdUndo(session);
  if (nudging !== null) clearTimeout(nudging.timer);
  for (const card of cardIds.flatMap((id) => state.cards.get(id) ?? [])) {
    const { x, y, w, h } = wanted.get(card.id) ?? card;
    if (!before.has(card.id)) before.set(card.id, { x, y, w, h });
    const min = cardBodies[card.kind].minSize;
    wanted.set(
      card.id,
      resize
        ? { x, y, w: Math.max(min.w, w + by.x), h: Math.max(min.h, h + by.y) }
        : { x: x + by.x, y: y + by.y, w, h },
    );
  }
  session.assume([...wanted].map(([cardId, fields]) => ({ op: "patchCard", cardId, fields })));
  const land = () => void landNudge(session, before, wanted).then(landed);
  nudging = { before, wanted, landed, timer: setTimeout(land, NUDGE_REST_MS) };
}

/** Lets undo and redo wait; gives what ends that. */
function holdUndo(session: Session): () => void {
  let end: () => void = () => undefined;
  void session.undo.after(new Promise<void>((landed) => (end = landed)));
  return end;
}

async function landNudge(session: Session, before: Nudge["before"], wanted: Nudge["wanted"]): Promise<void> {
  nudging = null;
  const state = session.canvas.get();
  if (state === null) return;
  // The change is measured against where the cards stood before the first key.
  session.assume([...before].map(([cardId, fields]) => ({ op: "patchCard", cardId, fields })));
  const still = [...wanted].filter(([cardId]) => state.cards.has(cardId));
  await arrange(session, still.map(([cardId, rect]) => ({ cardId, ...rect })));
}
