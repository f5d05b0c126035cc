/**
 * Refuses planner settings of SQL functions without a reason. Settings that protect from a plan from when there were few
 * rows need a comment in the function's head; every other setting needs one with what was measured.
 */
import { readSqlFunctions } from "./sql-functions.js";

const SETTING =
  /\bset\s+(plan_cache_mode = force_custom_plan|plan_cache_mode|enable_\w+|jit\w*|work_mem|hash_mem_multiplier|(?:join|from)_collapse_limit|geqo\w*|\w+_cost|(?:max_)?parallel_\w+|hnsw\.\w+)/g;

/** What keeps a session from using a plan that reads a whole table, because it was empty when the plan was made. */
const PROTECTING = new Set([
  "plan_cache_mode = force_custom_plan",
  "enable_seqscan",
  "enable_bitmapscan",
  "enable_hashjoin",
  "enable_mergejoin",
]);

/** Functions of the extension vector, which the measured server lacked. */
const UNMEASURED = new Set([
  "public.search_by_meaning",
  "private.embed_text",
  "private.lease_embedding_jobs",
]);

const faults = readSqlFunctions().flatMap(({ name, place, text }) => {
  const head = text.slice(0, text.search(/^(?:as\s+)?\$|^begin atomic|^return\b/m));
  const comments = (head.match(/--.*/g) ?? []).join(" ");
  const settings = [...head.replace(/--.*/g, "").matchAll(SETTING)].map(([, setting]) => setting!);
  return settings
    .filter((setting) => (PROTECTING.has(setting) ? comments === "" : !/\d/.test(comments)))
    .filter(() => !UNMEASURED.has(name))
    .map((setting) => `${place}: ${name} sets ${setting}`);
});
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error("Say beside each setting what was measured without and with it, or remove it.");
  process.exit(1);
}
