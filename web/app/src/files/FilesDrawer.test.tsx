import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test } from "vitest";
import { note, port } from "../../tests/makers";
import { openPage } from "../../tests/page";
import { contextMenu } from "../canvas/contextMenu";
import { fileQuestion, openFile } from "./actions";
import { FilesDrawer } from "./FilesDrawer";

type Page = Awaited<ReturnType<typeof openPage>>;
let page: Page;
let user: ReturnType<typeof userEvent.setup>;

const file = (path: string) => ({ path, type: "file", size: 1 });
const folder = (path: string) => ({ path, type: "directory" });

async function answerFolder(watchId: string, entries: object[], truncated = false) {
  await page.answer("files.watch", { watchId });
  await page.answer("files.list", { entries, truncated });
}

const tree = () => screen.getByRole("tree");
const row = (name: string) => screen.getByRole("treeitem", { name });

beforeEach(async () => {
  user = userEvent.setup();
  page = await openPage({
    cards: [
      note("Notes"),
      note("Radar", { ports: { inputs: [port("spot", "ns:file-ref", { label: "Spot" })], outputs: [] } }),
    ],
  });
  page.session.ui.update((ui) => ({ ...ui, filesOpen: true }));
  render(<FilesDrawer />, { wrapper: page.wrapper });
});

afterEach(() => {
  contextMenu.set(null);
  fileQuestion.set(null);
});

test("arrow keys walk and unfold, Enter opens a file", async () => {
  await answerFolder("f1", [folder("src"), file("a.txt")]);
  tree().focus();
  await user.keyboard("{ArrowRight}");
  await answerFolder("f2", [file("src/b.txt")]);
  expect(row("src").getAttribute("aria-expanded")).toBe("true");
  await user.keyboard("{ArrowDown}");
  expect(tree().getAttribute("aria-activedescendant")).toBe(row("b.txt").id);
  await user.keyboard("{Enter}");
  await page.answer("files.read", { data: "first\nsecond", encoding: "utf8", size: 12, truncated: false });
  expect(screen.getByRole("document", { name: "src/b.txt" }).textContent).toContain("second");
});

test("thousands of entries draw no more rows than are seen", async () => {
  await answerFolder("f1", Array.from({ length: 5000 }, (_, index) => file(`f${index}`)), true);
  expect(screen.getAllByRole("treeitem").length).toBeLessThan(80);
  tree().focus();
  await user.keyboard("{End}");
  expect(row("f4999").getAttribute("aria-selected")).toBe("true");
  expect(screen.getByText(/The first 5000 entries/)).toBeTruthy();
});

test("a reference opens the drawer's file at its line and marks it", async () => {
  await answerFolder("f1", [file("a.txt")]);
  openFile(page.session, { path: "a.txt", line: 400 });
  const data = Array.from({ length: 500 }, (_, index) => `text ${index + 1}`).join("\n");
  await page.answer("files.read", { data, encoding: "utf8", size: data.length, truncated: false });
  const line = screen.getByRole("button", { name: "Line 400" }).parentElement;
  expect(line?.getAttribute("aria-current")).toBe("true");
  expect(line?.textContent).toBe("400text 400");
});

test("a line that is not there is said, and the end is shown", async () => {
  await answerFolder("f1", [file("a.txt")]);
  openFile(page.session, { path: "a.txt", line: 9 });
  await page.answer("files.read", { data: "one\ntwo", encoding: "utf8", size: 7, truncated: false });
  expect(screen.getByText("There is no line 9; this is the last of 2.")).toBeTruthy();
});

test("pictures, other bytes and empty files are each shown as what they are", async () => {
  await answerFolder("f1", [file("a.png"), file("b.bin"), file("c.txt")]);
  await user.click(row("a.png"));
  await page.answer("files.read", { data: "AAAA", encoding: "base64", size: 3, truncated: false });
  expect(screen.getByRole("img", { name: "a.png" }).getAttribute("src")).toBe("data:image/png;base64,AAAA");
  fireEvent.error(screen.getByRole("img", { name: "a.png" }));
  expect(screen.getByText("The browser cannot show this picture.")).toBeTruthy();
  await user.click(row("b.bin"));
  await page.answer("files.read", { data: "a\0b", encoding: "utf8", size: 3, truncated: false });
  expect(screen.getByText(/^No text/)).toBeTruthy();
  await user.click(row("c.txt"));
  await page.answer("files.read", { data: "", encoding: "utf8", size: 0, truncated: false });
  expect(screen.getByText("The file is empty.")).toBeTruthy();
});

test("a long text is shown from its beginning until more is asked for", async () => {
  await answerFolder("f1", [file("a.log")]);
  await user.click(row("a.log"));
  await page.answer("files.read", { data: "begin", encoding: "utf8", size: 3 << 20, truncated: true });
  await user.click(screen.getByRole("button", { name: "Show more" }));
  expect(page.socket.call("files.read").params).toMatchObject({ maxBytes: 10 << 20 });
  await page.answer("files.read", { data: "begin and end", encoding: "utf8", size: 3 << 20, truncated: false });
  expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
});

test("a Markdown file is read rendered, its links to files open them, and its source is one press away", async () => {
  await answerFolder("f1", [file("README.md"), file("b.txt")]);
  await user.click(row("README.md"));
  await page.answer("files.read", { data: "# Shop\n[more](b.txt#L2)", encoding: "utf8", size: 24, truncated: false });
  await waitFor(() => screen.getByRole("heading", { name: "Shop" }));
  await user.click(screen.getByRole("button", { name: "Rendered" }));
  expect(screen.getByText("# Shop")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Rendered" }));
  await waitFor(() => screen.getByText("more"));
  await user.click(screen.getByText("more"));
  expect(page.session.files.shown.get()?.ref).toEqual({ path: "b.txt", line: 2 });
});

test("a folder that cannot be read says why and is tried again", async () => {
  await page.socket.refuse("files.watch", "FS_DENIED", "closed");
  await page.socket.refuse("files.list", "FS_DENIED", "This workspace gives no access to files.");
  expect(await screen.findByText("This workspace gives no access to files.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await answerFolder("f1", []);
  expect(screen.getByText(/This folder is empty/)).toBeTruthy();
});

test("a new folder lies beside what is chosen; a refusal keeps the form", async () => {
  await answerFolder("f1", [folder("src"), file("a.txt")]);
  tree().focus();
  await user.click(screen.getByRole("button", { name: "New folder…" }));
  await user.type(screen.getByLabelText("Name"), "old");
  await user.click(screen.getByRole("button", { name: "Create" }));
  expect(page.socket.call("files.mkdir").params).toEqual({ workspaceId: "w1", path: "src/old" });
  await page.socket.refuse("files.mkdir", "FS_ERROR", "'src/old' exists already.");
  expect(await screen.findByText("'src/old' exists already.")).toBeTruthy();
  expect((screen.getByLabelText("Name") as HTMLInputElement).value).toBe("old");
});

test("Delete asks before anything goes to the trash", async () => {
  await answerFolder("f1", [file("a.txt")]);
  tree().focus();
  await user.keyboard("{Delete}");
  expect(screen.getByText("Move “a.txt” to the trash?")).toBeTruthy();
  expect(page.socket.calls.some((call) => call.method === "files.trash")).toBe(false);
  await user.click(screen.getByRole("button", { name: "Move to the trash" }));
  expect(page.socket.call("files.trash").params).toEqual({ workspaceId: "w1", path: "a.txt" });
  await page.answer("files.trash", {});
  expect(page.session.toasts.shown.get()).toMatchObject([{ message: "a.txt is in the trash" }]);
});

test("the menu of a file sends it to cards that take it and says why others do not", async () => {
  await answerFolder("f1", [file("a.txt")]);
  tree().focus();
  await user.keyboard("{Shift>}{F10}{/Shift}");
  const entries = contextMenu.get()?.entries.flatMap((entry) => ("run" in entry ? [entry] : [])) ?? [];
  expect(entries.find((entry) => entry.label === "Notes")).toMatchObject({
    disabled: true,
    description: "Notes takes no file, only markdown",
  });
  const radar = entries.find((entry) => entry.label === "Radar");
  expect(radar).toMatchObject({ disabled: false, description: "File → Spot" });
  radar?.run();
  const { params } = page.socket.call("ports.deliver");
  expect(params).toEqual({ to: "Radar", data: { path: "a.txt" }, type: "ns:file-ref" });
  await page.answer("ports.deliver", { delivered: 1, outcome: "accepted" });
  expect(page.session.toasts.shown.get()).toMatchObject([{ message: "Radar has a.txt", tone: "success" }]);
});

test("the edge makes the drawer wider by keys", async () => {
  await answerFolder("f1", []);
  const edge = screen.getByRole("separator", { name: "Width of the files" });
  edge.focus();
  await user.keyboard("{ArrowRight}{ArrowRight}");
  expect(Number(edge.getAttribute("aria-valuenow"))).toBeGreaterThanOrEqual(220);
  expect(screen.getByRole("complementary", { name: "Files" }).style.width).not.toBe("");
  fireEvent.doubleClick(edge);
  expect(screen.getByRole("complementary", { name: "Files" }).style.width).toBe("");
});
