// @vitest-environment jsdom

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type * as Sdk from "../src";
import { MockHost, settle } from "../src/testing";
import { MANIFEST } from "./tideClock";

const parent = {};

/** The SDK as a page loads it: in a frame whose parent is `parent`, or in no frame. */
async function load({ framed }: { readonly framed: boolean }): Promise<typeof Sdk> {
  vi.resetModules();
  Object.defineProperty(window, "parent", { value: framed ? parent : window, configurable: true });
  return import("../src");
}

/** What the page around a frame does: it hands the frame a port. */
function handOver(host: MockHost): void {
  const message = { data: { ns: "nscard", type: "connect", protocol: 1 }, source: parent, ports: [host.open()] };
  window.dispatchEvent(Object.assign(new Event("message"), message));
}

let host: MockHost;

beforeEach(() => {
  host = new MockHost({ manifest: MANIFEST, language: "ru", scheme: "dark", visibility: "overview" });
});

afterEach(() => {
  vi.useRealTimers();
  document.documentElement.removeAttribute("style");
});

describe("connecting", () => {
  test("a page outside any frame has no host", async () => {
    const { connect, isCardSdkError } = await load({ framed: false });
    const error = await connect().catch((reason: unknown) => reason);
    expect(isCardSdkError(error, "UNAVAILABLE")).toBe(true);
  });

  test("a port that was handed over before the card asked is not lost", async () => {
    const { connect } = await load({ framed: true });
    handOver(host);
    const card = await connect();
    expect(card.id).toBe("c_card");
    expect(await connect()).toBe(card);
  });

  test("a frame that is handed no port says so after ten seconds", async () => {
    const { connect } = await load({ framed: true });
    vi.useFakeTimers();
    const failing = expect(connect()).rejects.toMatchObject({ code: "TIMEOUT" });
    await vi.advanceTimersByTimeAsync(10_000);
    await failing;
  });

  test("what nobody caught goes to the card's log until the card is closed", async () => {
    const { connect } = await load({ framed: true });
    handOver(host);
    const card = await connect();
    const fail = (text: string) => window.dispatchEvent(new ErrorEvent("error", { error: new Error(text), message: text }));
    fail("first");
    window.dispatchEvent(Object.assign(new Event("unhandledrejection"), { reason: new Error("second") }));
    await settle();
    expect(host.shown.log).toMatchObject([
      { level: "error", message: expect.stringContaining("first") as string },
      { level: "error", message: expect.stringContaining("second") as string },
    ]);
    card.close();
    fail("third");
    await settle();
    expect(host.shown.log).toHaveLength(2);
  });
});

describe("the page", () => {
  test("wears the host's theme, language and visibility, and changes with them", async () => {
    const { connect } = await load({ framed: true });
    handOver(host);
    await connect();
    const root = document.documentElement;
    const { tokens, fontMono } = host.world.theme;
    expect(root.style.getPropertyValue("--ns-accent")).toBe(tokens.accent);
    expect(root.style.getPropertyValue("--ns-font-mono")).toBe(fontMono);
    expect(root.style.getPropertyValue("color-scheme")).toBe("dark");
    expect(root.dataset["nsScheme"]).toBe("dark");
    expect(root.lang).toBe("ru");
    expect(root.hasAttribute("data-ns-paused")).toBe(true);

    await host.setScheme("light");
    await host.setLanguage("zh");
    await host.setVisibility("visible");
    expect(root.style.getPropertyValue("--ns-background")).toBe(host.world.theme.tokens.background);
    expect(root.style.getPropertyValue("color-scheme")).toBe("light");
    expect(root.lang).toBe("zh");
    expect(root.hasAttribute("data-ns-paused")).toBe(false);
  });

  test("is left alone on request", async () => {
    const { connect } = await load({ framed: true });
    handOver(host);
    await connect({ theme: false });
    expect(document.documentElement.style.getPropertyValue("--ns-accent")).toBe("");
  });

  test("every token becomes a property of its name, and an empty one none", async () => {
    const { THEME_TOKENS, applyTheme } = await load({ framed: false });
    const tokens = Object.fromEntries(THEME_TOKENS.map((token) => [token, token === "link" ? "" : "red"]));
    const root = document.createElement("div");
    applyTheme({ scheme: "dark", tokens, fontSans: "Sans", fontMono: "" }, root);
    const written = [...root.style].filter((name) => name.startsWith("--ns-"));
    expect(written.sort()).toEqual([...THEME_TOKENS.filter((token) => token !== "link"), "font-sans"].map((name) => `--ns-${name}`).sort());
  });
});
