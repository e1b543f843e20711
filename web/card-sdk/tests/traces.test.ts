import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MockHostSide, ScriptedHost } from "./traces/hosts";
import { SCENARIOS } from "./traces/recorded";
import { SCRIPTS } from "./traces/scripts";
import { Stage } from "./traces/stage";

const HOSTS = { "a scripted host": () => new ScriptedHost(), "the mock host": () => new MockHostSide() };
let passed = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

test("every recorded scenario has its card", () => {
  expect(Object.keys(SCRIPTS).sort()).toEqual(SCENARIOS.map(({ name }) => name).sort());
});

describe.each(Object.keys(HOSTS) as (keyof typeof HOSTS)[])("recorded exchanges with %s", (host) => {
  test.each(SCENARIOS)("$name: $about", async (scenario) => {
    const stage = new Stage(scenario, HOSTS[host]());
    await SCRIPTS[scenario.name]?.(stage);
    await stage.end();
    passed += 1;
  });
});

afterAll(() => {
  process.stdout.write(`${passed} recorded exchanges passed (${SCENARIOS.length} scenarios, ${Object.keys(HOSTS).length} hosts)\n`);
});
