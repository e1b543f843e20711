/** Longest piece of typed or pasted text sent at once, in UTF-16 units. */
const pieceChars = 16_000;

/**
 * Sends what is typed in order, one call at a time: keys pressed during a call go out together with the next one.
 * After a failure the rest is dropped, because half a paste arriving later would be worse than none.
 */
export class Typing {
  private waiting = "";
  private sending = false;

  constructor(
    private readonly send: (data: string) => Promise<unknown>,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  async type(data: string): Promise<void> {
    this.waiting += data;
    if (this.sending) return;
    this.sending = true;
    try {
      while (this.waiting !== "") await this.send(this.nextPiece());
    } catch (error) {
      this.waiting = "";
      this.onFailure(error);
    } finally {
      this.sending = false;
    }
  }

  private nextPiece(): string {
    let end = Math.min(pieceChars, this.waiting.length);
    const last = this.waiting.charCodeAt(end - 1);
    if (end < this.waiting.length && last >= 0xd800 && last < 0xdc00) end -= 1;
    const piece = this.waiting.slice(0, end);
    this.waiting = this.waiting.slice(end);
    return piece;
  }
}
