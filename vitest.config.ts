import { defineConfig } from "vitest/config";
import SlowestFirst from "./tests/sequence.js";
import { chooseServers } from "./tests/servers.js";

export default defineConfig(async () => ({
  test: {
    pool: "forks",
    // On two cores one of three waits at any time: for a process to start, or for a server.
    maxWorkers: 3,
    sequence: { sequencer: SlowestFirst },
    projects: (await chooseServers()).map(({ name, include, exclude, server, deno, release }) => ({
      test: {
        name,
        include,
        exclude,
        provide: { server, release },
        env: { SOUK_TEST_DENO: deno },
        globalSetup: "tests/workers.ts",
        setupFiles: "tests/setup.ts",
        // Files of a worker share its process, which loads their modules and compiles PGlite once.
        isolate: false,
        // V8 would compile PGlite a second time, better, which takes longer than what the tests do with it.
        execArgv: ["--liftoff-only"],
        // What hangs is reported late, so that what is slow on a busy machine is not reported as broken.
        testTimeout: 90_000,
        hookTimeout: 180_000,
        teardownTimeout: 20_000,
      },
    })),
  },
}));
