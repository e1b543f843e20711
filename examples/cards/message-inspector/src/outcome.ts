import { isCardSdkError, permissionForPeer, requestPermissions } from "@cardloom/card-sdk";
import type { PeerInfo } from "@cardloom/card-sdk";
import { useCard } from "@cardloom/card-sdk/react";

export type Say = (key: string, values?: Readonly<Record<string, unknown>>) => string;

/** What came of something, in words: never a thrown error. */
export async function outcomeOf(t: Say, work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SyntaxError) return t("unreadable");
    return isCardSdkError(error) ? `${error.code}: ${error.message}` : String(error);
  }
}

/** Asks for what some cards need before something is sent to them; goes on without what is not granted. */
export function useAllowed(): (
  peers: readonly PeerInfo[],
  how: { readonly input?: string; readonly outputType?: string },
) => Promise<void> {
  const card = useCard();
  return async (peers, how) => {
    const needed = peers.map((peer) => permissionForPeer(peer, how)).filter((id) => id !== null);
    await requestPermissions(card, ...needed);
  };
}
