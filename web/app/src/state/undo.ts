import type { UndoEntry } from "../cards/contract";
import { createStore, type Store } from "./store";
import type { Told } from "./toasts";

interface UndoView {
  undoLabel: Told | null;
  redoLabel: Told | null;
}

type UndoOutcome = { done: true; label: Told } | { done: false; label: Told; error: unknown } | null;

/**
 * What this page did and can take back: calls with their inverse calls, newest last.
 *
 * One step runs at a time, so that holding Ctrl-Z can not start a step before the one before it has landed. A step
 * that the server refuses is dropped; the others stay.
 */
export class UndoHistory {
  readonly view: Store<UndoView> = createStore<UndoView>({ undoLabel: null, redoLabel: null });
  private past: UndoEntry[] = [];
  private future: UndoEntry[] = [];
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly maxEntries = 200) {}

  push(entry: UndoEntry): void {
    this.past = [...this.past, entry].slice(-this.maxEntries);
    this.future = [];
    this.publish();
  }

  /** Lets undo and redo wait for something that is under way and will push its entry when it has landed. */
  async after<T>(action: Promise<T>): Promise<T> {
    const landed = action.then(
      () => undefined,
      () => undefined,
    );
    this.running = this.running.then(() => landed);
    return action;
  }

  undo(): Promise<UndoOutcome> {
    return this.enqueue(async () => {
      const entry = this.past.pop();
      if (entry === undefined) return null;
      return this.run(entry, () => entry.undo(), this.future);
    });
  }

  redo(): Promise<UndoOutcome> {
    return this.enqueue(async () => {
      const entry = this.future.pop();
      if (entry === undefined) return null;
      return this.run(entry, () => entry.redo(), this.past);
    });
  }

  clear(): void {
    this.past = [];
    this.future = [];
    this.publish();
  }

  private async run(entry: UndoEntry, step: () => Promise<void>, into: UndoEntry[]): Promise<UndoOutcome> {
    try {
      await step();
      into.push(entry);
      return { done: true, label: entry.label };
    } catch (error) {
      return { done: false, label: entry.label, error };
    } finally {
      this.publish();
    }
  }

  private enqueue(step: () => Promise<UndoOutcome>): Promise<UndoOutcome> {
    const next = this.running.then(step);
    this.running = next;
    return next;
  }

  private publish(): void {
    this.view.set({ undoLabel: this.past.at(-1)?.label ?? null, redoLabel: this.future.at(-1)?.label ?? null });
  }
}
