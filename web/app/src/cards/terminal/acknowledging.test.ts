import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CallFailure } from "../../connection/failure";
import { Acknowledging } from "./acknowledging";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  const told: number[] = [];
  const answers: { resolve(): void; reject(error: Error): void }[] = [];
  const acknowledging = new Acknowledging((offset) => {
    told.push(offset);
    return new Promise<void>((resolve, reject) => answers.push({ resolve, reject }));
  });
  const answered = async () => {
    answers.shift()?.resolve();
    await vi.advanceTimersByTimeAsync(0);
  };
  const refused = async (code: string) => {
    answers.shift()?.reject(new CallFailure(code, "no"));
    await vi.advanceTimersByTimeAsync(0);
  };
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  return { acknowledging, told, answered, refused, pass };
}

test("one word is on its way at a time, and the next one names the newest", async () => {
  const { acknowledging, told, answered, pass } = setUp();
  for (const offset of [10, 11, 12]) acknowledging.drawn(offset);
  await pass(1000);
  expect(told).toEqual([10]);
  await answered();
  await pass(200);
  expect(told).toEqual([10, 12]);
});

test("many small pieces cost five words a second", async () => {
  const { acknowledging, told, answered, pass } = setUp();
  for (let offset = 1; offset <= 1000; offset += 1) {
    acknowledging.drawn(offset);
    await answered();
    await pass(1);
  }
  expect(told).toEqual([1, 200, 400, 600, 800, 1000]);
});

test("much at once is told without a rest", async () => {
  const { acknowledging, told, answered } = setUp();
  acknowledging.drawn(1);
  await answered();
  acknowledging.drawn(300_000);
  await answered();
  expect(told).toEqual([1, 300_000]);
});

test("what the server refused to hear is told again, what it is not there to hear is not", async () => {
  const { acknowledging, told, refused, pass } = setUp();
  acknowledging.drawn(5);
  await refused("RATE_LIMITED");
  await pass(200);
  expect(told).toEqual([5, 5]);
  await refused("UNAVAILABLE");
  await pass(1000);
  expect(told).toEqual([5, 5]);
});

test("a screen that is painted anew is told of from its beginning", async () => {
  const { acknowledging, told, answered, pass } = setUp();
  acknowledging.drawn(500);
  await answered();
  acknowledging.begin();
  acknowledging.drawn(0);
  await pass(200);
  expect(told).toEqual([500, 0]);
});

test("after the end nothing is told and nothing waits", async () => {
  const { acknowledging, told, answered } = setUp();
  acknowledging.drawn(1);
  await answered();
  acknowledging.drawn(2);
  acknowledging.stop();
  await answered();
  expect(told).toEqual([1]);
  expect(vi.getTimerCount()).toBe(0);
});
