/** Cards for the Cardloom canvas. `const card = await connect()` is where every card begins. */

export {
  CARD_EVENT_NAMES,
  CARD_LIMITS,
  CARD_METHOD_NAMES,
  ERROR_CODES,
  ICONS,
  PERMISSION_IDS,
  PORT_TYPE_NAMES,
  THEME_TOKENS,
  TONES,
  coercePortValue,
  hasDownstreamPeer,
  permissionForPeer,
  pickInputFor,
  portCoercion,
  portsCompatible,
} from "@cardloom/protocol";
export type {
  AgentInfo,
  AgentStatus,
  Badge,
  CardEventName,
  CardMethodName,
  CardMethodParams,
  Chrome,
  ErrorCode,
  HarnessId,
  IconName,
  Issue,
  JsonObject,
  JsonValue,
  Language,
  LocalizedText,
  Messages,
  OverviewTile,
  PeerInfo,
  PeerKind,
  PermissionId,
  PermissionView,
  PortCoercion,
  PortInfo,
  PortTypeName,
  SettingValue,
  Size,
  StatusChip,
  TaskStatus,
  ThemeToken,
  Tone,
} from "@cardloom/protocol";
export type { Agents, PromptOptions, Terminals } from "./agents";
export { Card } from "./card";
export type { AttentionLevel, OverviewParts, SpawnOptions } from "./card";
export { connect } from "./connect";
export type { ConnectOptions } from "./connect";
export type { CardEventData, CardMethodResults } from "./contract";
export { CardSdkError, isCardSdkError } from "./errors";
export type { CardErrorCode } from "./errors";
export type { Files, WriteOptions } from "./files";
export type { Host } from "./host";
export type { Lifecycle } from "./lifecycle";
export type { CallOptions, HostPort } from "./link";
export type { Log, LogLevel } from "./log";
export type { FetchOptions, Net } from "./net";
export { requestPermissions } from "./permissions";
export type { Permissions } from "./permissions";
export type { Ports, QuestionHandler } from "./ports";
export type { NetHeaders, NetResponse } from "./response";
export type { CardSettings } from "./settings";
export type { Storage, StorageArea, StorageScope } from "./storage";
export { applyLanguage, applyTheme, applyVisibility } from "./theme";
export type { ToolHandler, Tools } from "./tools";
export { createTranslator } from "./translator";
export type { CardTranslator, TranslatorStart } from "./translator";
export type * from "./types";
export type { MenuItem, Ui } from "./ui";
export { PROTOCOL, SDK_VERSION } from "./version";
