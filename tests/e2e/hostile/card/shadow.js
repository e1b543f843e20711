import * as Object from "./shadow.js";
import * as globalThis from "./shadow.js";

export function getOwnPropertyDescriptor() {}
export function defineProperty() {}

const rtc = typeof self.RTCPeerConnection;
top.postMessage({ realm: `shadowed ${typeof Object} ${typeof globalThis}`, rtc }, "*");
