import type { AddableCardKind, AgentStatus, HarnessId, Language, PermissionId, StickyColor, TaskStatus, Tone } from "./generated";
import type { ArrowId, CardId, DialogId, PackageId, PageId, WorkspaceId } from "./ids";
import type { JsonObject, JsonValue } from "./json";
import type { CardSizes } from "./manifest/model";

/** A port of a card as its peers see it; `permission` is what a card needs to use it. */
export interface PortInfo {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly type: string;
  readonly schema?: JsonObject;
  readonly mode: "stream" | "request";
  readonly response?: { readonly type: string; readonly schema?: JsonObject };
  readonly retain: boolean;
  readonly default: boolean;
  readonly permission?: PermissionId;
}

export interface Ports {
  readonly inputs: readonly PortInfo[];
  readonly outputs: readonly PortInfo[];
}

/** What a card is towards its peers. */
export type PeerKind = "custom" | "note" | "todo" | "kanban" | "sticky" | "agent" | "terminal" | "other";

/** A card joined to another by an arrow; `downstream` receives from it, `upstream` sends to it. */
export interface PeerInfo extends Ports {
  readonly cardId: CardId;
  readonly kind: PeerKind;
  readonly name: string;
  readonly type?: string;
  readonly direction: "downstream" | "upstream" | "both";
}

export interface StatusChip {
  readonly text: string;
  readonly tone: Tone;
  readonly busy: boolean;
}

export interface Badge {
  readonly count: number | null;
  readonly text: string | null;
  readonly tone: Tone;
}

/** The tile shown instead of the card's body when the canvas is zoomed out; `progress` runs from 0 to 1. */
export interface OverviewTile {
  readonly primary: string | null;
  readonly secondary: string | null;
  readonly progress: number | null;
  readonly tone: Tone;
  readonly icon: string | null;
}

export interface Attention {
  readonly level: "info" | "needs-input";
  readonly message: string | null;
}

/** What surrounds a card's body: everything the card itself may set about its appearance. */
export interface Chrome {
  readonly title: string | null;
  readonly status: StatusChip | null;
  readonly badge: Badge | null;
  readonly overview: OverviewTile | null;
  readonly attention: Attention | null;
}

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

/** What an agent is to be at its next start; `worktree` is its own folder and branch, `wanted` whether it shall run. */
export interface AgentContent {
  readonly harness: HarnessId;
  readonly model: string | null;
  readonly folder: string | null;
  readonly dangerous: boolean;
  readonly arguments: readonly string[];
  readonly worktree: { readonly branch: string; readonly path: string } | null;
  readonly sessionId: string | null;
  readonly sessionIds: readonly string[];
  readonly wanted: boolean;
}

export type AgentChoice = "approve" | "always" | "deny";

/** What an agent asks its person; `action` is the exact thing asked about, `choices` are the answers it takes. */
export interface AgentQuestion {
  readonly id: string | null;
  readonly kind: "permission" | "question";
  readonly detail: string;
  readonly action: string;
  readonly tool: string | null;
  readonly subagent: string | null;
  readonly choices: readonly AgentChoice[];
}

/** What an agent's status rests on. */
export interface AgentEvidence {
  readonly source: "hook" | "program status" | "title" | "transcript" | "keys" | "process" | "output";
  readonly note: string;
  readonly atMs: number;
}

/** What an agent does; `queueRevision` grows with every change of its queue, `error` is how its last turn failed, `retrying` what it tries again. */
export interface StartedAgent {
  readonly status: AgentStatus;
  readonly started: true;
  readonly evidence: AgentEvidence | null;
  readonly sinceMs: number;
  readonly error: string | null;
  readonly retrying: string | null;
  readonly title: string | null;
  readonly model: string | null;
  readonly turnStartedAtMs: number | null;
  readonly lastTurn: LastTurn | null;
  readonly question: AgentQuestion | null;
  readonly reply: { readonly text: string; readonly atMs: number } | null;
  readonly subagents: readonly string[];
  readonly sessionId: string | null;
  readonly queued: number;
  readonly queueRevision: number;
  readonly dangerous: boolean;
  readonly pid: number | null;
  readonly cwd: string | null;
  readonly exitCode: number | null;
  readonly cols: number;
  readonly rows: number;
  readonly generation: number;
}

/** An agent that was not started since the server began; it may have prompts waiting. */
export interface UnstartedAgent {
  readonly status: "idle";
  readonly started: false;
  readonly queued: number;
  readonly queueRevision: number;
}

export type AgentRuntime = StartedAgent | UnstartedAgent;

/**
 * A prompt that waits for an agent; `from` is the card that sent it, `problem` why it was tried and still waits. An
 * `unsure` one was typed, and nobody knows whether the agent got it: it waits for a person.
 */
export interface QueuedPrompt {
  readonly id: string;
  readonly text: string;
  readonly from: CardId | null;
  readonly fromName: string | null;
  readonly atMs: number;
  readonly problem: string | null;
  readonly state: "waiting" | "typing" | "unsure";
}

/**
 * A coding agent as it is on this machine. `problem` is what keeps it from working, in English; `command` is what was
 * looked for, `minVersion` what is needed at least, and `install` gets it.
 */
export interface HarnessInfo {
  readonly id: HarnessId;
  readonly name: string;
  readonly found: boolean;
  readonly program: string | null;
  readonly version: string | null;
  readonly problem: string | null;
  readonly command: string | null;
  readonly minVersion: string | null;
  readonly install: string | null;
  readonly abilities: {
    readonly resume: boolean;
    readonly firstPrompt: boolean;
    readonly modelChoice: boolean;
    readonly dangerous: boolean;
    readonly mcp: boolean;
    readonly questions: boolean;
    readonly always: boolean;
    readonly answers: "keys" | "api" | "none";
    readonly reply: "hook" | "log" | "api" | "none";
    readonly statusFrom: readonly string[];
    readonly subagents: boolean;
  };
}

/** What differs from the last commit in an agent's folder. */
export interface AgentChanges {
  readonly branch: string;
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

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

export interface PackageInfo {
  readonly packageId: PackageId;
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly author: string | null;
  readonly version: string;
  readonly kind: "frame" | "python";
  /** A data URL. */
  readonly icon: string | null;
  /** Where the owner installed it from; null for one that comes with Cardloom. */
  readonly source: string | null;
  readonly commit: string | null;
  readonly treeHash: string | null;
  readonly dev: boolean;
  readonly verified: boolean;
  /** The version that it can return to. */
  readonly former: string | null;
  /** Why its files are not what is used now. */
  readonly problem: string | null;
  /** How large its cards are at first, and how small and large they may become. */
  readonly card: Readonly<CardSizes>;
  /** What an update asks for and the owner has not agreed to. */
  readonly held: { readonly permissions: readonly PermissionId[]; readonly hosts: readonly string[] };
  readonly permissions: readonly PermissionView[];
}

/** A permission that a package asks for, as the owner judges it. */
export interface AskedPermission {
  readonly id: PermissionId;
  readonly risk: "low" | "medium" | "high";
  readonly optional: boolean;
  readonly reason: string | null;
  readonly hosts?: readonly string[];
}

/** What another version of a package changes; `more` counts files that the lists leave out. */
export interface PackageDifference {
  readonly files: {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly removed: readonly string[];
  };
  readonly more: number;
  readonly permissions: { readonly added: readonly PermissionId[]; readonly removed: readonly PermissionId[] };
  readonly hosts: { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** What stays off until the owner accepts it. */
  readonly needs: { readonly permissions: readonly PermissionId[]; readonly hosts: readonly string[] };
}

/** A package before it is installed or updated. */
export interface PackageReview {
  readonly packageId: PackageId;
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly author: { readonly name: string; readonly url: string | null } | null;
  readonly license: string | null;
  readonly homepage: string | null;
  readonly version: string;
  readonly kind: "frame" | "python";
  readonly icon: string | null;
  readonly dev: boolean;
  readonly source: string;
  readonly commit: string | null;
  readonly treeHash: string;
  readonly verified: boolean;
  readonly permissions: readonly AskedPermission[];
  readonly hosts: readonly string[];
  readonly tools: readonly string[];
  readonly files: { readonly count: number; readonly bytes: number };
  readonly warnings: readonly string[];
  /** Other installed packages of the same name. */
  readonly sameName: readonly PackageId[];
  readonly installed: {
    readonly version: string;
    readonly commit: string | null;
    readonly treeHash: string | null;
    readonly isCurrent: boolean;
    readonly difference: PackageDifference;
  } | null;
}

/** A catalogue that the owner added. */
export interface CatalogueInfo {
  readonly location: string;
  readonly readAtMs: number;
  readonly entries: number;
  readonly faults: readonly string[];
}

/** A package that a catalogue vouches for at one commit. */
export interface CatalogueEntry {
  readonly packageId: PackageId;
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly author: string | null;
  readonly version: string;
  readonly commit: string;
  readonly treeHash: string;
  readonly category: string | null;
  readonly license: string | null;
  readonly official: boolean;
  readonly permissions: readonly string[];
  readonly verifiedAt: string | null;
  readonly reviewer: string | null;
  /** What to install to get exactly this. */
  readonly source: string;
}

export interface CatalogueList {
  readonly catalogues: readonly CatalogueInfo[];
  readonly entries: readonly CatalogueEntry[];
}

/** A declared permission as a card or a dialog shows it, its reason in the reader's language. */
export interface PermissionView {
  readonly id: PermissionId;
  readonly hosts?: readonly string[];
  readonly optional: boolean;
  readonly granted: boolean;
  readonly reason?: string;
}

export interface Grant {
  readonly packageId: PackageId;
  readonly permission: PermissionId;
  readonly granted: boolean;
}

export interface LogLine {
  readonly atMs: number;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly text: string;
}

/** The last turn that came to an end of its own; times are epoch milliseconds. */
export interface LastTurn {
  readonly startedAt: number | null;
  readonly endedAt: number;
  readonly endedAs: "finished" | "needs-input";
}

/** An agent or terminal of a workspace; `id` is its card's id, `connected` whether an arrow joins it to who asks. */
export interface AgentInfo {
  readonly id: CardId;
  readonly name: string;
  readonly harness: HarnessId;
  readonly kind: "ai" | "shell";
  readonly status: AgentStatus;
  readonly connected: boolean;
  readonly sessionTitle?: string;
  readonly turnStartedAt?: number;
  readonly lastTurn?: LastTurn;
  readonly model?: string;
}
