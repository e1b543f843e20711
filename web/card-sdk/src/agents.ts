import type { AgentInfo } from "@cardloom/protocol";
import type { CardEventData } from "./contract";
import { given } from "./given";
import type { EventHub } from "./hub";
import type { HostLink } from "./link";
import { OUTPUT } from "./topics";
import type { Topics } from "./topics";
import type { AgentTimeline, AgentUsage, CommandResult, Stop } from "./types";

export interface PromptOptions {
  /** False types the prompt without sending it. */
  readonly submit?: boolean | undefined;
  /** What to do while the agent works; it is queued by default. */
  readonly whenBusy?: "queue" | "send" | "fail" | undefined;
}

/** The agents and terminals of the workspace. Touching one takes an arrow to it. */
export class Agents {
  readonly #link: HostLink;
  readonly #hub: EventHub;
  readonly #topics: Topics;

  constructor(link: HostLink, hub: EventHub, topics: Topics) {
    this.#link = link;
    this.#hub = hub;
    this.#topics = topics;
  }

  /** All of them, joined or not. */
  async list(): Promise<readonly AgentInfo[]> {
    return (await this.#link.call("agents.list")) as readonly AgentInfo[];
  }

  /** One of them. NOT_FOUND. */
  async get(agentId: string): Promise<AgentInfo> {
    return (await this.#link.call("agents.get", { agentId })) as AgentInfo;
  }

  /** The text on a joined one's screen, its last `lines` (1 to 500) if given. */
  async readScreen(agentId: string, lines?: number): Promise<string> {
    return ((await this.#link.call("agents.readScreen", { agentId, ...given({ lines }) })) as { text: string }).text;
  }

  /** The final message of a joined agent's last turn; null where its harness does not tell. */
  async lastReply(agentId: string): Promise<{ readonly text: string | null; readonly at: number | null }> {
    return (await this.#link.call("agents.lastReply", { agentId })) as { text: string | null; at: number | null };
  }

  /** Sends a joined agent a prompt. Never hand on text that the user has not seen. */
  async prompt(agentId: string, text: string, { submit, whenBusy }: PromptOptions = {}): Promise<"sent" | "queued" | "inserted"> {
    const params = { agentId, text, ...given({ submit, whenBusy }) };
    return ((await this.#link.call("agents.prompt", params)) as { delivered: "sent" | "queued" | "inserted" }).delivered;
  }

  /** What a joined agent used between two moments (epoch ms), until now by default. */
  async usage(agentId: string, since: number, until?: number): Promise<AgentUsage> {
    return (await this.#link.call("agents.usage", { agentId, since, ...given({ until }) })) as AgentUsage;
  }

  /** A joined agent's requests, statuses and turns between two moments (epoch ms), until now by default. */
  async timeline(agentId: string, since: number, until?: number): Promise<AgentTimeline> {
    return (await this.#link.call("agents.timeline", { agentId, since, ...given({ until }) })) as AgentTimeline;
  }

  /** Calls a function with each new status, of one agent if named. */
  onStatus(handler: (change: CardEventData["agents.status"]) => void, agentId?: string): Stop {
    return this.#onTopic("agents.status", (change) => {
      if (agentId === undefined || change.agentId === agentId) handler(change);
    });
  }

  /** Calls a function with each begin and end of a turn, of one agent if named. */
  onTurn(handler: (turn: CardEventData["agents.turn"]) => void, agentId?: string): Stop {
    return this.#onTopic("agents.turn", (turn) => {
      if (agentId === undefined || turn.agentId === agentId) handler(turn);
    });
  }

  /** Calls a function with all agents whenever some came, went or were renamed. */
  onChanged(handler: (agents: readonly AgentInfo[]) => void): Stop {
    return this.#onTopic("agents.changed", ({ agents }) => handler(agents));
  }

  /** Calls a function with what these joined agents and terminals print, without control sequences. */
  onOutput(agentIds: readonly string[], handler: (output: CardEventData["agents.output"]) => void): Stop {
    const wanted = new Set(agentIds);
    const stopListening = this.#hub.on(OUTPUT, (data) => {
      const output = data as CardEventData["agents.output"];
      if (wanted.has(output.agentId)) handler(output);
    });
    const stopWatching = this.#topics.watch(agentIds);
    return () => {
      stopListening();
      stopWatching();
    };
  }

  #onTopic<Topic extends "agents.status" | "agents.turn" | "agents.changed">(
    topic: Topic,
    handler: (data: CardEventData[Topic]) => void,
  ): Stop {
    const stopListening = this.#hub.on(topic, (data) => handler(data as CardEventData[Topic]));
    const stopWanting = this.#topics.want(topic);
    return () => {
      stopListening();
      stopWanting();
    };
  }
}

/** Joined terminals. They run commands with all rights of the user. */
export class Terminals {
  readonly #link: HostLink;

  constructor(link: HostLink) {
    this.#link = link;
  }

  /** Runs a command and waits for its end, for 1 to 120 s. */
  async run(agentId: string, command: string, { timeoutMs }: { readonly timeoutMs?: number | undefined } = {}): Promise<CommandResult> {
    return (await this.#link.call("terminals.run", { agentId, command, ...given({ timeoutMs }) })) as CommandResult;
  }

  /** Types text, and presses Enter with `submit`. */
  async write(agentId: string, text: string, { submit }: { readonly submit?: boolean | undefined } = {}): Promise<void> {
    await this.#link.call("terminals.write", { agentId, text, ...given({ submit }) });
  }
}
