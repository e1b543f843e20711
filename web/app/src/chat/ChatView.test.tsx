import { cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Message } from "@cardloom/protocol/session";
import { showChat } from "./testing";

const history: Message[] = [
  { id: "u1", role: "user", parts: [{ type: "text", text: "Why?" }], hash: "h1" },
  {
    id: "a1",
    role: "assistant",
    parts: [
      { type: "thinking", text: "Hm." },
      { type: "text", text: "Because **so**." },
      { type: "tool_use", data: { path: "a.txt" }, meta: { callId: "c1", name: "read_file" } },
    ],
    hash: "h2",
    swipes: { active: 1, count: 3 },
  },
  { id: "t1", role: "tool", parts: [{ type: "tool_result", text: "the words", meta: { callId: "c1", name: "read_file" } }], hash: "h3" },
  { id: "x1", role: "narrator", parts: [{ type: "smell", data: "roses" }, { type: "error", text: "It broke.", meta: { code: "cut" } }], hash: "h4" },
];
const everything = {
  models: true,
  profiles: { edit: true },
  swipes: true,
  fork: true,
  rename: true,
  assets: true,
  edits: { edit: true, delete: true, hide: true },
  run: { ask: true, cancel: true },
};

// jsdom lays nothing out; the thread gets a height, and its rows are drawn.
beforeEach(() => {
  const size = { offsetHeight: 4000, offsetWidth: 800, clientHeight: 4000, clientWidth: 800 };
  for (const [name, value] of Object.entries(size)) vi.spyOn(HTMLElement.prototype, name as "offsetHeight", "get").mockReturnValue(value);
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 800, 4000));
});
afterEach(() => vi.restoreAllMocks());

describe("a chat", () => {
  test("shows a call with its result, thoughts folded, and what it does not know as what it holds", async () => {
    await showChat(everything, history);
    const articles = await screen.findAllByRole("article");
    expect(articles).toHaveLength(3);
    const answer = within(articles[1] as HTMLElement);
    expect(answer.getByText("read_file").closest("details")?.dataset["state"]).toBe("done");
    expect(answer.getByText("Thoughts").closest("details")?.open).toBe(false);
    expect(await answer.findByText("so")).toBeTruthy();
    expect(within(articles[2] as HTMLElement).getByText("smell")).toBeTruthy();
    expect(within(articles[2] as HTMLElement).getByRole("alert").textContent).toContain("It broke.");
  });

  test("offers what the backend can do and nothing else", async () => {
    await showChat({}, history);
    await screen.findAllByRole("article");
    for (const name of ["Edit", "Answer anew", "Next alternative", "More", "Model", "Profile", "Send"]) {
      expect(screen.queryByRole("button", { name })).toBeNull();
    }
    expect(screen.queryByRole("textbox")).toBeNull();
    expect(screen.getByText(/only shows sessions/)).toBeTruthy();
  });

  test("of ten thousand messages only those near the sight are in the page", async () => {
    const long: Message[] = Array.from({ length: 10_000 }, (_, at) => ({ id: `m${at}`, role: "user", parts: [{ type: "text", text: `Message ${at}` }] }));
    await showChat({}, long);
    expect((await screen.findAllByRole("article")).length).toBeLessThan(100);
    expect(screen.getByRole("log").firstElementChild?.getAttribute("style")).toMatch(/height: \d{7,}px/);
  });

  test("Home and End go all the way, and whoever says something is at the end", async () => {
    vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockReturnValue(90_000);
    await showChat(everything, history, { "session.run": () => new Promise(() => undefined) });
    const log = await screen.findByRole("log");
    expect(log.scrollTop).toBe(90_000);
    log.focus();
    await userEvent.keyboard("{Home}");
    expect(log.scrollTop).toBe(0);
    expect(screen.getByRole("button", { name: "To the end" })).toBeTruthy();
    await userEvent.keyboard("{End}");
    expect(log.scrollTop).toBe(90_000);
    expect(screen.queryByRole("button", { name: "To the end" })).toBeNull();
    await userEvent.keyboard("{Home}");
    const field = screen.getByRole("textbox", { name: "Write a message" });
    await userEvent.clear(field);
    await userEvent.type(field, "hello{Enter}");
    expect(log.scrollTop).toBe(90_000);
    expect(screen.queryByRole("button", { name: "To the end" })).toBeNull();
  });

  test("a message goes only when it was meant", async () => {
    const { calledWith } = await showChat(everything, history, { "session.deleteMessage": () => ({ ok: true, data: null }) });
    const answer = within((await screen.findAllByRole("article"))[1] as HTMLElement);
    const ask = async () => {
      await userEvent.click(answer.getByRole("button", { name: "More" }));
      await userEvent.click(screen.getByRole("menuitem", { name: "Delete…" }));
      return within(screen.getByRole("dialog", { name: "Delete this message?" }));
    };
    const question = await ask();
    expect(question.getByText(/Because \*\*so\*\*/)).toBeTruthy();
    await userEvent.click(question.getByRole("button", { name: "Cancel" }));
    expect(calledWith("session.deleteMessage")).toEqual([]);
    await userEvent.click((await ask()).getByRole("button", { name: "Delete" }));
    expect(calledWith("session.deleteMessage")).toMatchObject([{ messageId: "a1" }]);
  });

  test("a message is hidden from the model, a session is begun up to it, and its text changed unless another did", async () => {
    const done = () => ({ ok: true, data: null });
    const { calledWith } = await showChat(everything, history, {
      "session.hideMessage": done,
      "session.fork": () => ({ ok: true, data: { id: "s2" } }),
      "session.editMessage": () => ({ ok: false, error: { code: "conflict", message: "It was changed meanwhile." } }),
    });
    const answer = within((await screen.findAllByRole("article"))[1] as HTMLElement);
    for (const name of ["Hide from the model", "New session up to here"]) {
      await userEvent.click(answer.getByRole("button", { name: "More" }));
      await userEvent.click(screen.getByRole("menuitem", { name }));
    }
    expect(calledWith("session.hideMessage")).toMatchObject([{ messageId: "a1", hidden: true }]);
    expect(calledWith("session.fork")).toMatchObject([{ messageId: "a1" }]);
    await userEvent.click(answer.getByRole("button", { name: "Edit" }));
    const field = answer.getByRole("textbox", { name: "Text of the message" }) as HTMLTextAreaElement;
    await userEvent.type(field, " Mine.");
    await userEvent.click(answer.getByRole("button", { name: "Save" }));
    expect(calledWith("session.editMessage")).toMatchObject([{ messageId: "a1", ifHash: "h2" }]);
    expect(await screen.findByText("It was changed meanwhile.")).toBeTruthy();
    expect(field.value).toBe("Because **so**. Mine.");
  });

  test("goes to the next alternative", async () => {
    const { calledWith } = await showChat(everything, history, { "session.swipe": () => ({ ok: true, data: history.slice(0, 1) }) });
    await userEvent.click(await screen.findByRole("button", { name: "Next alternative" }));
    expect(calledWith("session.swipe")).toMatchObject([{ sessionId: "s1", messageId: "a1", index: 2 }]);
    expect(screen.getAllByRole("article")).toHaveLength(1);
  });

  test("keeps what was typed when the backend refuses it, and says why", async () => {
    const { calledWith } = await showChat(everything, history, {
      "session.run": () => ({ ok: false, error: { code: "not_found", message: "No endpoint offers a model." } }),
    });
    const field = await screen.findByRole("textbox", { name: "Write a message" });
    await userEvent.type(field, "hello{Enter}");
    expect(calledWith("session.run")).toMatchObject([{ sessionId: "s1", text: "hello" }]);
    expect(await screen.findByText("No endpoint offers a model.")).toBeTruthy();
    expect((field as HTMLTextAreaElement).value).toBe("hello");
  });

  test("a backend that went in the middle of a run is told of once, beside what it had said, and can be asked again", async () => {
    let gone = false;
    const away = { ok: false, error: { code: "backend_unreachable", message: "Nobody answers there." } };
    const { event, calledWith } = await showChat(everything, history, {
      "session.runs": () => ({ ok: true, data: [{ runId: "r1", status: "running" }] }),
      "session.follow": () => ({ ok: true, data: { streamId: "f1" } }),
      "session.get": () => (gone ? away : { ok: true, data: { id: "s1", title: "Talk" } }),
    });
    await screen.findAllByRole("article");
    gone = true;
    const end = { type: "run_end", runId: "r1", status: "error", error: away.error };
    await event("session.stream", { streamId: "f1", events: [{ id: "r1:1", event: end }], ended: true, error: null });
    expect((await screen.findByText("Nobody answers there.")).closest("[role=alert]")).toBeTruthy();
    expect(screen.getAllByRole("article")).toHaveLength(3);
    const before = calledWith("session.get").length;
    gone = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(calledWith("session.get").length).toBe(before + 1);
    expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
  });

  test("files go along with a line, stay when it is refused, and stay with their session while another is shown", async () => {
    const kept = { ok: true, data: { ref: "r1" } };
    const given = { "session.putAsset": () => kept, "session.run": () => ({ ok: false, error: { code: "busy", message: "A run goes on." } }) };
    const { calledWith } = await showChat(everything, history, given);
    const field = await screen.findByRole("textbox", { name: "Write a message" });
    await userEvent.clear(field);
    const picker = document.querySelector<HTMLInputElement>("input[type=file]") as HTMLInputElement;
    const unreadable = new File(["x"], "gone.txt", { type: "text/plain" });
    unreadable.arrayBuffer = () => Promise.reject(new Error("gone.txt cannot be read."));
    await userEvent.upload(picker, [unreadable, new File(["png"], "pic.png", { type: "image/png" }), new File(["words"], "a.txt", { type: "text/plain" })]);
    expect(await screen.findByText("gone.txt cannot be read.")).toBeTruthy();
    await userEvent.type(field, "see{Enter}");
    expect(calledWith("session.putAsset").map((params) => params["name"])).toEqual(["pic.png", "a.txt"]);
    const parts = (calledWith("session.run")[0]?.["parts"] ?? []) as { type: string; text?: string }[];
    expect(parts.map((part) => [part.type, part.text])).toEqual([["text", "see"], ["image", undefined], ["file", "words"]]);
    expect(await screen.findByText("A run goes on.")).toBeTruthy();
    cleanup();
    await showChat(everything, history, given);
    await userEvent.click(await screen.findByRole("button", { name: "Remove pic.png" }));
    expect(screen.queryByText("pic.png")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Remove a.txt" }));
    await userEvent.clear(screen.getByRole("textbox", { name: "Write a message" }));
  });

  test("Shift and Enter begin a line", async () => {
    const { calledWith } = await showChat(everything, history);
    const field = await screen.findByRole("textbox", { name: "Write a message" });
    await userEvent.clear(field);
    await userEvent.type(field, "one{Shift>}{Enter}{/Shift}two");
    expect((field as HTMLTextAreaElement).value).toBe("one\ntwo");
    expect(calledWith("session.run")).toEqual([]);
  });

  test("a question is answered once, and closes when it is settled elsewhere", async () => {
    const options = [
      { id: "y", label: "Yes", kind: "allow_once" },
      { id: "n", label: "No", kind: "reject_once" },
    ];
    const ask = { type: "ask", runId: "r1", askId: "q1", kind: "permission", title: "Write notes.txt?", options };
    const { event, calledWith } = await showChat(everything, history, {
      "session.runs": () => ({ ok: true, data: [{ runId: "r1", status: "running" }] }),
      "session.follow": () => ({ ok: true, data: { streamId: "f1" } }),
      "session.answer": () => ({ ok: true, data: null }),
    });
    const tell = (id: number, told: object) =>
      event("session.stream", { streamId: "f1", events: [{ id: `r1:${id}`, event: told }], ended: false, error: null });
    await tell(1, { type: "run_start", runId: "r1", sessionId: "s1" });
    await tell(2, ask);
    const dialog = await screen.findByRole("alertdialog", { name: /Write notes.txt/ });
    await userEvent.click(within(dialog).getByRole("button", { name: "Allow" }));
    expect(calledWith("session.answer")).toEqual([{ backend: "engine", runId: "r1", askId: "q1", optionIds: ["y"] }]);
    await tell(3, { ...ask, resolved: { optionIds: ["y"] } });
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });
});
