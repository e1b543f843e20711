import type { PermissionId, PermissionView } from "@cardloom/protocol";
import type { LiveContext } from "./context";
import type { CardMethodResults } from "./contract";
import { isCardSdkError } from "./errors";
import type { EventHub } from "./hub";
import type { HostLink } from "./link";
import type { Stop } from "./types";

/** What the owner granted the card's package in this workspace. */
export class Permissions {
  readonly #link: HostLink;
  readonly #hub: EventHub;
  readonly #context: LiveContext;

  constructor(link: HostLink, hub: EventHub, context: LiveContext) {
    this.#link = link;
    this.#hub = hub;
    this.#context = context;
  }

  /** The declared permissions with what is granted of them. */
  get all(): readonly PermissionView[] {
    return this.#context.value.permissions;
  }

  /** Whether a permission may be used now, implied ones included. */
  has(permission: PermissionId | (string & Record<never, never>)): boolean {
    return this.#context.holds(permission);
  }

  /** Asks the host for the list. */
  async list(): Promise<readonly PermissionView[]> {
    const permissions = (await this.#link.call("permissions.list")) as readonly PermissionView[];
    this.#context.put({ permissions });
    return permissions;
  }

  /**
   * Asks the user for optional permissions; gives those granted, which may be none.
   *
   * Ask at the moment of need, while the card is on screen. PERMISSION_DENIED for one not declared as optional.
   */
  async request(...ids: readonly (PermissionId | readonly PermissionId[])[]): Promise<readonly PermissionId[]> {
    const answer = await this.#link.call("permissions.request", { ids: ids.flat() });
    await this.list();
    return (answer as CardMethodResults["permissions.request"]).granted;
  }

  /** Calls a function with the list whenever something was granted or taken back. */
  onChanged(handler: (permissions: readonly PermissionView[]) => void): Stop {
    return this.#hub.on("permissions.changed", (permissions) => handler(permissions as readonly PermissionView[]));
  }
}

/**
 * Asks for those of the permissions that are missing; gives those that may be used now, in the order asked.
 *
 * It never throws. What was not declared as optional is not asked for; a refusal, or a card off screen, leaves out what
 * was asked for.
 */
export async function requestPermissions(
  card: { readonly permissions: Pick<Permissions, "all" | "has" | "request"> },
  ...ids: readonly string[]
): Promise<string[]> {
  const wanted = [...new Set(ids)];
  const optional = card.permissions.all.filter((declared) => declared.optional).map(({ id }) => id);
  const missing = optional.filter((id) => wanted.includes(id) && !card.permissions.has(id));
  if (missing.length > 0) {
    try {
      await card.permissions.request(missing);
    } catch (error) {
      if (!isCardSdkError(error)) throw error;
    }
  }
  return wanted.filter((id) => card.permissions.has(id));
}
