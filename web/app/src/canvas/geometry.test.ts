import { describe, expect, test } from "vitest";
import { anchorOn, boundsOf, clearOf, curveBetween, dotOffset, facingSide, freePlace, labelFits, nearestTowards, offset, overlaps } from "./geometry";

const at = (x: number, y: number, w = 100, h = 60) => ({ x, y, w, h });

describe("the side that looks at another card", () => {
  test.each([
    ["right", at(300, 0)],
    ["left", at(-300, 10)],
    ["bottom", at(20, 300)],
    ["top", at(20, -300)],
    ["right", at(150, 90)],
  ])("%s", (side, other) => {
    expect(facingSide(at(0, 0), other)).toBe(side);
  });

  test("both ends of an arrow agree", () => {
    expect([facingSide(at(0, 0), at(300, 80)), facingSide(at(300, 80), at(0, 0))]).toEqual(["right", "left"]);
    expect([facingSide(at(0, 0), at(30, 400)), facingSide(at(30, 400), at(0, 0))]).toEqual(["bottom", "top"]);
  });
});

describe("anchors", () => {
  test("lie on the border and lean towards the other card", () => {
    const anchor = anchorOn(at(0, 0), at(300, 200));
    expect(anchor).toMatchObject({ side: "right", x: 100 });
    expect(anchor.y).toBeGreaterThan(30);
    expect(anchor.y).toBeLessThan(60);
  });

  test("use the dot of the port when its side is the one", () => {
    expect(anchorOn(at(0, 0), at(300, 200), { right: -9 })).toEqual({ side: "right", onDot: true, x: 100, y: 21 });
    expect(anchorOn(at(0, 0), at(20, 300), { right: -9 }).side).toBe("bottom");
  });

  test("dots stand symmetrically around the middle", () => {
    expect([0, 1, 2].map((index) => dotOffset(index, 3))).toEqual([-18, 0, 18]);
    expect(dotOffset(0, 1)).toBe(0);
  });

  test("a tip keeps off the border", () => {
    expect(offset({ side: "left", onDot: false, x: 10, y: 5 }, 9)).toEqual({ side: "left", onDot: false, x: 1, y: 5 });
  });
});

test("a curve starts and ends at its anchors and is even", () => {
  const curve = curveBetween({ side: "right", onDot: false, x: 0, y: 0 }, { side: "left", onDot: false, x: 200, y: 0 });
  expect(curve.path).toMatch(/^M0 0 C\d+ 0 \d+ 0 200 0$/);
  expect(curve.middle).toEqual({ x: 100, y: 0 });
});

test("a label that would run under a card is left out", () => {
  const end = (side: "left" | "right" | "top" | "bottom", x: number) => ({ side, onDot: false, x, y: 0 });
  expect(labelFits("tasks", end("right", 0), end("left", 50))).toBe(true);
  expect(labelFits("tasks · markdown", end("right", 0), end("left", 50))).toBe(false);
  expect(labelFits("tasks · markdown", end("bottom", 0), end("top", 0))).toBe(true);
});

describe("a free place", () => {
  test("is the wish where nothing is in the way", () => {
    expect(freePlace({ x: 10.4, y: 5 }, { w: 100, h: 60 }, [])).toEqual({ x: 10, y: 5 });
  });

  test("covers no other card", () => {
    const taken = [at(0, 0), at(200, 0), at(0, 200)];
    const place = freePlace({ x: 0, y: 0 }, { w: 100, h: 60 }, taken);
    expect(taken.some((card) => overlaps({ ...place, w: 100, h: 60 }, card))).toBe(false);
  });

  test("stands in line beside the card that was in the way", () => {
    expect(freePlace({ x: 10, y: 5 }, { w: 100, h: 60 }, [at(0, 0)])).toEqual({ x: 164, y: 0 });
  });

  test("many cards added at one spot stay close together", () => {
    const placed: ReturnType<typeof at>[] = [];
    for (let count = 0; count < 12; count += 1) placed.push({ ...freePlace({ x: 0, y: 0 }, { w: 300, h: 200 }, placed), w: 300, h: 200 });
    const bounds = boundsOf(placed);
    expect(bounds?.w).toBeLessThanOrEqual(5 * 364);
    expect(bounds?.h).toBeLessThanOrEqual(5 * 264);
  });
});

test("bounds hold every card; none have none", () => {
  expect(boundsOf([at(0, 0), at(200, -50)])).toEqual({ x: 0, y: -50, w: 300, h: 110 });
  expect(boundsOf([])).toBeNull();
});

test("the nearest card in a direction prefers what lies straight ahead", () => {
  const ahead = at(400, 0);
  const aside = at(300, 250);
  expect(nearestTowards(at(0, 0), [aside, ahead], "right")).toBe(ahead);
  expect(nearestTowards(at(0, 0), [aside, ahead], "down")).toBe(aside);
  expect(nearestTowards(at(0, 0), [aside, ahead], "left")).toBeNull();
});

describe("a bar on an arrow", () => {
  const view = at(0, 0, 1280, 800);
  const bar = at(460, 300, 160, 34);

  test("stays where it covers nothing", () => {
    expect(clearOf(bar, [at(200, 200, 250, 200), at(630, 200, 250, 200)], view)).toEqual(bar);
  });

  test("goes the shortest way out of a gap that is too narrow for it", () => {
    const beside = [at(200, 200, 300, 200), at(580, 280, 300, 200)];
    const moved = clearOf(bar, beside, view);
    expect(beside.some((card) => overlaps(moved, card))).toBe(false);
    expect(moved).toEqual({ ...bar, x: 506, y: 240 });
  });

  test("goes sideways and down where that is nearer than either alone", () => {
    const cards = [at(55, 20, 295, 220), at(398, 20, 276, 295), at(55, 268, 313, 350)];
    expect(clearOf(at(280, 150, 193, 34), cards, at(0, 0, 960, 750))).toEqual(at(374, 321, 193, 34));
  });

  test("keeps off a third card and inside the view", () => {
    const cards = [at(200, 20, 300, 380), at(580, 20, 300, 380), at(420, 405, 240, 60)];
    expect(clearOf(bar, cards, view)).toEqual({ ...bar, y: 471 });
  });

  test("stays where there is no free place, and where its arrow is out of sight", () => {
    expect(clearOf(bar, [at(0, 0, 1280, 800)], view)).toEqual(bar);
    expect(clearOf(at(2000, 0), [at(1990, 0)], view)).toEqual(at(2000, 0));
  });
});
