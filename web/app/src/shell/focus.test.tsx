import { fireEvent, render, screen, within } from "@testing-library/react";
import { ReactFlowProvider } from "@xyflow/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { note } from "../../tests/makers";
import { openPage } from "../../tests/page";
import { AgentsDrawer } from "../agents/AgentsDrawer";
import { Inspector } from "../panels/Inspector";
import { useStore } from "../state/store";
import { useSession } from "./context";
import { Help } from "./Help";
import { Palette } from "./Palette";
import { TopBar } from "./TopBar";

beforeEach(() => void vi.stubGlobal("matchMedia", () => Object.assign(new EventTarget(), { matches: true })));
afterEach(() => void vi.unstubAllGlobals());

function Page() {
  const session = useSession();
  const overlay = useStore(session.ui, (ui) => ui.overlay);
  return (
    <ReactFlowProvider>
      <TopBar />
      <button type="button">a card</button>
      <AgentsDrawer />
      <Inspector />
      {overlay === "palette" ? <Palette /> : null}
      {overlay === "help" ? <Help /> : null}
    </ReactFlowProvider>
  );
}

async function openWithFocus() {
  const page = await openPage({ cards: [note("a", { title: "Shopping", name: "Shopping" })] });
  render(<Page />, { wrapper: page.wrapper });
  const card = screen.getByRole("button", { name: "a card" });
  const openPalette = () => {
    card.focus();
    fireEvent.click(screen.getByRole("button", { name: "Search and commands" }));
    // In a browser the window gives the focus to its first field as it opens.
    const field = screen.getByRole("combobox");
    field.focus();
    return field;
  };
  return { ...page, card, openPalette };
}

test("the focus returns from the palette to where it was", async () => {
  const { card, openPalette } = await openWithFocus();
  const field = openPalette();
  fireEvent.keyDown(field, { key: "Escape" });
  expect(screen.queryByRole("combobox")).toBeNull();
  expect(document.activeElement).toBe(card);
});

test("the focus returns from a window that the palette opened to where it was before the palette", async () => {
  const { card, openPalette } = await openWithFocus();
  const field = openPalette();
  fireEvent.change(field, { target: { value: "Keys and help" } });
  fireEvent.keyDown(field, { key: "Enter" });
  fireEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Close" }));
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(document.activeElement).toBe(card);
});

test("the focus does not return from the palette to where it was when a command leads elsewhere", async () => {
  const { card, openPalette, session } = await openWithFocus();
  const field = openPalette();
  fireEvent.change(field, { target: { value: "Shopping" } });
  fireEvent.keyDown(field, { key: "Enter" });
  expect(session.ui.get().selection.cardIds).toEqual(["a"]);
  expect(document.activeElement).not.toBe(card);
});

test("a window that closes leaves the focus to whoever took it meanwhile", async () => {
  const { card, openPalette, session } = await openWithFocus();
  openPalette();
  const theme = screen.getByRole("button", { name: "Theme" });
  theme.focus();
  expect(document.activeElement).not.toBe(card);
  session.ui.update((ui) => ({ ...ui, overlay: null }));
  expect(await screen.findByRole("button", { name: "Theme" })).toBe(document.activeElement);
});

test.each([
  ["Close details", "Details panel"],
  ["Close the agents", "Agents"],
])("a column that is closed by its own button gives the focus to the button that brings it back", async (close, toggle) => {
  const { session } = await openWithFocus();
  const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
  if (!session.ui.get().agentsOpen) press("Agents");
  screen.getByRole("button", { name: close }).focus();
  press(close);
  expect(screen.queryByRole("button", { name: close })).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: toggle }));
});

test("a column that goes while the focus is elsewhere leaves it there", async () => {
  const { card } = await openWithFocus();
  card.focus();
  fireEvent.click(screen.getByRole("button", { name: "Details panel" }));
  expect(screen.queryByRole("complementary", { name: "Details" })).toBeNull();
  expect(document.activeElement).toBe(card);
});
