import { isPlainObject, type JsonObject, type JsonValue } from "../json";
import type { StoreNode } from "./messages";

export interface Participant {
  readonly id: string;
  readonly type: "human" | "ai";
  readonly name: string;
  readonly avatar?: string;
}

/** The model of a session; without `thinking` no level is set. */
export interface SessionModel {
  readonly model: string;
  readonly thinking?: string;
}

export type ModelSelection = SessionModel;

/** A session without its messages. `profileDoc` is present exactly when `profile` is `inline`. */
export interface SessionInfo {
  readonly id: string;
  readonly title?: string;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly messageCount?: number;
  readonly model?: SessionModel;
  readonly botId?: string;
  readonly botName?: string;
  readonly botAvatar?: string;
  readonly accentColor?: string;
  readonly participants?: readonly Participant[];
  readonly parentSessionId?: string;
  readonly forkMessageId?: string;
  readonly workspace?: string;
  readonly profile?: string;
  readonly profileDoc?: ProfileDoc;
}

/** How a session is made. An explicit `model` wins over that of a profile. */
export interface SessionCreateOpts {
  readonly id?: string;
  readonly title?: string;
  readonly model?: SessionModel;
  readonly profile?: string | ProfileDoc;
  readonly workspace?: string;
  readonly botId?: string;
  readonly botName?: string;
  readonly botAvatar?: string;
  readonly accentColor?: string;
  readonly meta?: JsonObject;
}

/** A session as a store loads it. `meta.activeLeaf` names the active leaf where the format records one. */
export interface StoredSession {
  readonly info: SessionInfo;
  readonly nodes: readonly StoreNode[];
  readonly meta?: JsonObject;
}

export interface ModelInfo {
  readonly id: string;
  readonly name?: string;
  readonly provider?: string;
  readonly thinking?: readonly string[];
  readonly contextWindow?: number;
  readonly input?: readonly string[];
  readonly default?: boolean;
}

export interface WorkspaceInfo {
  readonly id: string;
  readonly name?: string;
  readonly path?: string;
}

export interface ProfileInfo {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly model?: string;
  readonly thinking?: string;
  readonly editable?: boolean;
}

/** A profile in full. `tools` that are not given are those of the environment. */
export interface ProfileDoc {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly model?: string;
  readonly thinking?: string;
  readonly tools?: "all" | "none" | readonly string[];
  readonly skills?: readonly string[];
  readonly extensions?: readonly string[];
  readonly systemPrompt?: string;
  readonly prompt?: { readonly mode?: "append" | "replace"; readonly pre?: string; readonly post?: string };
  readonly extra?: Readonly<Record<string, string>>;
}

export interface CatalogTool {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly source?: string;
}

export interface CatalogSkill {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly path?: string;
}

export type CatalogExtension = CatalogSkill;

export const INLINE_PROFILE_ID = "inline";
export const DEFAULT_PROFILE_ID = "default";

/** Whether a value is a profile in full: an object with the texts `id` and `name`. */
export function isProfileDoc(value: unknown): value is ProfileDoc {
  return isPlainObject(value) && typeof value["id"] === "string" && typeof value["name"] === "string";
}

/** Whether a profile can be saved under an id; `inline` and `default` are reserved. */
export function isProfileId(value: unknown): value is string {
  return (
    typeof value === "string" && /^[a-z0-9-]+$/.test(value) && value !== INLINE_PROFILE_ID && value !== DEFAULT_PROFILE_ID
  );
}

/** The session document after a patch: null removes a key, and `prompt` is merged one level deeper. */
export function patchedMeta(document: JsonObject, patch: JsonObject): JsonObject {
  const { prompt, ...rest } = patch;
  const changed = merged(document, rest);
  if (prompt === undefined) return changed;
  if (prompt === null) return merged(changed, { prompt });
  const before = document["prompt"];
  return { ...changed, prompt: isMembers(prompt) ? merged(isMembers(before) ? before : {}, prompt) : prompt };
}

function isMembers(value: JsonValue | undefined): value is JsonObject {
  return isPlainObject(value);
}

function merged(document: JsonObject, patch: JsonObject): JsonObject {
  const entries = Object.entries({ ...document, ...patch });
  return Object.fromEntries(entries.filter(([name, value]) => !(Object.hasOwn(patch, name) && value === null)));
}
