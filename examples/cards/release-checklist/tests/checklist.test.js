// @vitest-environment jsdom
import { createTranslator } from "@cardloom/card-sdk";
import { MockHost } from "@cardloom/card-sdk/testing";
import { beforeEach, describe, expect, test, vi } from "vitest";
import manifest from "../neurosquad-card.json";
import { start } from "../checklist.js";
import { FIRST_STEPS } from "../steps.js";

let host, card, page;

const until = (check) => vi.waitFor(check, { timeout: 20_000 });

async function begin(options = {}) {
  host = new MockHost({ manifest, ...options });
  card = await host.connect();
  page = document.body.appendChild(document.createElement("div"));
  await start(card, page, (words) => createTranslator(words, card));
}

const boxes = () => [...page.querySelectorAll("input[type=checkbox]")];
const button = (text) => [...page.querySelectorAll("button")].find((one) => one.textContent === text);
const said = (result) => result.content[0].text;

async function tickAll() {
  for (const id of [1, 2, 3, 4]) await host.callTool("check", { id, note: "done" });
}

beforeEach(() => {
  document.body.replaceChildren();
  vi.useRealTimers();
});

describe("the release checklist", () => {
  test("begins with steps, keeps ticks and says how many are open", async () => {
    await begin();
    expect([...page.querySelectorAll("label")].map((label) => label.textContent)).toEqual(FIRST_STEPS);
    boxes()[0].click();
    await until(() => expect(host.shown.chrome.badge?.count).toBe(3));
    expect(host.shown.chrome.status?.text).toBe("3 steps open");
    expect((await card.storage.get("steps"))[0].by).toBe("you");
  });

  test("lets an agent list, add and tick off, under its own name", async () => {
    await begin();
    expect(said(await host.callTool("add", { text: "Docs are built" }))).toBe("Step 5 is added.");
    expect(said(await host.callTool("check", { id: 5, note: "mkdocs" }))).toBe("4 steps are open.");
    const listed = JSON.parse(said(await host.callTool("list")));
    expect(listed.at(-1)).toEqual({ id: 5, text: "Docs are built", by: "Agent", note: "mkdocs", done: true });
    expect(page.querySelector(".ns-badge").title).toBe("mkdocs");
    await expect(host.callTool("check", { id: 9 })).rejects.toThrow("There is no step 9.");
  });

  test("offers to ship only while every step is ticked off", async () => {
    await begin();
    expect(host.world.hiddenTools.has("ship")).toBe(true);
    await tickAll();
    expect(host.world.hiddenTools.has("ship")).toBe(false);
    await host.callTool("check", { id: 2, done: false });
    expect(host.world.hiddenTools.has("ship")).toBe(true);
  });

  test("asks the person before an agent ships, and says so afterwards", async () => {
    await begin({ rates: false });
    await tickAll();
    const heard = [];
    const result = await host.callTool("ship", { version: "1.2.0" }, { onProgress: (message) => heard.push(message) });
    expect([heard, said(result)]).toEqual([["The user is asked."], "1.2.0 is shipped."]);
    expect(host.shown.questions[0]).toMatchObject({ title: "Ship 1.2.0?", message: expect.stringContaining("Agent") });
    expect(host.emitted.find(({ port }) => port === "shipped")?.data).toMatchObject({ data: { version: "1.2.0" } });
    expect(host.shown.chrome.attention).toBe(null);
    expect(boxes().some((box) => box.checked)).toBe(false);
  });

  test("does not ship when the person says no", async () => {
    await begin({ rates: false });
    await tickAll();
    host.person.confirms = false;
    await expect(host.callTool("ship", { version: "1.2.0" })).rejects.toThrow("does not want to ship");
    expect(host.emitted.some(({ port }) => port === "shipped")).toBe(false);
    expect(boxes().every((box) => box.checked)).toBe(true);
  });

  test("takes tasks as steps, each once, and tells what is open", async () => {
    await begin();
    await host.deliver("steps", [{ text: "Announce" }, { text: "Tests pass" }, { text: "Announce" }]);
    await until(() => expect(boxes()).toHaveLength(5));
    await until(() => expect(host.emitted.at(-1)).toMatchObject({ port: "open" }));
    expect(host.emitted.at(-1).data.at(-1)).toEqual({ id: "5", text: "Announce", status: "pending" });
  });

  test("a person adds a step and ships", async () => {
    await begin();
    page.querySelector("input.ns-input").value = " Announce ";
    button("Add").click();
    await until(() => expect(boxes()).toHaveLength(5));
    expect(button("Ship").disabled).toBe(true);
    for (const box of boxes()) boxes().find((one) => one.id === box.id).click();
    await until(() => expect(button("Ship").disabled).toBe(false));
    button("Ship").click();
    await until(() => expect(host.emitted.some(({ port }) => port === "shipped")).toBe(true));
  });

  test("speaks the person's language", async () => {
    await begin({ language: "ru" });
    expect(button("Выпустить")).toBeDefined();
    await host.setLanguage("zh");
    expect(button("发布")).toBeDefined();
    await until(() => expect(host.shown.chrome.status?.text).toBe("还有 4 个步骤"));
  });
});
