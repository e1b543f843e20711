import type { ChatWire } from "./wire";

/** Tells of every change in a backend's workspace, over as many connections as it takes; gives what ends it. */
export function folderNews(wire: ChatWire, backend: string, changed: () => void): () => void {
  let leave: (() => void) | null = null;
  let attempt = 0;
  let ended = false;
  const open = async () => {
    const mine = ++attempt;
    leave?.();
    leave = null;
    try {
      const listener = { onEvents: changed, onEnd: () => undefined };
      const opened = await wire.stream(backend, "watch", {}, listener);
      if (ended || mine !== attempt) opened();
      else leave = opened;
    } catch {
      // Away, or nothing to watch: the next greeting tries again.
    }
  };
  const forget = [wire.on("client.online", () => void open()), wire.on("stream.gap", () => void open())];
  void open();
  return () => {
    ended = true;
    leave?.();
    for (const one of forget) one();
  };
}
