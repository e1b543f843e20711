import { expect, test } from "vitest";
import { firstWords } from "./conversation";
import { foundSessions } from "./desk";

test("a session is called by its first words", () => {
  expect(firstWords("  Hello there\nsecond")).toBe("Hello there");
  expect(firstWords("word ".repeat(40))).toMatch(/^(word ){11}word…$/);
});

test("sessions are found by all words of their titles, in any case", () => {
  const sessions = [{ id: "1", title: "Refund path" }, { id: "2", title: "ПЛАТА за путь" }, { id: "3" }];
  expect(foundSessions(sessions, "PATH ref").map((one) => one.id)).toEqual(["1"]);
  expect(foundSessions(sessions, "плата").map((one) => one.id)).toEqual(["2"]);
  expect(foundSessions(sessions, " ")).toHaveLength(3);
});
