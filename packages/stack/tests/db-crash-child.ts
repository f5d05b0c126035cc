// A stack's database without its services: migrates the project in the working directory, then inserts rows until it is
// killed, and prints each row after its insert. With the address of a receiver, it runs the jobs instead, and prints
// when a run begins and when one has succeeded.
import { readConfig } from "../src/config.js";
import { buildDatabase, timedSteps } from "../src/db/build.js";
import type { Database } from "../src/db/database.js";
import { claimPlace } from "../src/db/open.js";
import { createJobs } from "../src/jobs/index.js";
import { createLog } from "../src/log.js";
import type { ServiceContext } from "../src/service.js";

const root = process.cwd();
const log = createLog();
const claim = await claimPlace({ folder: `${root}/.souk` });
const db = await buildDatabase(claim, await readConfig(root), log, timedSteps(log), true);
const [receiver] = process.argv.slice(2);
const say = (word: unknown) => process.stdout.write(`${word}\n`);

async function insert(): Promise<never> {
  for (;;) {
    const [row] = await db.run<{ id: number }>(
      { role: "service_role" },
      "insert into public.rows (text) values ($1) returning id",
      ["x".repeat(500)],
    );
    say(row?.id);
  }
}

async function runJobs(url: string): Promise<void> {
  const reporting: Database = {
    ...db,
    script: (user, sql, begun) =>
      db.script(user, sql, async (pid) => {
        await begun(pid);
        say("begun");
      }),
  };
  await createJobs({ db: reporting, url, log } as ServiceContext);
  await db.query("select net.http_get($1)", [url]);
  // The very first run takes long.
  await db.query("select cron.schedule('long', '1 second', $1)", [
    "select pg_sleep(case count(*) when 1 then 60 else 0 end) from cron.job_run_details",
  ]);
  const ended = "select from cron.job_run_details where status = 'succeeded'";
  while ((await db.query(ended)).length === 0) await new Promise((done) => setTimeout(done, 50));
  say("succeeded");
}

if (receiver) await runJobs(receiver);
else await Promise.all([insert(), insert(), insert(), insert()]);
