import { defineConfig } from "vitest/config";
import WaitingFirst from "./tests/sequence.js";

const times = { testTimeout: 20_000, hookTimeout: 60_000, teardownTimeout: 20_000 };

export default defineConfig({
  test: {
    pool: "forks",
    // On two cores one of three waits at any time: for a process to start, or for the clock.
    maxWorkers: 3,
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
