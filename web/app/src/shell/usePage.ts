import { useEffect } from "react";
import type { Session } from "../state/session";
import { useStore } from "../state/store";
import { useScheme } from "../theme/useScheme";

/**
 * What every page does, whatever it shows: wears the chosen colours, says its language, and connects at once when
 * somebody comes back to it. Gives how its connection is.
 */
export function usePage(session: Session) {
  const language = useStore(session.app, (app) => app.preferences.language);
  useScheme(useStore(session.app, (app) => (app.version === "" ? null : app.preferences.scheme)));
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  useEffect(() => {
    const stop = new AbortController();
    window.addEventListener("online", () => session.client.retryNow(), { signal: stop.signal });
    window.addEventListener("focus", () => session.client.retryNow(), { signal: stop.signal });
    return () => stop.abort();
  }, [session]);
  return useStore(session.connection, (state) => state.phase);
}
