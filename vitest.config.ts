import { defineConfig } from "vitest/config";
import WaitingFirst from "./tests/sequence.js";

const times = { testTimeout: 20_000, hookTimeout: 60_000, teardownTimeout: 20_000 };

export default defineConfig({
  test: {
    pool: "forks",
    // Every file of the stack's tests brings up a database of its own: more at once only wait.
    maxWorkers: 2,
    sequence: { sequencer: WaitingFirst },
    projects: [
      {
        test: {
          ...times,
          name: "souk",
          include: ["tests/**/*.test.ts"],
          globalSetup: "tests/stack.ts",
        },
      },
      { test: { ...times, name: "packages", include: ["packages/*/tests/**/*.test.ts"] } },
    ],
  },
});
