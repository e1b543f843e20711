import { act, render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useSyncExternalStore } from "react";
import { translator } from "../../i18n/catalogue";
import { wordsOf } from "../../state/toasts";
import type { Card, CardApi, Told, UndoEntry } from "../contract";
import { cardBodies } from "../registry";

type Method = (params: never, card: Card) => unknown;

/** Fields that a test gives for a card; the rest is filled in. */
type CardGiven = { kind: Card["kind"] } & Partial<Record<keyof Card, unknown>>;

export function cardOf(given: CardGiven): Card {
  const chrome = { title: null, status: null, badge: null, overview: null, attention: null };
  const frame = { id: "card-1", workspaceId: "space-1", type: null, title: null, name: "Card", revision: 1 };
  const place = { x: 0, y: 0, w: 300, h: 200, z: 0, createdAtMs: 0 };
  const rest = { runtime: null, ports: { inputs: [], outputs: [] }, chrome };
  return { ...frame, ...place, ...rest, ...given } as unknown as Card;
}

/** A card's body on a page of its own, with the server played by functions. */
export function showCard(given: CardGiven, methods: Record<string, Method> = {}) {
  let card = cardOf(given);
  const calls: { method: string; params: Record<string, unknown> }[] = [];
  const t = translator("en");
  const told: Told[] = [];
  const undos: UndoEntry[] = [];
  const listeners = new Set<() => void>();
  const events = new Map<string, Set<(data: never) => void>>();

  /** Changes the card as an event of the server would. */
  function patch(fields: Partial<Record<keyof Card, unknown>>) {
    card = { ...card, ...fields } as Card;
    for (const listener of listeners) listener();
  }

  const api: CardApi = {
    t,
    call: async <T,>(method: string, params: object) => {
      calls.push({ method, params: params as Record<string, unknown> });
      await Promise.resolve();
      if (method === "canvas.snapshot") return { cards: [card] } as T;
      const run = methods[method];
      if (run === undefined) throw new Error(`no ${method}`);
      return (await run(params as never, card)) as T;
    },
    on: (event, listener) => {
      const known = events.get(event) ?? new Set();
      events.set(event, known.add(listener));
      return () => known.delete(listener);
    },
    pushUndo: (entry) => undos.push(entry),
    holdUndo: (action) => action,
    toast: (words) => told.push(words),
  };

  function Page() {
    const shown = useSyncExternalStore(
      (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      () => card,
    );
    const Body = cardBodies[shown.kind].component;
    return <Body card={shown} api={api} selected readable />;
  }

  const view = render(<Page />);
  return {
    view,
    user: userEvent.setup(),
    calls,
    /** What toasts said, in the language that the page has now. */
    toasts: (now = t) => told.map((words) => wordsOf(words, now)),
    undos,
    card: () => card,
    change: (fields: Partial<Record<keyof Card, unknown>>) => act(() => patch(fields)),
    patch,
    emit: (event: string, data: unknown) =>
      act(() => events.get(event)?.forEach((listener) => listener(data as never))),
  };
}

/** A promise that the test settles when it likes. */
export function later<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
