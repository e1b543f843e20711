import { render, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { openPage } from "../../tests/page";
import { cardBodies } from "../cards/registry";
import { Help } from "./Help";

async function openHelp() {
  const { session, wrapper } = await openPage();
  render(<Help />, { wrapper });
  return (kind: string) => {
    const heading = screen.getByRole("heading", { level: 3, name: kind });
    return { session, within: within(heading.parentElement as HTMLElement) };
  };
}

test("the help lists what works inside a card of each kind", async () => {
  const group = await openHelp();
  const { session } = group("Cards");
  for (const { label, hints = [] } of Object.values(cardBodies)) {
    if (hints.length === 0) continue;
    const listed = group(session.t(label)).within.getAllByRole("definition");
    expect(listed.map((line) => line.textContent)).toEqual(hints.map((hint) => session.t(hint.label)));
  }
});

test("how a terminal is searched, copied from and left stands in the help", async () => {
  const terminal = (await openHelp())("Terminal").within;
  expect(terminal.getAllByRole("term").map((keys) => keys.textContent)).toEqual(["Ctrl F", "Ctrl Shift C / V", "Ctrl F6"]);
});
