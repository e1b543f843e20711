import { CARD_METHOD_NAMES, CardSdkError } from "../../src";
import type { HostPort } from "../../src";
import { MockHost, peer } from "../../src/testing";

/** Who plays the host in a recorded exchange. */
export interface HostSide {
  readonly port: HostPort;
  /** What the card sent and nobody looked at yet, in order. */
  readonly sent: unknown[];
  /** Whether the card closed its end. */
  readonly closed: boolean;
  post(message: unknown): void;
}

/** A port that notes what is sent and says what it is told to. */
export class ScriptedHost implements HostSide {
  readonly sent: unknown[] = [];
  closed = false;
  readonly port: HostPort = {
    onmessage: null,
    postMessage: (message) => void this.sent.push(structuredClone(message)),
    close: () => {
      this.closed = true;
    },
  };

  post(message: unknown): void {
    this.port.onmessage?.({ data: message });
  }
}

const MANIFEST = {
  manifestVersion: 1,
  name: "tide-clock",
  displayName: "Tide clock",
  version: "1.0.0",
  protocol: 1,
  permissions: [
    "agents.read",
    "agents.output",
    { id: "network", hosts: ["a.example.com"] },
    { id: "fs.write", optional: true },
  ],
};

/**
 * The mock host in the place of the recorded one: every call passes its gate, then waits until the record answers it.
 *
 * Messages that are neither events nor answers to such a call go to the card as they are.
 */
export class MockHostSide implements HostSide {
  readonly sent: unknown[] = [];
  closed = false;
  readonly port: HostPort;
  readonly #host = new MockHost({
    manifest: MANIFEST,
    permissions: ["agents.read", "agents.output", "network", "fs.write"],
    peers: ["a", "b", "c"].map((id) => peer(id, "agent")),
    rates: false,
  });
  readonly #answers = new Map<number, (answer: Answer) => void>();
  readonly #passed: number[] = [];

  constructor() {
    const theirs = this.#host.open();
    for (const method of CARD_METHOD_NAMES) this.#host.answerWith(method, () => this.#recordedAnswer());
    this.port = {
      onmessage: null,
      postMessage: (message) => {
        this.sent.push(structuredClone(message));
        this.#passed.push((message as { id: number }).id);
        theirs.postMessage(message);
      },
      close: () => {
        this.closed = true;
        theirs.close();
      },
    };
    theirs.onmessage = (event) => this.port.onmessage?.(event);
  }

  post(message: unknown): void {
    const { kind, id, event, data } = (message ?? {}) as Answer;
    const answer = this.#answers.get(id as number);
    if (kind === "evt" && typeof event === "string") {
      void this.#host.event(event, data);
    } else if (kind === "res" && isWhole(message as Answer) && answer !== undefined) {
      this.#answers.delete(id as number);
      answer(message as Answer);
    } else {
      this.port.onmessage?.({ data: message });
    }
  }

  #recordedAnswer(): Promise<unknown> {
    const id = this.#passed.shift() ?? 0;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, ({ ok, result, error }) => {
        if (ok === true) resolve(result);
        else reject(new CardSdkError(error?.code ?? "", error?.message ?? "", error?.data));
      });
    });
  }
}

interface Answer {
  readonly ns?: unknown;
  readonly v?: unknown;
  readonly kind?: unknown;
  readonly id?: unknown;
  readonly ok?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly data?: unknown };
  readonly event?: unknown;
  readonly data?: unknown;
}

function isWhole({ ns, v, ok, error }: Answer): boolean {
  return ns === "nscard" && v === 1 && (ok === true || error !== undefined);
}
