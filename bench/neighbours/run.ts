// Measures how much one tenant can slow down another on the same server:
// `npm run bench -- neighbours --database-url postgres://…/an_empty_database`.
// A shop has customers, first alone and then beside a tenant that runs attacks.
import type { ChildProcess } from "node:child_process";
import { setMaxListeners } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { progress, start, stop } from "../servers.js";
import { attacks, openAttackers, type Statuses } from "./attacks.js";
import { openShop, type Seen, STEPS, type Step } from "./shopping.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string" },
    seconds: { type: "string", default: "300" },
    only: { type: "string", multiple: true },
  },
});
const databaseUrl = values["database-url"];
if (!databaseUrl) {
  console.error("Give an empty database of a Postgres server: --database-url postgres://…");
  process.exit(2);
}
const unknown = values.only?.find((name) => !attacks.some((attack) => attack.name === name));
if (unknown !== undefined) {
  console.error(
    `There is no attack '${unknown}': --only takes ${attacks.map(({ name }) => `'${name}'`).join(", ")}`,
  );
  process.exit(2);
}
const seconds = Number(values.seconds);
const GOAL = 3;

const at = (took: number[], share: number) =>
  took.toSorted((a, b) => a - b)[Math.floor((took.length - 1) * share)] ?? Number.NaN;

const steps: readonly Step[] = [...STEPS, "webhook"];

/** Returns the p50 and p99 of each step in milliseconds. */
const times = (seen: Seen) =>
  Object.fromEntries(
    steps.map((step) => {
      const [p50, p99] = [0.5, 0.99].map((share) => at(seen.took[step], share).toFixed(1));
      return [step, `${p50}, ${p99}`];
    }),
  );

/** Returns a percentile of each step as a multiple of the same one without attacks. */
const ratios = (seen: Seen, alone: Seen, share: number) =>
  Object.fromEntries(
    steps.map((step) => {
      const ratio = at(seen.took[step], share) / at(alone.took[step], share);
      return [step, Number(ratio.toFixed(2))];
    }),
  );

const children: ChildProcess[] = [];
try {
  const root = resolve(fileURLToPath(new URL("../..", import.meta.url)));
  const cli = resolve(root, "packages/stack/src/cli.ts");
  const place = ["start", "--port", "0", "--json", "--database-url", databaseUrl];
  const [child, ready] = await start(root, cli, place);
  children.push(child);
  const stack = JSON.parse(ready);

  const shop = await openShop(stack);
  const attackers = await openAttackers(stack, databaseUrl);
  const chosen = attacks.filter(({ name }) => !values.only || values.only.includes(name));
  const each = seconds / chosen.length;
  progress("the shop alone");
  await shop.open(10);
  const alone = await shop.open(Math.max(30, each));
  const beside = new Map<string, Seen>();
  const answers: Record<string, Statuses> = {};
  for (const attack of chosen) {
    progress(`the shop beside ${attack.name}`);
    const run = await attackers.prepare(attack);
    const over = new AbortController();
    // Each request of an attack listens to the signal.
    setMaxListeners(0, over.signal);
    const attacking = run(over.signal);
    beside.set(attack.name, await shop.open(each));
    over.abort();
    answers[attack.name] = await attacking;
  }
  attackers.close();
  shop.close();

  progress("");
  console.log(`Attacks, ${Math.round(each)} s each, and the number of answers by status`);
  console.table(answers);
  console.log("Durations of the shop's requests and webhooks: p50, p99 in ms");
  const seen: [string, Seen][] = [["alone", alone], ...beside];
  console.table(Object.fromEntries(seen.map(([name, one]) => [name, times(one)])));
  for (const [name, share] of [
    ["p50", 0.5],
    ["p99", 0.99],
  ] as const) {
    console.log(
      `${name} beside each attack as a multiple of the ${name} alone; the goal is less than ${GOAL}`,
    );
    console.table(
      Object.fromEntries([...beside].map(([attack, one]) => [attack, ratios(one, alone, share)])),
    );
  }
  const failed = seen.flatMap(([name, one]) => one.failed.map((what) => `beside ${name}: ${what}`));
  console.log(`${failed.length} of the shop's requests and webhooks failed; the goal is none`);
  for (const one of failed.slice(0, 20)) console.log(`  ${one}`);
} finally {
  await Promise.all(children.map(stop));
}
