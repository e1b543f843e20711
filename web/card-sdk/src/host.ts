import type { CardMethodName } from "@cardloom/protocol";
import type { LiveContext } from "./context";
import type { HostLink } from "./link";
import type { Capabilities } from "./types";

/** The program around the card. */
export class Host {
  readonly #link: HostLink;
  readonly #context: LiveContext;
  #capabilities: Promise<Capabilities> | null = null;

  constructor(link: HostLink, context: LiveContext) {
    this.#link = link;
    this.#context = context;
  }

  /** The level of the contract it offers, as a version. */
  get appVersion(): string {
    return this.#context.value.appVersion;
  }

  get protocol(): number {
    return this.#context.value.protocol;
  }

  /** What it offers. It is asked once; a failure stays one. */
  capabilities(): Promise<Capabilities> {
    this.#capabilities ??= this.#link.call("host.capabilities") as Promise<Capabilities>;
    return this.#capabilities;
  }

  /** Whether it offers a method. */
  async supports(method: CardMethodName | (string & Record<never, never>)): Promise<boolean> {
    return (await this.capabilities()).methods.includes(method);
  }
}
