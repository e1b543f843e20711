import { expect, test } from "vitest";
import { Typing } from "./typing";

function setUp() {
  const sent: string[] = [];
  const answers: { ok(): void; fail(): void }[] = [];
  const failures: unknown[] = [];
  const typing = new Typing(
    (data) =>
      new Promise((resolve, reject) => {
        sent.push(data);
        answers.push({ ok: () => resolve(undefined), fail: () => reject(new Error("away")) });
      }),
    (error) => failures.push(error),
  );
  return { typing, sent, answers, failures };
}

test("keys pressed while a call is on its way go out together, in order", async () => {
  const { typing, sent, answers } = setUp();
  void typing.type("l");
  void typing.type("s");
  void typing.type("\r");
  expect(sent).toEqual(["l"]);
  answers[0]?.ok();
  await expect.poll(() => sent).toEqual(["l", "s\r"]);
});

test("a long paste goes in pieces that cut no character in half", async () => {
  const { typing, sent, answers } = setUp();
  const pasted = `${"x".repeat(15_999)}😀y`;
  void typing.type(pasted);
  answers[0]?.ok();
  await expect.poll(() => sent.length).toBe(2);
  expect(sent[0]).toBe("x".repeat(15_999));
  expect(sent.join("")).toBe(pasted);
});

test("after a failure the rest is dropped and typing goes on", async () => {
  const { typing, sent, answers, failures } = setUp();
  const first = typing.type("a");
  void typing.type("rest");
  answers[0]?.fail();
  await first;
  expect(failures).toHaveLength(1);
  void typing.type("b");
  expect(sent).toEqual(["a", "b"]);
});
