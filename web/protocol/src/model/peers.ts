/** Cards as those joined to them see them. */

import type { PermissionId } from "../generated";
import type { CardId } from "../ids";
import type { JsonObject } from "../json";

/** A port of a card as its peers see it; `permission` is what a card needs to use it. */
export interface PortInfo {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly type: string;
  readonly schema?: JsonObject;
  readonly mode: "stream" | "request";
  readonly response?: { readonly type: string; readonly schema?: JsonObject };
  readonly retain: boolean;
  readonly default: boolean;
  readonly permission?: PermissionId;
}

export interface Ports {
  readonly inputs: readonly PortInfo[];
  readonly outputs: readonly PortInfo[];
}

/** What a card is towards its peers. */
export type PeerKind = "custom" | "note" | "todo" | "kanban" | "sticky" | "agent" | "terminal" | "other";

/** A card joined to another by an arrow; `downstream` receives from it, `upstream` sends to it. */
export interface PeerInfo extends Ports {
  readonly cardId: CardId;
  readonly kind: PeerKind;
  readonly name: string;
  readonly type?: string;
  readonly direction: "downstream" | "upstream" | "both";
}
