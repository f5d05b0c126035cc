import { fileURLToPath } from "node:url";

/** The source of the suites. It is newer than the client of this project, so that it tests more. */
export const SOURCE = "https://github.com/supabase/supabase-js.git";
export const TAG = "v2.112.2";

/** The test suite of an official client: its requirements, and its excluded files. */
export interface Suite {
  name: string;
  /** The package's folder in the checkout. */
  folder: string;
  /**
   * The folder below `folder` that contains the suite's `supabase/`; absent if it needs no stack.
   */
  workdir?: string;
  /** A script of the suite that must run first. */
  prepare?: string;
  /** Files copied to where the stack expects them: source to target. */
  copies?: Record<string, string>;
  /** Replacements in the suite's tests and fixtures before the stack starts. */
  edits?: Record<string, string>;
  /** The clients send no API key. The official CLI's gateway accepts that, hosted's does not. */
  keyless?: true;
  environment?: "jsdom";
  include: string[];
  /** Excluded files by pattern, with the reason. */
  exclude: Record<string, string>;
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

const GATEWAY = "http://127.0.0.1:54321";
const types = "only types, checked by their compiler";

export const suites: readonly Suite[] = [
  {
    name: "postgrest-js",
    folder: "packages/core/postgrest-js",
    workdir: "test",
    edits: {
      // Without PostGIS the migration would fail and no test could run.
      "create extension if not exists postgis schema extensions;": "",
      "extensions.geometry(POINT, 4326)": "text",
      // Tests for PostgREST 12 with the same tables; nearly all of them also hold for 14.
      "'http://localhost:3012'": `'${GATEWAY}/rest/v1'`,
    },
    keyless: true,
    include: ["test/**/*.test.ts"],
    exclude: { "test/**/*.test-d.ts": types },
  },
  {
    name: "auth-js",
    folder: "packages/core/auth-js",
    workdir: "test",
    prepare: "test/generate-signing-keys.js",
    // The suite's instance of Auth with signing keys, which this stack also uses.
    edits: { "'http://localhost:9996'": `'${GATEWAY}/auth/v1'` },
    keyless: true,
    include: ["test/**/*.test.ts"],
    exclude: {
      "test/docker-tests/*-disabled.test.ts": "run as the suite auth-js-closed",
      "test/docker-tests/phone-otp.test.ts": "phone: not in the local stack",
      "test/passkey.e2e.test.ts": "passkeys: not in the local stack",
      "example/**": "a React program in a browser",
    },
  },
  {
    name: "auth-js-closed",
    folder: "packages/core/auth-js",
    workdir: "test",
    prepare: "test/generate-signing-keys.js",
    edits: {
      "enable_signup = true": "enable_signup = false",
      "enable_anonymous_sign_ins = true": "enable_anonymous_sign_ins = false",
      "'http://localhost:9997'": `'${GATEWAY}/auth/v1'`,
      "'http://localhost:9999'": `'${GATEWAY}/auth/v1'`,
    },
    keyless: true,
    include: ["test/docker-tests/*-disabled.test.ts"],
    exclude: {},
  },
  {
    name: "realtime-js",
    folder: "packages/core/realtime-js",
    environment: "jsdom",
    include: ["test/**/*.test.ts"],
    exclude: { "example/**": "a Next.js program in a browser" },
  },
  {
    name: "storage-js",
    folder: "packages/core/storage-js",
    workdir: "test",
    edits: {
      "beforeEach(() => {\n      const fetchLib = require('../src/lib/common/fetch')":
        "beforeEach(async () => {\n      const fetchLib = await import('../src/lib/common/fetch')",
      // In Jest, `require` returns the module that the client uses. In Vitest, only `import` does.
      "require('../src/lib/common/fetch')": "await import('../src/lib/common/fetch')",
    },
    include: ["test/**/*.test.ts", "test/**/*.spec.ts"],
    exclude: {},
  },
  {
    name: "functions-js",
    folder: "packages/core/functions-js",
    workdir: "test/project",
    copies: { "test/functions": "test/project/supabase/functions" },
    edits: {
      // The suite expects a container per function; here one gateway serves all.
      "../relay/container": here("relay.ts"),
      // The stack's secret is always the default one.
      "nanoid(10)": "'super-secret-jwt-token-with-at-least-32-characters-long'",
      "import { serve } from 'https://deno.land/std/http/server.ts'": "const { serve } = Deno",
    },
    include: ["test/**/*.test.ts", "test/**/*.spec.ts"],
    exclude: {},
  },
  {
    name: "supabase-js",
    folder: "packages/core/supabase-js",
    workdir: ".",
    copies: { "src/cors.ts": "supabase/functions/_shared/cors.ts" },
    edits: {
      "https://deno.land/std@0.220.1/assert/mod.ts": here("assert.ts"),
      "import { serve } from 'https://deno.land/std@0.168.0/http/server.ts'":
        "const { serve } = Deno",
      "'@supabase/supabase-js/cors'": "'../_shared/cors.ts'",
    },
    include: ["test/integration.test.ts", "test/deno/*.test.ts"],
    exclude: {
      "test/unit/**": "only the client, without a server",
      "test/integration.browser.test.ts": "needs a browser",
      "test/integration/**": "separate programs for Bun, Expo, Next and Playwright",
      "test/types/**": types,
    },
  },
];
