import { readFileSync } from "node:fs";
import { THEME_TOKENS } from "@cardloom/protocol";
import { describe, expect, test } from "vitest";

const CSS = readFileSync(new URL("../src/kit.css", import.meta.url), "utf-8");

const TONES = ["accent", "success", "warning", "danger"];
const CLASSES = [
  ..."kit stack row spread grow pad scroll divider surface surface--inset title subtitle muted small mono truncate kbd".split(" "),
  ..."btn field label input textarea select help error switch list list-item badge dot spinner progress empty callout".split(" "),
  ..."primary secondary outline ghost danger sm lg icon".split(" ").map((name) => `btn--${name}`),
  ...TONES.flatMap((tone) => [`badge--${tone}`, `dot--${tone}`]),
  "callout--danger",
  "callout--success",
];

describe("the style kit", () => {
  test.each(CLASSES)("has a rule for .ns-%s", (name) => {
    expect(CSS).toMatch(new RegExp(`\\.ns-${name}(?![\\w-])`));
  });

  test("names no class that is not promised", () => {
    const named = [...CSS.matchAll(/\.ns-([a-z-]+)/g)].map(([, name]) => name);
    expect([...new Set(named)].filter((name) => !CLASSES.includes(name ?? ""))).toEqual([]);
  });

  test("uses tokens that the SDK writes, each with a value of its own beside it", () => {
    const known = new Set([...THEME_TOKENS, "font-sans", "font-mono", "gap", "progress"]);
    const used = [...CSS.matchAll(/var\(--ns-([a-z-]+)(,?)/g)];
    expect(used.length).toBeGreaterThan(30);
    expect(used.filter(([, name = ""]) => !known.has(name)).map(([text]) => text)).toEqual([]);
    expect(used.filter(([, , comma]) => comma === "").map(([text]) => text)).toEqual([]);
  });

  test("lets spinners rest while the page is paused", () => {
    expect(CSS).toMatch(/\[data-ns-paused\] \.ns-spinner[^{]*\{\s*animation-play-state: paused/);
  });
});
