import { defineConfig } from "vite";

// A card's page is served below an address of its own and runs no script inside its HTML.
export default defineConfig({
  base: "./",
  build: { target: "es2022", modulePreload: { polyfill: false }, license: { fileName: "third-party.md" } },
});
