import type { CardMethodParams, Tone } from "@cardloom/protocol";
import type { CardEventData, CardMethodResults } from "./contract";
import { given } from "./given";
import type { EventHub } from "./hub";
import type { HostLink } from "./link";
import type { Stop } from "./types";

/** An entry of the card's menu. */
export type MenuItem = CardMethodParams["ui.setMenu"]["items"][number] & { readonly onSelect?: (() => void) | undefined };

/** What the host shows on the card's behalf. */
export class Ui {
  readonly #link: HostLink;
  readonly #hub: EventHub;
  #onSelect = new Map<string, () => void>();

  constructor(link: HostLink, hub: EventHub) {
    this.#link = link;
    this.#hub = hub;
  }

  /** Shows a short message in passing, for 1 to 15 s; one every 2 s. */
  async toast(
    message: string,
    { tone, durationMs }: { readonly tone?: Tone | undefined; readonly durationMs?: number | undefined } = {},
  ): Promise<void> {
    await this.#link.call("ui.toast", { message, ...given({ tone, durationMs }) });
  }

  /** Asks the user yes or no; false also when the question was closed or not answered. */
  async confirm(question: CardMethodParams["ui.confirm"]): Promise<boolean> {
    return ((await this.#link.call("ui.confirm", given(question))) as CardMethodResults["ui.confirm"]).confirmed;
  }

  /** Replaces the card's entries in its menu. */
  async setMenu(items: readonly MenuItem[]): Promise<void> {
    this.#onSelect = new Map(items.flatMap(({ id, onSelect }) => (onSelect ? [[id, onSelect] as const] : [])));
    await this.#link.call("ui.setMenu", { items: items.map(({ onSelect: _, ...item }) => given(item)) });
  }

  /** Calls a function with the id of each entry that was chosen. */
  onMenu(handler: (id: string) => void): Stop {
    return this.#hub.on("ui.menu", (data) => handler((data as CardEventData["ui.menu"]).id));
  }

  /** Calls the chosen entry's own function. */
  hear(event: string, data: unknown): void {
    if (event === "ui.menu") this.#onSelect.get((data as CardEventData["ui.menu"]).id)?.();
  }
}
