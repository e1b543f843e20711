import { fromBase64 } from "./bytes";
import { CardSdkError } from "./errors";
import type { NetChunk } from "./types";

type Step = { readonly bytes: Uint8Array } | { readonly error: unknown } | "end";

/** The body of one streamed answer: chunks go in as they come, bytes come out in order, once. */
export class BodyStream {
  readonly #steps: Step[] = [];
  readonly #abandon: () => void;
  #over = false;
  #ended: (() => void) | null = null;
  #wake: (() => void) | null = null;

  /** `abandon` is called when the reader leaves before the end. */
  constructor(abandon: () => void) {
    this.#abandon = abandon;
  }

  /** Takes a chunk in; true once nothing more will be taken. A chunk with an error still brings its own data. */
  take({ chunk, encoding, done, error }: NetChunk): boolean {
    if (this.#over) return true;
    if (chunk !== "") this.#put({ bytes: encoding === "base64" ? fromBase64(chunk) : new TextEncoder().encode(chunk) });
    if (error !== undefined) this.fail(new CardSdkError("NETWORK_ERROR", error));
    else if (done) this.#finish("end");
    return this.#over;
  }

  /** Ends the stream with an error, after what came before. */
  fail(error: unknown): void {
    this.#finish({ error });
  }

  /** Calls a function once nothing more will come, at once if that is so already. */
  onEnd(ended: () => void): void {
    if (this.#over) ended();
    else this.#ended = ended;
  }

  /** The pieces of the body. It may be read once. */
  async *bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const step = this.#steps.shift();
        if (step === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
        else if (step === "end") return;
        else if ("error" in step) throw step.error;
        else yield step.bytes;
      }
    } finally {
      if (!this.#over) {
        this.#close();
        this.#abandon();
      }
    }
  }

  #finish(step: Step): void {
    if (this.#over) return;
    this.#close();
    this.#put(step);
  }

  #close(): void {
    this.#over = true;
    this.#ended?.();
  }

  #put(step: Step): void {
    this.#steps.push(step);
    this.#wake?.();
    this.#wake = null;
  }
}
