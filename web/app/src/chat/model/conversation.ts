import {
  derivedText,
  SessionError,
  type AskAnswer,
  type AnyPart,
  type Message,
  type ProfileDoc,
  type SessionInfo,
  type SessionModel,
} from "@cardloom/protocol/session";
import { failureOf, type Failure } from "../../connection/failure";
import { createStore } from "../../state/store";
import { RunFollower } from "./follower";
import { applyEvents, beginRun, EMPTY, sessionNews, withHistory, type Transcript } from "./transcript";
import type { ChatWire } from "./wire";

type ConversationPhase = "loading" | "ready" | "gone" | "failed";

interface ConversationState {
  readonly phase: ConversationPhase;
  readonly info: SessionInfo | null;
  readonly transcript: Transcript;
  /** A line that was sent and is not in the history yet. */
  readonly sending: string | null;
  readonly failure: Failure | null;
}

interface RunStatusInfo {
  readonly runId: string;
  readonly status: string;
  readonly messageId?: string;
}

const INITIAL: ConversationState = { phase: "loading", info: null, transcript: EMPTY, sending: null, failure: null };

/** One session as a chat shows it: its history, its run, and everything that can be done to them. */
export class Conversation {
  readonly state = createStore<ConversationState>(INITIAL);
  private follower: RunFollower | null = null;
  private closed = true;
  private reading = 0;

  constructor(
    private readonly wire: ChatWire,
    readonly backend: string,
    readonly sessionId: string,
  ) {}

  get running(): boolean {
    return this.state.get().transcript.run?.status === "running";
  }

  /** Reads the session and goes along with it; gives what ends that. */
  open(): () => void {
    const { wire } = this;
    const isHere = (news: { backend: string; sessionId: string }) =>
      news.backend === this.backend && news.sessionId === this.sessionId;
    const forget = [
      wire.on("client.online", () => void this.load()),
      wire.on("session.backendsChanged", () => {
        if (!this.running) void this.load();
      }),
      wire.on("session.run", (news: { backend: string; sessionId: string; runId: string; status: string }) => {
        if (isHere(news) && news.status === "running") this.follow(news.runId);
      }),
      wire.on("session.changed", (news: { backend: string; sessionId: string }) => {
        if (isHere(news) && !this.running) void this.load();
      }),
    ];
    this.closed = false;
    void this.load();
    return () => {
      this.closed = true;
      this.follower?.stop();
      this.follower = null;
      for (const one of forget) one();
    };
  }

  /** Reads the session and its messages, and follows the run that goes on. */
  async load(): Promise<void> {
    if (!this.wire.online) return;
    const turn = ++this.reading;
    try {
      const [info, messages, runs] = await Promise.all([
        this.call<SessionInfo>("get"),
        this.call<Message[]>("messages"),
        this.call<RunStatusInfo[]>("runs").catch(() => []),
      ]);
      if (this.closed || turn !== this.reading) return;
      const going = runs.find((run) => run.status === "running");
      this.state.update((known) => ({
        ...known,
        phase: "ready",
        info,
        sending: stillSending(known, messages),
        failure: null,
        // While a run is followed, its own messages are ahead of those that are stored.
        transcript: this.follower === null ? withHistory(known.transcript, messages) : known.transcript,
      }));
      if (going !== undefined) this.follow(going.runId);
    } catch (error) {
      if (this.closed || turn !== this.reading || !this.wire.online) return;
      const isGone = error instanceof SessionError && error.code === "not_found";
      // What was read already stays in sight: a backend that is away has taken nothing back.
      const phase = isGone ? "gone" : this.state.get().phase === "ready" ? "ready" : "failed";
      this.state.update((known) => ({ ...known, phase, failure: failureOf(error) }));
    }
  }

  /** Sends a line and follows the answer. Rejects when the backend refuses it; then nothing has happened. */
  async send(text: string, parts: readonly AnyPart[] = []): Promise<void> {
    this.state.update((known) => ({ ...known, sending: text }));
    try {
      const shown: readonly AnyPart[] = [...(text === "" ? [] : [{ type: "text", text }]), ...parts];
      const run = await this.call<RunStatusInfo>("run", parts.length === 0 ? { text } : { parts: shown });
      this.state.update((known) => {
        const { transcript } = known;
        const { messageId } = run;
        const isKnown = messageId === undefined || transcript.messages.some((one) => one.id === messageId);
        const mine = { id: messageId ?? "", role: "user", parts: shown };
        // The answer may have begun before the server said so to the call: the line stands before it all the same.
        const begun = transcript.messages.findIndex((one) => transcript.run?.writing.has(one.id) === true);
        const at = begun < 0 ? transcript.messages.length : begun;
        const messages = isKnown ? transcript.messages : transcript.messages.toSpliced(at, 0, mine);
        return { ...known, sending: null, transcript: { ...transcript, messages } };
      });
      this.follow(run.runId);
    } catch (error) {
      this.state.update((known) => ({ ...known, sending: null }));
      throw error;
    }
  }

  /** Calls a session that has no title by what was said first; that it may fail is of no matter. */
  async nameAfter(text: string): Promise<void> {
    const title = firstWords(text);
    if (this.state.get().info?.title !== undefined || title === "") return;
    const info = await this.call<SessionInfo>("rename", { title }).catch(() => null);
    if (info !== null) this.know(info);
  }

  /** Makes an answer anew, as an alternative of that one. */
  async regenerate(messageId: string): Promise<void> {
    this.follow((await this.call<RunStatusInfo>("run", { swipeOf: messageId })).runId);
  }

  async cancel(): Promise<void> {
    const { run } = this.state.get().transcript;
    if (run !== null) await this.wire.call(this.backend, "cancel", { runId: run.runId });
  }

  async answer(askId: string, answer: AskAnswer): Promise<void> {
    const { run } = this.state.get().transcript;
    if (run !== null) await this.wire.call(this.backend, "answer", { runId: run.runId, askId, ...answer });
  }

  async swipe(messageId: string, index: number): Promise<void> {
    this.show(await this.call<Message[]>("swipe", { messageId, index }));
  }

  /** Changes the text of a message, unless somebody else has changed it meanwhile. */
  async edit(message: Message, text: string): Promise<void> {
    const ifHash = message.hash === undefined ? {} : { ifHash: message.hash };
    await this.call("editMessage", { messageId: message.id, text, ...ifHash });
    await this.load();
  }

  async hide(messageId: string, hidden: boolean): Promise<void> {
    await this.call("hideMessage", { messageId, hidden });
    await this.load();
  }

  async remove(messageId: string): Promise<void> {
    await this.call("deleteMessage", { messageId });
    await this.load();
  }

  fork(messageId?: string): Promise<SessionInfo> {
    return this.call<SessionInfo>("fork", messageId === undefined ? {} : { messageId });
  }

  async setModel(model: SessionModel): Promise<void> {
    this.know(await this.call<SessionInfo>("setModel", model));
  }

  async setProfile(profile: string | ProfileDoc): Promise<void> {
    this.know(await this.call<SessionInfo>("setProfile", { profile }));
  }

  private call<T>(name: string, params: object = {}): Promise<T> {
    return this.wire.call<T>(this.backend, name, { sessionId: this.sessionId, ...params });
  }

  private know(info: SessionInfo): void {
    this.state.update((known) => ({ ...known, info }));
  }

  private show(messages: readonly Message[]): void {
    this.state.update((known) => ({ ...known, transcript: withHistory(known.transcript, messages) }));
  }

  private follow(runId: string): void {
    if (this.closed || (this.follower !== null && this.state.get().transcript.run?.runId === runId)) return;
    this.follower?.stop();
    this.state.update((known) => ({ ...known, transcript: beginRun(known.transcript, runId) }));
    this.follower = new RunFollower(this.wire, {
      backend: this.backend,
      runId,
      onEvents: (events) => {
        const news = sessionNews(events);
        this.state.update((known) => ({
          ...known,
          info: news === null || known.info === null ? known.info : { ...known.info, ...news },
          transcript: applyEvents(known.transcript, events),
        }));
        if (this.state.get().transcript.lacks) void this.fillIn();
      },
      onOver: () => {
        this.follower = null;
        this.state.update((known) => ({ ...known, transcript: over(known.transcript) }));
        void this.load();
      },
    });
  }

  /** Another page began the run: what it said stands in the history already. */
  private async fillIn(): Promise<void> {
    this.state.update((known) => ({ ...known, transcript: { ...known.transcript, lacks: false } }));
    const messages = await this.call<Message[]>("messages").catch(() => null);
    if (messages === null || this.closed || this.follower === null) return;
    this.state.update((known) => {
      const shown = new Map(known.transcript.messages.map((message) => [message.id, message]));
      const { run } = known.transcript;
      const stored = messages.map((message) => shown.get(message.id) ?? message);
      const ids = new Set(stored.map((message) => message.id));
      const coming = known.transcript.messages.filter((message) => run?.writing.has(message.id) && !ids.has(message.id));
      const sending = stillSending(known, messages);
      return { ...known, sending, transcript: { ...known.transcript, messages: [...stored, ...coming] } };
    });
  }
}

const TITLE_CHARS = 60;

/** The first line of a text, as a title. */
export function firstWords(text: string): string {
  const line = text.trim().split("\n")[0]?.trim() ?? "";
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS).replace(/\s+\S*$/, "")}…`;
}

/** The line that was sent, unless it stands in the history by now; the answer to the call may take longer than that. */
function stillSending(known: ConversationState, history: readonly Message[]): string | null {
  const before = new Set(known.transcript.messages.map((message) => message.id));
  const arrived = history.some(
    (message) => message.role === "user" && !before.has(message.id) && derivedText(message) === known.sending,
  );
  return arrived ? null : known.sending;
}

/** The run is over even where its last event never came. */
function over(transcript: Transcript): Transcript {
  const { run } = transcript;
  return run?.status === "running" ? { ...transcript, run: { ...run, status: "done", writing: new Set(), asks: [] } } : transcript;
}
