import type { ArrowActivityEvent } from "../wire/records";

export type Beat = ArrowActivityEvent["arrows"][number];
type Listener = (beat: Beat) => void;

/** Tells each arrow on the screen when a value passed, without a render of anything else. */
export class Activity {
  private readonly listeners = new Map<string, Set<Listener>>();

  subscribe(arrowId: string, listener: Listener): () => void {
    const known = this.listeners.get(arrowId) ?? new Set();
    known.add(listener);
    this.listeners.set(arrowId, known);
    return () => {
      known.delete(listener);
      if (known.size === 0) this.listeners.delete(arrowId);
    };
  }

  publish(event: ArrowActivityEvent): void {
    for (const beat of event.arrows) {
      for (const listener of [...(this.listeners.get(beat.arrowId) ?? [])]) listener(beat);
    }
  }
}
