import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const SOURCE = join(import.meta.dirname, "../src");
const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).map((name) => join(SOURCE, name));
const read = (path: string) => readFileSync(path, "utf8");

/** The classes that each style module is asked for, by the components that import it. */
function wantedClasses(): Map<string, Set<string>> {
  const wanted = new Map<string, Set<string>>();
  for (const file of files.filter((name) => /\.tsx?$/.test(name))) {
    const code = read(file);
    for (const [, name = "", path = ""] of code.matchAll(/^import (\w+) from "(\.[^"]+\.module\.css)";$/gm)) {
      const sheet = join(dirname(file), path);
      const known = wanted.get(sheet) ?? new Set();
      wanted.set(sheet, known);
      const uses = new RegExp(String.raw`\b${name}(?:\.(\w+)|\["(\w+)"\])`, "g");
      for (const [, plain, quoted] of code.matchAll(uses)) known.add(plain ?? quoted ?? "");
    }
  }
  return wanted;
}

function givenClasses(sheet: string): Set<string> {
  const rules = read(sheet).replace(/\/\*.*?\*\/|:global\([^)]*\)|url\([^)]*\)/gs, "");
  return new Set([...rules.matchAll(/\.([A-Za-z]\w*)(?=[^{}]*\{)/g)].map(([, name = ""]) => name));
}

test("every class that a component takes from a style module is there, and none is there for nobody", () => {
  const wanted = wantedClasses();
  const sheets = files.filter((name) => name.endsWith(".module.css"));
  expect(sheets.length).toBeGreaterThan(0);
  for (const sheet of sheets) {
    const given = givenClasses(sheet);
    const asked = wanted.get(sheet) ?? new Set<string>();
    expect({ sheet, missing: [...asked].filter((name) => !given.has(name)) }).toEqual({ sheet, missing: [] });
    expect({ sheet, unused: [...given].filter((name) => !asked.has(name)) }).toEqual({ sheet, unused: [] });
  }
});
