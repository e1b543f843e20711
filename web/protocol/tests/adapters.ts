import * as protocol from "../src";
import type { CardMethodName, Messages, Permission, PermissionEntry, PortInfo, SettingDefinition } from "../src";

/** Takes the recorded input of one case and answers in the record's shape; nothing is decided here. */
export type Adapter = (input: never) => unknown;

type Schema = Record<string, unknown>;
type Pair = { from: string; to: string };

const places = (issues: readonly protocol.Issue[]) => issues.map(({ path, keyword }) => ({ path, keyword }));
const path = (value: string | null) => (value === null ? { ok: false } : { ok: true, value });

function coercion(input: Pair | (Pair & { value: unknown })) {
  if ("value" in input) return { value: protocol.coercePortValue(input.from, input.to, input.value) };
  const { from, to } = input;
  return { kind: protocol.portCoercion(from, to), compatible: protocol.portsCompatible(from, to) };
}

function envelope({ raw, maxSize }: { raw: unknown; maxSize?: number }) {
  const parsed = protocol.parseRequest(raw, maxSize === undefined ? {} : { maxLength: maxSize });
  if (parsed.ok) {
    const { request } = parsed;
    const params = "params" in request ? "same" : "absent";
    return { ok: true, id: request.id, method: request.method, params, fields: Object.keys(request) };
  }
  const { path: place, keyword } = (parsed.data ?? {}) as protocol.Issue;
  return { ok: false, id: parsed.id, code: parsed.code, ...(parsed.data ? { data: { path: place, keyword } } : {}) };
}

function hostPattern({ pattern }: { pattern: unknown }) {
  const value = protocol.parseHostPattern(pattern);
  return value ? { ok: true, value, text: protocol.hostPatternText(value) } : { ok: false };
}

function manifest(input: { manifest: unknown }) {
  const result = protocol.parseManifest(input.manifest);
  if (result.ok) return { ok: true, manifest: result.manifest, warnings: result.warnings.map((one) => one.path) };
  const key = (issue: { path: string; code: string }) => `${issue.path}\u0000${issue.code}`;
  const issues = result.issues.map(({ path: place, code }) => ({ path: place, code }));
  return { ok: false, issues: issues.sort((a, b) => (key(a) < key(b) ? -1 : 1)) };
}

function params({ method, params: given }: { method: CardMethodName; params?: unknown }) {
  return places(protocol.checkValue(protocol.CARD_METHODS[method].params, given === undefined ? {} : given, { maxIssues: 10 }));
}


type TranslatorCall =
  | { t: [string, Record<string, unknown>?] }
  | { setLanguage: [string, string?] }
  | { get: "language" | "locale" };

function translator(input: {
  messages: Record<string, Messages>;
  language?: string;
  locale?: string;
  calls: TranslatorCall[];
}) {
  const subject = new protocol.Translator(input.messages, input.language, input.locale);
  let notices = 0;
  subject.onChange(() => (notices += 1));
  return input.calls.map((call) => {
    if ("t" in call) return subject.translate(...call.t);
    if ("get" in call) return subject[call.get];
    const before = notices;
    subject.setLanguage(...call.setLanguage);
    return notices - before;
  });
}

function permissions({ list }: { list: PermissionEntry[] }) {
  const { permissions: merged, issues } = protocol.parsePermissions(list);
  return { permissions: merged, issueIndexes: issues.map(({ index }) => index) };
}

/** By the name of the vector file. */
export const ADAPTERS: Readonly<Record<string, Adapter>> = {
  coercion,
  connect_message: ({ data }: { data: unknown }) => protocol.isConnectMessage(data),
  envelopes: envelope,
  headers: ({ name, value }: { name: unknown; value: unknown }) => protocol.headerAllowed(name, value),
  hosts_match: ({ patterns, host, port }: { patterns: string[]; host: string; port?: number }) =>
    protocol.hostMatches(patterns, host, port),
  hosts_parse: hostPattern,
  incoming_messages: ({ data }: { data: unknown }) => protocol.parseIncoming(data)?.kind ?? null,
  local_hosts: ({ host }: { host: string }) => protocol.isLocalHost(host),
  localized: ({ text, language }: { text: protocol.LocalizedText | undefined; language: string }) =>
    protocol.localized(text, language),
  manifests: manifest,
  method_params: params,
  method_permission: ({ method, granted }: { method: CardMethodName; granted: string[] }) =>
    protocol.permitted(protocol.CARD_METHODS[method].permissionsAnyOf, new Set(granted)),
  package_paths: (input: { path: unknown }) => path(protocol.normalizePackagePath(input.path)),
  permission_closure: ({ ids }: { ids: string[] }) => [...protocol.permissionClosure(ids)].sort(),
  permission_for_peer: ({ peer, options }: { peer: { inputs: PortInfo[] }; options: { input?: string } }) =>
    protocol.permissionForPeer(peer, options),
  permission_view: ({ declared, granted, language }: { declared: Permission[]; granted: string[]; language: string }) =>
    protocol.permissionView(declared, granted, language),
  permissions_parse: permissions,
  pick_input: ({ type, inputs }: { type: string; inputs: PortInfo[] }) => protocol.pickInputFor(type, inputs)?.id ?? null,
  protected_paths: (input: { path: string }) => protocol.isProtectedPath(input.path),
  schema_defs: ({ schema, ...options }: { schema: unknown } & protocol.DefinitionOptions) =>
    places(protocol.checkDefinition(schema, options)),
  schema_values: ({ schema, value, ...options }: { schema: Schema; value: unknown } & protocol.ValueOptions) =>
    places(protocol.checkValue(schema, value, options)),
  secrets: ({ text }: { text: string }) => protocol.secretNames(text),
  settings_defaults: ({ settings }: { settings: SettingDefinition[] }) => protocol.settingDefaults(settings),
  settings_values: ({ settings, values }: { settings: SettingDefinition[]; values: Record<string, unknown> }) =>
    protocol.checkSettings(settings, values).map(({ key }) => key),
  tool_names: (input: { package: string; tool: string }) => protocol.toolFullName(input.package, input.tool),
  translator,
  workspace_paths: (input: { path: unknown }) => path(protocol.normalizeWorkspacePath(input.path)),
};
