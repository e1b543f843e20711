import type { MenuEntry } from "../shell/Menu";
import { createStore } from "../state/store";

interface ContextMenu {
  label: string;
  at: { x: number; y: number };
  entries: readonly MenuEntry[];
  /** It is asked for what belongs into it and shows as soon as that is known. */
  awaited?: true;
}

/** The one context menu of the page; null while none is open. */
export const contextMenu = createStore<ContextMenu | null>(null);
