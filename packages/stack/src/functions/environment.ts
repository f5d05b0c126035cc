import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse as parseDotenv } from "dotenv";

import type { ServiceContext } from "../service.js";

/** Variables that Deno itself reads before a function runs. The function does not see them. */
const forDeno = [
  "HOME",
  "DENO_DIR",
  "XDG_CACHE_HOME",
  "TMPDIR",
  "LOCALAPPDATA",
  "USERPROFILE",
  "SystemRoot",
  "TEMP",
];

/** The region of the functions, as a hosted project would name it. */
export const REGION = "local";

/** Variables that Deno sets itself. */
const fromDeno = ["PATH", "DENO_NODE_SHIM_ACTIVE"];

/** The variables of a function's process, and the names of those that only Deno may see. */
export interface Environment {
  variables: Record<string, string>;
  hidden: string[];
}

/**
 * Combines the platform's variables, `[edge_runtime.secrets]` and `supabase/functions/.env`, without the environment of
 * the stack itself. `MAIL_URL` defaults to the stack's own mailbox.
 */
export async function readEnvironment(s: ServiceContext): Promise<Environment> {
  const log = s.log.of("functions");
  const given: Record<string, string> = { ...s.config.edge_runtime.secrets };
  const path = join(s.config.root, "supabase", "functions", ".env");
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") log.warn(`cannot read ${path}: ${error.message}`);
    return "";
  });
  Object.assign(given, parseDotenv(text));
  for (const name of Object.keys(given).filter((name) => name.startsWith("SUPABASE_"))) {
    log.warn(`${name} is skipped: names that start with SUPABASE_ belong to the platform`);
    delete given[name];
  }

  const deno: Record<string, string> = { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" };
  for (const name of forDeno) {
    const value = process.env[name];
    if (value !== undefined) deno[name] = value;
  }
  // `env(…)` of a variable that is not set makes the value empty.
  const mailUrl = given.MAIL_URL || s.smtpUrl;
  const variables: Record<string, string> = {
    ...given,
    ...(mailUrl ? { MAIL_URL: mailUrl } : {}),
    SUPABASE_URL: s.url,
    SUPABASE_ANON_KEY: s.keys.anonKey,
    SUPABASE_SERVICE_ROLE_KEY: s.keys.serviceRoleKey,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: s.keys.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: s.keys.secretKey }),
    SUPABASE_JWKS: JSON.stringify(s.keys.jwks),
    ...(s.db.url === null ? {} : { SUPABASE_DB_URL: s.db.url }),
    SB_REGION: REGION,
  };
  return {
    variables: { ...deno, ...variables },
    hidden: [...Object.keys(deno), ...fromDeno].filter((name) => !(name in variables)),
  };
}
