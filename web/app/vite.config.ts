import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import type { Plugin } from "vite";

const built = fileURLToPath(new URL("../../packages/server/src/cardloom/web", import.meta.url));
const server = process.env["CARDLOOM_URL"] ?? "http://127.0.0.1:7420";
const toServer = { target: server, changeOrigin: true, headers: { origin: server } };

/** Empties the folder that the page is built into, but for what the card SDK's build put there. */
const emptied: Plugin = {
  name: "empty-but-for-the-card-sdk",
  apply: "build",
  buildStart() {
    const names = existsSync(built) ? readdirSync(built) : [];
    for (const name of names) if (name !== "ns" && name !== "sdk") rmSync(join(built, name), { recursive: true });
  },
};

/** The page is served under a strict content policy, so nothing may be inlined into the HTML as script. */
export default defineConfig({
  plugins: [react(), emptied],
  build: {
    outDir: built,
    emptyOutDir: false,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
    // The code of others comes with its notices.
    license: { fileName: "third-party.md" },
  },
  server: {
    host: "127.0.0.1",
    // To the server these requests come from a page of its own, as those of the built page do.
    proxy: {
      "/ws": { ...toServer, ws: true },
      "/access": toServer,
      "/frames": toServer,
    },
  },
});
