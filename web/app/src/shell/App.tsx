import { ReactFlowProvider } from "@xyflow/react";
import { useEffect, useMemo } from "react";
import { AgentsDrawer } from "../agents/AgentsDrawer";
import { NewAgent } from "../agents/NewAgent";
import { useNotices } from "../agents/useNotices";
import { redo, undo } from "../actions/history";
import { SettingsOverlay } from "../asking/SettingsForm";
import { Canvas } from "../canvas/Canvas";
import { contextMenu } from "../canvas/contextMenu";
import { MiniMap } from "../canvas/MiniMap";
import { Tray } from "../canvas/Tray";
import { ViewBar } from "../canvas/ViewBar";
import { CarriedFile } from "../files/CarriedFile";
import { FilesDrawer } from "../files/FilesDrawer";
import { LargeFrame } from "../frame/LargeFrame";
import { useFrameFocus } from "../frame/useFrameFocus";
import { toldOf } from "../i18n/reasonOf";
import { PackagesDialog } from "../packages/PackagesDialog";
import { Inspector } from "../panels/Inspector";
import type { Session } from "../state/session";
import { useStore } from "../state/store";
import { BudgetDialog } from "../usage/BudgetDialog";
import { UsageDialog } from "../usage/UsageDialog";
import { AccessPage } from "./AccessPage";
import { Banner } from "./Banner";
import { CardApiProvider, makeCardApi, SessionProvider, useSession, useT } from "./context";
import { Help } from "./Help";
import { Menu } from "./Menu";
import { PageBoundary } from "./PageBoundary";
import { Palette } from "./Palette";
import { EmptyCanvas, FailedWorkspace, LoadingPlace, NoWorkspace } from "./Places";
import { Questions } from "./Questions";
import { ToastStack } from "./Toasts";
import { TopBar } from "./TopBar";
import { useNarrowWindow } from "./useNarrowWindow";
import { usePage } from "./usePage";
import { usePageWork } from "./usePageWork";
import { usePageTitle } from "./usePageTitle";
import { useRegions } from "./useRegions";

export function App({ session }: { session: Session }) {
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
  const api = useMemo(() => makeCardApi(session, t), [session, t]);
  const phase = usePage(session);
  const shownId = useStore(session.load, (load) => (load.phase === "none" ? null : load.workspaceId));
  useGlobalKeys(session);
  useNarrowWindow(session);
  usePageTitle(useStore(session.app, (app) => app.workspaces.find(({ id }) => id === shownId)?.name ?? null));
  useRegions();
  useFrameFocus();
  usePageWork(session);
  useNotices(session);
  if (phase === "refused") return <AccessPage why="refused" />;
  return (
    <CardApiProvider value={api}>
      <ReactFlowProvider>
        <TopBar />
        <Banner />
        <Main />
        <LargeFrame />
        <Overlays />
      </ReactFlowProvider>
      <ToastStack />
    </CardApiProvider>
  );
}

function Main() {
  const session = useSession();
  const load = useStore(session.load, (known) => known);
  const ready = useStore(session.canvas, (state) => state !== null);
  const empty = useStore(session.canvas, (state) => state?.cards.size === 0);
  const phase = useStore(session.connection, (state) => state.phase);
  if (!ready) {
    return (
      <main className="main">
        {load.phase === "failed" ? <FailedWorkspace workspaceId={load.workspaceId} message={load.message} /> : null}
        {load.phase === "none" && phase === "online" ? <NoWorkspace /> : null}
        {load.phase === "loading" || (load.phase === "none" && phase !== "online") ? <LoadingPlace /> : null}
      </main>
    );
  }
  return (
    <div className="work">
      <FilesDrawer />
      <AgentsDrawer />
      <main className="main">
        <WorkspaceProblem />
        <Canvas />
        {empty ? <EmptyCanvas /> : null}
        <div className="corner">
          <MiniMap />
          <ViewBar />
        </div>
        <Tray />
      </main>
      <Inspector />
    </div>
  );
}

/** The canvas is here but its folder is not: cards can be read, what needs the folder will not work. */
function WorkspaceProblem() {
  const session = useSession();
  const t = useT();
  const problem = useStore(session.canvas, (state) => state?.workspace.problem ?? null);
  if (problem === null) return null;
  return (
    <p className="notice tone-warning problem" role="alert">
      {toldOf(t, problem)} <span className="muted">{t("failed.what")}</span>
    </p>
  );
}

function Overlays() {
  const session = useSession();
  const overlay = useStore(session.ui, (ui) => ui.overlay);
  const menu = useStore(contextMenu, (known) => known);
  return (
    <>
      {overlay === "palette" ? <Palette /> : null}
      {overlay === "help" ? <Help /> : null}
      {overlay === "packages" ? <PackagesDialog /> : null}
      {overlay === "usage" ? <UsageDialog /> : null}
      {overlay === "budgets" ? <BudgetDialog /> : null}
      <NewAgent />
      {menu === null || menu.awaited === true ? null : (
        <Menu
          key={`${menu.at.x},${menu.at.y}`}
          label={menu.label}
          at={menu.at}
          entries={menu.entries}
          onClose={closeContextMenu}
        />
      )}
      <CarriedFile />
      <SettingsOverlay />
      <Questions />
    </>
  );
}

function closeContextMenu(): void {
  contextMenu.set(null);
}

/** The keys that work wherever the focus is, except in a field that has its own use for them. */
function useGlobalKeys(session: Session): void {
  useEffect(() => {
    const stop = new AbortController();
    window.addEventListener(
      "keydown",
      (event) => {
        if (event.defaultPrevented || !(event.ctrlKey || event.metaKey)) return;
        const key = event.key.toLowerCase();
        const target = event.target instanceof HTMLElement ? event.target : document.body;
        const typing = target.isContentEditable || target.closest("input, textarea") !== null;
        if (key === "k") session.ui.update((ui) => ({ ...ui, overlay: ui.overlay === "palette" ? null : "palette" }));
        else if (typing) return;
        else if (key === "z") void (event.shiftKey ? redo(session) : undo(session));
        else if (key === "y") void redo(session);
        else return;
        event.preventDefault();
      },
      { signal: stop.signal },
    );
    return () => stop.abort();
  }, [session]);
}
