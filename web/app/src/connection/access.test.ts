import { expect, test, vi } from "vitest";
import { forgetKey, obtainKey, type AccessPlace } from "./access";

function place(fragment: string, status: number, body: unknown, kept: string | null = null) {
  const store = new Map<string, string>(kept === null ? [] : [["cardloom.key", kept]]);
  const clearFragment = vi.fn();
  const send = vi.fn(() => Promise.resolve(new Response(JSON.stringify(body), { status })));
  const access: AccessPlace = {
    fragment,
    storage: {
      getItem: (key) => store.get(key) ?? null,
      setItem: (key, value) => void store.set(key, value),
      removeItem: (key) => void store.delete(key),
    },
    fetch: send as unknown as typeof fetch,
    clearFragment,
  };
  return { access, store, clearFragment, send };
}

test("the code in the address is exchanged for a key, kept, and taken out of the address", async () => {
  const { access, store, clearFragment, send } = place("#code=once", 200, { key: "k" });
  expect(await obtainKey(access)).toBe("k");
  expect(store.get("cardloom.key")).toBe("k");
  expect(clearFragment).toHaveBeenCalledOnce();
  expect(send).toHaveBeenCalledWith("/access", expect.objectContaining({ body: '{"code":"once"}' }));
});

test("without a code the kept key is used and nothing is asked", async () => {
  const { access, send } = place("", 200, {}, "kept");
  expect(await obtainKey(access)).toBe("kept");
  expect(send).not.toHaveBeenCalled();
});

test("a used code falls back to the kept key", async () => {
  const { access, clearFragment } = place("#code=used", 403, {}, "kept");
  expect(await obtainKey(access)).toBe("kept");
  expect(clearFragment).toHaveBeenCalledOnce();
});

test("with neither there is no key", async () => {
  expect(await obtainKey(place("", 200, {}).access)).toBeNull();
  expect(await obtainKey(place("#code=used", 403, {}).access)).toBeNull();
});

test("an answer without a key counts as refused", async () => {
  expect(await obtainKey(place("#code=x", 200, { key: 5 }).access)).toBeNull();
});

test("a refused key is forgotten", () => {
  const { access, store } = place("", 200, {}, "kept");
  forgetKey(access.storage);
  expect(store.size).toBe(0);
});
