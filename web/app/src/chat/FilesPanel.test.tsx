import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { openPage } from "../../tests/page";
import { snapshot } from "../../tests/makers";
import { ToastStack } from "../shell/Toasts";
import FilesPanel from "./FilesPanel";
import { keepDraft } from "./model/fileDrafts";

const TURN = ".nr-trash/20261130T140000Z-aa11";
const able = { workspace: { files: { write: true, watch: true } } };
const places = [
  { id: "w1", name: "project" },
  { id: "w2", name: "second" },
];
const failed = (code: string, message: string, details?: object) => ({ ok: false, error: { code, message, details } });

/** A panel over files that the test holds: path to text; a revision is the text itself. */
async function show(files: Record<string, string>) {
  const page = await openPage(snapshot());
  const calls: [string, Record<string, unknown>][] = [];
  let current = places[0];
  const list = (folder: string) => {
    const start = folder === "" ? "" : `${folder}/`;
    const names = new Set(Object.keys(files).filter((path) => path.startsWith(start)).map((path) => path.slice(start.length).split("/")[0] ?? ""));
    if (names.size === 0 && folder !== "") return failed("not_found", `There is nothing at '${folder}'.`);
    const entries = [...names].map((name) => ({ path: start + name, name, type: start + name in files ? "file" : "dir", size: 3 }));
    return { ok: true, data: entries };
  };
  const write = (path: string, content: string, ifRevision: unknown) => {
    const now = files[path] ?? null;
    if (now !== ifRevision) return failed("conflict", `'${path}' has changed meanwhile.`, { revision: now });
    files[path] = content;
    return { ok: true, data: { path, name: path, type: "file" } };
  };
  page.session.client.call = ((method: string, params: Record<string, string>) => {
    calls.push([method, params]);
    const { path = "", from = "", to = "" } = params;
    switch (method) {
      case "session.backends":
        return Promise.resolve({ backends: [{ id: "engine", title: "Engine", kind: "engine" }] });
      case "session.capabilities":
        return Promise.resolve({ ok: true, data: able });
      case "session.list":
        return Promise.resolve({ ok: true, data: { sessions: [] } });
      case "session.workspace":
        return Promise.resolve({ ok: true, data: current });
      case "session.workspaces":
        return Promise.resolve({ ok: true, data: places });
      case "session.switchWorkspace":
        current = places.find((one) => one.id === params["id"]);
        return Promise.resolve({ ok: true, data: current });
      case "session.watch":
        return Promise.resolve({ ok: true, data: { streamId: "f1" } });
      case "session.files":
        return Promise.resolve(list(path));
      case "session.readFile":
        return Promise.resolve(path in files ? { ok: true, data: { path, content: files[path], encoding: "utf8", revision: files[path] } } : failed("not_found", `There is nothing at '${path}'.`));
      case "session.writeFile":
        return Promise.resolve(write(path, params["content"] ?? "", params["ifRevision"]));
      case "session.renameFile":
        files[to] = files[from] ?? "";
        Reflect.deleteProperty(files, from);
        return Promise.resolve({ ok: true, data: { path: to, name: to, type: "file" } });
      case "session.deleteFile":
        if (!path.startsWith(".nr-trash/")) files[`${TURN}/${path}`] = files[path] ?? "";
        Reflect.deleteProperty(files, path);
        return Promise.resolve({ ok: true, data: null });
      default:
        return Promise.resolve({ ok: true, data: [] });
    }
  }) as typeof page.session.client.call;
  const { wrapper: Wrapper } = page;
  await act(async () => {
    render(
      <Wrapper>
        <FilesPanel backend="engine" onClose={() => undefined} />
        <ToastStack />
      </Wrapper>,
    );
    await Promise.resolve();
  });
  const told = () => page.event("session.stream", { streamId: "f1", events: [{ id: null, event: { type: "workspace_update", paths: [""] } }], ended: false, error: null });
  const switchElsewhere = () => {
    current = places[1];
    return page.event("session.engineChanged", {});
  };
  return { files, told, switchElsewhere, calledWith: (method: string) => calls.filter(([name]) => name === method).map(([, params]) => params) };
}

const click = async (name: string | RegExp) => userEvent.click(await screen.findByRole("button", { name }));
const field = async (name: string) => (await screen.findByRole("textbox", { name: `Text of ${name}` })) as HTMLTextAreaElement;

beforeEach(() => {
  document.documentElement.lang = "en";
  for (const place of ["w1\nplan.txt", "w2\nplan.txt"]) keepDraft(`engine\n${place}`, null);
});

test("a file is opened, changed and saved with the ends that its lines have", async () => {
  const { files } = await show({ "docs/plan.txt": "one\r\ntwo\r\n" });
  await click(/^docs/);
  await click(/^plan.txt/);
  await click("Edit docs/plan.txt");
  await userEvent.type(await field("docs/plan.txt"), "three");
  await click("Save");
  expect(files["docs/plan.txt"]).toBe("one\r\ntwo\r\nthree");
  expect(screen.queryByRole("textbox")).toBeNull();
});

test("what another program writes is seen at once, and what is typed meanwhile is kept and asked about", async () => {
  const { files, told, calledWith } = await show({ "plan.txt": "one" });
  await click(/^plan.txt/);
  files["plan.txt"] = "uno";
  files["new.txt"] = "";
  await told();
  expect(await screen.findByText("uno")).toBeTruthy();
  expect(await screen.findByRole("button", { name: /^new.txt/ })).toBeTruthy();

  await click("Edit plan.txt");
  await userEvent.type(await field("plan.txt"), " mine");
  files["plan.txt"] = "eins";
  await told();
  expect((await screen.findByRole("alert")).textContent).toContain("Somebody changed this file meanwhile");
  expect((await field("plan.txt")).value).toBe("uno mine");
  expect(screen.getByText("eins")).toBeTruthy();
  expect(calledWith("session.writeFile")).toEqual([]);
  await click("Keep mine");
  expect(files["plan.txt"]).toBe("uno mine");
});

test("a refused save keeps the text, and theirs can be taken instead", async () => {
  const { files } = await show({ "plan.txt": "one" });
  await click(/^plan.txt/);
  await click("Edit plan.txt");
  await userEvent.type(await field("plan.txt"), " mine");
  files["plan.txt"] = "theirs";
  await click("Save");
  expect((await field("plan.txt")).value).toBe("one mine");
  await click("Keep theirs");
  expect(await screen.findByText("theirs")).toBeTruthy();
  expect(files["plan.txt"]).toBe("theirs");
});

test("what was typed stays with its file while another is looked at", async () => {
  await show({ "plan.txt": "one", "b.txt": "two" });
  await click(/^plan.txt/);
  await click("Edit plan.txt");
  await userEvent.type(await field("plan.txt"), " mine");
  await click(/^b.txt/);
  expect(await screen.findByText("two")).toBeTruthy();
  await click(/^plan.txt/);
  expect((await field("plan.txt")).value).toBe("one mine");
});

test("a text whose lines end in several ways is not changed here", async () => {
  await show({ "plan.txt": "one\r\ntwo\n" });
  await click(/^plan.txt/);
  expect(((await screen.findByRole("button", { name: "Edit plan.txt" })) as HTMLButtonElement).disabled).toBe(true);
});

test("what went to the trash is put back to where it was", async () => {
  const { files } = await show({ "plan.txt": "one" });
  await click("Move plan.txt to the trash");
  expect(await screen.findByText("empty")).toBeTruthy(); // the trash itself is no folder among others
  await click("Show or hide the trash");
  expect(await screen.findByText("plan.txt")).toBeTruthy();
  await click("Put plan.txt back");
  expect(files).toEqual({ "plan.txt": "one" });
  expect(await screen.findByText("The trash is empty.")).toBeTruthy();
});

test("what leaves the trash for good is asked about by its name", async () => {
  const { files, calledWith } = await show({ [`${TURN}/plan.txt`]: "one" });
  await click("Show or hide the trash");
  await click("Delete plan.txt for good");
  const question = screen.getByRole("dialog", { name: "Delete “plan.txt”?" });
  await userEvent.click(within(question).getByRole("button", { name: "Cancel" }));
  expect(calledWith("session.deleteFile")).toEqual([]);
  await click("Delete plan.txt for good");
  await click("Delete");
  expect(files).toEqual({});
});

test("another workspace begins at its top", async () => {
  const { calledWith } = await show({ "docs/plan.txt": "one" });
  await click(/^docs/);
  await userEvent.selectOptions(await screen.findByRole("combobox", { name: "Workspace" }), "second");
  expect(calledWith("session.switchWorkspace")).toMatchObject([{ id: "w2" }]);
  expect(await screen.findByRole("button", { name: /^docs/ })).toBeTruthy();
  expect((screen.getByRole("combobox", { name: "Workspace" }) as HTMLSelectElement).value).toBe("w2");
});

test("a workspace that is switched elsewhere leaves nothing of the one before to act on", async () => {
  const { switchElsewhere } = await show({ [`${TURN}/plan.txt`]: "one", "b.txt": "two" });
  await click(/^b.txt/);
  await click("Show or hide the trash");
  await click("Delete plan.txt for good");
  await switchElsewhere();
  expect(await screen.findByRole("button", { name: /^b.txt/ })).toBeTruthy();
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(screen.queryByText("two")).toBeNull();
});
