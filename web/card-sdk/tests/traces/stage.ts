import { expect } from "vitest";
import { connect } from "../../src";
import type { Card } from "../../src";
import { settle } from "../../src/testing";
import type { HostSide } from "./hosts";
import { matches } from "./recorded";
import type { Scenario, Step } from "./recorded";

const CONTEXT = {
  protocol: 1,
  appVersion: "9.9.9",
  instance: { instanceId: "i1", size: { w: 420, h: 320 } },
  workspace: { id: "w" },
  visibility: "visible",
  expanded: false,
  theme: { scheme: "dark", tokens: {} },
  i18n: { language: "en", locale: "en-US" },
  launch: "created",
  limits: {},
  settings: { values: {}, secrets: {} },
  permissions: [],
  ports: { inputs: [], outputs: [] },
  peers: [],
  chrome: { title: null, status: null, badge: null, overview: null, attention: null },
};

/** One scenario being played: its steps are gone through in order, and each has to be what happens. */
export class Stage {
  readonly side: HostSide;
  readonly #steps: readonly Step[];
  #at = 0;

  constructor(scenario: Scenario, side: HostSide) {
    this.side = side;
    this.#steps = scenario.steps;
  }

  /** The next message of the card, which has to be the recorded one; gives it. */
  async sdk(): Promise<Record<string, unknown>> {
    const { sdk } = this.#next("sdk");
    await settle();
    const sent = this.side.sent.shift();
    if (!matches(sent, sdk)) expect(sent).toStrictEqual(sdk);
    return sent as Record<string, unknown>;
  }

  /** Sends the host's next message, with these members in the place of what the record abbreviates. */
  async host(instead?: (recorded: never) => unknown): Promise<void> {
    const { host } = this.#next("host");
    this.side.post(instead === undefined ? host : instead(host as never));
    await settle();
  }

  /** What is seen now, which has to be what was recorded. */
  see(seen: Step): void {
    expect(seen).toEqual(this.#steps[this.#at]);
    this.#at += 1;
  }

  /** Plays the recorded handshake. */
  async meet(): Promise<Card> {
    const connecting = connect({ port: this.side.port, theme: false });
    await this.sdk();
    await this.host();
    return connecting;
  }

  /** Shakes hands where the record begins later. */
  async meetUnseen(): Promise<Card> {
    const connecting = connect({ port: this.side.port, theme: false });
    await settle();
    this.side.sent.shift();
    this.answer(1, CONTEXT);
    return connecting;
  }

  /** Answers a call where the record does not. */
  answer(id: number, result?: unknown): void {
    this.side.post({ ns: "nscard", v: 1, kind: "res", id, ok: true, ...(result !== undefined && { result }) });
  }

  /** Sends an event where the record only counts it. */
  event(event: string, data: unknown): void {
    this.side.post({ ns: "nscard", v: 1, kind: "evt", event, data });
  }

  /** How much the card sent since. */
  async sentCount(): Promise<number> {
    await settle();
    return this.side.sent.length;
  }

  /** Drops what the card sent where the record does not list it. */
  async skip(count: number): Promise<readonly unknown[]> {
    await settle();
    expect(this.side.sent.length).toBeGreaterThanOrEqual(count);
    return this.side.sent.splice(0, count);
  }

  /** The whole record was played, and the card sent nothing beyond it. */
  async end(): Promise<void> {
    await settle();
    expect(this.#steps.slice(this.#at)).toEqual([]);
    expect(this.side.sent).toEqual([]);
  }

  #next(kind: "sdk" | "host"): Step {
    const step = this.#steps[this.#at];
    expect(Object.keys(step ?? {}), `step ${this.#at}`).toEqual([kind]);
    this.#at += 1;
    return step as Step;
  }
}

/** The code of the error that a promise rejects with, or "ok". */
export async function outcome(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
    return "ok";
  } catch (error) {
    return (error as { code: unknown }).code;
  }
}
