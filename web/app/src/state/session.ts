import type { CanvasMethodName } from "@cardloom/protocol";
import { CanvasClient, type ClientOptions, type ConnectionState } from "../connection/client";
import { isFailure } from "../connection/failure";
import { FileDesk } from "../files/desk";
import { Frames } from "../frame/frames";
import type { RelaySocket } from "../frame/relay";
import { translator, type TextKey, type Translate } from "../i18n/catalogue";
import { reasonOf, toldOf } from "../i18n/reasonOf";
import type {
  ArrowActivityEvent,
  Budget,
  CanvasChanged,
  Change,
  Dialog,
  PackageInfo,
  Preferences,
  Tone,
  Workspace,
} from "../wire/records";
import { budgetName } from "../usage/budgetWords";
import { stepOf, UsageDesk } from "../usage/desk";
import { Activity } from "./activity";
import { AgentWatch } from "./agentWatch";
import { applyActivity, applyChanges, applyEvent, closeDialog, fromSnapshot, openDialog, type CanvasState } from "./canvas";
import { withLocalNames } from "./localNames";
import { createStore } from "./store";
import { Toasts, type Told } from "./toasts";
import { INITIAL_UI, keepExisting, type UiState } from "./ui";
import { UndoHistory } from "./undo";

interface AppState {
  version: string;
  workspaces: readonly Workspace[];
  packages: readonly PackageInfo[];
  preferences: Preferences;
  limits: Readonly<Record<string, number>>;
}

/** The calls by which a person sets a card or a value in motion. */
const STIRRING: ReadonlySet<CanvasMethodName> = new Set<CanvasMethodName>([
  "arrow.resend",
  "canvas.connect",
  "canvas.updateArrow",
  "card.chooseMenu",
  "card.mount",
  "card.setSettings",
  "kanban.edit",
  "note.edit",
  "ports.deliver",
  "sticky.edit",
  "todo.edit",
]);

/** Where the page stands with its workspace. */
type Load =
  | { phase: "none" }
  | { phase: "loading"; workspaceId: string }
  | { phase: "ready"; workspaceId: string }
  | { phase: "failed"; workspaceId: string; message: string };

/** Remembers, over reloads of this tab, which workspace it shows. */
interface Memory {
  workspaceId(): string | null;
  remember(workspaceId: string | null): void;
}

const UNKNOWN_APP: AppState = {
  version: "",
  workspaces: [],
  packages: [],
  preferences: { scheme: "system", language: "en" },
  limits: {},
};

interface SessionOptions extends ClientOptions {
  /** The way to the server for the frame of one card. */
  openCardSocket(token: string): RelaySocket;
}

/** One page at one server: its connection, the workspace it shows, and what it did. */
export class Session {
  readonly client: CanvasClient;
  readonly frames: Frames;
  readonly files: FileDesk;
  readonly usage: UsageDesk;
  readonly watch: AgentWatch;
  readonly connection = createStore<ConnectionState>({ phase: "connecting" });
  readonly app = createStore<AppState>(UNKNOWN_APP);
  readonly load = createStore<Load>({ phase: "none" });
  readonly canvas = createStore<CanvasState | null>(null);
  readonly ui = createStore<UiState>(INITIAL_UI);
  readonly undo = new UndoHistory();
  readonly activity = new Activity();
  /** How much trouble of each arrow the person has already looked at. */
  readonly seenTrouble = createStore<ReadonlyMap<string, number>>(new Map());
  readonly toasts: Toasts;
  private translate: Translate = translator("en");
  private resyncing = false;
  private readonly closing = new Set<string>();
  private tellWaitingSight: (() => void) | null = null;

  constructor(
    options: SessionOptions,
    private readonly memory: Memory,
  ) {
    this.client = new CanvasClient({ ...options, beforeCall: (method) => this.beforeCall(method) });
    this.toasts = new Toasts(options.timers, () => this.t);
    const why = (error: unknown) => reasonOf(this.t, error);
    this.frames = new Frames(this.client, this.canvas, {
      openSocket: options.openCardSocket,
      timers: options.timers,
      reasonOf: why,
    });
    this.files = new FileDesk(this.client, options.timers, why);
    const budgetCrossed = (budget: Budget, percent: number) => {
      const tone = stepOf(percent) === 100 ? "danger" : stepOf(percent) === 80 ? "warning" : "default";
      const isSpent = budget.percent >= percent;
      this.toasts.show((t) => {
        const name = budgetName(budget, this.canvas.get()?.cards, t);
        return isSpent ? t("budget.crossed", { name, percent }) : t("budget.crossedUnpriced", { name });
      }, tone);
    };
    this.usage = new UsageDesk(this.client, options.timers, budgetCrossed, why);
    this.watch = new AgentWatch(this.client, () => this.workspaceId);
    this.listen();
  }

  get t(): Translate {
    return this.translate;
  }

  get online(): boolean {
    return this.client.online;
  }

  get workspaceId(): string | null {
    const load = this.load.get();
    return load.phase === "none" ? null : load.workspaceId;
  }

  /** Shows another workspace; null shows none. */
  async show(workspaceId: string | null): Promise<void> {
    const before = this.workspaceId;
    if (before !== null && before !== workspaceId && this.online) {
      this.client.call("canvas.unsubscribe", { workspaceId: before }).catch(() => undefined);
    }
    this.memory.remember(workspaceId);
    this.canvas.set(null);
    this.undo.clear();
    this.files.forget();
    this.usage.forget();
    this.ui.update((ui) => ({ ...INITIAL_UI, inspectorOpen: ui.inspectorOpen, filesOpen: ui.filesOpen, agentsOpen: ui.agentsOpen, detail: ui.detail }));
    if (workspaceId === null) {
      this.load.set({ phase: "none" });
      return;
    }
    this.load.set({ phase: "loading", workspaceId });
    await this.subscribe(workspaceId);
  }

  /** Closes a workspace, and shows another in its place. Shown again before that is done, it is opened again. */
  async close(workspaceId: string): Promise<void> {
    if (this.workspaceId === workspaceId) {
      const other = this.app.get().workspaces.find((known) => known.open && known.id !== workspaceId);
      void this.show(other?.id ?? null);
    }
    this.closing.add(workspaceId);
    try {
      await this.client.call("workspace.close", { workspaceId });
    } catch (error) {
      this.report("fail.workspace", error);
    } finally {
      this.closing.delete(workspaceId);
    }
  }

  /** Asks for the whole workspace again; the view stays until it comes. */
  async resync(): Promise<void> {
    const workspaceId = this.workspaceId;
    if (workspaceId !== null && !this.resyncing) await this.subscribe(workspaceId);
  }

  /** Shows a change before the server has confirmed it. */
  assume(changes: readonly Change[]): void {
    this.canvas.update((state) => (state === null ? null : this.named(applyChanges(state, changes))));
  }

  setPreferences(wanted: Partial<Preferences>): void {
    this.client
      .call("preferences.set", wanted)
      .then((preferences) => this.applyPreferences(preferences))
      .catch((error: unknown) => this.report("fail.preferences", error));
  }

  /**
   * Lets a canvas that is drawn tell what it shows, where that waits to be told, before a call that may make a card ask
   * the person for something: only a card in sight may. Gives the function that ends this.
   */
  sightToldBy(tell: () => void): () => void {
    this.tellWaitingSight = tell;
    return () => {
      if (this.tellWaitingSight === tell) this.tellWaitingSight = null;
    };
  }

  toast(told: Told, tone: Tone = "default"): void {
    this.toasts.show(told, tone);
  }

  /** Says what did not work and why; a server that is away is said once and plainly. */
  report(what: TextKey, error: unknown): void {
    if (isFailure(error, "UNAVAILABLE") && !this.online) {
      this.toasts.show((t) => t("fail.away"), "warning");
      return;
    }
    this.toasts.show((t) => t("fail.because", { what: t(what), reason: reasonOf(t, error) }), "danger");
  }

  private beforeCall(method: CanvasMethodName): void {
    if (STIRRING.has(method)) this.tellWaitingSight?.();
  }

  private listen(): void {
    const { client } = this;
    client.onState((state) => this.connectionChanged(state));
    client.on("canvas.changed", (event: CanvasChanged) => this.changed(event));
    client.on("arrow.activity", (event: ArrowActivityEvent) => {
      this.canvas.update((state) => (state === null ? null : applyActivity(state, event)));
      this.activity.publish(event);
    });
    client.on("workspace.changed", (event: { workspaces: readonly Workspace[] }) => this.workspacesChanged(event.workspaces));
    client.on("preferences.changed", (preferences: Preferences) => this.applyPreferences(preferences));
    client.on("packages.changed", (event: { packages: readonly PackageInfo[] }) => this.packagesChanged(event.packages));
    client.on("dialog.opened", (event: { dialog: Dialog }) => {
      this.canvas.update((state) => (state === null ? null : openDialog(state, event.dialog)));
    });
    client.on("dialog.closed", (event: { dialogId: string }) => {
      this.canvas.update((state) => (state === null ? null : closeDialog(state, event.dialogId)));
    });
    client.on("ui.toast", (event: { name: string; message: string; tone: Tone; durationMs: number }) => {
      this.toasts.show((t) => toldOf(t, event.message), event.tone, { from: event.name, durationMs: event.durationMs });
    });
    client.on("stream.gap", () => void this.catchUp());
    this.canvas.subscribe(() => this.forgetRemoved());
  }

  /** Reads again what the events that were lost may have told of. */
  private async catchUp(): Promise<void> {
    const { client } = this;
    // What was refused stays as it was: the next greeting or change brings it.
    await Promise.allSettled([
      this.resync(),
      client.call("workspace.list", {}).then(({ workspaces }) => this.workspacesChanged(workspaces)),
      client.call("package.list", {}).then(({ packages }) => this.packagesChanged(packages)),
      // It sets none, and tells what is set.
      client.call("preferences.set", {}).then((preferences) => this.applyPreferences(preferences)),
    ]);
  }

  private connectionChanged(state: ConnectionState): void {
    this.connection.set(state);
    this.resyncing = false;
    if (state.phase !== "online") return;
    const { hello } = state;
    this.app.update((app) => ({
      ...app,
      version: hello.version,
      workspaces: hello.workspaces,
      packages: hello.packages,
      limits: hello.limits,
    }));
    this.applyPreferences(hello.preferences);
    if (this.workspaceId !== null && hello.workspaces.some((known) => known.id === this.workspaceId)) {
      void this.resync();
    } else {
      void this.show(firstWorkspace(hello.workspaces, this.memory.workspaceId()));
    }
  }

  private workspacesChanged(workspaces: readonly Workspace[]): void {
    const before = this.app.get().workspaces;
    this.app.update((app) => ({ ...app, workspaces }));
    const shown = this.workspaceId;
    if (shown === null) {
      const wasOpen = new Set(before.filter((known) => known.open).map((known) => known.id));
      const opened = workspaces.find((workspace) => workspace.open && !wasOpen.has(workspace.id));
      if (opened !== undefined) void this.show(opened.id);
    } else if (!workspaces.some((workspace) => workspace.id === shown)) {
      void this.show(firstWorkspace(workspaces, null));
    }
  }

  private packagesChanged(packages: readonly PackageInfo[]): void {
    this.app.update((app) => ({ ...app, packages }));
  }

  private applyPreferences(preferences: Preferences): void {
    if (preferences.language !== this.app.get().preferences.language) {
      this.translate = translator(preferences.language);
      this.toasts.sayAgain();
      // Once more from the server, whose names for cards without a title are English.
      void this.resync();
    }
    this.app.update((app) => ({ ...app, preferences }));
  }

  private named(state: CanvasState): CanvasState {
    return this.app.get().preferences.language === "en" ? state : withLocalNames(state, this.translate);
  }

  private changed(event: CanvasChanged): void {
    const state = this.canvas.get();
    if (state === null || this.resyncing) return;
    const next = applyEvent(state, event);
    if (next === "gap") void this.resync();
    else this.canvas.set(this.named(next));
  }

  /** What was removed, here or on another page, is no longer selected, renamed or the start of an arrow. */
  private forgetRemoved(): void {
    const state = this.canvas.get();
    if (state === null) return;
    const exists = { card: (id: string) => state.cards.has(id), arrow: (id: string) => state.arrows.has(id) };
    this.ui.update((ui) => {
      const selection = keepExisting(ui.selection, exists);
      const renaming = ui.renaming !== null && exists.card(ui.renaming) ? ui.renaming : null;
      const drawing = ui.drawing !== null && exists.card(ui.drawing.cardId) ? ui.drawing : null;
      const same = selection === ui.selection && renaming === ui.renaming && drawing === ui.drawing;
      return same ? ui : { ...ui, selection, renaming, drawing };
    });
  }

  private async subscribe(workspaceId: string): Promise<void> {
    this.resyncing = true;
    try {
      const known = this.app.get().workspaces.find((workspace) => workspace.id === workspaceId);
      if (known?.open === false || this.closing.has(workspaceId)) {
        await this.client.call("workspace.open", { workspaceId });
        // Left meanwhile: what is asked for now would follow a workspace that nobody looks at.
        if (this.workspaceId !== workspaceId) return;
      }
      const snapshot = await this.client.call("canvas.subscribe", { workspaceId });
      if (this.workspaceId !== workspaceId) return;
      this.resyncing = false;
      this.canvas.set(this.named(fromSnapshot(snapshot)));
      this.load.set({ phase: "ready", workspaceId });
    } catch (error) {
      if (this.workspaceId !== workspaceId) return;
      this.resyncing = false;
      if (isFailure(error, "UNAVAILABLE") && !this.online) return;
      this.canvas.set(null);
      this.load.set({ phase: "failed", workspaceId, message: reasonOf(this.t, error) });
    }
  }
}

/** The open workspace a page begins with: the one it showed before, else the first without a problem, else any. */
export function firstWorkspace(workspaces: readonly Workspace[], remembered: string | null): string | null {
  const open = workspaces.filter((workspace) => workspace.open);
  const chosen =
    open.find((workspace) => workspace.id === remembered) ??
    open.find((workspace) => workspace.problem === null) ??
    open[0];
  return chosen?.id ?? null;
}
