import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { lazy } from "react";
import { expect, test } from "vitest";
import { later } from "../testing/cardHost";
import { Awaited } from "./Awaited";

function showPart() {
  const loading = later<{ default: () => React.JSX.Element }>();
  const Part = lazy(() => loading.promise);
  const heard: string[] = [];
  render(
    <div onKeyDown={(event) => heard.push(event.key)}>
      <button type="button">elsewhere</button>
      <Awaited text="Loading…" className="waiting">
        <Part />
      </Awaited>
    </div>,
  );
  const load = () =>
    act(async () => loading.resolve({ default: () => <div role="textbox" tabIndex={-1} data-enter="click" /> }));
  return { user: userEvent.setup(), heard, load };
}

test("whoever clicks into a part that is on its way types nowhere else, and into it once it is there", async () => {
  const { user, heard, load } = showPart();
  await user.click(screen.getByText("Loading…"));
  await user.keyboard("{Delete}c");
  expect(heard).toEqual([]);
  await load();
  expect(document.activeElement).toBe(screen.getByRole("textbox"));
});

test("a part that comes takes the focus from nobody", async () => {
  const { user, load } = showPart();
  await user.click(screen.getByRole("button", { name: "elsewhere" }));
  await load();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "elsewhere" }));
});
