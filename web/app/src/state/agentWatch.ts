import type { CanvasClient } from "../connection/client";
import type { AgentCard, CanvasChanged, Snapshot, Workspace } from "../wire/records";
import { applyEvent, fromSnapshot, type CanvasState } from "./canvas";
import { createStore } from "./store";

/** An agent and the workspace it lies in. */
export interface LocatedAgent {
  workspace: Workspace;
  card: AgentCard;
}

/** The open workspaces that this page does not show, followed live for the sake of their agents. */
export class AgentWatch {
  readonly others = createStore<ReadonlyMap<string, CanvasState>>(new Map());
  private readonly followed = new Set<string>();

  constructor(
    private readonly client: CanvasClient,
    private readonly shown: () => string | null,
  ) {
    client.on("canvas.changed", (event: CanvasChanged) => this.changed(event));
    client.on("stream.gap", () => this.again());
  }

  /** Follows exactly these workspaces, the shown one left out. */
  follow(openIds: readonly string[]): void {
    const wanted = new Set(openIds.filter((id) => id !== this.shown()));
    for (const id of [...this.followed]) if (!wanted.has(id)) this.drop(id, openIds.includes(id));
    for (const id of wanted) {
      if (this.followed.has(id)) continue;
      this.followed.add(id);
      void this.read(id);
    }
  }

  /** Reads all followed workspaces anew, after the connection was lost or something was missed. */
  again(): void {
    for (const id of this.followed) void this.read(id);
  }

  private drop(workspaceId: string, isOpen: boolean): void {
    this.followed.delete(workspaceId);
    this.others.update((known) => {
      const left = new Map(known);
      left.delete(workspaceId);
      return left;
    });
    // What the page shows stays subscribed, and what is closed tells nothing any more.
    if (!isOpen || workspaceId === this.shown()) return;
    this.client.call("canvas.unsubscribe", { workspaceId }).catch(() => undefined);
  }

  private async read(workspaceId: string): Promise<void> {
    let snapshot: Snapshot;
    try {
      snapshot = await this.client.call("canvas.subscribe", { workspaceId });
    } catch {
      // It was closed meanwhile, or the server is away; both come with a new list of workspaces.
      this.followed.delete(workspaceId);
      return;
    }
    if (this.followed.has(workspaceId)) this.put(fromSnapshot(snapshot));
  }

  private changed(event: CanvasChanged): void {
    const state = this.others.get().get(event.workspaceId);
    if (state === undefined) return;
    const next = applyEvent(state, event);
    if (next === "gap") void this.read(event.workspaceId);
    else if (next !== state) this.put(next);
  }

  private put(state: CanvasState): void {
    this.others.update((known) => new Map(known).set(state.workspace.id, state));
  }
}

/** The agents of a canvas, and of those followed beside it. */
export function agentsOf(shown: CanvasState | null, others: ReadonlyMap<string, CanvasState>): LocatedAgent[] {
  const states = [...(shown === null ? [] : [shown]), ...[...others.values()].filter((each) => each.workspace.id !== shown?.workspace.id)];
  return states.flatMap(({ workspace, cards }) =>
    [...cards.values()].flatMap((card) => (card.kind === "agent" ? [{ workspace, card }] : [])),
  );
}
