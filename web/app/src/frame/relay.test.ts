import { describe, expect, test } from "vitest";
import { Relay, type RelayEnd, type RelayLimits, type RelayPort, type RelaySocket } from "./relay";

class FakePort implements RelayPort {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  readonly given: unknown[] = [];
  started = false;
  closed = false;
  postMessage(message: unknown): void {
    this.given.push(message);
  }
  start(): void {
    this.started = true;
  }
  close(): void {
    this.closed = true;
  }
}

class FakeLine implements RelaySocket {
  bufferedAmount = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  readonly sent: string[] = [];
  closed = false;
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.closed = true;
  }
}

function setUp(limits: Partial<RelayLimits> = {}) {
  const port = new FakePort();
  const line = new FakeLine();
  const ends: RelayEnd[] = [];
  let nowMs = 0;
  const small = { messages: 3, chars: 1000, messagesPerSecond: 5, charsPerSecond: 2000, messageChars: 500 };
  const whole = { ...small, ...limits };
  const relay = new Relay(port, line, (why) => ends.push(why), () => nowMs, whole);
  return {
    port,
    line,
    ends,
    relay,
    say: (message: unknown) => port.onmessage?.({ data: message }),
    pass: (ms: number) => (nowMs += ms),
  };
}

const request = (id: number, params: unknown = {}) => ({ ns: "nscard", v: 1, kind: "req", id, method: "a.b", params });

describe("a relay", () => {
  test("carries what comes before the line is up, in order, and everything after", () => {
    const { port, line, say } = setUp();
    expect(port.started).toBe(true);
    say(request(1));
    say(request(2));
    expect(line.sent).toEqual([]);
    line.onopen?.();
    say(request(3));
    expect(line.sent.map((text) => (JSON.parse(text) as { id: number }).id)).toEqual([1, 2, 3]);
  });

  test("gives the card what the server says as plain values", () => {
    const { port, line } = setUp();
    line.onmessage?.({ data: JSON.stringify({ ns: "nscard", v: 1, kind: "evt", event: "ui.menu", data: { id: "x" } }) });
    expect(port.given).toEqual([{ ns: "nscard", v: 1, kind: "evt", event: "ui.menu", data: { id: "x" } }]);
  });

  test.each([
    ["undefined", undefined],
    ["a date", new Date(0)],
    ["a map", new Map()],
    ["a big integer", 1n],
    ["not a number", NaN],
  ])("refuses %s in a request, since JSON would make something else of it", (_name, value) => {
    const { port, line, say } = setUp();
    line.onopen?.();
    say(request(7, { value }));
    expect(line.sent).toEqual([]);
    expect(port.given).toMatchObject([{ kind: "res", id: 7, ok: false, error: { code: "BAD_REQUEST" } }]);
  });

  test("drops without a word what is neither JSON nor a request", () => {
    const { port, line, say } = setUp();
    line.onopen?.();
    say(new Map());
    expect([line.sent, port.given]).toEqual([[], []]);
  });

  test("ends when too much waits for the line", () => {
    const { ends, line, port, say } = setUp();
    for (let id = 1; id <= 4; id += 1) say(request(id));
    expect(ends).toEqual(["flooded"]);
    expect([line.closed, port.closed]).toEqual([true, true]);
  });

  test("ends when one second brings too many messages, and not when they are spread", () => {
    const calm = setUp();
    calm.line.onopen?.();
    for (let id = 1; id <= 20; id += 1) {
      calm.say(request(id));
      calm.pass(250);
    }
    expect(calm.ends).toEqual([]);
    const flood = setUp();
    flood.line.onopen?.();
    for (let id = 1; id <= 6; id += 1) flood.say(request(id));
    expect(flood.ends).toEqual(["flooded"]);
  });

  test("ends when one second brings too much, and not when it is spread", () => {
    const much = { value: "x".repeat(400) };
    const calm = setUp();
    calm.line.onopen?.();
    for (let id = 1; id <= 20; id += 1) {
      calm.say(request(id, much));
      calm.pass(500);
    }
    expect(calm.ends).toEqual([]);
    const flood = setUp();
    flood.line.onopen?.();
    for (let id = 1; id <= 5; id += 1) flood.say(request(id, much));
    expect(flood.ends).toEqual(["flooded"]);
  });

  test("refuses a message whose texts or names are too long, without writing it", () => {
    const { port, line, say, ends } = setUp();
    line.onopen?.();
    say(request(7, { value: ["x".repeat(501)] }));
    say(request(8, { ["x".repeat(501)]: 1 }));
    say({ kind: "evt", data: "x".repeat(501) });
    expect(line.sent).toEqual([]);
    expect(port.given).toMatchObject([7, 8].map((id) => ({ kind: "res", id, ok: false, error: { code: "TOO_LARGE" } })));
    expect(ends).toEqual([]);
    for (let id = 9; id <= 10; id += 1) say(request(id, { value: "x".repeat(501) }));
    expect(ends).toEqual(["flooded"]);
  });

  test("ends when the line takes nothing any more", () => {
    const { ends, line, say } = setUp();
    line.onopen?.();
    line.bufferedAmount = 1001;
    say(request(1));
    expect(ends).toEqual(["flooded"]);
  });

  test("tells the code with which the server ended the line, once", () => {
    const { ends, line, port } = setUp();
    const { onclose } = line;
    onclose?.({ code: 4411 });
    onclose?.({ code: 1006 });
    expect(ends).toEqual([{ code: 4411 }]);
    expect(port.closed).toBe(true);
  });

  test("closed from this side it tells nobody and carries nothing", () => {
    const { ends, line, port, relay } = setUp();
    line.onopen?.();
    relay.close();
    expect([port.onmessage, line.onclose, ends]).toEqual([null, null, []]);
  });
});
