/** A canvas: its workspace, arrows, journal, questions and changes. */

import type { Language } from "../generated";
import type { ArrowId, CardId, DialogId, PackageId, PageId, WorkspaceId } from "../ids";
import type { JsonObject, JsonValue } from "../json";
import type { Card } from "./cards";

/** A folder with its canvas. `problem` says why the folder cannot be used; `strict` asks grants of built-in cards too. */
export interface Workspace {
  readonly id: WorkspaceId;
  readonly name: string;
  readonly path: string;
  readonly open: boolean;
  readonly problem: string | null;
  readonly strict: boolean;
  readonly cards: number;
  readonly createdAtMs: number;
}

export type ArrowDirection = "forward" | "backward" | "both";

export interface ArrowStats {
  readonly passed: number;
  readonly dropped: number;
  readonly refused: number;
  readonly loops: number;
  readonly lastAtMs: number | null;
}

/** An arrow between cards a and b; `pending` ones, drawn by a card or an agent, carry nothing until confirmed. */
export interface Arrow {
  readonly id: ArrowId;
  readonly workspaceId: WorkspaceId;
  readonly a: CardId;
  readonly b: CardId;
  readonly direction: ArrowDirection;
  readonly drawnBy: { readonly kind: "owner" | "card" | "agent"; readonly id?: string };
  readonly drawnAtMs: number;
  readonly pending: boolean;
  readonly paused: boolean;
  readonly rank: number;
  readonly stats: ArrowStats;
}

export type Outcome = "accepted" | "skipped" | "refused" | "dropped" | "loop";

export interface JournalEntry {
  readonly id: number;
  readonly atMs: number;
  readonly kind: "delivery" | "refusal" | "loop" | "prompt" | "command" | "request" | "resend" | "retained";
  readonly from: CardId | "owner";
  readonly output: string | null;
  readonly type: string;
  readonly to: CardId | null;
  readonly input: string | null;
  readonly inputType: string | null;
  readonly arrowId: ArrowId | null;
  readonly outcome: Outcome;
  readonly code: string | null;
  readonly message: string | null;
  readonly sizeBytes: number;
  readonly chain: string;
  readonly hop: number;
  readonly cause: number | null;
  /** The value's first 200 characters. */
  readonly preview: string;
  readonly bodyKept: boolean;
}

/** The value of a journal entry; a large one is kept as its hash and first characters. */
export interface JournalBody {
  readonly body: JsonValue;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly head: string | null;
}

/** A question to the owner. */
export interface Dialog {
  readonly id: DialogId;
  readonly kind: "startProgram" | "permission" | "confirm" | "link" | "prompt";
  readonly workspaceId: WorkspaceId;
  readonly cardId: CardId;
  readonly title: string;
  readonly data: JsonObject;
  readonly deadlineAtMs: number;
}

/** One entry that a card put into its menu. */
export interface CardMenuItem {
  readonly id: string;
  readonly label: string;
  readonly icon?: string;
  readonly tone?: "default" | "danger";
  readonly disabled?: boolean;
}

/** One setting of a card as a form shows it, its texts in the owner's language. */
export interface SettingField {
  readonly key: string;
  readonly type: "string" | "text" | "number" | "boolean" | "select" | "secret" | "color";
  readonly label: string;
  readonly description?: string;
  readonly placeholder?: string;
  readonly default?: string | number | boolean;
  readonly required: boolean;
  readonly scope: "instance" | "package";
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

/** A card's settings: what is declared, the values in force, and which secrets are set. */
export interface SettingsForm {
  readonly cardId: CardId;
  readonly packageId: PackageId;
  readonly name: string;
  readonly fields: readonly SettingField[];
  readonly values: Readonly<Record<string, string | number | boolean>>;
  readonly secrets: Readonly<Record<string, boolean>>;
}

/** A whole canvas; events with a higher `seq` follow it without a gap. */
export interface Snapshot {
  readonly workspace: Workspace;
  readonly seq: number;
  readonly cards: readonly Card[];
  readonly arrows: readonly Arrow[];
  readonly dialogs: readonly Dialog[];
}

/** One change of a canvas. */
export type Change =
  | { readonly op: "putCard"; readonly card: Card }
  | { readonly op: "patchCard"; readonly cardId: CardId; readonly fields: Partial<Omit<Card, "id" | "kind">> }
  | { readonly op: "removeCard"; readonly cardId: CardId }
  | { readonly op: "putArrow"; readonly arrow: Arrow }
  | { readonly op: "removeArrow"; readonly arrowId: ArrowId }
  | { readonly op: "patchWorkspace"; readonly fields: Partial<Omit<Workspace, "id">> };

export type ChangeAuthor = PageId | null;

export interface Preferences {
  readonly scheme: "dark" | "light" | "system";
  readonly language: Language;
}

export interface LogLine {
  readonly atMs: number;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly text: string;
}
