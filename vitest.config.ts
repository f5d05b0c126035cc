import { defineConfig } from "vitest/config";
import WaitingFirst from "./tests/sequence.js";

// Long enough for a machine that is busy with something else: what hangs is told late, what is slow is not told as broken.
const times = { testTimeout: 120_000, hookTimeout: 180_000, teardownTimeout: 20_000 };

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
          globalSetup: ["tests/programs.ts", "tests/stack.ts"],
        },
      },
      {
        test: {
          ...times,
          name: "packages",
          include: ["packages/*/tests/**/*.test.ts"],
          globalSetup: "tests/programs.ts",
        },
      },
    ],
  },
});
