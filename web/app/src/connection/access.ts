const KEY = "cardloom.key";

export interface AccessPlace {
  fragment: string;
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  fetch: typeof fetch;
  /** Takes the code out of the address bar and the history. */
  clearFragment(): void;
}

/**
 * The key of this page: from the one-time code in the address, else the one kept since an earlier load.
 *
 * Null when there is neither, or the code was used before; then the person opens the page again from the command line.
 */
export async function obtainKey(place: AccessPlace): Promise<string | null> {
  const code = new URLSearchParams(place.fragment.replace(/^#/, "")).get("code");
  const kept = place.storage.getItem(KEY);
  if (code === null) return kept;
  place.clearFragment();
  const key = await exchange(place.fetch, code);
  if (key === null) return kept;
  place.storage.setItem(KEY, key);
  return key;
}

export function forgetKey(storage: Pick<Storage, "removeItem">): void {
  storage.removeItem(KEY);
}

async function exchange(send: typeof fetch, code: string): Promise<string | null> {
  try {
    const answer = await send("/access", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
    });
    if (!answer.ok) return null;
    const body = (await answer.json()) as { key?: unknown };
    return typeof body.key === "string" ? body.key : null;
  } catch {
    return null;
  }
}
