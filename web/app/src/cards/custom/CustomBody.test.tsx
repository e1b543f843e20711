import { screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { showCard } from "../testing/cardHost";

const chrome = { title: null, status: null, badge: null, overview: null, attention: null };
const running = { status: "running", restarts: 0, error: null };
const port = (id: string, label: string, type: string) => ({ id, label, type, mode: "stream", retain: false });

describe("a card with a program of its own", () => {
  test("sets the numbers of its overview large, each with its label", () => {
    const overview = { primary: "3 failing", secondary: "12 passing", progress: 0.8, tone: "danger", icon: null };
    showCard({ kind: "custom", runtime: running, chrome: { ...chrome, overview } });
    expect(screen.getAllByRole("definition").map((each) => each.textContent)).toEqual(["3", "12"]);
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("80");
  });

  test("says that it waits for permission", () => {
    showCard({ kind: "custom", runtime: { ...running, status: "waiting" } });
    expect(screen.getByRole("status").textContent).toContain("Waits for your permission");
  });

  test("says when its program runs and answers nothing", () => {
    showCard({ kind: "custom", runtime: { ...running, error: "It has not answered for 15 s." } });
    expect(screen.getByRole("status").textContent).toContain("It has not answered for 15 s.");
    expect(screen.getByRole("button", { name: "Restart" })).toBeDefined();
  });

  test("says that its program does not connect, with what the program wrote last", () => {
    const error = "It runs and has not connected for 20 s.\nreading the cookbook";
    showCard({ kind: "custom", runtime: { ...running, status: "starting", error } });
    expect(screen.getByRole("status").textContent).toContain("The card's program does not connect.");
    expect(screen.getByText(/reading the cookbook/u)).toBeDefined();
    expect(screen.getByRole("button", { name: "Restart" })).toBeDefined();
  });

  test("shows what failed and restarts on demand", async () => {
    const failed = { status: "failed", restarts: 3, error: "ModuleNotFoundError: radar" };
    const { user, calls } = showCard({ kind: "custom", runtime: failed }, { "card.restart": () => ({}) });
    expect(screen.getByRole("alert").textContent).toContain("ModuleNotFoundError: radar");
    await user.click(screen.getByRole("button", { name: "Restart" }));
    expect(calls).toEqual([{ method: "card.restart", params: { cardId: "card-1" } }]);
  });

  test("a restart that is refused is told", async () => {
    const { user, toasts } = showCard(
      { kind: "custom", name: "Test Radar", runtime: { ...running, status: "stopped" } },
      {
        "card.restart": () => {
          throw new Error("the folder is gone");
        },
      },
    );
    await user.click(screen.getByRole("button", { name: "Start" }));
    expect(toasts()).toEqual(["Restart in “Test Radar” did not work: the folder is gone"]);
  });

  test("lists its ports", () => {
    const ports = {
      inputs: [port("exit", "Exit", "ns:event")],
      outputs: [port("failures", "Failures", "ns:tasks"), port("summary", "Summary", "ns:markdown")],
    };
    showCard({ kind: "custom", runtime: running, ports });
    const names = (label: string) =>
      within(screen.getByRole("list", { name: label })).getAllByRole("listitem").map((row) => row.textContent);
    expect(names("Inputs")).toEqual(["Exit"]);
    expect(names("Outputs")).toEqual(["Failures", "Summary"]);
  });
});
