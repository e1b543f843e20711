import { beforeEach, expect, test } from "vitest";
import { FakeSocket, FakeTimers, hello, settle } from "../../tests/makers";
import { CanvasClient } from "../connection/client";
import { FileDesk } from "./desk";
import { rowsOf } from "./tree";

let socket: FakeSocket;
let timers: FakeTimers;
let desk: FileDesk;

const entries = (...names: string[]) => ({
  entries: names.map((name) =>
    name.endsWith("/") ? { path: name.slice(0, -1), type: "directory" } : { path: name, type: "file", size: 1 },
  ),
  truncated: false,
});
const rows = () => rowsOf(desk.tree.get()).map((row) => (row.kind === "entry" ? row.path : `(${row.note})`));
const paths = (method: string) => socket.calls.filter((call) => call.method === method).map((call) => call.params["path"]);

/** Answers the watch that a reading begins with, then the list. */
async function answerFolder(watchId: string, ...names: string[]) {
  await socket.answer("files.watch", { watchId });
  await socket.answer("files.list", entries(...names));
}

beforeEach(async () => {
  socket = new FakeSocket();
  timers = new FakeTimers();
  const client = new CanvasClient({ openSocket: () => socket, timers, random: () => 0.5, key: "k", name: "test" });
  client.start();
  await socket.open();
  await socket.answer("client.hello", hello());
  desk = new FileDesk(client, timers, (error) => `told: ${(error as Error).message}`);
  desk.enter("w1");
  await answerFolder("f1", "src/", "a.txt");
});

test("a folder is read when it is unfolded, and not before", async () => {
  expect(rows()).toEqual(["src", "a.txt"]);
  expect(paths("files.list")).toEqual([""]);
  void desk.unfold("src");
  expect(rows()).toEqual(["src", "(loading)", "a.txt"]);
  await answerFolder("f2", "src/b.txt");
  expect(rows()).toEqual(["src", "src/b.txt", "a.txt"]);
});

test("what comes and goes on the disk is read again, once for many changes", async () => {
  for (const path of ["b.txt", "c.txt"]) await socket.event("files.changed", { watchId: "f1", changes: [{ path, type: "rename" }] });
  await timers.pass(300);
  expect(paths("files.list")).toEqual(["", ""]);
  await socket.answer("files.list", entries("src/", "b.txt", "c.txt"));
  expect(rows()).toEqual(["src", "b.txt", "c.txt"]);
});

test("after events were lost all on the screen is read again, and nothing while the drawer is closed", async () => {
  await socket.event("stream.gap", {});
  await socket.answer("files.list", entries("unheard.txt"));
  expect(rows()).toEqual(["unheard.txt"]);
  desk.leave();
  await socket.event("stream.gap", {});
  expect(paths("files.list")).toHaveLength(2);
});

test("a folder that went is forgotten with all below it, and its watch ends", async () => {
  void desk.unfold("src");
  await answerFolder("f2", "src/b.txt");
  await socket.event("files.changed", { watchId: "f1", changes: [{ path: "src", type: "rename" }] });
  await timers.pass(300);
  await socket.answer("files.list", entries("a.txt"));
  expect(rows()).toEqual(["a.txt"]);
  expect(socket.call("files.unwatch").params).toEqual({ watchId: "f2" });
});

test("a folded folder is no longer watched", async () => {
  void desk.unfold("src");
  await answerFolder("f2", "src/b.txt");
  desk.chosen.set("src/b.txt");
  desk.fold("src");
  expect(socket.call("files.unwatch").params).toEqual({ watchId: "f2" });
  expect(desk.chosen.get()).toBe("src");
});

test("a file opens at its line with the folders above it unfolded", async () => {
  desk.open({ path: "src/b.txt", line: 2 });
  await socket.answer("files.read", { data: "one\ntwo\n", encoding: "utf8", size: 8, truncated: false });
  await answerFolder("f2", "src/b.txt");
  expect(desk.shown.get()).toMatchObject({ phase: "ready", ref: { path: "src/b.txt", line: 2 }, content: { lines: ["one", "two"] } });
  expect(rows()).toEqual(["src", "src/b.txt", "a.txt"]);
  expect(desk.chosen.get()).toBe("src/b.txt");
});

test("what a file held before does not come back when its answer is late", async () => {
  desk.open({ path: "a.txt" });
  const early = socket.call("files.read");
  await socket.event("files.changed", { watchId: "f1", changes: [{ path: "a.txt", type: "change" }] });
  await timers.pass(300);
  await socket.answer("files.read", { data: "new", encoding: "utf8", size: 3, truncated: false });
  const old = { data: "old", encoding: "utf8", size: 3, truncated: false };
  await socket.say({ kind: "res", id: early.id, ok: true, result: old });
  expect(desk.shown.get()).toMatchObject({ content: { lines: ["new"] } });
});

test("the file that is looked at follows the disk and keeps the marked line", async () => {
  desk.open({ path: "a.txt" });
  await socket.answer("files.read", { data: "one", encoding: "utf8", size: 3, truncated: false });
  desk.pickLine(1);
  await socket.event("files.changed", { watchId: "f1", changes: [{ path: "a.txt", type: "change" }] });
  await timers.pass(300);
  await socket.answer("files.read", { data: "two", encoding: "utf8", size: 3, truncated: false });
  expect(desk.shown.get()).toMatchObject({ ref: { path: "a.txt", line: 1 }, content: { lines: ["two"] } });
  expect(paths("files.list")).toEqual([""]);
});

test("a file that cannot be read says why, and comes back by itself", async () => {
  desk.open({ path: "a.txt" });
  await socket.refuse("files.read", "FS_ERROR", "'a.txt' does not exist.");
  expect(desk.shown.get()).toMatchObject({ phase: "failed", message: "told: 'a.txt' does not exist." });
  await socket.event("files.changed", { watchId: "f1", changes: [{ path: "a.txt", type: "rename" }] });
  await timers.pass(300);
  await socket.answer("files.read", { data: "back", encoding: "utf8", size: 4, truncated: false });
  expect(desk.shown.get()).toMatchObject({ phase: "ready", content: { lines: ["back"] } });
});

test("the answer for a file that was left shows nothing", async () => {
  desk.open({ path: "a.txt" });
  const first = socket.call("files.read").id;
  desk.open({ path: "b.txt" });
  await socket.answer("files.read", { data: "b", encoding: "utf8", size: 1, truncated: false });
  await socket.say({ kind: "res", id: first, ok: true, result: { data: "a", encoding: "utf8", size: 1, truncated: false } });
  expect(desk.shown.get()).toMatchObject({ content: { lines: ["b"] } });
});

test("an older answer about a folder does not undo a newer one", async () => {
  desk.refresh();
  await settle();
  const older = socket.call("files.list").id;
  desk.refresh();
  await settle();
  await socket.answer("files.list", entries("new.txt"));
  await socket.say({ kind: "res", id: older, ok: true, result: entries("old.txt") });
  expect(rows()).toEqual(["new.txt"]);
});

test("a workspace without access to files says so, and is read again when asked", async () => {
  desk.forget();
  desk.enter("w2");
  await socket.refuse("files.watch", "FS_DENIED", "closed");
  await socket.refuse("files.list", "FS_DENIED", "This workspace gives no access to files.");
  expect(desk.tree.get().folders.get("")).toEqual({ phase: "failed", message: "told: This workspace gives no access to files." });
  desk.refresh();
  await answerFolder("f9", "a.txt");
  expect(rows()).toEqual(["a.txt"]);
});

test("a closed drawer ends its watches and keeps what it read", async () => {
  desk.leave();
  expect(socket.call("files.unwatch").params).toEqual({ watchId: "f1" });
  expect(rows()).toEqual(["src", "a.txt"]);
  await socket.event("files.changed", { watchId: "f1", changes: [{ path: "b", type: "rename" }] });
  await timers.pass(300);
  expect(paths("files.list")).toEqual([""]);
});

test("a watch that comes when the drawer is closed already is let go", async () => {
  void desk.unfold("src");
  desk.leave();
  await socket.answer("files.watch", { watchId: "f7" });
  expect(socket.call("files.unwatch").params).toEqual({ watchId: "f7" });
});

test("an ended watch is begun anew where the folder is still there", async () => {
  await socket.event("files.changed", { watchId: "f1", changes: [{ path: "", type: "ended" }] });
  await timers.pass(300);
  await answerFolder("f3", "other.txt");
  expect(rows()).toEqual(["other.txt"]);
  await socket.event("files.changed", { watchId: "f3", changes: [{ path: "x", type: "rename" }] });
  await timers.pass(300);
  expect(paths("files.list")).toEqual(["", "", ""]);
});

test("what goes to the trash leaves the preview", async () => {
  desk.open({ path: "src/b.txt" });
  const done = desk.trash("src");
  await socket.answer("files.trash", {});
  await done;
  expect(desk.shown.get()).toBeNull();
});
