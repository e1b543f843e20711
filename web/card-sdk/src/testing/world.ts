import {
  BUILTIN_PORTS,
  CARD_LIMITS,
  FONTS,
  LOCALES,
  THEMES,
  hasOwn,
  localized,
  parseManifest,
  permissionClosure,
  permissionView,
  settingDefaults,
} from "@cardloom/protocol";
import type {
  AgentInfo,
  CardMethodName,
  CardMethodParams,
  Chrome,
  Language,
  Manifest,
  PeerInfo,
  PermissionId,
  PortDefinition,
  PortInfo,
  SettingValue,
  Size,
} from "@cardloom/protocol";
import type { CardEventData } from "../contract";
import { CardSdkError } from "../errors";
import type { CardContext, Launch, Settings, Theme, ToolResult, Visibility } from "../types";
import { PROTOCOL } from "../version";
import { MemoryFiles } from "./memoryFiles";
import type { CardView } from "./routing";

export interface MockHostOptions {
  /** The card's manifest, as in its file. */
  readonly manifest: unknown;
  /** What is granted; all required permissions when not given. */
  readonly permissions?: readonly PermissionId[] | undefined;
  readonly peers?: readonly PeerInfo[] | undefined;
  readonly agents?: readonly AgentInfo[] | undefined;
  /** Settings beside the declared defaults. */
  readonly settings?: Readonly<Record<string, SettingValue>> | undefined;
  /** Values of declared secrets; a card never sees them. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /** Files of the workspace folder by path. */
  readonly files?: Readonly<Record<string, string | Uint8Array>> | undefined;
  readonly visibility?: Visibility | undefined;
  readonly launch?: Launch | undefined;
  readonly spawnInit?: unknown;
  readonly language?: Language | undefined;
  readonly scheme?: "dark" | "light" | undefined;
  /** Whether calls may come too often; they may by default, as in a real host. */
  readonly rates?: boolean | undefined;
}

/** What the card sent: to all downstream cards, or to one. */
export interface Emitted {
  readonly port: string;
  readonly data: unknown;
  readonly to?: string;
  readonly input?: string;
}

/** What the card shows and did that a person would notice. */
export interface Shown {
  chrome: Chrome;
  menu: CardMethodParams["ui.setMenu"]["items"];
  readonly toasts: CardMethodParams["ui.toast"][];
  readonly questions: CardMethodParams["ui.confirm"][];
  readonly links: string[];
  readonly focused: string[];
  readonly spawned: (CardMethodParams["card.spawn"] & { readonly cardId: string })[];
  readonly copied: string[];
  readonly prompts: CardMethodParams["agents.prompt"][];
  readonly commands: CardMethodParams["terminals.run"][];
  readonly typed: CardMethodParams["terminals.write"][];
  readonly log: CardMethodParams["host.log"][];
  settingsOpened: number;
}

/** How the person at this host behaves. */
export interface Person {
  /** Says yes to `ui.confirm`. */
  confirms: boolean;
  /** Lets links be opened. */
  opensLinks: boolean;
  /** Grants what a card asks for: all of it, nothing, or these. */
  grants: boolean | readonly PermissionId[];
}

export type Params<Method extends CardMethodName> = Exclude<CardMethodParams[Method], null>;
export type Answers = { readonly [Method in CardMethodName]?: (params: Params<Method>) => unknown };

export interface Waiter<Value> {
  resolve(value: Value): void;
  reject(error: unknown): void;
}

const CARD_ID = "c_card";

/** The surroundings of one card under test. */
export class World {
  readonly manifest: Manifest;
  readonly shown: Shown;
  readonly emitted: Emitted[] = [];
  readonly person: Person = { confirms: true, opensLinks: true, grants: true };
  readonly kept = new Map<string, { readonly data: unknown; readonly at: number }>();
  readonly stores = { instance: new Map<string, string>(), package: new Map<string, string>() };
  readonly files: MemoryFiles;
  readonly topics = new Set<string>();
  readonly asked = new Map<string, Waiter<unknown> & { readonly input: PortInfo }>();
  readonly calls = new Map<string, Waiter<ToolResult> & { readonly progress: (message: string) => void }>();
  readonly hiddenTools = new Set<string>();
  readonly secrets: Readonly<Record<string, string>>;
  granted: readonly string[];
  peers: readonly PeerInfo[];
  agents: readonly AgentInfo[];
  outputOf: readonly string[] = [];
  values: Readonly<Record<string, SettingValue>>;
  visibility: Visibility;
  expanded = false;
  size: Size;
  theme: Theme;
  language: Language;
  /** Sends the card an event. */
  tell: <Event extends keyof CardEventData>(event: Event, data: CardEventData[Event]) => void = () => undefined;
  readonly #launch: Launch;
  readonly #spawnInit: unknown;

  constructor(options: MockHostOptions) {
    const parsed = parseManifest(options.manifest);
    if (!parsed.ok) {
      const faults = parsed.issues.map(({ path, message }) => `${path || "/"}: ${message}`);
      throw new Error(`The manifest is not valid.\n${faults.join("\n")}`);
    }
    this.manifest = parsed.manifest;
    const { permissions, settings, card } = parsed.manifest;
    this.granted = options.permissions ?? permissions.filter(({ optional }) => !optional).map(({ id }) => id);
    this.peers = options.peers ?? [];
    this.agents = options.agents ?? [];
    this.values = { ...settingDefaults(settings), ...options.settings };
    this.secrets = options.secrets ?? {};
    this.files = new MemoryFiles(options.files ?? {});
    this.visibility = options.visibility ?? "visible";
    this.size = card.defaultSize;
    this.theme = themeOf(options.scheme ?? "dark");
    this.language = options.language ?? "en";
    this.#launch = options.launch ?? "created";
    this.#spawnInit = options.spawnInit;
    this.shown = nothingShown();
  }

  /** The permissions that may be used, implied ones included. */
  get effective(): ReadonlySet<string> {
    return permissionClosure(this.granted);
  }

  get inputs(): readonly PortInfo[] {
    return this.manifest.ports.inputs.map((port) => this.#port(port));
  }

  get outputs(): readonly PortInfo[] {
    return this.manifest.ports.outputs.map((port) => this.#port(port));
  }

  /** The card as its ports are routed. */
  get view(): CardView {
    return { outputs: this.outputs, peers: this.peers, effective: this.effective };
  }

  /** What the card is told when it is ready. */
  context(): CardContext {
    return {
      protocol: PROTOCOL,
      appVersion: "0.1.264",
      instance: this.instance(),
      workspace: this.workspace(),
      visibility: this.visibility,
      expanded: this.expanded,
      theme: this.theme,
      i18n: this.i18n(),
      settings: this.settings(),
      permissions: this.permissions(),
      ports: { inputs: this.inputs, outputs: this.outputs },
      peers: this.peers,
      launch: this.#launch,
      ...(this.#spawnInit !== undefined && { spawnInit: this.#spawnInit }),
      limits: CARD_LIMITS,
      chrome: this.shown.chrome,
    };
  }

  instance(): CardContext["instance"] {
    const { name, displayName, version } = this.manifest;
    const { title } = this.shown.chrome;
    const shownName = localized(displayName, this.language) ?? name;
    return {
      instanceId: CARD_ID,
      packageId: "dev:mock",
      name,
      displayName: shownName,
      version,
      commit: null,
      title,
      size: this.size,
      dev: true,
    };
  }

  workspace(): CardContext["workspace"] {
    const path = this.effective.has("fs.read") ? { path: "/workspace" } : {};
    return { id: "w_mock", name: "Mock", ...path };
  }

  i18n(): CardContext["i18n"] {
    return { language: this.language, locale: LOCALES[this.language] };
  }

  settings(): Settings {
    const secrets = this.manifest.settings.filter(({ type }) => type === "secret").map(({ key }) => key);
    return { values: this.values, secrets: Object.fromEntries(secrets.map((key) => [key, hasOwn(this.secrets, key)])) };
  }

  permissions(): CardContext["permissions"] {
    return permissionView(this.manifest.permissions, this.granted, this.language);
  }

  /** A declared input. */
  input(id: string): PortInfo {
    const input = this.inputs.find((port) => port.id === id);
    if (input === undefined) throw new Error(`The manifest declares no input ${JSON.stringify(id)}.`);
    return input;
  }

  /** An agent by its id. NOT_FOUND. */
  agent(agentId: string): AgentInfo {
    const agent = this.agents.find(({ id }) => id === agentId);
    if (agent === undefined) throw new CardSdkError("NOT_FOUND", `There is no agent ${agentId}.`);
    return { ...agent, connected: this.peers.some(({ cardId }) => cardId === agentId) };
  }

  #port({ label, description, mode, retain, default: isDefault, ...port }: PortDefinition): PortInfo {
    const words = localized(description, this.language);
    return {
      ...port,
      label: localized(label, this.language) ?? port.id,
      ...(words ? { description: words } : {}),
      mode: mode ?? "stream",
      retain: retain ?? false,
      default: isDefault ?? false,
    };
  }
}

/** A joined card; the ports of built-in kinds are filled in. */
export function peer(cardId: string, kind: PeerInfo["kind"] = "custom", more: Partial<Omit<PeerInfo, "cardId" | "kind">> = {}): PeerInfo {
  const { inputs, outputs } = BUILTIN_PORTS[kind] ?? { inputs: [], outputs: [] };
  return { cardId, kind, name: cardId, direction: "downstream", inputs, outputs, ...more };
}

/** A port as peers show it, with what is usual filled in. */
export function port(id: string, type: string, more: Partial<Omit<PortInfo, "id" | "type">> = {}): PortInfo {
  return { id, label: id, type, mode: "stream", retain: false, default: false, ...more };
}

/** An AI agent at rest, or what else is said of it. */
export function agent(id: string, more: Partial<Omit<AgentInfo, "id">> = {}): AgentInfo {
  return { id, name: id, harness: "claude-code", kind: "ai", status: "idle", connected: false, ...more };
}

/** The theme that a scheme has. */
export function themeOf(scheme: "dark" | "light"): Theme {
  return { scheme, tokens: THEMES[scheme], fontSans: FONTS.sans, fontMono: FONTS.mono };
}

function nothingShown(): Shown {
  return {
    chrome: { title: null, status: null, badge: null, overview: null, attention: null },
    menu: [],
    toasts: [],
    questions: [],
    links: [],
    focused: [],
    spawned: [],
    copied: [],
    prompts: [],
    commands: [],
    typed: [],
    log: [],
    settingsOpened: 0,
  };
}

