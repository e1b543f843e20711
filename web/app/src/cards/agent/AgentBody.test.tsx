import { screen, waitFor, within } from "@testing-library/react";
import { fireEvent } from "@testing-library/dom";
import { expect, test, vi } from "vitest";
import { agent, content, question, running } from "../../../tests/agents";
import { showCard } from "../testing/cardHost";

vi.mock("../terminal/TerminalView", () => ({ default: () => <p>screen</p> }));

const quiet = { "agent.diff": () => null, "queue.list": () => ({ prompts: [] }) };
const asking = running({ status: "needs-input", question });

test("a question shows its exact action and is answered by its name", async () => {
  const { user, calls } = showCard(agent("a", asking), { ...quiet, "agent.answer": () => ({}) });
  const banner = screen.getByRole("alert");
  expect(within(banner).getByText("rm -rf build")).toBeDefined();
  await user.click(within(banner).getByRole("button", { name: "Always" }));
  expect(calls).toContainEqual({ method: "agent.answer", params: { cardId: "a", choice: "always", questionId: "q1" } });
});

test("only the answers that the agent takes are offered, and none where it must be asked itself", () => {
  const { change } = showCard(agent("a", running({ ...asking, question: { ...question, choices: ["approve", "deny"] } })), quiet);
  expect(screen.queryByRole("button", { name: "Always" })).toBeNull();
  expect(screen.getByRole("button", { name: "Deny" })).toBeDefined();
  change({ runtime: running({ ...asking, question: { ...question, choices: [] } }) });
  expect(screen.queryByRole("button", { name: "Deny" })).toBeNull();
  expect(screen.getByText("Answer it in the terminal.")).toBeDefined();
});

test("a question that is not open any more is gone, and its keys with it", async () => {
  const { change, calls } = showCard(agent("a", asking), quiet);
  change({ runtime: running({ status: "working" }) });
  expect(screen.queryByRole("alert")).toBeNull();
  fireEvent.keyDown(document.body, { code: "KeyY", altKey: true });
  await Promise.resolve();
  expect(calls.some((call) => call.method === "agent.answer")).toBe(false);
});

test("what was refused is said with the reason", async () => {
  const { user, toasts } = showCard(agent("a", asking, { name: "Fixer" }), {
    ...quiet,
    "agent.answer": () => {
      throw new Error("that question is not open any more");
    },
  });
  await user.click(screen.getByRole("button", { name: "Approve" }));
  expect(toasts()).toEqual(["Answering in “Fixer” did not work: that question is not open any more"]);
});

test("Enter sends a prompt and Shift+Enter begins a line", async () => {
  const { user, calls } = showCard(agent("a", running({ status: "working" })), {
    ...quiet,
    "agents.prompt": () => ({ delivered: "queued" }),
  });
  const box = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Prompt to a" });
  await user.type(box, "one{Shift>}{Enter}{/Shift}two{Enter}");
  expect(calls).toContainEqual({ method: "agents.prompt", params: { agentId: "a", text: "one\ntwo", whenBusy: "queue" } });
  expect(box.value).toBe("");
});

test("a prompt that was not taken stays in the box", async () => {
  const { user, toasts } = showCard(agent("b"), {
    ...quiet,
    "agents.prompt": () => {
      throw new Error("not delivered");
    },
  });
  const box = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Prompt to b" });
  await user.type(box, "keep me{Enter}");
  expect(box.value).toBe("keep me");
  expect(toasts()).toHaveLength(1);
});

test("a prompt starts an agent that does not run", async () => {
  const { user, calls } = showCard(agent("c", running({ status: "exited", exitCode: 0 })), {
    ...quiet,
    "agent.start": () => ({}),
  });
  await user.type(screen.getByRole("textbox", { name: "Prompt to c" }), "go{Enter}");
  expect(calls).toContainEqual({ method: "agent.start", params: { cardId: "c", prompt: "go" } });
});

test("an agent that was never started has a button for it and no screen", async () => {
  const { user, calls } = showCard(agent("a", null), { ...quiet, "agent.start": () => ({}) });
  expect(screen.getByText("Claude Code does not run.")).toBeDefined();
  expect(screen.queryByText("screen")).toBeNull();
  await user.click(screen.getAllByRole("button", { name: "Start" })[0] as HTMLElement);
  expect(calls).toContainEqual({ method: "agent.start", params: { cardId: "a" } });
});

test("the status tells what it rests on", async () => {
  const { user } = showCard(agent("a", running({ status: "working" })), quiet);
  const status = screen.getByRole("button", { name: "Status: working" });
  expect(status.title).toBe("Its own report – the session began");
  await user.click(status);
  const facts = screen.getByRole("region", { name: "What the status of a rests on" });
  expect(within(facts).getByText("Its own report – the session began")).toBeDefined();
});

test("a failed turn and a request that is tried again are said", () => {
  const { change } = showCard(agent("a", running({ status: "finished", error: "rate_limit" })), quiet);
  expect(screen.getByText("The last turn failed: rate_limit")).toBeDefined();
  change({ runtime: running({ status: "working", retrying: "overloaded" }) });
  expect(screen.getByText("Trying again: overloaded")).toBeDefined();
});

test("the changes of its folder are looked at again when a turn ends", async () => {
  const { calls, change } = showCard(agent("a", running({ status: "working" }), { content: { ...content, worktree: { branch: "fix", path: "/t" } } }), {
    ...quiet,
    "agent.diff": () => ({ branch: "fix", files: 2, added: 6, removed: 1 }),
  });
  expect(await screen.findByText("+6")).toBeDefined();
  expect(screen.getByText("⎇ fix")).toBeDefined();
  const before = calls.filter((call) => call.method === "agent.diff").length;
  change({ runtime: running({ status: "finished", lastTurn: { startedAt: 1, endedAt: 2, endedAs: "finished" } }) });
  await waitFor(() => expect(calls.filter((call) => call.method === "agent.diff").length).toBe(before + 1));
});

test("what could not be asked while the server was away is asked once it is back", async () => {
  const reply = { text: "x".repeat(4000), atMs: 5 };
  let isAway = true;
  const answered = (answer: object) => () => {
    if (isAway) throw new Error("away");
    return answer;
  };
  const { user, emit } = showCard(agent("a", running({ status: "finished", reply })), {
    ...quiet,
    "agent.diff": answered({ branch: "fix", files: 2, added: 6, removed: 1 }),
    "agents.lastReply": answered({ text: "the whole reply", at: 5 }),
  });
  await user.click(screen.getByRole("button", { name: "Last reply" }));
  expect(screen.queryByText("+6")).toBeNull();
  isAway = false;
  emit("client.online", {});
  expect(await screen.findByText("+6")).toBeDefined();
  expect(await screen.findByText("the whole reply")).toBeDefined();
});

const waiting = [
  { id: "p1", text: "first", from: null, fromName: null, atMs: 1, problem: null, state: "waiting" },
  { id: "p2", text: "second", from: "n", fromName: "Note", atMs: 2, problem: "not delivered", state: "waiting" },
];

test("waiting prompts tell who sent them and why they still wait", async () => {
  showCard(agent("a", running({ queued: 2, queueRevision: 1 })), { ...quiet, "queue.list": () => ({ prompts: waiting }) });
  expect(await screen.findByText("2 prompts wait")).toBeDefined();
  expect(screen.getByText("you")).toBeDefined();
  expect(screen.getByText("Note · not delivered")).toBeDefined();
});

test("a prompt that may have been delivered asks a person to decide", async () => {
  const [first, second] = waiting;
  const prompts = [
    { ...second, state: "unsure", problem: null },
    { ...first, state: "typing" },
  ];
  showCard(agent("a", running({ queued: 2, queueRevision: 1 })), { ...quiet, "queue.list": () => ({ prompts }) });
  expect(await screen.findByText(/^Note · perhaps delivered/)).toBeDefined();
  expect(screen.getByText("you · being typed")).toBeDefined();
});

test("waiting prompts are moved, edited, sent and taken away from the keyboard", async () => {
  const [first, second] = waiting;
  const { user, calls } = showCard(agent("a", running({ queued: 2, queueRevision: 1 })), {
    ...quiet,
    "queue.list": () => ({ prompts: waiting }),
    "queue.move": () => ({ prompts: [second, first] }),
    "queue.edit": () => ({ prompts: [second, { ...first, text: "other" }] }),
    "queue.send": () => ({ delivered: "sent" }),
    "queue.cancel": () => ({ prompts: [second] }),
  });
  (await screen.findByRole("listitem", { name: "first" })).focus();
  await user.keyboard("{Alt>}{ArrowDown}{/Alt}");
  expect(calls).toContainEqual({ method: "queue.move", params: { cardId: "a", promptId: "p1", index: 1 } });
  await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))); // the row gets the focus back
  screen.getByRole("listitem", { name: "first" }).focus();
  await user.keyboard("{Enter}");
  const editor = screen.getByRole("textbox", { name: "Edit the prompt" });
  await user.clear(editor);
  await user.type(editor, "other{Enter}");
  expect(calls).toContainEqual({ method: "queue.edit", params: { cardId: "a", promptId: "p1", text: "other" } });
  const row = await screen.findByRole("listitem", { name: "other" });
  await user.click(within(row).getByRole("button", { name: "Send now" }));
  expect(calls).toContainEqual({ method: "queue.send", params: { cardId: "a", promptId: "p1" } });
  row.focus();
  await user.keyboard("{Delete}");
  expect(calls).toContainEqual({ method: "queue.cancel", params: { cardId: "a", promptId: "p1" } });
  await waitFor(() => expect(screen.queryByRole("listitem", { name: "other" })).toBeNull());
});
