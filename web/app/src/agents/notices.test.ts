import { expect, test } from "vitest";
import { noticeFor, type Told } from "./notices";

const at = (status: string, endedAt: number | null = null, words = ""): Told => ({ status, endedAt, words });

test("a new question and the end of a turn ring", () => {
  expect(noticeFor(at("working"), at("needs-input", null, "run x"), false)).toEqual({ do: "ring", title: "notice.needsInput", words: "run x" });
  expect(noticeFor(at("working"), at("finished", 5, "Done"), false)).toEqual({ do: "ring", title: "notice.finished", words: "Done" });
  expect(noticeFor(at("working"), at("finished", 5, "limit"), true)).toMatchObject({ title: "notice.failed" });
});

test("a turn that began and ended between two looks rings as well", () => {
  expect(noticeFor(at("finished", 5), at("finished", 9), false)).toMatchObject({ do: "ring" });
});

test("other words for the same take its place quietly, and the same words do nothing", () => {
  expect(noticeFor(at("needs-input", null, "a"), at("needs-input", null, "b"), false)).toMatchObject({ do: "update", words: "b" });
  expect(noticeFor(at("finished", 5, "a"), at("finished", 5, "b"), false)).toMatchObject({ do: "update" });
  expect(noticeFor(at("finished", 5, "a"), at("finished", 5, "a"), false)).toBeNull();
});

test("what was told is withdrawn once the agent does something else", () => {
  for (const status of ["working", "idle", "exited"]) {
    expect(noticeFor(at("needs-input"), at(status), false)).toEqual({ do: "withdraw" });
    expect(noticeFor(at("finished", 5), at(status), false)).toEqual({ do: "withdraw" });
  }
  expect(noticeFor(at("idle"), at("working"), false)).toBeNull();
});

test("what an agent already was when the page opened tells nothing", () => {
  expect(noticeFor(undefined, at("needs-input"), false)).toBeNull();
});
