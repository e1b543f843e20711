import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { agent, harness } from "../../tests/agents";
import { openPage } from "../../tests/page";
import { askForAgent } from "../actions/agents";
import { NewAgent } from "./NewAgent";

const found = [
  harness("claude-code", { name: "Claude Code" }),
  harness("command", { name: "Command" }),
  harness("pi", { name: "Pi", found: false, problem: "no pi", command: "pi", install: "npm install -g pi" }),
  harness("qwen-code", { name: "Qwen Code", version: "0.1.0", problem: "too old", command: "qwen", minVersion: "0.9.0" }),
];

async function open() {
  const page = await openPage({ cards: [agent("x", null, { name: "Claude Code" })] });
  askForAgent(page.session, { x: 0, y: 0 }, true);
  render(<NewAgent />, { wrapper: page.wrapper });
  await page.answer("agent.harnesses", { harnesses: found });
  return page;
}

const create = () => screen.getByRole<HTMLButtonElement>("button", { name: "Create and start" });

test("the first agent that is installed is chosen; missing ones say why and how to get them", async () => {
  await open();
  expect(screen.getByRole("radio", { name: /Claude Code/ }).getAttribute("aria-checked")).toBe("true");
  expect(screen.queryByRole("radio", { name: /Pi/ })).toBeNull();
  expect(screen.getByText("pi was not found in PATH")).toBeDefined();
  expect(screen.getByText("version 0.1.0 is too old; 0.9.0 or newer is needed")).toBeDefined();
  expect(screen.getByText("npm install -g pi")).toBeDefined();
});

test("an agent is created where it was asked for, under a free title", async () => {
  const page = await open();
  fireEvent.change(screen.getByRole("textbox", { name: "First prompt" }), { target: { value: "go" } });
  fireEvent.click(create());
  expect(page.socket.call("agent.create").params).toEqual({
    workspaceId: "w1",
    harness: "claude-code",
    title: "Claude Code 2",
    prompt: "go",
    x: -340,
    y: -240,
    w: 680,
    h: 480,
  });
  await page.answer("agent.create", agent("new"));
  expect(page.session.ui.get().newAgent).toBeNull();
  expect(page.session.ui.get().selection.cardIds).toEqual(["new"]);
});

test("what is refused is said, and nothing that was filled in is lost", async () => {
  const page = await open();
  fireEvent.click(screen.getByRole("radio", { name: "A new git worktree" }));
  expect(create().disabled).toBe(true);
  fireEvent.change(screen.getByRole("textbox", { name: "Branch" }), { target: { value: "a b" } });
  fireEvent.click(create());
  await page.socket.refuse("agent.create", "INVALID_PARAMS", "'a b' cannot be the name of a branch");
  expect((await screen.findByRole("alert")).textContent).toBe("'a b' cannot be the name of a branch");
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Branch" }).value).toBe("a b");
});

test("dangerous mode warns in plain words", async () => {
  await open();
  fireEvent.click(screen.getByRole("checkbox", { name: "Dangerous mode" }));
  expect(screen.getByRole("alert").textContent).toContain("without asking you");
});

test("a plain command needs the program it runs", async () => {
  const page = await open();
  fireEvent.click(screen.getByRole("radio", { name: /Command/ }));
  expect(create().disabled).toBe(true);
  fireEvent.change(screen.getByRole("textbox", { name: /Program and arguments/ }), { target: { value: "aider --yes" } });
  fireEvent.click(create());
  expect(page.socket.call("agent.create").params).toMatchObject({ harness: "command", arguments: ["aider", "--yes"] });
});
