import { member } from "./parts";

export const PROTOCOL_VERSION = "1.7";

/** What a backend can do: leaves are true or absent, an object counts as true, unknown keys are kept. */
export interface Capabilities {
  readonly protocol?: string;
  readonly models?: boolean | object;
  readonly workspace?: boolean | { readonly files?: boolean | { readonly write?: boolean; readonly watch?: boolean } };
  readonly profiles?: boolean | { readonly edit?: boolean };
  readonly catalogs?: boolean | object;
  readonly swipes?: boolean;
  readonly fork?: boolean;
  readonly rename?: boolean;
  readonly assets?: boolean;
  readonly sessionMeta?: boolean;
  readonly edits?: boolean | { readonly edit?: boolean; readonly delete?: boolean; readonly hide?: boolean };
  readonly catalog?: boolean;
  readonly sessions?: boolean | { readonly create?: boolean; readonly delete?: boolean };
  readonly run?: boolean | { readonly ask?: boolean; readonly activity?: boolean; readonly cancel?: boolean };
  readonly services?: Readonly<Record<string, { readonly methods: readonly string[]; readonly streams: readonly string[] }>>;
}

/** Whether a capability is there, by its dotted path such as `workspace.files.write`. */
export function has(capabilities: Capabilities | null | undefined, path: string): boolean {
  let here: unknown = capabilities;
  for (const name of path.split(".")) {
    here = member(here, name);
    if (here === undefined) return false;
  }
  return here !== null && here !== false;
}

/** Whether sessions can be made or removed: yes, unless `sessions` is there and says no. */
export function hasSessions(capabilities: Capabilities | null | undefined, operation: "create" | "delete"): boolean {
  const said = capabilities?.sessions;
  return said === undefined || said === true || has(capabilities, `sessions.${operation}`);
}
