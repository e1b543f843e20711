import { expect, test } from "vitest";
import { idFrom, type EndpointInfo } from "./EngineForm";
import { firstWords } from "./model/conversation";
import { foundSessions } from "./model/desk";

const known = (id: string, url: string): EndpointInfo => ({ id, url, dialect: "chat", hasKey: false });

test("a short name comes from the address and is never taken by another", () => {
  expect(idFrom("https://api.openai.com/v1", [])).toBe("openai");
  expect(idFrom("http://127.0.0.1:11434/v1", [])).toBe("local");
  expect(idFrom("not yet", [])).toBe("local");
  expect(idFrom("http://127.0.0.1:1/v1", [known("local", "http://127.0.0.1:2/v1")])).toBe("local-2");
  expect(idFrom("http://127.0.0.1:2/v1", [known("mine", "http://127.0.0.1:2/v1")])).toBe("mine");
});

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
