import type {
  AgentInfo,
  AgentStatus,
  CARD_LIMITS,
  Chrome,
  Language,
  PeerInfo,
  PermissionView,
  Ports,
  SettingValue,
  Size,
  ThemeToken,
} from "@cardloom/protocol";

/** Ends what the call that gave it began. Calling it again does nothing. */
export type Stop = () => void;

/** `visible` on screen, `overview` drawn as a tile by the host, `hidden` out of sight. */
export type Visibility = "visible" | "overview" | "hidden";

/** Why the page was loaded: for the first time ever, after a suspension, or anew. */
export type Launch = "created" | "resumed" | "reloaded" | (string & Record<never, never>);

/** Who the card is; `instanceId` is its id on the canvas. */
export interface CardInstance {
  readonly instanceId: string;
  readonly packageId: string;
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
  readonly commit: string | null;
  readonly title: string | null;
  readonly size: Size;
  readonly dev: boolean;
}

/** `path` is there for cards that may read files. */
export interface WorkspaceInfo {
  readonly id: string;
  readonly name: string;
  readonly path?: string;
}

export interface Theme {
  readonly scheme: "dark" | "light" | (string & Record<never, never>);
  readonly tokens: { readonly [Token in ThemeToken]?: string };
  readonly fontSans: string;
  readonly fontMono: string;
}

export interface I18n {
  readonly language: Language;
  readonly locale: string;
}

/** Values with defaults filled in; of secrets only whether they are set. */
export interface Settings {
  readonly values: Readonly<Record<string, SettingValue>>;
  readonly secrets: Readonly<Record<string, boolean>>;
}

/** All that the host tells a card when it is ready, kept current afterwards. */
export interface CardContext {
  readonly protocol: number;
  readonly appVersion: string;
  readonly instance: CardInstance;
  readonly workspace: WorkspaceInfo;
  readonly visibility: Visibility;
  readonly expanded: boolean;
  readonly theme: Theme;
  readonly i18n: I18n;
  readonly settings: Settings;
  readonly permissions: readonly PermissionView[];
  readonly ports: Ports;
  readonly peers: readonly PeerInfo[];
  readonly launch: Launch;
  /** What the card that spawned this one gave it; absent otherwise. */
  readonly spawnInit?: unknown;
  readonly limits: { readonly [Name in keyof typeof CARD_LIMITS]?: number };
  /** What the host shows around the card, also from before a reload. */
  readonly chrome: Chrome;
}

/** A value that arrived at an input. `type` is the input's, `sourceType` what the sender's output declares. */
export interface PortMessage<Data = unknown> {
  readonly from: string;
  readonly fromKind: string;
  readonly output: string;
  readonly input: string;
  readonly type: string;
  readonly sourceType?: string;
  readonly data: Data;
  readonly at: number;
}

/** A question from another card; `signal` aborts when nobody waits for the answer any more. */
export interface PortQuestion {
  readonly requestId: string;
  readonly from: string;
  readonly input: string;
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** An agent's call of a tool; `signal` aborts at the deadline and when the agent takes the call back. */
export interface ToolCall {
  readonly callId: string;
  readonly tool: string;
  readonly agent: { readonly id: string; readonly name: string } | null;
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** Tells the agent how far the tool is, in at most 200 characters. */
  progress(message: string): void;
}

export type ToolContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: "image/png" | "image/jpeg" | "image/webp" | "image/gif" };

/** A tool's result as agents get it. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  readonly isError?: boolean;
}

export interface FsStat {
  readonly path: string;
  readonly type: "file" | "directory";
  readonly size: number;
  readonly mtimeMs: number;
}

export interface FsEntry {
  readonly path: string;
  readonly type: "file" | "directory";
  readonly size?: number;
}

/**
 * Below a watched path an entry changed (`change`), or came, went or was replaced (`rename`); or changes were lost and
 * a look is needed (`rescan`); or the path leads elsewhere now and the watch is over (`ended`).
 */
export interface FsChange {
  readonly watchId: string;
  readonly path: string;
  readonly type: "change" | "rename" | "rescan" | "ended";
}

export interface CommandResult {
  readonly exitCode: number | null;
  readonly output: string;
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

/** Tokens of a span of time; null is "not reported", never zero. */
interface TokenCounts {
  readonly requests: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly totalTokens: number | null;
  readonly costMicroUsd: number | null;
}

/** The work of one agent in a span of time. */
export interface AgentUsage extends TokenCounts {
  readonly agentId: string;
  readonly harness: string;
  readonly since: number;
  readonly until: number;
  readonly status: AgentStatus;
  readonly usageReadable: boolean;
  readonly model?: string;
  readonly provider?: string;
  readonly prompts: number;
  readonly costPartial: boolean;
  readonly workingMs: number;
  readonly elapsedMs: number | null;
  readonly firstPromptAt: number | null;
  readonly lastFinishedAt: number | null;
  readonly timingComplete: boolean;
  readonly scannedAt: number | null;
  /** Of which by subagents; both are absent where the harness cannot tell them apart. */
  readonly subagents?: TokenCounts & { readonly count: number };
  readonly mainOnly?: TokenCounts;
}

export interface TimelineRequest {
  readonly startedAt: number | null;
  readonly endedAt: number;
  readonly model?: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly tools?: readonly string[];
  readonly subagent?: { readonly id: string; readonly name?: string };
}

/** An agent's requests, statuses and turns in a span of time, oldest first. */
export interface AgentTimeline {
  readonly agentId: string;
  readonly harness: string;
  readonly since: number;
  readonly until: number;
  readonly usageReadable: boolean;
  readonly requestTimes: "start-end" | "end" | "none";
  readonly requests: readonly TimelineRequest[];
  readonly truncated: boolean;
  readonly statuses: readonly { readonly status: AgentStatus; readonly from: number; readonly to: number }[];
  readonly turns: readonly {
    readonly start: number;
    readonly end: number | null;
    readonly endedAs?: "finished" | "needs-input";
    readonly counted: boolean;
  }[];
  readonly scannedAt: number | null;
}

export interface UsageRow {
  readonly name: string;
  readonly harness: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly costMicroUsd: number | null;
}

/** Tokens and money of the workspace. A row without a known price is not in the total and sets `partial`. */
export interface UsageSummary {
  readonly period: "today" | "7d" | "30d";
  readonly from: string;
  readonly to: string;
  readonly rows: readonly UsageRow[];
  readonly totalCostMicroUsd: number;
  readonly partial: boolean;
}

export interface Capabilities {
  readonly protocol: number;
  readonly methods: readonly string[];
  readonly events: readonly string[];
}

/** The head of an HTTP answer with its body, unless that is streamed. */
export interface NetAnswer {
  readonly requestId: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly url: string;
  readonly body?: string;
  readonly json?: unknown;
  readonly truncated?: boolean;
}

export interface NetChunk {
  readonly requestId: string;
  readonly chunk: string;
  readonly encoding: "text" | "base64";
  readonly done: boolean;
  readonly error?: string;
}

export type { AgentInfo };
