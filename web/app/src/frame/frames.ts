import { CARD_LIMITS } from "@cardloom/protocol";
import type { CanvasClient, ConnectionState, Timers } from "../connection/client";
import { isFailure } from "../connection/failure";
import type { CanvasState } from "../state/canvas";
import { createStore, type Store } from "../state/store";
import type { Card, FrameRuntime } from "../wire/records";
import { Entries } from "./entries";
import { makeFrame, parkFrame, placeFrame } from "./host";
import { Relay, type RelayEnd, type RelayPort, type RelaySocket } from "./relay";

/** How a card's frame stands on this page. */
type FrameState =
  | { readonly phase: "mounting" }
  | { readonly phase: "mounted"; readonly token: string }
  /** Another page has it. */
  | { readonly phase: "elsewhere" }
  | { readonly phase: "refused"; readonly message: string }
  /** This page let it go for what it did. */
  | { readonly phase: "stopped"; readonly why: StopReason };

type StopReason = "flooded" | "grabbing" | "restarting";

interface FramesOptions {
  openSocket(token: string): RelaySocket;
  /** What a person reads of a refusal. */
  reasonOf(error: unknown): string;
  timers: Timers;
}

interface Live {
  readonly element: HTMLIFrameElement;
  readonly token: string;
  relay: Relay | null;
  /** How many documents it has loaded. */
  documents: number;
  /** Whether this page made it start over since its last document, by moving it where a browser can do no better. */
  movedSince: boolean;
  /** When it took the keyboard for itself lately. */
  grabsMs: readonly number[];
}

const DISMISSED = 4411;
const GONE = 4410;
const GRABS = 3;
const GRABS_WITHIN_MS = 10_000;
const AGAIN_MS = 700;

/** The frame's runtime of a card that is one. */
export function frameRuntime(card: Card | undefined): FrameRuntime | null {
  if (card?.kind !== "custom" || card.runtime === null || !("kind" in card.runtime)) return null;
  return card.runtime;
}

/**
 * The frames of this page. A card that is drawn, or that the server calls, is mounted; the server says when one has to
 * go. A frame outlives the drawing of its card: out of sight it waits in the document.
 */
export class Frames {
  readonly states: Store<ReadonlyMap<string, FrameState>> = createStore<ReadonlyMap<string, FrameState>>(new Map());
  /** The card that fills the page. */
  readonly expanded: Store<string | null> = createStore<string | null>(null);
  /** The card whose frame has the keyboard. */
  readonly focused: Store<string | null> = createStore<string | null>(null);
  readonly entries = new Entries();
  private readonly live = new Map<string, Live>();
  private readonly drawn = new Map<string, HTMLElement>();
  private readonly large = new Map<string, HTMLElement>();

  constructor(
    private readonly client: Pick<CanvasClient, "call" | "on" | "onState" | "online" | "state">,
    private readonly canvas: Store<CanvasState | null>,
    private readonly options: FramesOptions,
  ) {
    canvas.subscribe(() => this.settle());
    client.onState((state) => this.connectionChanged(state));
    client.on("card.taken", ({ cardId }: { cardId: string }) => this.taken(cardId));
    client.on("card.wake", ({ cardId }: { cardId: string }) => void this.mount(cardId, false));
  }

  /** A card's body is on the screen, with a place for its frame. Gives the function that takes the place away. */
  show(cardId: string, place: HTMLElement): () => void {
    return this.offer(this.drawn, cardId, place);
  }

  /** A large place for a card's frame; it goes before the one on the canvas. */
  showLarge(cardId: string, place: HTMLElement): () => void {
    return this.offer(this.large, cardId, place);
  }

  takeOver(cardId: string): void {
    void this.mount(cardId, true);
  }

  /** Loads a card's frame again as a new document. */
  reload(cardId: string): void {
    this.drop(cardId);
    void this.mount(cardId, false);
  }

  /** Lets a card fill the page, or return to its place. */
  expand(cardId: string | null): void {
    const before = this.expanded.get();
    if (before === cardId) return;
    this.expanded.set(cardId);
    if (before !== null && this.live.has(before)) this.tellExpanded(before, false);
    if (cardId !== null && this.live.has(cardId)) this.tellExpanded(cardId, true);
  }

  /** Gives the keyboard to a card's frame. */
  focus(cardId: string): void {
    this.live.get(cardId)?.element.focus({ preventScroll: true });
  }

  /** Gives the keyboard back to who had it. A frame that takes it again and again is let go. */
  refuseFocus(cardId: string, before: Element | null): void {
    const live = this.live.get(cardId);
    if (live === undefined) return;
    const now = this.options.timers.nowMs();
    live.grabsMs = [...live.grabsMs.filter((grabMs) => now - grabMs < GRABS_WITHIN_MS), now];
    if (live.grabsMs.length > GRABS) this.stop(cardId, "grabbing");
    else live.element.blur();
    if (before instanceof HTMLElement && before.isConnected && before !== live.element) before.focus({ preventScroll: true });
  }

  /** The card whose frame this element is. */
  cardOf(element: Element | null): string | null {
    for (const [cardId, { element: frame }] of this.live) if (frame === element) return cardId;
    return null;
  }

  private offer(places: Map<string, HTMLElement>, cardId: string, place: HTMLElement): () => void {
    places.set(cardId, place);
    this.arrange(cardId);
    this.settle();
    return () => {
      if (places.get(cardId) === place) places.delete(cardId);
      this.arrange(cardId);
    };
  }

  /** Puts a frame where it belongs now. */
  private arrange(cardId: string): void {
    const live = this.live.get(cardId);
    if (live === undefined) return;
    const place = this.large.get(cardId) ?? this.drawn.get(cardId);
    const startsOver = place === undefined ? parkFrame(live.element) : placeFrame(live.element, place);
    if (startsOver) live.movedSince = true;
  }

  /** Lets go of what is over, and mounts what is drawn and nowhere mounted. */
  private settle(): void {
    const cards = this.canvas.get()?.cards;
    if (cards === undefined) return;
    const pageId = this.client.state.phase === "online" ? this.client.state.hello.pageId : null;
    for (const [cardId, { element }] of [...this.live]) {
      const card = cards.get(cardId);
      if (card === undefined) continue;
      if (element.title !== card.name) element.title = card.name;
      if (frameRuntime(card)?.pageId !== pageId) this.drop(cardId);
    }
    for (const cardId of this.drawn.keys()) {
      const runtime = frameRuntime(cards.get(cardId));
      const phase = this.states.get().get(cardId)?.phase;
      const free = runtime?.status === "unmounted" || runtime?.status === "suspended";
      if (free && (phase === undefined || phase === "elsewhere") && this.client.online) void this.mount(cardId, false);
      else if (runtime !== null && !free && phase === undefined && runtime.pageId !== pageId) {
        this.setState(cardId, { phase: "elsewhere" });
      }
    }
  }

  private async mount(cardId: string, takeOver: boolean): Promise<void> {
    const phase = this.states.get().get(cardId)?.phase;
    if (phase === "mounting" || phase === "mounted") return;
    this.setState(cardId, { phase: "mounting" });
    try {
      const answer = await this.client.call("card.mount", { cardId, takeOver });
      if (answer.token === null) {
        this.setState(cardId, { phase: "elsewhere" });
        return;
      }
      this.load(cardId, answer.token, answer.url);
    } catch (error) {
      this.setState(cardId, { phase: "refused", message: this.options.reasonOf(error) });
    }
  }

  private load(cardId: string, token: string, url: string): void {
    this.unload(cardId);
    const element = makeFrame(url, this.canvas.get()?.cards.get(cardId)?.name ?? "", (frame) => this.entries.invite(frame));
    const live: Live = { element, token, relay: null, documents: 0, movedSince: false, grabsMs: [] };
    this.live.set(cardId, live);
    element.addEventListener("load", () => this.connect(cardId, live));
    this.setState(cardId, { phase: "mounted", token });
    this.arrange(cardId);
    if (this.expanded.get() === cardId) this.tellExpanded(cardId, true);
  }

  /** A document is there: give it a port, and carry what comes through it. */
  private connect(cardId: string, live: Live): void {
    if (this.live.get(cardId) !== live) return;
    live.documents += 1;
    const isMoved = live.movedSince;
    live.movedSince = false;
    if (live.documents > CARD_LIMITS.frameMountsPerFrame) {
      if (isMoved) this.reload(cardId);
      else this.stop(cardId, "restarting");
      return;
    }
    live.relay?.close();
    const { port1, port2 } = new MessageChannel();
    const ended = (why: RelayEnd) => this.relayEnded(cardId, live, why);
    const nowMs = () => this.options.timers.nowMs();
    live.relay = new Relay(port1 as RelayPort, this.options.openSocket(live.token), ended, nowMs);
    // A sandboxed document has no origin that could be named; that the frame holds one of ours is the policy's work.
    live.element.contentWindow?.postMessage({ ns: "nscard", type: "connect", protocol: 1 }, "*", [port2]);
  }

  private relayEnded(cardId: string, live: Live, why: RelayEnd): void {
    if (this.live.get(cardId) !== live) return;
    live.relay = null;
    if (why === "flooded") this.stop(cardId, why);
    else if (why.code === DISMISSED || why.code === GONE) {
      if (why.code === GONE) this.shrink(cardId);
      this.drop(cardId);
      this.settle();
    }
  }

  private stop(cardId: string, why: StopReason): void {
    this.unload(cardId);
    const stopped: FrameState = { phase: "stopped", why };
    this.setState(cardId, stopped);
    this.tell("card.unmount", { cardId }, () => this.states.get().get(cardId) === stopped);
  }

  private taken(cardId: string): void {
    this.shrink(cardId);
    this.unload(cardId);
    this.setState(cardId, { phase: "elsewhere" });
  }

  private connectionChanged(state: ConnectionState): void {
    if (state.phase !== "online") return;
    // Whatever this page had mounted ended with its connection.
    for (const cardId of [...this.states.get().keys()]) this.drop(cardId);
  }

  private shrink(cardId: string): void {
    if (this.expanded.get() === cardId) this.expanded.set(null);
  }

  private tellExpanded(cardId: string, expanded: boolean): void {
    const live = this.live.get(cardId);
    const isSo = () => this.live.get(cardId) === live && (this.expanded.get() === cardId) === expanded;
    this.tell("card.expand", { cardId, expanded }, isSo);
  }

  /** Tells the server how a frame stands. What it refuses to hear from a page in haste is told again while it is so. */
  private tell(method: "card.expand" | "card.unmount", params: object, isSo: () => boolean): void {
    this.client.call(method, params).catch((error: unknown) => {
      // Any other refusal is of a frame or a connection that is gone, and nothing is left to tell.
      if (!isFailure(error, "RATE_LIMITED")) return;
      this.options.timers.after(AGAIN_MS, () => {
        if (isSo()) this.tell(method, params, isSo);
      });
    });
  }

  private drop(cardId: string): void {
    this.unload(cardId);
    this.setState(cardId, null);
  }

  private unload(cardId: string): void {
    const live = this.live.get(cardId);
    if (live === undefined) return;
    this.live.delete(cardId);
    live.relay?.close();
    live.element.remove();
    if (this.focused.get() === cardId) this.focused.set(null);
  }

  private setState(cardId: string, state: FrameState | null): void {
    this.states.update((states) => {
      const after = new Map(states);
      if (state === null) after.delete(cardId);
      else after.set(cardId, state);
      return after;
    });
  }
}
