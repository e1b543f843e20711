import { beforeEach, describe, expect, test } from "vitest";
import { derivedText, type Message } from "@cardloom/protocol/session";
import { Conversation } from "./conversation";
import { PlayedServer, settled } from "./testing";
import { ChatWire } from "./wire";

const stored = (id: string, role: string, text: string): Message => ({ id, role, parts: [{ type: "text", text }], hash: id });
const start = { type: "run_start", sessionId: "s1", userMessageId: "u1" };
const opened = { type: "message_start", messageId: "a1", role: "assistant", parentId: "u1" };
const delta = (text: string) => ({ type: "part_delta", messageId: "a1", part: 0, delta: text });
const end = { type: "run_end", status: "done" };

describe("a conversation", () => {
  let server: PlayedServer;
  let history: Message[];
  let streams: number;
  let talk: Conversation;
  const shown = () => talk.state.get().transcript.messages.map((message) => `${message.id}:${derivedText(message)}`);

  beforeEach(async () => {
    history = [];
    streams = 0;
    server = new PlayedServer()
      .answer("session.get", () => ({ id: "s1", title: "Talk" }))
      .answer("session.messages", () => history)
      .answer("session.runs", () => [])
      .answer("session.run", () => ({ runId: "r1", messageId: "u1" }))
      .answer("session.follow", () => ({ streamId: `f${++streams}` }))
      .answer("session.leave", () => null);
    talk = new Conversation(new ChatWire(server), "engine", "s1");
    talk.open();
    await settled();
  });

  test("a line is shown at once and its answer as it comes", async () => {
    const sending = talk.send("hello");
    expect(talk.state.get().sending).toBe("hello");
    await sending;
    await settled();
    server.stream("f1", [start, opened, delta("hi"), delta(" you")], 1);
    expect(shown()).toEqual(["u1:hello", "a1:hi you"]);
    expect(talk.running).toBe(true);
  });

  test("a line stays in sight until it is in the history, however long its backend takes to begin", async () => {
    let begun: () => void = () => undefined;
    const { call } = server;
    server.call = async (method, params) => {
      if (method === "session.run") await new Promise<void>((resolve) => (begun = resolve));
      return call.call(server, method, params);
    };
    const sending = talk.send("hello");
    server.event("session.changed", { backend: "engine", sessionId: "s1" });
    await settled();
    expect(talk.state.get().sending).toBe("hello");
    history = [stored("u1", "user", "hello")];
    server.event("session.changed", { backend: "engine", sessionId: "s1" });
    await settled();
    expect([talk.state.get().sending, shown()]).toEqual([null, ["u1:hello"]]);
    begun();
    await sending;
    expect(shown()).toEqual(["u1:hello"]);
  });

  test("what was read stays in sight when the backend goes, with the reason, until it is back", async () => {
    history = [stored("u1", "user", "hello")];
    await talk.load();
    server.refuse("session.messages", "backend_unreachable");
    await talk.load();
    expect(talk.state.get()).toMatchObject({ phase: "ready", failure: { code: "backend_unreachable" } });
    expect(shown()).toEqual(["u1:hello"]);
    server.answer("session.messages", () => history);
    await talk.load();
    expect(talk.state.get()).toMatchObject({ phase: "ready", failure: null });
  });

  test("a session that is gone is said to be gone", async () => {
    server.refuse("session.get", "not_found");
    await talk.load();
    expect(talk.state.get().phase).toBe("gone");
  });

  test("a line stands before its answer also when the answer is heard of first", async () => {
    server.answer("session.run", () => {
      server.event("session.run", { backend: "engine", sessionId: "s1", runId: "r1", status: "running" });
      return { runId: "r1", messageId: "u1" };
    });
    server.refuse("session.messages", "internal"); // so that nothing but the order of events can set it right
    let answered: () => void = () => undefined;
    const { call } = server;
    server.call = async (method, params) => {
      const answer = await call.call(server, method, params);
      if (method === "session.run") await new Promise<void>((resolve) => (answered = resolve));
      return answer;
    };
    const sending = talk.send("hello");
    await settled();
    server.stream("f1", [start, opened, delta("hi")], 1);
    answered();
    await sending;
    expect(shown()).toEqual(["u1:hello", "a1:hi"]);
    expect(server.calledWith("session.follow")).toHaveLength(1);
  });

  test("a refused line is given back and nothing is shown of it", async () => {
    server.refuse("session.run", "conflict");
    await expect(talk.send("hello")).rejects.toMatchObject({ code: "conflict" });
    expect(talk.state.get()).toMatchObject({ sending: null });
    expect(shown()).toEqual([]);
  });

  test("a connection that breaks is taken up behind the last event, without a double", async () => {
    await talk.send("hello");
    await settled();
    server.stream("f1", [start, opened, delta("one")], 1);
    server.event("client.online");
    await settled();
    expect(server.calledWith("session.follow").at(-1)).toMatchObject({ runId: "r1", after: "r1:3" });
    server.stream("f2", [delta("one"), delta(" two")], 3); // the first was told already
    server.stream("f1", [delta("late")], 9); // of a stream that is left
    expect(shown()).toEqual(["u1:hello", "a1:one two"]);
  });

  test("events that were lost on the way are asked for again", async () => {
    await talk.send("hello");
    await settled();
    server.stream("f1", [start, opened], 1);
    server.event("stream.gap");
    await settled();
    expect(server.calledWith("session.follow").at(-1)).toMatchObject({ after: "r1:2" });
  });

  test("after the end the stored messages count", async () => {
    await talk.send("hello");
    await settled();
    history = [stored("u1", "user", "hello"), stored("a1", "assistant", "hi")];
    server.stream("f1", [start, opened, delta("h"), end], 1, true);
    await settled();
    expect(shown()).toEqual(["u1:hello", "a1:hi"]);
    expect(talk.running).toBe(false);
  });

  test("a run that the server has forgotten is read from the messages", async () => {
    server.refuse("session.follow", "not_found");
    history = [stored("u1", "user", "hello"), stored("a1", "assistant", "all of it")];
    await talk.send("hello");
    await settled();
    expect(shown()).toEqual(["u1:hello", "a1:all of it"]);
    expect(talk.running).toBe(false);
  });

  test("a run that another page began is followed, with the line that began it", async () => {
    history = [stored("u1", "user", "theirs")];
    server.event("session.run", { backend: "engine", sessionId: "s1", runId: "r1", status: "running" });
    await settled();
    server.stream("f1", [start, opened, delta("hi")], 1);
    await settled();
    expect(shown()).toEqual(["u1:theirs", "a1:hi"]);
  });

  test("runs and changes of other sessions are nothing to it", async () => {
    const before = server.calls.length;
    server.event("session.run", { backend: "engine", sessionId: "s2", runId: "r2", status: "running" });
    server.event("session.changed", { backend: "pi", sessionId: "s1" });
    await settled();
    expect(server.calls).toHaveLength(before);
  });

  test("an edit tells what the writer has seen", async () => {
    server.answer("session.editMessage", () => stored("u1", "user", "new"));
    await talk.edit(stored("u1", "user", "old"), "new");
    expect(server.calledWith("session.editMessage")).toMatchObject([{ messageId: "u1", text: "new", ifHash: "u1" }]);
  });

  test("a session that is gone says so", async () => {
    server.refuse("session.get", "not_found");
    await talk.load();
    expect(talk.state.get().phase).toBe("gone");
  });
});

test("news that come before the stream has its name are not lost", async () => {
  const server = new PlayedServer();
  const wire = new ChatWire(server);
  server.event("session.stream", { streamId: "f1", events: [{ id: "r1:1", event: { type: "x" } }], ended: false, error: null });
  server.answer("session.follow", () => ({ streamId: "f1" }));
  const heard: unknown[] = [];
  await wire.stream("engine", "follow", {}, { onEvents: (events) => heard.push(...events), onEnd: () => undefined });
  expect(heard).toHaveLength(1);
});
