import { z } from "zod";
import { type Config, ConfigError } from "../config.js";
import type { Queryable } from "../db/database.js";
import { Refusal } from "./refusals.js";

const TIMEOUT_MS = 2000;
const ADDRESS = /^pg-functions:\/\/postgres\/([A-Za-z_]\w*)\/([A-Za-z_]\w*)$/;

type HookName = keyof Config["auth"]["hook"];

/** The SQL name of a hook's function; null where the hook is off. Throws `ConfigError`. */
export function hookFunction(config: Config, name: HookName): string | null {
  const { enabled, uri } = config.auth.hook[name];
  if (!enabled) return null;
  const address = ADDRESS.exec(uri);
  if (!address) {
    throw new ConfigError(
      `[auth.hook.${name}] uri must be pg-functions://postgres/<schema>/<function>: other hooks are not in the local stack`,
    );
  }
  return `"${address[1]}"."${address[2]}"`;
}

const refusalOfHook = z.object({
  error: z.object({ http_code: z.int().nullish(), message: z.string().nullish() }),
});

/**
 * Calls a hook in the transaction at hand, which has 2 s for it, as Supabase Auth. Throws the
 * hook's own refusal `{error: {http_code, message}}`, and what Postgres threw otherwise.
 */
export async function callHook(q: Queryable, fn: string, event: object): Promise<unknown> {
  await q.query(`select set_config('statement_timeout', '${TIMEOUT_MS}', true)`);
  const rows = await q.query<{ answer: unknown }>(`select ${fn}($1::text::jsonb) as answer`, [
    JSON.stringify(event),
  ]);
  await q.query("set local statement_timeout to default");
  const answer = rows[0]?.answer;
  const refused = refusalOfHook.safeParse(answer);
  if (refused.success && refused.data.error.message) {
    const { http_code, message } = refused.data.error;
    const status = http_code && http_code >= 400 && http_code <= 599 ? http_code : 500;
    throw new Refusal(status, null, message);
  }
  return answer;
}
