import { createContext, useContext, useMemo } from "react";
import type { CardApi } from "../cards/contract";
import { translator, type Translate } from "../i18n/catalogue";
import type { Session } from "../state/session";
import { useStore } from "../state/store";

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("useSession is called outside a SessionProvider");
  return session;
}

/** The texts of the chosen language; another function when the language changes. */
export function useT(): Translate {
  const session = useSession();
  const language = useStore(session.app, (app) => app.preferences.language);
  return useMemo(() => translator(language), [language]);
}

const CardApiContext = createContext<CardApi | null>(null);
export const CardApiProvider = CardApiContext.Provider;

export function useCardApi(): CardApi {
  const api = useContext(CardApiContext);
  if (api === null) throw new Error("useCardApi is called outside a CardApiProvider");
  return api;
}

export function makeCardApi(session: Session, t: Translate): CardApi {
  return {
    t,
    // The method name comes from a body, whose types the protocol's table already checked there.
    call: <T,>(method: string, params: object) =>
      session.client.call(method as Parameters<typeof session.client.call>[0], params) as Promise<T>,
    on: (event, listener) => session.client.on(event, listener),
    pushUndo: (entry) => session.undo.push(entry),
    holdUndo: (action) => session.undo.after(action),
    toast: (told, tone) => session.toast(told, tone),
  };
}
