import { isPlainObject } from "@cardloom/protocol";
import type { CardEventData } from "./contract";
import { Desk, answer } from "./desk";
import type { Incoming } from "./desk";
import { CardSdkError, cut, reasonOf } from "./errors";
import type { HostLink } from "./link";
import type { Log } from "./log";
import type { Stop, ToolCall, ToolResult } from "./types";

/**
 * What a tool does. Nothing returned is "OK", a text is itself, `{content: [...]}` goes as it is, anything else is
 * written as JSON. What it throws reaches the agent as an error.
 */
export type ToolHandler<Args = Record<string, unknown>> = (args: Args, call: ToolCall) => unknown;

interface IncomingTool extends Incoming {
  readonly data: CardEventData["tools.call"];
}

const MAX_ERROR_CHARS = 4000;
const MAX_PROGRESS_CHARS = 200;

/** The tools that agents joined to the card may call. */
export class Tools {
  readonly #link: HostLink;
  readonly #log: Log;
  readonly #desk: Desk<IncomingTool, ToolHandler>;

  constructor(link: HostLink, log: Log) {
    this.#link = link;
    this.#log = log;
    const serve = (call: IncomingTool, handler: ToolHandler, signal: AbortSignal) => this.#serve(call, handler, signal);
    this.#desk = new Desk({ serve }, link.closed);
  }

  /** Lets a function do a tool's work. Calls that came before wait for it until their deadline. */
  handle<Args = Record<string, unknown>>(tool: string, handler: ToolHandler<Args>): Stop {
    return this.#desk.handle(tool, handler as ToolHandler);
  }

  /** Shows a tool to agents, or hides it. */
  async setEnabled(tool: string, enabled: boolean): Promise<void> {
    await this.#link.call("tools.setEnabled", { tool, enabled });
  }

  /** Follows the events of tools. */
  hear(event: string, data: unknown): void {
    if (event === "tools.call") {
      const call = data as CardEventData["tools.call"];
      this.#desk.take({ id: call.callId, name: call.tool, deadline: call.deadline, data: call });
    } else if (event === "tools.cancel") {
      const { callId } = data as CardEventData["tools.cancel"];
      this.#desk.end(callId, new CardSdkError("USER_CANCELLED", "The agent took the call back."));
    }
  }

  async #serve({ data }: IncomingTool, handler: ToolHandler, signal: AbortSignal): Promise<void> {
    const { callId, tool, agent, deadline } = data;
    const progress = (message: string) => {
      if (!signal.aborted) this.#link.post("tools.progress", { callId, message: cut(message, MAX_PROGRESS_CHARS) || "…" });
    };
    const respond = async (outcome: Readonly<Record<string, unknown>>) => {
      if (!signal.aborted) await this.#link.call("tools.respond", { callId, ...outcome });
    };
    let outcome: { readonly result: ToolResult } | { readonly error: string };
    try {
      const value = await handler(data.args as Record<string, unknown>, { callId, tool, agent, deadline, signal, progress });
      outcome = { result: toolResult(value) };
    } catch (error) {
      if (signal.aborted) return;
      const reason = reasonOf(error, MAX_ERROR_CHARS);
      this.#log.warn(`tool ${tool} failed: ${reason}`);
      outcome = { error: reason };
    }
    await answer(respond, outcome, (error) => reasonOf(error, MAX_ERROR_CHARS));
  }
}

/** What a handler returned, as agents get it. */
function toolResult(value: unknown): ToolResult {
  if (isPlainObject(value) && Array.isArray(value["content"])) return value as unknown as ToolResult;
  return { content: [{ type: "text", text: resultText(value) }] };
}

function resultText(value: unknown): string {
  if (value === undefined) return "OK";
  if (typeof value === "string") return value;
  const text = JSON.stringify(value, null, 2) as string | undefined;
  if (text === undefined) throw new CardSdkError("BAD_REQUEST", `A tool cannot answer with a ${typeof value}.`);
  return text;
}

