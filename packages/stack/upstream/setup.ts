// Runs before every test file: what the suites expect of Jest and of Deno, on Vitest and Node.
import { createRequire } from "node:module";
import { describe, expect, test, vi } from "vitest";

const require = createRequire(import.meta.url);
Object.assign(globalThis, { jest: { ...vi, requireActual: require }, require });

if (expect.getState().testPath?.includes("/test/deno/")) {
  /** A test of Deno is a group of ours, and its steps are the tests. */
  const group = (name: string, _options: object, run: (t: object) => Promise<void>) =>
    describe(name, () => run({ step: async (step: string, body: () => void) => test(step, body) }));
  const env = { get: (name: string) => process.env[name] };
  Object.assign(globalThis, { Deno: { env, test: group } });
}

const key = process.env.UPSTREAM_KEY;
if (key) {
  const { fetch } = globalThis;
  /** Sends the API key along that the suite leaves out. */
  globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    if (!headers.has("apikey")) headers.set("apikey", key);
    return fetch(input, { ...init, headers });
  };
}

// It would write to the terminal what it cannot do, which the tests know.
const { jsdom } = globalThis as { jsdom?: { virtualConsole: NodeJS.EventEmitter } };
jsdom?.virtualConsole.removeAllListeners();
