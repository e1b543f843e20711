import { expect, test } from "vitest";
import { agent, running } from "../../tests/agents";
import { note, settle, snapshot, workspace } from "../../tests/makers";
import { openPage } from "../../tests/page";
import { agentsOf } from "./agentWatch";

const other = workspace("w2");

async function watching() {
  const page = await openPage();
  page.session.watch.follow(["w1", "w2"]);
  await settle();
  expect(page.socket.call("canvas.subscribe").params).toEqual({ workspaceId: "w2" });
  await page.answer("canvas.subscribe", snapshot({ workspace: other, cards: [agent("a"), note("n")] }));
  const statuses = () =>
    agentsOf(page.session.canvas.get(), page.session.watch.others.get()).map(({ workspace: home, card }) => [home.id, card.id, card.runtime?.status]);
  return { ...page, statuses };
}

test("agents of other open workspaces are followed live", async () => {
  const { event, statuses } = await watching();
  expect(statuses()).toEqual([["w2", "a", "idle"]]);
  const changes = [{ op: "patchCard", cardId: "a", fields: { runtime: running({ status: "working" }) } }];
  await event("canvas.changed", { workspaceId: "w2", seq: 2, by: null, changes });
  expect(statuses()).toEqual([["w2", "a", "working"]]);
});

test("after a hole the workspace is read anew", async () => {
  const { socket, event, answer, statuses } = await watching();
  const asked = socket.calls.length;
  await event("canvas.changed", { workspaceId: "w2", seq: 7, by: null, changes: [] });
  expect(socket.calls.slice(asked).map((call) => [call.method, call.params])).toEqual([["canvas.subscribe", { workspaceId: "w2" }]]);
  await answer("canvas.subscribe", snapshot({ workspace: other, seq: 7, cards: [] }));
  expect(statuses()).toEqual([]);
});

test("a workspace that is closed is forgotten without a word to the server", async () => {
  const { session, socket, statuses } = await watching();
  session.watch.follow(["w1"]);
  await settle();
  expect(statuses()).toEqual([]);
  expect(socket.calls.some((call) => call.method === "canvas.unsubscribe")).toBe(false);
});
