// @vitest-environment jsdom
import { MockHost, peer } from "@cardloom/card-sdk/testing";
import type { MockHostOptions } from "@cardloom/card-sdk/testing";
import { CardProvider } from "@cardloom/card-sdk/react";
import { act } from "react";
import { createRoot } from "react-dom/client";
import type { Root } from "react-dom/client";
import { afterEach, describe, expect, test, vi } from "vitest";
import manifest from "../neurosquad-card.json";
import { App } from "../src/App";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

let host: MockHost;
let page: HTMLElement;
let root: Root;

const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000 });

async function begin(options: Omit<MockHostOptions, "manifest"> = {}) {
  host = new MockHost({ manifest, ...options });
  const card = await host.connect();
  page = document.body.appendChild(document.createElement("div"));
  root = createRoot(page);
  await act(async () => root.render(<CardProvider card={card}><App /></CardProvider>));
}

const twin = peer("c_twin", "custom", {
  name: "Twin",
  direction: "both",
  inputs: [
    { id: "find", label: "Find", type: "ns:text", mode: "request", response: { type: "ns:json" }, retain: false, default: false },
    { id: "lines", label: "Lines", type: "ns:tasks", mode: "stream", retain: false, default: true },
  ],
  outputs: [{ id: "last", label: "Last", type: "ns:json", mode: "stream", retain: true, default: false }],
});

function part(name: string): HTMLElement {
  const found = page.querySelector<HTMLElement>(`section[aria-label="${name}"]`);
  if (found === null) throw new Error(`there is no ${name}`);
  return found;
}

async function press(text: string) {
  const button = [...page.querySelectorAll("button")].find((one) => one.textContent === text);
  if (button === undefined) throw new Error(`there is no button ${text}`);
  await act(async () => {
    button.click();
    await host.rest();
  });
}

afterEach(async () => {
  await act(async () => root.unmount());
  page.remove();
});

describe("the message inspector", () => {
  test("lists what arrives with its way and its types, the newest first, and keeps it", async () => {
    await begin({ peers: [peer("c_note", "note", { name: "Plan" })] });
    const more = { from: "c_note", fromKind: "note" as const, output: "text", sourceType: "ns:markdown" };
    await act(() => host.deliver("any", "first", more));
    await act(() => host.deliver("reading", { value: 3, unit: "m" }));
    const lines = [...part("Messages").querySelectorAll("li")].map((line) => line.textContent);
    expect(lines[0]).toContain('"value": 3');
    expect(lines[1]).toContain("Plan · text → any · ns:markdown → ns:any");
    expect(host.shown.chrome.badge?.count).toBe(2);
    await act(async () => root.unmount());
    root = createRoot(page);
    const again = await host.connect();
    await act(async () => root.render(<CardProvider card={again}><App /></CardProvider>));
    expect(part("Messages").querySelectorAll("li")).toHaveLength(2);
    await press("Clear");
    expect(part("Messages").textContent).toContain("Nothing arrived yet");
  });

  test("keeps the last message for who asks later, and answers questions about all of them", async () => {
    await begin();
    await act(() => host.deliver("any", "salt and tides"));
    expect(host.emitted.at(-1)).toMatchObject({ port: "last", data: { text: "salt and tides" } });
    expect(await host.ask("find", "tides")).toEqual({ query: "tides", hits: ["salt and tides"] });
    expect(await host.ask("find", "moon")).toEqual({ query: "moon", hits: [] });
  });

  test("loses nothing of what arrives before it has read what it kept", async () => {
    host = new MockHost({ manifest });
    const card = await host.connect();
    await card.storage.set("seen", [{ at: 1, from: "c_old", kind: "custom", route: "out → any", text: "kept before" }]);
    for (const text of ["early one", "early two"]) await host.deliver("any", text);
    page = document.body.appendChild(document.createElement("div"));
    root = createRoot(page);
    await act(async () => {
      root.render(<CardProvider card={card}><App /></CardProvider>);
      await host.rest();
    });
    const texts = [...part("Messages").querySelectorAll("pre")].map((line) => line.textContent);
    expect(texts).toEqual(["early two", "early one", "kept before"]);
  });

  test("does not tell again what another inspector tells", async () => {
    await begin();
    await act(() => host.deliver("any", { text: "round" }, { sourceType: "message-inspector/seen" }));
    expect(part("Messages").textContent).toContain("round");
    expect(host.emitted).toEqual([]);
  });

  test("says what a value becomes for each joined card before it is sent", async () => {
    await begin({ peers: [twin, peer("c_sticky", "sticky", { name: "Blue" })] });
    expect(part("Joined cards").textContent).toContain("Lines gets it as ns:tasks (lines-to-tasks)");
    expect(part("Joined cards").textContent).toContain('[{"text":"salt"}]');
    expect(part("Joined cards").textContent).toContain("Title gets it as ns:text (exact)");
  });

  test("sends to all, to one input of one card, and asks first for what that needs", async () => {
    await begin({ peers: [twin, peer("c_note", "note", { name: "Plan" })] });
    await press("Send to all");
    await until(() => expect(part("Send").textContent).toContain("2 cards took it"));
    expect(host.world.granted).toContain("cards.connected");
    await press("Send here: Lines");
    expect(host.emitted.at(-1)).toMatchObject({ to: "c_twin", input: "lines", port: "text" });
  });

  test("goes on without a permission and says which card took nothing", async () => {
    await begin({ peers: [peer("c_note", "note", { name: "Plan" })] });
    host.person.grants = false;
    await press("Send to all");
    await until(() => expect(part("Send").textContent).toContain("0 cards took it"));
    await press("Send here: Append");
    await until(() => expect(part("Joined cards").textContent).toContain("PERMISSION_DENIED"));
  });

  test("reads what a card keeps and asks it questions", async () => {
    await begin({ peers: [twin] });
    await press("Read: Last");
    await until(() => expect(part("Joined cards").textContent).toContain("Nothing kept yet"));
    host.keep("c_twin", "last", { text: "old" });
    await press("Read: Last");
    await until(() => expect(part("Joined cards").textContent).toContain('{"text":"old"}'));
    host.onQuestion((_to, _input, data) => ({ query: data, hits: [] }));
    await press("Ask: Find");
    await until(() => expect(part("Joined cards").textContent).toContain('"query":"- [ ] salt"'));
  });

  test("a value that an output does not take is named with its place", async () => {
    await begin({ peers: [twin] });
    const choose = page.querySelector("select");
    await act(async () => {
      const setter = Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value")?.set;
      setter?.call(choose, "reading");
      choose?.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await press("Send to all");
    await until(() => expect(part("Send").textContent).toContain("This is no JSON"));
  });

  test("follows arrows and languages while it runs, and draws nothing unseen", async () => {
    await begin();
    expect(part("Joined cards").textContent).toContain("No card is joined");
    await act(() => host.setPeers(twin));
    expect(part("Joined cards").textContent).toContain("Twin");
    await act(() => host.setLanguage("ru"));
    expect(part("Соединённые карточки").textContent).toContain("↔ Twin");
    await act(() => host.setVisibility("hidden"));
    expect(page.textContent).toBe("");
  });
});
