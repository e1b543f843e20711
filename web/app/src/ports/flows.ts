import { pickInputFor, portCoercion, type PortCoercion } from "@cardloom/protocol";
import type { Card, Direction, PortInfo } from "../wire/records";
import { familyOf, shortType, type TypeFamily } from "./families";

type Ported = Pick<Card, "ports">;

/** One output that reaches one input. */
export interface Flow {
  output: PortInfo;
  input: PortInfo;
  coercion: Exclude<PortCoercion, null>;
}

/** Everything that would pass from one card to another, an output a line, in the order they are declared. */
export function flowsBetween(from: Ported, to: Ported): Flow[] {
  return from.ports.outputs.flatMap((output) => {
    const input = pickInputFor(output.type, to.ports.inputs);
    const coercion = input === null ? null : portCoercion(output.type, input.type);
    return input === null || coercion === null ? [] : [{ output, input, coercion }];
  });
}

export interface ArrowFlows {
  /** From a to b. */
  forward: Flow[];
  /** From b to a. */
  backward: Flow[];
}

export function flowsOfArrow(a: Ported, b: Ported, direction: Direction): ArrowFlows {
  return {
    forward: direction === "backward" ? [] : flowsBetween(a, b),
    backward: direction === "forward" ? [] : flowsBetween(b, a),
  };
}

/** The families of a card's ports in one direction, in the order they are declared, each once. */
export function familiesOf(ports: readonly PortInfo[]): TypeFamily[] {
  const families = [...new Set(ports.filter((port) => port.mode === "stream").map((port) => familyOf(port.type)))];
  return families.length === 0 ? ["any"] : families;
}

/** The colour of an arrow: that of what flows first. */
export function arrowFamily({ forward, backward }: ArrowFlows): TypeFamily {
  const first = forward[0] ?? backward[0];
  return first === undefined ? "any" : familyOf(first.output.type);
}

/** The few words beside an arrow: its type, or "output → input" where the two differ. Empty when nothing flows. */
export function arrowLabel({ forward, backward }: ArrowFlows): string {
  const flows = [...forward, ...backward];
  const [only] = flows;
  if (only === undefined) return "";
  if (flows.length === 1) {
    if (only.output.type === only.input.type) return shortType(only.output.type);
    return `${only.output.id} → ${only.input.id}`;
  }
  const types = [...new Set(flows.map((flow) => shortType(flow.output.type)))];
  return types.length <= 2 ? types.join(" · ") : `${types.slice(0, 2).join(" · ")} +${types.length - 2}`;
}

/** Whether an arrow may be of use though nothing flows by itself: requests, and cards that decide in their own code. */
function mayAsk(from: Card, to: Card): boolean {
  return [from, to].some((card) => card.kind === "custom" || card.kind === "other");
}

export type Match =
  | { fits: true; flow: Flow | null }
  /** Only the other way round would something pass. */
  | { fits: false; reason: "reversed"; flow: Flow }
  | { fits: false; reason: "sender" | "receiver" | "types"; flow: null }
  | { fits: false; reason: "self" | "twice"; flow: null };

/** Whether an arrow from one card to another carries anything, and if not, why. */
export function matchCards(from: Card, to: Card, alreadyJoined: boolean): Match {
  if (from.id === to.id) return { fits: false, reason: "self", flow: null };
  if (alreadyJoined) return { fits: false, reason: "twice", flow: null };
  const [flow] = flowsBetween(from, to);
  if (flow !== undefined) return { fits: true, flow };
  if (mayAsk(from, to)) return { fits: true, flow: null };
  const [reversed] = flowsBetween(to, from);
  if (reversed !== undefined) return { fits: false, reason: "reversed", flow: reversed };
  if (from.ports.outputs.length === 0) return { fits: false, reason: "sender", flow: null };
  if (to.ports.inputs.length === 0) return { fits: false, reason: "receiver", flow: null };
  return { fits: false, reason: "types", flow: null };
}
