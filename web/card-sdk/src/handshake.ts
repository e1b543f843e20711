import { CARD_LIMITS, isConnectMessage } from "@cardloom/protocol";
import { CardSdkError } from "./errors";
import { HostLink } from "./link";
import type { HostPort } from "./link";
import type { CardContext } from "./types";
import { PROTOCOL, SDK_VERSION } from "./version";

/** What of a window the handshake needs. */
export interface FrameWindow {
  readonly parent: unknown;
  addEventListener(type: "message", listener: (event: WindowMessage) => void): void;
  removeEventListener(type: "message", listener: (event: WindowMessage) => void): void;
}

export interface WindowMessage {
  readonly data: unknown;
  readonly source: unknown;
  readonly ports: readonly HostPort[];
}

/**
 * Waits for the message with which the page around a frame hands it a port.
 *
 * Only the parent window is believed, only the first such message is taken, and the listener is gone afterwards. The
 * message's protocol number is not compared: the host answers `host.ready` with PROTOCOL_MISMATCH where it is too old.
 */
export function awaitPort(frame: FrameWindow): Promise<HostPort> {
  return new Promise((resolve) => {
    function listen({ data, source, ports: [port] }: WindowMessage): void {
      if (source !== frame.parent || port === undefined || !isConnectMessage(data)) return;
      frame.removeEventListener("message", listen);
      resolve(port);
    }
    frame.addEventListener("message", listen);
  });
}

/** Shakes hands on a port; gives the link and the card context. The port is closed when that fails. */
export async function shakeHands(
  port: HostPort,
  timeoutMs: number = CARD_LIMITS.readyTimeoutMs,
): Promise<{ readonly link: HostLink; readonly context: CardContext }> {
  const link = new HostLink(port);
  try {
    const ready = link.call("host.ready", { sdkVersion: SDK_VERSION, protocol: PROTOCOL });
    const context = await within(ready, timeoutMs, "The host did not answer host.ready");
    return { link, context: context as CardContext };
  } catch (error) {
    link.close();
    throw error;
  }
}

/** What a promise gives, or TIMEOUT after so many milliseconds. */
export async function within<Value>(promise: Promise<Value>, timeoutMs: number, complaint: string): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = () => new CardSdkError("TIMEOUT", `${complaint} within ${timeoutMs} ms.`);
    timer = setTimeout(() => reject(error()), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
