import { describe, expect, test } from "vitest";
import { translator } from "../i18n/catalogue";
import { cacheShare, costText, duration, exactMoney, money, rowName, tokensText } from "./amounts";

const t = translator("en");

describe("amounts", () => {
  test("money has cents, small money more digits, and hardly any is not shown as none", () => {
    expect(money(4_310_000, "en")).toBe("$4.31");
    expect(money(12_345_678_900, "en")).toBe("$12,345.68");
    expect(money(42_000, "en")).toBe("$0.0420");
    expect(money(3, "en")).toBe("<$0.0001");
    expect(money(0, "en")).toBe("$0.00");
    expect(exactMoney(20_468, "en")).toBe("$0.020468");
  });

  test("what was not reported is said, and nothing is a dash", () => {
    expect(tokensText(null, 3, t, "en")).toBe("not reported");
    expect(tokensText(null, 0, t, "en")).toBe("–");
    expect(tokensText(0, 3, t, "en")).toBe("0");
    expect(costText({ costMicroUsd: null, requests: 2, unpricedRequests: 2 }, t, "en")).toBe("no price");
    expect(costText({ costMicroUsd: 500_000, requests: 2, unpricedRequests: 1 }, t, "en")).toBe("$0.50 +");
    expect(costText({ costMicroUsd: 500_000, requests: 2, unpricedRequests: 0 }, t, "en")).toBe("$0.50");
  });

  test("the share of the cache is of all that was read", () => {
    expect(cacheShare({ inputTokens: 10, cacheReadTokens: 80, cacheWriteTokens: 10 })).toBe(0.8);
    expect(cacheShare({ inputTokens: 10, cacheReadTokens: null, cacheWriteTokens: null })).toBeNull();
    expect(cacheShare({ inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: null })).toBeNull();
  });

  test("a duration is short", () => {
    expect(duration(2_340, t)).toBe("2.3 s");
    expect(duration(134_000, t)).toBe("2 min 14 s");
    expect(duration(3_840_000, t)).toBe("1 h 4 min");
  });

  test("the server's own words are said in the page's language; a card with such a name keeps it", () => {
    expect(rowName({ key: null, name: "person" }, translator("ru"))).toBe("человек");
    expect(rowName({ key: "c1", name: "person" }, translator("ru"))).toBe("person");
  });
});
