import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CardSdkError, isCardSdkError } from "../src";
import type { Card } from "../src";
import { peer, port, settle } from "../src/testing";
import type { MockHost } from "../src/testing";
import { joinedHost } from "./tideClock";

let host: MockHost;
let card: Card;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  host = joinedHost();
  card = await host.connect();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("agents and terminals", () => {
  test("news of agents come in the order of the contract and can be for one alone", async () => {
    const heard: string[] = [];
    card.agents.onStatus(({ agentId, status }) => heard.push(`${agentId} ${status}`));
    card.agents.onTurn(({ phase }) => heard.push(phase), "c_agent");
    card.agents.onStatus(() => heard.push("other"), "c_other");
    await settle();
    await host.setStatus("c_agent", "working");
    await host.setStatus("c_agent", "finished");
    await host.setStatus("c_shell", "working");
    expect(heard).toEqual(["c_agent working", "start", "c_agent finished", "end", "c_shell working"]);
    expect(await card.agents.get("c_agent")).toMatchObject({ connected: true, lastTurn: { endedAs: "finished" } });
    await host.event("agents.changed", { agents: [] });
  });

  test("output comes for the agents asked for, once it is granted", async () => {
    await host.setPermissions("agents.output");
    const heard: string[] = [];
    const stop = card.agents.onOutput(["c_agent"], ({ text }) => heard.push(text));
    await settle();
    await host.printOutput("c_agent", "one");
    stop();
    await settle();
    await host.printOutput("c_agent", "two");
    expect(heard).toEqual(["one"]);
  });

  test("a prompt tells what became of it, and a terminal what its command gave", async () => {
    await host.setPermissions("agents.prompt", "terminals.write");
    await host.setPeers(peer("c_agent", "agent"), peer("c_shell", "terminal"));
    host.onCommand((_, command) => ({ output: `ran ${command}`, exitCode: 3 }));
    expect(await card.agents.prompt("c_agent", "Look.")).toBe("sent");
    expect(await card.agents.prompt("c_agent", "Look.", { submit: false })).toBe("inserted");
    expect(await card.terminals.run("c_shell", "ls", { timeoutMs: 2000 })).toMatchObject({ exitCode: 3, output: "ran ls" });
    await card.terminals.write("c_shell", "q", { submit: true });
    expect(host.shown.typed).toEqual([{ agentId: "c_shell", text: "q", submit: true }]);
    await expect(card.agents.prompt("c_shell", "Look.")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("screens, replies and figures are asked for by agent and span", async () => {
    await host.setPermissions("agents.output", "usage.read");
    host.answerWith("agents.readScreen", ({ lines }) => ({ text: `${lines} lines` }));
    host.answerWith("agents.lastReply", () => ({ text: "Done.", at: 5 }));
    host.answerWith("agents.usage", (span) => span);
    host.answerWith("agents.timeline", (span) => span);
    host.answerWith("usage.summary", ({ period }) => ({ period }));
    expect(await card.agents.readScreen("c_agent", 3)).toBe("3 lines");
    expect(await card.agents.lastReply("c_agent")).toEqual({ text: "Done.", at: 5 });
    expect(await card.agents.usage("c_agent", 1, 2)).toEqual({ agentId: "c_agent", since: 1, until: 2 });
    expect(await card.agents.timeline("c_agent", 1)).toEqual({ agentId: "c_agent", since: 1 });
    expect(await card.usage()).toEqual({ period: "today" });
  });
});

describe("ports", () => {
  test("a value goes to all or to one, a question gets its answer, a kept value is read", async () => {
    await host.setPermissions("cards.connected");
    await host.setPeers(
      peer("c_note", "note"),
      peer("c_asked", "custom", { inputs: [port("ask", "ns:text", { mode: "request", response: { type: "ns:number" } })] }),
    );
    host.onQuestion((_, __, data) => String(data).length);
    host.keep("c_note", "text", "Kept.");
    expect(await card.ports.emit("summary", "# Tides")).toBe(1);
    expect(await card.ports.send("c_note", "summary", "All.", { input: "replace" })).toBe(1);
    expect(await card.ports.request("c_asked", "ask", "four")).toBe(4);
    expect(await card.ports.read("c_note", "text")).toMatchObject({ data: "Kept." });
    expect(host.emitted).toEqual([
      { port: "summary", data: "# Tides" },
      { port: "summary", data: "All.", to: "c_note", input: "replace" },
    ]);
    expect(await card.ports.describe()).toEqual({ inputs: card.ports.inputs, outputs: card.ports.outputs });
  });

  test("a value that breaks the output's type names the place", async () => {
    await expect(card.ports.emit("tide", "high")).rejects.toMatchObject({ code: "INVALID_PARAMS", issues: [{ path: "", keyword: "type" }] });
  });

  test("peers change under the card's feet", async () => {
    const heard: number[] = [];
    const stop = card.ports.onPeersChanged((peers) => heard.push(peers.length));
    await host.setPeers();
    stop();
    expect([heard, card.ports.peers]).toEqual([[0], []]);
  });

  test("the function that came last answers, and a stopped one no longer does", async () => {
    const stopFirst = card.ports.onRequest("lookup", () => ({ from: "first" }));
    const stopSecond = card.ports.onRequest("lookup", () => ({ from: "second" }));
    stopFirst();
    expect(await host.ask("lookup", "x")).toEqual({ from: "second" });
    stopSecond();
    const asked = host.ask("lookup", "x", { timeoutMs: 1000 });
    const failing = expect(asked).rejects.toMatchObject({ code: "INTERNAL", message: expect.stringContaining("no handler") as string });
    await vi.advanceTimersByTimeAsync(950);
    await failing;
  });

  test("the question's signal aborts at its deadline, and nothing is answered after it", async () => {
    let signal: AbortSignal | undefined;
    card.ports.onRequest("lookup", (_, question) => {
      signal = question.signal;
      return new Promise(() => undefined);
    });
    const failing = expect(host.ask("lookup", "x", { timeoutMs: 500 })).rejects.toMatchObject({ code: "TIMEOUT" });
    await vi.advanceTimersByTimeAsync(500);
    await failing;
    expect(isCardSdkError(signal?.reason, "TIMEOUT")).toBe(true);
  });
});

describe("tools", () => {
  test("an agent gets the result, its progress and the words of a failure", async () => {
    const progress: string[] = [];
    card.tools.handle<{ at: string }>("add", ({ at }, call) => {
      call.progress("half");
      return `added ${at} for ${call.agent?.name}`;
    });
    card.tools.handle("list", () => {
      throw new CardSdkError("NOT_FOUND", "No tides yet.");
    });
    const onProgress = (message: string) => void progress.push(message);
    const added = await host.callTool("add", { at: "noon" }, { onProgress });
    expect(added).toEqual({ content: [{ type: "text", text: "added noon for Agent" }] });
    expect(progress).toEqual(["half"]);
    await expect(host.callTool("list")).rejects.toMatchObject({ code: "INTERNAL", message: "No tides yet." });
  });

  test("what cannot be written as JSON is the card's fault and said so", async () => {
    card.tools.handle("add", () => () => undefined);
    await expect(host.callTool("add")).rejects.toMatchObject({ message: expect.stringContaining("function") as string });
  });

  test("a call taken back reaches the handler by its signal", async () => {
    const abort = new AbortController();
    let reason: unknown = null;
    card.tools.handle("add", (_, { signal }) => {
      signal.addEventListener("abort", () => (reason = (signal.reason as CardSdkError).code));
      return new Promise(() => undefined);
    });
    const failing = expect(host.callTool("add", {}, { signal: abort.signal })).rejects.toMatchObject({ code: "USER_CANCELLED" });
    await settle();
    abort.abort();
    await failing;
    await settle();
    expect(reason).toBe("USER_CANCELLED");
  });

  test("open calls end with the connection", async () => {
    let code: unknown = null;
    card.tools.handle("add", (_, { signal }) => {
      signal.addEventListener("abort", () => (code = (signal.reason as CardSdkError).code));
      return new Promise(() => undefined);
    });
    void host.callTool("add").catch(() => undefined);
    await settle();
    card.close();
    expect(code).toBe("UNAVAILABLE");
    await vi.advanceTimersByTimeAsync(5000);
  });

  test("a tool is hidden and shown again", async () => {
    await card.tools.setEnabled("add", false);
    expect([...host.world.hiddenTools]).toEqual(["add"]);
    await card.tools.setEnabled("add", true);
    expect([...host.world.hiddenTools]).toEqual([]);
    await expect(card.tools.setEnabled("gone", true)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});
