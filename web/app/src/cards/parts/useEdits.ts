import { useState } from "react";
import type { CardApi, TextKey } from "../contract";
import { sayFailure } from "./failure";

export interface Revised<Content> {
  revision: number;
  content: Content;
}

/** How one kind of content is edited: all that differs between lists and boards. */
export interface Editing<Content, Op> {
  /** The content after a step; `mark` gives a row that the server has not named yet its id. */
  apply(content: Content, op: Op, mark: string): Content;
  /** True when the content already holds what the step adds, though its answer is still on the way. */
  arrived(content: Content, op: Op, before: Content): boolean;
  /** The content that the step alone led to, with the ids the server gave. */
  settled(before: Content, op: Op, answered: Content): Content;
  /** Calls the server. A refused change of text gives the text that stands there. */
  send(op: Op): Promise<Revised<Content> | { conflict: string }>;
  /** Undoes or redoes: applies the way from one content to another to what the card holds then. */
  replay(from: Content, to: Content): Promise<void>;
}

export type Outcome = { done: true } | { done: false; conflict: string } | { done: false; conflict: null };

interface Waiting<Content, Op> {
  mark: string;
  op: Op;
  before: Content;
}

let marks = 0;

/** Ids of rows that only this page knows begin so. */
export const unsaved = "unsaved-";

/**
 * Shows edits at once and takes them back when the server refuses.
 *
 * `run` never rejects: a failure becomes a toast that says what and where. Each step that went through can be undone.
 */
export function useEdits<Content, Op>(
  api: CardApi,
  cardName: string,
  stored: Revised<Content>,
  editing: Editing<Content, Op>,
): { shown: Content; run(op: Op, what: TextKey): Promise<Outcome> } {
  const [waiting, setWaiting] = useState<readonly Waiting<Content, Op>[]>([]);
  const [answered, setAnswered] = useState<Revised<Content> | null>(null);
  const base = answered !== null && answered.revision > stored.revision ? answered.content : stored.content;
  const shown = waiting.reduce(
    (content, { mark, op, before }) =>
      editing.arrived(content, op, before) ? content : editing.apply(content, op, mark),
    base,
  );

  async function runNow(op: Op, what: TextKey): Promise<Outcome> {
    const mark = `${unsaved}${++marks}`;
    const before = shown;
    setWaiting((all) => [...all, { mark, op, before }]);
    try {
      const answer = await editing.send(op);
      if ("conflict" in answer) return { done: false, conflict: answer.conflict };
      setAnswered((known) => (known !== null && known.revision > answer.revision ? known : answer));
      const after = editing.settled(before, op, answer.content);
      api.pushUndo({
        label: (t) => t(what),
        undo: () => editing.replay(after, before),
        redo: () => editing.replay(before, after),
      });
      return { done: true };
    } catch (error) {
      sayFailure(api, what, cardName, error);
      return { done: false, conflict: null };
    } finally {
      setWaiting((all) => all.filter((each) => each.mark !== mark));
    }
  }

  return { shown, run: (op, what) => api.holdUndo(runNow(op, what)) };
}

/** What a card holds now, asked of the server, so that it also holds for a card that is not on screen. */
export async function contentNow<Content>(api: CardApi, workspaceId: string, cardId: string): Promise<Content> {
  const { cards } = await api.call<{ cards: { id: string; content: unknown }[] }>("canvas.snapshot", { workspaceId });
  const card = cards.find((each) => each.id === cardId);
  if (card === undefined) throw new Error(api.t("cards.gone"));
  return card.content as Content;
}
