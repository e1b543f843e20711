import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { errorOf, eventOf, isConnectMessage, parseIncomingText, parseRequest, request, resultOf } from "../src";
import type { EventMessage, Namespace, ResponseMessage } from "../src";

const FOLDER = new URL("../../../wire/golden/", import.meta.url);
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));

interface Golden {
  readonly text: string;
  readonly frame: unknown;
}

function golden(name: string): Golden {
  return JSON.parse(readFileSync(new URL(name, FOLDER), "utf-8")) as Golden;
}

function written(message: ResponseMessage | EventMessage, ns: Namespace): unknown {
  if (message.kind === "evt") return eventOf(ns, message.event, message.data);
  return message.ok ? resultOf(ns, message.id, message.result) : errorOf(ns, message.id, message.error);
}

/** The message read from a frame and built anew from its parts. */
function rebuilt(name: string, text: string): unknown {
  const ns: Namespace = name.startsWith("cardloom") ? "cardloom" : "nscard";
  if (!name.includes("request")) {
    const message = parseIncomingText(text, ns);
    return message && written(message, ns);
  }
  const parsed = parseRequest(JSON.parse(text), { ns });
  return parsed.ok && request(ns, parsed.request.id, parsed.request.method, parsed.request.params);
}

describe("golden frames", () => {
  test.each(NAMES)("%s is read and written again byte for byte", (name) => {
    const { text, frame } = golden(name);
    expect(JSON.parse(text)).toEqual(frame);
    if (name === "nscard-connect.json") expect(isConnectMessage(frame)).toBe(true);
    else expect(JSON.stringify(rebuilt(name, text))).toBe(text);
  });

  test("there is one of every kind in both namespaces", () => {
    for (const kind of ["request", "response", "error", "event"]) {
      expect(NAMES).toContain(`nscard-${kind}.json`);
      expect(NAMES).toContain(`cardloom-${kind}.json`);
    }
  });

  test("a frame of the other namespace is not read", () => {
    expect(parseIncomingText(golden("nscard-event.json").text, "cardloom")).toBeNull();
    expect(parseIncomingText("{", "cardloom")).toBeNull();
  });
});
