import type { TextKey, Translate } from "../i18n/catalogue";
import type { Card, CardKind } from "../wire/records";
import type { CanvasState } from "./canvas";

/** The canvas's own kinds. A card of them that nobody named is called by its kind. */
const KINDS: Readonly<Partial<Record<CardKind, TextKey>>> = {
  note: "kind.note",
  todo: "kind.todo",
  kanban: "kind.kanban",
  sticky: "kind.sticky",
  terminal: "kind.terminal",
  chat: "kind.chat",
  budget: "kind.budget",
  agent: "kind.agent",
};

/** The same cards, with those that nobody named called as the person's language has it; the server names in English. */
export function withLocalNames(state: CanvasState, t: Translate): CanvasState {
  let cards: Map<string, Card> | null = null;
  for (const card of state.cards.values()) {
    const name = localName(card, t);
    if (name === card.name) continue;
    cards ??= new Map(state.cards);
    cards.set(card.id, { ...card, name });
  }
  return cards === null ? state : { ...state, cards };
}

function localName(card: Card, t: Translate): string {
  const key = KINDS[card.kind];
  return key === undefined || card.title !== null || card.chrome.title !== null ? card.name : t(key);
}
