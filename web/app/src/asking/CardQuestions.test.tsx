import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { openPage } from "../../tests/page";
import { Questions } from "../shell/Questions";
import type { Dialog } from "../wire/records";

const WHO = { cardName: "System update", package: "Own Card", packageId: "dev:12345678" };

async function ask(kind: Dialog["kind"], title: string, data: Record<string, unknown>) {
  const dialog = {
    id: "d",
    kind,
    workspaceId: "w1",
    cardId: "c",
    title,
    data: { ...WHO, ...data },
    deadlineAtMs: Date.now() + 60_000,
  } as unknown as Dialog;
  const page = await openPage({ dialogs: [dialog] });
  render(<Questions />, { wrapper: page.wrapper });
  return page;
}

const answered = (page: Awaited<ReturnType<typeof ask>>) => page.socket.call("dialog.answer").params;

test("a card's question is titled with who asks, and the package is named whatever the card calls itself", async () => {
  const page = await ask("confirm", "Format the disk?", { message: "Now.", confirmLabel: "Format", tone: "danger" });
  expect(screen.getByRole("alertdialog", { name: "“System update” asks" })).toBeDefined();
  expect(screen.getByText("Format the disk?")).toBeDefined();
  expect(screen.getByText("dev:12345678")).toBeDefined();
  expect(screen.getByText("Own Card", { exact: false })).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "Format" }));
  expect(answered(page)).toEqual({ dialogId: "d", accepted: true });
});

test("without labels of its own a question has yes and no", async () => {
  const page = await ask("confirm", "Go on?", { message: "" });
  expect(screen.getByRole("button", { name: "Yes" })).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "No" }));
  expect(answered(page)).toEqual({ dialogId: "d", accepted: false });
});

test("a permission is shown by what it allows, its risk, its hosts and its reason", async () => {
  const page = await ask("permission", "Own Card", {
    permissions: [{ id: "network", hosts: ["api.example.org"], risk: "medium", reason: "Reads issues." }],
  });
  expect(screen.getByRole("alertdialog", { name: "“System update” asks for permission" })).toBeDefined();
  expect(screen.getByText("Reach these hosts on the internet")).toBeDefined();
  expect(screen.getByText("api.example.org")).toBeDefined();
  expect(screen.getByText("medium risk")).toBeDefined();
  expect(screen.getByText("Reads issues.")).toBeDefined();
  expect(screen.queryByRole("checkbox")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Allow" }));
  expect(answered(page)).toEqual({ dialogId: "d", accepted: true, permissions: ["network"] });
});

test("of several permissions each can be kept back, and none of them is no permission to allow", async () => {
  const page = await ask("permission", "Own Card", { permissions: [{ id: "fs.read" }, { id: "background" }] });
  const [files, background] = screen.getAllByRole("checkbox");
  fireEvent.click(files as HTMLElement);
  fireEvent.click(background as HTMLElement);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Allow" }).disabled).toBe(true);
  fireEvent.click(background as HTMLElement);
  fireEvent.click(screen.getByRole("button", { name: "Allow" }));
  expect(answered(page)).toEqual({ dialogId: "d", accepted: true, permissions: ["background"] });
});

test("a link shows where it leads and opens as the person's own click", async () => {
  const page = await ask("link", "Own Card", { url: "https://docs.example.org/a?b", host: "docs.example.org" });
  expect(screen.getByText("It leads to docs.example.org")).toBeDefined();
  const open = screen.getByRole("link", { name: "Open" });
  expect([open.getAttribute("href"), open.getAttribute("target"), open.getAttribute("rel")]).toEqual([
    "https://docs.example.org/a?b",
    "_blank",
    "noopener noreferrer",
  ]);
  fireEvent(open, new MouseEvent("auxclick", { bubbles: true, button: 2 }));
  expect(page.socket.calls.some((call) => call.method === "dialog.answer")).toBe(false);
  fireEvent.click(open);
  expect(answered(page)).toEqual({ dialogId: "d", accepted: true });
});

test("an address that is not https has no way to be opened", async () => {
  await ask("link", "Own Card", { url: "javascript:alert(1)", host: "" });
  expect(screen.queryByRole("link")).toBeNull();
});
