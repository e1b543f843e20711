import type { JsonObject } from "../json";
import type { Permission, PermissionEntry } from "../permissions";
import type { SettingDefinition } from "../settings";
import type { LocalizedText } from "../texts";

export interface Size {
  readonly w: number;
  readonly h: number;
}

/** The sizes of a card, each one filled in. */
export interface CardSizes {
  readonly defaultSize: Size;
  readonly minSize: Size;
  readonly maxSize: Size;
}

export interface ResponseDefinition {
  readonly type: string;
  readonly schema?: JsonObject;
}

/** A declared port. `mode`, `response` and `default` occur on inputs alone, `retain` on outputs alone. */
export interface PortDefinition {
  readonly id: string;
  readonly label: LocalizedText;
  readonly description?: LocalizedText;
  readonly type: string;
  readonly schema?: JsonObject;
  readonly mode?: "stream" | "request";
  readonly response?: ResponseDefinition;
  readonly retain?: boolean;
  readonly default?: boolean;
}

export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly readOnly?: boolean;
  readonly timeoutMs?: number;
}

interface ManifestHead {
  readonly $schema?: string;
  readonly manifestVersion: 1;
  readonly name: string;
  readonly displayName: LocalizedText;
  readonly version: string;
  readonly description?: LocalizedText;
  readonly author?: { readonly name: string; readonly url?: string };
  readonly license?: string;
  readonly homepage?: string;
  readonly icon?: string;
  readonly entry?: string;
  readonly python?: string;
  readonly protocol: number;
  readonly minAppVersion?: string;
  readonly keywords?: readonly string[];
}

/** A manifest of the right shape, as its author wrote it. */
export interface RawManifest extends ManifestHead {
  readonly card?: Partial<CardSizes>;
  readonly permissions?: readonly PermissionEntry[];
  readonly settings?: readonly SettingDefinition[];
  readonly ports?: { readonly inputs?: readonly PortDefinition[]; readonly outputs?: readonly PortDefinition[] };
  readonly tools?: readonly ToolDefinition[];
}

/** A manifest with every default filled in; it starts from exactly one of `entry` (a page) and `python`. */
export interface Manifest extends ManifestHead {
  readonly card: CardSizes;
  readonly permissions: readonly Permission[];
  readonly settings: readonly SettingDefinition[];
  readonly ports: { readonly inputs: readonly PortDefinition[]; readonly outputs: readonly PortDefinition[] };
  readonly tools: readonly ToolDefinition[];
}

/** One fault: of the shape, of the meaning, or that the card needs a newer Cardloom. */
export interface ManifestIssue {
  readonly path: string;
  readonly code: "schema" | "semantic" | "protocol";
  readonly message: string;
}

export interface ManifestWarning {
  readonly path: string;
  readonly message: string;
}

export type ManifestResult =
  | { readonly ok: true; readonly manifest: Manifest; readonly warnings: readonly ManifestWarning[] }
  | { readonly ok: false; readonly issues: readonly ManifestIssue[]; readonly warnings: readonly ManifestWarning[] };
