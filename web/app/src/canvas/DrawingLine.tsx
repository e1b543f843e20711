import { useReactFlow, ViewportPortal } from "@xyflow/react";
import { useSession } from "../shell/context";
import { useStore } from "../state/store";
import { drawingPointer } from "./drawing";
import { anchorOn, curveBetween, offset, type Anchor, type Rect } from "./geometry";

/** The arrow that is being drawn, from its card to the pointer or to the card it would reach. */
export function DrawingLine() {
  const session = useSession();
  const { screenToFlowPosition } = useReactFlow();
  const drawing = useStore(session.ui, (ui) => ui.drawing);
  const cards = useStore(session.canvas, (state) => state?.cards);
  const pointer = useStore(drawingPointer, (point) => point);
  if (drawing === null || cards === undefined) return null;
  const from = cards.get(drawing.cardId);
  if (from === undefined) return null;
  const target = drawing.targetId === null ? undefined : cards.get(drawing.targetId);
  const there = target ?? (pointer === null ? null : pointRect(screenToFlowPosition(pointer)));
  if (there === null) return null;
  const start = anchorOn(from, there);
  const end: Anchor = anchorOn(there, from);
  const curve = curveBetween(drawing.outgoing ? start : offset(start, 9), drawing.outgoing ? offset(end, 9) : end);
  const tip = drawing.outgoing ? end : start;
  const turn = { left: 0, top: 90, right: 180, bottom: 270 }[tip.side];
  return (
    <ViewportPortal>
      <svg className="drawing" aria-hidden="true">
        <path className="drawing-line" d={curve.path} />
        <path className="drawing-tip" d="M-1 0 L-11 -5.2 L-11 5.2 Z" transform={`translate(${tip.x} ${tip.y}) rotate(${turn})`} />
      </svg>
    </ViewportPortal>
  );
}

function pointRect(point: { x: number; y: number }): Rect {
  return { ...point, w: 0, h: 0 };
}
