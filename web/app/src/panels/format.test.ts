import { expect, test } from "vitest";
import { translator } from "../i18n/catalogue";
import { size, unbroken } from "./format";

test.each([
  [28, "28 Б", "28 B"],
  [1536, "1.5 КиБ", "1.5 KiB"],
  [12 * 1024, "12 КиБ", "12 KiB"],
  [3 * 1024 * 1024, "3.0 МиБ", "3.0 MiB"],
])("%i bytes are told in the person's units", (bytes, ru, en) => {
  expect(size(bytes, translator("ru"))).toBe(ru);
  expect(size(bytes, translator("en"))).toBe(en);
});

test("a fact that stays in one piece holds no space at which a line breaks", () => {
  expect(unbroken("chain 7f3a hop 2")).toBe("chain\u00a07f3a\u00a0hop\u00a02");
});
