import type { Size } from "@cardloom/protocol";
import type { LiveContext } from "./context";
import type { CardEventData } from "./contract";
import type { EventHub } from "./hub";
import type { Launch, Stop, Visibility } from "./types";

/** How the card is seen, and when it sleeps. A resumed card is a new page: it registers everything again. */
export class Lifecycle {
  readonly #hub: EventHub;
  readonly #context: LiveContext;

  constructor(hub: EventHub, context: LiveContext) {
    this.#hub = hub;
    this.#context = context;
  }

  /** Why this page was loaded. */
  get launch(): Launch {
    return this.#context.value.launch;
  }

  get visibility(): Visibility {
    return this.#context.value.visibility;
  }

  /** Whether there is nobody to draw for: the card is not on screen at readable size. */
  get paused(): boolean {
    return this.visibility !== "visible";
  }

  /** Whether the card fills the window. */
  get expanded(): boolean {
    return this.#context.value.expanded;
  }

  get size(): Size {
    return this.#context.value.instance.size;
  }

  onVisibility(handler: (visibility: Visibility) => void): Stop {
    return this.#on("lifecycle.visibility", ({ state }) => handler(state));
  }

  /** Calls a function when the page is about to go; it has `graceMs` to store what must not be lost. */
  onSuspend(handler: (graceMs: number) => void): Stop {
    return this.#on("lifecycle.suspend", ({ graceMs }) => handler(graceMs));
  }

  onExpanded(handler: (expanded: boolean) => void): Stop {
    return this.#on("lifecycle.expanded", ({ expanded }) => handler(expanded));
  }

  onResized(handler: (size: Size) => void): Stop {
    return this.#on("lifecycle.resized", handler);
  }

  #on<Event extends keyof CardEventData>(event: Event, handler: (data: CardEventData[Event]) => void): Stop {
    return this.#hub.on(event, (data) => handler(data as CardEventData[Event]));
  }
}
