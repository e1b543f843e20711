import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { focusWhenDrawn } from "./focusing";

let frames: FrameRequestCallback[] = [];

beforeEach(() => {
  frames = [];
  vi.stubGlobal("requestAnimationFrame", (run: FrameRequestCallback) => frames.push(run));
});

afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

function nextFrame(): void {
  for (const run of frames.splice(0)) run(0);
}

function draw(id: string): HTMLElement {
  const button = document.createElement("button");
  button.id = id;
  document.body.append(button);
  return button;
}

test("what is drawn some frames later has the keyboard then", () => {
  focusWhenDrawn("#arrow");
  nextFrame();
  nextFrame();
  const arrow = draw("arrow");
  nextFrame();
  expect(document.activeElement).toBe(arrow);
  expect(frames).toEqual([]);
});

test("who went elsewhere meanwhile keeps the keyboard", () => {
  const elsewhere = draw("elsewhere");
  focusWhenDrawn("#arrow");
  nextFrame();
  elsewhere.focus();
  draw("arrow");
  nextFrame();
  expect(document.activeElement).toBe(elsewhere);
  expect(frames).toEqual([]);
});

test("what is never drawn is not waited for any longer", () => {
  focusWhenDrawn("#arrow");
  for (let frame = 0; frame < 300; frame += 1) nextFrame();
  expect(frames).toEqual([]);
});
