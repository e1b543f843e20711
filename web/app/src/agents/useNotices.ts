import { useEffect } from "react";
import { startedOf } from "../cards/agent/state";
import { agentsOf, type LocatedAgent } from "../state/agentWatch";
import type { Session } from "../state/session";
import { notify, withdraw } from "./desktop";
import { goToAgent } from "./going";
import { noticeFor, toldOf, type Told } from "./notices";
import { markSeen } from "./turns";

/** Follows the agents of all open workspaces; tells on the desktop what happens while the person looks elsewhere. */
export function useNotices(session: Session): void {
  useEffect(() => {
    const { watch } = session;
    const known = new Map<string, Told>();
    const follow = () => {
      if (!session.online) return;
      watch.follow(session.app.get().workspaces.filter((workspace) => workspace.open).map((workspace) => workspace.id));
    };
    const look = () => {
      for (const agent of agentsOf(session.canvas.get(), watch.others.get())) tell(session, agent, known);
      seeChosen(session);
    };
    let wasOnline = session.online;
    const connection = () => {
      if (session.online && !wasOnline) watch.again();
      wasOnline = session.online;
      follow();
    };
    const stops = [
      session.app.subscribe(follow),
      session.load.subscribe(follow),
      session.connection.subscribe(connection),
      session.canvas.subscribe(look),
      watch.others.subscribe(look),
      session.ui.subscribe(() => seeChosen(session)),
    ];
    const onFocus = () => seeChosen(session);
    window.addEventListener("focus", onFocus);
    follow();
    look();
    return () => {
      stops.forEach((stop) => stop());
      window.removeEventListener("focus", onFocus);
    };
  }, [session]);
}

function tell(session: Session, agent: LocatedAgent, known: Map<string, Told>): void {
  const { card, workspace } = agent;
  const before = known.get(card.id);
  const after = toldOf(card);
  if (before !== undefined && before.status === after.status && before.words === after.words && before.endedAt === after.endedAt) return;
  known.set(card.id, after);
  const notice = noticeFor(before, after, (startedOf(card)?.error ?? null) !== null);
  if (notice === null) return;
  if (notice.do === "withdraw") {
    withdraw(card.id);
    return;
  }
  // Who has the workspace before the eyes sees it there.
  if (document.hasFocus() && workspace.id === session.workspaceId) return;
  notify(card.id, {
    title: session.t(notice.title, { name: card.name }),
    body: [notice.words, workspace.name].filter(Boolean).join("\n"),
    quiet: notice.do === "update",
    onClick: () => void goToAgent(session, agent),
  });
}

/** A finished turn of the card that is chosen is seen, as long as somebody looks at this page. */
function seeChosen(session: Session): void {
  const cards = session.canvas.get()?.cards;
  if (cards === undefined || !document.hasFocus()) return;
  const { cardIds } = session.ui.get().selection;
  markSeen(cardIds.flatMap((id) => cards.get(id) ?? []).filter((card) => card.kind === "agent"));
}
