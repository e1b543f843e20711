import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { openPage } from "../../tests/page";
import { addEntries } from "../canvas/adding";
import { catalogue } from "../i18n/catalogue";
import type { PackageInfo, PackageReview } from "../wire/records";
import { PackagesDialog } from "./PackagesDialog";

const TREE = "ab".repeat(32);

function info(more: Partial<PackageInfo> = {}): PackageInfo {
  return {
    packageId: "github:acme/pantry" as PackageInfo["packageId"],
    name: "pantry-watch",
    displayName: "Pantry Watch",
    description: "Watches the pantry.",
    author: "Ann",
    version: "1.0.0",
    kind: "frame",
    icon: null,
    source: "github.com/acme/pantry",
    commit: null,
    treeHash: TREE,
    dev: false,
    verified: false,
    former: null,
    problem: null,
    held: { permissions: [], hosts: [] },
    permissions: [],
    ...more,
  } as PackageInfo;
}

function review(more: Partial<PackageReview> = {}): PackageReview {
  return {
    packageId: "github:acme/pantry" as PackageReview["packageId"],
    name: "pantry-watch",
    displayName: "Pantry Watch",
    description: "Watches the pantry.",
    author: { name: "Ann", url: null },
    license: "MIT",
    homepage: null,
    version: "2.0.0",
    kind: "frame",
    icon: null,
    dev: false,
    source: "github.com/acme/pantry",
    commit: "c0ffee",
    treeHash: TREE,
    verified: false,
    permissions: [
      { id: "network", risk: "medium", optional: false, reason: "Reads prices.", hosts: ["api.example.org"] },
      { id: "agents.output", risk: "high", optional: true, reason: null },
    ],
    hosts: ["api.example.org"],
    tools: ["restock"],
    files: { count: 3, bytes: 2048 },
    warnings: [],
    sameName: [],
    installed: null,
    ...more,
  };
}

async function open(packages: readonly PackageInfo[] = []) {
  const page = await openPage();
  page.session.app.update((app) => ({ ...app, packages: [...packages] }));
  page.session.ui.update((ui) => ({ ...ui, overlay: "packages" }));
  render(<PackagesDialog />, { wrapper: page.wrapper });
  return page;
}

const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));
const lookAt = (source: string) => {
  type("Install from", source);
  press("Look at it");
};

test("the window is closed by the button in its corner", async () => {
  const page = await open();
  press("Close");
  expect(page.session.ui.get().overlay).toBeNull();
});

test("a package is looked at first, with who made it, its hash, and each permission with risk, reason and hosts", async () => {
  const page = await open();
  lookAt(" acme/pantry ");
  expect(page.socket.call("package.inspect").params).toEqual({ source: "acme/pantry" });
  await page.answer("package.inspect", review());
  expect(screen.getByRole("heading", { name: "Install “Pantry Watch”?" })).toBeDefined();
  for (const text of ["Ann", "2.0.0", TREE, "c0ffee", "MIT", "3 files, 2.0 KiB", "restock", "Reads prices.", "api.example.org"]) {
    expect(screen.getByText(text)).toBeDefined();
  }
  const required = within(screen.getByRole("region", { name: "Granted by installing" }));
  expect(required.getByText("medium risk")).toBeDefined();
  expect(required.queryByText("agents.output")).toBeNull();
  const optional = within(screen.getByRole("region", { name: "Asked for when needed" }));
  expect(optional.getByText("high risk")).toBeDefined();
});

test("installing names the hash that was shown and the place, and the package can be added then", async () => {
  const page = await open();
  type("Install from", "/home/ann/pantry");
  type("Branch, tag or commit", "v2");
  type("Folder inside", "cards/x");
  press("Look at it");
  const place = { source: "/home/ann/pantry", ref: "v2", folder: "cards/x" };
  expect(page.socket.call("package.inspect").params).toEqual(place);
  await page.answer("package.inspect", review());
  press("Install");
  expect(page.socket.call("package.install").params).toEqual({ ...place, treeHash: TREE });
  await page.answer("package.install", info());
  expect(screen.getByRole("listitem", { name: "Pantry Watch" })).toBeDefined();
  const entries = addEntries(page.session, { x: 0, y: 0 });
  expect(entries.map((entry) => entry.id)).toContain("github:acme/pantry");
});

test("a folder can be linked, and only a folder", async () => {
  const page = await open();
  type("Install from", "acme/pantry");
  expect(screen.queryByRole("checkbox")).toBeNull();
  type("Install from", "~/pantry");
  fireEvent.click(screen.getByRole("checkbox", { name: /Link the folder/ }));
  press("Look at it");
  expect(page.socket.call("package.inspect").params).toEqual({ source: "~/pantry", dev: true });
  await page.answer("package.inspect", review({ dev: true }));
  expect(screen.getByRole("button", { name: "Link" })).toBeDefined();
});

test("every fault of a package is shown with its place, and what was typed is kept", async () => {
  const page = await open();
  lookAt("acme/pantry");
  const data = [
    { path: "/manifest/name", keyword: "schema", message: "is missing" },
    { path: "/files/a:b", keyword: "path", message: "cannot be used" },
  ];
  const { id } = page.socket.call("package.inspect");
  await act(() =>
    page.socket.say({ kind: "res", id, ok: false, error: { code: "INVALID_PARAMS", message: "this package cannot be used", data } }),
  );
  const alert = screen.getByRole("alert");
  expect(alert.textContent).toContain("/manifest/name is missing");
  expect(alert.textContent).toContain("/files/a:b cannot be used");
  expect(screen.getByLabelText<HTMLInputElement>("Install from").value).toBe("acme/pantry");
});

test("a program says that it has the owner's rights and when its permissions are asked for", async () => {
  const page = await open();
  lookAt("acme/pantry");
  await page.answer("package.inspect", review({ kind: "python", sameName: ["file:pantry-1"] as never, warnings: ["'x' is a link"] }));
  expect(screen.getByText(/with your rights: it can read/)).toBeDefined();
  expect(screen.getByText("Asked for at its first start")).toBeDefined();
  expect(screen.getByText(/has this name already: file:pantry-1/)).toBeDefined();
  expect(screen.getByText("'x' is a link")).toBeDefined();
});

const installed = (more: Partial<NonNullable<PackageReview["installed"]>> = {}) => ({
  version: "1.0.0",
  commit: null,
  treeHash: null,
  isCurrent: false,
  difference: {
    files: { added: ["dist/new.js"], changed: ["index.html"], removed: ["old.js"] },
    more: 7,
    permissions: { added: ["network"] as const, removed: ["fs.read"] as const },
    hosts: { added: ["evil.example.org"], removed: [] },
    needs: { permissions: ["network"] as const, hosts: [] },
  },
  ...more,
});

async function openUpdate(more: Parameters<typeof installed>[0] = {}) {
  const page = await open([info()]);
  press("Actions for Pantry Watch");
  fireEvent.click(screen.getByRole("menuitem", { name: "Look for an update…" }));
  expect(page.socket.call("package.inspect").params).toEqual({ packageId: "github:acme/pantry" });
  await page.answer("package.inspect", review({ installed: installed(more) }));
  return page;
}

test("an update shows what changes in files, permissions and hosts", async () => {
  await openUpdate();
  expect(screen.getByRole("heading", { name: "Update “Pantry Watch”?" })).toBeDefined();
  const changes = within(screen.getByRole("region", { name: "What changes" }));
  expect(changes.getByText("Files: 10")).toBeDefined();
  for (const path of ["dist/new.js", "index.html", "old.js", "evil.example.org"]) expect(changes.getByText(path)).toBeDefined();
  expect(changes.getByText("and 7 more")).toBeDefined();
  expect(changes.getByText(/fs\.read/)).toBeDefined();
  expect(changes.getByText("Reads prices.")).toBeDefined();
});

test("what an update asks for besides is granted only with a tick", async () => {
  const page = await openUpdate();
  press("Update");
  expect(page.socket.call("package.update").params).toEqual({ packageId: "github:acme/pantry", treeHash: TREE, accept: false });
  const held = { permissions: ["network"] as const, hosts: [] };
  await page.answer("package.update", info({ version: "2.0.0", held }));
  expect(screen.getByText(/this stays off: network/)).toBeDefined();
  press("Allow");
  expect(page.socket.call("package.update").params).toEqual({ packageId: "github:acme/pantry", accept: true });
  await page.answer("package.update", info({ version: "2.0.0" }));
  expect(screen.queryByText(/this stays off/)).toBeNull();
});

test("with the tick it is granted at once", async () => {
  const page = await openUpdate();
  fireEvent.click(screen.getByRole("checkbox", { name: /Allow what it asks for besides/ }));
  press("Update");
  expect(page.socket.call("package.update").params["accept"]).toBe(true);
});

test("a package that is current says so and offers nothing", async () => {
  const none = { permissions: [], hosts: [] };
  const difference = { ...installed().difference, needs: none };
  await openUpdate({ isCurrent: true, difference });
  expect(screen.getByText("“Pantry Watch” 2.0.0 is installed and current.")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Update" })).toBeNull();
});

test("a package returns to its version before", async () => {
  const page = await open([info({ version: "2.0.0", former: "1.0.0" })]);
  press("Actions for Pantry Watch");
  fireEvent.click(screen.getByRole("menuitem", { name: "Return to 1.0.0" }));
  expect(page.socket.call("package.rollback").params).toEqual({ packageId: "github:acme/pantry" });
  await page.answer("package.rollback", info());
  expect(within(screen.getByRole("listitem", { name: "Pantry Watch" })).getByText("1.0.0")).toBeDefined();
});

test("removing asks what becomes of what its cards stored", async () => {
  const page = await open([info()]);
  press("Actions for Pantry Watch");
  fireEvent.click(screen.getByRole("menuitem", { name: "Remove…" }));
  fireEvent.click(screen.getByRole("checkbox", { name: /Drop what its cards stored/ }));
  press("Remove");
  expect(page.socket.call("package.remove").params).toEqual({ packageId: "github:acme/pantry", dropData: true });
  await page.answer("package.remove", {});
  expect(screen.queryByRole("listitem", { name: "Pantry Watch" })).toBeNull();
});

test("what comes with Cardloom is listed and cannot be removed", async () => {
  await open([info({ source: null })]);
  expect(screen.getByText("comes with Cardloom")).toBeDefined();
  expect(screen.queryByRole("button", { name: /Actions for/ })).toBeNull();
});

test("a catalogue is added, its packages can be looked at, and it can be forgotten", async () => {
  const page = await open();
  fireEvent.click(screen.getByRole("tab", { name: "Catalogues" }));
  await page.answer("catalogue.list", { catalogues: [], entries: [] });
  expect(screen.getByText("No catalogue was added.")).toBeDefined();
  type("File or address of a catalogue", "/home/ann/verified.json");
  press("Add");
  expect(page.socket.call("catalogue.add").params).toEqual({ location: "/home/ann/verified.json" });
  const entry = {
    packageId: "github:acme/pantry",
    name: "pantry-watch",
    displayName: "Pantry Watch",
    description: "Watches.",
    author: "Ann",
    version: "1.0.0",
    commit: "c".repeat(40),
    treeHash: TREE,
    category: null,
    license: null,
    official: false,
    permissions: [],
    verifiedAt: null,
    reviewer: null,
    source: "acme/pantry@cccc",
  };
  const listed = {
    catalogues: [{ location: "/home/ann/verified.json", readAtMs: 1, entries: 1, faults: ["entry 1: bad"] }],
    entries: [entry],
  };
  await page.answer("catalogue.add", listed);
  expect(screen.getByText("1 package")).toBeDefined();
  expect(screen.getByText("1 entry could not be read")).toBeDefined();
  type("Search packages", "zzz");
  expect(screen.getByText("Nothing fits.")).toBeDefined();
  type("Search packages", "pantry");
  press("Look at it: Pantry Watch");
  expect(page.socket.call("package.inspect").params).toEqual({ source: "acme/pantry@cccc" });
  await page.answer("package.inspect", review({ verified: true }));
  expect(screen.getByText("verified")).toBeDefined();
  press("Back");
  await page.answer("catalogue.list", listed);
  press("Forget /home/ann/verified.json");
  expect(page.socket.call("catalogue.remove").params).toEqual({ location: "/home/ann/verified.json" });
});

test("the add menu leads to the packages", async () => {
  const page = await openPage();
  const entry = addEntries(page.session, { x: 0, y: 0 }).at(-1);
  if (entry === undefined || !("run" in entry)) throw new Error("the last entry does nothing");
  expect(entry.label).toBe(catalogue["packages.open"].en);
  entry.run();
  expect(page.session.ui.get().overlay).toBe("packages");
});
