import { vi } from "vitest";
import type { Card, NetAnswer } from "../../src";
import { settle } from "../../src/testing";
import { outcome } from "./stage";
import type { Stage } from "./stage";
import type { Script } from "./scripts";

interface Abbreviated {
  readonly event: string;
  readonly [key: string]: unknown;
}

/** A recorded event that names only what matters, as the host sends it. */
function inFull(recorded: Abbreviated, more: Readonly<Record<string, unknown>>): unknown {
  const { event, ...data } = recorded;
  return { ns: "nscard", v: 1, kind: "evt", event, data: { ...more, ...data, deadline: Date.now() + 5000 } };
}

/** A recorded event whose deadline stands for so many milliseconds from now. */
function dueIn(ms: number): (recorded: { data: object }) => unknown {
  return (recorded) => ({ ...recorded, data: { ...recorded.data, deadline: Date.now() + ms } });
}

/** A recorded event or answer with the id that the card gave its request. */
function withId(requestId: unknown): (recorded: { data?: object; result?: object }) => unknown {
  return ({ data, result, ...rest }) => ({
    ...rest,
    ...(data && { data: { ...data, requestId } }),
    ...(result && { result: { ...result, requestId } }),
  });
}

async function requestId(stage: Stage): Promise<unknown> {
  return ((await stage.sdk())["params"] as NetAnswer).requestId;
}

function waiting(card: Card, tool: string): { reason: unknown } {
  const seen: { reason: unknown } = { reason: null };
  card.tools.handle(tool, (_, { signal }) => {
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        seen.reason = (signal.reason as { code: unknown }).code;
        resolve("too late");
      });
    });
  });
  return seen;
}

/** What the cards of the scenarios about tools, questions, the network and files do. */
export const MESSAGE_SCRIPTS: Readonly<Record<string, Script>> = {
  tool_call: async (stage) => {
    const card = await stage.meet();
    const results: Readonly<Record<string, unknown>> = {
      str: "text",
      undef: undefined,
      obj: { a: [1] },
      nul: null,
      list: [1],
      full: { content: [{ type: "text", text: "x" }], isError: true },
    };
    for (const [tool, result] of Object.entries(results)) card.tools.handle(tool, () => result);
    card.tools.handle("throws", () => {
      throw new Error("boom");
    });
    card.tools.handle("throwsStr", () => Promise.reject("plain"));
    card.tools.handle("prog", (args, call) => {
      call.progress("p".repeat(300));
      call.progress("");
      return args;
    });
    const call = () => stage.host((recorded: Abbreviated) => inFull(recorded, { args: { q: 1 }, agent: null }));
    for (const messages of [1, 1, 1, 1, 1, 1, 2, 2, 3]) {
      await call();
      for (let number = 0; number < messages; number += 1) await stage.sdk();
    }
  },

  tool_call_invalid_result: async (stage) => {
    const card = await stage.meet();
    card.tools.handle("bad", () => ({ content: [] }));
    card.tools.handle("late", () => "fine");
    await stage.host(dueIn(5000));
    await stage.sdk();
    await stage.host(dueIn(5000));
    await stage.sdk();
    await stage.host();
    await stage.sdk();
  },

  tool_call_cancel: async (stage) => {
    const card = await stage.meet();
    const slow = waiting(card, "slow");
    await stage.host(dueIn(5000));
    await stage.host();
    stage.see({ abortReason: slow.reason, sdkSentAfterHandshake: await stage.sentCount() });
  },

  tool_call_deadline: async (stage) => {
    const card = await stage.meet();
    const slow = waiting(card, "slow");
    await stage.host(dueIn(20));
    await vi.advanceTimersByTimeAsync(20);
    stage.see({ abortReason: slow.reason, sdkSentAfterHandshake: await stage.sentCount() });
  },

  tool_call_before_handler: async (stage) => {
    const card = await stage.meet();
    await stage.host(dueIn(1000));
    await stage.host(dueIn(1000));
    stage.see({ sdkSentAfterHandshake: await stage.sentCount() });
    card.tools.handle("t", () => "now");
    await stage.sdk();
    await vi.advanceTimersByTimeAsync(1000);
    card.tools.handle("u", () => "never");
    stage.see({ sdkSentAfterHandshake: 1 + (await stage.sentCount()) });
  },

  port_request: async (stage) => {
    const card = await stage.meet();
    card.ports.onRequest<number>("ask", (question) => {
      if (question === 3) throw new Error("no");
      return question === 1 ? undefined : { x: 1 };
    });
    for (let number = 0; number < 3; number += 1) {
      await stage.host((recorded: Abbreviated) => inFull(recorded, { from: "c9" }));
      await stage.sdk();
    }
  },

  port_request_no_handler: async (stage) => {
    await stage.meet();
    await stage.host(dueIn(120));
    await vi.advanceTimersByTimeAsync(69);
    const early = await stage.sentCount();
    await vi.advanceTimersByTimeAsync(1);
    await stage.sdk();
    stage.see({ answeredAfterMs: "about 70", ok: early === 0 });
  },

  port_request_bad_reply: async (stage) => {
    const card = await stage.meet();
    card.ports.onRequest("ask", () => new Map());
    await stage.host(dueIn(5000));
    await stage.sdk();
  },

  net_stream: async (stage) => {
    const card = await stage.meet();
    const fetching = card.net.fetch("https://a.example.com/x", { responseType: "stream", headers: { "X-A": "1" } });
    const id = await requestId(stage);
    for (let number = 0; number < 6; number += 1) await stage.host(withId(id));
    const response = await fetching;
    const lines: string[] = [];
    for await (const line of response.lines()) lines.push(line);
    stage.see({ lines, headerLookup: response.headers.get("content-TYPE") });
  },

  net_stream_error: async (stage) => {
    const card = await stage.meet();
    const fetching = card.net.fetch("https://a.example.com", { responseType: "stream" });
    const id = await requestId(stage);
    await stage.host(withId(id));
    await stage.host(withId(id));
    const response = await fetching;
    const got: string[] = [];
    const thenThrows = await outcome(
      (async () => {
        for await (const chunk of response) got.push(chunk);
      })(),
    );
    stage.see({ got, thenThrows });
  },

  net_body_defaults: async (stage) => {
    const card = await stage.meet();
    const url = "https://a.example.com";
    const all = [
      {},
      { body: "x" },
      { body: { a: 1 } },
      { body: new Uint8Array([1, 2, 255]) },
      { method: "PUT", body: "x", headers: { "Content-Type": "text/x" } },
      { body: { a: 1 }, headers: { "Content-Type": "y" } },
      { responseType: "json", timeoutMs: 1500 },
    ] as const;
    for (const options of all) {
      void card.net.fetch(url, options);
      await stage.sdk();
    }
  },

  net_abort_before_answer: async (stage) => {
    const card = await stage.meet();
    const abort = new AbortController();
    const rejected = outcome(card.net.fetch("https://a.example.com", { signal: abort.signal }));
    await stage.sdk();
    abort.abort();
    await stage.sdk();
    stage.see({ rejected: await rejected });
  },

  fs_watch: async (stage) => {
    const card = await stage.meet();
    const got: string[] = [];
    const watching = card.fs.watch("src", ({ path }) => got.push(path), { recursive: true });
    await stage.sdk();
    for (let number = 0; number < 4; number += 1) await stage.host();
    const stop = await watching;
    const stopped = stop();
    await stage.sdk();
    await stage.host();
    await stage.host();
    await stopped;
    await settle();
    stage.see({ got });
  },
};
