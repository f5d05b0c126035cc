// Measures the cost and delay of webhooks through the real stack:
// `npm run bench -- webhooks --database-url postgres://…/an_empty_database`.
// Everything is measured in turn, in one run, on one machine.
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { median, progress, start, stop } from "../servers.js";
import {
  type Delays,
  delaysBesideHanging,
  delaysOfHealthy,
  delaysOfOne,
  type Traffic,
} from "./delays.js";
import { type Cost, costOfDelivery, fillHistory } from "./history.js";
import { openReceivers, type Receivers } from "./receiving.js";
import { HANGING, openShops, REGISTRATIONS } from "./shops.js";
import { backlogs, rateOfBare, rateOfSouk } from "./throughput.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string" },
    rounds: { type: "string", default: "5" },
    deliveries: { type: "string", default: "10000" },
    events: { type: "string", default: "200" },
    history: { type: "string", default: "1000000" },
  },
});
const databaseUrl = values["database-url"];
if (!databaseUrl) {
  console.error("Give an empty database of a Postgres server to fill: --database-url postgres://…");
  process.exit(2);
}
const [rounds, deliveries, events, history] = [
  values.rounds,
  values.deliveries,
  values.events,
  values.history,
].map(Number) as [number, number, number, number];

const db = new pg.Client({ connectionString: databaseUrl });

/** Measures once per round, after an optional round of warm-up. */
async function inRounds(warmUp: boolean, measure: (say: string) => Promise<void>): Promise<void> {
  for (let round = warmUp ? 0 : 1; round <= rounds; round += 1) {
    await measure(`round ${round} of ${rounds}`);
  }
}

/** The median without the first round, which is warm-up. */
const middle = (made: number[]) => Math.round(median(made.slice(1)));

async function throughput(receivers: Receivers) {
  const table: Record<string, object> = {};
  for (const backlog of backlogs(deliveries)) {
    const made = { souk: [] as number[], fetch: [] as number[], send: [] as number[] };
    await inRounds(true, async (round) => {
      progress(`${round}: ${backlog.name}, Souk`);
      made.souk.push(await rateOfSouk(db, receivers, backlog));
      for (const kind of ["fetch", "send"] as const) {
        progress(`${round}: ${backlog.name}, ${kind} alone`);
        made[kind].push(await rateOfBare(kind, receivers, backlog));
      }
    });
    const share = (of: number[]) => {
      const ratios = made.souk.map((rate, round) => rate / (of[round] as number));
      return Number(median(ratios.slice(1)).toFixed(2));
    };
    table[backlog.name] = {
      "Souk /s": middle(made.souk),
      "fetch alone /s": middle(made.fetch),
      ratio: share(made.fetch),
      "send alone /s": middle(made.send),
      "of it": share(made.send),
    };
  }
  return table;
}

const medianOf = (made: Delays[], which: keyof Delays) =>
  Number(median(made.map((one) => one[which])).toFixed(1));

async function gentle(receivers: Receivers) {
  const made: Delays[] = [];
  await inRounds(true, async (round) => {
    progress(`${round}: 10 events a second, one receiver`);
    made.push(await delaysOfOne(db, receivers, { count: events, perSecond: 10 }));
  });
  const measured = made.slice(1);
  return {
    "10 events a second": {
      "p50 ms": medianOf(measured, "p50"),
      "p95 ms": medianOf(measured, "p95"),
      "p99 ms": medianOf(measured, "p99"),
    },
  };
}

async function neighbours(receivers: Receivers) {
  const traffics: Traffic[] = [
    { name: "10 events a second", events, perSecond: 10 },
    { name: `${events} events at once`, events, perSecond: null },
  ];
  const table: Record<string, object> = {};
  for (const traffic of traffics) {
    const made = { good: [] as Delays[], bad: [] as Delays[] };
    await inRounds(false, async (round) => {
      for (const beside of ["good", "bad"] as const) {
        progress(`${round}: ${traffic.name}, ten deliveries each, ${beside} neighbours`);
        made[beside].push(await delaysOfHealthy(db, receivers, traffic, beside));
      }
    });
    const ratio = median(made.bad.map(({ p95 }, round) => p95 / (made.good[round] as Delays).p95));
    table[traffic.name] = {
      "p50 ms, all well": medianOf(made.good, "p50"),
      "p95 ms, all well": medianOf(made.good, "p95"),
      "p50 ms beside bad ones": medianOf(made.bad, "p50"),
      "p95 ms beside bad ones": medianOf(made.bad, "p95"),
      ratio: Number(ratio.toFixed(2)),
    };
  }
  return table;
}

async function besideHanging(receivers: Receivers) {
  const made = { good: [] as Delays[], bad: [] as Delays[] };
  await inRounds(false, async (round) => {
    for (const beside of ["good", "bad"] as const) {
      progress(
        `${round}: 10 events a second, ten deliveries each, ${HANGING} ${beside} receivers of one tenant`,
      );
      const load = { count: events, perSecond: 10 };
      made[beside].push(await delaysBesideHanging(db, receivers, load, beside));
    }
  });
  return Object.fromEntries(
    (["good", "bad"] as const).map((beside) => [
      beside === "good" ? "they are well" : "they hang",
      {
        "p50 ms": medianOf(made[beside], "p50"),
        "p95 ms": medianOf(made[beside], "p95"),
        "p99 ms": medianOf(made[beside], "p99"),
      },
    ]),
  );
}

async function costs() {
  const table: Record<string, object> = {};
  let there = 0;
  for (const rows of [10_000, history]) {
    progress(`filling in ${rows} deliveries of the past`);
    await fillHistory(db, rows - there);
    there = rows;
    const made: Cost[] = [];
    await inRounds(true, async (round) => {
      progress(`${round}: deliveries beside ${rows} of the past`);
      made.push(await costOfDelivery(db, 2000));
    });
    const [write, send] = [made.map((cost) => cost.write), made.map((cost) => cost.send)];
    table[`${rows} rows of history`] = {
      "write µs": middle(write),
      "claim and record µs": middle(send),
    };
  }
  return table;
}

const children: ChildProcess[] = [];
try {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const place = ["start", "--port", "0", "--json", "--database-url", databaseUrl];
  const [stack] = await start(root, "packages/stack/src/cli.ts", place);
  children.push(stack);
  const receivers = await openReceivers(REGISTRATIONS + HANGING, children);
  await db.connect();
  await openShops(db, receivers.urls);
  await db.query("vacuum analyze");

  const tables = {
    [`deliveries per second, a backlog of ${deliveries}`]: await throughput(receivers),
    "from commit to receipt": await gentle(receivers),
    [`${REGISTRATIONS} registrations, 1 % dead and 5 % slow`]: await neighbours(receivers),
    [`beside ${HANGING} receivers of one tenant, with more deliveries than may be in flight`]:
      await besideHanging(receivers),
    // This measures the database, so the stack must not dispatch.
    "a delivery in the database": await stop(stack).then(costs),
  };
  progress("");
  for (const [title, table] of Object.entries(tables)) {
    console.log(`${title}, medians of ${rounds} rounds`);
    console.table(table);
  }
} finally {
  await db.end();
  await Promise.all(children.map(stop));
}
