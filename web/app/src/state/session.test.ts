import { describe, expect, test, vi } from "vitest";
import { arrow, FakeSocket, FakeTimers, hello, note, settle, snapshot, todo, workspace } from "../../tests/makers";
import { connect, disconnect } from "../actions/arrows";
import { addCard, arrange, removeCards, renameCard } from "../actions/cards";
import { redo, undo } from "../actions/history";
import { overlaps, type Rect } from "../canvas/geometry";
import { nudge } from "../canvas/nudge";
import { firstWorkspace, Session } from "./session";

async function setUp(more: Parameters<typeof hello>[0] = { workspaces: [workspace("w1"), workspace("w2")] }) {
  const sockets: FakeSocket[] = [];
  const timers = new FakeTimers();
  let remembered: string | null = null;
  const session = new Session(
    {
      openSocket: () => {
        const socket = new FakeSocket();
        sockets.push(socket);
        return socket;
      },
      openCardSocket: () => new FakeSocket() as never,
      timers,
      random: () => 0.5,
      key: "k",
      name: "test",
    },
    { workspaceId: () => remembered, remember: (id) => (remembered = id) },
  );
  const socket = () => sockets.at(-1) as FakeSocket;
  const greet = async () => {
    await socket().open();
    await socket().answer("client.hello", hello(more));
  };
  session.client.start();
  await greet();
  return { session, socket, timers, greet };
}

async function opened() {
  const all = await setUp();
  await all.socket().answer(
    "canvas.subscribe",
    snapshot({ cards: [note("n"), todo("t", { x: 400 })], arrows: [arrow("r", "n", "t")], seq: 10 }),
  );
  return all;
}

test("after events were lost the canvas and the lists beside it are read again", async () => {
  const { session, socket } = await opened();
  await socket().event("stream.gap", {});
  await socket().answer("canvas.subscribe", snapshot({ cards: [note("unheard")], seq: 20 }));
  await socket().answer("workspace.list", { workspaces: [workspace("w1", { name: "Renamed unheard" })] });
  const installed = { packageId: "file:a", name: "a" };
  await socket().answer("package.list", { packages: [installed] });
  expect([...(session.canvas.get()?.cards.keys() ?? [])]).toEqual(["unheard"]);
  expect(session.app.get().workspaces.map(({ name }) => name)).toEqual(["Renamed unheard"]);
  expect(session.app.get().packages).toEqual([installed]);
});

test("after events were lost the preferences are read again, whatever becomes of the lists", async () => {
  const { session, socket } = await opened();
  await socket().event("stream.gap", {});
  await socket().refuse("workspace.list", "RATE_LIMITED");
  expect(socket().call("preferences.set").params).toEqual({});
  await socket().answer("preferences.set", { scheme: "dark", language: "ru" });
  expect(session.app.get().preferences).toEqual({ scheme: "dark", language: "ru" });
});

describe("opening", () => {
  test("the page shows the first open workspace", async () => {
    const { session } = await opened();
    expect(session.load.get()).toEqual({ phase: "ready", workspaceId: "w1" });
    expect(session.canvas.get()?.cards.size).toBe(2);
  });

  test("a refusal is shown with its reason", async () => {
    const { session, socket } = await setUp();
    await socket().refuse("canvas.subscribe", "FS_ERROR", "The folder /w1 is gone.");
    expect(session.load.get()).toEqual({ phase: "failed", workspaceId: "w1", message: "The folder /w1 is gone." });
  });

  test("a closed workspace is opened before it is read", async () => {
    const { session, socket } = await setUp({ workspaces: [workspace("w1", { open: false })] });
    expect(session.load.get().phase).toBe("none");
    void session.show("w1");
    await settle();
    await socket().answer("workspace.open", workspace("w1"));
    await socket().answer("canvas.subscribe", snapshot());
    expect(session.load.get().phase).toBe("ready");
  });

  test("an answer for a workspace that is no longer wanted is ignored", async () => {
    const { session, socket } = await setUp();
    const late = socket().call("canvas.subscribe");
    void session.show("w2");
    await settle();
    await socket().say({ kind: "res", id: late.id, ok: true, result: snapshot() });
    expect(session.canvas.get()).toBeNull();
    expect(session.workspaceId).toBe("w2");
  });

  test("a workspace that is left while it is opened is not followed", async () => {
    const { session, socket } = await setUp({ workspaces: [workspace("w1", { open: false }), workspace("w2")] });
    void session.show("w1");
    await settle();
    void session.show("w2");
    await socket().answer("workspace.open", workspace("w1"));
    const followed = socket().calls.filter((call) => call.method === "canvas.subscribe");
    expect(followed.map((call) => call.params["workspaceId"])).toEqual(["w2", "w2"]);
  });

  test.each([
    ["beside another", ["w1", "w2"]],
    ["alone", ["w1"]],
  ])("a workspace that is closed %s and shown again at once is opened again, and not closed after that", async (_, ids) => {
    const { session, socket } = await setUp({ workspaces: ids.map((id) => workspace(id)) });
    await socket().answer("canvas.subscribe", snapshot());
    const before = socket().calls.length;
    void session.close("w1");
    void session.show("w1");
    await settle();
    const wished = () =>
      socket()
        .calls.slice(before)
        .filter((call) => call.params["workspaceId"] === "w1")
        .map((call) => call.method);
    expect(wished()).toEqual(["canvas.unsubscribe", "workspace.close", "workspace.open"]);
    await socket().answer("workspace.close", workspace("w1", { open: false }));
    await socket().answer("workspace.open", workspace("w1"));
    await socket().answer("canvas.subscribe", snapshot({ seq: 3 }));
    expect(wished().slice(3)).toEqual(["canvas.subscribe"]);
    expect(session.load.get()).toEqual({ phase: "ready", workspaceId: "w1" });
    expect(session.canvas.get()?.seq).toBe(3);
  });

  test("of several the remembered one comes first, then one without a problem", () => {
    const all = [workspace("a", { problem: "gone" }), workspace("b"), workspace("c"), workspace("d", { open: false })];
    expect(firstWorkspace(all, "c")).toBe("c");
    expect(firstWorkspace(all, "d")).toBe("b");
    expect(firstWorkspace(all.slice(0, 1), null)).toBe("a");
    expect(firstWorkspace([], "c")).toBeNull();
  });
});

describe("following", () => {
  const moved = (seq: number, x: number) => ({
    workspaceId: "w1",
    seq,
    by: null,
    changes: [{ op: "patchCard", cardId: "n", fields: { x } }],
  });

  test("changes of other pages appear", async () => {
    const { session, socket } = await opened();
    await socket().event("canvas.changed", moved(11, 55));
    expect(session.canvas.get()?.cards.get("n")?.x).toBe(55);
  });

  test("a hole in the numbers is mended by a new snapshot", async () => {
    const { session, socket } = await opened();
    const asked = () => socket().calls.filter((call) => call.method === "canvas.subscribe").length;
    await socket().event("canvas.changed", moved(13, 55));
    await socket().event("canvas.changed", moved(14, 56));
    expect(asked()).toBe(2);
    await socket().answer("canvas.subscribe", snapshot({ cards: [note("n", { x: 56 })], seq: 14 }));
    await socket().event("canvas.changed", moved(15, 57));
    expect(session.canvas.get()?.cards.get("n")?.x).toBe(57);
    expect(asked()).toBe(2);
  });

  test("after a reconnect the view is kept until the new snapshot replaces it", async () => {
    const { session, socket, timers, greet } = await opened();
    await socket().lose();
    expect(session.canvas.get()?.cards.size).toBe(2);
    await timers.pass(250);
    await greet();
    expect(session.canvas.get()?.cards.size).toBe(2);
    await socket().answer("canvas.subscribe", snapshot({ cards: [note("other")], seq: 3 }));
    expect([...(session.canvas.get()?.cards.keys() ?? [])]).toEqual(["other"]);
  });

  test("a workspace removed elsewhere gives way to another", async () => {
    const { session, socket } = await opened();
    await socket().event("workspace.changed", { workspaces: [workspace("w2")] });
    expect(session.workspaceId).toBe("w2");
  });

  test("a card's toast names the card", async () => {
    const { session, socket, timers } = await opened();
    await socket().event("ui.toast", { cardId: "n", name: "Radar", message: "3 failed", tone: "warning", durationMs: 2000 });
    expect(session.toasts.shown.get()).toMatchObject([{ from: "Radar", message: "3 failed", tone: "warning" }]);
    await timers.pass(2000);
    expect(session.toasts.shown.get()).toEqual([]);
  });
});

describe("acting", () => {
  test("a move is seen at once and taken back when it is refused", async () => {
    const { session, socket } = await opened();
    const moving = arrange(session, [{ cardId: "n", x: 80, y: 0 }]);
    expect(session.canvas.get()?.cards.get("n")?.x).toBe(80);
    await socket().refuse("canvas.arrange", "INVALID_PARAMS");
    await moving;
    expect(session.canvas.get()?.cards.get("n")?.x).toBe(0);
    expect(session.undo.view.get().undoLabel).toBeNull();
    expect(session.toasts.shown.get()).toHaveLength(1);
  });

  test("an undo right after a move takes the move back, not what was done before it", async () => {
    const { session, socket } = await opened();
    void arrange(session, [{ cardId: "t", x: 500, y: 0 }]);
    await socket().answer("canvas.arrange", {});
    void arrange(session, [{ cardId: "n", x: 80, y: 0 }]);
    const undoing = undo(session);
    await settle();
    expect(socket().calls.filter((call) => call.method === "canvas.arrange")).toHaveLength(2);
    await socket().answer("canvas.arrange", {});
    expect(socket().call("canvas.arrange").params["cards"]).toMatchObject([{ cardId: "n", x: 0, y: 0 }]);
    await socket().answer("canvas.arrange", {});
    await undoing;
    expect(session.canvas.get()?.cards.get("t")?.x).toBe(500);
  });

  test("an undo right after keys that moved a card waits until they rest, and takes that back", async () => {
    const { session, socket } = await opened();
    vi.useFakeTimers();
    try {
      nudge(session, ["n"], { x: 16, y: 0 }, false);
      nudge(session, ["n"], { x: 16, y: 0 }, false);
      const undoing = undo(session);
      await vi.advanceTimersByTimeAsync(350);
      expect(socket().call("canvas.arrange").params["cards"]).toMatchObject([{ cardId: "n", x: 32, y: 0 }]);
      await socket().answer("canvas.arrange", {});
      expect(socket().call("canvas.arrange").params["cards"]).toMatchObject([{ cardId: "n", x: 0, y: 0 }]);
      await socket().answer("canvas.arrange", {});
      await undoing;
      expect(session.canvas.get()?.cards.get("n")?.x).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("a move that changes nothing is not sent", async () => {
    const { session, socket } = await opened();
    await arrange(session, [{ cardId: "n", x: 0, y: 0 }]);
    expect(socket().calls.some((call) => call.method === "canvas.arrange")).toBe(false);
  });

  test("a deleted card comes back with its arrows under the same ids", async () => {
    const { session, socket } = await opened();
    void removeCards(session, ["n"]);
    await socket().answer("canvas.removeCard", { arrowIds: ["r"] });
    expect(session.canvas.get()?.arrows.size).toBe(0);
    void undo(session);
    await settle();
    expect(socket().call("canvas.restore").params).toEqual({ workspaceId: "w1", cardIds: ["n"], arrowIds: ["r"] });
    await socket().answer("canvas.restore", { cards: [note("n")], arrows: [arrow("r", "n", "t")], restarted: ["n"] });
    expect(session.canvas.get()?.arrows.has("r")).toBe(true);
    expect(session.toasts.shown.get().at(-1)?.message).toBe("Started anew: n");
    void redo(session);
    await settle();
    expect(socket().calls.filter((call) => call.method === "canvas.removeCard")).toHaveLength(2);
  });

  test("a drawn arrow is undone by cutting it and redone under its id", async () => {
    const { session, socket } = await opened();
    await socket().event("canvas.changed", { workspaceId: "w1", seq: 11, by: null, changes: [{ op: "removeArrow", arrowId: "r" }] });
    void connect(session, "n", "t");
    await socket().answer("canvas.connect", arrow("s", "n", "t"));
    void undo(session);
    await settle();
    expect(socket().call("canvas.disconnect").params).toEqual({ arrowId: "s" });
    await socket().answer("canvas.disconnect", {});
    void redo(session);
    await settle();
    expect(socket().call("canvas.restore").params).toMatchObject({ arrowIds: ["s"] });
  });

  test("an arrow that would carry nothing is not drawn, and the reason is said", async () => {
    const { session, socket } = await opened();
    await connect(session, "n", "t");
    expect(socket().calls.some((call) => call.method === "canvas.connect")).toBe(false);
    expect(session.toasts.shown.get().at(-1)?.message).toBe("n and t are joined already");
  });

  test("cards that are added at once do not cover each other", async () => {
    const { session, socket } = await opened();
    void addCard(session, { kind: "note" }, { x: 2000, y: 0 });
    void addCard(session, { kind: "note" }, { x: 2000, y: 0 });
    await settle();
    const [one, other] = socket().calls.filter((call) => call.method === "canvas.addCard").map((call) => call.params);
    expect(overlaps(one as unknown as Rect, other as unknown as Rect)).toBe(false);
  });

  test("an empty name takes the title away", async () => {
    const { session, socket } = await opened();
    await socket().event("canvas.changed", {
      workspaceId: "w1",
      seq: 11,
      by: null,
      changes: [{ op: "patchCard", cardId: "n", fields: { title: "Old" } }],
    });
    void renameCard(session, "n", "  ");
    await settle();
    expect(socket().call("canvas.updateCard").params).toEqual({ cardId: "n", title: null });
  });

  test("while the server is away an edit is refused with one plain sentence", async () => {
    const { session, socket } = await opened();
    await socket().lose();
    await disconnect(session, ["r"]);
    await undo(session);
    expect(session.toasts.shown.get().map((toast) => toast.message)).toEqual([
      "The server is away. Edits are paused until it is back.",
    ]);
  });
});
