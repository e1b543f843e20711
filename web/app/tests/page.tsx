import { act } from "@testing-library/react";
import type { ReactNode } from "react";
import { SessionProvider } from "../src/shell/context";
import { Session } from "../src/state/session";
import type { Snapshot } from "../src/wire/records";
import { FakeSocket, FakeTimers, hello, snapshot, workspace } from "./makers";

/** A page that shows one workspace of a server played by the test. */
export async function openPage(shown: Partial<Snapshot> = {}) {
  const socket = new FakeSocket();
  const timers = new FakeTimers();
  const session = new Session(
    {
      openSocket: () => socket,
      openCardSocket: () => new FakeSocket() as never,
      timers,
      random: () => 0.5,
      key: "k",
      name: "test",
    },
    { workspaceId: () => null, remember: () => undefined },
  );
  session.client.start();
  await socket.open();
  await socket.answer("client.hello", hello({ workspaces: [workspace()] }));
  await socket.answer("canvas.subscribe", snapshot(shown));
  const wrapper = ({ children }: { children: ReactNode }) => <SessionProvider value={session}>{children}</SessionProvider>;
  return {
    session,
    socket,
    timers,
    wrapper,
    answer: (method: string, result: unknown) => act(() => socket.answer(method, result)),
    event: (name: string, data: unknown) => act(() => socket.event(name, data)),
  };
}
