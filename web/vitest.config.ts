import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["app", "card-sdk", "protocol"],
    passWithNoTests: true,
  },
});
