import { expect, test } from "vitest";
import { ChatDesk } from "./desk";
import { PlayedServer, settled } from "./testing";
import { ChatWire } from "./wire";

const project = { id: "w1", name: "project" };
const second = { id: "w2", name: "second" };

function openDesk() {
  const server = new PlayedServer()
    .answer("session.capabilities", () => ({ workspace: { files: true } }))
    .answer("session.list", () => ({ sessions: [] }))
    .answer("session.models", () => [])
    .answer("session.workspace", () => project)
    .answer("session.workspaces", () => [project]);
  const desk = new ChatDesk(new ChatWire(server));
  desk.look("engine");
  return { server, state: () => desk.of("engine").get() };
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
