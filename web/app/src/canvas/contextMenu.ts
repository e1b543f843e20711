import type { MenuEntry } from "../shell/Menu";
import { createStore } from "../state/store";

interface ContextMenu {
  label: string;
  at: { x: number; y: number };
  entries: readonly MenuEntry[];
}

/** The one context menu of the page; null while none is open. */
export const contextMenu = createStore<ContextMenu | null>(null);
