import { permissionClosure } from "@cardloom/protocol";
import type { Chrome } from "@cardloom/protocol";
import type { CardEventData } from "./contract";
import type { CardContext, Stop } from "./types";

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type Follow = { readonly [Event in keyof CardEventData]?: (data: CardEventData[Event], now: CardContext) => Partial<CardContext> };

const NO_CHROME: Chrome = { title: null, status: null, badge: null, overview: null, attention: null };

/** Which part of the context each event replaces. */
const FOLLOW: Follow = {
  "lifecycle.visibility": ({ state }) => ({ visibility: state }),
  "lifecycle.expanded": ({ expanded }) => ({ expanded }),
  "lifecycle.resized": (size, { instance }) => ({ instance: { ...instance, size } }),
  "settings.changed": (settings) => ({ settings }),
  "theme.changed": (theme) => ({ theme }),
  "i18n.changed": (i18n) => ({ i18n }),
  "permissions.changed": (permissions) => ({ permissions }),
  "ports.peersChanged": (peers) => ({ peers }),
};

/** The card's context, kept current by events and answers. Parts are replaced whole, never changed in place. */
export class LiveContext {
  readonly value: CardContext;
  readonly #listeners = new Set<() => void>();
  #held: ReadonlySet<string>;

  /** Hosts of older releases send no chrome. */
  constructor(context: CardContext) {
    this.value = { ...context, chrome: { ...NO_CHROME, ...(context.chrome as Chrome | undefined) } };
    this.#held = this.#closure();
  }

  /** Whether a permission may be used, implied ones included. */
  holds(permission: string): boolean {
    return this.#held.has(permission);
  }

  /** Follows an event; most change nothing here. */
  take(event: string, data: unknown): void {
    const follow = FOLLOW[event as keyof CardEventData] as ((data: unknown, now: CardContext) => Partial<CardContext>) | undefined;
    if (follow !== undefined && data !== undefined && data !== null) this.put(follow(data, this.value));
  }

  /** Replaces parts. */
  put(parts: Partial<CardContext>): void {
    Object.assign(this.value as Writable<CardContext>, parts);
    if (parts.permissions !== undefined) this.#held = this.#closure();
    for (const listener of [...this.#listeners]) listener();
  }

  /** Replaces parts of what the host shows around the card. */
  putChrome(parts: Partial<Chrome>): void {
    this.put({ chrome: { ...this.value.chrome, ...parts } });
  }

  /** Calls `listener` after every change. */
  onChange(listener: () => void): Stop {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #closure(): ReadonlySet<string> {
    return permissionClosure(this.value.permissions.filter(({ granted }) => granted).map(({ id }) => id));
  }
}
