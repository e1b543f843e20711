import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const PACKAGE = fileURLToPath(new URL("../", import.meta.url));
const MODULES = join(PACKAGE, "../node_modules");
const BUILD_MS = 120_000;

/** A card as its author writes it, in a strict project. */
const CARD = `
import { connect, createTranslator, hasDownstreamPeer, isCardSdkError, permissionForPeer, requestPermissions } from "@cardloom/card-sdk";
import type { AgentInfo, Card, PeerInfo } from "@cardloom/card-sdk";
import { MockHost, peer } from "@cardloom/card-sdk/testing";
import { CardProvider, usePeers } from "@cardloom/card-sdk/react";

export async function start(): Promise<void> {
  const card: Card = await connect();
  const agents: readonly AgentInfo[] = await card.agents.list();
  const { t } = createTranslator({ en: { hello: "Hello" } }, card);
  const stop = await card.fs.watch("", ({ path, type }) => card.log.info(path, type, t("hello")), { recursive: true });
  await stop();
  const names: string[] = card.ports.peers.map((one: PeerInfo) => one.name);
  const sizes: { w: number; h: number } = await card.request("card.requestResize", { w: 1, h: 2 });
  // @ts-expect-error a method's params are typed
  await card.request("card.focus", { card: 1 });
  card.on("agents.status", ({ status }) => card.setStatus(status));
  if (hasDownstreamPeer(card.ports.peers)) await requestPermissions(card, permissionForPeer(card.ports.peers[0]!) ?? "");
  try {
    await card.agents.prompt(agents[0]!.id, names.join() + sizes.w);
  } catch (error) {
    if (!isCardSdkError(error, "RATE_LIMITED")) throw error;
    const wait: number | undefined = error.retryAfterMs;
    card.log.warn(wait);
  }
}

/** Every call that the published documentation shows, with the types that its examples count on. */
export async function asPublished(card: Card, id: string, draw: (...parts: unknown[]) => void): Promise<void> {
  const delivered: number = await card.ports.emit("failures", [{ text: "auth", status: "error" }]);
  if (delivered === 0) card.ui.toast("Connect me to a list");
  await card.ports.send(id, "summary", "## All green", { input: "replace" });
  card.ports.onMessage<string>((text, message) => draw(text.length, message.fromKind, message.sourceType), { input: "notes" });
  card.ports.onRequest<string>("lookup", async (query, request) => ({ query, aborted: request.signal.aborted }));
  const answer = await card.ports.request<{ hits: string[] }>(id, "lookup", "flaky tests", { timeoutMs: 10_000 });
  const last = await card.ports.read<{ text: string }[]>(id, "items");
  if (last) draw(answer.hits.length, last.data.length, new Date(last.at).toLocaleTimeString());
  const sink = card.ports.peers.find((p) => p.direction !== "upstream" && p.inputs.some((i) => i.type === "ns:tasks"));
  card.ports.onPeersChanged((peers) => draw(peers.map((p) => p.name), sink?.name ?? "none"));
  const needed = card.ports.peers.map((p) => permissionForPeer(p, { outputType: "ns:markdown" })).filter((p) => p !== null);
  const usable: string[] = await requestPermissions(card, ...needed);
  card.agents.onStatus(({ agentId, status }) => draw(agentId, status));
  card.agents.onTurn(({ agentId, phase, at }) => draw(agentId, phase, new Date(at)));
  card.agents.onChanged((agents) => draw(agents.length, usable));
  const screen: string = await card.agents.readScreen(id, 80);
  const { text, at } = await card.agents.lastReply(id);
  card.agents.onOutput([id], ({ agentId, text: chunk }) => draw(agentId, chunk.includes("FAIL"), screen, text, at))();
  const sent: "sent" | "queued" | "inserted" = await card.agents.prompt(id, "Look.", { submit: false, whenBusy: "fail" });
  if (await card.host.supports("agents.usage")) draw((await card.agents.usage(id, 0)).totalTokens ?? sent);
  for (const r of (await card.agents.timeline(id, 0, 1)).requests) draw(r.startedAt ?? r.endedAt, r.outputTokens, r.tools);
  const run = await card.terminals.run(id, "npm test", { timeoutMs: 120_000 });
  draw(run.timedOut ? "still running" : run.exitCode === 0 ? "passed" : run.output);
  await card.terminals.write(id, "git status", { submit: true });
  const pkg = JSON.parse(await card.fs.readText("package.json")) as { name: string };
  const logo: Uint8Array = await card.fs.readBytes("logo.png");
  const { entries, truncated } = await card.fs.list("src", { recursive: true, maxEntries: 2000 });
  const before = await card.fs.stat("TODO.md");
  await card.fs.writeText("TODO.md", "- [ ] ship it", { createDirs: true, ifMtimeMs: before.mtimeMs });
  await card.fs.mkdir("reports");
  await card.fs.trash("reports/old.md");
  await card.copyText([pkg.name, logo.byteLength, entries.length, truncated].join());
  const summary = await card.usage("7d");
  for (const row of summary.rows) draw(row.name, row.costMicroUsd ?? "no price", summary.totalCostMicroUsd / 1_000_000);
}

export const host = new MockHost({ manifest: {}, peers: [peer("c_note", "note")] });
export const parts = [CardProvider, usePeers];
`;

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "card-sdk-"));
  const scope = join(folder, "node_modules/@cardloom");
  mkdirSync(scope, { recursive: true });
  mkdirSync(join(scope, "card-sdk"));
  mkdirSync(join(folder, "node_modules/@types"));
  symlinkSync(join(MODULES, "@types/react"), join(folder, "node_modules/@types/react"));
  symlinkSync(join(MODULES, "react"), join(folder, "node_modules/react"));
  symlinkSync(join(MODULES, "csstype"), join(folder, "node_modules/csstype"));
  writeFileSync(join(scope, "card-sdk/package.json"), readFileSync(join(PACKAGE, "package.json")));
  execFileSync(process.execPath, [join(PACKAGE, "build.mjs"), join(scope, "card-sdk/dist")]);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "card.ts"), CARD);
}, BUILD_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the compiler has to say about the card in a strict project of its own; nothing, if all is well. */
function compile(): string {
  const compilerOptions = { strict: true, noEmit: true, target: "es2022", types: [], module: "nodenext" };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["card.ts"] }));
  try {
    return execFileSync(process.execPath, [join(MODULES, "typescript/bin/tsc"), "-p", "."], { cwd: folder, encoding: "utf-8" });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe("the built package", () => {
  test("every export leads to a file", () => {
    const place = join(folder, "node_modules/@cardloom/card-sdk");
    const { exports } = JSON.parse(readFileSync(join(place, "package.json"), "utf-8")) as { exports: Record<string, unknown> };
    const files = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry as object)));
    expect(files.filter((file: string) => !existsSync(join(place, file)))).toEqual([]);
  });

  test("its declarations serve a strict project that resolves modules as Node does", { timeout: BUILD_MS }, () => {
    expect(compile()).toBe("");
  });

  test("its parts agree on what an error is", { timeout: BUILD_MS }, () => {
    const program = `
      import { CardSdkError, isCardSdkError } from "@cardloom/card-sdk";
      import { CardSdkError as Theirs } from "@cardloom/card-sdk/testing";
      console.log(CardSdkError === Theirs, isCardSdkError(new Theirs("BUSY", "x"), "BUSY"));
    `;
    writeFileSync(join(folder, "program.mjs"), program);
    const said = execFileSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf-8" });
    expect(said.trim()).toBe("true true");
  });

  test("the protocol is inside, and nothing else is asked for", () => {
    const place = join(folder, "node_modules/@cardloom/card-sdk/dist");
    for (const name of ["index.js", "testing.js", "react.js"]) {
      const imports = [...readFileSync(join(place, name), "utf-8").matchAll(/from\s*"([^"]+)"/g)].map(([, from]) => from);
      expect(imports.filter((from) => !from?.startsWith("./") && from !== "react")).toEqual([]);
    }
  });
});
