/** Packages, catalogues and what they may do. */

import type { PermissionId } from "../generated";
import type { PackageId } from "../ids";
import type { CardSizes } from "../manifest/model";

export interface PackageInfo {
  readonly packageId: PackageId;
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly author: string | null;
  readonly version: string;
  readonly kind: "frame" | "python";
  /** A data URL. */
  readonly icon: string | null;
  /** Where the owner installed it from; null for one that comes with Cardloom. */
  readonly source: string | null;
  readonly commit: string | null;
  readonly treeHash: string | null;
  readonly dev: boolean;
  readonly verified: boolean;
  /** The version that it can return to. */
  readonly former: string | null;
  /** Why its files are not what is used now. */
  readonly problem: string | null;
  /** How large its cards are at first, and how small and large they may become. */
  readonly card: Readonly<CardSizes>;
  /** What an update asks for and the owner has not agreed to. */
  readonly held: { readonly permissions: readonly PermissionId[]; readonly hosts: readonly string[] };
  readonly permissions: readonly PermissionView[];
}

/** A permission that a package asks for, as the owner judges it. */
export interface AskedPermission {
  readonly id: PermissionId;
  readonly risk: "low" | "medium" | "high";
  readonly optional: boolean;
  readonly reason: string | null;
  readonly hosts?: readonly string[];
}

/** What another version of a package changes; `more` counts files that the lists leave out. */
export interface PackageDifference {
  readonly files: {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly removed: readonly string[];
  };
  readonly more: number;
  readonly permissions: { readonly added: readonly PermissionId[]; readonly removed: readonly PermissionId[] };
  readonly hosts: { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** What stays off until the owner accepts it. */
  readonly needs: { readonly permissions: readonly PermissionId[]; readonly hosts: readonly string[] };
}

/** A package before it is installed or updated. */
export interface PackageReview {
  readonly packageId: PackageId;
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly author: { readonly name: string; readonly url: string | null } | null;
  readonly license: string | null;
  readonly homepage: string | null;
  readonly version: string;
  readonly kind: "frame" | "python";
  readonly icon: string | null;
  readonly dev: boolean;
  readonly source: string;
  readonly commit: string | null;
  readonly treeHash: string;
  readonly verified: boolean;
  readonly permissions: readonly AskedPermission[];
  readonly hosts: readonly string[];
  readonly tools: readonly string[];
  readonly files: { readonly count: number; readonly bytes: number };
  readonly warnings: readonly string[];
  /** Other installed packages of the same name. */
  readonly sameName: readonly PackageId[];
  readonly installed: {
    readonly version: string;
    readonly commit: string | null;
    readonly treeHash: string | null;
    readonly isCurrent: boolean;
    readonly difference: PackageDifference;
  } | null;
}

/** A catalogue that the owner added. */
export interface CatalogueInfo {
  readonly location: string;
  readonly readAtMs: number;
  readonly entries: number;
  readonly faults: readonly string[];
}

/** A package that a catalogue vouches for at one commit. */
export interface CatalogueEntry {
  readonly packageId: PackageId;
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly author: string | null;
  readonly version: string;
  readonly commit: string;
  readonly treeHash: string;
  readonly category: string | null;
  readonly license: string | null;
  readonly official: boolean;
  readonly permissions: readonly string[];
  readonly verifiedAt: string | null;
  readonly reviewer: string | null;
  /** What to install to get exactly this. */
  readonly source: string;
}

export interface CatalogueList {
  readonly catalogues: readonly CatalogueInfo[];
  readonly entries: readonly CatalogueEntry[];
}

/** A declared permission as a card or a dialog shows it, its reason in the reader's language. */
export interface PermissionView {
  readonly id: PermissionId;
  readonly hosts?: readonly string[];
  readonly optional: boolean;
  readonly granted: boolean;
  readonly reason?: string;
}

export interface Grant {
  readonly packageId: PackageId;
  readonly permission: PermissionId;
  readonly granted: boolean;
}
