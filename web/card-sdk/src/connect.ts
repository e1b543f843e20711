import { CARD_LIMITS } from "@cardloom/protocol";
import { Card } from "./card";
import { CardSdkError } from "./errors";
import { awaitPort, shakeHands, within } from "./handshake";
import type { FrameWindow } from "./handshake";
import type { HostPort } from "./link";
import { forwardUncaught } from "./log";
import { applyLanguage, applyTheme, applyVisibility } from "./theme";

export interface ConnectOptions {
  /** How long to wait for the port, and then for the host's answer; 10 s each. */
  readonly timeoutMs?: number | undefined;
  /** Whether theme, language and visibility are written onto `<html>`; they are, where there is a page. */
  readonly theme?: boolean | undefined;
  /** Whether uncaught errors of the page go to the card's log; they do, in a frame. */
  readonly forwardErrors?: boolean | undefined;
  /** The channel to the host, instead of the one that the page around the frame hands over. */
  readonly port?: HostPort | undefined;
}

const frame = frameWindow();
// The host posts its message once, possibly before the card's own code runs: listen from the start.
const handedOver = frame === null ? null : awaitPort(frame);
let connected: Promise<Card> | null = null;

/**
 * Meets the host; gives the card. Calling it again gives the same card.
 *
 * UNAVAILABLE outside a card frame, TIMEOUT when the host stays silent, PROTOCOL_MISMATCH when it is too old.
 */
export function connect(options: ConnectOptions = {}): Promise<Card> {
  if (options.port !== undefined) return meet(options.port, options);
  connected ??= meetInFrame(options);
  return connected;
}

async function meetInFrame(options: ConnectOptions): Promise<Card> {
  if (frame === null || handedOver === null) {
    throw new CardSdkError("UNAVAILABLE", "This page is no card's frame, so there is no host to connect to.");
  }
  const { timeoutMs = CARD_LIMITS.readyTimeoutMs } = options;
  const port = await within(handedOver, timeoutMs, "The page around the card handed over no port");
  const card = await meet(port, options);
  if (options.forwardErrors ?? true) forwardUncaught(window, card.log, card.closed);
  return card;
}

async function meet(port: HostPort, options: ConnectOptions): Promise<Card> {
  const { link, context } = await shakeHands(port, options.timeoutMs);
  const card = new Card(link, context);
  if (options.theme ?? typeof document !== "undefined") followOnPage(card);
  return card;
}

function followOnPage(card: Card): void {
  applyTheme(card.theme);
  applyLanguage(card.i18n);
  applyVisibility(card.lifecycle.visibility);
  card.on("theme.changed", (theme) => applyTheme(theme));
  card.on("i18n.changed", (i18n) => applyLanguage(i18n));
  card.on("lifecycle.visibility", ({ state }) => applyVisibility(state));
}

function frameWindow(): FrameWindow | null {
  return typeof window === "undefined" || window.parent === window ? null : (window as unknown as FrameWindow);
}
