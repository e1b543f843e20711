import { opened } from "@cardloom/protocol/session";
import type { CanvasClient } from "../../connection/client";

/** As much of the page's connection as chats use, so that a test can play the server. */
export interface ChatConnection {
  readonly online: boolean;
  call(method: string, params: object): Promise<unknown>;
  on(event: string, listener: (data: never) => void): () => void;
}

/** One event of a stream; a stream of a run goes on behind `id`. */
export interface StreamedEvent {
  readonly id: string | null;
  readonly event: { readonly type: string; readonly [field: string]: unknown };
}

interface StreamNews {
  readonly streamId: string;
  readonly events: readonly StreamedEvent[];
  readonly ended: boolean;
  readonly error: { readonly code: string; readonly message: string } | null;
}

interface StreamListener {
  onEvents(events: readonly StreamedEvent[]): void;
  /** Nothing more will come by this stream. */
  onEnd(error: { readonly code: string; readonly message: string } | null): void;
}

const MAX_EARLY = 64;

/** The session protocol over the page's own connection: calls by name, and any number of streams. */
export class ChatWire {
  private readonly streams = new Map<string, StreamListener>();
  /** News of streams whose id has not been told yet: it may come before the answer to the call. */
  private readonly early: StreamNews[] = [];

  constructor(private readonly connection: ChatConnection) {
    connection.on("session.stream", (news: StreamNews) => this.heard(news));
  }

  get online(): boolean {
    return this.connection.online;
  }

  on(event: string, listener: (data: never) => void): () => void {
    return this.connection.on(event, listener);
  }

  /** Carries out an operation of the session protocol; rejects with the backend's `SessionError`. */
  async call<T>(backend: string, name: string, params: object = {}): Promise<T> {
    return opened<T>(await this.connection.call(`session.${name}`, { backend, ...params }));
  }

  /** Calls a method that stands beside the session protocol. */
  ask<T>(method: string, params: object = {}): Promise<T> {
    return this.connection.call(method, params) as Promise<T>;
  }

  /** Opens a stream and gives what ends it. */
  async stream(backend: string, name: string, params: object, listener: StreamListener): Promise<() => void> {
    const { streamId } = await this.call<{ streamId: string }>(backend, name, params);
    this.streams.set(streamId, listener);
    for (const news of this.early.filter((one) => one.streamId === streamId)) this.heard(news);
    this.early.splice(0, this.early.length, ...this.early.filter((one) => one.streamId !== streamId));
    return () => {
      if (!this.streams.delete(streamId)) return;
      this.connection.call("session.leave", { streamId }).catch(() => undefined); // it ended or went with the connection
    };
  }

  private heard(news: StreamNews): void {
    const listener = this.streams.get(news.streamId);
    if (listener === undefined) {
      this.early.push(news);
      if (this.early.length > MAX_EARLY) this.early.shift();
      return;
    }
    if (news.ended) this.streams.delete(news.streamId);
    if (news.events.length > 0) listener.onEvents(news.events);
    if (news.ended) listener.onEnd(news.error);
  }
}

/** The page's connection as chats use it; the names of their methods are put together, so no table can check them. */
export function chatConnection(client: CanvasClient): ChatConnection {
  return {
    get online() {
      return client.online;
    },
    call: (method, params) => client.call(method as Parameters<CanvasClient["call"]>[0], params),
    on: (event, listener) => client.on(event, listener),
  };
}
