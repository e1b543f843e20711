import type { ITheme } from "@xterm/xterm";
import type { ISearchDecorationOptions } from "@xterm/addon-search";

/** Gives the value of a theme token, such as `accent`. */
type Token = (name: string) => string;

/** Reads the tokens in force now from the page. */
export function pageTokens(): Token {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}

type Rgb = readonly [number, number, number];

function rgb(color: string): Rgb {
  const digits = /^#([0-9a-f]{3,8})$/i.exec(color)?.[1] ?? "808080";
  const wide = digits.length < 6 ? [...digits].map((digit) => digit + digit).join("") : digits;
  const part = (at: number) => parseInt(wide.slice(at, at + 2), 16);
  return [part(0), part(2), part(4)];
}

/** A colour between two, `share` of the way to the second. */
export function mixed(one: string, other: string, share: number): string {
  const from = rgb(one);
  const to = rgb(other);
  const parts = from.map((value, place) => Math.round(value + ((to[place] ?? value) - value) * share));
  return `#${parts.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** The terminal's colours: the sixteen come from the tokens, so that output looks at home in either scheme. */
export function terminalTheme(token: Token): ITheme {
  const ink = token("field-foreground");
  const muted = token("muted");
  const accent = token("accent");
  const [red, green, yellow] = [token("danger"), token("success"), token("warning")];
  const magenta = mixed(accent, red, 0.5);
  const cyan = mixed(accent, green, 0.5);
  const bright = (color: string) => mixed(color, ink, 0.3);
  return {
    background: token("field-background"),
    foreground: ink,
    cursor: ink,
    cursorAccent: token("field-background"),
    selectionBackground: mixed(token("field-background"), accent, 0.35),
    selectionInactiveBackground: mixed(token("field-background"), accent, 0.2),
    scrollbarSliderBackground: mixed(token("field-background"), muted, 0.3),
    scrollbarSliderHoverBackground: mixed(token("field-background"), muted, 0.5),
    scrollbarSliderActiveBackground: mixed(token("field-background"), muted, 0.6),
    black: token("surface-tertiary"),
    red,
    green,
    yellow,
    blue: accent,
    magenta,
    cyan,
    white: mixed(ink, muted, 0.3),
    brightBlack: muted,
    brightRed: bright(red),
    brightGreen: bright(green),
    brightYellow: bright(yellow),
    brightBlue: bright(accent),
    brightMagenta: bright(magenta),
    brightCyan: bright(cyan),
    brightWhite: ink,
  };
}

export function searchColors(token: Token): ISearchDecorationOptions {
  const paper = token("field-background");
  const warning = token("warning");
  return {
    matchBackground: mixed(paper, warning, 0.3),
    matchOverviewRuler: warning,
    activeMatchBackground: mixed(paper, warning, 0.6),
    activeMatchColorOverviewRuler: token("accent"),
  };
}

/** Calls when the page takes other colours; gives the function that stops it. */
export function watchScheme(changed: () => void): () => void {
  const watcher = new MutationObserver(changed);
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ["data-scheme", "class", "style"] });
  return () => watcher.disconnect();
}
