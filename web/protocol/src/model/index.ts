/** Records of the canvas as pages see them. */

export * from "./agents";
export * from "./canvas";
export * from "./cards";
export * from "./chrome";
export * from "./contents";
export * from "./packages";
export * from "./peers";
