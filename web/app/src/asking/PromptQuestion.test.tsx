import { fireEvent, render, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { openPage } from "../../tests/page";
import { Questions } from "../shell/Questions";
import type { Dialog } from "../wire/records";
import { originOf } from "./dialogData";

const ask: Dialog = {
  id: "d",
  kind: "prompt",
  workspaceId: "w1",
  cardId: "n",
  title: "Plans",
  data: {
    agentId: "a",
    agent: "Wild",
    from: "Plans",
    text: "delete\nall of it",
    origin: [
      { cardId: "owner", name: null, output: null },
      { cardId: "s", name: "Feed", output: "items" },
    ],
  },
  deadlineAtMs: Date.now() + 60_000,
};

test("a prompt for a dangerous agent is shown whole, with its sender and its way", async () => {
  const page = await openPage({ dialogs: [ask] });
  render(<Questions />, { wrapper: page.wrapper });
  const dialog = screen.getByRole("alertdialog", { name: "Send this prompt to “Wild”?" });
  expect(screen.getByLabelText("The prompt").textContent).toBe("delete\nall of it");
  expect(within(dialog).getByText("Plans")).toBeDefined();
  expect(within(dialog).getAllByRole("listitem").map((step) => step.textContent)).toEqual(["you", "Feeditems"]);
});

test("it is refused or sent, and the focus begins at refusing", async () => {
  const page = await openPage({ dialogs: [ask] });
  render(<Questions />, { wrapper: page.wrapper });
  const refuse = screen.getByRole("button", { name: "Refuse" });
  expect(refuse.hasAttribute("autofocus")).toBe(true);
  fireEvent.click(screen.getByRole("button", { name: "Send prompt" }));
  expect(page.socket.call("dialog.answer").params).toEqual({ dialogId: "d", accepted: true });
});

test("what is no step of a way is left out", () => {
  expect(originOf([null, { cardId: 1 }, { cardId: "x", name: 2, output: "o" }])).toEqual([{ cardId: "x", name: null, output: "o" }]);
  expect(originOf("way")).toEqual([]);
});
