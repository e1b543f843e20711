import { act, render } from "@testing-library/react";
import type { Capabilities, Message } from "@cardloom/protocol/session";
import { openPage } from "../../tests/page";
import { snapshot } from "../../tests/makers";
import { ToastStack } from "../shell/Toasts";
import { ChatView } from "./ChatView";
import { useConversation } from "./context";

type Answer = (params: Record<string, unknown>) => unknown;

const USUAL: Record<string, Answer> = {
  "session.backends": () => ({ backends: [{ id: "engine", title: "Engine", kind: "engine" }] }),
  "session.list": () => ({ ok: true, data: { sessions: [] } }),
  "session.get": () => ({ ok: true, data: { id: "s1", title: "Talk" } }),
  "session.runs": () => ({ ok: true, data: [] }),
  "session.models": () => ({ ok: true, data: [{ id: "local/one", name: "One", thinking: ["low", "high"] }] }),
  "session.profiles": () => ({ ok: true, data: [] }),
};

/** A chat on a page whose server is played: capabilities and history are given, other answers may be. */
export async function showChat(capabilities: Capabilities, history: readonly Message[], answers: Record<string, Answer> = {}) {
  const page = await openPage(snapshot());
  const calls: { method: string; params: Record<string, unknown> }[] = [];
  const all: Record<string, Answer> = {
    ...USUAL,
    "session.capabilities": () => ({ ok: true, data: capabilities }),
    "session.messages": () => ({ ok: true, data: history }),
    ...answers,
  };
  page.session.client.call = ((method: string, params: Record<string, unknown>) => {
    calls.push({ method, params });
    const answer = all[method];
    return answer === undefined ? Promise.reject(new Error(`${method} is not answered`)) : Promise.resolve(answer(params));
  }) as typeof page.session.client.call;

  function Chat() {
    const conversation = useConversation("engine", "s1");
    return conversation === null ? null : <ChatView conversation={conversation} show={() => undefined} />;
  }
  const { wrapper: Wrapper } = page;
  await act(async () => {
    render(
      <Wrapper>
        <Chat />
        <ToastStack />
      </Wrapper>,
    );
    await Promise.resolve();
  });
  return { ...page, calls, calledWith: (method: string) => calls.filter((call) => call.method === method).map((call) => call.params) };
}
