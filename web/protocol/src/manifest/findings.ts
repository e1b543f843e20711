import { pointerToken } from "../json";
import { checkDefinition } from "../schema/definition";
import { forbiddenCharacter } from "../texts";
import type { LocalizedText } from "../texts";
import type { ManifestIssue, ManifestWarning } from "./model";

/** The faults and warnings that reading a manifest collects. */
export class Findings {
  readonly issues: ManifestIssue[] = [];
  readonly warnings: ManifestWarning[] = [];

  add(path: string, message: string, code: ManifestIssue["code"] = "semantic"): void {
    this.issues.push({ path, code, message });
  }

  warn(path: string, message: string): void {
    this.warnings.push({ path, message });
  }

  /** Reports each language of a text that holds a character texts cannot hold. */
  text(path: string, text: LocalizedText | undefined, options: { readonly multiline?: boolean } = {}): void {
    for (const [place, one] of textsByPath(path, text)) {
      const char = forbiddenCharacter(one, options);
      if (char !== null) this.add(place, `The text holds ${char}, a control or invisible character.`);
    }
  }

  /** Reports whatever keeps a card's own schema from being one. */
  schema(path: string, schema: unknown): void {
    for (const issue of checkDefinition(schema)) this.add(path + issue.path, issue.message);
  }

  /** Reports every id that an earlier member of its list has already. */
  repeats(path: string, field: string, ids: readonly string[]): void {
    ids.forEach((id, index) => {
      if (ids.indexOf(id) < index) {
        this.add(`${path}/${index}/${field}`, `The ${field} ${JSON.stringify(id)} is taken by an earlier entry.`);
      }
    });
  }
}

/** The texts of a localised text with the place of each. */
export function textsByPath(path: string, text: LocalizedText | undefined): [string, string][] {
  if (text === undefined) return [];
  if (typeof text === "string") return [[path, text]];
  return Object.entries(text).flatMap(([language, one]): [string, string][] =>
    one === undefined ? [] : [[`${path}/${pointerToken(language)}`, one]],
  );
}
