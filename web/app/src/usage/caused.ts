import type { Arrow, CardKind } from "../wire/records";

/** A card that prompts an agent along an arrow. */
export interface Prompting {
  agentId: string;
  senderId: string;
}

interface End {
  id: string;
  kind: CardKind | undefined;
}

/** Who prompts which agent along an arrow: one way, or both between two agents. */
export function promptingAlong(arrow: Pick<Arrow, "direction" | "pending">, a: End, b: End): Prompting[] {
  const found: Prompting[] = [];
  if (arrow.pending) return found;
  if (b.kind === "agent" && arrow.direction !== "backward") found.push({ agentId: b.id, senderId: a.id });
  if (a.kind === "agent" && arrow.direction !== "forward") found.push({ agentId: a.id, senderId: b.id });
  return found;
}
