import type { Service, ServiceContext } from "../service.js";
import { runCron } from "./cron.js";
import { runNet } from "./net.js";

/**
 * Does the work of the background processes of pg_cron and pg_net, for each extension that is not
 * installed in the database.
 */
export async function createJobs(s: ServiceContext): Promise<Service> {
  const log = s.log.of("jobs");
  const installed = await s.db.query<{ name: string }>(
    "select extname::text as name from pg_extension where extname in ('pg_cron', 'pg_net')",
  );
  const lacks = (name: string) => !installed.some((extension) => extension.name === name);
  const stops: (() => Promise<void>)[] = [];
  if (lacks("pg_net")) stops.push(await runNet(s.db, s.url, log));
  if (lacks("pg_cron")) stops.push(await runCron(s.db, log));
  return {
    async close() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}
