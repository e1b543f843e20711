import type { TypeFamily } from "../ports/families";
import { arrowFamily, flowsOfArrow } from "../ports/flows";
import type { Arrow, Card } from "../wire/records";
import { endsOf } from "./arrowEnds";
import { curveBetween, type Rect } from "./geometry";
import type { CardNode } from "./nodes";

type Paths = readonly (readonly [TypeFamily, string])[];

/** One arrow's curve and what it was made of. */
interface Curve {
  direction: Arrow["direction"];
  portsA: Card["ports"];
  portsB: Card["ports"];
  nodeA: CardNode;
  nodeB: CardNode;
  family: TypeFamily;
  path: string;
}

/**
 * The curves of all arrows, put together by the colour they have. Values that pass change the arrows many times a second
 * and move none, so each curve is remembered with what it was made of.
 */
export class DistantCurves {
  private known = new Map<string, Curve>();
  private paths: Paths = [];

  byFamily(arrows: ReadonlyMap<string, Arrow>, cards: ReadonlyMap<string, Card>, nodes: readonly CardNode[]): Paths {
    const places = new Map(nodes.map((node) => [node.id, node]));
    const now = new Map<string, Curve>();
    let same = true;
    for (const arrow of arrows.values()) {
      const [cardA, cardB, nodeA, nodeB] = [cards.get(arrow.a), cards.get(arrow.b), places.get(arrow.a), places.get(arrow.b)];
      if (!cardA || !cardB || !nodeA || !nodeB) continue;
      const old = this.known.get(arrow.id);
      const curve = old && isMadeOf(old, arrow, cardA, cardB, nodeA, nodeB) ? old : curveOf(arrow, cardA, cardB, nodeA, nodeB);
      same &&= curve === old;
      now.set(arrow.id, curve);
    }
    if (!same || now.size !== this.known.size) this.paths = joined(now.values());
    this.known = now;
    return this.paths;
  }
}

function isMadeOf(curve: Curve, arrow: Arrow, cardA: Card, cardB: Card, nodeA: CardNode, nodeB: CardNode): boolean {
  return (
    curve.direction === arrow.direction &&
    curve.portsA === cardA.ports &&
    curve.portsB === cardB.ports &&
    curve.nodeA === nodeA &&
    curve.nodeB === nodeB
  );
}

function curveOf({ direction }: Arrow, cardA: Card, cardB: Card, nodeA: CardNode, nodeB: CardNode): Curve {
  const flows = flowsOfArrow(cardA, cardB, direction);
  const { start, end } = endsOf(rectOf(nodeA), rectOf(nodeB), cardA.ports, cardB.ports, flows);
  const { path } = curveBetween(start, end);
  return { direction, portsA: cardA.ports, portsB: cardB.ports, nodeA, nodeB, family: arrowFamily(flows), path };
}

function rectOf({ position, width, height }: CardNode): Rect {
  return { ...position, w: width ?? 0, h: height ?? 0 };
}

function joined(curves: Iterable<Curve>): Paths {
  const paths = new Map<TypeFamily, string>();
  for (const { family, path } of curves) paths.set(family, (paths.get(family) ?? "") + path);
  return [...paths];
}
