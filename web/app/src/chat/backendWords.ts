import { catalogue, type TextKey } from "../i18n/catalogue";
import type { useT } from "../shell/context";
import type { BackendEntry } from "./model/desk";

type Translate = ReturnType<typeof useT>;

/** What a kind of backend is called; a kind of a later version keeps its own name. */
export function kindWords(kind: string, t: Translate): string {
  const key = `backends.kind.${kind}`;
  return key in catalogue ? t(key as TextKey) : kind;
}

/** The name of a backend: the one that its person gave it, for our own in the page's language. */
export function backendTitle(backend: Pick<BackendEntry, "kind" | "title">, t: Translate): string {
  return backend.kind === "canvas" ? t("backends.kind.canvas") : backend.title;
}
