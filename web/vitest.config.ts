import { existsSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// The examples are written as their authors would, and find here what an author would install beside them.
const link = fileURLToPath(new URL("../examples/node_modules", import.meta.url));
if (!existsSync(link)) symlinkSync(fileURLToPath(new URL("node_modules", import.meta.url)), link, "junction");

export default defineConfig({
  test: {
    projects: ["app", "card-sdk", "protocol", "../examples/cards/vitest.config.mts"],
    passWithNoTests: true,
  },
});
