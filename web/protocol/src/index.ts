export * from "./envelopes";
export * from "./generated";
export * from "./ids";
export * from "./json";
export * from "./model";
export * from "./ports";
export * from "./results";
export * from "./tables";
