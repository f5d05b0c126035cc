import { fileURLToPath } from "node:url";

/** Where the suites come from. Newer than the client Souk installs, so that it asks for more. */
export const SOURCE = "https://github.com/supabase/supabase-js.git";
export const TAG = "v2.112.2";

/** A suite of an official client: what it needs, and what of it is not run. */
export interface Suite {
  name: string;
  /** The package's folder in the checkout. */
  folder: string;
  /** The folder that holds the suite's `supabase/`, below `folder`; absent: it needs no stack. */
  workdir?: string;
  /** A script of the suite's own that has to run first. */
  prepare?: string;
  /** Fixtures left out: the stack cannot take them. */
  omit?: string[];
  /** What is copied to where the stack looks for it. */
  copies?: Record<string, string>;
  /** What is replaced in the checkout's tests and fixtures before the stack starts. */
  edits?: Record<string, string>;
  /** Clients of it send no API key, which the official CLI's gateway lets pass and hosted's does not. */
  keyless?: true;
  environment?: "jsdom";
  include: string[];
  /** Why files are not run, by pattern. */
  exclude: Record<string, string>;
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

const GATEWAY = "http://127.0.0.1:54321";
const types = "types alone, checked by their compiler";

export const suites: readonly Suite[] = [
  {
    name: "postgrest-js",
    folder: "packages/core/postgrest-js",
    workdir: "test",
    edits: {
      // No server at hand has PostGIS, and a migration that fails would leave nothing to test.
      "create extension if not exists postgis schema extensions;": "",
      "extensions.geometry(POINT, 4326)": "text",
      // A PostgREST 12 with the same tables; nearly all of what is asked of it holds for 14 as well.
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
    // An instance of Auth with signing keys, as this stack is one.
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
      // With Jest it is the module that the client has; here only an import is.
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
      // A container for each function: here all are behind one gateway.
      "../relay/container": here("relay.ts"),
      // The stack's secret is always the well-known one.
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
      "test/unit/**": "the client alone, without a server",
      "test/integration.browser.test.ts": "needs a browser",
      "test/integration/**": "programs of their own for Bun, Expo, Next and Playwright",
      "test/types/**": types,
    },
  },
];
