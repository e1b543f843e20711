import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(`../../web/${path}`, import.meta.url));

/** The tests of the cards that are pages, against the SDK as it stands in the checkout. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  resolve: {
    alias: {
      "@cardloom/card-sdk/testing": source("card-sdk/src/testing/index.ts"),
      "@cardloom/card-sdk/react": source("card-sdk/src/react/index.ts"),
      "@cardloom/card-sdk/kit.css": source("card-sdk/src/kit.css"),
      "@cardloom/card-sdk": source("card-sdk/src/index.ts"),
      "@cardloom/protocol": source("protocol/src/index.ts"),
    },
  },
  server: { fs: { strict: false } },
  test: { name: "examples", include: ["*/tests/**/*.test.{js,tsx}"], testTimeout: 60_000 },
});
