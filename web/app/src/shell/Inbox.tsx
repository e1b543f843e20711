import { useViewport } from "../canvas/viewport";
import { useStore } from "../state/store";
import type { Card } from "../wire/records";
import { useSession, useT } from "./context";
import { InboxIcon } from "./icons";
import { MenuButton, type MenuEntry } from "./Menu";

/** What cards of this workspace want to be looked at for, the urgent first. Choosing one goes to its card. */
export function Inbox() {
  const session = useSession();
  const t = useT();
  const viewport = useViewport();
  const cards = useStore(session.canvas, (state) => state?.cards);
  const asking = waitingCards(cards?.values() ?? []);
  const go = (card: Card) => {
    session.ui.update((ui) => ({ ...ui, selection: { cardIds: [card.id], arrowIds: [] } }));
    viewport.goTo(card.id);
  };
  const entries = (): MenuEntry[] =>
    asking.length === 0
      ? [{ id: "none", heading: t("inbox.empty") }]
      : asking.map((card) => ({
          id: card.id,
          label: card.name,
          description: card.chrome.attention?.message ?? t("card.asks"),
          icon: <i className={`dot tone-${card.chrome.attention?.level === "needs-input" ? "warning" : "accent"}`} />,
          run: () => go(card),
        }));
  const label = asking.length === 0 ? t("inbox.open") : t("inbox.count", { count: asking.length });
  return (
    <MenuButton className="icon-btn inbox" label={label} align="end" entries={entries}>
      <InboxIcon />
      {asking.length === 0 ? null : <span className="badge tone-warning">{asking.length}</span>}
    </MenuButton>
  );
}

/** The cards that call, those that wait for the person before those that only tell. */
export function waitingCards(cards: Iterable<Card>): Card[] {
  const calling = [...cards].filter((card) => card.chrome.attention !== null);
  const urgent = calling.filter((card) => card.chrome.attention?.level === "needs-input");
  return [...urgent, ...calling.filter((card) => !urgent.includes(card))];
}
