/** The session protocol 1.7 (UI ⇄ backend): types, guards and helpers without a transport. */
export * from "./capabilities";
export * from "./envelope";
export * from "./errors";
export * from "./events";
export * from "./files";
export * from "./hashing";
export * from "./ignore";
export * from "./info";
export * from "./messages";
export * from "./names";
export * from "./paging";
export {
  derivedText,
  isCustomPart,
  isErrorPart,
  isFilePart,
  isImagePart,
  isKnownPart,
  isTextPart,
  isThinkingPart,
  isToolResultPart,
  isToolUsePart,
  matchToolPair,
  PART_TYPES,
  partsOf,
  replaceTextParts,
} from "./parts";
export type {
  AnyPart,
  CustomPart,
  ErrorPart,
  FilePart,
  ImagePart,
  Part,
  TextPart,
  ThinkingPart,
  ToolPair,
  ToolResultPart,
  ToolUsePart,
  UnknownPart,
} from "./parts";
export * from "./runState";
export * from "./sse";
export * from "./tree";
