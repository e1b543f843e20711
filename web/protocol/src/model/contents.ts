/** What cards of each kind hold, and what runs behind them. */

import type { HarnessId, StickyColor, TaskStatus } from "../generated";
import type { PackageId, PageId } from "../ids";
import type { JsonValue } from "../json";

export interface NoteContent {
  readonly text: string;
}

export interface TodoItem {
  readonly id: string;
  readonly text: string;
  readonly status: TaskStatus;
  readonly assignee?: string;
  readonly column?: string;
}

export interface TodoContent {
  readonly items: readonly TodoItem[];
}

export interface KanbanColumn {
  readonly id: string;
  readonly title: string;
}

export interface KanbanTask {
  readonly id: string;
  readonly text: string;
  readonly status: TaskStatus;
  readonly column: string;
  readonly assignee?: string;
}

export interface KanbanContent {
  readonly columns: readonly KanbanColumn[];
  readonly tasks: readonly KanbanTask[];
}

/** A sticky's words are its card's title. */
export interface StickyContent {
  readonly color: StickyColor;
}

/** `shell` is the harness id of a shell, such as `shell-bash`. */
export interface TerminalContent {
  readonly shell: HarnessId;
  readonly cwd: string | null;
}

export interface CustomContent {
  readonly packageId: PackageId;
  readonly version: string;
  readonly spawnInit?: JsonValue;
  /** Keys of required settings that have no value. */
  readonly missingSettings?: readonly string[];
}

export interface TerminalRuntime {
  readonly status: "starting" | "idle" | "working" | "finished" | "exited";
  readonly pid: number | null;
  readonly cwd: string | null;
  readonly command: string | null;
  readonly exitCode: number | null;
  readonly cols: number;
  readonly rows: number;
  readonly integration: boolean;
  readonly generation: number;
}

/** What the program of a card does. */
export interface ProgramRuntime {
  readonly status: "waiting" | "starting" | "running" | "stopped" | "failed" | "external";
  readonly restarts: number;
  readonly error: string | null;
}

/** What the frame of a card does; `pageId` is the page that has it. */
export interface FrameRuntime {
  readonly kind: "frame";
  readonly status: "unmounted" | "loading" | "running" | "suspended" | "unresponsive" | "failed";
  readonly error: string | null;
  readonly pageId: PageId | null;
  readonly expanded: boolean;
}

export type CustomRuntime = ProgramRuntime | FrameRuntime;

/** The session that a chat card shows; without a backend the first one is meant. */
export interface ChatContent {
  readonly backend: string | null;
  readonly sessionId: string | null;
  readonly profile: string | null;
}

/** What the session of a chat card is at; `queued` prompts wait for it. */
export interface ChatRuntime {
  readonly status: "idle" | "working" | "needs-input" | "error";
  readonly queued: number;
  readonly error: string | null;
}
