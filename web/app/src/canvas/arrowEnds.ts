import { familyOf } from "../ports/families";
import { familiesOf, type ArrowFlows } from "../ports/flows";
import type { Card } from "../wire/records";
import { anchorOn, dotOffset, type Anchor, type Rect, type Side } from "./geometry";

type CardPorts = Card["ports"];

/** Where an arrow leaves one card and enters the other: at the dots of the ports that it joins first. */
export function endsOf(
  a: Rect,
  b: Rect,
  portsA: CardPorts,
  portsB: CardPorts,
  flows: ArrowFlows,
): { start: Anchor; end: Anchor } {
  const out = flows.forward[0];
  const back = flows.backward[0];
  return {
    start: anchorOn(a, b, dotsFor(portsA, out?.output.type, back?.input.type)),
    end: anchorOn(b, a, dotsFor(portsB, back?.output.type, out?.input.type)),
  };
}

/** The dots of a card that an arrow uses: the output's at the right side, the input's at the left. */
function dotsFor(ports: CardPorts, output: string | undefined, input: string | undefined): Partial<Record<Side, number>> {
  return { ...dotOf("right", ports.outputs, output), ...dotOf("left", ports.inputs, input) };
}

function dotOf(side: Side, ports: CardPorts["inputs"], type: string | undefined): Partial<Record<Side, number>> {
  if (type === undefined) return {};
  const families = familiesOf(ports);
  const index = families.indexOf(familyOf(type));
  return index < 0 ? {} : { [side]: dotOffset(index, families.length) };
}
