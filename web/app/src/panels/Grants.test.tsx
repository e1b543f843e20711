import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { openPage } from "../../tests/page";
import { Grants } from "./Grants";

const PACKAGE = "file:pantry-1a2b3c4d";

async function shown() {
  const page = await openPage();
  render(<Grants packageId={PACKAGE} />, { wrapper: page.wrapper });
  await waitFor(() => page.socket.call("grant.list"));
  await page.answer("grant.list", {
    grants: [
      { packageId: PACKAGE, permission: "cards.connected", granted: true, optional: false },
      { packageId: PACKAGE, permission: "fs.read", granted: false, optional: true },
      { packageId: "file:other-1a2b3c4d", permission: "network", granted: true, optional: false },
    ],
  });
  return page;
}

const box = (name: string) => screen.getByRole<HTMLInputElement>("checkbox", { name: new RegExp(name) });

test("each permission of the card's package is listed in words with its risk, and of no other package", async () => {
  await shown();
  expect(box("Read and change notes, lists and boards joined to it").checked).toBe(true);
  expect(box("cards.connected").checked).toBe(true);
  expect(box("fs.read.*high").checked).toBe(false);
  expect(screen.queryByText("network")).toBe(null);
});

test("taking one back is asked of the server and shown at once", async () => {
  const page = await shown();
  fireEvent.click(box("cards.connected"));
  expect(page.socket.call("grant.set").params).toEqual({
    workspaceId: "w1",
    packageId: PACKAGE,
    permission: "cards.connected",
    granted: false,
  });
  await page.answer("grant.set", {});
  expect(box("cards.connected").checked).toBe(false);
});

test("what the server refuses goes back to how it was", async () => {
  const page = await shown();
  fireEvent.click(box("fs.read"));
  expect(box("fs.read").checked).toBe(true);
  await act(() => page.socket.refuse("grant.set", "INVALID_PARAMS"));
  expect(box("fs.read").checked).toBe(false);
});

test.each([
  ["grants.changed", { workspaceId: "w1", packageId: PACKAGE }],
  ["stream.gap", {}],
])("after %s the permissions are read again: they may have been changed elsewhere", async (told, data) => {
  const page = await shown();
  await page.event(told, data);
  await page.answer("grant.list", { grants: [{ packageId: PACKAGE, permission: "fs.read", granted: true, optional: true }] });
  expect(box("fs.read").checked).toBe(true);
  expect(screen.queryByRole("checkbox", { name: /cards.connected/ })).toBe(null);
});

test("what changed of another package or in another workspace is no reason to read", async () => {
  const page = await shown();
  await page.event("grants.changed", { workspaceId: "w1", packageId: "file:other-1a2b3c4d" });
  await page.event("grants.changed", { workspaceId: "w2", packageId: PACKAGE });
  expect(page.socket.calls.filter(({ method }) => method === "grant.list")).toHaveLength(1);
});

test("permissions that were read before one was changed here do not come back", async () => {
  const page = await shown();
  await page.event("grants.changed", { workspaceId: "w1", packageId: PACKAGE });
  fireEvent.click(box("fs.read"));
  await page.answer("grant.list", { grants: [{ packageId: PACKAGE, permission: "fs.read", granted: false, optional: true }] });
  expect(box("fs.read").checked).toBe(true);
});
