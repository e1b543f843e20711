/** The records of the canvas as they cross the wire. Field names are the contract; unknown fields pass through. */

export type CardKind = "note" | "todo" | "kanban" | "sticky" | "terminal" | "custom" | "other";
export type Tone = "default" | "accent" | "success" | "warning" | "danger";
export type TaskStatus = "pending" | "active" | "done" | "error";
export type StickyColor = "yellow" | "blue" | "green" | "rose" | "violet" | "grey";
export type Direction = "forward" | "backward" | "both";
export type SchemeChoice = "dark" | "light" | "system";
export type Language = "en" | "ru" | "zh";

export interface PortInfo {
  id: string;
  label: string;
  description?: string;
  type: string;
  schema?: unknown;
  mode: "stream" | "request";
  response?: { type: string; schema?: unknown };
  retain: boolean;
  default: boolean;
  permission?: string;
}

export interface Workspace {
  id: string;
  name: string;
  path: string;
  open: boolean;
  problem: string | null;
  strict: boolean;
  cards: number;
  createdAtMs: number;
}

export interface Chrome {
  title: string | null;
  status: { text: string; tone: Tone; busy: boolean } | null;
  badge: { count: number | null; text: string | null; tone: Tone } | null;
  overview: {
    primary: string | null;
    secondary: string | null;
    progress: number | null;
    tone: Tone;
    icon: string | null;
  } | null;
  attention: { level: "info" | "warning" | "danger" | string; message: string } | null;
}

export interface NoteContent {
  text: string;
}
export interface TodoItem {
  id: string;
  text: string;
  status: TaskStatus;
  assignee?: string;
  column?: string;
}
export interface TodoContent {
  items: TodoItem[];
}
export interface KanbanColumn {
  id: string;
  title: string;
}
export interface KanbanTask {
  id: string;
  text: string;
  status: TaskStatus;
  /** The id of the column. */
  column: string;
  assignee?: string;
}
export interface KanbanContent {
  columns: KanbanColumn[];
  tasks: KanbanTask[];
}
export interface StickyContent {
  color: StickyColor;
}
export interface TerminalContent {
  shell: string;
  cwd: string | null;
}
export interface CustomContent {
  packageId: string;
  version: string;
  spawnInit?: unknown;
}

export interface TerminalRuntime {
  status: "starting" | "idle" | "working" | "finished" | "exited";
  pid: number | null;
  cwd: string | null;
  command: string | null;
  exitCode: number | null;
  cols: number;
  rows: number;
  integration: boolean;
  generation: number;
}
export interface CustomRuntime {
  status: "waiting" | "starting" | "running" | "stopped" | "failed" | "external";
  restarts: number;
  error: string | null;
}

interface CardOf<Kind extends CardKind, Content, Runtime> {
  id: string;
  workspaceId: string;
  kind: Kind;
  /** The harness id of a shell or the package name of a custom card. */
  type: string | null;
  title: string | null;
  /** What is shown: the title, or a default. */
  name: string;
  x: number;
  y: number;
  w: number;
  h: number;
  z: number;
  /** Grows with each change of the content. */
  revision: number;
  content: Content;
  chrome: Chrome;
  runtime: Runtime;
  ports: { inputs: PortInfo[]; outputs: PortInfo[] };
  createdAtMs: number;
}

export type NoteCard = CardOf<"note", NoteContent, null>;
export type TodoCard = CardOf<"todo", TodoContent, null>;
export type KanbanCard = CardOf<"kanban", KanbanContent, null>;
export type StickyCard = CardOf<"sticky", StickyContent, null>;
export type TerminalCard = CardOf<"terminal", TerminalContent, TerminalRuntime | null>;
export type CustomCard = CardOf<"custom", CustomContent, CustomRuntime | null>;
export type OtherCard = CardOf<"other", Record<string, unknown>, Record<string, unknown> | null>;
export type Card = NoteCard | TodoCard | KanbanCard | StickyCard | TerminalCard | CustomCard | OtherCard;

export interface ArrowStats {
  passed: number;
  dropped: number;
  refused: number;
  loops: number;
  lastAtMs: number | null;
}
export interface Arrow {
  id: string;
  workspaceId: string;
  a: string;
  b: string;
  direction: Direction;
  drawnBy: { kind: "owner" | "card" | "agent"; id?: string };
  drawnAtMs: number;
  pending: boolean;
  paused: boolean;
  rank: number;
  stats: ArrowStats;
}

export interface JournalEntry {
  id: number;
  atMs: number;
  kind: "delivery" | "refusal" | "loop" | "prompt" | "command" | "request" | "resend" | "retained";
  from: string;
  output: string | null;
  type: string;
  to: string | null;
  input: string | null;
  inputType: string | null;
  arrowId: string | null;
  outcome: "accepted" | "skipped" | "refused" | "dropped" | "loop";
  code: string | null;
  message: string | null;
  sizeBytes: number;
  chain: string;
  hop: number;
  cause: number | null;
  preview: string;
  bodyKept: boolean;
}

export interface Dialog {
  id: string;
  kind: "startProgram" | "permission" | "confirm";
  workspaceId: string;
  cardId: string | null;
  title: string;
  data: Record<string, unknown>;
  deadlineAtMs: number;
}

export interface PackageInfo {
  packageId: string;
  name: string;
  displayName: string;
  description: string;
  version: string;
  kind: string;
  icon: string | null;
  permissions: unknown[];
}

export interface Preferences {
  scheme: SchemeChoice;
  language: Language;
}

export interface Hello {
  protocol: number;
  version: string;
  pageId: string;
  limits: Record<string, number>;
  methods: string[];
  events: string[];
  preferences: Preferences;
  workspaces: Workspace[];
  packages: PackageInfo[];
}

export interface Snapshot {
  workspace: Workspace;
  seq: number;
  cards: Card[];
  arrows: Arrow[];
  dialogs: Dialog[];
}

export type Change =
  | { op: "putCard"; card: Card }
  | { op: "patchCard"; cardId: string; fields: Partial<Card> }
  | { op: "removeCard"; cardId: string }
  | { op: "putArrow"; arrow: Arrow }
  | { op: "removeArrow"; arrowId: string }
  | { op: "patchWorkspace"; fields: Partial<Workspace> };

export interface CanvasChanged {
  workspaceId: string;
  seq: number;
  by: string | null;
  changes: Change[];
}

export interface ArrowActivity {
  workspaceId: string;
  arrows: {
    arrowId: string;
    direction: "forward" | "backward";
    stats: ArrowStats;
    outcome: JournalEntry["outcome"];
    type: string;
  }[];
}
