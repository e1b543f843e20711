import { describe, expect, test } from "vitest";
import { FakeSocket, FakeTimers, hello, settle } from "../../tests/makers";
import { CanvasClient } from "./client";
import { CallFailure } from "./failure";

function setUp(maxInFlight = 64) {
  const sockets: FakeSocket[] = [];
  const timers = new FakeTimers();
  const client = new CanvasClient({
    openSocket: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    timers,
    random: () => 0.5,
    key: "the-key",
    name: "test",
    maxInFlight,
  });
  const socket = (): FakeSocket => {
    const last = sockets.at(-1);
    if (last === undefined) throw new Error("no socket was opened");
    return last;
  };
  return { client, timers, sockets, socket };
}

async function connected(maxInFlight?: number) {
  const all = setUp(maxInFlight);
  all.client.start();
  await all.socket().open();
  await all.socket().answer("client.hello", hello());
  return all;
}

describe("greeting", () => {
  test("the first request is client.hello with the key", async () => {
    const { client, socket } = setUp();
    client.start();
    await socket().open();
    expect(socket().calls).toHaveLength(1);
    expect(socket().calls[0]).toMatchObject({ method: "client.hello", params: { key: "the-key", client: "page", protocol: 1 } });
    expect(client.state.phase).toBe("connecting");
    await socket().answer("client.hello", hello());
    expect(client.state.phase).toBe("online");
  });

  test("a key that is not accepted ends the attempts", async () => {
    const { client, socket, timers, sockets } = setUp();
    client.start();
    await socket().open();
    await socket().refuse("client.hello", "PERMISSION_DENIED", "wrong key");
    expect(client.state).toEqual({ phase: "refused", message: "wrong key" });
    expect(socket().closed).toBe(true);
    await timers.pass(60_000);
    expect(sockets).toHaveLength(1);
  });

  test("a server that is not ready yet is asked again", async () => {
    const { client, socket } = setUp();
    client.start();
    await socket().open();
    await socket().refuse("client.hello", "UNAVAILABLE");
    expect(client.state.phase).toBe("offline");
  });
});

describe("calls", () => {
  test("each answer finds its own call, in whatever order they come", async () => {
    const { client, socket } = await connected();
    const first = client.call("workspace.list", {});
    const second = client.call("client.newCode", {});
    await socket().answer("client.newCode", { url: "u" });
    await socket().answer("workspace.list", { workspaces: [] });
    expect(await second).toEqual({ url: "u" });
    expect(await first).toEqual({ workspaces: [] });
  });

  test("a refusal carries code, message and data", async () => {
    const { client, socket } = await connected();
    const call = client.call("canvas.connect", { a: "x", b: "x" });
    const id = socket().call("canvas.connect").id;
    const error = { code: "INVALID_PARAMS", message: "twice", data: { arrowId: "r" } };
    void socket().say({ kind: "res", id, ok: false, error });
    await expect(call).rejects.toMatchObject({ code: "INVALID_PARAMS", message: "twice", data: { arrowId: "r" } });
  });

  test("calls over the limit wait for a place and leave in order", async () => {
    const { client, socket } = await connected(2);
    const before = socket().calls.length;
    for (const method of ["workspace.list", "client.newCode", "package.list", "grant.list"] as const) {
      client.call(method, {}).catch(() => undefined);
    }
    expect(socket().calls).toHaveLength(before + 2);
    await socket().answer("workspace.list", { workspaces: [] });
    expect(socket().calls.at(-1)?.method).toBe("package.list");
    await socket().answer("client.newCode", { url: "u" });
    expect(socket().calls.at(-1)?.method).toBe("grant.list");
  });

  test("a call while the server is away is refused at once", async () => {
    const { client, socket } = await connected();
    await socket().lose();
    await expect(client.call("workspace.list", {})).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("calls in flight are refused when the connection is lost", async () => {
    const { client, socket } = await connected();
    const call = client.call("workspace.list", {});
    void socket().lose();
    await expect(call).rejects.toBeInstanceOf(CallFailure);
  });

  test.each(["", "{", "[]", "null", '{"ns":"other","v":1,"kind":"evt","event":"e"}', '{"ns":"cardloom","v":1,"kind":"res","id":99,"ok":true}'])(
    "a frame that is none of ours is ignored: %s",
    async (text) => {
      const { client, socket } = await connected();
      socket().onmessage?.({ data: text });
      await settle();
      expect(client.state.phase).toBe("online");
    },
  );
});

describe("events", () => {
  test("reach those who listen, until they stop", async () => {
    const { client, socket } = await connected();
    const heard: unknown[] = [];
    const stop = client.on("stream.gap", (data) => heard.push(data));
    await socket().event("stream.gap", { n: 1 });
    stop();
    await socket().event("stream.gap", { n: 2 });
    expect(heard).toEqual([{ n: 1 }]);
  });
});

describe("reconnecting", () => {
  test("the pauses grow up to five seconds and start small again after a success", async () => {
    const { client, socket, timers, sockets } = await connected();
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1) {
      await socket().lose();
      if (client.state.phase !== "offline") throw new Error("not offline");
      pauses.push(client.state.retryAtMs - timers.nowMs());
      await timers.pass(pauses.at(-1) ?? 0);
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
    await socket().open();
    await socket().answer("client.hello", hello());
    await socket().lose();
    expect(client.state).toMatchObject({ phase: "offline", attempt: 1, retryAtMs: timers.nowMs() + 250 });
    expect(sockets).toHaveLength(8);
  });

  test("the page keeps its identity over a reconnect", async () => {
    const { socket, timers } = await connected();
    await socket().lose();
    await timers.pass(250);
    await socket().open();
    expect(socket().call("client.hello").params).toMatchObject({ pageId: "page-1" });
  });

  test("a person need not wait for the pause to end", async () => {
    const { client, socket, sockets, timers } = await connected();
    await socket().lose();
    client.retryNow();
    expect(sockets).toHaveLength(2);
    await timers.pass(10_000);
    expect(sockets).toHaveLength(2);
  });

  test("a late message of a lost socket changes nothing", async () => {
    const { client, socket, timers } = await connected();
    const old = socket();
    await old.lose();
    await timers.pass(250);
    await old.event("stream.gap", {});
    await old.lose();
    expect(client.state.phase).toBe("offline");
    expect(old.closed).toBe(true);
  });
});
