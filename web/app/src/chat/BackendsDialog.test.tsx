import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { openPage } from "../../tests/page";
import { snapshot } from "../../tests/makers";
import { shortName } from "./BackendForm";
import BackendsDialog from "./BackendsDialog";

const programs = [
  { kind: "pi", title: "pi", command: ["pi"], path: "/usr/bin/pi" },
  { kind: "acp", title: "Gemini CLI", command: ["gemini", "--acp"], path: null },
];
const far = { id: "far", kind: "http", title: "Far", url: "http://far.test/v1", hasKey: true, state: "unasked", why: null };
const away = { ...far, state: "silent", why: "Nobody answers there." };

async function show(answers: Record<string, (params: Record<string, unknown>) => unknown>) {
  const page = await openPage(snapshot());
  const calls: [string, Record<string, unknown>][] = [];
  page.session.client.call = ((method: string, params: Record<string, unknown>) => {
    calls.push([method, params]);
    const answer = answers[method];
    return answer === undefined ? Promise.reject(new Error(`${method} is not answered`)) : Promise.resolve(answer(params));
  }) as typeof page.session.client.call;
  const { wrapper: Wrapper } = page;
  await act(async () => {
    render(
      <Wrapper>
        <BackendsDialog onEngine={() => undefined} onClose={() => undefined} />
      </Wrapper>,
    );
    await Promise.resolve();
  });
  return { calledWith: (method: string) => calls.filter(([name]) => name === method).map(([, params]) => params) };
}

test("tells how each backend is and why, asking those that only an answer can tell of", async () => {
  const { calledWith } = await show({
    "session.setUp": () => ({ backends: [far], programs }),
    "session.checkBackend": () => ({ backends: [away], programs }),
  });
  expect(await screen.findByText("Nobody answers there.")).toBeTruthy();
  expect(screen.getByText("does not answer")).toBeTruthy();
  expect(calledWith("session.checkBackend")).toEqual([{ backendId: "far" }]);
  expect(screen.getByText("/usr/bin/pi")).toBeTruthy();
  expect(screen.getByText("“gemini” was not found on this machine")).toBeTruthy();
});

test("a program is set up with its command as words, and asked whether it answers", async () => {
  const made = { id: "pi", kind: "pi", title: "pi", command: ["pi"], folder: "/w", hasKey: false, state: "answers", why: null };
  const { calledWith } = await show({
    "session.setUp": () => ({ backends: [], programs }),
    "session.saveBackend": () => ({ backends: [{ ...made, state: "found" }], programs }),
    "session.checkBackend": () => ({ backends: [made], programs }),
  });
  await userEvent.click(await screen.findByRole("button", { name: "Add: pi" }));
  const form = screen.getByRole("dialog", { name: "Add: pi" });
  const command = within(form).getByLabelText(/^Command/);
  await userEvent.clear(command);
  await userEvent.type(command, 'pi --name "a b"');
  await userEvent.type(within(form).getByLabelText(/^Folder/), "/w");
  await userEvent.click(within(form).getByRole("button", { name: "Add" }));
  expect(await screen.findByText("answers")).toBeTruthy();
  expect(calledWith("session.saveBackend")).toEqual([{ backendId: "pi", kind: "pi", title: "pi", command: ["pi", "--name", "a b"], folder: "/w" }]);
});

test("what is refused stays in the form, with the reason", async () => {
  await show({
    "session.setUp": () => ({ backends: [], programs }),
    "session.saveBackend": () => Promise.reject(new Error("folder: an absolute path is expected")),
  });
  await userEvent.click(await screen.findByRole("button", { name: "Add: pi" }));
  await userEvent.type(screen.getByLabelText(/^Folder/), "w");
  await userEvent.click(screen.getByRole("button", { name: "Add" }));
  expect((await screen.findByRole("alert")).textContent).toContain("an absolute path is expected");
  expect((screen.getByLabelText(/^Folder/) as HTMLInputElement).value).toBe("w");
});

test("a backend goes only when it was meant, and its key is never shown", async () => {
  const { calledWith } = await show({
    "session.setUp": () => ({ backends: [away], programs }),
    "session.removeBackend": () => ({ backends: [], programs }),
  });
  await userEvent.click(await screen.findByRole("button", { name: "Change “Far”" }));
  expect((screen.getByLabelText(/^Key/) as HTMLInputElement).value).toBe("");
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await userEvent.click(screen.getByRole("button", { name: "Remove “Far”" }));
  expect(calledWith("session.removeBackend")).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Remove" }));
  expect(calledWith("session.removeBackend")).toEqual([{ backendId: "far" }]);
  expect(screen.queryByText("Far")).toBeNull();
});

test("a short name is plain and free", () => {
  expect(shortName("Gemini CLI", [])).toBe("gemini-cli");
  expect(shortName("/opt/my agent", ["my-agent"])).toBe("my-agent-2");
  expect(shortName("движок", [])).toBe("backend");
  expect(shortName("Engine", [])).toBe("engine-2");
});
