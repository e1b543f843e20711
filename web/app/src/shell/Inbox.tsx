import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useAgents } from "../agents/AgentsDrawer";
import { AnswerButtons } from "../agents/AnswerButtons";
import { goToAgent } from "../agents/going";
import { isNews, markSeen, seenTurns } from "../agents/turns";
import { useViewport } from "../canvas/viewport";
import { startedOf, statusOf } from "../cards/agent/state";
import { toldOf } from "../i18n/reasonOf";
import type { LocatedAgent } from "../state/agentWatch";
import { openBudgets } from "../usage/actions";
import { budgetName, budgetTone } from "../usage/budgetWords";
import { useBudgetNotices } from "../usage/hooks";
import { useStore } from "../state/store";
import type { Budget, Card } from "../wire/records";
import { useSession, useT } from "./context";
import { InboxIcon } from "./icons";

/** What wants to be looked at: agents that ask, cards that call, budgets, turns that have ended; the urgent first. */
export function Inbox() {
  const t = useT();
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const items = useItems();
  const count = items.asking.length + items.calling.length + items.budgets.length + items.finished.length;
  const urgent =
    items.asking.length > 0 ||
    items.calling.some((card) => card.chrome.attention?.level === "needs-input") ||
    items.budgets.some((budget) => budget.paused);
  useEffect(() => {
    if (!open) return;
    const outside = (event: PointerEvent) => {
      if (root.current?.contains(event.target as Node) !== true) setOpen(false);
    };
    window.addEventListener("pointerdown", outside, true);
    return () => window.removeEventListener("pointerdown", outside, true);
  }, [open]);
  return (
    <span
      ref={root}
      className="inbox"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        setOpen(false);
        root.current?.querySelector("button")?.focus();
      }}
    >
      <button
        type="button"
        className="icon-btn"
        aria-label={count === 0 ? t("inbox.open") : t("inbox.count", { count })}
        title={t("inbox.open")}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <InboxIcon />
        {count === 0 ? null : <span className={`badge tone-${urgent ? "warning" : "success"}`}>{count}</span>}
      </button>
      {open ? <InboxList items={items} onClose={() => setOpen(false)} /> : null}
    </span>
  );
}

interface Items {
  asking: readonly LocatedAgent[];
  calling: readonly Card[];
  budgets: readonly Budget[];
  finished: readonly LocatedAgent[];
}

function useItems(): Items {
  const session = useSession();
  const agents = useAgents();
  const cards = useStore(session.canvas, (state) => state?.cards);
  const seen = useStore(seenTurns, (known) => known);
  const budgets = useBudgetNotices();
  return {
    budgets,
    asking: agents.filter(({ card }) => statusOf(card) === "needs-input"),
    calling: waitingCards(cards?.values() ?? []),
    finished: agents.filter(({ card }) => isNews(card, seen)),
  };
}

function InboxList({ items, onClose }: { items: Items; onClose(): void }) {
  const session = useSession();
  const t = useT();
  const viewport = useViewport();
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => list.current?.querySelector<HTMLElement>("button")?.focus({ preventScroll: true }), []);
  const cards = useStore(session.canvas, (state) => state?.cards);
  const { asking, calling, budgets, finished } = items;
  const goToCard = (card: Card) => {
    onClose();
    session.ui.update((ui) => ({ ...ui, selection: { cardIds: [card.id], arrowIds: [] } }));
    viewport.goTo(card.id);
  };
  const goTo = (agent: LocatedAgent) => {
    onClose();
    markSeen([agent.card]);
    void goToAgent(session, agent);
  };
  const isEmpty = asking.length + calling.length + budgets.length + finished.length === 0;
  return (
    <div ref={list} className="inbox-list" role="dialog" aria-label={t("inbox.open")}>
      {isEmpty ? <p className="muted">{t("inbox.empty")}</p> : null}
      <ul>
        {asking.map((agent) => {
          const question = startedOf(agent.card)?.question ?? null;
          return (
            <Item key={agent.card.id} name={agent.card.name} place={agent.workspace.name} tone="warning" onGo={() => goTo(agent)}>
              {question === null ? null : (
                <>
                  <code title={question.action}>{question.action || question.detail}</code>
                  <AnswerButtons card={agent.card} question={question} />
                </>
              )}
            </Item>
          );
        })}
        {calling.map((card) => (
          <Item
            key={card.id}
            name={card.name}
            tone={card.chrome.attention?.level === "needs-input" ? "warning" : "accent"}
            onGo={() => goToCard(card)}
          >
            <small className="muted">{card.chrome.attention?.message ? toldOf(t, card.chrome.attention.message) : t("card.asks")}</small>
          </Item>
        ))}
        {budgets.map((budget) => (
          <Item
            key={budget.id}
            name={t("budget.notice", { name: budgetName(budget, cards, t) })}
            tone={budgetTone(budget)}
            onGo={() => {
              onClose();
              openBudgets(session);
            }}
            onSeen={() => session.usage.markSeen(budget.id)}
          >
            <small className="muted">
              {t("budget.noticeText", { percent: budget.percent })}
              {budget.paused ? ` · ${t("budget.paused")}` : ""}
            </small>
          </Item>
        ))}
        {finished.map((agent) => {
          const started = startedOf(agent.card);
          const error = started?.error ?? null;
          const words = (error === null ? null : toldOf(t, error)) ?? started?.reply?.text.trim() ?? t("inbox.finished");
          return (
            <Item
              key={agent.card.id}
              name={agent.card.name}
              place={agent.workspace.name}
              tone={error === null ? "success" : "danger"}
              onGo={() => goTo(agent)}
              onSeen={() => markSeen([agent.card])}
            >
              <small className="inbox-words">{words}</small>
            </Item>
          );
        })}
      </ul>
      {finished.length > 1 ? (
        <button type="button" className="link" onClick={() => markSeen(finished.map(({ card }) => card))}>
          {t("inbox.seenAll")}
        </button>
      ) : null}
    </div>
  );
}

interface ItemProps {
  name: string;
  place?: string;
  tone: "warning" | "accent" | "success" | "danger";
  onGo(): void;
  onSeen?(): void;
  children: React.ReactNode;
}

function Item({ name, place, tone, onGo, onSeen, children }: ItemProps) {
  const t = useT();
  return (
    <li className="inbox-item">
      <div className="inbox-line">
        <button type="button" className="inbox-name" aria-label={t("inbox.go", { name })} onClick={onGo}>
          <i className={`dot tone-${tone}`} />
          <b>{name}</b>
          {place === undefined ? null : <small className="muted">{place}</small>}
        </button>
        {onSeen === undefined ? null : (
          <button type="button" className="btn" onClick={onSeen}>
            {t("inbox.seen")}
          </button>
        )}
      </div>
      {children}
    </li>
  );
}

/** The cards that call, those that wait for the person before those that only tell. */
function waitingCards(cards: Iterable<Card>): Card[] {
  const calling = [...cards].filter((card) => card.chrome.attention !== null);
  const urgent = calling.filter((card) => card.chrome.attention?.level === "needs-input");
  return [...urgent, ...calling.filter((card) => !urgent.includes(card))];
}
