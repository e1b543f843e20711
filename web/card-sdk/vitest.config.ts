import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "card-sdk",
    environment: "node",
    include: ["tests/**/*.test.{ts,tsx}"],
    testTimeout: 60_000,
  },
});
