import { useEffect } from "react";
import { AccessPage } from "../shell/AccessPage";
import { SessionProvider, useSession, useT } from "../shell/context";
import { PageBoundary } from "../shell/PageBoundary";
import { ToastStack } from "../shell/Toasts";
import type { Session } from "../state/session";
import { useStore } from "../state/store";
import { useScheme } from "../theme/useScheme";
import { ChatPage } from "./ChatPage";

/** The page `/chat`: the same connection, language and colours as the canvas, with chats in place of cards. */
export function ChatApp({ session }: { session: Session }) {
  return (
    <SessionProvider value={session}>
      <PageBoundary>
        <Page />
      </PageBoundary>
    </SessionProvider>
  );
}

function Page() {
  const session = useSession();
  const t = useT();
  const phase = useStore(session.connection, (state) => state.phase);
  const language = useStore(session.app, (app) => app.preferences.language);
  useScheme(useStore(session.app, (app) => (app.version === "" ? null : app.preferences.scheme)));
  useEffect(() => {
    document.documentElement.lang = language;
    document.title = `${t("chat.title")} · ${t("app.name")}`;
  }, [language, t]);
  useEffect(() => {
    const stop = new AbortController();
    window.addEventListener("online", () => session.client.retryNow(), { signal: stop.signal });
    window.addEventListener("focus", () => session.client.retryNow(), { signal: stop.signal });
    return () => stop.abort();
  }, [session]);
  if (phase === "refused") return <AccessPage why="refused" />;
  return (
    <>
      <ChatPage />
      <ToastStack />
    </>
  );
}
