import { afterEach, beforeEach, expect, test, vi } from "vitest";

const made: FakeNotification[] = [];

class FakeNotification {
  static permission = "granted";
  static requestPermission = () => Promise.resolve(FakeNotification.permission);
  onclick: (() => void) | null = null;
  onclose: (() => void) | null = null;
  closed = false;

  constructor(
    readonly title: string,
    readonly options: NotificationOptions,
  ) {
    made.push(this);
  }

  close() {
    this.closed = true;
    this.onclose?.();
  }
}

beforeEach(() => {
  made.length = 0;
  FakeNotification.permission = "granted";
  localStorage.clear();
  vi.stubGlobal("Notification", FakeNotification);
  vi.resetModules();
});
afterEach(() => vi.unstubAllGlobals());

const notice = (title: string, quiet = false) => ({ title, body: "b", quiet, onClick: () => undefined });

test("nothing is shown until the person turned it on, and the choice is remembered", async () => {
  const desktop = await import("./desktop");
  desktop.notify("a", notice("one"));
  expect(made).toHaveLength(0);
  expect(await desktop.setNotifying(true)).toBe(true);
  desktop.notify("a", notice("two"));
  expect(made.map((each) => each.title)).toEqual(["two"]);
  vi.resetModules();
  expect((await import("./desktop")).notifying.get()).toBe(true);
});

test("a browser that refuses leaves it off", async () => {
  FakeNotification.permission = "denied";
  const desktop = await import("./desktop");
  expect(await desktop.setNotifying(true)).toBe(false);
  expect(desktop.notifying.get()).toBe(false);
});

test("a newer notice takes the place of the older, a quiet one only where one stands", async () => {
  const desktop = await import("./desktop");
  await desktop.setNotifying(true);
  desktop.notify("a", notice("quiet", true));
  expect(made).toHaveLength(0);
  desktop.notify("a", notice("loud"));
  desktop.notify("a", notice("quiet", true));
  expect(made.map((each) => [each.options.tag, each.options.silent])).toEqual([
    ["cardloom-a", false],
    ["cardloom-a", true],
  ]);
});

test("a notice is withdrawn, and all are when they are turned off", async () => {
  const desktop = await import("./desktop");
  await desktop.setNotifying(true);
  desktop.notify("a", notice("one"));
  desktop.notify("b", notice("two"));
  desktop.withdraw("a");
  expect(made.map((each) => each.closed)).toEqual([true, false]);
  await desktop.setNotifying(false);
  expect(made.map((each) => each.closed)).toEqual([true, true]);
});
