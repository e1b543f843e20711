import { expect, vi } from "vitest";
import { connect } from "../../src";
import type { Card, CardContext } from "../../src";
import { awaitPort } from "../../src/handshake";
import type { FrameWindow, WindowMessage } from "../../src/handshake";
import { settle } from "../../src/testing";
import { MESSAGE_SCRIPTS } from "./messageScripts";
import { outcome } from "./stage";
import type { Stage } from "./stage";

export type Script = (stage: Stage) => Promise<void>;

async function refusedHandshake(stage: Stage): Promise<void> {
  const connecting = outcome(connect({ port: stage.side.port, theme: false }));
  await stage.sdk();
  await stage.host();
  stage.see({ sdkClosesPort: stage.side.closed });
  stage.see({ connectRejectsWith: await connecting });
}

function countingListener(card: Card, event: string): { count: number } {
  const seen = { count: 0 };
  card.on(event, () => {
    seen.count += 1;
  });
  return seen;
}

/** What each recorded scenario's card does. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  ...MESSAGE_SCRIPTS,

  handshake: async (stage) => {
    const card = await stage.meet();
    stage.see({ connected: !card.closed.aborted, sdkVisible: Object.keys(card.context) });
  },

  handshake_protocol_mismatch: refusedHandshake,
  handshake_other_error: refusedHandshake,

  handshake_timeout: async (stage) => {
    const connecting = outcome(connect({ port: stage.side.port, theme: false }));
    await stage.sdk();
    await vi.advanceTimersByTimeAsync(10_000);
    stage.see({ sdkClosesPort: stage.side.closed });
    stage.see({ connectRejectsWith: await connecting });
  },

  early_events: async (stage) => {
    const connecting = connect({ port: stage.side.port, theme: false });
    await stage.sdk();
    await stage.host();
    await stage.host();
    await stage.host();
    for (let number = 0; number < 600; number += 1) stage.event("ports.message", { input: "in", data: number });
    stage.see({ hostSilently: "sent 600 more ports.message events" });
    await settle();
    stage.see({ sdkSentSoFar: 1 + (await stage.sentCount()) });
    await stage.host();
    await stage.sdk();
    const got: unknown[] = [];
    (await connecting).ports.onMessage((data) => got.push(data));
    await settle();
    stage.see({ listenerGotCount: got.length, first: got[0], last: got.at(-1) });
  },

  ping: async (stage) => {
    await stage.meet();
    await stage.host();
    await stage.sdk();
    await stage.host();
    await stage.sdk();
    stage.see({ pongsExpectAnswer: "they stay in the in-flight set until answered" });
  },

  ping_unanswered_pongs_block: async (stage) => {
    await stage.meetUnseen();
    for (let seq = 0; seq < 70; seq += 1) stage.event("host.ping", { seq });
    const sent = await stage.sentCount();
    stage.see({ hostSent: "70 pings", sdkSent: sent });
    await stage.skip(sent);
    await stage.host();
    await stage.sdk();
    stage.see({ afterOneAnswer: sent + 1 });
  },

  unbuffered_event: async (stage) => {
    const card = await stage.meet();
    for (let number = 0; number < 3; number += 1) await stage.host();
    const settings = countingListener(card, "settings.changed");
    const menu = countingListener(card, "ui.menu");
    const custom = countingListener(card, "custom.thing");
    await settle();
    const listenerCalls = { "settings.changed": settings.count, "ui.menu": menu.count, "custom.thing": custom.count };
    stage.see({ listenerCalls, contextUpdated: card.context.settings.values });
    await stage.host();
    stage.see({ unknownEventsReachListeners: custom.count });
  },

  buffer_cap_and_first_listener: async (stage) => {
    const card = await stage.meet();
    for (let number = 0; number < 130; number += 1) {
      stage.event("ports.message", { input: number % 2 === 0 ? "b" : "a", data: number });
    }
    stage.see({ hostSent: "130 ports.message events, inputs alternate b,a" });
    await settle();
    const first: unknown[] = [];
    const second: unknown[] = [];
    card.ports.onMessage((data) => first.push(data), { input: "a" });
    card.ports.onMessage((data) => second.push(data));
    const beforeMicrotask = first.length;
    await settle();
    stage.see({ beforeMicrotask, firstListener: first.length, secondListener: second.length, lastSeen: first.at(-1) });
  },

  chrome_coalescing: async (stage) => {
    const card = await stage.meet();
    const calls = [0, 1, 2, 3, 4].map((number) => outcome(card.setStatus(`s${number}`)));
    const badge = card.setBadge(3);
    await stage.sdk();
    await stage.sdk();
    await stage.host();
    await stage.host();
    await stage.sdk();
    await stage.host();
    await badge;
    expect(await Promise.all(calls)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
    stage.see({ settled: "all five setStatus calls", context: card.chrome });
  },

  chrome_rate_limited: async (stage) => {
    const card = await stage.meet();
    const one = outcome(card.setStatus("one"));
    await stage.sdk();
    const two = outcome(card.setStatus("two"));
    await stage.host();
    await vi.advanceTimersByTimeAsync(84);
    stage.see({ sdkSentSoFar: 2 + (await stage.sentCount()) });
    await vi.advanceTimersByTimeAsync(1);
    await stage.sdk();
    stage.see({ retriedAfterAtLeastMs: 85, ok: true });
    await stage.host();
    stage.see({ bothResolved: (await one) === "ok" && (await two) === "ok" });
  },

  chrome_other_error: async (stage) => {
    const card = await stage.meet();
    const one = outcome(card.setStatus("one"));
    await stage.sdk();
    const two = outcome(card.setStatus("two"));
    await stage.host();
    await stage.sdk();
    await stage.host();
    stage.see({ first: await one, second: await two });
  },

  attention_lane: async (stage) => {
    const card = await stage.meet();
    void card.attention("info", "");
    await stage.sdk();
    await stage.host();
    void card.attention("none");
    await stage.sdk();
    await stage.host();
    stage.see({ attentionInContext: card.chrome.attention });
  },

  in_flight_limit: async (stage) => {
    const card = await stage.meetUnseen();
    for (let number = 0; number < 70; number += 1) void card.storage.get(`k${number}`);
    const sent = await stage.sentCount();
    stage.see({ requested: 70, sent });
    await stage.skip(sent);
    await stage.host();
    const { id, params } = (await stage.sdk()) as { id: number; params: { key: string } };
    stage.see({ afterOneAnswer: sent + 1, lastId: id, lastKey: params.key });
  },

  local_validation: async (stage) => {
    const card = await stage.meet();
    const nonJson = await outcome(card.storage.set("k", new Date(0)));
    const schema = await outcome(card.storage.get(""));
    const tooLarge = await outcome(card.storage.set("k", "x".repeat(1_100_000)));
    stage.see({ nonJson, schema, tooLarge });
    void card.storage.get("k");
    const { id } = await stage.sdk();
    stage.see({ nextIdUsed: id });
  },

  large_methods: async (stage) => {
    const card = await stage.meet();
    void card.fs.writeText("a", "x".repeat(3_145_728));
    await stage.sdk();
    const over = await outcome(card.fs.writeText("a", "x".repeat(14_000_000)));
    stage.see({ sent: 1, fsWriteOver: over });
  },

  unknown_method_unchecked: async (stage) => {
    const card = await stage.meet();
    const asked = outcome(card.request("future.thing", { a: 1 }));
    await stage.sdk();
    await stage.host();
    expect(await asked).toBe("METHOD_NOT_FOUND");
  },

  bad_host_messages: async (stage) => {
    const card = await stage.meet();
    const asked = outcome(card.getInfo());
    await stage.sdk();
    for (let number = 0; number < 5; number += 1) await stage.host();
    stage.see({ rejectedWith: await asked });
  },

  suspend: async (stage) => {
    const card = await stage.meet();
    const got: unknown[] = [];
    card.on("lifecycle.suspend", (data) => got.push(data));
    card.lifecycle.onSuspend((graceMs) => got.push(graceMs));
    await stage.host();
    stage.see({ got, sdkSentAfterHandshake: await stage.sentCount() });
  },

  topics: async (stage) => {
    const card = await stage.meet();
    const stopOne = card.agents.onStatus(() => undefined);
    const stopTwo = card.on("agents.status", () => undefined);
    await stage.sdk();
    await stage.host();
    stopOne();
    stopTwo();
    await stage.sdk();
    await stage.host();
    card.storage.onChanged(() => undefined);
    await stage.sdk();
  },

  output_topic: async (stage) => {
    const card = await stage.meet();
    card.on("agents.output", () => undefined);
    const stopOne = card.agents.onOutput(["a", "b"], () => undefined);
    const stopTwo = card.agents.onOutput(["b", "c"], () => undefined);
    await stage.sdk();
    await stage.host();
    stopOne();
    await stage.sdk();
    await stage.host();
    stopTwo();
    await stage.sdk();
    await stage.host();
  },

  topic_not_granted: async (stage) => {
    const card = await stage.meet();
    card.agents.onTurn(() => undefined);
    await stage.sdk();
    await stage.host();
    await stage.sdk();
  },

  logs: async (stage) => {
    const card = await stage.meetUnseen();
    for (let number = 0; number < 60; number += 1) card.log.info("line", number);
    const sent = await stage.sentCount();
    stage.see({ logged: 60, sent });
    await stage.skip(sent);
    for (let id = 2; id < 2 + sent; id += 1) stage.answer(id);
    await vi.advanceTimersByTimeAsync(1000);
    card.log.warn("x".repeat(3000));
    const dropped = (await stage.sdk())["params"] as { level: string; message: string };
    const line = (await stage.sdk())["params"] as { level: string; message: string };
    const count = /\d+/.exec(dropped.message)?.[0];
    stage.see({ laterMessages: [[dropped.level, `<dropped ${count}>`], [line.level, line.message.length]] });
  },

  permissions_request: async (stage) => {
    const card = await stage.meet();
    const asked = card.permissions.request("fs.write");
    await stage.sdk();
    await stage.host();
    await stage.sdk();
    await stage.host();
    const { permissions } = card;
    stage.see({ resolved: await asked, hasImplied: permissions.has("fs.read"), hasOther: permissions.has("network") });
  },

  close: async (stage) => {
    const card = await stage.meet();
    const pending = outcome(card.getInfo());
    await stage.sdk();
    card.close();
    stage.see({ sdkClosesPort: stage.side.closed });
    stage.see({ pending: await pending, later: await outcome(card.getInfo()) });
  },

  request_timeouts: async (stage) => {
    const card = await stage.meet();
    let settled = false;
    void outcome(card.getInfo()).then(() => {
      settled = true;
    });
    await stage.sdk();
    await vi.advanceTimersByTimeAsync(3_600_000);
    stage.see({ stillPending: !settled });
  },

  host_supports: async (stage) => {
    const card = await stage.meet();
    const first = outcome(card.host.supports("agents.usage"));
    await stage.sdk();
    await stage.host();
    const second = await outcome(card.host.supports("agents.usage"));
    stage.see({ first: await first, second, sent: 1 + (await stage.sentCount()) });
  },

  settings_and_context: async (stage) => {
    const card = await stage.meet();
    const seen: unknown[] = [];
    card.settings.onChanged(() => seen.push(card.settings.values["a"]));
    for (let number = 0; number < 7; number += 1) await stage.host();
    const { visibility, expanded, instance, peers, i18n }: CardContext = card.context;
    stage.see({
      seen,
      visibility,
      size: instance.size,
      expanded,
      perm: card.permissions.has("fs.read"),
      peers,
      lang: i18n.language,
      secret: card.settings.hasSecret("k"),
    });
  },

  menu: async (stage) => {
    const card = await stage.meet();
    const got: unknown[] = [];
    void card.ui.setMenu([{ id: "a", label: "A", onSelect: () => got.push("handler") }]);
    card.ui.onMenu((id) => got.push(id));
    await stage.sdk();
    await stage.host();
    await stage.host();
    stage.see({ got });
  },

  connect_message: async (stage) => {
    const parent = {};
    const listeners = new Set<(event: WindowMessage) => void>();
    const frame: FrameWindow = {
      parent,
      addEventListener: (_, listener) => listeners.add(listener),
      removeEventListener: (_, listener) => listeners.delete(listener),
    };
    let accepted = 0;
    const awaited = awaitPort(frame).then((port) => {
      accepted += 1;
      return port;
    });
    const data = { ns: "nscard", type: "connect", protocol: 7 };
    const ports = [stage.side.port];
    async function post(message: Partial<WindowMessage>): Promise<number> {
      for (const listener of [...listeners]) listener({ data, source: parent, ports, ...message });
      await settle();
      return accepted;
    }
    stage.see({ wrongSource: await post({ source: {} }) });
    stage.see({ noProtocol: await post({ data: { ns: "nscard", type: "connect" } }) });
    stage.see({ noPort: await post({ ports: [] }) });
    await post({});
    void outcome(connect({ port: await awaited, theme: false }));
    await settle();
    const [ready] = (await stage.skip(1)) as readonly { params: { protocol: number } }[];
    stage.see({ accepted, listenersLeft: listeners.size, readyProtocol: ready?.params.protocol });
  },
};
