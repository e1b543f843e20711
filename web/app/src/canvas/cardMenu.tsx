import type { MouseEvent } from "react";
import { duplicateCards, stackCards } from "../actions/cards";
import { cardBodies } from "../cards/registry";
import { BackIcon, CopyIcon, FrontIcon, LinkIcon, PencilIcon, TrashIcon } from "../shell/icons";
import type { MenuEntry } from "../shell/Menu";
import type { Session } from "../state/session";
import { askAndRemove } from "./removing";
import { drawWithKeys } from "./drawing";
import { contextMenu } from "./contextMenu";

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
  const name = session.canvas.get()?.cards.get(cardId)?.name ?? "";
  contextMenu.set({
    label: session.t("card.menuOf", { name }),
    at: menuPlace(event),
    entries: cardMenuEntries(session, cardId, chosen),
  });
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
  contextMenu.set({
    label: session.t("card.menuOf", { name: session.canvas.get()?.cards.get(cardId)?.name ?? "" }),
    at: { x: box.left + 24, y: box.top + 30 },
    entries: cardMenuEntries(session, cardId, cardIds.includes(cardId) ? cardIds : [cardId]),
  });
  return true;
}
