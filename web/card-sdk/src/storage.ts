import type { CardEventData, CardMethodResults } from "./contract";
import { given } from "./given";
import type { EventHub } from "./hub";
import type { HostLink } from "./link";
import type { Topics } from "./topics";
import type { Stop } from "./types";

export type StorageScope = "instance" | "package";

/** Values kept by key for one scope. */
export class StorageArea {
  readonly scope: StorageScope;
  readonly #link: HostLink;
  readonly #hub: EventHub;
  readonly #topics: Topics;

  constructor(scope: StorageScope, link: HostLink, hub: EventHub, topics: Topics) {
    this.scope = scope;
    this.#link = link;
    this.#hub = hub;
    this.#topics = topics;
  }

  /** The value of a key, undefined where there is none. */
  async get<Value = unknown>(key: string): Promise<Value | undefined> {
    const answer = (await this.#call("storage.get", { key })) as CardMethodResults["storage.get"];
    return answer.exists ? (answer.value as Value) : undefined;
  }

  /** Keeps a value of up to 1 MiB. QUOTA_EXCEEDED when the scope is full. */
  async set(key: string, value: unknown): Promise<void> {
    await this.#call("storage.set", { key, value });
  }

  async delete(key: string): Promise<void> {
    await this.#call("storage.delete", { key });
  }

  /** Removes everything. */
  async clear(): Promise<void> {
    await this.#call("storage.clear", {});
  }

  /** The keys in use, sorted, those that begin with `prefix` if given. */
  async keys(prefix?: string): Promise<readonly string[]> {
    return ((await this.#call("storage.keys", given({ prefix }))) as CardMethodResults["storage.keys"]).keys;
  }

  /** How full the scope is. */
  async usage(): Promise<CardMethodResults["storage.usage"]> {
    return (await this.#call("storage.usage", {})) as CardMethodResults["storage.usage"];
  }

  /** Calls a function when another card that shares the scope wrote. */
  onChanged(handler: (change: CardEventData["storage.changed"]) => void): Stop {
    const stopListening = this.#hub.on("storage.changed", (data) => {
      const change = data as CardEventData["storage.changed"];
      if (change.scope === this.scope) handler(change);
    });
    const stopWanting = this.#topics.want("storage.changed");
    return () => {
      stopListening();
      stopWanting();
    };
  }

  #call(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.#link.call(method, { scope: this.scope, ...params });
  }
}

/** What a card keeps: itself the card's own store, `package` the one that all cards of the package share. */
export class Storage extends StorageArea {
  readonly package: StorageArea;

  constructor(link: HostLink, hub: EventHub, topics: Topics) {
    super("instance", link, hub, topics);
    this.package = new StorageArea("package", link, hub, topics);
  }

  /** The card's own store, by its name. */
  get instance(): StorageArea {
    return this;
  }
}
