import { Acknowledging } from "./acknowledging";

export interface Output {
  generation: number;
  /** Characters the terminal has printed up to and with this piece; one of two units counts once. */
  offset: number;
  data: string;
}
export interface Repaint extends Output {
  cols: number;
  rows: number;
}

export interface OutputStreamOptions {
  attach(): Promise<Repaint>;
  ack(offset: number): Promise<unknown>;
  /** Clears the screen and draws it anew; calls `done` when all of it is parsed. */
  paint(repaint: Repaint, done: () => void): void;
  write(data: string, done: () => void): void;
  onAttached(repaint: Repaint): void;
  onFailure(error: unknown): void;
}

/**
 * Feeds a screen with the output of one terminal, each character once and in order.
 *
 * Output is placed by its offset: what is known already is passed over, and after a hole the terminal is attached
 * anew. What the screen has parsed is acknowledged, so that the server learns how far this viewer is.
 */
export class OutputStream {
  private generation = -1;
  private offset = 0;
  private attachment: Promise<void> | null = null;
  private live = true;
  private early: Output[] = [];
  private readonly acknowledging: Acknowledging;

  constructor(private readonly options: OutputStreamOptions) {
    this.acknowledging = new Acknowledging((offset) => options.ack(offset));
  }

  get attaching(): boolean {
    return this.attachment !== null;
  }

  /** Resolves when it is attached, or could not be. */
  async settled(): Promise<void> {
    while (this.attachment !== null) await this.attachment;
  }

  /** Begins, or begins anew after the connection was lost. */
  async attach(): Promise<void> {
    if (this.attaching || !this.live) return;
    this.attachment = this.attachNow();
    await this.attachment;
  }

  private async attachNow(): Promise<void> {
    try {
      const repaint = await this.options.attach();
      if (this.isLive()) this.resync(repaint);
    } catch (error) {
      if (this.isLive()) this.options.onFailure(error);
    } finally {
      this.attachment = null;
    }
    const early = this.early;
    this.early = [];
    for (const output of early) this.receive(output);
  }

  stop(): void {
    this.live = false;
    this.acknowledging.stop();
  }

  receive(output: Output): void {
    if (!this.live) return;
    if (this.attaching) {
      this.early.push(output);
      return;
    }
    if (output.generation < this.generation) return;
    const start = output.offset - charCount(output.data);
    if (output.generation > this.generation || start > this.offset) {
      void this.attach();
      return;
    }
    if (output.offset <= this.offset) return;
    const data = start < this.offset ? skipChars(output.data, this.offset - start) : output.data;
    const { generation } = this;
    this.offset = output.offset;
    this.options.write(data, () => this.drawn(generation, output.offset));
  }

  /** The server sends the whole screen, because this viewer fell behind or the terminal started anew. */
  resync(repaint: Repaint): void {
    if (!this.live || repaint.generation < this.generation) return;
    const { generation, offset } = repaint;
    this.generation = generation;
    this.offset = offset;
    this.acknowledging.begin();
    this.options.onAttached(repaint);
    this.options.paint(repaint, () => this.drawn(generation, offset));
  }

  private drawn(generation: number, offset: number): void {
    if (this.live && generation === this.generation) this.acknowledging.drawn(offset);
  }

  private isLive(): boolean {
    return this.live;
  }
}

const pairs = /[\ud800-\udbff][\udc00-\udfff]/g;

/** How many characters a text has, as the server counts them: a pair of surrogates is one. */
export function charCount(text: string): number {
  return text.length - (text.match(pairs)?.length ?? 0);
}

function skipChars(text: string, count: number): string {
  let units = 0;
  for (let left = count; left > 0; left -= 1) units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(units);
}
