import { beforeEach, describe, expect, test, vi } from "vitest";
import { CardSdkError } from "../src";
import type { Card } from "../src";
import { MockHost, settle } from "../src/testing";
import type { SentRequest } from "../src/testing";
import { MANIFEST } from "./tideClock";

const URL_OF_TIDES = "https://tides.example.org/now";

let host: MockHost;
let card: Card;
let requests: SentRequest[];

beforeEach(async () => {
  host = new MockHost({ manifest: MANIFEST, permissions: ["network"], secrets: { token: "s3cret" } });
  requests = [];
  host.onFetch((request) => {
    requests.push(request);
    return { status: 201, headers: { "X-Tide": "high" }, body: '{"at":"12:40"}' };
  });
  card = await host.connect();
});

describe("an answer", () => {
  test("is read as text, as JSON and as bytes, whatever was asked for", async () => {
    for (const responseType of [undefined, "text", "json", "base64", "stream"] as const) {
      const get = () => card.net.fetch(URL_OF_TIDES, { responseType });
      expect(await (await get()).json()).toEqual({ at: "12:40" });
      expect(JSON.parse(await (await get()).text())).toEqual({ at: "12:40" });
      expect(new TextDecoder().decode(await (await get()).bytes())).toBe('{"at":"12:40"}');
    }
  });

  test("tells status, address and headers in any letter case", async () => {
    const response = await card.net.fetch(URL_OF_TIDES);
    expect(response).toMatchObject({ status: 201, ok: true, url: URL_OF_TIDES, truncated: false });
    expect([response.headers.get("x-tIDE"), response.headers.has("x-tide"), response.headers.get("gone")]).toEqual(["high", true, null]);
    expect([...response.headers]).toEqual([["x-tide", "high"]]);
  });

  test("that is empty is null as JSON, and one that is none is an error", async () => {
    host.onFetch(() => ({ status: 404, body: "" }));
    const empty = await card.net.fetch(URL_OF_TIDES);
    expect([empty.ok, await empty.json()]).toEqual([false, null]);
    host.onFetch(() => ({ body: "<html>" }));
    await expect((await card.net.fetch(URL_OF_TIDES)).json()).rejects.toMatchObject({ code: "NETWORK_ERROR" });
    await expect(card.net.fetch(URL_OF_TIDES, { responseType: "json" })).rejects.toMatchObject({ code: "NETWORK_ERROR" });
  });

  test("comes line by line, however its pieces are cut", async () => {
    host.onFetch(() => ({ body: ["one\r", "\ntwo", "\n", "\nпри", "лив"] }));
    const response = await card.net.fetch(URL_OF_TIDES, { responseType: "stream" });
    const lines: string[] = [];
    for await (const line of response.lines()) lines.push(line);
    expect(lines).toEqual(["one", "two", "", "прилив"]);
  });
});

describe("a request", () => {
  test("has its secrets filled in by the host alone", async () => {
    await card.net.fetch(URL_OF_TIDES, { headers: new Map([["Authorization", "Bearer {{secret:token}}"]]) });
    expect(requests[0]?.headers).toEqual({ authorization: "Bearer s3cret" });
    expect(JSON.stringify(host.calls)).not.toContain("s3cret");
  });

  test("carries bytes as they are", async () => {
    await card.net.fetch(URL_OF_TIDES, { body: new Uint8Array([0, 255, 10]).buffer });
    expect(requests[0]).toMatchObject({ method: "POST", body: new Uint8Array([0, 255, 10]) });
  });

  test.each([
    ["beyond the declared hosts", "https://example.org", "HOST_NOT_ALLOWED"],
    ["by http", "http://tides.example.org", "HOST_NOT_ALLOWED"],
    ["with a password in its address", "https://a:b@tides.example.org", "INVALID_PARAMS"],
    ["to this computer", "http://127.0.0.1:8080", "PERMISSION_DENIED"],
  ])("%s is refused", async (_, url, code) => {
    await expect(card.net.fetch(url)).rejects.toMatchObject({ code });
    expect(requests).toEqual([]);
  });

  test.each([
    ["a header that is the host's", { Cookie: "a=b" }],
    ["a secret that is not set", { "X-Key": "{{secret:other}}" }],
  ])("with %s is refused", async (_, headers) => {
    await expect(card.net.fetch(URL_OF_TIDES, { headers })).rejects.toMatchObject({ code: "INVALID_PARAMS" });
  });
});

describe("ending a request", () => {
  test("before its answer rejects with the signal's reason and tells the host", async () => {
    let server: AbortSignal | undefined;
    host.onFetch((request) => {
      server = request.signal;
      return new Promise(() => undefined);
    });
    const abort = new AbortController();
    const failing = expect(card.net.fetch(URL_OF_TIDES, { signal: abort.signal })).rejects.toThrow("enough");
    await settle();
    abort.abort(new Error("enough"));
    await failing;
    await settle();
    expect(server?.aborted).toBe(true);
  });

  test("while it streams ends the body, and a reader that leaves tells the host", async () => {
    host.answerWith("net.fetch", ({ url, requestId }) => ({ requestId, url, status: 200, statusText: "", headers: {} }));
    const abort = new AbortController();
    const response = await card.net.fetch(URL_OF_TIDES, { responseType: "stream", signal: abort.signal });
    const reading = expect(response.text()).rejects.toThrow("enough");
    await settle();
    abort.abort(new Error("enough"));
    await reading;

    const other = await card.net.fetch(URL_OF_TIDES, { responseType: "stream" });
    await host.event("net.chunk", { requestId: other.requestId, chunk: "x", encoding: "text", done: false });
    const reader = other.chunks();
    expect(await reader.next()).toEqual({ value: "x", done: false });
    await reader.return();
    await settle();
    const aborted = host.calls.filter(({ method }) => method === "net.abort").map(({ params }) => params);
    expect(aborted).toEqual([{ requestId: response.requestId }, { requestId: other.requestId }]);
  });

  test("by closing the card fails the streams that are read", async () => {
    host.answerWith("net.fetch", ({ url, requestId }) => ({ requestId, url, status: 200, statusText: "", headers: {} }));
    const response = await card.net.fetch(URL_OF_TIDES, { responseType: "stream" });
    const reading = expect(response.text()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    card.close();
    await reading;
  });

  test("before it began sends nothing", async () => {
    await expect(card.net.fetch(URL_OF_TIDES, { signal: AbortSignal.abort(new Error("never")) })).rejects.toThrow("never");
    await settle();
    expect(host.calls.map(({ method }) => method)).toEqual(["host.ready"]);
  });

  test("a signal that lives on holds nothing of requests that ended", async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, "addEventListener");
    const remove = vi.spyOn(signal, "removeEventListener");
    await card.net.fetch(URL_OF_TIDES, { signal });
    const streamed = await card.net.fetch(URL_OF_TIDES, { signal, responseType: "stream" });
    await streamed.text();
    host.refuseNext("net.fetch", new CardSdkError("TIMEOUT", "Late."));
    await expect(card.net.fetch(URL_OF_TIDES, { signal })).rejects.toMatchObject({ code: "TIMEOUT" });
    const removed = remove.mock.calls.map(([, listener]) => listener);
    expect(add.mock.calls.filter(([, listener]) => !removed.includes(listener))).toEqual([]);
    expect(add.mock.calls.length).toBeGreaterThan(3);
  });
});
