import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { openPage } from "../../tests/page";
import { WorkspacePanel } from "./WorkspacePanel";

test("why a workspace could not be changed follows the language", async () => {
  const { session, socket, wrapper, event } = await openPage();
  render(<WorkspacePanel />, { wrapper });
  fireEvent.click(screen.getByRole("checkbox"));
  await socket.refuse("workspace.update", "INTERNAL", "the disk is full");
  const told = () => session.toasts.shown.get().map((toast) => toast.message);
  await vi.waitFor(() => expect(told()).toHaveLength(1));
  const [english] = told();
  await event("preferences.changed", { language: "ru", scheme: "dark" });
  expect(told()).toHaveLength(1);
  expect(told()[0]).not.toBe(english);
});
