import type { PermissionId } from "./generated";
import type { JsonObject } from "./json";

/** What the table says of one method; the words for people are in the reference pages. */
export interface MethodRow {
  readonly params: JsonObject;
  readonly built: boolean;
  readonly since: string;
  readonly permissionsAnyOf: readonly PermissionId[];
  /** The parameter naming the card that an arrow has to join to the caller. */
  readonly needsArrow: string | null;
  readonly visible: boolean;
  readonly perMinute: number | null;
  readonly minIntervalMs: number | null;
  readonly largeRequest: boolean;
  readonly largeResponse: boolean;
  readonly beforeReady: boolean;
}

/** What the table says of one event; a `topic` flows only after it was subscribed to. */
export interface EventRow {
  readonly topic: boolean;
  readonly permission: PermissionId | null;
  readonly buffered: boolean;
  readonly since: string;
}

export interface PermissionRow {
  readonly risk: "low" | "medium" | "high";
  readonly implies: readonly PermissionId[];
  readonly needsHosts: boolean;
}
