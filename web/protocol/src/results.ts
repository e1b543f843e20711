import type { CanvasEventName, CanvasMethodName, Tone } from "./generated";
import type { ArrowId, CardId, DialogId, PageId, WorkspaceId } from "./ids";
import type {
  AgentChanges,
  Arrow,
  ArrowStats,
  Card,
  CardMenuItem,
  CatalogueList,
  Change,
  ChangeAuthor,
  Dialog,
  Grant,
  HarnessInfo,
  JournalBody,
  JournalEntry,
  KanbanColumn,
  KanbanTask,
  LogLine,
  Outcome,
  PackageInfo,
  PackageReview,
  Preferences,
  QueuedPrompt,
  SettingsForm,
  Snapshot,
  TodoItem,
  Workspace,
} from "./model";
import type { JsonValue } from "./json";
import type { SessionEventData, SessionMethodResults } from "./sessionResults";
import type { UsageEventData, UsageMethodResults } from "./usageResults";

/** What `client.hello` answers. */
export interface Welcome {
  readonly protocol: number;
  readonly version: string;
  readonly pageId: PageId;
  readonly limits: Readonly<Record<string, number>>;
  readonly methods: readonly string[];
  readonly events: readonly string[];
  readonly preferences: Preferences;
  readonly workspaces: readonly Workspace[];
  readonly packages: readonly PackageInfo[];
}

/** An edit that met a newer text: nothing was written. */
export interface Conflict<Current> {
  readonly conflict: Current;
}

/** A repaint of a terminal: `offset` counts the characters of output it stands for. */
export interface TerminalPaint {
  readonly generation: number;
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
  readonly data: string;
}

export interface Delivered {
  readonly delivered: number;
  readonly outcome: Outcome;
}

/** One place where a replayed journal differs from the recorded one. */
export interface ReplayDifference {
  readonly entryId: number;
  readonly field: string;
  readonly recorded: JsonValue;
  readonly replayed: JsonValue;
}

/** A file or folder of a workspace; `size` is in bytes, 0 for folders. */
export interface FileStat {
  readonly path: string;
  readonly type: "file" | "directory";
  readonly size: number;
  readonly mtimeMs: number;
}

/** An entry of a list; folders have no size. */
export interface FileEntry {
  readonly path: string;
  readonly type: "file" | "directory";
  readonly size?: number;
}

/** A file as text or base64; `size` is the whole file's. */
export interface FileContent {
  readonly data: string;
  readonly encoding: "utf8" | "base64";
  readonly size: number;
  readonly truncated: boolean;
}

export interface WaitingPrompts {
  readonly prompts: readonly QueuedPrompt[];
}

type Nothing = Readonly<Record<string, never>>;

/** What each of the canvas's own methods answers. */
export interface CanvasMethodResults extends SessionMethodResults, UsageMethodResults {
  "client.hello": Welcome;
  "client.newCode": { readonly url: string };
  "client.presence": Nothing;
  "preferences.set": Preferences;
  "workspace.list": { readonly workspaces: readonly Workspace[] };
  "workspace.create": Workspace;
  "workspace.open": Workspace;
  "workspace.close": Workspace;
  "workspace.update": Workspace;
  "workspace.remove": Nothing;
  "canvas.snapshot": Snapshot;
  "canvas.subscribe": Snapshot;
  "canvas.unsubscribe": Nothing;
  "canvas.addCard": Card;
  "canvas.duplicateCard": Card;
  "canvas.updateCard": Card;
  "canvas.arrange": Nothing;
  "canvas.removeCard": { readonly arrowIds: readonly ArrowId[] };
  "canvas.restore": {
    readonly cards: readonly Card[];
    readonly arrows: readonly Arrow[];
    readonly restarted: readonly CardId[];
  };
  "canvas.connect": Arrow;
  "canvas.updateArrow": Arrow;
  "canvas.disconnect": Nothing;
  "note.edit":
    | { readonly revision: number; readonly text: string }
    | Conflict<{ readonly revision: number; readonly text: string }>;
  "todo.edit": { readonly revision: number; readonly items: readonly TodoItem[] } | Conflict<{ readonly text: string }>;
  "kanban.edit":
    | { readonly revision: number; readonly columns: readonly KanbanColumn[]; readonly tasks: readonly KanbanTask[] }
    | Conflict<{ readonly text: string }>;
  "sticky.edit": Card;
  "journal.list": { readonly entries: readonly JournalEntry[]; readonly more: boolean };
  "journal.body": JournalBody;
  "journal.replay": {
    readonly workspaceId: WorkspaceId;
    readonly name: string;
    readonly replayed: number;
    readonly differences: readonly ReplayDifference[];
  };
  "arrow.pause": Arrow;
  "arrow.resume": Arrow;
  "arrow.resend": Delivered;
  "ports.deliver": Delivered;
  "terminal.attach": TerminalPaint;
  "terminal.detach": Nothing;
  "terminal.input": Nothing;
  "terminal.resize": Nothing;
  "terminal.start": Card;
  "terminal.ack": Nothing;
  "agent.harnesses": { readonly harnesses: readonly HarnessInfo[] };
  "agent.create": Card;
  "agent.configure": Card;
  "agent.start": Card;
  "agent.stop": Nothing;
  "agent.interrupt": Nothing;
  "agent.answer": Nothing;
  "agent.diff": AgentChanges | null;
  "queue.list": WaitingPrompts;
  "queue.edit": WaitingPrompts;
  "queue.move": WaitingPrompts;
  "queue.cancel": WaitingPrompts;
  "queue.send": { readonly delivered: "sent" | "queued" };
  "grant.list": { readonly grants: readonly Grant[] };
  "grant.set": Nothing;
  "dialog.answer": Nothing;
  "package.list": { readonly packages: readonly PackageInfo[] };
  "package.inspect": PackageReview;
  "package.install": PackageInfo;
  "package.update": PackageInfo;
  "package.rollback": PackageInfo;
  "package.remove": Nothing;
  "catalogue.list": CatalogueList;
  "catalogue.add": CatalogueList;
  "catalogue.remove": CatalogueList;
  "catalogue.refresh": CatalogueList & { readonly problems: readonly string[] };
  "card.run": { readonly cardId: CardId; readonly token: string };
  "card.log": { readonly lines: readonly LogLine[] };
  "card.restart": Card;
  "card.stop": Card;
  "card.mount":
    | { readonly token: string; readonly url: string; readonly heldBy: null }
    | { readonly token: null; readonly url: null; readonly heldBy: PageId };
  "card.unmount": Nothing;
  "card.expand": Nothing;
  "card.menu": { readonly items: readonly CardMenuItem[] };
  "card.chooseMenu": Nothing;
  "card.settings": SettingsForm;
  "card.setSettings": SettingsForm;
  "clipboard.written": Nothing;
  "files.stat": FileStat;
  "files.list": { readonly entries: readonly FileEntry[]; readonly truncated: boolean };
  "files.read": FileContent;
  "files.write": FileStat;
  "files.mkdir": FileStat;
  "files.trash": Nothing;
  "files.watch": { readonly watchId: string };
  "files.unwatch": Nothing;
}

/** What one of the canvas's own methods answers; `unknown` for rows that no release has filled yet. */
export type CanvasResult<Method extends CanvasMethodName> = Method extends keyof CanvasMethodResults
  ? CanvasMethodResults[Method]
  : unknown;

/** One arrow's part of `arrow.activity`. */
export interface ArrowActivity {
  readonly arrowId: ArrowId;
  readonly direction: "forward" | "backward";
  readonly stats: ArrowStats;
  readonly outcome: Outcome;
  readonly type: string;
}

/** The data of each event that an owner's connection receives. */
export interface CanvasEventData extends SessionEventData, UsageEventData {
  "canvas.changed": {
    readonly workspaceId: WorkspaceId;
    readonly seq: number;
    readonly by: ChangeAuthor;
    readonly changes: readonly Change[];
  };
  "arrow.activity": { readonly workspaceId: WorkspaceId; readonly arrows: readonly ArrowActivity[] };
  "workspace.changed": { readonly workspaces: readonly Workspace[] };
  "preferences.changed": Preferences;
  "grants.changed": { readonly workspaceId: WorkspaceId; readonly packageId: string };
  "packages.changed": { readonly packages: readonly PackageInfo[] };
  "terminal.output": {
    readonly cardId: CardId;
    readonly generation: number;
    readonly offset: number;
    readonly data: string;
  };
  "terminal.resync": TerminalPaint & { readonly cardId: CardId };
  "dialog.opened": { readonly dialog: Dialog };
  "dialog.closed": { readonly dialogId: DialogId };
  "ui.toast": {
    readonly cardId: CardId;
    readonly name: string;
    readonly message: string;
    readonly tone: Tone;
    readonly durationMs: number;
  };
  "canvas.focus": { readonly workspaceId: WorkspaceId; readonly cardId: CardId };
  "card.openSettings": { readonly cardId: CardId; readonly name: string };
  "clipboard.write": {
    readonly writeId: string;
    readonly cardId: CardId;
    readonly name: string;
    readonly text: string;
  };
  "files.changed": {
    readonly watchId: string;
    readonly changes: readonly { readonly path: string; readonly type: "change" | "rename" | "rescan" | "ended" }[];
  };
  "card.log": { readonly cardId: CardId; readonly lines: readonly LogLine[] };
  "card.taken": { readonly cardId: CardId; readonly pageId: PageId };
  "card.wake": { readonly cardId: CardId };
  "stream.gap": Nothing;
  "server.closing": Nothing;
}

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;

/** Fails to compile when an event of the table has no data type here, or the other way round. */
export const EVENT_DATA_IS_COMPLETE: Same<keyof CanvasEventData, CanvasEventName> = true;
