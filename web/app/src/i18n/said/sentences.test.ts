import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sentenceOf, sentences, type SentenceKey } from "./sentences";

const PACKAGES = join(import.meta.dirname, "../../../../../packages");

/** Reading the whole server takes its time where others are busy too. */
const CAP_MS = 120_000;

/** The lines of the server's sources that hold texts, with those that go over several lines joined. */
function sources(): string {
  return ["protocol", "sdk", "server"]
    .flatMap((name) => {
      const folder = join(PACKAGES, name, "src");
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".py"));
      return files.map((file) => readFileSync(join(folder, file), "utf8"));
    })
    .join("\n")
    .replace(/"\s*\n\s*f?"/g, "")
    .replaceAll('\\"', '"')
    .split("\n")
    .filter((line) => line.includes('"'))
    .join("\n");
}

test("each sentence is one that the server still says", { timeout: CAP_MS }, () => {
  const written = sources();
  const lost = Object.keys(sentences).filter((key) =>
    key
      .split(/\{\w+\}/)
      .map((piece) => piece.replace(/^[\s.:;()]+|[\s.:;()]+$/g, ""))
      .some((piece) => !written.includes(piece)),
  );
  // A sentence that was reworded there is reworded here too, with its translations.
  expect(lost).toEqual([]);
});

test("each sentence is known again by itself", { timeout: CAP_MS }, () => {
  for (const key of Object.keys(sentences) as SentenceKey[]) {
    const places = [...key.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
    const message = key.replace(/\{(\w+)\}/g, "<$1>");
    expect(sentenceOf(message)).toEqual({ key, values: Object.fromEntries(places.map((place) => [place, `<${place}>`])) });
  }
});

test("a message of which only a part is known is not known", () => {
  expect(sentenceOf("the workspace is closed for today")).toBeNull();
});
