import { ERROR_CODES } from "@cardloom/protocol";
import { SessionError } from "@cardloom/protocol/session";
import { expect, test } from "vitest";
import { CallFailure } from "../connection/failure";
import { translator } from "./catalogue";
import { quotedOf, reasonOf, toldOf } from "./reasonOf";

const [en, ru, zh] = [translator("en"), translator("ru"), translator("zh")];

test("a refusal is told in the person's language", () => {
  const busy = new CallFailure("BUSY", "somebody is typing in this terminal");
  expect(reasonOf(en, busy)).toBe("somebody is typing in this terminal");
  expect(reasonOf(ru, busy)).toBe("в терминале кто-то печатает");
  expect(reasonOf(zh, busy)).toBe("有人正在此终端输入");
});

test("what a refusal names stands in its place, with the marks of each language", () => {
  const taken = new CallFailure("INVALID_PARAMS", "the name 'pi-2' is taken");
  expect(reasonOf(en, taken)).toBe("the name 'pi-2' is taken");
  expect(reasonOf(ru, taken)).toBe("имя «pi-2» занято");
  expect(reasonOf(zh, taken)).toBe("名称“pi-2”已被占用");
});

test("a sentence inside a sentence is told in the same language", () => {
  const ended = new SessionError("agent_ended", "The agent's program has ended. The prompt waits in its queue.");
  expect(reasonOf(ru, ended)).toBe("Программа агента завершилась. Промпт ждёт в его очереди.");
  expect(reasonOf(en, ended)).toBe(ended.message);
  const killed = new SessionError("pi_ended", "pi ended by SIGKILL: no model");
  expect(reasonOf(ru, killed)).toBe("pi завершился по сигналу SIGKILL: «no model»");
  expect(reasonOf(en, killed)).toBe(killed.message);
});

test("a part of a sentence may stand alone", () => {
  const faulty = "backends.json: backends.2.command: the program and its arguments are expected.";
  expect(toldOf(ru, faulty)).toBe("backends.json: backends.2.command: ожидаются программа и её аргументы.");
  expect(toldOf(zh, faulty)).toBe("backends.json: backends.2.command：应为程序及其参数。");
  expect(toldOf(en, faulty)).toBe(faulty);
});

test("a name is never taken for a sentence", () => {
  expect(reasonOf(ru, new CallFailure("UNAVAILABLE", "tasks is not running"))).toBe("«tasks» не работает");
});

test("words that are not known stand behind their code", () => {
  expect(reasonOf(ru, new CallFailure("BUSY", "of a later server"))).toBe("сейчас занято (of a later server)");
  expect(reasonOf(zh, new CallFailure("BUSY", "of a later server"))).toBe("正忙（of a later server）");
  expect(reasonOf(ru, new SessionError("not_found", "No such chat."))).toBe("этого больше нет (No such chat.)");
});

test("what a foreign program said is a quote", () => {
  expect(reasonOf(ru, new SessionError("pi_failed", "Overloaded"))).toBe("«Overloaded»");
  expect(quotedOf(zh, "Overloaded")).toBe("“Overloaded”");
  expect(quotedOf(en, "Overloaded")).toBe("Overloaded");
  expect(quotedOf(zh, "The backend failed.")).toBe("后端出错。");
});

test("what a card says itself stays as it says it", () => {
  expect(toldOf(ru, "Fünf neue Tests")).toBe("Fünf neue Tests");
});

test("no two codes read the same", () => {
  for (const t of [ru, zh]) {
    const told = ERROR_CODES.map((code) => reasonOf(t, { code, message: "x" }));
    expect(new Set(told).size).toBe(ERROR_CODES.length);
  }
});

test("what has no code is told as it is", () => {
  expect(reasonOf(ru, new Error("broken"))).toBe("broken");
  expect(reasonOf(ru, "words")).toBe("words");
});
