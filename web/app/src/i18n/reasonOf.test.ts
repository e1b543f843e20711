import { ERROR_CODES } from "@cardloom/protocol";
import { expect, test } from "vitest";
import { CallFailure } from "../connection/failure";
import { translator } from "./catalogue";
import { reasonOf } from "./reasonOf";

test("a refusal is told in the person's language with the server's words behind it", () => {
  const busy = new CallFailure("BUSY", "somebody is typing in this terminal");
  expect(reasonOf(translator("en"), busy)).toBe("somebody is typing in this terminal");
  expect(reasonOf(translator("ru"), busy)).toBe("сейчас занято (somebody is typing in this terminal)");
  expect(reasonOf(translator("zh"), busy)).toBe("正忙（somebody is typing in this terminal）");
});

test("no two codes read the same", () => {
  for (const language of ["ru", "zh"] as const) {
    const told = ERROR_CODES.map((code) => reasonOf(translator(language), { code, message: "x" }));
    expect(new Set(told).size).toBe(ERROR_CODES.length);
  }
});

test("what has no code, or one that is not known here, is told as it is", () => {
  expect(reasonOf(translator("ru"), new Error("broken"))).toBe("broken");
  expect(reasonOf(translator("ru"), new CallFailure("OF_LATER", "later"))).toBe("later");
  expect(reasonOf(translator("ru"), "words")).toBe("words");
});
