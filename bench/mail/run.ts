// Measures how fast mails are sent that one insert of events queued, to a mail server on this
// machine:
// `npm run bench -- mail --database-url postgres://…/an_empty_database`; without a database, in
// memory.
// It is compared with nodemailer, which sends the same bytes to the same server over one
// connection.
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createTransport } from "nodemailer";
import pg from "pg";
import { openSmtpReceiver } from "../../tests/mail/smtp-receiver.js";
import { progress, register, start, stop } from "../servers.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string", default: process.env.DATABASE_URL },
    mails: { type: "string", default: "10000" },
  },
});
const databaseUrl = values["database-url"];
const mails = Number(values.mails);
const GOAL_PER_SECOND = 200;

const receiver = await openSmtpReceiver();
// The stack's functions send there, according to supabase/config.toml.
process.env.MAIL_URL = receiver.url;
progress("starting a stack, which migrates the database");
const place = databaseUrl ? ["--database-url", databaseUrl] : ["--data", "memory"];
const root = fileURLToPath(new URL("../..", import.meta.url));
const [stack, line] = await start(root, "packages/stack/src/cli.ts", [
  ...["start", "--port", "0", "--json", "--password-cost", "4"],
  ...place,
]);
const { functions_url, db_url } = JSON.parse(line);
const db = new pg.Client({ connectionString: db_url });
try {
  await db.connect();
  const { tenantId } = await register(functions_url, { tenant_name: "Bench" });

  await db.query("select public.set_mails_per_day($1, $2)", [tenantId, mails + 100]);

  progress(`queueing ${mails} letters`);
  await db.query(
    `select private.emit_all(array(
       select row(
         $1, 'user.registered',
         jsonb_build_object('user', jsonb_build_object('email', 'reader-' || n || '@bench.souk.test', 'name', 'Reader ' || n)),
         null, null, null
       )::private.news
       from generate_series(1, $2::integer) as n
     ))`,
    [tenantId, mails],
  );
  const began = performance.now();
  await sent(mails);
  const rate = mails / ((performance.now() - began) / 1000);
  // Waits until the last one is recorded.
  await pause(1000);
  const taken = lettersOfOurs();
  const twice = taken.length - new Set(taken.map(({ to }) => to)).size;
  const { rows } = await db.query(
    `select count(*)::integer as sent from public.mails
     where tenant_id = $1 and status = 'success' and "to" like 'reader-%'`,
    [tenantId],
  );

  progress("sending the same bytes by nodemailer alone");
  const bare = await bareRate(taken[0]?.source ?? "");
  progress("");
  console.log("| | measured | goal |\n|---|---|---|");
  const missed = rate < GOAL_PER_SECOND ? ", missed" : "";
  console.log(`| letters a second | ${rate.toFixed(0)} | ≥ ${GOAL_PER_SECOND}${missed} |`);
  console.log(`| beside nodemailer alone | ${(rate / bare).toFixed(2)} of ${bare.toFixed(0)} | |`);
  console.log(`| sent twice | ${twice} | 0 |`);
  console.log(`| recorded as sent | ${rows[0].sent} of ${mails} | all |`);
} finally {
  await db.end();
  await stop(stack);
  await receiver.close();
}

/** Returns the queued mails; others, such as the demo's, are sent as well. */
function lettersOfOurs() {
  return receiver.taken.filter(({ to }) => to.startsWith("reader-"));
}

/** Waits until `wanted` of them have arrived. */
async function sent(wanted: number): Promise<void> {
  for (let arrived = 0; arrived < wanted; arrived = lettersOfOurs().length) {
    progress(`${arrived} of ${wanted} letters have arrived`);
    await pause(50);
  }
}

/** Measures mails per second over one connection, without rendering, storing or recording them. */
async function bareRate(source: string): Promise<number> {
  const transport = createTransport({ url: receiver.url, pool: true, maxConnections: 1 });
  const began = performance.now();
  for (let n = 0; n < 1000; n += 1) {
    const envelope = { from: "bench@souk.test", to: `bare-${n}@bench.souk.test` };
    await transport.sendMail({ envelope, raw: source });
  }
  transport.close();
  return 1000 / ((performance.now() - began) / 1000);
}
