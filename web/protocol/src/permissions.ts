import { CARD_LIMITS, PERMISSIONS, PERMISSION_IDS } from "./generated";
import type { PermissionId } from "./generated";
import { hostPatternText, parseHostPattern } from "./hosts";
import { hasOwn } from "./json";
import type { PermissionView } from "./model";
import { localized } from "./texts";
import type { LocalizedText } from "./texts";

/** A permission as a package declares it, all entries of the manifest merged; `hosts` is there for `network` alone. */
export interface Permission {
  readonly id: PermissionId;
  readonly optional: boolean;
  readonly reason?: LocalizedText;
  readonly hosts?: readonly string[];
}

/** One entry of a manifest's permission list. */
export type PermissionEntry =
  | string
  | {
      readonly id: string;
      readonly optional?: boolean;
      readonly reason?: LocalizedText;
      readonly hosts?: readonly string[];
    };

/** A fault of one entry of the list. */
export interface PermissionIssue {
  readonly index: number;
  readonly message: string;
}

function isPermission(id: string): id is PermissionId {
  return hasOwn(PERMISSIONS, id);
}

/** The permissions held by whoever was granted `ids`, implied ones included. */
export function permissionClosure(ids: Iterable<string>): ReadonlySet<string> {
  const held = new Set<string>();
  const waiting = [...ids];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (held.has(id)) continue;
    held.add(id);
    if (isPermission(id)) waiting.push(...PERMISSIONS[id].implies);
  }
  return held;
}

/** Whether holding `held` (closure applied) passes a gate at which one of several permissions is enough. */
export function permitted(anyOf: readonly string[], held: ReadonlySet<string>): boolean {
  return anyOf.length === 0 || anyOf.some((id) => held.has(id));
}

/**
 * Merges a manifest's permission list, already of the right shape, into canonical order.
 *
 * Entries of one id become one permission: optional only if all are, with the first reason that is not empty and the
 * hosts of all. Faulty entries and hosts are left out and reported under the index of their entry.
 */
export function parsePermissions(
  entries: readonly PermissionEntry[],
  maxHosts: number = CARD_LIMITS.permissionHosts,
): { readonly permissions: readonly Permission[]; readonly issues: readonly PermissionIssue[] } {
  const merging = new Map<PermissionId, Merged>();
  const issues: PermissionIssue[] = [];
  entries.forEach((entry, index) => {
    const fields = typeof entry === "string" ? { id: entry } : entry;
    const { id } = fields;
    if (!isPermission(id)) {
      issues.push({ index, message: `There is no permission ${JSON.stringify(id)}.` });
      return;
    }
    const { hosts, faults } = entryHosts(id, fields.hosts);
    issues.push(...faults.map((message) => ({ index, message })));
    const merged = merging.get(id) ?? new Merged();
    merging.set(id, merged);
    merged.add(fields, hosts);
    if (hosts.length > 0 && merged.hosts.size > maxHosts) {
      issues.push({ index, message: `${id} may name at most ${maxHosts} hosts.` });
    }
  });
  const permissions = PERMISSION_IDS.flatMap((id) => merging.get(id)?.finish(id) ?? []);
  return { permissions, issues };
}

/** The permissions of a package as a card is shown them; `granted` is taken literally, without what it implies. */
export function permissionView(
  declared: readonly Permission[],
  granted: readonly string[],
  language: string,
): PermissionView[] {
  return declared.map(({ id, hosts, optional, reason }) => {
    const words = localized(reason, language);
    return {
      id,
      ...(hosts && { hosts }),
      optional,
      granted: granted.includes(id),
      ...(words ? { reason: words } : {}),
    };
  });
}

/** The entries of one permission seen so far. */
class Merged {
  readonly hosts = new Set<string>();
  #optional = true;
  #reason: LocalizedText | undefined;

  add(fields: Exclude<PermissionEntry, string>, hosts: readonly string[]): void {
    this.#optional &&= fields.optional === true;
    for (const host of hosts) this.hosts.add(host);
    this.#reason ??= fields.reason || undefined;
  }

  finish(id: PermissionId): Permission {
    return {
      id,
      optional: this.#optional,
      ...(this.#reason !== undefined && { reason: this.#reason }),
      ...(PERMISSIONS[id].needsHosts && { hosts: [...this.hosts].sort() }),
    };
  }
}

function entryHosts(id: PermissionId, listed?: readonly string[]): { hosts: string[]; faults: string[] } {
  const { needsHosts } = PERMISSIONS[id];
  const faults: string[] = [];
  if (needsHosts && (listed ?? []).length === 0) faults.push(`${id} has to name the hosts it reaches.`);
  if (!needsHosts && listed !== undefined) faults.push(`${id} takes no hosts.`);
  const hosts: string[] = [];
  for (const host of listed ?? []) {
    const pattern = parseHostPattern(host);
    if (pattern) hosts.push(hostPatternText(pattern));
    else faults.push(`${JSON.stringify(host)} is no host pattern such as api.example.org or *.example.org:8443.`);
  }
  return { hosts, faults };
}
