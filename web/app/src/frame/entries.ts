/** How long after a key, or after going into a field, nobody presses into a frame, in milliseconds. */
const TYPING_MS = 700;

/**
 * Tells whether the person went into a frame or the frame took the keyboard for itself: a card could read what is typed
 * elsewhere. What happens inside a frame is not ours to see, so it goes by what was done outside just before.
 */
export class Entries {
  private invited: Element | null = null;
  private tabbed = false;
  private typedMs = -Infinity;

  /** A key went down in the page. */
  key(name: string, nowMs: number): void {
    this.typedMs = nowMs;
    this.tabbed = name === "Tab";
    this.invited = null;
  }

  /** Something of the page got the focus: a Tab led there, and no invitation is open. `field` if one types in it. */
  inPage(field: boolean, nowMs: number): void {
    if (field) this.typedMs = nowMs;
    this.tabbed = false;
    this.invited = null;
  }

  /** The page is about to give a frame the keyboard. */
  invite(frame: Element): void {
    this.invited = frame;
  }

  /**
   * Whether a frame that has the focus now has it from the person. `active` is what the browser says of presses and
   * keys lately, in frames as well; `within` whether a press can reach the frame at all.
   */
  isPersons(frame: Element, nowMs: number, active: boolean, within: boolean): boolean {
    if (frame === this.invited || this.tabbed) return true;
    return active && within && nowMs - this.typedMs >= TYPING_MS;
  }
}
