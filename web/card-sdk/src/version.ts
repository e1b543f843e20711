/** The level of the card contract that this SDK follows, as `host.ready` tells it. */
export const SDK_VERSION = "1.3.0";

/** The wire protocol spoken here; it is 1 at every level of the contract so far. */
export const PROTOCOL = 1;
