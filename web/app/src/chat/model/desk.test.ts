import { expect, test } from "vitest";
import { ChatDesk } from "./desk";
import { PlayedServer, settled } from "./testing";
import { ChatWire } from "./wire";

const project = { id: "w1", name: "project" };
const second = { id: "w2", name: "second" };

const session = (id: string) => ({ id, title: id });

function openDesk() {
  const server = new PlayedServer()
    .answer("session.capabilities", () => ({ workspace: { files: true } }))
    .answer("session.list", () => ({ sessions: [] }))
    .answer("session.models", () => [])
    .answer("session.workspace", () => project)
    .answer("session.workspaces", () => [project]);
  const desk = new ChatDesk(new ChatWire(server));
  desk.look("engine");
  return { server, desk, state: () => desk.of("engine").get() };
}

test("a workspace that is switched on another page is the one shown here too", async () => {
  const { server, state } = openDesk();
  await settled();
  expect(state().workspace).toEqual(project);
  server.answer("session.workspace", () => second);
  server.event("session.engineChanged");
  await settled();
  expect(state().workspace).toEqual(second);
});

test("a workspace that is opened can be chosen at once", async () => {
  const { server, state } = openDesk();
  await settled();
  server.answer("session.workspaces", () => [project, second]);
  server.event("workspace.changed", { workspaces: [] });
  await settled();
  expect(state().workspaces).toEqual([project, second]);
});

test("a list of sessions that was overtaken does not come back", async () => {
  const { server, state } = openDesk();
  await settled();
  let answerLate: (answer: object) => void = () => undefined;
  server.answer("session.list", () => new Promise((resolve) => (answerLate = resolve)));
  server.event("session.changed", { backend: "engine" });
  server.answer("session.list", () => ({ sessions: [session("one"), session("two")] }));
  server.event("session.changed", { backend: "engine" });
  await settled();
  answerLate({ sessions: [session("one")] });
  await settled();
  expect(state().sessions?.map(({ id }) => id)).toEqual(["one", "two"]);
});

test("a list of profiles that was overtaken does not come back", async () => {
  const { server, desk, state } = openDesk();
  await settled();
  let answerLate: (answer: object) => void = () => undefined;
  server.answer("session.profiles", () => new Promise((resolve) => (answerLate = resolve)));
  const first = desk.readProfiles("engine");
  server.answer("session.profiles", () => [{ id: "one" }, { id: "two" }]);
  await desk.readProfiles("engine");
  answerLate([{ id: "one" }]);
  await first;
  expect(state().profiles?.map(({ id }) => id)).toEqual(["one", "two"]);
});

test.each(["client.online", "stream.gap"])("after %s a run that ended unheard is marked no more, one that goes on still is", async (missed) => {
  const { server, state } = openDesk();
  await settled();
  for (const sessionId of ["ended", "goes on"]) {
    server.event("session.run", { backend: "engine", sessionId, runId: `run of ${sessionId}`, status: "running" });
  }
  server.answer("session.runs", ({ sessionId }) => [{ runId: "r", status: sessionId === "ended" ? "done" : "running" }]);
  server.event(missed);
  await settled();
  expect([...state().running]).toEqual(["goes on"]);
});

test("what changed unheard is read again", async () => {
  const { server, state } = openDesk();
  server.answerPlainly("session.backends", () => ({ backends: [{ id: "engine", title: "Engine", kind: "own" }] }));
  await settled();
  server.answer("session.list", () => ({ sessions: [session("new")] }));
  server.event("stream.gap");
  await settled();
  expect(state().sessions?.map(({ id }) => id)).toEqual(["new"]);
});
