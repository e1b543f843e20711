import "@xterm/xterm/css/xterm.css";
import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal } from "@xterm/xterm";
import { pageTokens, searchColors, terminalTheme, watchScheme } from "./palette";
import { drawFast } from "./renderer";
import type { Repaint } from "./stream";
import { unscaleMouse } from "./unscaled";

const fontSizePx = 12;
const scrollbackLines = 5000;

export interface ScreenEvents {
  onType(data: string): void;
  onFocus(): void;
  /** The person asks for the search bar. */
  onSearch(): void;
  /** The person leaves the terminal by the keyboard. */
  onLeave(): void;
  onCopy(text: string): void;
  onMatches(at: number, count: number): void;
}

export interface Cells {
  cols: number;
  rows: number;
}

/** The drawn side of a terminal: an xterm with its addons, in the page's colours. */
export class TerminalScreen {
  private readonly terminal: Terminal;
  private readonly fitting = new FitAddon();
  private readonly searching = new SearchAddon();
  private readonly stops: (() => void)[] = [];
  private painting = false;

  private constructor(
    private readonly host: HTMLElement,
    private readonly events: ScreenEvents,
    label: string,
  ) {
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const tokens = pageTokens();
    this.terminal = new Terminal({
      allowProposedApi: true,
      cursorBlink: !still,
      cursorInactiveStyle: "outline",
      fontFamily: tokens("font-mono") || "monospace",
      fontSize: fontSizePx,
      lineHeight: 1.25,
      minimumContrastRatio: 4.5,
      scrollback: scrollbackLines,
      theme: terminalTheme(tokens),
    });
    const { terminal } = this;
    terminal.loadAddon(this.fitting);
    terminal.loadAddon(this.searching);
    terminal.loadAddon(new Unicode11Addon());
    terminal.loadAddon(new WebLinksAddon((_event, address) => window.open(address, "_blank", "noopener,noreferrer")));
    terminal.unicode.activeVersion = "11";
    terminal.open(host);
    this.named(label);
    drawFast(terminal);
    this.listen();
  }

  /** Waits for the font first, since the size of a cell is measured once. */
  static async open(host: HTMLElement, events: ScreenEvents, label: string): Promise<TerminalScreen> {
    const family = pageTokens()("font-mono").split(",")[0] ?? "monospace";
    await document.fonts.load(`${String(fontSizePx)}px ${family}`).catch(() => []);
    return new TerminalScreen(host, events, label);
  }

  get cells(): Cells {
    return { cols: this.terminal.cols, rows: this.terminal.rows };
  }

  /** The cells that fit into the card now; null while it has no size. */
  get room(): Cells | null {
    const room = this.fitting.proposeDimensions();
    if (room === undefined || !(room.cols > 1) || !(room.rows > 0)) return null;
    return { cols: room.cols, rows: room.rows };
  }

  resize({ cols, rows }: Cells): void {
    if (cols !== this.terminal.cols || rows !== this.terminal.rows) this.terminal.resize(cols, rows);
  }

  paint(repaint: Repaint, done: () => void): void {
    this.painting = true;
    this.terminal.reset();
    this.resize(repaint);
    this.terminal.write(repaint.data, () => {
      this.painting = false;
      done();
    });
  }

  write(data: string, done: () => void): void {
    this.terminal.write(data, done);
  }

  /** Says what is typed into, in the person's language and by the card's present name. */
  named(label: string): void {
    this.terminal.textarea?.setAttribute("aria-label", label);
  }

  focus(): void {
    this.terminal.focus();
  }

  /** Shows a match: the one nearest to the last while typing, else the next one that way. */
  find(text: string, way: "typing" | "next" | "previous"): void {
    const options = { decorations: searchColors(pageTokens()) };
    if (text === "") this.endSearch();
    else if (way === "previous") this.searching.findPrevious(text, options);
    else this.searching.findNext(text, { ...options, incremental: way === "typing" });
  }

  endSearch(): void {
    this.searching.clearDecorations();
    this.terminal.clearSelection();
    this.events.onMatches(-1, 0);
  }

  dispose(): void {
    for (const stop of this.stops) stop();
    this.terminal.dispose();
  }

  private listen(): void {
    const { terminal, events } = this;
    terminal.onData((data) => {
      // A repaint may hold questions that were answered long ago; the answers to those must not be typed again.
      if (this.painting && data.startsWith("\x1b")) return;
      events.onType(data);
    });
    terminal.onBinary((data) => events.onType(data));
    this.searching.onDidChangeResults(({ resultIndex, resultCount }) => events.onMatches(resultIndex, resultCount));
    terminal.attachCustomKeyEventHandler((event) => event.type !== "keydown" || !this.shortcut(event));
    terminal.textarea?.addEventListener("focus", () => events.onFocus());
    this.stops.push(
      unscaleMouse(this.host),
      watchScheme(() => {
        terminal.options.theme = terminalTheme(pageTokens());
      }),
    );
  }

  /** True when the key is the card's and not the program's. */
  private shortcut(event: KeyboardEvent): boolean {
    const keys = `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.shiftKey ? "Shift+" : ""}${event.code}`;
    const selected = this.terminal.getSelection();
    switch (keys) {
      case "Ctrl+KeyF":
        event.preventDefault();
        this.events.onSearch();
        return true;
      case "Ctrl+F6":
        event.preventDefault();
        this.events.onLeave();
        return true;
      case "Ctrl+Shift+KeyC":
      case "Ctrl+Insert":
        event.preventDefault();
        if (selected !== "") this.events.onCopy(selected);
        return true;
      case "Ctrl+Shift+KeyV":
      case "Shift+Insert":
        // The browser pastes by itself; the terminal only must not take the key for input.
        return true;
      default:
        return false;
    }
  }
}
