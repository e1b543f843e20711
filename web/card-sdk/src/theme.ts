import { THEME_TOKENS } from "@cardloom/protocol";
import type { I18n, Theme, Visibility } from "./types";

/**
 * Writes a theme onto an element, `<html>` as a rule: each token as `--ns-<token>`, the fonts as `--ns-font-sans` and
 * `--ns-font-mono`, `color-scheme`, and the scheme's name as `data-ns-scheme`.
 */
export function applyTheme(theme: Theme, root: HTMLElement = document.documentElement): void {
  for (const token of THEME_TOKENS) setProperty(root, `--ns-${token}`, theme.tokens[token]);
  setProperty(root, "--ns-font-sans", theme.fontSans);
  setProperty(root, "--ns-font-mono", theme.fontMono);
  setProperty(root, "color-scheme", theme.scheme);
  root.dataset["nsScheme"] = theme.scheme;
}

/** Tells browsers and screen readers the language of the page. */
export function applyLanguage({ language }: Pick<I18n, "language">, root: HTMLElement = document.documentElement): void {
  root.lang = language;
}

/** Marks a page that nobody sees, so that the kit's animations rest. */
export function applyVisibility(visibility: Visibility, root: HTMLElement = document.documentElement): void {
  root.toggleAttribute("data-ns-paused", visibility !== "visible");
}

function setProperty(root: HTMLElement, name: string, value: unknown): void {
  if (typeof value === "string" && value !== "") root.style.setProperty(name, value);
}
