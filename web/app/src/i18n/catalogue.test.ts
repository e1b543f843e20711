import { describe, expect, test } from "vitest";
import { agentTexts } from "./agents";
import { asking } from "./asking";
import { cards } from "./cards";
import { catalogue, translator } from "./catalogue";
import { backendTexts } from "./backends";
import { chatTexts } from "./chat";
import { fileTexts } from "./files";
import { frames } from "./frames";
import { packageTexts } from "./packages";
import { reasons } from "./reasons";
import { sentences } from "./said/sentences";
import { shell } from "./shell";
import type { Text, TextRow } from "./texts";
import { usageTexts } from "./usage";

const languages = ["en", "ru", "zh"] as const;
const rows = Object.entries(catalogue as Record<string, TextRow>);

function forms(text: Text): string[] {
  return typeof text === "string" ? [text] : Object.values(text as unknown as Record<string, string>);
}

function places(text: Text): string[] {
  const found = forms(text).flatMap((form) => [...form.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ""));
  return [...new Set(found)].sort();
}

describe("the catalogue", () => {
  test.each(rows)("%s is written in every language with the same places", (_key, row) => {
    for (const language of languages) {
      expect(forms(row[language]).every((form) => form.trim().length > 0)).toBe(true);
      expect(places(row[language])).toEqual(places(row.en));
    }
  });

  test("no area overwrites a key of another", () => {
    const areas = [shell, cards, frames, asking, packageTexts, fileTexts, usageTexts, agentTexts, chatTexts, backendTexts, reasons, sentences];
    expect(rows.length).toBe(areas.reduce((sum, area) => sum + Object.keys(area).length, 0));
  });

  test("a Russian text that counts has the forms for one, few and many", () => {
    for (const [key, row] of rows) {
      if (typeof row.ru === "string") continue;
      expect([key, Object.keys(row.ru).sort()]).toEqual([key, ["few", "many", "one", "other"]]);
    }
  });

  test("a translator speaks its language", () => {
    expect(translator("ru")("kind.note")).toBe("Заметка");
  });
});
