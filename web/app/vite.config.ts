import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const built = fileURLToPath(new URL("../../packages/server/src/cardloom/web", import.meta.url));
const server = process.env["CARDLOOM_URL"] ?? "http://127.0.0.1:7420";

/** The page is served under a strict content policy, so nothing may be inlined into the HTML as script. */
export default defineConfig({
  plugins: [react()],
  build: {
    outDir: built,
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
  server: {
    host: "127.0.0.1",
    proxy: {
      "/ws": { target: server, ws: true },
      "/access": { target: server },
    },
  },
});
