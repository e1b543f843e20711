import { useEffect } from "react";
import type { SchemeChoice } from "../wire/records";

const REMEMBERED = "cardloom.scheme";

/** Puts a scheme on the page; remembered so that the next load begins in it. */
export function applyScheme(choice: SchemeChoice): void {
  const dark = choice === "dark" || (choice === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset["scheme"] = dark ? "dark" : "light";
}

/** What the page is drawn in now. */
export function shownScheme(): "dark" | "light" {
  return document.documentElement.dataset["scheme"] === "light" ? "light" : "dark";
}

export function rememberedScheme(): SchemeChoice {
  const kept = localStorage.getItem(REMEMBERED);
  return kept === "dark" || kept === "light" ? kept : "system";
}

/** Follows the chosen scheme, and the system's own while it is left to that. Null: not known yet. */
export function useScheme(choice: SchemeChoice | null): void {
  useEffect(() => {
    if (choice === null) return;
    localStorage.setItem(REMEMBERED, choice);
    applyScheme(choice);
    const query = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => applyScheme(choice);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, [choice]);
}
