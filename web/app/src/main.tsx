import "@fontsource-variable/inter/index.css";
import "@fontsource-variable/jetbrains-mono/index.css";
import "@xyflow/react/dist/base.css";
import "./generated/theme.css";
import "./theme/page.css";
import "./theme/buttons.css";
import "./theme/fields.css";
import "./theme/menus.css";
import "./theme/dialogs.css";
import "./theme/settings.css";
import "./theme/palette.css";
import "./theme/shell.css";
import "./theme/canvas.css";
import "./theme/cards.css";
import "./theme/ports.css";
import "./theme/arrows.css";
import "./theme/corner.css";
import "./theme/panel.css";
import "./theme/forced.css";
import { lazy, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { forgetKey, obtainKey } from "./connection/access";
import type { Socket } from "./connection/client";
import type { RelaySocket } from "./frame/relay";
import { AccessPage } from "./shell/AccessPage";
import { Session } from "./state/session";
import { applyScheme, rememberedScheme } from "./theme/useScheme";

const App = lazy(() => import("./shell/App").then((module) => ({ default: module.App })));
const ChatApp = lazy(() => import("./chat/ChatApp").then((module) => ({ default: module.ChatApp })));
const WORKSPACE = "cardloom.workspace";

function openSocket(): Socket {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return new WebSocket(`${scheme}://${location.host}/ws`) as Socket;
}

function openCardSocket(token: string): RelaySocket {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return new WebSocket(`${scheme}://${location.host}/ws/card/${token}`) as RelaySocket;
}

function startSession(key: string): Session {
  const session = new Session(
    {
      openSocket,
      openCardSocket,
      timers: {
        nowMs: () => Date.now(),
        after: (delayMs, run) => {
          const timer = setTimeout(run, delayMs);
          return () => clearTimeout(timer);
        },
      },
      random: Math.random,
      key,
      name: navigator.userAgent.slice(0, 80),
    },
    {
      workspaceId: () => sessionStorage.getItem(WORKSPACE),
      remember: (id) => (id === null ? sessionStorage.removeItem(WORKSPACE) : sessionStorage.setItem(WORKSPACE, id)),
    },
  );
  session.connection.subscribe(() => {
    if (session.connection.get().phase === "refused") forgetKey(sessionStorage);
  });
  session.client.start();
  return session;
}

async function main(): Promise<void> {
  const root = document.getElementById("root");
  if (root === null) throw new Error("index.html holds no #root");
  applyScheme(rememberedScheme());
  const hadCode = location.hash.includes("code=");
  const key = await obtainKey({
    fragment: location.hash,
    storage: sessionStorage,
    fetch: (...request) => fetch(...request),
    clearFragment: () => history.replaceState(null, "", location.pathname + location.search),
  });
  createRoot(root).render(
    key === null ? <AccessPage why={hadCode ? "used" : "none"} /> : <Suspense>{page(startSession(key))}</Suspense>,
  );
}

/** The canvas, or the chats at their own address; neither loads what only the other needs. */
function page(session: Session) {
  return location.pathname === "/chat" ? <ChatApp session={session} /> : <App session={session} />;
}

void main();
