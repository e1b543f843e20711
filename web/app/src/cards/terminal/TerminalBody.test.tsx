import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { later, showCard } from "../testing/cardHost";

vi.mock("./TerminalView", () => ({ default: () => <p>screen</p> }));

const ended = { status: "exited", pid: null, cwd: null, command: null, exitCode: 3, cols: 80, rows: 24, generation: 1 };
const content = { shell: "shell-bash", cwd: null };

test("a shell that ended says how, and is started again once", async () => {
  const answer = later<object>();
  const { user, calls, change } = showCard(
    { kind: "terminal", content, runtime: ended },
    { "terminal.start": () => answer.promise },
  );
  expect(await screen.findByText("bash ended · exit code 3")).toBeDefined();
  const button = screen.getByRole<HTMLButtonElement>("button", { name: "Start again" });
  await user.click(button);
  expect(button.disabled).toBe(true);
  expect(calls).toEqual([{ method: "terminal.start", params: { cardId: "card-1" } }]);
  answer.resolve({});
  change({ runtime: { ...ended, status: "idle", exitCode: null } });
  expect(screen.queryByRole("button", { name: "Start again" })).toBeNull();
});

test("a shell that cannot start says where and why", async () => {
  const { user, toasts } = showCard(
    { kind: "terminal", name: "Build", content, runtime: ended },
    {
      "terminal.start": () => {
        throw new Error("the folder is gone");
      },
    },
  );
  await user.click(await screen.findByRole("button", { name: "Start again" }));
  expect(toasts()).toEqual(["Starting the shell in “Build” did not work: the folder is gone"]);
});
