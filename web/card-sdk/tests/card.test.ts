import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CardSdkError, createTranslator, isCardSdkError, requestPermissions } from "../src";
import type { Card } from "../src";
import { settle } from "../src/testing";
import type { MockHost } from "../src/testing";
import { joinedHost } from "./tideClock";

let host: MockHost;
let card: Card;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  host = joinedHost();
  card = await host.connect();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("what a card knows", () => {
  test("the context is there whole, and its parts under short names", () => {
    expect(card).toMatchObject({ id: "c_card", launch: "resumed", i18n: { locale: "en-US" }, workspace: { id: "w_mock" } });
    expect(card.instance.displayName).toBe("Tide clock");
    expect(card.context.spawnInit).toEqual({ depth: 3 });
    expect(card.ports.inputs.map(({ id }) => id)).toEqual(["notes", "lookup"]);
    expect(card.host).toMatchObject({ protocol: 1, appVersion: "0.1.264" });
    expect(card.context.limits.inFlightRequests).toBe(64);
  });

  test("a context without chrome, as old hosts send it, gets an empty one", async () => {
    host.answerWith("host.ready", () => ({ ...host.world.context(), chrome: undefined }));
    const again = await host.connect();
    expect(again.chrome).toEqual({ title: null, status: null, badge: null, overview: null, attention: null });
  });

  test("listeners of the context hear of every change once it is there", async () => {
    const seen: string[] = [];
    const stop = card.onContextChanged(() => seen.push(card.lifecycle.visibility));
    await host.setVisibility("hidden");
    stop();
    await host.setVisibility("visible");
    expect(seen).toEqual(["hidden"]);
  });
});


describe("listeners", () => {
  test("a listener that fails is told of in the log and stops nobody", async () => {
    const got: unknown[] = [];
    card.on("ui.menu", () => {
      throw new Error("clumsy");
    });
    card.ui.onMenu((id) => got.push(id));
    await host.event("ui.menu", { id: "x" });
    expect(got).toEqual(["x"]);
    expect(host.shown.log).toMatchObject([{ level: "error", message: expect.stringContaining("clumsy") as string }]);
  });

  test("one function registered twice is called twice and stopped once", async () => {
    const got: unknown[] = [];
    const hear = (id: string) => void got.push(id);
    const stop = card.ui.onMenu(hear);
    card.ui.onMenu(hear);
    stop();
    stop();
    await host.event("ui.menu", { id: "x" });
    expect(got).toEqual(["x"]);
  });

  test("values that waited are kept when their first listener leaves at once", async () => {
    await host.deliver("notes", "early");
    const got: unknown[] = [];
    card.ports.onMessage((text) => got.push(text))();
    await settle();
    expect(got).toEqual([]);
    card.ports.onMessage((text) => got.push(text));
    await settle();
    expect(got).toEqual(["early"]);
  });

  test("values that waited come before those that arrive while they are handed over", async () => {
    await host.deliver("notes", "early");
    const got: unknown[] = [];
    card.ports.onMessage((text) => got.push(text));
    await host.deliver("notes", "late");
    expect(got).toEqual(["early", "late"]);
  });
});

describe("chrome", () => {
  test("an update that waits for its turn fails when the connection ends", async () => {
    host.refuseNext("card.setStatus", new CardSdkError("RATE_LIMITED", "Too often.", { retryAfterMs: 60_000 }));
    const failing = expect(card.setStatus("late")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await settle();
    card.close();
    await failing;
  });

  test("without a time to wait, too often is waited out for a second and a bit", async () => {
    host.refuseNext("card.setTitle", new CardSdkError("RATE_LIMITED", "Too often."));
    const setting = card.setTitle("Tides");
    await vi.advanceTimersByTimeAsync(1024);
    expect(host.shown.chrome.title).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    await setting;
    expect([host.shown.chrome.title, card.chrome.title]).toEqual(["Tides", "Tides"]);
  });

  test("badge, tile and attention show what was said and nothing when it is taken back", async () => {
    await card.setBadge("new", { tone: "accent" });
    await card.setOverview({ primary: "High", progress: 0.5, icon: "moon" });
    await card.attention("needs-input", "Which harbour?");
    expect(host.shown.chrome).toMatchObject({
      badge: { count: null, text: "new", tone: "accent" },
      overview: { primary: "High", secondary: null, progress: 0.5, icon: "moon", tone: "default" },
      attention: { level: "needs-input", message: "Which harbour?" },
    });
    expect(card.chrome).toEqual(host.shown.chrome);
    await vi.advanceTimersByTimeAsync(10_000);
    await Promise.all([card.setBadge(null), card.setOverview(null), card.attention("none")]);
    expect(card.chrome).toEqual({ title: null, status: null, badge: null, overview: null, attention: null });
  });
});

describe("storage and settings", () => {
  test("a value comes back, a missing one is undefined, and null is a value", async () => {
    await card.storage.set("a", { deep: [1] });
    await card.storage.package.set("n", null);
    expect(await card.storage.get("a")).toEqual({ deep: [1] });
    expect(await card.storage.get("n")).toBeUndefined();
    expect(await card.storage.package.get("n")).toBeNull();
    await card.storage.set("b", 2);
    expect(await card.storage.keys()).toEqual(["a", "b"]);
    expect(await card.storage.instance.keys("b")).toEqual(["b"]);
    expect(await card.storage.usage()).toMatchObject({ keys: 2, bytes: 'a{"deep":[1]}b2'.length });
    await card.storage.delete("a");
    await card.storage.clear();
    expect(await card.storage.keys()).toEqual([]);
  });

  test("changes of others are heard for the scope that was asked for", async () => {
    const heard: string[] = [];
    card.storage.package.onChanged(({ key }) => heard.push(key));
    await host.event("storage.changed", { scope: "instance", key: "mine", deleted: false });
    await host.event("storage.changed", { scope: "package", key: "ours", deleted: false });
    expect(heard).toEqual(["ours"]);
  });

  test("settings follow what is set here and in the form", async () => {
    const seen: unknown[] = [];
    card.settings.onChanged(({ values }) => seen.push(values["place"]));
    expect(card.settings.values).toEqual({ place: "Brest" });
    await card.settings.set({ place: "Kiel" });
    await host.changeSettings({ place: "Oslo" });
    expect([card.settings.values["place"], seen]).toEqual(["Oslo", ["Kiel", "Oslo"]]);
    expect(await card.settings.get()).toEqual(host.world.settings());
    await card.settings.open();
    expect(host.shown.settingsOpened).toBe(1);
  });

  test("a setting that does not fit names its key", async () => {
    const error = await card.settings.set({ count: 99 }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "INVALID_PARAMS", issues: [{ key: "count" }] });
  });
});

describe("permissions", () => {
  test("only what is missing is asked for, and what may be used is given back in the order asked", async () => {
    host.person.grants = ["fs.write"];
    const asked = () => host.calls.filter(({ method }) => method === "permissions.request").map(({ params }) => params);
    expect(await requestPermissions(card, "fs.read", "agents.read", "background")).toEqual(["agents.read"]);
    expect(asked()).toEqual([]);
    expect(await requestPermissions(card, "fs.write", "network", "agents.read", "fs.write")).toEqual(["fs.write", "agents.read"]);
    expect(asked()).toEqual([{ ids: ["network", "fs.write"] }]);
    expect(await requestPermissions(card, "fs.read", "fs.write")).toEqual(["fs.read", "fs.write"]);
    expect(asked()).toHaveLength(1);
    expect(await requestPermissions(card, "network")).toEqual([]);
  });

  test("a refusal is an empty list, an undeclared permission an error with its name", async () => {
    host.person.grants = false;
    const heard: unknown[] = [];
    card.permissions.onChanged((list) => heard.push(list.length));
    expect(await card.permissions.request(["fs.write"], "agents.output")).toEqual([]);
    expect(heard).toEqual([card.permissions.all.length]);
    await vi.advanceTimersByTimeAsync(5000);
    const error = await card.permissions.request("clipboard.write").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "PERMISSION_DENIED", permission: "clipboard.write" });
    expect((error as CardSdkError).hint).toContain("manifest");
  });
});

describe("the rest of a card", () => {
  test("what the person decides comes back", async () => {
    expect(await card.ui.confirm({ title: "Delete?", message: "All of it." })).toBe(true);
    expect(await card.openLink("https://example.org")).toBe(true);
    host.person.confirms = false;
    host.person.opensLinks = false;
    expect(await card.ui.confirm({ title: "Delete?", message: "All of it.", tone: "danger" })).toBe(false);
    expect(await card.openLink("https://example.org/no")).toBe(false);
    expect(host.shown.links).toEqual(["https://example.org"]);
    await expect(card.openLink("http://example.org")).rejects.toMatchObject({ code: "INVALID_PARAMS" });
  });

  test("toasts, focus, size, clipboard and new cards", async () => {
    await host.setPermissions("clipboard.write", "canvas.spawn");
    await card.ui.toast("Ebb.", { tone: "success", durationMs: 2000 });
    await card.focus("c_tide");
    await card.copyText("12:40");
    expect(await card.requestResize(5000, 10)).toEqual({ w: 800, h: 200 });
    expect(card.lifecycle.size).toEqual({ w: 800, h: 200 });
    expect(await card.spawn({ kind: "note", title: "Log", connect: true })).toBe("c_spawned_1");
    expect(host.shown).toMatchObject({ toasts: [{ message: "Ebb." }], focused: ["c_tide"], copied: ["12:40"] });
    expect(await card.getInfo()).toMatchObject({ size: { w: 800, h: 200 } });
  });

  test("the menu calls the chosen entry's own function", async () => {
    const chosen: string[] = [];
    await card.ui.setMenu([
      { id: "reset", label: "Reset", tone: "danger", onSelect: () => chosen.push("reset") },
      { id: "about", label: "About" },
    ]);
    await host.chooseMenu("reset");
    await host.chooseMenu("about");
    expect(chosen).toEqual(["reset"]);
    expect(host.shown.menu[0]).toEqual({ id: "reset", label: "Reset", tone: "danger" });
  });

  test("lifecycle tells how the card is seen", async () => {
    const heard: unknown[] = [];
    card.lifecycle.onVisibility((visibility) => heard.push(visibility, card.lifecycle.paused));
    card.lifecycle.onExpanded((expanded) => heard.push(expanded));
    card.lifecycle.onResized(({ w }) => heard.push(w));
    card.lifecycle.onSuspend((graceMs) => heard.push(graceMs));
    await host.setVisibility("overview");
    await host.setExpanded(true);
    await host.resize({ w: 500, h: 400 });
    await host.suspend(1000);
    expect(heard).toEqual(["overview", true, true, 500, 1000]);
    expect(card.lifecycle).toMatchObject({ launch: "resumed", expanded: true, visibility: "overview" });
  });

  test("a translator made for a card follows its language", async () => {
    const { t, onChange } = createTranslator({ en: { hello: "Hello" }, ru: { hello: "Привет" } }, card);
    const heard: string[] = [];
    onChange(() => heard.push(t("hello")));
    expect(t("hello")).toBe("Hello");
    await host.setLanguage("ru");
    expect(heard).toEqual(["Привет"]);
    expect(createTranslator({ en: {}, ru: { hello: "Привет" } }, "ru").t("hello")).toBe("Привет");
  });

  test("a call is given up by its signal, queued or sent", async () => {
    host.answerWith("ports.peers", () => new Promise(() => undefined));
    const abort = new AbortController();
    const { signal } = abort;
    for (let number = 0; number < 63; number += 1) void card.request("ports.peers").catch(() => undefined);
    const outcomes = Promise.allSettled([card.request("ports.peers", {}, { signal }), card.request("card.getInfo", {}, { signal })]);
    await settle();
    abort.abort(new Error("enough"));
    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(host.calls.filter(({ method }) => method === "card.getInfo")).toEqual([]);
    await expect(card.request("card.getInfo", {}, { signal })).rejects.toThrow("enough");
  });

  test("log lines join their parts, errors with their place", async () => {
    card.log.debug("a", 1, { b: [2] }, undefined);
    card.log.error(new Error("boom"));
    await settle();
    expect(host.shown.log[0]).toEqual({ level: "debug", message: 'a 1 {"b":[2]} undefined' });
    expect(host.shown.log[1]?.message).toMatch(/boom[\s\S]*card\.test/);
  });
});

describe("errors", () => {
  test("say what to do and hold what the host added", () => {
    const limited = new CardSdkError("RATE_LIMITED", "Too often.", { retryAfterMs: 40 });
    expect([limited.retryAfterMs, limited.permission, limited.hint]).toEqual([40, undefined, undefined]);
    expect(limited.issues).toEqual([]);
    for (const code of ["PERMISSION_DENIED", "NOT_CONNECTED", "NOT_VISIBLE", "NOT_READY", "PROTOCOL_MISMATCH", "HOST_NOT_ALLOWED", "BUDGET_PAUSED", "FS_DENIED"]) {
      expect(new CardSdkError(code, "x").hint).toMatch(/\.$/);
    }
  });

  test("are known across copies of the SDK, and other things are not", () => {
    const foreign = Object.assign(new Error("x"), { name: "CardSdkError", code: "BUSY" });
    expect([isCardSdkError(foreign), isCardSdkError(foreign, "BUSY"), isCardSdkError(foreign, "TIMEOUT")]).toEqual([true, true, false]);
    expect([isCardSdkError(new Error("x")), isCardSdkError("BUSY"), isCardSdkError(null)]).toEqual([false, false, false]);
  });
});
