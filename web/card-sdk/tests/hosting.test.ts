import { readFileSync } from "node:fs";
import { CARD_METHODS, PERMISSION_IDS, hasOwn, permissionClosure } from "@cardloom/protocol";
import type { CardMethodName, PeerInfo, PortInfo } from "@cardloom/protocol";
import { afterAll, expect, test } from "vitest";
import { CardSdkError } from "../src";
import { check } from "../src/testing/gate";
import { RateWindow, TokenBucket } from "../src/testing/rates";
import { ask, checkAnswer, emit, mayRead, send } from "../src/testing/routing";
import type { CardView, Delivery } from "../src/testing/routing";

interface Case {
  readonly rule: string;
  readonly expect: unknown;
  readonly [field: string]: unknown;
}

interface Record {
  readonly card: { readonly outputs: readonly PortInfo[]; readonly peers: readonly PeerInfo[] };
  readonly lookup: PortInfo;
  readonly cases: readonly Case[];
}

const { card, lookup, cases } = JSON.parse(readFileSync(new URL("../../../wire/hosting.json", import.meta.url), "utf-8")) as Record;
let passed = 0;

/** An error as the record has it: of issues the places, since the words are each language's own. */
function told({ code, data }: CardSdkError): unknown {
  const places = (issues: readonly { path: string; keyword: string }[]) => issues.map(({ path, keyword }) => ({ path, keyword }));
  return { code, data: Array.isArray(data) ? places(data) : (data ?? null) };
}

function outcome(act: () => unknown): unknown {
  try {
    return { value: act() ?? null };
  } catch (error) {
    if (error instanceof CardSdkError) return { error: told(error) };
    throw error;
  }
}

function landed({ peer, input, data }: Delivery): unknown {
  return { peer: peer.cardId, input: input.id, data };
}

function emitted(view: CardView, { output, value }: Case): unknown {
  const { accepted, refused, skipped } = emit(view, String(output), value);
  const left = skipped.map(({ peer, permission }) => ({ peer: peer.cardId, permission }));
  return { accepted: accepted.map(landed), refused: refused.map(landed), skipped: left };
}

function sent(view: CardView, { output, value, to, input }: Case): unknown {
  const delivery = send(view, String(output), value, String(to), (input ?? undefined) as string | undefined);
  return delivery && landed(delivery);
}

function gate({ method, params, state }: Case): unknown {
  const { built = true, ready = true, visible = true, joined = true, holds = true } = state as { [fact: string]: boolean };
  const row = hasOwn(CARD_METHODS, String(method)) ? CARD_METHODS[method as CardMethodName] : undefined;
  const refusal = check(String(method), row && { ...row, built }, {
    params,
    effective: new Set(holds ? PERMISSION_IDS : []),
    now: 0,
    ready,
    visible,
    joined: () => joined,
    rate: null,
  });
  return refusal && told(refusal);
}

/** What our rules say to a recorded case. */
function decided(one: Case): unknown {
  const view: CardView = { ...card, effective: permissionClosure((one["held"] ?? []) as string[]) };
  const times = (one["atMs"] ?? []) as readonly number[];
  switch (one.rule) {
    case "gate":
      return gate(one);
    case "window": {
      const window = new RateWindow(one as { maxCalls?: number });
      return times.map((at) => window.take(at));
    }
    case "bucket": {
      const bucket = new TokenBucket(Number(one["perSecond"]), Number(one["burst"]));
      return times.map((at) => bucket.take(at));
    }
    case "emit":
      return outcome(() => emitted(view, one));
    case "send":
      return outcome(() => sent(view, one));
    case "ask":
      return outcome(() => landed(ask(view, String(one["to"]), String(one["input"]), one["value"])));
    case "read":
      return outcome(() => mayRead(view, String(one["from"]), String(one["output"])).id);
    case "answer":
      return outcome(() => checkAnswer(lookup, one["value"]));
    default:
      throw new Error(`no rule ${one.rule}`);
  }
}

const RULES = [...new Set(cases.map(({ rule }) => rule))];

test.each(RULES)("the mock host decides every case of %s as the server does", (rule) => {
  for (const one of cases.filter((other) => other.rule === rule)) {
    expect({ ...one, expect: decided(one) }).toEqual(one);
    passed += 1;
  }
});

afterAll(() => {
  process.stdout.write(`${passed} of ${cases.length} hosting cases decided alike\n`);
});
