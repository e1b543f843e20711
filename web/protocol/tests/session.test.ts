import { describe, expect, test } from "vitest";
import * as session from "../src/session";

const DELTA = { type: "part_delta", runId: "r1", messageId: "m1", part: 0, delta: "hello" } as const;
const DELTA_FRAME =
  'event: part_delta\ndata: {"type":"part_delta","runId":"r1","messageId":"m1","part":0,"delta":"hello"}\n\n';

const types = (events: readonly session.AnyRunEvent[]) => events.map(({ type }) => type);
const use = (callId: string, data = 0) => ({ type: "tool_use", data, meta: { callId, name: "f" } });
const result = (callId: string, data = 0) => ({ type: "tool_result", data, meta: { callId } });

describe("parts", () => {
  test("the text of a message is its text parts joined", () => {
    const parts = [{ type: "text", text: "a" }, { type: "thinking", text: "b" }, { type: "text", text: "c" }];
    expect(session.derivedText({ parts })).toBe("ac");
    expect(session.derivedText({ parts: [{ type: "hologram", text: "x" }, null, { type: "text", text: 5 }] })).toBe("");
    expect(session.derivedText({})).toBe("");
  });

  test("calls and results are paired by id, wherever they stand", () => {
    const seen = session
      .matchToolPair([result("c", 3), use("c", 1), { type: "hologram" }, use("c", 2), result("c", 4), result("d", 5), use("e")])
      .map((pair) => [pair.callId, pair.use?.data ?? null, pair.result?.data ?? null]);
    expect(seen).toEqual([
      ["c", 1, 3],
      ["c", 2, 4],
      ["e", 0, null],
      ["d", null, 5],
    ]);
  });

  test("no guard takes what is no part or event, and none throws", () => {
    for (const value of [null, undefined, [], "x", 5, {}, { type: 5 }, Object.create({ type: "text" }) as unknown]) {
      expect(session.isKnownPart(value)).toBe(false);
      expect(session.isTextPart(value)).toBe(false);
      expect(session.isKnownRunEvent(value)).toBe(false);
      expect(session.isRunEvent(value)).toBe(false);
    }
    expect(session.isKnownPart({ type: "hologram" })).toBe(false);
    expect(session.isKnownPart({ type: "constructor" })).toBe(false);
    expect(session.isRunEvent({ type: "foo_bar" })).toBe(true);
    expect(session.isKnownRunEvent({ type: "foo_bar" })).toBe(false);
  });
});

describe("event streams", () => {
  test("an event is written as one event line and one data line", () => {
    expect(session.serializeRunEvent(DELTA)).toBe(DELTA_FRAME);
    expect(session.serializeRunEvent(DELTA, { id: "r1:7" })).toBe(`id: r1:7\n${DELTA_FRAME}`);
    expect(session.parseRunEvent(DELTA_FRAME)).toEqual(DELTA);
  });

  test.each(["", "a\nb", "a\rb"])("the type %j is refused", (type) => {
    expect(() => session.serializeRunEvent({ type })).toThrow(session.SessionError);
  });

  test.each(["\n", "\r\n", "\r"])("lines end with %j", (end) => {
    expect(session.parseRunEvent(DELTA_FRAME.replaceAll("\n", end))).toEqual(DELTA);
  });

  test.each([null, 5, "", "event: a\n\n", "data: {\n\n", 'data: ["x"]\n\n', 'data: {"x":1}\n\n', 'event: a\ndata: {"type":5}\n\n'])(
    "%j is no event",
    (frame) => {
      expect(session.parseRunEvent(frame)).toBeNull();
    },
  );

  test("the name of the frame stands in for a missing type, and else the data counts", () => {
    expect(session.parseRunEvent('event: b\ndata: {"x":1}\n\n')).toEqual({ x: 1, type: "b" });
    expect(session.parseRunEvent('event: b\ndata: {"type":"a"}\n\n')).toEqual({ type: "a" });
  });

  test("broken frames are dropped, and the last one counts in a whole text only", () => {
    const text = 'data: {"type":"a"}\n\ndata: {oops\n\ndata: {"type":"b"}';
    expect(types(session.parseSSEStream(text))).toEqual(["a", "b"]);
    expect(types(new session.SseParser().feedEvents(text))).toEqual(["a"]);
  });

  test("a workspace event comes back and a run event is none", () => {
    const event = { type: "workspace_update", paths: [""] } as const;
    expect(session.parseWorkspaceEvent(session.serializeWorkspaceEvent(event))).toEqual(event);
    expect(session.parseWorkspaceEvent(DELTA_FRAME)).toBeNull();
    expect(session.isWorkspaceUpdateEvent({ type: "workspace_update", paths: [1] })).toBe(false);
  });

  test.each([
    ["\ufeffdata:1\n\ndata:2\n\n", ["1", "2"]],
    ["\ufeff\ufeffdata:1\n\ndata:2\n\n", ["2"]],
    ["data:1\r:\0\n:\r\ndata:2\n:x\rdata:3\r:data:fail\r:x\ndata:4\n\n", ["1\n2\n3\n4"]],
    ["data:\n\ndata\ndata\n\ndata:test\n\n", ["", "\n", "test"]],
    ["data:  a\n\ndata:\ta\n\n", [" a", "\ta"]],
    ["data:ok\r\n\r\ndata:ok2\r\rdata:ok3\n\n", ["ok", "ok2", "ok3"]],
    ["data:x\n\ndata:unfinished\n", ["x"]],
  ])("the stream %j is read as the standard says", (stream, data) => {
    const whole = new session.SseParser();
    expect(whole.feed(stream).map((frame) => frame.data)).toEqual(data);
    const torn = new session.SseParser();
    const bytes = new TextEncoder().encode(stream);
    expect([...bytes].flatMap((byte) => torn.feed(Uint8Array.of(byte))).map((frame) => frame.data)).toEqual(data);
  });

  test("a stream cut at any byte gives the same events", () => {
    const text =
      "\ufeff: hi\r\nretry: 2000\r\n\r\n" +
      session.serializeRunEvent({ ...DELTA, delta: "привет 😀 \u2028" }, { id: "r:1" }).replaceAll("\n", "\r\n") +
      session.serializeRunEvent({ type: "run_end" }, { id: "r:2" }).replaceAll("\n", "\r");
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at <= bytes.length; at += 1) {
      const parser = new session.SseParser();
      const events = [...parser.feedEvents(bytes.subarray(0, at)), ...parser.feedEvents(bytes.subarray(at))];
      expect(types(events)).toEqual(["part_delta", "run_end"]);
      expect(events[0]?.["delta"]).toBe("привет 😀 \u2028");
      expect([parser.lastId, parser.retryMs]).toEqual(["r:2", 2000]);
    }
  });

  test("a frame that never ends is refused", () => {
    const parser = new session.SseParser({ maxFrameChars: 100 });
    expect(parser.feed(`data: ${"x".repeat(90)}`)).toEqual([]);
    expect(() => parser.feed("x".repeat(90))).toThrow(session.SessionError);
    parser.end();
    expect(parser.feed("data: y\n\n")).toHaveLength(1);
  });
});

describe("files", () => {
  test.each([
    ["", ""],
    ["./.", ""],
    ["./a//b/./c/", "a/b/c"],
    ["..a/...", "..a/..."],
    [" a ", " a "],
    ["%2e%2e/a", "%2e%2e/a"],
  ])("the path %j is written %j", (path, clean) => {
    expect(session.normalizeFilePath(path)).toBe(clean);
  });

  test.each(["..", "a/../b", "/a", "a\\b", "a\0", "C:/x", null, 5])("the path %j is refused", (path) => {
    expect(() => session.normalizeFilePath(path)).toThrow(session.FileBadRequestError);
  });

  test.each([
    [[0xef, 0xbb, 0xbf, 0x68], "utf8"],
    [[], "utf8"],
    [[0x61, 0, 0x62], "base64"],
    [[0xff], "base64"],
    [[0xed, 0xa0, 0x80], "base64"],
  ])("the bytes %j come back as %s", (bytes, encoding) => {
    const content = session.fileContent({ path: "a", data: Uint8Array.from(bytes), revision: "r" });
    expect(content.encoding).toBe(encoding);
    expect([...session.decodeFileContent(content.content, content.encoding)]).toEqual(bytes);
  });

  test.each([
    ["!", "base64"],
    ["YQ=", "base64"],
    ["\ud800", "utf8"],
    ["x", "latin1"],
    [5, "utf8"],
  ])("the content %j as %s is refused", (content, encoding) => {
    expect(() => session.decodeFileContent(content, encoding)).toThrow(session.FileBadRequestError);
  });

  test("sizes, kinds, parents and the trash", () => {
    session.checkFileReadSize("a", session.DEFAULT_FILE_READ_MAX_BYTES);
    expect(() => session.checkFileReadSize("a", 11, 10)).toThrow("11");
    expect(["a/b.PNG", ".env", "main.py", "x.unheard"].map(session.fileMime)).toEqual(["image/png", null, "text/x-python", null]);
    expect(["a/b/c", "a", ""].map(session.parentFilePath)).toEqual(["a/b", "", ""]);
    expect([".nr-trash", ".nr-trash/x", "a/.nr-trash"].map(session.isTrashPath)).toEqual([true, true, false]);
    expect(session.isIgnoredPath("a/node_modules/x", false, () => null)).toBe(true);
  });
});

describe("sessions", () => {
  test("a document patch merges the prompt and removes what is null", () => {
    const document = { prompt: { pre: "a", post: "b" }, k: 1 };
    expect(session.patchedMeta(document, { prompt: { post: "x" }, k: null })).toEqual({ prompt: { pre: "a", post: "x" } });
    expect(session.patchedMeta(document, { prompt: null })).toEqual({ k: 1 });
  });

  test("a capability is there when its leaf is", () => {
    const capabilities = { workspace: { files: {} }, swipes: false };
    expect(session.has(capabilities, "workspace.files")).toBe(true);
    expect(session.has(capabilities, "workspace.files.write")).toBe(false);
    expect(session.has(capabilities, "swipes")).toBe(false);
    expect(session.has(null, "models")).toBe(false);
  });

  test("sessions can be made and removed unless it is said otherwise", () => {
    expect(session.hasSessions(null, "create")).toBe(true);
    expect(session.hasSessions({}, "delete")).toBe(true);
    expect(session.hasSessions({ sessions: {} }, "create")).toBe(false);
    expect(session.hasSessions({ sessions: { create: true } }, "create")).toBe(true);
    expect(session.hasSessions({ sessions: { create: true } }, "delete")).toBe(false);
    expect(session.hasSessions({ sessions: false }, "delete")).toBe(false);
  });

  test("an envelope opens to its data or throws its error", () => {
    expect(session.opened({ ok: true, data: [1] })).toEqual([1]);
    expect(session.opened({ ok: true, value: 2 })).toBe(2);
    expect(() => session.opened({ ok: false, error: { code: "quota", message: "full" } })).toThrow("full");
    expect(() => session.opened("x")).toThrow(session.SessionError);
    expect(session.errorFromWire({ code: "quota" }).code).toBe("quota");
  });

  test("profiles are documents with id and name", () => {
    expect(session.isProfileDoc({ id: "a", name: "" })).toBe(true);
    expect(session.isProfileDoc("inline")).toBe(false);
    expect(["a-1", "Bad Id", "inline"].map(session.isProfileId)).toEqual([true, false, false]);
  });

  test("the words of other engines are understood", () => {
    expect(["success", "aborted", "strange"].map((status) => session.runStatus({ type: "run_end", status }))).toEqual([
      "done",
      "cancelled",
      "error",
    ]);
    expect(session.partSkeleton({ type: "part_start", partType: "thinking" })).toEqual({ type: "thinking", text: "" });
  });
});
