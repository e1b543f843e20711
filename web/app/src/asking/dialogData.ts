import { PERMISSIONS, hasOwn, type PermissionId } from "@cardloom/protocol";
import type { Dialog } from "../wire/records";

export interface Asked {
  id: string;
  reason?: string;
  risk: "low" | "medium" | "high";
  hosts: readonly string[];
}

/** The card that asks, by the name it has now and by its package, whose name it cannot choose itself. */
interface Asker {
  name: string;
  package: string | null;
  packageId: string | null;
}

export function askerOf({ data, title }: Dialog): Asker {
  return {
    name: textOf(data["cardName"]) ?? title,
    package: textOf(data["package"]),
    packageId: textOf(data["packageId"]),
  };
}

/** One card through which a prompt's text came; `name` null for the owner. */
interface OriginStep {
  cardId: string;
  name: string | null;
  output: string | null;
}

/** Reads the way of a text from its first sender on; what does not look like a step is left out. */
export function originOf(value: unknown): OriginStep[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown): OriginStep[] => {
    if (typeof each !== "object" || each === null) return [];
    const { cardId, name, output } = each as Record<string, unknown>;
    return typeof cardId === "string" ? [{ cardId, name: textOf(name), output: textOf(output) }] : [];
  });
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Reads permissions given as ids or as records; one without a word on its risk counts as the table says. */
export function permissionsOf(value: unknown): Asked[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown): Asked[] => {
    const record = typeof each === "string" ? { id: each } : each;
    if (typeof record !== "object" || record === null) return [];
    const { id, reason, risk, hosts } = record as Record<string, unknown>;
    if (typeof id !== "string") return [];
    return [
      {
        id,
        ...(typeof reason === "string" && { reason }),
        risk: riskOf(risk, id),
        hosts: Array.isArray(hosts) ? hosts.filter((host) => typeof host === "string") : [],
      },
    ];
  });
}

function riskOf(risk: unknown, id: string): "low" | "medium" | "high" {
  if (risk === "low" || risk === "medium" || risk === "high") return risk;
  return isPermission(id) ? PERMISSIONS[id].risk : "high";
}

export function isPermission(id: string): id is PermissionId {
  return hasOwn(PERMISSIONS, id);
}
