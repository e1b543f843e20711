import type { JsonValue } from "./json";
import type { ChatContent } from "./model";
import type { Capabilities } from "./session/capabilities";
import type { Envelope, ErrorBody } from "./session/envelope";
import type { AnyRunEvent, AskEvent, RunStatus } from "./session/events";
import type { FileContent, FileEntry } from "./session/files";
import type {
  CatalogExtension,
  CatalogSkill,
  CatalogTool,
  ModelInfo,
  ProfileDoc,
  ProfileInfo,
  SessionInfo,
  WorkspaceInfo,
} from "./session/info";
import type { Message, ThreadEntry } from "./session/messages";

/** A place that sessions can live in; `kind` says what stands behind it. */
export interface SessionBackend {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
}

/** Where the engine asks for answers; the key itself is told to nobody. */
export interface ModelEndpoint {
  readonly id: string;
  readonly dialect: "chat" | "responses" | "messages";
  readonly url: string;
  readonly hasKey: boolean;
}

/** A backend of the file of backends; `why` says what is wrong, in the server's words. */
export interface BackendSetUp {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly command?: readonly string[];
  readonly folder?: string;
  readonly url?: string;
  readonly mapping?: string;
  readonly hasKey: boolean;
  readonly state: "found" | "unasked" | "answers" | "missing" | "faulty" | "silent" | "unused";
  readonly why: string | null;
}

/** A program that could be a backend; no path, where it is not on this machine. */
export interface BackendProgram {
  readonly kind: string;
  readonly title: string;
  readonly command: readonly string[];
  readonly path: string | null;
}

export interface SetUp {
  readonly backends: readonly BackendSetUp[];
  readonly programs: readonly BackendProgram[];
}

/** A run as far as it has come; `lastEventId` is what to go on behind. */
export interface SessionRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly status: "running" | RunStatus;
  readonly lastEventId: string;
  readonly messageId?: string;
  readonly error?: ErrorBody;
}

type Session = Envelope<SessionInfo>;
type Document = Envelope<Readonly<Record<string, JsonValue>>>;
type Done = Envelope<null>;
type Stream = Envelope<{ readonly streamId: string }>;

/** What the session protocol's operations answer: its own envelope, refusals included. */
export interface SessionMethodResults {
  "session.backends": { readonly backends: readonly SessionBackend[] };
  "session.access": { readonly url: string; readonly key: string };
  "session.leave": Done;
  "session.endpoints": { readonly endpoints: readonly ModelEndpoint[] };
  "session.saveEndpoint": {
    readonly endpoints: readonly ModelEndpoint[];
    readonly models: number;
    readonly problem: string | null;
  };
  "session.removeEndpoint": { readonly endpoints: readonly ModelEndpoint[] };
  "session.setUp": SetUp;
  "session.saveBackend": SetUp;
  "session.checkBackend": SetUp;
  "session.removeBackend": SetUp;
  "chat.edit": { readonly revision: number; readonly content: ChatContent };
  "session.capabilities": Envelope<Capabilities>;
  "session.health": Envelope<{ readonly status: "ok" }>;
  "session.list": Envelope<{ readonly sessions: readonly SessionInfo[]; readonly cursor?: string }>;
  "session.create": Session;
  "session.get": Session;
  "session.rename": Session;
  "session.delete": Done;
  "session.messages": Envelope<readonly Message[] | readonly ThreadEntry[]>;
  "session.append": Envelope<Message>;
  "session.editMessage": Envelope<Message>;
  "session.deleteMessage": Done;
  "session.hideMessage": Envelope<Message>;
  "session.swipe": Envelope<readonly Message[]>;
  "session.fork": Session;
  "session.getMeta": Document;
  "session.patchMeta": Document;
  "session.setMeta": Document;
  "session.putAsset": Envelope<{ readonly ref: string }>;
  "session.getAsset": Envelope<FileContent>;
  "session.models": Envelope<readonly ModelInfo[]>;
  "session.setModel": Session;
  "session.profiles": Envelope<readonly ProfileInfo[]>;
  "session.getProfile": Envelope<ProfileDoc>;
  "session.saveProfile": Envelope<ProfileDoc>;
  "session.deleteProfile": Done;
  "session.duplicateProfile": Envelope<ProfileDoc>;
  "session.setProfile": Session;
  "session.catalog": Envelope<readonly (CatalogTool | CatalogSkill | CatalogExtension)[]>;
  "session.workspace": Envelope<WorkspaceInfo>;
  "session.workspaces": Envelope<readonly WorkspaceInfo[]>;
  "session.switchWorkspace": Envelope<WorkspaceInfo>;
  "session.files": Envelope<readonly FileEntry[]>;
  "session.statFile": Envelope<FileEntry>;
  "session.readFile": Envelope<FileContent>;
  "session.writeFile": Envelope<FileEntry>;
  "session.deleteFile": Done;
  "session.renameFile": Envelope<FileEntry>;
  "session.watch": Stream;
  "session.run": Envelope<SessionRun>;
  "session.runs": Envelope<readonly SessionRun[]>;
  "session.runStatus": Envelope<SessionRun>;
  "session.follow": Stream;
  "session.cancel": Envelope<SessionRun>;
  "session.asks": Envelope<readonly AskEvent[]>;
  "session.answer": Envelope<AskEvent>;
  "session.callService": Envelope<JsonValue>;
  "session.streamService": Stream;
}

/** What the events of sessions tell. */
export interface SessionEventData {
  "session.stream": {
    readonly streamId: string;
    readonly events: readonly { readonly id: string | null; readonly event: AnyRunEvent }[];
    readonly ended: boolean;
    readonly error: ErrorBody | null;
  };
  "session.run": {
    readonly backend: string;
    readonly sessionId: string;
    readonly runId: string;
    readonly status: "running" | "needs-input" | RunStatus;
  };
  "session.changed": { readonly backend: string; readonly sessionId: string };
  "session.engineChanged": Readonly<Record<string, never>>;
  "session.backendsChanged": Readonly<Record<string, never>>;
}
