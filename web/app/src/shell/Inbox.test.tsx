import { fireEvent, render, screen, within } from "@testing-library/react";
import { ReactFlowProvider } from "@xyflow/react";
import { beforeEach, expect, test } from "vitest";
import { agent, question, running } from "../../tests/agents";
import { openPage } from "../../tests/page";
import { seenTurns } from "../agents/turns";
import type { Card } from "../wire/records";
import { Inbox } from "./Inbox";

beforeEach(() => seenTurns.set(new Map()));

async function open(cards: Card[]) {
  const page = await openPage({ cards });
  render(
    <ReactFlowProvider>
      <Inbox />
    </ReactFlowProvider>,
    { wrapper: page.wrapper },
  );
  fireEvent.click(screen.getByRole("button", { expanded: false }));
  return { ...page, list: screen.getByRole("dialog", { name: "Inbox" }) };
}

test("an agent's question is answered from the inbox", async () => {
  const { list, socket } = await open([agent("a", running({ status: "needs-input", question }))]);
  expect(within(list).getByText("rm -rf build")).toBeDefined();
  fireEvent.click(within(list).getByRole("button", { name: "Deny" }));
  expect(socket.call("agent.answer").params).toEqual({ cardId: "a", choice: "deny", questionId: "q1" });
});

test("a finished turn lies there with its words until it was seen", async () => {
  const runtime = running({
    status: "finished",
    reply: { text: "All green.", atMs: 5 },
    lastTurn: { startedAt: 1, endedAt: 5, endedAs: "finished" },
  });
  const { list } = await open([agent("a", runtime)]);
  expect(within(list).getByText("All green.")).toBeDefined();
  fireEvent.click(within(list).getByRole("button", { name: "Seen" }));
  expect(within(list).queryByText("All green.")).toBeNull();
  expect(within(list).getByText("No card asks for you.")).toBeDefined();
});

test("going to an agent chooses its card", async () => {
  const { list, session } = await open([agent("a", running({ status: "needs-input", question }))]);
  fireEvent.click(within(list).getByRole("button", { name: "Go to a" }));
  expect(session.ui.get().selection.cardIds).toEqual(["a"]);
});
