import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { decode } from "../../protocol/tests/vectorCodec";
import * as sdk from "../src";
import { awaitPort } from "../src/handshake";
import type { HostPort, Messages, PeerInfo, PortInfo } from "../src";

interface Case {
  readonly id: string;
  readonly input: unknown;
  readonly expect: unknown;
}

type TranslatorCall =
  | { readonly t: [string, Record<string, unknown>?] }
  | { readonly setLanguage: [string, string?] }
  | { readonly get: "language" | "locale" };

function translator(input: { messages: Record<string, Messages>; language?: string; locale?: string; calls: TranslatorCall[] }) {
  const subject = sdk.createTranslator(input.messages, { language: input.language, locale: input.locale });
  let notices = 0;
  subject.onChange(() => (notices += 1));
  return input.calls.map((call) => {
    if ("t" in call) return subject.t(...call.t);
    if ("get" in call) return subject[call.get];
    const before = notices;
    subject.setLanguage(...call.setLanguage);
    return notices - before;
  });
}

async function connectMessage({ data }: { data: unknown }) {
  const parent = {};
  let accepted = false;
  const port = { onmessage: null, postMessage: () => undefined, close: () => undefined } satisfies HostPort;
  const frame = {
    parent,
    addEventListener: (_: "message", listener: (event: { data: unknown; source: unknown; ports: HostPort[] }) => void) =>
      listener({ data, source: parent, ports: [port] }),
    removeEventListener: () => {
      accepted = true;
    },
  };
  void awaitPort(frame as never);
  return accepted;
}

/** What the SDK's public rules say, in the shape of each record. */
const ADAPTERS: Readonly<Record<string, (input: never) => unknown>> = {
  coercion: (input: { from: string; to: string; value?: unknown }) =>
    "value" in input
      ? { value: sdk.coercePortValue(input.from, input.to, input.value) }
      : { kind: sdk.portCoercion(input.from, input.to), compatible: sdk.portsCompatible(input.from, input.to) },
  connect_message: connectMessage,
  permission_for_peer: ({ peer, options }: { peer: PeerInfo; options: { input?: string; outputType?: string } }) =>
    sdk.permissionForPeer(peer, options),
  pick_input: ({ type, inputs }: { type: string; inputs: PortInfo[] }) => sdk.pickInputFor(type, inputs)?.id ?? null,
  translator,
};

const FOLDER = new URL("../../../tests/vectors/cards/", import.meta.url);
let passed = 0;

test.each(Object.entries(ADAPTERS))("the SDK's own names give what was recorded in %s", async (name, adapter) => {
  const { cases } = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf-8")) as { cases: Case[] };
  for (const { id, input, expect: recorded } of cases) {
    expect({ id, got: await adapter(decode(input) as never) }).toEqual({ id, got: decode(recorded) });
    passed += 1;
  }
});

afterAll(() => {
  process.stdout.write(`${passed} recorded cases passed through the SDK's own names\n`);
});
