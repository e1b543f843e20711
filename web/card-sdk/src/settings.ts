import type { SettingValue } from "@cardloom/protocol";
import type { LiveContext } from "./context";
import type { EventHub } from "./hub";
import type { HostLink } from "./link";
import type { Settings, Stop } from "./types";

/** The settings that the manifest declares. Secrets are typed in the host's form alone and never shown to a card. */
export class CardSettings {
  readonly #link: HostLink;
  readonly #hub: EventHub;
  readonly #context: LiveContext;

  constructor(link: HostLink, hub: EventHub, context: LiveContext) {
    this.#link = link;
    this.#hub = hub;
    this.#context = context;
  }

  /** The values now, defaults filled in. */
  get values(): Settings["values"] {
    return this.#context.value.settings.values;
  }

  /** Which secrets are set. */
  get secrets(): Settings["secrets"] {
    return this.#context.value.settings.secrets;
  }

  /** Whether a secret is set. */
  hasSecret(key: string): boolean {
    return this.secrets[key] === true;
  }

  /** Asks the host for the settings. */
  async get(): Promise<Settings> {
    return this.#take(await this.#link.call("settings.get"));
  }

  /** Changes some values. INVALID_PARAMS names what does not fit. */
  async set(values: Readonly<Record<string, SettingValue>>): Promise<Settings> {
    return this.#take(await this.#link.call("settings.set", { values }));
  }

  /** Opens the host's form. */
  async open(): Promise<void> {
    await this.#link.call("settings.open");
  }

  /** Calls a function with all settings whenever some changed. */
  onChanged(handler: (settings: Settings) => void): Stop {
    return this.#hub.on("settings.changed", (settings) => handler(settings as Settings));
  }

  #take(answer: unknown): Settings {
    const settings = answer as Settings;
    this.#context.put({ settings });
    return settings;
  }
}
