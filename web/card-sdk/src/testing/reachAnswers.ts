import { CARD_LIMITS, jsonLength } from "@cardloom/protocol";
import { CardSdkError } from "../errors";
import type { CommandResult, ToolResult } from "../types";
import { ask, checkAnswer, emit, mayRead, send } from "./routing";
import type { Answers, World } from "./world";

/** What stands at the other end of the arrows; a test fills in what its card needs. */
export interface Others {
  /** Answers what the card asks of joined cards. */
  question: (to: string, input: string, data: unknown) => unknown;
  /** Runs what the card runs in joined terminals. */
  command: (agentId: string, command: string) => Partial<CommandResult> | Promise<Partial<CommandResult>>;
}

/** The answers that reach beyond the card: ports, tools, agents, terminals. */
export function reachAnswers(world: World, others: Others): Answers {
  return { ...portAnswers(world, others), ...toolAnswers(world), ...agentAnswers(world, others) };
}

function portAnswers(world: World, others: Others): Answers {
  return {
    "ports.describe": () => ({ inputs: world.inputs, outputs: world.outputs }),
    "ports.peers": () => world.peers,
    "ports.emit": ({ port, data }) => {
      const { accepted } = emit(world.view, port, data);
      world.emitted.push({ port, data });
      return { delivered: accepted.length };
    },
    "ports.send": ({ to, port, data, input }) => {
      const sent = send(world.view, port, data, to, input);
      if (sent === null) return { delivered: 0 };
      world.emitted.push({ port, data, to, input: sent.input.id });
      return { delivered: 1 };
    },
    "ports.request": async ({ to, input, data }) => {
      const asked = ask(world.view, to, input, data);
      const answer = (await others.question(to, input, asked.data)) ?? null;
      checkAnswer(asked.input, answer);
      return { data: answer };
    },
    "ports.respond": ({ requestId, data = null, error }) => {
      const asked = world.asked.get(requestId);
      if (asked === undefined) throw new CardSdkError("NOT_FOUND", "Nobody waits for this answer.");
      if (error === undefined) checkAnswer(asked.input, data);
      world.asked.delete(requestId);
      if (error === undefined) asked.resolve(data);
      else asked.reject(new CardSdkError("INTERNAL", error));
    },
    "ports.read": ({ from, port }) => {
      mayRead(world.view, from, port);
      return world.kept.get(JSON.stringify([from, port])) ?? null;
    },
  };
}

function toolAnswers(world: World): Answers {
  const open = (callId: string) => {
    const call = world.calls.get(callId);
    if (call === undefined) throw new CardSdkError("NOT_FOUND", "Nobody waits for this result.");
    return call;
  };
  return {
    "tools.respond": ({ callId, result, error }) => {
      const call = open(callId);
      if (jsonLength(result ?? null) > CARD_LIMITS.toolResultBytes) throw new CardSdkError("TOO_LARGE", "The result is too large.");
      world.calls.delete(callId);
      if (error === undefined) call.resolve(result as ToolResult);
      else call.reject(new CardSdkError("INTERNAL", error));
    },
    "tools.progress": ({ callId, message }) => open(callId).progress(message),
    "tools.setEnabled": ({ tool, enabled }) => {
      if (!world.manifest.tools.some(({ name }) => name === tool)) {
        throw new CardSdkError("NOT_FOUND", `The manifest declares no tool ${tool}.`);
      }
      if (enabled) world.hiddenTools.delete(tool);
      else world.hiddenTools.add(tool);
    },
  };
}

function agentAnswers(world: World, others: Others): Answers {
  const ofKind = (agentId: string, kind: "ai" | "shell") => {
    const agent = world.agent(agentId);
    if (agent.kind !== kind) throw new CardSdkError("NOT_FOUND", `${agentId} is no ${kind === "ai" ? "agent" : "terminal"}.`);
    return agent;
  };
  return {
    "agents.list": () => world.agents.map(({ id }) => world.agent(id)),
    "agents.get": ({ agentId }) => world.agent(agentId),
    "agents.prompt": (params) => {
      const busy = ofKind(params.agentId, "ai").status === "working";
      if (busy && params.whenBusy === "fail") throw new CardSdkError("BUSY", "The agent is working.");
      world.shown.prompts.push(params);
      if (params.submit === false) return { delivered: "inserted" };
      return { delivered: busy && params.whenBusy !== "send" ? "queued" : "sent" };
    },
    "terminals.run": async (params) => {
      ofKind(params.agentId, "shell");
      world.shown.commands.push(params);
      const result = await others.command(params.agentId, params.command);
      return { exitCode: 0, output: "", truncated: false, timedOut: false, ...result };
    },
    "terminals.write": (params) => {
      ofKind(params.agentId, "shell");
      world.shown.typed.push(params);
    },
  };
}
