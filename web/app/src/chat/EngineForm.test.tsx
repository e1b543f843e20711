import { act, fireEvent, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { openPage } from "../../tests/page";
import { snapshot } from "../../tests/makers";
import EngineForm, { idFrom, type EndpointInfo } from "./EngineForm";

const known = (id: string, url: string): EndpointInfo => ({ id, url, dialect: "chat", hasKey: false });
const local: EndpointInfo = { id: "local", url: "http://127.0.0.1:1/v1", dialect: "messages", hasKey: true };

async function show(saved: Record<string, unknown> = { models: 2, problem: null }) {
  const page = await openPage(snapshot());
  const calls: [string, Record<string, unknown>][] = [];
  let closed = false;
  page.session.client.call = ((method: string, params: Record<string, unknown>) => {
    calls.push([method, params]);
    if (method === "session.endpoints") return Promise.resolve({ endpoints: [local] });
    if (method === "session.removeEndpoint") return Promise.resolve({ endpoints: [] });
    if (method !== "session.saveEndpoint") return Promise.reject(new Error(`${method} is not answered`));
    const { endpointId: id, key, ...given } = params;
    return Promise.resolve({ endpoints: [{ hasKey: key !== undefined, ...given, id }], ...saved });
  }) as typeof page.session.client.call;
  const { wrapper: Wrapper } = page;
  await act(async () => {
    render(
      <Wrapper>
        <EngineForm onClose={() => (closed = true)} />
      </Wrapper>,
    );
    await Promise.resolve();
  });
  return { calledWith: (method: string) => calls.filter(([name]) => name === method).map(([, params]) => params), isClosed: () => closed };
}

const field = (name: RegExp) => screen.getByLabelText(name) as HTMLInputElement;

test("a short name comes from the address and is never taken by another", () => {
  expect(idFrom("https://api.openai.com/v1", [])).toBe("openai");
  expect(idFrom("http://127.0.0.1:11434/v1", [])).toBe("local");
  expect(idFrom("not yet", [])).toBe("local");
  expect(idFrom("http://127.0.0.1:1/v1", [known("local", "http://127.0.0.1:2/v1")])).toBe("local-2");
  expect(idFrom("http://127.0.0.1:2/v1", [known("mine", "http://127.0.0.1:2/v1")])).toBe("mine");
});

test("an endpoint is edited under its name, and its key is kept unless another is typed", async () => {
  const { calledWith, isClosed } = await show();
  await userEvent.click(await screen.findByRole("button", { name: "Change “local”" }));
  expect(field(/^Base address/).value).toBe("http://127.0.0.1:1/v1");
  expect(field(/^Kind of API/).value).toBe("messages");
  expect(field(/^Short name/).disabled).toBe(true);
  expect(field(/^Key/).value).toBe("");
  expect(field(/^Key/).placeholder).toBe("kept as it is");
  await userEvent.type(field(/^Base address/), "/beta");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(calledWith("session.saveEndpoint")).toEqual([{ endpointId: "local", dialect: "messages", url: "http://127.0.0.1:1/v1/beta" }]);
  expect(isClosed()).toBe(true);
});

test("an address of another server says that the key does not go there", async () => {
  await show();
  await userEvent.click(await screen.findByRole("button", { name: "Change “local”" }));
  await userEvent.clear(field(/^Base address/));
  await userEvent.type(field(/^Base address/), "http://elsewhere.test/v1");
  expect(field(/^Key/).placeholder).toBe("stays with the server it was given for");
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(field(/^Base address/).value).toBe("");
});

test("Escape leaves the form of one endpoint for the list, and then the window", async () => {
  const { isClosed } = await show();
  const escape = () => fireEvent(screen.getByRole("dialog"), new Event("cancel", { cancelable: true }));
  await userEvent.click(await screen.findByRole("button", { name: "Change “local”" }));
  escape();
  expect(isClosed()).toBe(false);
  expect(screen.getByRole("button", { name: "Change “local”" })).toBeDefined();
  escape();
  expect(isClosed()).toBe(true);
});

test("the name of one endpoint does not silently replace it by another", async () => {
  const { calledWith } = await show();
  await screen.findByText("local");
  await userEvent.type(field(/^Base address/), "http://127.0.0.1:2/v1");
  await userEvent.type(field(/^Short name/), "local");
  expect(screen.getByText(/“local” is another endpoint/)).toBeTruthy();
  expect((screen.getByRole("button", { name: "Connect" }) as HTMLButtonElement).disabled).toBe(true);
  expect(calledWith("session.saveEndpoint")).toEqual([]);
});

test("an endpoint that gives no models is mended under the same name", async () => {
  const { calledWith, isClosed } = await show({ models: 0, problem: "Nobody answers there." });
  await userEvent.type(field(/^Base address/), "http://127.0.0.1:2/v1");
  await userEvent.click(screen.getByRole("button", { name: "Connect" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Nobody answers there.");
  await userEvent.type(field(/^Base address/), "x");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(calledWith("session.saveEndpoint").map((given) => given["endpointId"])).toEqual(["local-2", "local-2"]);
  expect(isClosed()).toBe(false);
});

test("an endpoint goes only when it was meant, by its name", async () => {
  const { calledWith } = await show();
  await userEvent.click(await screen.findByRole("button", { name: "Disconnect local" }));
  const question = screen.getByRole("dialog", { name: "Disconnect “local”?" });
  await userEvent.click(within(question).getByRole("button", { name: "Cancel" }));
  expect(calledWith("session.removeEndpoint")).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Disconnect local" }));
  await userEvent.click(screen.getByRole("button", { name: "Disconnect" }));
  expect(calledWith("session.removeEndpoint")).toEqual([{ endpointId: "local" }]);
});
