import { expect, test } from "vitest";
import { openPage } from "../../tests/page";

test("a toast that is shown follows the language, and what a card says stays as it was said", async () => {
  const { session, event } = await openPage();
  session.toast((t) => t("asked.copied"));
  session.toasts.show("3 failed", "warning", { from: "Radar" });
  session.report("fail.preferences", Object.assign(new Error("the disk is full"), { code: "INTERNAL" }));
  const before = session.toasts.shown.get();
  expect(before.map((toast) => toast.message)).toEqual(["Text copied to the clipboard", "3 failed", expect.stringContaining("the disk is full")]);
  await event("preferences.changed", { language: "ru", scheme: "dark" });
  const after = session.toasts.shown.get();
  expect(after.map((toast) => toast.id)).toEqual(before.map((toast) => toast.id));
  expect(after[0]?.message).toBe("Текст скопирован в буфер обмена");
  expect(after[1]?.message).toBe("3 failed");
  expect(after[2]?.message).toMatch(/[а-яё].*the disk is full/i);
});

test("the same words once more replace those that are shown, in whatever language they came", async () => {
  const { session, event } = await openPage();
  session.toast((t) => t("asked.copied"));
  await event("preferences.changed", { language: "zh", scheme: "dark" });
  session.toast((t) => t("asked.copied"));
  expect(session.toasts.shown.get()).toHaveLength(1);
});
