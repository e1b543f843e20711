import { has, type Capabilities } from "@cardloom/protocol/session";
import { createContext, useContext, useEffect, useMemo } from "react";
import { reasonOf } from "../i18n/reasonOf";
import { useSession } from "../shell/context";
import type { Session } from "../state/session";
import { useStore } from "../state/store";
import { Conversation } from "./model/conversation";
import { ChatDesk, type BackendState } from "./model/desk";
import { chatConnection, ChatWire } from "./model/wire";

const desks = new WeakMap<Session, ChatDesk>();

/** The page's one desk, whatever number of chats it shows. */
export function useDesk(): ChatDesk {
  const session = useSession();
  let desk = desks.get(session);
  if (desk === undefined) {
    desk = new ChatDesk(new ChatWire(chatConnection(session.client)));
    desks.set(session, desk);
  }
  return desk;
}

/** What a backend offers; it is asked when it is looked at for the first time. */
export function useBackend(backend: string): BackendState {
  const desk = useDesk();
  useEffect(() => desk.look(backend), [desk, backend]);
  return useStore(desk.of(backend), (state) => state);
}

/** The session that a chat shows, from when it is shown until another is. */
export function useConversation(backend: string, sessionId: string | null): Conversation | null {
  const { wire } = useDesk();
  const conversation = useMemo(
    () => (sessionId === null ? null : new Conversation(wire, backend, sessionId)),
    [wire, backend, sessionId],
  );
  useEffect(() => conversation?.open(), [conversation]);
  return conversation;
}

/** Where a chat stands: which backend and session it shows, and how it shows another. */
export interface Place {
  readonly backend: string;
  readonly capabilities: Capabilities | null;
  readonly conversation: Conversation;
  /** Narrow places leave out what a card has no room for. */
  readonly narrow: boolean;
  show(sessionId: string | null): void;
}

const PlaceContext = createContext<Place | null>(null);
export const PlaceProvider = PlaceContext.Provider;

export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (place === null) throw new Error("usePlace is called outside a chat");
  return place;
}

/** Whether the backend can do something, by its dotted name. */
export function useCan(): (capability: string) => boolean {
  const { capabilities } = usePlace();
  return (capability) => has(capabilities, capability);
}

/** Does something and says plainly when it did not work; true when it did. */
export function useAttempt(): (work: () => Promise<unknown>) => Promise<boolean> {
  const session = useSession();
  return async (work) => {
    try {
      await work();
      return true;
    } catch (error) {
      if (session.online) session.toast((t) => reasonOf(t, error), "danger");
      else session.toast((t) => t("fail.away"), "warning");
      return false;
    }
  };
}
