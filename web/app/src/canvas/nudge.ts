import { arrange } from "../actions/cards";
import { cardBodies } from "../cards/registry";
import type { Session } from "../state/session";

interface Nudge {
  timer: ReturnType<typeof setTimeout>;
  before: Map<string, { x: number; y: number; w: number; h: number }>;
}
let nudging: Nudge | null = null;
const NUDGE_REST_MS = 350;

/** Moves (or resizes) by keys: shown at once, sent as one change when the keys rest. */
export function nudge(session: Session, cardIds: readonly string[], by: { x: number; y: number }, resize: boolean): void {
  const state = session.canvas.get();
  if (state === null) return;
  if (!session.online) {
    session.toast(session.t("fail.away"), "warning");
    return;
  }
  const cards = cardIds.flatMap((id) => state.cards.get(id) ?? []);
  const before = nudging?.before ?? new Map<string, { x: number; y: number; w: number; h: number }>();
  if (nudging !== null) clearTimeout(nudging.timer);
  for (const { id, x, y, w, h } of cards) if (!before.has(id)) before.set(id, { x, y, w, h });
  session.assume(
    cards.map((card) => {
      const min = cardBodies[card.kind].minSize;
      const fields = resize
        ? { w: Math.max(min.w, card.w + by.x), h: Math.max(min.h, card.h + by.y) }
        : { x: card.x + by.x, y: card.y + by.y };
      return { op: "patchCard", cardId: card.id, fields };
    }),
  );
  nudging = { before, timer: setTimeout(() => void landNudge(session, before), NUDGE_REST_MS) };
}

async function landNudge(session: Session, before: Nudge["before"]): Promise<void> {
  nudging = null;
  const state = session.canvas.get();
  if (state === null) return;
  const wanted = [...before.keys()].flatMap((cardId) => {
    const card = state.cards.get(cardId);
    return card === undefined ? [] : [{ cardId, x: card.x, y: card.y, w: card.w, h: card.h }];
  });
  // The change is measured against where the cards stood before the first key.
  session.assume([...before].map(([cardId, fields]) => ({ op: "patchCard", cardId, fields })));
  await arrange(session, wanted);
}
