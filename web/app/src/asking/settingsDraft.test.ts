import { describe, expect, test } from "vitest";
import type { SettingField, SettingsForm } from "../wire/records";
import { canReset, changesOf, draftOf, issuesByKey, KEEP } from "./settingsDraft";

const field = (key: string, type: SettingField["type"], more: Partial<SettingField> = {}): SettingField => ({
  key,
  type,
  label: key,
  required: false,
  scope: "instance",
  ...more,
});

const form = {
  cardId: "c",
  packageId: "p",
  name: "Card",
  fields: [
    field("count", "number", { default: 3, min: 1, max: 9 }),
    field("title", "string"),
    field("on", "boolean", { default: true }),
    field("token", "secret"),
  ],
  values: { count: 3, on: true },
  secrets: { token: true },
} as unknown as SettingsForm;

describe("what a settings form saves", () => {
  test("nothing when nothing was touched", () => {
    expect(changesOf(form, draftOf(form))).toEqual({ values: {}, secrets: {}, faults: {} });
  });

  test("only what differs, numbers as numbers, a comma as the decimal sign too", () => {
    const draft = draftOf(form);
    const values = { ...draft.values, count: " 4,5 ", title: "x", on: false };
    expect(changesOf(form, { ...draft, values }).values).toEqual({ count: 4.5, title: "x", on: false });
  });

  test("null for what goes back to its default, and for an emptied number", () => {
    const draft = draftOf({ ...form, values: { count: 5, title: "x", on: true } });
    const shown = { ...form, values: { count: 5, title: "x", on: true } };
    expect(changesOf(shown, { ...draft, values: { ...draft.values, title: null } }).values).toEqual({ title: null });
    expect(changesOf(shown, { ...draft, values: { ...draft.values, count: "" } }).values).toEqual({ count: null });
  });

  test.each([
    ["many", { text: "settings.noNumber", limit: 0 }],
    ["0", { text: "settings.atLeast", limit: 1 }],
    ["10", { text: "settings.atMost", limit: 9 }],
  ])("%s is a fault, not a value", (count, fault) => {
    const draft = draftOf(form);
    const changes = changesOf(form, { ...draft, values: { ...draft.values, count } });
    expect(changes).toEqual({ values: {}, secrets: {}, faults: { count: fault } });
  });

  test("a secret is kept, replaced or removed", () => {
    const draft = draftOf(form);
    expect(draft.secrets).toEqual({ token: KEEP });
    const with_ = (token: (typeof draft.secrets)[string]) => changesOf(form, { ...draft, secrets: { token } }).secrets;
    expect(with_({ kind: "set", text: "new" })).toEqual({ token: "new" });
    expect(with_({ kind: "remove" })).toEqual({ token: null });
    expect(with_({ kind: "set", text: "" })).toEqual({});
  });
});

test("there is a way back only where the value is not the default's", () => {
  const count = field("count", "number", { default: 3 });
  expect([canReset(count, "4"), canReset(count, "3"), canReset(count, null)]).toEqual([true, false, false]);
});

test("the refusals of a save are found by their field, the first one counts", () => {
  const data = [{ key: "a", message: "one" }, { key: "a", message: "two" }, { key: "b", message: "three" }, 5, { path: "" }];
  expect(issuesByKey(data)).toEqual({ a: "one", b: "three" });
  expect(issuesByKey(null)).toEqual({});
});
