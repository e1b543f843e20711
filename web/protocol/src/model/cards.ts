/** Cards of every kind. */

import type { AddableCardKind } from "../generated";
import type { CardId, WorkspaceId } from "../ids";
import type { JsonObject } from "../json";
import type { AgentContent, AgentRuntime } from "./agents";
import type { Chrome } from "./chrome";
import type { ChatContent, ChatRuntime, CustomContent, CustomRuntime, KanbanContent, NoteContent, StickyContent, TerminalContent, TerminalRuntime, TodoContent } from "./contents";
import type { Ports } from "./peers";

/** What a card is; `other` stands for a kind this page does not know. */
export type CardKind = AddableCardKind | "other";

interface CardFrame<Kind extends CardKind, Content, Runtime> {
  readonly id: CardId;
  readonly workspaceId: WorkspaceId;
  readonly kind: Kind;
  /** Shell or harness of a terminal, package name of a card of one's own, else null. */
  readonly type: string | null;
  readonly title: string | null;
  /** The shown name: the title, else a default; two cards may have the same. */
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly z: number;
  /** Grows with every change of the content. */
  readonly revision: number;
  readonly content: Content;
  readonly chrome: Chrome;
  readonly runtime: Runtime;
  readonly ports: Ports;
  readonly createdAtMs: number;
}

export type NoteCard = CardFrame<"note", NoteContent, null>;
export type TodoCard = CardFrame<"todo", TodoContent, null>;
export type KanbanCard = CardFrame<"kanban", KanbanContent, null>;
export type StickyCard = CardFrame<"sticky", StickyContent, null>;
export type TerminalCard = CardFrame<"terminal", TerminalContent, TerminalRuntime | null>;
export type AgentCard = CardFrame<"agent", AgentContent, AgentRuntime | null>;

/** It shows the budgets of its workspace and holds nothing of its own. */
export type BudgetCard = CardFrame<"budget", Readonly<Record<string, never>>, null>;
export type ChatCard = CardFrame<"chat", ChatContent, ChatRuntime | null>;
export type CustomCard = CardFrame<"custom", CustomContent, CustomRuntime | null>;
export type OtherCard = CardFrame<"other", JsonObject, JsonObject | null>;

/** A card on the canvas; `kind` tells what its content and runtime hold. */
export type Card = NoteCard | TodoCard | KanbanCard | StickyCard | TerminalCard | AgentCard | ChatCard | BudgetCard | CustomCard | OtherCard;
