import { expect, test } from "vitest";
import { translator } from "../i18n/catalogue";
import { portHint, portLabel } from "./portLabel";

const ports = [
  ["agent", "prompt"],
  ["chat", "prompt"],
  ["chat", "reply"],
  ["chat", "status"],
  ["note", "append"],
  ["terminal", "exit"],
] as const;

test.each(ports)("a port of our own is named in the person's language: %s %s", (kind, id) => {
  const port = { id, label: "Written", description: "As written.", type: "ns:text", retain: false } as Parameters<typeof portHint>[2];
  const t = translator("ru");
  expect(portLabel(t, { kind }, port)).toMatch(/^[А-Яа-яё ]+$/);
  expect(portHint(t, { kind }, port)).toMatch(/^[А-Яа-яё ,.]+$/);
});

test("a port of a package is named as its package wrote it", () => {
  const port = { id: "prompt", label: "Written", description: "As written.", type: "ns:text", retain: false } as Parameters<typeof portHint>[2];
  expect(portLabel(translator("ru"), { kind: "custom" }, port)).toBe("Written");
  expect(portHint(translator("ru"), { kind: "custom" }, port)).toBe("As written.");
});
