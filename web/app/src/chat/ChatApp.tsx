import { AccessPage } from "../shell/AccessPage";
import { SessionProvider, useSession, useT } from "../shell/context";
import { PageBoundary } from "../shell/PageBoundary";
import { ToastStack } from "../shell/Toasts";
import { usePage } from "../shell/usePage";
import { usePageTitle } from "../shell/usePageTitle";
import type { Session } from "../state/session";
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
  const phase = usePage(session);
  usePageTitle(t("chat.title"));
  if (phase === "refused") return <AccessPage why="refused" />;
  return (
    <>
      <ChatPage />
      <ToastStack />
    </>
  );
}
