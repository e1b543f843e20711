import { ViewportPortal } from "@xyflow/react";
import { useMemo } from "react";
import { arrowFamily, flowsOfArrow } from "../ports/flows";
import type { TypeFamily } from "../ports/families";
import { useSession } from "../shell/context";
import type { CanvasState } from "../state/canvas";
import { useStore } from "../state/store";
import { endsOf } from "./arrowEnds";
import { curveBetween, type Rect } from "./geometry";
import type { CardNode } from "./nodes";

/**
 * All arrows of a canvas seen from so far that none of them can be picked: one path a colour, however many there are.
 * The places come from the nodes, so that the arrows of a dragged card follow it.
 */
export function DistantArrows({ nodes }: { nodes: readonly CardNode[] }) {
  const session = useSession();
  const state = useStore(session.canvas, (known) => known);
  const paths = useMemo(() => (state === null ? [] : pathsByFamily(state, nodes)), [state, nodes]);
  return (
    <ViewportPortal>
      <svg className="distant-arrows" aria-hidden="true">
        {paths.map(([family, path]) => (
          <path key={family} className={`arrow-line type-${family}`} d={path} />
        ))}
      </svg>
    </ViewportPortal>
  );
}

/** The curves of all arrows, put together by the colour they have. */
export function pathsByFamily(
  { arrows, cards }: Pick<CanvasState, "arrows" | "cards">,
  nodes: readonly CardNode[],
): [TypeFamily, string][] {
  const rects = new Map<string, Rect>();
  for (const { id, position, width, height } of nodes) rects.set(id, { ...position, w: width ?? 0, h: height ?? 0 });
  const paths = new Map<TypeFamily, string>();
  for (const { a, b, direction } of arrows.values()) {
    const [cardA, cardB, rectA, rectB] = [cards.get(a), cards.get(b), rects.get(a), rects.get(b)];
    if (!cardA || !cardB || !rectA || !rectB) continue;
    const flows = flowsOfArrow(cardA, cardB, direction);
    const { start, end } = endsOf(rectA, rectB, cardA.ports, cardB.ports, flows);
    const family = arrowFamily(flows);
    paths.set(family, (paths.get(family) ?? "") + curveBetween(start, end).path);
  }
  return [...paths];
}
