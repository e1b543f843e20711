import { lazy, Suspense, type MouseEvent } from "react";
import { duplicateCards, stackCards } from "../actions/cards";
import { cardBodies } from "../cards/registry";
import { frameRuntime } from "../frame/frames";
import type { CardMenuItem } from "../wire/records";
import { BackIcon, CopyIcon, FitIcon, FrontIcon, LinkIcon, PencilIcon, SlidersIcon, TrashIcon } from "../shell/icons";
import type { MenuEntry } from "../shell/Menu";
import type { Session } from "../state/session";
import { openTimeline } from "../usage/actions";
import { askAndRemove } from "./removing";
import { drawWithKeys } from "./drawing";
import { contextMenu } from "./contextMenu";

const NamedIcon = lazy(() => import("../cards/overview/NamedIcon"));

/** How long a menu waits for its card's own entries, which the server knows: no longer than a person would notice. */
const OWN_ENTRIES_MS = 250;

/** Opens the menu of a card; it acts on the whole selection when the card is part of it. */
export function openCardMenu(session: Session, cardId: string, event: MouseEvent): void {
  const target = event.target as HTMLElement;
  // A field keeps the browser's own menu for copy and paste.
  if (event.type === "contextmenu" && target.closest("input, textarea, [contenteditable=true], .xterm") !== null) return;
  event.preventDefault();
  event.stopPropagation();
  const { cardIds } = session.ui.get().selection;
  const chosen = cardIds.includes(cardId) ? cardIds : [cardId];
  if (!cardIds.includes(cardId)) {
    session.ui.update((ui) => ({ ...ui, selection: { cardIds: [cardId], arrowIds: [] } }));
  }
  showCardMenu(session, cardId, chosen, menuPlace(event));
}

/**
 * Opens the menu, with what a card put into it itself: an entry that came on top of an open menu would push the others
 * away under the pointer. What comes too late to wait for goes to the end.
 */
function showCardMenu(session: Session, cardId: string, chosen: readonly string[], at: { x: number; y: number }): void {
  const card = session.canvas.get()?.cards.get(cardId);
  const label = session.t("card.menuOf", { name: card?.name ?? "" });
  const menu = { label, at, entries: cardMenuEntries(session, cardId, chosen) };
  if (card?.kind !== "custom" || chosen.length !== 1) {
    contextMenu.set(menu);
    return;
  }
  const awaited = { ...menu, awaited: true as const };
  const showWithoutOwn = () => contextMenu.update((known) => (known === awaited ? menu : known));
  contextMenu.set(awaited);
  const patience = setTimeout(showWithoutOwn, OWN_ENTRIES_MS);
  session.client
    .call("card.menu", { cardId })
    .then(({ items }) => {
      const own = items.map((item) => ownEntry(session, cardId, item));
      const line = { id: "own-line", separator: true } as const;
      if (own.length === 0) showWithoutOwn();
      else if (contextMenu.get() === awaited) contextMenu.set({ ...menu, entries: [...own, line, ...menu.entries] });
      else if (contextMenu.get() === menu) contextMenu.set({ ...menu, entries: [...menu.entries, line, ...own] });
    })
    .catch(showWithoutOwn)
    .finally(() => clearTimeout(patience));
}

/** An entry of the card's own. */
function ownEntry(session: Session, cardId: string, item: CardMenuItem): MenuEntry {
  return {
    id: `own-${item.id}`,
    label: item.label,
    icon: item.icon === undefined ? null : <Suspense>{<NamedIcon name={item.icon} size={15} />}</Suspense>,
    disabled: item.disabled === true,
    ...(item.tone === "danger" && { tone: "danger" }),
    run: () => {
      session.client
        .call("card.chooseMenu", { cardId, itemId: item.id })
        .catch((error: unknown) => session.report("fail.program", error));
    },
  };
}

function menuPlace(event: MouseEvent): { x: number; y: number } {
  if (event.type === "contextmenu") return { x: event.clientX, y: event.clientY };
  const box = event.currentTarget.getBoundingClientRect();
  return { x: box.left, y: box.bottom + 4 };
}

function cardMenuEntries(session: Session, cardId: string, chosen: readonly string[]): MenuEntry[] {
  const { t } = session;
  const card = session.canvas.get()?.cards.get(cardId);
  const bare = card !== undefined && cardBodies[card.kind].bare === true;
  const single: MenuEntry[] = [
    {
      id: "rename",
      label: t("card.rename"),
      icon: <PencilIcon />,
      hint: "F2",
      disabled: bare,
      run: () => session.ui.update((ui) => ({ ...ui, renaming: cardId })),
    },
    {
      id: "connect",
      label: t("card.connect"),
      icon: <LinkIcon />,
      hint: "C",
      run: () => drawWithKeys(session, cardId),
    },
  ];
  if (card?.kind === "agent") {
    single.push({ id: "timeline", label: t("timeline.open"), run: () => openTimeline(session, cardId) });
  }
  if (card?.kind === "custom") {
    single.push({
      id: "settings",
      label: t("settings.menu"),
      icon: <SlidersIcon />,
      run: () => session.ui.update((ui) => ({ ...ui, settingsOf: cardId })),
    });
  }
  if (frameRuntime(card) !== null) {
    single.push({
      id: "expand",
      label: t("frame.expand"),
      icon: <FitIcon />,
      run: () => session.frames.expand(cardId),
    });
  }
  return [
    ...(chosen.length === 1 ? single : []),
    {
      id: "duplicate",
      label: t("card.duplicate"),
      icon: <CopyIcon />,
      hint: "Ctrl D",
      run: () => void duplicateCards(session, chosen),
    },
    { id: "front", label: t("card.front"), icon: <FrontIcon />, hint: "]", run: () => void stackCards(session, chosen, "front") },
    { id: "back", label: t("card.back"), icon: <BackIcon />, hint: "[", run: () => void stackCards(session, chosen, "back") },
    { id: "line", separator: true },
    {
      id: "remove",
      label: t("card.remove"),
      icon: <TrashIcon />,
      hint: "Del",
      tone: "danger",
      run: () => askAndRemove(session, { cardIds: chosen, arrowIds: [] }),
    },
  ];
}

/** The same menu at the card's corner, for the menu key. */
export function openCardMenuByKey(session: Session, cardId: string): boolean {
  const box = document.querySelector(`[data-card-id="${CSS.escape(cardId)}"]`)?.getBoundingClientRect();
  if (box === undefined) return false;
  const { cardIds } = session.ui.get().selection;
  const chosen = cardIds.includes(cardId) ? cardIds : [cardId];
  showCardMenu(session, cardId, chosen, { x: box.left + 24, y: box.top + 30 });
  return true;
}
