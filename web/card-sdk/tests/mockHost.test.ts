import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CARD_METHOD_NAMES, CardSdkError, connect } from "../src";
import { MemoryPort, MockHost, agent, peer, settle } from "../src/testing";
import { MANIFEST } from "./tideClock";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

function hostOf(options: Partial<ConstructorParameters<typeof MockHost>[0]> = {}): MockHost {
  return new MockHost({ manifest: MANIFEST, ...options });
}

describe("the mock host", () => {
  test("refuses a manifest with every fault in it", () => {
    const broken = { ...MANIFEST, name: "Tide Clock", version: "one" };
    expect(() => new MockHost({ manifest: broken })).toThrow(/\/name[\s\S]*\/version|\/version[\s\S]*\/name/);
  });

  test("grants what is required, and words everything in the card's language", async () => {
    const card = await hostOf({ language: "ru" }).connect();
    expect(card.permissions.all[0]).toEqual({
      id: "agents.read",
      optional: false,
      granted: true,
      reason: "Показывает, кто на ногах.",
    });
    expect(card.permissions.has("fs.write")).toBe(false);
    expect(card.ports.inputs[1]?.label).toBe("Найти");
    expect(card.instance.displayName).toBe("Часы прилива");
  });

  test("asks for the handshake first and refuses a card of the future", async () => {
    const host = hostOf();
    const port = host.open();
    const answers: unknown[] = [];
    port.onmessage = ({ data }) => answers.push(data);
    port.postMessage({ ns: "nscard", v: 1, kind: "req", id: 1, method: "card.getInfo", params: {} });
    port.postMessage({ ns: "nscard", v: 1, kind: "req", id: 2, method: "host.ready", params: { sdkVersion: "9", protocol: 2 } });
    port.postMessage({ ns: "nscard", v: 2, kind: "req", id: 3, method: "host.ready" });
    port.postMessage("hello");
    await settle();
    expect(answers).toMatchObject([
      { id: 1, error: { code: "NOT_READY" } },
      { id: 2, error: { code: "PROTOCOL_MISMATCH" } },
      { id: 3, error: { code: "PROTOCOL_MISMATCH" } },
    ]);
  });

  test("counts what comes too often, unless told not to", async () => {
    const host = hostOf();
    const card = await host.connect();
    await card.ui.toast("one");
    await expect(card.ui.toast("two")).rejects.toMatchObject({ code: "RATE_LIMITED", retryAfterMs: 2000 });
    await vi.advanceTimersByTimeAsync(2000);
    await card.ui.toast("three");
    expect(host.shown.toasts.map(({ message }) => message)).toEqual(["one", "three"]);
    const calm = await hostOf({ rates: false }).connect();
    await calm.ui.toast("one");
    await calm.ui.toast("two");
  });

  test("takes 400 calls at once and 200 a second after that", async () => {
    const card = await hostOf().connect();
    const ask = () => card.request("theme.get").then(() => "ok", ({ code }: CardSdkError) => code);
    const outcomes = await Promise.all(Array.from({ length: 401 }, ask));
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(399);
    await vi.advanceTimersByTimeAsync(5);
    expect([await ask(), await ask()]).toEqual(["ok", "RATE_LIMITED"]);
  });

  test("needs the card on screen where the contract does", async () => {
    const card = await hostOf({ visibility: "hidden" }).connect();
    await expect(card.ui.confirm({ title: "?", message: "" })).rejects.toMatchObject({ code: "NOT_VISIBLE" });
  });

  test("answers every method of the contract but those that a test has to answer itself", async () => {
    const host = hostOf({ rates: false });
    const card = await host.connect();
    const { methods } = await card.host.capabilities();
    expect(methods).toEqual(CARD_METHOD_NAMES);
    expect(await card.host.supports("future.thing")).toBe(false);
    await expect(card.request("future.thing")).rejects.toMatchObject({ code: "METHOD_NOT_FOUND" });
    await host.setPermissions("usage.read");
    const error = await card.usage().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "METHOD_NOT_FOUND", message: expect.stringContaining("answerWith") as string });
  });

  test("refuses the next call as told, then answers again", async () => {
    const host = hostOf();
    const card = await host.connect();
    host.refuseNext("storage.get", new CardSdkError("UNAVAILABLE", "Away."));
    await expect(card.storage.get("k")).rejects.toMatchObject({ code: "UNAVAILABLE", message: "Away." });
    expect(await card.storage.get("k")).toBeUndefined();
    expect(() => host.answerWith("tide.turn" as "theme.get", () => null)).toThrow("tide.turn");
  });

  test("keeps its store within the quotas", async () => {
    const card = await hostOf({ rates: false }).connect();
    const large = "x".repeat(1_000_000);
    for (const key of ["a", "b", "c", "d", "e"]) await card.storage.set(key, large);
    await expect(card.storage.set("f", large)).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
    await expect(card.storage.package.set("f", "x".repeat(1_048_576))).rejects.toMatchObject({ code: "TOO_LARGE" });
    await card.storage.package.set("f", large);
  });

  test("has room for four spawned cards", async () => {
    const card = await hostOf({ permissions: ["canvas.spawn"], rates: false }).connect();
    for (let number = 0; number < 4; number += 1) await card.spawn({ kind: "self", init: { number } });
    await expect(card.spawn({ kind: "self" })).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
  });

  test("checks answers against the declared type and lets the card answer again", async () => {
    const host = hostOf();
    const card = await host.connect();
    card.ports.onRequest("lookup", () => "words are no ns:json");
    await expect(host.ask("lookup", "tides")).rejects.toMatchObject({ code: "INTERNAL", message: expect.stringContaining("lookup") as string });
    await expect(card.request("ports.respond", { requestId: "gone", data: 1 })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(() => host.ask("nowhere", 1)).toThrow("nowhere");
  });

  test("gives an agent only so much time for a tool", async () => {
    const host = hostOf();
    await host.connect();
    const failing = expect(host.callTool("add")).rejects.toMatchObject({ code: "TIMEOUT" });
    await vi.advanceTimersByTimeAsync(5000);
    await failing;
  });

  test("leaves out topics that are not granted and agents that are not joined", async () => {
    const host = hostOf({ permissions: ["agents.output"], agents: [agent("c_agent"), agent("c_far")], peers: [peer("c_agent", "agent")] });
    const card = await host.connect();
    const subscribe = (topics: ("agents.output" | "storage.changed" | "agents.status")[], agentIds: string[]) =>
      card.request("events.subscribe", { topics, agentIds });
    expect(await subscribe(["storage.changed", "agents.output"], ["c_agent"])).toEqual({ topics: ["storage.changed", "agents.output"] });
    await expect(subscribe(["agents.output"], ["c_far"])).rejects.toMatchObject({ code: "NOT_CONNECTED" });
    await host.setPermissions();
    expect(await subscribe(["agents.status"], [])).toEqual({ topics: [] });
  });

  test("cuts the earlier card off when another connects", async () => {
    const host = hostOf();
    const first = await host.connect();
    const second = await host.connect();
    const got: string[] = [];
    first.ports.onMessage(() => got.push("first"));
    second.ports.onMessage(() => got.push("second"));
    await host.deliver("notes", "x");
    expect(got).toEqual(["second"]);
  });

  test("tells agents' statuses without a turn where nothing began or ended", async () => {
    const host = hostOf({ agents: [agent("c_agent", { status: "idle" })] });
    const card = await host.connect();
    const heard: string[] = [];
    card.agents.onStatus(({ status }) => heard.push(status));
    card.agents.onTurn(({ phase }) => heard.push(phase));
    await settle();
    for (const status of ["finished", "working", "idle"] as const) await host.setStatus("c_agent", status);
    expect(heard).toEqual(["finished", "working", "start", "idle", "end"]);
    expect((await card.agents.get("c_agent")).lastTurn).toBeUndefined();
  });
});

describe("a port in memory", () => {
  test("carries what JSON carries, in order, also what came before there was a listener", async () => {
    const [one, two] = MemoryPort.pair();
    one.postMessage({ a: undefined, b: [undefined, 1] });
    one.postMessage(undefined);
    one.postMessage("second");
    const got: unknown[] = [];
    two.onmessage = ({ data }) => got.push(data);
    await settle();
    expect(got).toEqual([{ b: [null, 1] }, "second"]);
    two.close();
    one.postMessage("late");
    await settle();
    expect([got.length, one.closed]).toEqual([2, true]);
  });

  test("a host that never answers is a timeout", async () => {
    const [, theirs] = MemoryPort.pair();
    const failing = expect(connect({ port: theirs, theme: false, timeoutMs: 300 })).rejects.toMatchObject({ code: "TIMEOUT" });
    await vi.advanceTimersByTimeAsync(300);
    await failing;
  });
});
