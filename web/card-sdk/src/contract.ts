import type {
  AgentInfo,
  CardEventName,
  CardMethodName,
  PeerInfo,
  PermissionId,
  PermissionView,
  Ports,
  Size,
} from "@cardloom/protocol";
import type {
  AgentTimeline,
  AgentUsage,
  Capabilities,
  CardContext,
  CardInstance,
  CommandResult,
  FsChange,
  FsEntry,
  FsStat,
  I18n,
  NetAnswer,
  NetChunk,
  PortMessage,
  Settings,
  Theme,
  UsageSummary,
  Visibility,
  WorkspaceInfo,
} from "./types";

/** What each method of the card table answers; `undefined` where there is nothing to say. */
export interface CardMethodResults {
  "host.ready": CardContext;
  "host.capabilities": Capabilities;
  "host.log": undefined;
  "host.pong": undefined;
  "events.subscribe": { readonly topics: readonly string[] };
  "events.unsubscribe": undefined;
  "card.getInfo": CardInstance;
  "card.setTitle": undefined;
  "card.setStatus": undefined;
  "card.setBadge": undefined;
  "card.setOverview": undefined;
  "card.attention": undefined;
  "card.requestResize": Size;
  "card.openLink": { readonly opened: boolean };
  "card.focus": undefined;
  "card.spawn": { readonly cardId: string };
  "ui.toast": undefined;
  "ui.confirm": { readonly confirmed: boolean };
  "ui.setMenu": undefined;
  "settings.get": Settings;
  "settings.set": Settings;
  "settings.open": undefined;
  "storage.get": { readonly exists: boolean; readonly value: unknown };
  "storage.set": undefined;
  "storage.delete": undefined;
  "storage.keys": { readonly keys: readonly string[] };
  "storage.clear": undefined;
  "storage.usage": { readonly bytes: number; readonly quota: number; readonly keys: number };
  "theme.get": Theme;
  "i18n.get": I18n;
  "workspace.get": WorkspaceInfo;
  "permissions.list": readonly PermissionView[];
  "permissions.request": { readonly granted: readonly PermissionId[] };
  "agents.list": readonly AgentInfo[];
  "agents.get": AgentInfo;
  "agents.readScreen": { readonly text: string };
  "agents.lastReply": { readonly text: string | null; readonly at: number | null };
  "agents.prompt": { readonly delivered: "sent" | "queued" | "inserted" };
  "terminals.run": CommandResult;
  "terminals.write": undefined;
  "ports.describe": Ports;
  "ports.peers": readonly PeerInfo[];
  "ports.emit": { readonly delivered: number };
  "ports.send": { readonly delivered: number };
  "ports.request": { readonly data: unknown };
  "ports.respond": undefined;
  "ports.read": { readonly data: unknown; readonly at: number } | null;
  "tools.respond": undefined;
  "tools.progress": undefined;
  "tools.setEnabled": undefined;
  "net.fetch": NetAnswer;
  "net.abort": undefined;
  "fs.stat": FsStat;
  "fs.list": { readonly entries: readonly FsEntry[]; readonly truncated: boolean };
  "fs.read": {
    readonly data: string;
    readonly encoding: "utf8" | "base64";
    readonly size: number;
    readonly truncated: boolean;
  };
  "fs.write": FsStat;
  "fs.mkdir": FsStat;
  "fs.trash": undefined;
  "fs.watch": { readonly watchId: string };
  "fs.unwatch": undefined;
  "clipboard.writeText": undefined;
  "usage.summary": UsageSummary;
  "agents.usage": AgentUsage;
  "agents.timeline": AgentTimeline;
}

/** The data of each event that a card receives. */
export interface CardEventData {
  "host.ping": { readonly seq: number };
  "lifecycle.visibility": { readonly state: Visibility };
  "lifecycle.suspend": { readonly graceMs: number };
  "lifecycle.expanded": { readonly expanded: boolean };
  "lifecycle.resized": Size;
  "settings.changed": Settings;
  "theme.changed": Theme;
  "i18n.changed": I18n;
  "permissions.changed": readonly PermissionView[];
  "ui.menu": { readonly id: string };
  "ports.message": PortMessage;
  "ports.request": {
    readonly requestId: string;
    readonly from: string;
    readonly input: string;
    readonly data: unknown;
    readonly deadline: number;
  };
  "ports.peersChanged": readonly PeerInfo[];
  "tools.call": {
    readonly callId: string;
    readonly tool: string;
    readonly args: unknown;
    readonly agent: { readonly id: string; readonly name: string } | null;
    readonly deadline: number;
  };
  "tools.cancel": { readonly callId: string };
  "net.chunk": NetChunk;
  "fs.changed": FsChange;
  "storage.changed": { readonly scope: "instance" | "package"; readonly key: string; readonly deleted: boolean };
  "agents.status": { readonly agentId: string; readonly status: AgentInfo["status"]; readonly at: number };
  "agents.turn": { readonly agentId: string; readonly phase: "start" | "end"; readonly at: number };
  "agents.changed": { readonly agents: readonly AgentInfo[] };
  "agents.output": { readonly agentId: string; readonly text: string; readonly at: number };
}

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;

/** Fails to compile when a row of the table has no type here, or the other way round. */
export const CONTRACT_IS_COMPLETE: Same<keyof CardMethodResults, CardMethodName> &
  Same<keyof CardEventData, CardEventName> = true;
