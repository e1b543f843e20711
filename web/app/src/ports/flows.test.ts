import { describe, expect, test } from "vitest";
import { note, port, terminal, todo } from "../../tests/makers";
import { translator } from "../i18n/catalogue";
import type { Card, CustomCard } from "../wire/records";
import { familyOf, shortType } from "./families";
import { arrowFamily, arrowLabel, familiesOf, flowsBetween, flowsOfArrow, matchCards } from "./flows";
import { matchText } from "./matchText";

const t = translator("en");

function custom(id: string, inputs: Card["ports"]["inputs"], outputs: Card["ports"]["outputs"]): CustomCard {
  return { ...note(id), kind: "custom", content: { packageId: "p", version: "1" }, ports: { inputs, outputs } };
}

describe("what flows", () => {
  test("a note reaches the default input of a to-do list, a task for each line", () => {
    const [flow] = flowsBetween(note("n"), todo("t"));
    expect([flow?.output.id, flow?.input.id, flow?.coercion]).toEqual(["text", "add", "lines-to-tasks"]);
  });

  test("request inputs are never picked", () => {
    const asking = custom("c", [port("lookup", "ns:markdown", { mode: "request" })], []);
    expect(flowsBetween(note("n"), asking)).toEqual([]);
  });

  test("direction decides which ways count", () => {
    const a = note("a");
    const b = todo("b");
    expect(flowsOfArrow(a, b, "forward").backward).toEqual([]);
    expect(flowsOfArrow(a, b, "backward").forward).toEqual([]);
    const both = flowsOfArrow(a, b, "both");
    expect([both.forward.length, both.backward.length]).toEqual([1, 1]);
  });
});

describe("how an arrow looks", () => {
  test("equal types show the type, others the two ports", () => {
    expect(arrowLabel(flowsOfArrow(todo("a"), todo("b"), "forward"))).toBe("tasks");
    expect(arrowLabel(flowsOfArrow(note("a"), todo("b"), "forward"))).toBe("text → add");
  });

  test("many types are cut short", () => {
    const many = custom("c", [], [port("a", "ns:text"), port("b", "ns:number"), port("d", "ns:table")]);
    const any = custom("x", [port("in", "ns:any")], []);
    expect(arrowLabel(flowsOfArrow(many, any, "forward"))).toBe("text · number +1");
  });

  test("the colour is that of what flows first, grey when nothing does", () => {
    expect(arrowFamily(flowsOfArrow(todo("a"), note("b"), "forward"))).toBe("tasks");
    expect(arrowFamily(flowsOfArrow(terminal("a"), note("b"), "forward"))).toBe("any");
  });

  test("types fall into families; a package's own type is data", () => {
    expect(["ns:url", "ns:task-patch", "ns:trigger", "ns:image", "radar/coverage", "ns:any"].map(familyOf)).toEqual([
      "text",
      "tasks",
      "event",
      "media",
      "data",
      "any",
    ]);
    expect([shortType("ns:text"), shortType("radar/coverage")]).toEqual(["text", "radar/coverage"]);
    expect(familiesOf([])).toEqual(["any"]);
    expect(familiesOf([port("a", "ns:text"), port("b", "ns:markdown"), port("c", "ns:json")])).toEqual(["text", "data"]);
  });
});

describe("whether an arrow is of use", () => {
  const why = (from: Card, to: Card, joined = false) => {
    const match = matchCards(from, to, joined);
    return [match.fits, matchText(t, match, from, to)];
  };

  test("says which port would be picked", () => {
    expect(why(note("n"), todo("t"))).toEqual([true, "Text → Add (markdown)"]);
  });

  test("says why not", () => {
    expect(why(note("n"), note("n"))[0]).toBe(false);
    expect(why(note("n"), todo("t"), true)).toEqual([false, "n and t are joined already"]);
    expect(why(terminal("sh"), note("n"))).toEqual([false, "only n → sh would carry something"]);
    const mute = todo("m", { ports: { inputs: [], outputs: [] } });
    expect(why(mute, note("n"))).toEqual([false, "m sends nothing"]);
    expect(why(note("n"), mute)).toEqual([false, "m receives nothing"]);
    const numbers = todo("x", { ports: { inputs: [port("n", "ns:number")], outputs: [] } });
    expect(why(note("n"), numbers)).toEqual([false, "x has no input for markdown"]);
  });

  test("a custom card may be joined to anything, for it can ask", () => {
    expect(why(custom("c", [], []), terminal("sh"))).toEqual([true, "requests and reads only"]);
  });
});
