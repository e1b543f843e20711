import {
  has,
  type Capabilities,
  type ModelInfo,
  type ProfileInfo,
  type SessionCreateOpts,
  type SessionInfo,
  type WorkspaceInfo,
} from "@cardloom/protocol/session";
import { failureOf, type Failure } from "../../connection/failure";
import { AskingOrder } from "../../state/askingOrder";
import { createStore } from "../../state/store";
import type { ChatWire } from "./wire";

export interface BackendEntry {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
}

/** What one backend offers, as far as it was asked for. */
export interface BackendState {
  readonly capabilities: Capabilities | null;
  /** Why the backend does not answer. */
  readonly failure: Failure | null;
  readonly sessions: readonly SessionInfo[] | null;
  readonly cursor: string | null;
  readonly models: readonly ModelInfo[] | null;
  readonly modelsFailure: Failure | null;
  readonly profiles: readonly ProfileInfo[] | null;
  readonly workspaces: readonly WorkspaceInfo[] | null;
  readonly workspace: WorkspaceInfo | null;
  /** The sessions in which a run goes on, as far as it was told. */
  readonly running: ReadonlySet<string>;
}

const UNASKED: BackendState = {
  capabilities: null,
  failure: null,
  sessions: null,
  cursor: null,
  models: null,
  modelsFailure: null,
  profiles: null,
  workspaces: null,
  workspace: null,
  running: new Set(),
};
const PAGE = 100;

/** The backends of the server and what each offers, read once for every chat of the page. */
export class ChatDesk {
  readonly backends = createStore<readonly BackendEntry[] | null>(null);
  private readonly states = new Map<string, ReturnType<typeof createStore<BackendState>>>();
  private readonly looked = new Set<string>();
  private readonly orders = new Map<string, AskingOrder>();

  constructor(readonly wire: ChatWire) {
    wire.on("client.online", () => void this.catchUp());
    wire.on("stream.gap", () => void this.catchUp());
    wire.on("session.run", (news: { backend: string; sessionId: string; status: string }) => this.runNews(news));
    wire.on("session.changed", (news: { backend: string }) => {
      if (this.looked.has(news.backend)) this.readSessions(news.backend).catch(() => undefined); // it tells itself
    });
    wire.on("session.engineChanged", () => void this.engineChanged());
    wire.on("workspace.changed", () => void this.workspacesChanged());
    wire.on("session.backendsChanged", () => void this.refresh());
    if (wire.online) void this.refresh();
  }

  of(backend: string) {
    let state = this.states.get(backend);
    if (state === undefined) {
      state = createStore(UNASKED);
      this.states.set(backend, state);
    }
    return state;
  }

  /** Reads what a backend offers, the first time that anybody looks at it. */
  look(backend: string): void {
    if (this.looked.has(backend)) return;
    this.looked.add(backend);
    if (this.wire.online) void this.read(backend);
  }

  async refresh(): Promise<void> {
    try {
      const { backends } = await this.wire.ask<{ backends: readonly BackendEntry[] }>("session.backends");
      this.backends.set(backends);
    } catch {
      return; // away: the next greeting asks again
    }
    await this.readLooked();
  }

  /** What is known of the backends that somebody looks at; one that went is not asked. */
  private async readLooked(): Promise<void> {
    const there = new Set(this.backends.get()?.map((one) => one.id));
    await Promise.all([...this.looked].filter((id) => there.has(id)).map((id) => this.read(id)));
  }

  async readSessions(backend: string): Promise<void> {
    const known = this.of(backend).get().sessions?.length ?? 0;
    const isNews = this.ask(backend, "list");
    const page = await this.wire.call<{ sessions: SessionInfo[]; cursor?: string }>(backend, "list", {
      limit: Math.max(PAGE, known),
    });
    if (isNews()) this.of(backend).update((state) => ({ ...state, sessions: page.sessions, cursor: page.cursor ?? null }));
  }

  async readMoreSessions(backend: string): Promise<void> {
    const { cursor } = this.of(backend).get();
    if (cursor === null) return;
    const page = await this.wire.call<{ sessions: SessionInfo[]; cursor?: string }>(backend, "list", { limit: PAGE, cursor });
    this.of(backend).update((state) => {
      const known = new Set(state.sessions?.map((session) => session.id));
      const more = page.sessions.filter((session) => !known.has(session.id));
      return { ...state, sessions: [...(state.sessions ?? []), ...more], cursor: page.cursor ?? null };
    });
  }

  async readModels(backend: string): Promise<void> {
    const isNews = this.ask(backend, "models");
    let found: Pick<BackendState, "models" | "modelsFailure">;
    try {
      found = { models: await this.wire.call<ModelInfo[]>(backend, "models"), modelsFailure: null };
    } catch (error) {
      found = { models: [], modelsFailure: failureOf(error) };
    }
    if (isNews()) this.of(backend).update((state) => ({ ...state, ...found }));
  }

  async readProfiles(backend: string): Promise<void> {
    const isNews = this.ask(backend, "profiles");
    const profiles = await this.wire.call<ProfileInfo[]>(backend, "profiles").catch(() => []);
    if (isNews()) this.of(backend).update((state) => ({ ...state, profiles }));
  }

  async create(backend: string, opts: SessionCreateOpts = {}): Promise<SessionInfo> {
    const info = await this.wire.call<SessionInfo>(backend, "create", opts);
    await this.readSessions(backend);
    return info;
  }

  async rename(backend: string, sessionId: string, title: string): Promise<void> {
    await this.wire.call(backend, "rename", { sessionId, title });
    await this.readSessions(backend);
  }

  async remove(backend: string, sessionId: string): Promise<void> {
    await this.wire.call(backend, "delete", { sessionId });
    await this.readSessions(backend);
  }

  async switchWorkspace(backend: string, id: string): Promise<void> {
    const workspace = await this.wire.call<WorkspaceInfo>(backend, "switchWorkspace", { id });
    this.of(backend).update((state) => ({ ...state, workspace }));
  }

  private async read(backend: string): Promise<void> {
    const state = this.of(backend);
    try {
      const capabilities = await this.wire.call<Capabilities>(backend, "capabilities");
      state.update((known) => ({ ...known, capabilities, failure: null }));
      await Promise.all([
        this.readSessions(backend),
        has(capabilities, "models") ? this.readModels(backend) : undefined,
        has(capabilities, "profiles") ? this.readProfiles(backend) : undefined,
        has(capabilities, "workspace") ? this.readWorkspaces(backend) : undefined,
      ]);
    } catch (error) {
      if (this.wire.online) state.update((known) => ({ ...known, failure: failureOf(error) }));
    }
  }

  private async readWorkspaces(backend: string): Promise<void> {
    const isNews = this.ask(backend, "workspaces");
    const [workspace, workspaces] = await Promise.all([
      this.wire.call<WorkspaceInfo>(backend, "workspace").catch(() => null),
      this.wire.call<WorkspaceInfo[]>(backend, "workspaces").catch(() => []),
    ]);
    if (isNews()) this.of(backend).update((state) => ({ ...state, workspace, workspaces }));
  }

  /** Reads anew whatever may have been told while this page did not hear it. */
  private async catchUp(): Promise<void> {
    const marked = [...this.states].flatMap(([backend, state]) => [...state.get().running].map((id) => ({ backend, id })));
    await Promise.all([this.refresh(), ...marked.map(({ backend, id }) => this.lookAtRuns(backend, id))]);
  }

  /** Takes the mark from a session whose run ended unheard. */
  private async lookAtRuns(backend: string, sessionId: string): Promise<void> {
    const runs = await this.wire.call<readonly { status: string }[]>(backend, "runs", { sessionId }).catch(() => []);
    if (!this.wire.online || runs.some((run) => run.status === "running")) return;
    this.mark(backend, sessionId, false);
  }

  private mark(backend: string, sessionId: string, isRunning: boolean): void {
    this.of(backend).update((state) => {
      const running = new Set(state.running);
      if (isRunning) running.add(sessionId);
      else running.delete(sessionId);
      return { ...state, running };
    });
  }

  /** A question is asked of a backend; gives what says, once it is answered, whether the answer is still news. */
  private ask(backend: string, what: string): () => boolean {
    const key = `${backend} ${what}`;
    const order = this.orders.get(key) ?? new AskingOrder();
    this.orders.set(key, order);
    return order.ask();
  }

  private runNews({ backend, sessionId, status }: { backend: string; sessionId: string; status: string }): void {
    this.mark(backend, sessionId, status === "running");
    if (status !== "running" && this.looked.has(backend)) this.readSessions(backend).catch(() => undefined);
  }

  private async engineChanged(): Promise<void> {
    await Promise.all([...this.looked].map((backend) => this.readModels(backend)));
    await this.workspacesChanged();
  }

  /** Another workspace may be in use, for every page at once: what is done to files must be done where it is shown. */
  private async workspacesChanged(): Promise<void> {
    const able = [...this.looked].filter((backend) => has(this.of(backend).get().capabilities, "workspace"));
    await Promise.all(able.map((backend) => this.readWorkspaces(backend)));
  }
}

/** The sessions whose title holds all words. */
export function foundSessions(sessions: readonly SessionInfo[], words: string): readonly SessionInfo[] {
  const wanted = words.toLocaleLowerCase().split(/\s+/).filter((word) => word !== "");
  if (wanted.length === 0) return sessions;
  return sessions.filter((session) => {
    const text = `${session.title ?? ""} ${session.botName ?? ""} ${session.id}`.toLocaleLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}
