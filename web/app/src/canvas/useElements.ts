import { applyNodeChanges, type EdgeChange, type NodeChange } from "@xyflow/react";
import { useCallback, useEffect, useState } from "react";
import { cardBodies } from "../cards/registry";
import { useSession } from "../shell/context";
import type { Session } from "../state/session";
import { sameSelection } from "../state/ui";
import { edgesFor, nodesFor, type ArrowEdge, type CardNode } from "./nodes";

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
  const { t } = session;
  const { cardIds, arrowIds } = session.ui.get().selection;
  const { cards } = state;
  const nodes = nodesFor(
    before.nodes,
    cards,
    (card) => t("card.label", { kind: t(cardBodies[card.kind].label), name: card.name }),
    cardIds,
  );
  const edges = edgesFor(
    before.edges,
    state.arrows,
    cards,
    (arrow) => {
      const a = cards.get(arrow.a)?.name ?? "";
      const b = cards.get(arrow.b)?.name ?? "";
      if (arrow.direction === "both") return t("arrow.labelBoth", { a, b });
      const [from, to] = arrow.direction === "forward" ? [a, b] : [b, a];
      return t("arrow.label", { from, to });
    },
    arrowIds,
  );
  return nodes === before.nodes && edges === before.edges ? before : { nodes, edges };
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
