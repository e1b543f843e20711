import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  test: {
    name: "app",
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}", "tests/**/*.test.{ts,tsx}"],
    setupFiles: ["./tests/setup.ts"],
    // Caps for a machine that is busy with other things: who waits, waits for evidence.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // docs/decisions/0018-a-second-try-on-ci.md
    retry: process.env["CI"] ? 1 : 0,
    expect: { poll: { timeout: 40_000 } },
  },
});
