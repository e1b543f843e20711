/** Agents: what they are to be, what they do, and what waits for them. */

import type { AgentStatus, HarnessId } from "../generated";
import type { CardId } from "../ids";

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
