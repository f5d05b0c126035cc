import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type Config, ConfigError } from "../config.js";
import type { Log } from "../log.js";
import type { Writing } from "./context.js";
import { NOT_HERE, Refusal } from "./refusals.js";

const TIMEOUT_MS = 2000;
const ADDRESS = /^pg-functions:\/\/postgres\/([A-Za-z_]\w*)\/([A-Za-z_]\w*)$/;

type HookName = "custom_access_token" | "before_user_created";

/**
 * Validates the project's hooks: throws `ConfigError`, and warns of enabled hooks that are never
 * called.
 */
export function checkHooks(config: Config, log: Log): void {
  for (const [name, { enabled }] of Object.entries(config.auth.hook)) {
    if (Object.hasOwn(EVENT_NAMES, name)) hookFunction(config, name as HookName);
    else if (enabled)
      log.warn(`[auth.hook.${name}] is enabled but never called: it is ${NOT_HERE}`);
  }
}

/** Returns the SQL name of a hook's function; null if the hook is off. Throws `ConfigError`. */
function hookFunction(config: Config, name: HookName): string | null {
  const { enabled, uri } = config.auth.hook[name];
  if (!enabled) return null;
  const address = ADDRESS.exec(uri);
  if (!address) {
    throw new ConfigError(
      `[auth.hook.${name}] uri must be pg-functions://postgres/<schema>/<function>: other hooks are ${NOT_HERE}`,
    );
  }
  return `"${address[1]}"."${address[2]}"`;
}

const EVENT_NAMES: Record<HookName, string> = {
  before_user_created: "before-user-created",
  custom_access_token: "customize-access-token",
};

const refusalOfHook = z.object({
  error: z.object({ http_code: z.int().nullish(), message: z.string().nullish() }),
});

/**
 * Calls a hook, if it is on, in the current transaction, with a timeout of 2 s. Throws the hook's
 * own refusal `{error: {http_code, message}}`, and the error of hosted Auth if the hook fails.
 */
export async function callHook(
  w: Writing,
  name: HookName,
  ip: string,
  event: object,
): Promise<unknown> {
  const fn = hookFunction(w.config, name);
  if (!fn) return null;
  const time = new Date().toISOString();
  const metadata = { uuid: randomUUID(), time, name: EVENT_NAMES[name], ip_address: ip };
  let answer: unknown;
  try {
    await w.query(`select set_config('statement_timeout', '${TIMEOUT_MS}', true)`);
    const rows = await w.query<{ answer: unknown }>(`select ${fn}($1::text::jsonb) as answer`, [
      JSON.stringify({ metadata, ...event }),
    ]);
    await w.query("set local statement_timeout to default");
    answer = rows[0]?.answer;
  } catch (cause) {
    const { uri } = w.config.auth.hook[name];
    throw new Refusal(500, "unexpected_failure", `Error running hook URI: ${uri}`, { cause });
  }
  const refused = refusalOfHook.safeParse(answer);
  if (refused.success && refused.data.error.message) {
    const { http_code, message } = refused.data.error;
    const status = http_code && http_code >= 400 && http_code <= 599 ? http_code : 500;
    throw new Refusal(status, null, message);
  }
  if (answer != null && (typeof answer !== "object" || Array.isArray(answer))) {
    throw new Refusal(500, "unexpected_failure", "Error unmarshaling JSON output.");
  }
  return answer;
}
