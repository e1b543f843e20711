/** What a card made with React needs beside the SDK: the card by context, and its parts as state. */

import { createContext, createElement, useCallback, useContext, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Context, ReactElement, ReactNode } from "react";
import type { PeerInfo, PermissionId } from "@cardloom/protocol";
import type { Card } from "../card";
import type { QuestionHandler } from "../ports";
import type { StorageArea } from "../storage";
import type { ToolHandler } from "../tools";
import type { CardTranslator } from "../translator";
import type { CardContext, I18n, PortMessage, Settings, Theme, Visibility } from "../types";

/** What a change names as its key when a whole store was emptied. */
const EVERY_KEY = "";

const CurrentCard: Context<Card | null> = createContext<Card | null>(null);

/** Hands a connected card to everything below. */
export function CardProvider({ card, children }: { readonly card: Card; readonly children?: ReactNode }): ReactElement {
  return createElement(CurrentCard.Provider, { value: card }, children);
}

/** The card that CardProvider handed down. */
export function useCard(): Card {
  const card = useContext(CurrentCard);
  if (card === null) throw new Error("useCard needs a CardProvider above it.");
  return card;
}

/** One part of the card's context; the component is drawn anew when that part changes. */
export function useCardContext<Part extends keyof CardContext>(part: Part): CardContext[Part] {
  const card = useCard();
  const subscribe = useCallback((changed: () => void) => card.onContextChanged(changed), [card]);
  return useSyncExternalStore(subscribe, () => card.context[part]);
}

export function useVisibility(): Visibility {
  return useCardContext("visibility");
}

/** Whether there is nobody to draw for: stop timers and animations then. */
export function usePaused(): boolean {
  return useVisibility() !== "visible";
}

/** Whether the card fills the window. */
export function useExpanded(): boolean {
  return useCardContext("expanded");
}

export function useTheme(): Theme {
  return useCardContext("theme");
}

export function useI18n(): I18n {
  return useCardContext("i18n");
}

export function useSettings(): Settings {
  return useCardContext("settings");
}

/** The cards joined by arrows. */
export function usePeers(): readonly PeerInfo[] {
  return useCardContext("peers");
}

/** Whether a permission may be used now, implied ones included. */
export function usePermission(id: PermissionId): boolean {
  useCardContext("permissions");
  return useCard().permissions.has(id);
}

/** The texts of a translator; the component is drawn anew when its language changes. */
export function useTranslator(translator: CardTranslator): CardTranslator["t"] {
  const subscribe = useCallback((changed: () => void) => translator.onChange(changed), [translator]);
  const snapshot = useCallback(() => `${translator.language} ${translator.locale}`, [translator]);
  useSyncExternalStore(subscribe, snapshot);
  return translator.t;
}

/** Calls a function with each value of one input, or of all; the newest function given is the one called. */
export function usePortMessage<Data = unknown>(
  handler: (data: Data, message: PortMessage<Data>) => void,
  { input }: { readonly input?: string | undefined } = {},
): void {
  const card = useCard();
  const newest = useNewest(handler);
  useEffect(() => card.ports.onMessage<Data>((...given) => newest.current(...given), { input }), [card, newest, input]);
}

/** The last value that came to an input, null until one did. */
export function useLatestMessage<Data = unknown>(input: string): PortMessage<Data> | null {
  const [message, setMessage] = useState<PortMessage<Data> | null>(null);
  usePortMessage<Data>((_, arrived) => setMessage(arrived), { input });
  return message;
}

/** Answers an input's questions as long as the component is there. */
export function usePortRequest<Data = unknown>(input: string, handler: QuestionHandler<Data>): void {
  const card = useCard();
  const newest = useNewest(handler);
  useEffect(() => card.ports.onRequest<Data>(input, (...given) => newest.current(...given)), [card, newest, input]);
}

/** Does a tool's work as long as the component is there. */
export function useTool<Args = Record<string, unknown>>(tool: string, handler: ToolHandler<Args>): void {
  const card = useCard();
  const newest = useNewest(handler);
  useEffect(() => card.tools.handle<Args>(tool, (...given) => newest.current(...given)), [card, newest, tool]);
}

/** What a stored value becomes: the value itself, or made of the one before. */
export type StoredChange<Value> = Value | ((before: Value) => Value);

interface Held<Value> {
  readonly value: Value;
  readonly loaded: boolean;
  /** How often it was changed here: what was read from before a change is old. */
  readonly changes: number;
}

/**
 * A value of the card's store as state: the value, how to change it, and whether it was read yet.
 *
 * Changing it keeps it as well; for the store that the package shares, changes of other cards come in. A change that is
 * made of the value before waits until that was read.
 */
export function useStored<Value>(
  key: string,
  initial: Value,
  { scope = "instance" }: { readonly scope?: "instance" | "package" } = {},
): readonly [Value, (change: StoredChange<Value>) => void, boolean] {
  const card = useCard();
  const area: StorageArea = scope === "package" ? card.storage.package : card.storage;
  const [shown, setShown] = useState<Held<Value>>({ value: initial, loaded: false, changes: 0 });
  const held = useRef(shown);
  const waiting = useRef<((before: Value) => Value)[]>([]);
  const first = useNewest(initial);
  const hold = useCallback((value: Value, changes: number) => {
    held.current = { value, loaded: true, changes };
    setShown(held.current);
  }, []);
  const keep = useCallback(
    (value: Value) => {
      waiting.current = [];
      hold(value, held.current.changes + 1);
      area.set(key, value).catch((error: unknown) => card.log.error(`${key} could not be kept:`, error));
    },
    [area, card, hold, key],
  );
  useEffect(() => {
    let current = true;
    async function read(): Promise<void> {
      const { changes } = held.current;
      const value = (await area.get<Value>(key)) ?? first.current;
      if (!current || held.current.changes !== changes) return;
      if (waiting.current.length > 0) keep(waiting.current.reduce((before, change) => change(before), value));
      else hold(value, changes);
    }
    void read();
    const stop = area.onChanged((change) => {
      if (change.key === key || change.key === EVERY_KEY) void read();
    });
    return () => {
      current = false;
      stop();
    };
  }, [area, key, first, hold, keep]);
  const change = useCallback(
    (next: StoredChange<Value>) => {
      if (typeof next !== "function") keep(next);
      else if (held.current.loaded) keep((next as (before: Value) => Value)(held.current.value));
      else waiting.current.push(next as (before: Value) => Value);
    },
    [keep],
  );
  return [shown.value, change, shown.loaded];
}

/** A box that always holds the newest value, without being a reason to run effects again. */
function useNewest<Value>(value: Value): { readonly current: Value } {
  const box = useRef(value);
  useEffect(() => {
    box.current = value;
  });
  return box;
}
