import { MANIFEST_SCHEMA, OWN_LIMITS, PYTHON_MANIFEST_SCHEMA } from "../generated";
import type { JsonObject } from "../json";
import { normalizePackagePath } from "../paths";
import { checkValue } from "../schema/value";
import { Findings } from "./findings";
import { checkMeaning } from "./meaning";
import type { CardSizes, Manifest, ManifestResult, RawManifest } from "./model";

/** How a kind of card names the file it starts from. */
interface ManifestKind {
  readonly field: "entry" | "python";
  readonly fallback: string;
  readonly suffixes: readonly string[];
  readonly schema: JsonObject;
}

const PAGE: ManifestKind = { field: "entry", fallback: "index.html", suffixes: [".html", ".htm"], schema: MANIFEST_SCHEMA };
const PYTHON: ManifestKind = { field: "python", fallback: "", suffixes: [".py"], schema: PYTHON_MANIFEST_SCHEMA };

const SIZES: CardSizes = {
  defaultSize: { w: 420, h: 320 },
  minSize: { w: 200, h: 120 },
  maxSize: { w: 2400, h: 1800 },
};

/** Reads the parsed content of `neurosquad-card.json`: all faults at once, at most 50 of shape or else all of meaning. */
export function parseManifest(value: unknown): ManifestResult {
  return parse(value, PAGE);
}

/** Reads the parsed content of `cardloom-card.json`, the same manifest with a `python` file for `entry`. */
export function parsePythonManifest(value: unknown): ManifestResult {
  return parse(value, PYTHON);
}

function parse(value: unknown, kind: ManifestKind): ManifestResult {
  const shape = checkValue(kind.schema, value, { maxIssues: OWN_LIMITS.manifestIssues });
  if (shape.length > 0) {
    const issues = shape.map(({ path, message }) => ({ path, code: "schema" as const, message }));
    return { ok: false, issues, warnings: [] };
  }
  const raw = value as RawManifest;
  const findings = new Findings();
  const start = startFile(raw[kind.field] ?? kind.fallback, kind, findings);
  const card: CardSizes = { ...SIZES, ...raw.card };
  const permissions = checkMeaning(raw, card, findings);
  const { issues, warnings } = findings;
  if (issues.length > 0) return { ok: false, issues, warnings };
  const manifest: Manifest = {
    ...raw,
    [kind.field]: start,
    card,
    permissions,
    settings: raw.settings ?? [],
    ports: { inputs: raw.ports?.inputs ?? [], outputs: raw.ports?.outputs ?? [] },
    tools: raw.tools ?? [],
  };
  return { ok: true, manifest, warnings };
}

function startFile(written: string, { field, suffixes }: ManifestKind, findings: Findings): string {
  const normal = normalizePackagePath(written);
  if (normal === null || !suffixes.some((suffix) => normal.toLowerCase().endsWith(suffix))) {
    findings.add(`/${field}`, `${JSON.stringify(written)} is no path of a ${suffixes.join(" or ")} file in the package.`);
  }
  return normal ?? "";
}
