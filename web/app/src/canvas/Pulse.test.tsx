import { fireEvent, render } from "@testing-library/react";
import { expect, test } from "vitest";
import { openPage } from "../../tests/page";
import { Pulse } from "./Pulse";

async function arrowOnScreen() {
  const page = await openPage();
  const drawing = (
    <svg>
      <Pulse arrowId="a1" path="M0 0 L10 0" />
    </svg>
  );
  const { container } = render(drawing, { wrapper: page.wrapper });
  const stats = { passed: 1, dropped: 0, refused: 0, loops: 0, lastAtMs: 1 };
  const passes = (arrowId: string, direction: string, outcome: string) =>
    page.event("arrow.activity", {
      workspaceId: "w1",
      arrows: [{ arrowId, direction, outcome, stats, type: "ns:text" }],
    });
  return { passes, light: () => container.querySelector(".arrow-pulse") };
}

test("a value that passes sends a light along its arrow and no other, until the light has arrived", async () => {
  const { passes, light } = await arrowOnScreen();
  await passes("a2", "forward", "accepted");
  expect(light()).toBeNull();
  await passes("a1", "forward", "accepted");
  expect(light()?.getAttribute("class")).toBe("arrow-pulse");
  // Where the browser of the test knows no animations, React listens for their older name.
  fireEvent(light() as Element, new Event("AnimationEvent" in window ? "animationend" : "webkitAnimationEnd", { bubbles: true }));
  expect(light()).toBeNull();
});

test("a light runs back where the value did, and looks like trouble where it was dropped", async () => {
  const { passes, light } = await arrowOnScreen();
  await passes("a1", "backward", "loop");
  expect(light()?.getAttribute("class")).toBe("arrow-pulse is-backward is-trouble");
});
