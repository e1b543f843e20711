import { act, fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { note } from "../../tests/makers";
import { openPage } from "../../tests/page";
import type { Card } from "../wire/records";
import { MissingSettings } from "./MissingSettings";
import { SettingsOverlay } from "./SettingsForm";

const card = {
  ...note("c1"),
  kind: "custom",
  name: "Board",
  content: { packageId: "dev:1", version: "1.0.0", missingSettings: ["token"] },
  runtime: null,
} as unknown as Card;

const FORM = {
  cardId: "c1",
  packageId: "dev:1",
  name: "Board",
  fields: [
    { key: "count", type: "number", label: "Count", required: false, scope: "instance", default: 3, max: 9 },
    { key: "mode", type: "select", label: "Mode", required: true, scope: "package", options: [{ value: "a", label: "First" }] },
    { key: "on", type: "boolean", label: "On", required: false, scope: "instance", default: false },
    { key: "shade", type: "color", label: "Shade", required: false, scope: "instance" },
    { key: "token", type: "secret", label: "Token", description: "From your account.", required: true, scope: "instance" },
  ],
  values: { count: 3, on: false },
  secrets: { token: true },
};

async function openForm() {
  const page = await openPage({ cards: [card] });
  render(<SettingsOverlay />, { wrapper: page.wrapper });
  act(() => page.session.ui.update((ui) => ({ ...ui, settingsOf: "c1" })));
  expect(page.socket.call("card.settings").params).toEqual({ cardId: "c1" });
  await page.answer("card.settings", FORM);
  return page;
}

test("every declared setting has its control, and a secret's value is never there", async () => {
  await openForm();
  expect(screen.getByRole("dialog", { name: "Settings of “Board”" })).toBeDefined();
  expect(screen.getByLabelText<HTMLInputElement>("Count").value).toBe("3");
  expect(screen.getByLabelText("Mode").tagName).toBe("SELECT");
  expect(screen.getByText("for all cards of this package")).toBeDefined();
  expect(screen.getByLabelText<HTMLInputElement>("On").checked).toBe(false);
  expect(screen.getByText("No colour")).toBeDefined();
  const token = screen.getByLabelText<HTMLInputElement>("Token");
  expect([token.type, token.value, token.placeholder]).toEqual(["password", "", "set – type to replace it"]);
  expect(screen.getByText("From your account.")).toBeDefined();
});

test("only what was changed is sent, and the form closes when it is saved", async () => {
  const page = await openForm();
  fireEvent.change(screen.getByLabelText("Count"), { target: { value: "5" } });
  fireEvent.click(screen.getByLabelText("On"));
  fireEvent.change(screen.getByLabelText("Token"), { target: { value: "t0k" } });
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(page.socket.call("card.setSettings").params).toEqual({
    cardId: "c1",
    values: { count: 5, on: true },
    secrets: { token: "t0k" },
  });
  await page.answer("card.setSettings", FORM);
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("what the server refuses is said at its field and nothing typed is lost", async () => {
  const page = await openForm();
  fireEvent.change(screen.getByLabelText("Count"), { target: { value: "9" } });
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  await act(() =>
    page.socket.say({
      kind: "res",
      id: page.socket.call("card.setSettings").id,
      ok: false,
      error: { code: "INVALID_PARAMS", message: "no", data: [{ key: "count", message: "It is taken." }] },
    }),
  );
  expect(screen.getByRole("alert").textContent).toBe("It is taken.");
  const count = screen.getByLabelText<HTMLInputElement>("Count");
  expect([count.value, count.getAttribute("aria-invalid")]).toEqual(["9", "true"]);
});

test.each([
  ["many", "This is no number."],
  ["99", "At most 9."],
])("%s never leaves the page", async (typed, said) => {
  const page = await openForm();
  fireEvent.change(screen.getByLabelText("Count"), { target: { value: typed } });
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(screen.getByRole("alert").textContent).toBe(said);
  expect(page.socket.calls.some((call) => call.method === "card.setSettings")).toBe(false);
});

test("a secret can be removed, and a value goes back to its default", async () => {
  const page = await openForm();
  fireEvent.click(screen.getByRole("button", { name: "Remove" }));
  expect(screen.getByLabelText<HTMLInputElement>("Token").disabled).toBe(true);
  fireEvent.change(screen.getByLabelText("Count"), { target: { value: "5" } });
  fireEvent.click(screen.getByRole("button", { name: "Back to the default" }));
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(page.socket.call("card.setSettings").params).toEqual({
    cardId: "c1",
    values: { count: null },
    secrets: { token: null },
  });
});

test("a card that lacks required settings says so and opens the form", async () => {
  const page = await openPage({ cards: [card] });
  render(<MissingSettings card={card} />, { wrapper: page.wrapper });
  expect(screen.getByRole("status").textContent).toContain("A setting is missing.");
  fireEvent.click(screen.getByRole("button", { name: "Fill in" }));
  expect(page.session.ui.get().settingsOf).toBe("c1");
});

test("a card that lacks nothing says nothing", async () => {
  const page = await openPage({ cards: [note("n")] });
  render(<MissingSettings card={note("n")} />, { wrapper: page.wrapper });
  expect(screen.queryByRole("status")).toBeNull();
});
