import { useSession, useT } from "./context";
import { ConnectionPill } from "./ConnectionPill";
import { Inbox } from "./Inbox";
import { ChatIcon, FolderIcon, HelpIcon, PanelIcon, SearchIcon } from "./icons";
import { LookMenus } from "./LookMenus";
import { toggleFiles } from "../files/actions";
import { toggleAgents } from "../actions/agents";
import { waitsForPerson } from "../cards/agent/state";
import { kindIcons } from "../cards/icons";
import { useStore } from "../state/store";
import type { Card } from "../wire/records";
import { UsagePills } from "../usage/UsagePills";
import { WorkspaceSwitcher } from "./WorkspaceSwitcher";

/** The bar at the top: where one is, how things stand, and the page's own switches. */
export function TopBar() {
  const session = useSession();
  const t = useT();
  const hasCanvas = useStore(session.canvas, (state) => state !== null);
  const filesOpen = useStore(session.ui, (ui) => ui.filesOpen);
  const agentsOpen = useStore(session.ui, (ui) => ui.agentsOpen);
  const panelOpen = useStore(session.ui, (ui) => ui.inspectorOpen);
  return (
    <header className="topbar">
      <span className="brand">
        <img src="/mark.svg" alt="" width="20" height="20" />
        {t("app.name")}
      </span>
      <WorkspaceSwitcher />
      {hasCanvas ? (
        <button
          type="button"
          className="icon-btn"
          aria-label={t("files.toggle")}
          title={`${t("files.toggle")} (F)`}
          aria-pressed={filesOpen}
          data-toggles="files"
          onClick={() => toggleFiles(session)}
        >
          <FolderIcon />
        </button>
      ) : null}
      {hasCanvas ? (
        <button
          type="button"
          className="icon-btn"
          aria-label={t("agents.open")}
          title={`${t("agents.about")} (G)`}
          aria-pressed={agentsOpen}
          data-toggles="agents"
          onClick={() => toggleAgents(session)}
        >
          <kindIcons.agent />
        </button>
      ) : null}
      <span className="spring" />
      <StatusPills />
      <UsagePills />
      <Inbox />
      <ConnectionPill />
      <button
        type="button"
        className="pill topbar-search"
        aria-label={t("palette.open")}
        title={`${t("palette.open")} (Ctrl K)`}
        onClick={() => session.ui.update((ui) => ({ ...ui, overlay: "palette" }))}
      >
        <SearchIcon size={13} />
        <kbd>Ctrl K</kbd>
      </button>
      <a className="icon-btn" href="/chat" aria-label={t("chat.open")} title={t("chat.open")}>
        <ChatIcon />
      </a>
      <LookMenus />
      <button
        type="button"
        className="icon-btn"
        aria-label={t("help.open")}
        title={`${t("help.open")} (?)`}
        onClick={() => session.ui.update((ui) => ({ ...ui, overlay: "help" }))}
      >
        <HelpIcon />
      </button>
      <button
        type="button"
        className="icon-btn"
        aria-label={t("panel.toggle")}
        title={`${t("panel.toggle")} (I)`}
        aria-pressed={panelOpen}
        data-toggles="panel"
        onClick={() => session.ui.update((ui) => ({ ...ui, inspectorOpen: !ui.inspectorOpen }))}
      >
        <PanelIcon />
      </button>
    </header>
  );
}

/** How many cards wait for the person, and in how many something is going on. Press to go through them. */
function StatusPills() {
  const session = useSession();
  const t = useT();
  const asking = useStore(session.canvas, (state) => count(state?.cards, waitsForPerson));
  const busy = useStore(session.canvas, (state) => count(state?.cards, isBusy));
  const pending = useStore(session.canvas, (state) => {
    let arrows = 0;
    for (const arrow of state?.arrows.values() ?? []) if (arrow.pending) arrows += 1;
    return arrows;
  });
  const select = (test: (card: Card) => boolean) => {
    const cards = [...(session.canvas.get()?.cards.values() ?? [])].filter(test);
    session.ui.update((ui) => ({ ...ui, selection: { cardIds: cards.map((card) => card.id), arrowIds: [] } }));
  };
  return (
    <>
      {asking > 0 ? (
        <button type="button" className="pill is-warning" onClick={() => select(waitsForPerson)}>
          <i className="dot tone-warning is-busy" />
          {t("top.asking", { count: asking })}
        </button>
      ) : null}
      {pending > 0 ? (
        <span className="pill is-warning">
          <i className="dot tone-warning" />
          {t("top.pending", { count: pending })}
        </span>
      ) : null}
      {busy > 0 ? (
        <button type="button" className="pill" onClick={() => select(isBusy)}>
          <i className="dot tone-accent is-busy" />
          {t("top.working", { count: busy })}
        </button>
      ) : null}
    </>
  );
}


function isBusy(card: Card): boolean {
  return card.chrome.status?.busy === true || ((card.kind === "terminal" || card.kind === "agent") && card.runtime?.status === "working");
}

function count(cards: ReadonlyMap<string, Card> | undefined, test: (card: Card) => boolean): number {
  let found = 0;
  for (const card of cards?.values() ?? []) if (test(card)) found += 1;
  return found;
}
