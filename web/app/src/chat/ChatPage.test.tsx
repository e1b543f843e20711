import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import type { Capabilities } from "@cardloom/protocol/session";
import { openPage } from "../../tests/page";
import { snapshot } from "../../tests/makers";
import { ChatPage } from "./ChatPage";

afterEach(() => history.replaceState(null, "", "/"));

async function show(query: string, capabilities: Capabilities) {
  history.replaceState(null, "", `/chat${query}`);
  const page = await openPage(snapshot());
  const asked: string[] = [];
  const sessions = [{ id: "s1", title: "Fixer" }];
  const answers: Record<string, unknown> = {
    "session.backends": { backends: [{ id: "agents", title: "Agents", kind: "other" }] },
    "session.capabilities": { ok: true, data: capabilities },
    "session.list": { ok: true, data: { sessions } },
    "session.get": { ok: true, data: sessions[0] },
    "session.messages": { ok: true, data: [] },
    "session.runs": { ok: true, data: [] },
  };
  page.session.client.call = ((method: string, params: { backend?: string }) => {
    asked.push(`${method} ${params.backend ?? ""}`);
    return method in answers ? Promise.resolve(answers[method]) : Promise.reject(new Error(method));
  }) as typeof page.session.client.call;
  const { wrapper: Wrapper } = page;
  await act(async () => {
    render(
      <Wrapper>
        <ChatPage />
      </Wrapper>,
    );
    await Promise.resolve();
  });
  return asked;
}

test("a backend that an address names and that is not there is no other one", async () => {
  const asked = await show("?backend=gone&session=s1", {});
  expect(await screen.findByText("There is no backend “gone” here.")).toBeTruthy();
  expect(asked.filter((call) => call.startsWith("session.list"))).toEqual([]);
  expect(location.search).toBe("?backend=gone&session=s1");
  expect(screen.getByRole("button", { name: "Set up backends…" })).toBeTruthy();
});

test("sessions that cannot be made or removed here offer neither", async () => {
  await show("", { sessions: {}, run: { cancel: true } });
  expect(await screen.findByText("Nothing has been said yet.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "New" })).toBeNull();
  expect(screen.queryByRole("button", { name: /^Actions for/ })).toBeNull();
});

test("sessions that can be made but not removed offer that", async () => {
  await show("", { sessions: { create: true }, rename: true, run: true });
  expect(await screen.findByRole("button", { name: "New" })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: /^Actions for/ }));
  expect(screen.getAllByRole("menuitem").map((entry) => entry.textContent)).toEqual(["Rename"]);
});
