import { useInternalNode, type EdgeProps, type InternalNode } from "@xyflow/react";
import { memo, useMemo } from "react";
import { arrowFamily, arrowLabel, flowsOfArrow } from "../ports/flows";
import type { TypeFamily } from "../ports/families";
import { useSession } from "../shell/context";
import { useStore } from "../state/store";
import { troubleOf } from "../state/trouble";
import type { Arrow } from "../wire/records";
import { promptingAlong } from "../usage/caused";
import { CausedLabel } from "../usage/CausedCost";
import { endsOf } from "./arrowEnds";
import { ArrowTools } from "./ArrowTools";
import { curveBetween, labelFits, offset, type Anchor, type Rect } from "./geometry";
import type { ArrowEdge, CardNode } from "./nodes";
import { Pulse } from "./Pulse";

/** An arrow: a curve between the borders of two cards in the colour of what flows along it. */
export const ArrowEdgeView = memo(ArrowCurve, (before, after) => {
  // The ends follow the cards, which the view watches itself.
  return before.id === after.id && before.selected === after.selected;
});

function ArrowCurve({ id, source, target, selected }: EdgeProps<ArrowEdge>) {
  const session = useSession();
  const arrow = useStore(session.canvas, (state) => state?.arrows.get(id));
  const portsA = useStore(session.canvas, (state) => state?.cards.get(source)?.ports);
  const portsB = useStore(session.canvas, (state) => state?.cards.get(target)?.ports);
  const kindA = useStore(session.canvas, (state) => state?.cards.get(source)?.kind);
  const kindB = useStore(session.canvas, (state) => state?.cards.get(target)?.kind);
  const detail = useStore(session.ui, (ui) => ui.detail);
  const alone = useStore(session.ui, ({ selection }) => selection.arrowIds.length === 1 && selection.cardIds.length === 0);
  const seen = useStore(session.seenTrouble, (known) => known.get(id) ?? 0);
  const rectA = rectOf(useInternalNode<CardNode>(source));
  const rectB = rectOf(useInternalNode<CardNode>(target));
  const direction = arrow?.direction ?? "forward";
  const flows = useMemo(
    () => (portsA && portsB ? flowsOfArrow({ ports: portsA }, { ports: portsB }, direction) : null),
    [portsA, portsB, direction],
  );
  if (arrow === undefined || flows === null || !portsA || !portsB || rectA === null || rectB === null) return null;
  const full = detail === "full";
  const withTools = (selected === true && alone) || (arrow.pending && full);
  const { start, end } = endsOf(rectA, rectB, portsA, portsB, flows);
  const tipA = arrow.direction !== "forward";
  const tipB = arrow.direction !== "backward";
  const curve = curveBetween(tipA ? offset(start, TIP) : start, tipB ? offset(end, TIP) : end);
  const label = arrowLabel(flows);
  const trouble = troubleOf(arrow.stats) > seen;
  return (
    <g className={classesOf(arrow, arrowFamily(flows), selected === true)}>
      <path className="arrow-hit" d={curve.path} />
      <path className="arrow-line" d={curve.path} />
      {full ? <Pulse arrowId={id} path={curve.path} /> : null}
      <ArrowEnd at={start} tip={tipA} />
      <ArrowEnd at={end} tip={tipB} />
      {!full || withTools ? null : (
        <text className="arrow-label" x={curve.middle.x} y={curve.middle.y - 7} textAnchor="middle">
          {trouble ? <tspan className="arrow-trouble">⚠ </tspan> : null}
          {arrow.paused ? "❚❚ " : ""}
          {labelFits(label, start, end) ? label : ""}
        </text>
      )}
      {!full || withTools
        ? null
        : promptingAlong(arrow, { id: source, kind: kindA }, { id: target, kind: kindB }).map((prompting) => (
            <CausedLabel key={prompting.agentId} prompting={prompting} at={curve.middle} />
          ))}
      {!full && trouble ? <circle className="arrow-alarm" cx={curve.middle.x} cy={curve.middle.y} r="9" /> : null}
      {withTools ? <ArrowTools arrow={arrow} at={curve.middle} label={label} /> : null}
    </g>
  );
}

/** The tip keeps off the border, so that it can be seen on any card. */
const TIP = 9;

function classesOf(arrow: Arrow, family: TypeFamily, selected: boolean): string {
  const classes = ["arrow", `type-${family}`];
  if (selected) classes.push("is-selected");
  if (arrow.pending) classes.push("is-pending");
  if (arrow.paused) classes.push("is-paused");
  return classes.join(" ");
}

function ArrowEnd({ at, tip }: { at: Anchor; tip: boolean }) {
  if (!tip && at.onDot) return null;
  if (!tip) {
    const dot = offset(at, 3);
    return <circle className="arrow-dot" cx={dot.x} cy={dot.y} r="4.5" />;
  }
  const turn = { left: 0, top: 90, right: 180, bottom: 270 }[at.side];
  return <path className="arrow-tip" d="M-1 0 L-11 -5.2 L-11 5.2 Z" transform={`translate(${at.x} ${at.y}) rotate(${turn})`} />;
}

function rectOf(node: InternalNode<CardNode> | undefined): Rect | null {
  if (node === undefined) return null;
  const { x, y } = node.internals.positionAbsolute;
  const w = node.measured.width ?? node.width;
  const h = node.measured.height ?? node.height;
  return w === undefined || h === undefined ? null : { x, y, w, h };
}
