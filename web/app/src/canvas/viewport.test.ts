import { expect, test } from "vitest";
import { inward, viewportFor } from "./viewport";

const onScreen = (bounds: { x: number; y: number; w: number; h: number }, width: number, height: number) => {
  const { x, y, zoom } = viewportFor(bounds, width, height);
  return {
    left: bounds.x * zoom + x,
    top: bounds.y * zoom + y,
    right: (bounds.x + bounds.w) * zoom + x,
    bottom: (bounds.y + bounds.h) * zoom + y,
    zoom,
  };
};

test("everything lands above the bars at the lower edge", () => {
  const shown = onScreen({ x: -500, y: 200, w: 3000, h: 2500 }, 1280, 800);
  expect(shown.left).toBeGreaterThanOrEqual(28);
  expect(shown.right).toBeLessThanOrEqual(1252);
  expect(shown.top).toBeGreaterThanOrEqual(28);
  expect(shown.bottom).toBeLessThanOrEqual(708.01);
});

test("a lone card keeps its size, and grows a little on a very large screen", () => {
  expect(onScreen({ x: 0, y: 0, w: 200, h: 100 }, 1280, 800).zoom).toBe(1);
  expect(onScreen({ x: 0, y: 0, w: 200, h: 100 }, 3840, 2160).zoom).toBe(2);
});

test("a new card is shifted in no farther than needed, its beginning first", () => {
  expect(inward(10, 50, 0, 100)).toBe(0);
  expect(inward(-10, 50, 0, 100)).toBe(10);
  expect(inward(80, 130, 0, 100)).toBe(-30);
  expect(inward(20, 300, 0, 100)).toBe(-20);
});
