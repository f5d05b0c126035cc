// Runs before every test file: provides on Vitest and Node what the suites expect from Jest and
// Deno.
import { createRequire } from "node:module";
import { describe, expect, test, vi } from "vitest";

const require = createRequire(import.meta.url);
Object.assign(globalThis, { jest: { ...vi, requireActual: require }, require });

if (expect.getState().testPath?.includes("/test/deno/")) {
  /** Maps a Deno test to a group, and its steps to tests. */
  const group = (name: string, _options: object, run: (t: object) => Promise<void>) =>
    describe(name, () => run({ step: async (step: string, body: () => void) => test(step, body) }));
  const env = { get: (name: string) => process.env[name] };
  Object.assign(globalThis, { Deno: { env, test: group } });
}

const key = process.env.UPSTREAM_KEY;
if (key) {
  const { fetch } = globalThis;
  /** Adds the API key, which the suite leaves out. */
  globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    if (!headers.has("apikey")) headers.set("apikey", key);
    return fetch(input, { ...init, headers });
  };
}

// Silences warnings about missing features of jsdom, which the tests expect.
const { jsdom } = globalThis as { jsdom?: { virtualConsole: NodeJS.EventEmitter } };
jsdom?.virtualConsole.removeAllListeners();
