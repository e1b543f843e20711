import { describe, expect, test } from "vitest";
import {
  CARD_LIMITS,
  canonicalJson,
  checkDefinition,
  checkValue,
  errorOf,
  eventOf,
  hasDownstreamPeer,
  isPortType,
  isValid,
  parseIncomingText,
  parseManifest,
  parsePythonManifest,
  parseRequest,
  request,
} from "../src";

const MANIFEST = { manifestVersion: 1, name: "tide-clock", displayName: "Tide clock", version: "1.0.0", protocol: 1 };

describe("ports", () => {
  test("a card has somebody to send to when any peer receives", () => {
    expect(hasDownstreamPeer([])).toBe(false);
    expect(hasDownstreamPeer([{ direction: "upstream" }])).toBe(false);
    expect(hasDownstreamPeer([{ direction: "upstream" }, { direction: "both" }])).toBe(true);
  });

  test("a port type is a well-known one or one of a package", () => {
    expect(isPortType("ns:tasks")).toBe(true);
    expect(isPortType("tide-clock/tide")).toBe(true);
    expect(isPortType("ns:tide")).toBe(false);
    expect(isPortType("toString")).toBe(false);
  });
});

describe("envelopes", () => {
  test("a request in the other namespace is refused with its id", () => {
    const sent = request("nscard", 4, "ports.peers");
    expect(parseRequest(sent, { ns: "cardloom" })).toMatchObject({ ok: false, id: 4, code: "BAD_REQUEST" });
  });

  test("a request of a file may be twelve times as large as another", () => {
    const params = { path: "a.txt", data: "x".repeat(CARD_LIMITS.messageBytes) };
    expect(parseRequest(request("nscard", 1, "fs.write", params)).ok).toBe(true);
    expect(parseRequest(request("nscard", 1, "fs.read", params))).toMatchObject({ code: "TOO_LARGE" });
  });

  test("a text that is no JSON is no message", () => {
    expect(parseIncomingText("not json", "cardloom")).toBeNull();
    expect(parseIncomingText(JSON.stringify(eventOf("cardloom", "stream.gap")), "cardloom")?.kind).toBe("evt");
  });
});

describe("answers", () => {
  test("an error without its parts is still an error with a code and a reason", () => {
    const answer = JSON.stringify({ ns: "cardloom", v: 1, kind: "res", id: 2, ok: false });
    expect(parseIncomingText(answer, "cardloom")).toMatchObject({
      error: { code: "INTERNAL", message: expect.stringContaining("no reason") as string },
    });
  });

  test("a code that is not known here passes as it is", () => {
    const answer = JSON.stringify(errorOf("cardloom", 2, { code: "SESSION_GONE", message: "It is gone.", data: [1] }));
    expect(parseIncomingText(answer, "cardloom")).toMatchObject({ error: { code: "SESSION_GONE", data: [1] } });
  });
});

describe("schemas", () => {
  test("a value is checked whole or only told to fit", () => {
    const schema = { type: "object", required: ["level"], properties: { level: { type: "number", minimum: 0 } } };
    expect(isValid(schema, { level: 2 })).toBe(true);
    expect(checkValue(schema, { level: -1 })).toMatchObject([{ path: "/level", keyword: "minimum" }]);
    expect(isValid(schema, {})).toBe(false);
  });

  test("the same object used twice as a schema pays for its options once", () => {
    const schema = { enum: ["x".repeat(640), 1] };
    expect(checkValue(schema, 1, { budget: 13 })).toEqual([]);
    expect(checkValue({ items: schema }, [1, 1], { budget: 4 })).toEqual([]);
  });

  test("a member called like something every object inherits is a member like others", () => {
    const value: unknown = JSON.parse('{"__proto__": 1, "toString": 2}');
    expect(checkValue({ additionalProperties: false }, value).map(({ path }) => path)).toEqual(["/__proto__", "/toString"]);
    expect(checkDefinition({ properties: { constructor: { type: "tide" } } })).toMatchObject([
      { path: "/properties/constructor/type", keyword: "type" },
    ]);
  });

  test("equal values have one canonical text whatever the order of their members", () => {
    expect(canonicalJson({ b: [1, -0], a: "é" })).toBe(canonicalJson({ a: "é", b: [1.0, 0] }));
  });
});

describe("manifests", () => {
  test("a card with a page starts from index.html when nothing is said", () => {
    expect(parseManifest(MANIFEST)).toMatchObject({ ok: true, manifest: { entry: "index.html" } });
  });

  test("a Python card has to name its program", () => {
    expect(parsePythonManifest(MANIFEST)).toMatchObject({ ok: false, issues: [{ path: "/python", code: "schema" }] });
    expect(parsePythonManifest({ ...MANIFEST, python: "card.py" })).toMatchObject({ ok: true });
    expect(parsePythonManifest({ ...MANIFEST, python: "../card.py" })).toMatchObject({
      ok: false,
      issues: [{ path: "/python", code: "semantic" }],
    });
  });
});
