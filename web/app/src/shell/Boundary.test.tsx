import { fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Boundary } from "./Boundary";

let broken = true;

function Part() {
  if (broken) throw new Error("the chunk is gone");
  return <p>the part</p>;
}

beforeEach(() => {
  broken = true;
  // React writes every caught error to the console, which is what this test provokes.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

test("a part that fails leaves the rest standing and can be drawn anew", () => {
  render(
    <>
      <p>the rest</p>
      <Boundary fallback={(error, again) => <button onClick={again}>{error.message}</button>}>
        <Part />
      </Boundary>
    </>,
  );
  expect(screen.getByText("the rest")).toBeDefined();
  broken = false;
  fireEvent.click(screen.getByText("the chunk is gone"));
  expect(screen.getByText("the part")).toBeDefined();
});
