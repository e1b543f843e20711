import { isFailure } from "../../connection/failure";

/** How long a terminal rests between two acknowledgements, in milliseconds. */
const restMs = 200;
/** So much is told without a rest: a viewer that fell behind gets the screen again once it lacks little more than this. */
const muchChars = 48 * 1024;

/**
 * Tells the server how far this viewer has drawn a terminal: one word on its way at a time, and few of them. A page has
 * so many calls a second for all that it does; a dozen terminals that print small pieces must not use them up.
 */
export class Acknowledging {
  private drawnTo = 0;
  private told = -1;
  private busy = false;
  private stopped = false;
  private endRest: (() => void) | null = null;

  constructor(private readonly tell: (offset: number) => Promise<unknown>) {}

  /** The screen is painted anew from here on; what was told before counts no more. */
  begin(): void {
    this.drawnTo = 0;
    this.told = -1;
  }

  /** All up to this offset is on the screen. */
  drawn(offset: number): void {
    this.drawnTo = Math.max(this.drawnTo, offset);
    if (this.drawnTo - this.told >= muchChars) this.endRest?.();
    void this.tellOn();
  }

  stop(): void {
    this.stopped = true;
    this.endRest?.();
  }

  private async tellOn(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    while (!this.stopped && this.drawnTo > this.told) {
      const offset = this.drawnTo;
      this.told = offset;
      try {
        await this.tell(offset);
      } catch (error) {
        // Without a server all begins anew. One that was called too much has to be told again: it sends no more till then.
        if (!isFailure(error, "UNAVAILABLE") && this.told === offset) this.told = -1;
      }
      await this.rest();
    }
    this.busy = false;
  }

  private rest(): Promise<void> {
    if (this.stopped) return Promise.resolve();
    return new Promise((done) => {
      const end = () => {
        clearTimeout(timer);
        this.endRest = null;
        done();
      };
      const timer = setTimeout(end, restMs);
      this.endRest = end;
    });
  }
}
