import type { AgentCard, AgentQuestion, HarnessInfo, StartedAgent } from "../src/wire/records";
import { port } from "./makers";

/** Agents for tests: whole records, with only what matters given. */

export function running(more: Partial<StartedAgent> = {}): StartedAgent {
  return {
    status: "idle",
    started: true,
    evidence: { source: "hook", note: "the session began", atMs: 1_000 },
    sinceMs: 1_000,
    error: null,
    retrying: null,
    title: null,
    model: null,
    turnStartedAtMs: null,
    lastTurn: null,
    question: null,
    reply: null,
    subagents: [],
    sessionId: "s1",
    queued: 0,
    queueRevision: 0,
    dangerous: false,
    pid: 7,
    cwd: "/w1",
    exitCode: null,
    cols: 80,
    rows: 24,
    generation: 1,
    ...more,
  };
}

export const content: AgentCard["content"] = {
  harness: "claude-code",
  model: null,
  folder: null,
  dangerous: false,
  arguments: [],
  worktree: null,
  sessionId: null,
  sessionIds: [],
  wanted: true,
};

export function agent(id: string, runtime: AgentCard["runtime"] = running(), more: Partial<AgentCard> = {}): AgentCard {
  return {
    id,
    workspaceId: "w1",
    kind: "agent",
    type: "claude-code",
    title: null,
    name: id,
    x: 0,
    y: 0,
    w: 680,
    h: 480,
    z: 0,
    revision: 1,
    content,
    chrome: { title: null, status: null, badge: null, overview: null, attention: null },
    runtime,
    ports: { inputs: [port("prompt", "ns:text", { default: true })], outputs: [port("reply", "ns:markdown")] },
    createdAtMs: 0,
    ...more,
  };
}

export const question: AgentQuestion = {
  id: "q1",
  kind: "permission",
  detail: "run rm -rf build",
  action: "rm -rf build",
  tool: "Bash",
  subagent: null,
  choices: ["approve", "always", "deny"],
};

export function harness(id: HarnessInfo["id"], more: Partial<HarnessInfo> = {}): HarnessInfo {
  const own = id === "command" || id === "acp";
  return {
    id,
    name: id,
    found: true,
    program: own ? null : `/bin/${id}`,
    version: own ? null : "1.2.3",
    problem: null,
    command: own ? null : id,
    minVersion: null,
    install: null,
    abilities: {
      resume: true,
      firstPrompt: true,
      modelChoice: !own,
      dangerous: !own,
      mcp: true,
      questions: true,
      always: true,
      answers: "keys",
      reply: "hook",
      statusFrom: ["hook"],
      subagents: false,
    },
    ...more,
  };
}
