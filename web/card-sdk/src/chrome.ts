import type { CardMethodParams, Chrome } from "@cardloom/protocol";
import { isCardSdkError } from "./errors";
import type { LiveContext } from "./context";
import type { HostLink } from "./link";

const DEFAULT_RETRY_MS = 1000;
const RETRY_MARGIN_MS = 25;

interface Caller {
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * One of the calls that set what is shown around the card.
 *
 * One update is under way; of those that come meanwhile the newest alone goes out next, and all their callers settle
 * with it. An update that came too often waits for as long as the host says and goes out again with the newest value.
 */
class Lane<Params> {
  readonly #method: string;
  readonly #link: HostLink;
  readonly #shown: (params: Params) => void;
  #newest: { readonly params: Params } | null = null;
  #callers: Caller[] = [];
  #running = false;

  constructor(method: string, link: HostLink, shown: (params: Params) => void) {
    this.#method = method;
    this.#link = link;
    this.#shown = shown;
  }

  set(params: Params): Promise<void> {
    this.#newest = { params };
    const settled = new Promise<void>((resolve, reject) => this.#callers.push({ resolve, reject }));
    if (!this.#running) void this.#run();
    return settled;
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#newest !== null) {
      const { params } = this.#newest;
      const callers = this.#callers;
      this.#newest = null;
      this.#callers = [];
      try {
        await this.#link.call(this.#method, params);
        this.#shown(params);
        for (const { resolve } of callers) resolve();
      } catch (error) {
        if (isCardSdkError(error, "RATE_LIMITED")) {
          this.#newest ??= { params };
          this.#callers = [...callers, ...this.#callers];
          const wait = error.retryAfterMs ?? 0;
          await pause((wait > 0 ? wait : DEFAULT_RETRY_MS) + RETRY_MARGIN_MS, this.#link.closed);
        } else {
          for (const { reject } of callers) reject(error);
        }
      }
    }
    this.#running = false;
  }
}

/** Waits; ends early when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    }
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

type ChromeMethod = "card.setTitle" | "card.setStatus" | "card.setBadge" | "card.setOverview" | "card.attention";
type ParamsOf<Method extends ChromeMethod> = CardMethodParams[Method];

/** What the host shows around the card: title, chip, badge, tile, call for attention. */
export class ChromeLanes {
  readonly title: Lane<ParamsOf<"card.setTitle">>;
  readonly status: Lane<ParamsOf<"card.setStatus">>;
  readonly badge: Lane<ParamsOf<"card.setBadge">>;
  readonly overview: Lane<ParamsOf<"card.setOverview">>;
  readonly attention: Lane<ParamsOf<"card.attention">>;

  constructor(link: HostLink, context: LiveContext) {
    const lane = <Method extends ChromeMethod>(method: Method, parts: (params: ParamsOf<Method>) => Partial<Chrome>) =>
      new Lane<ParamsOf<Method>>(method, link, (params) => context.putChrome(parts(params)));
    this.title = lane("card.setTitle", titleShown);
    this.status = lane("card.setStatus", statusShown);
    this.badge = lane("card.setBadge", badgeShown);
    this.overview = lane("card.setOverview", overviewShown);
    this.attention = lane("card.attention", attentionShown);
  }
}

// What a host shows for each call's params. An empty text is none.

export function titleShown({ title }: ParamsOf<"card.setTitle">): Pick<Chrome, "title"> {
  return { title: title || null };
}

export function statusShown({ text, tone = "default", busy = false }: ParamsOf<"card.setStatus">): Pick<Chrome, "status"> {
  return { status: text ? { text, tone, busy } : null };
}

export function badgeShown({ count = null, text, tone = "default" }: ParamsOf<"card.setBadge">): Pick<Chrome, "badge"> {
  return { badge: count === null && !text ? null : { count, text: text || null, tone } };
}

export function overviewShown(params: ParamsOf<"card.setOverview">): Pick<Chrome, "overview"> {
  const { primary = null, secondary = null, progress = null, icon = null, tone = "default" } = params;
  const empty = [primary, secondary, progress, icon].every((part) => part === null);
  return { overview: empty ? null : { primary, secondary, progress, icon, tone } };
}

export function attentionShown({ level, message }: ParamsOf<"card.attention">): Pick<Chrome, "attention"> {
  return { attention: level === "none" ? null : { level, message: message || null } };
}
