import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { showChat } from "./testing";

const able = { profiles: { edit: true }, run: true };
const critic = { id: "critic", name: "Critic", description: "Finds faults" };
const answers = {
  "session.profiles": () => ({ ok: true, data: [{ id: "default", name: "", editable: false }, critic] }),
  "session.getProfile": () => ({ ok: true, data: { ...critic, systemPrompt: "Find faults.", "x-own": { kept: 1 } } }),
  "session.saveProfile": () => ({ ok: true, data: critic }),
  "session.deleteProfile": () => ({ ok: true, data: null }),
  "session.setProfile": () => ({ ok: true, data: { id: "s1", title: "Talk", profile: "inline", profileDoc: { id: "inline", name: "Boto" } } }),
};

const choose = async (entry: RegExp) => {
  await userEvent.click(await screen.findByRole("button", { name: "Profile" }));
  await userEvent.click(screen.getByText(entry));
};

test("a profile is edited, keeps what the form does not know, and sends nothing of the line that is being written", async () => {
  const { calledWith } = await showChat(able, [], answers);
  await userEvent.type(await screen.findByRole("textbox", { name: "Write a message" }), "not yet");
  await choose(/^Manage profiles/);
  await userEvent.click(await screen.findByRole("button", { name: "Edit Critic" }));
  const prompt = await screen.findByLabelText(/^System prompt/);
  expect(prompt.closest("form")?.parentElement?.closest("form")).toBeNull();
  await userEvent.type(prompt, " All.");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(calledWith("session.saveProfile")).toMatchObject([
    { id: "critic", profile: { ...critic, systemPrompt: "Find faults. All.", "x-own": { kept: 1 } } },
  ]);
  expect(calledWith("session.run")).toEqual([]);
});

test("a new profile needs an id of its own", async () => {
  const { calledWith } = await showChat(able, [], answers);
  await choose(/^Manage profiles/);
  await userEvent.click(await screen.findByRole("button", { name: "New profile" }));
  const save = screen.getByRole("button", { name: "Save" }) as HTMLButtonElement;
  await userEvent.type(screen.getByLabelText(/^Id/), "critic");
  expect(save.disabled).toBe(true);
  await userEvent.type(screen.getByLabelText(/^Id/), "-2");
  await userEvent.click(save);
  expect(calledWith("session.saveProfile")).toMatchObject([{ id: "critic-2", profile: { id: "critic-2" } }]);
});

test("a profile goes only when it was meant, by its name, and the default one not at all", async () => {
  const { calledWith } = await showChat(able, [], answers);
  await choose(/^Manage profiles/);
  expect(screen.queryByRole("button", { name: /^Delete default/ })).toBeNull();
  await userEvent.click(await screen.findByRole("button", { name: "Delete Critic" }));
  const question = screen.getByRole("dialog", { name: "Delete “Critic”?" });
  await userEvent.click(within(question).getByRole("button", { name: "Cancel" }));
  expect(calledWith("session.deleteProfile")).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Delete Critic" }));
  await userEvent.click(screen.getByRole("button", { name: "Delete" }));
  expect(calledWith("session.deleteProfile")).toMatchObject([{ id: "critic" }]);
});

test("two profiles of one name are told apart by their ids", async () => {
  const data = [critic, { ...critic, id: "critic-copy" }];
  await showChat(able, [], { ...answers, "session.profiles": () => ({ ok: true, data }) });
  await choose(/^Manage profiles/);
  await userEvent.click(await screen.findByRole("button", { name: "Delete Critic (critic-copy)" }));
  expect(screen.getByRole("dialog", { name: "Delete “Critic (critic-copy)”?" })).toBeTruthy();
});

test("a bot for this session is written into it alone", async () => {
  const { calledWith } = await showChat(able, [], answers);
  await choose(/^A bot for this session/);
  await userEvent.type(await screen.findByLabelText(/^Name/), "Boto");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(calledWith("session.setProfile")).toMatchObject([{ sessionId: "s1", profile: { id: "inline", name: "Boto" } }]);
  expect(calledWith("session.saveProfile")).toEqual([]);
  expect((await screen.findByRole("button", { name: "Profile" })).textContent).toBe("Boto");
});
