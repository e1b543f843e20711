// Builds the package into dist/, the copy that the server offers to every card under `__ns/`, and the archive that
// `cardloom card new --react` puts into new cards.
// `node build.mjs [FOLDER]` puts the package elsewhere and leaves the server alone.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { argv, execPath, platform } from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const HERE = dirname(fileURLToPath(import.meta.url));
const SERVER_FOLDER = resolve(HERE, "../../packages/server/src/cardloom/web/ns");
/** Where the server finds the package itself, for new cards that are built against it. */
const PACKED_FOLDER = resolve(HERE, "../../packages/server/src/cardloom/web/sdk");
const PROTOCOL = resolve(HERE, "../protocol/src/index.ts");
const TSC = fileURLToPath(import.meta.resolve("typescript/bin/tsc"));

/** Entries as ES modules; what several of them use goes into pieces of its own, so that no class exists twice. */
async function buildModules(entries, folder, { minify }) {
  await build({
    root: HERE,
    configFile: false,
    logLevel: "warn",
    resolve: { alias: { "@cardloom/protocol": PROTOCOL } },
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: "es2022",
      minify,
      lib: { entry: entries, formats: ["es"] },
      rollupOptions: {
        external: /^react(\/|$)/,
        output: { entryFileNames: "[name].js", chunkFileNames: "parts/[name].js", minify },
      },
    },
  });
}

/** The declarations of the SDK and of the protocol it holds; the protocol is named by its place in the package. */
function buildTypes(folder) {
  const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--noCheck"];
  execFileSync(execPath, [TSC, "-p", join(HERE, "tsconfig.types.json"), ...options, "--outDir", folder], { stdio: "inherit" });
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith(".d.ts")) continue;
    const path = join(folder, name);
    const text = readFileSync(path, "utf-8");
    writeFileSync(path, text.replace(/((?:from|import\()\s*")([^"]+)(")/g, (_, before, from, after) => before + named(from, path, folder) + after));
  }
}

/** A module's name as every resolver finds it: a path with its ending, a folder's by its index. */
function named(from, path, folder) {
  if (from === "@cardloom/protocol") {
    const place = relative(dirname(path), join(folder, "protocol/src/index.js")).replaceAll("\\", "/");
    return place.startsWith(".") ? place : `./${place}`;
  }
  if (!from.startsWith(".")) return from;
  return existsSync(join(dirname(path), from, "index.d.ts")) ? `${from}/index.js` : `${from}.js`;
}

const dist = argv[2] === undefined ? join(HERE, "dist") : resolve(argv[2]);
rmSync(dist, { recursive: true, force: true });
const entry = (name) => join(HERE, "src", name);
await buildModules(
  { index: entry("index.ts"), testing: entry("testing/index.ts"), react: entry("react/index.ts") },
  dist,
  { minify: false },
);
buildTypes(join(dist, "types"));
copyFileSync(entry("kit.css"), join(dist, "kit.css"));

if (argv[2] === undefined) {
  rmSync(SERVER_FOLDER, { recursive: true, force: true });
  mkdirSync(SERVER_FOLDER, { recursive: true });
  await buildModules({ sdk: entry("index.ts") }, SERVER_FOLDER, { minify: true });
  copyFileSync(entry("kit.css"), join(SERVER_FOLDER, "kit.css"));

  rmSync(PACKED_FOLDER, { recursive: true, force: true });
  mkdirSync(PACKED_FOLDER, { recursive: true });
  const npm = platform === "win32" ? "npm.cmd" : "npm";
  execFileSync(npm, ["pack", "--ignore-scripts", "--silent", "--pack-destination", PACKED_FOLDER], {
    cwd: HERE,
    stdio: ["ignore", "ignore", "inherit"],
    shell: platform === "win32",
  });
}
