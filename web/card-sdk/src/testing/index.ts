/** A host in memory for the tests of card authors, with the gate of a real one. */

export { CardSdkError } from "../errors";
export { MockHost } from "./host";
export { MemoryPort, settle } from "./memoryPort";
export type { SentRequest, Server, ServerAnswer } from "./netAnswers";
export { agent, peer, port, themeOf } from "./world";
export type { Emitted, MockHostOptions, Person, Shown } from "./world";
