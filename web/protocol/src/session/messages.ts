import type { JsonObject } from "../json";
import type { AnyPart } from "./parts";

export interface Usage {
  readonly input: number;
  readonly output: number;
}

/** Who sees a message. `hidden` is the old name of `disabled`: read, never written. */
export interface MessageFlags {
  readonly visible?: boolean;
  readonly disabled?: boolean;
  readonly hidden?: boolean;
  readonly frozen?: boolean;
  readonly injected?: boolean;
}

export interface MessageMeta {
  readonly createdAt?: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly [field: string]: unknown;
}

/** Which of its siblings a message is; `active` counts from 0. */
export interface Swipes {
  readonly active: number;
  readonly count: number;
}

/** One message of a history. Its text is `derivedText`; `swipes` stands only where there is a choice. */
export interface Message {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly AnyPart[];
  readonly name?: string;
  readonly flags?: MessageFlags;
  readonly meta?: MessageMeta;
  readonly swipes?: Swipes;
  readonly hash?: string;
}

/** A message of the whole tree with its depth; roots have depth 0. */
export interface ThreadEntry {
  readonly message: Message;
  readonly depth: number;
}

/** How a message is appended without a run; `swipeOf` makes it an alternative of that message. */
export interface MessageAppendOpts {
  readonly role?: "user" | "assistant";
  readonly name?: string;
  readonly flags?: MessageFlags;
  readonly meta?: JsonObject;
  readonly id?: string;
  readonly parentId?: string | null;
  readonly swipeOf?: string;
  readonly parts?: readonly AnyPart[];
  readonly text?: string;
}

/** A message in its place, as stores keep it; a parent of null is a root. */
export interface StoreNode {
  readonly id: string;
  readonly parent?: string | null;
  readonly role: string;
  readonly parts: readonly AnyPart[];
  readonly name?: string;
  readonly flags?: MessageFlags;
  readonly meta?: JsonObject;
}
