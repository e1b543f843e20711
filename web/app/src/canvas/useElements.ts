import { applyNodeChanges, type EdgeChange, type NodeChange } from "@xyflow/react";
import { useCallback, useEffect, useState } from "react";
import { cardBodies } from "../cards/registry";
import { useSession } from "../shell/context";
import type { Session } from "../state/session";
import { sameSelection } from "../state/ui";
import type { Card } from "../wire/records";
import { edgesFor, nodesFor, type ArrowEdge, type CardNode, type Naming } from "./nodes";

interface Elements {
  nodes: CardNode[];
  edges: ArrowEdge[];
}

/** Nodes and edges that follow the workspace and the selection; only what changed gets a new object. */
export function useElements() {
  const session = useSession();
  const [elements, setElements] = useState<Elements>(() => derive(session, { nodes: [], edges: [] }));

  useEffect(() => {
    const follow = () => setElements((before) => derive(session, before));
    follow();
    const stops = [session.canvas.subscribe(follow), session.ui.subscribe(follow), session.app.subscribe(follow)];
    return () => stops.forEach((stop) => stop());
  }, [session]);

  const onNodesChange = useCallback(
    (changes: NodeChange<CardNode>[]) => {
      select(session, "cardIds", changes);
      const others = changes.filter((change) => change.type === "position" || change.type === "dimensions");
      if (others.length === 0) return;
      setElements((before) => ({ ...before, nodes: applyNodeChanges(others, before.nodes) }));
    },
    [session],
  );
  const onEdgesChange = useCallback(
    (changes: EdgeChange<ArrowEdge>[]) => select(session, "arrowIds", changes),
    [session],
  );
  return { ...elements, onNodesChange, onEdgesChange };
}

function derive(session: Session, before: Elements): Elements {
  const state = session.canvas.get();
  if (state === null) return before.nodes.length === 0 ? before : { nodes: [], edges: [] };
  const { cardIds, arrowIds } = session.ui.get().selection;
  const { cards } = state;
  const naming = namingOf(session, cards);
  const nodes = nodesFor(before.nodes, cards, naming, cardIds);
  const edges = edgesFor(before.edges, state.arrows, cards, naming, arrowIds);
  return nodes === before.nodes && edges === before.edges ? before : { nodes, edges };
}

function namingOf(session: Session, cards: ReadonlyMap<string, Card>): Naming {
  const { t } = session;
  const { language } = session.app.get().preferences;
  const nameOf = (id: string) => cards.get(id)?.name ?? "";
  return {
    cardKey: (card) => `${language} ${card.kind} ${card.name}`,
    card: (card) => t("card.label", { kind: t(cardBodies[card.kind].label), name: card.name }),
    arrowKey: (arrow) => `${language} ${arrow.direction} ${nameOf(arrow.a)}\n${nameOf(arrow.b)}`,
    arrow: (arrow) => {
      const [a, b] = [nameOf(arrow.a), nameOf(arrow.b)];
      if (arrow.direction === "both") return t("arrow.labelBoth", { a, b });
      const [from, to] = arrow.direction === "forward" ? [a, b] : [b, a];
      return t("arrow.label", { from, to });
    },
  };
}

type Changes = readonly (NodeChange<CardNode> | EdgeChange<ArrowEdge>)[];

/** The selection lives in the page's own state; xyflow only asks for changes of it. */
function select(session: Session, part: "cardIds" | "arrowIds", changes: Changes): void {
  const chosen = new Set(session.ui.get().selection[part]);
  let touched = false;
  for (const change of changes) {
    if (change.type !== "select") continue;
    touched = true;
    if (change.selected) chosen.add(change.id);
    else chosen.delete(change.id);
  }
  if (!touched) return;
  session.ui.update((ui) => {
    const selection = { ...ui.selection, [part]: [...chosen] };
    return sameSelection(selection, ui.selection) ? ui : { ...ui, selection };
  });
}
