import { expect, inject, it } from "vitest";
import { query } from "../database.js";
import { administer, databaseAt } from "../database-server.js";
import { ownStack } from "../own-stack.js";
import { programOf } from "../programs.js";
import { resetDatabase } from "../stack.js";
import { catalogOf } from "./catalog.js";

// A database of an earlier release, with the demo of then, that was migrated to the present: `npm run test:upgrade`, which
// also runs tests of capabilities on it.
const release = inject("release");

it.runIf(release)("is the same as a new database", { timeout: 120_000 }, async () => {
  const url = ownStack.db_url as string;
  await administer(url, "create database souk_new");
  const other = databaseAt(url, "souk_new");
  try {
    await resetDatabase(programOf("packages/stack/src/cli.ts"), ["--database-url", other]);
    const [migrated, made] = await Promise.all([catalogOf(url), catalogOf(other)]);
    expect(migrated.filter((line) => !made.includes(line))).toEqual([]);
    expect(made.filter((line) => !migrated.includes(line))).toEqual([]);
  } finally {
    await administer(url, "drop database souk_new with (force)");
  }
});

it.runIf(release)("has the orders of the demo, whose money adds up", async () => {
  const orders = await query(
    `select o.id, sum(p.subtotal + p.delivery_amount) as parts, (
       select sum(i.amount) from public.order_items i where i.order_id = o.id
     ) as items, sum(p.subtotal) as subtotals
     from public.orders o
     join public.order_parts p on p.order_id = o.id
     group by o.id`,
  );
  expect(orders.length).toBeGreaterThan(2);
  for (const { items, subtotals } of orders) expect(items).toBe(subtotals);
});

it.runIf(release)("has a ledger that agrees with its orders and charges", async () => {
  expect(
    await query(
      "select d.* from public.tenants t cross join lateral private.ledger_differences(t.id) as d",
    ),
  ).toEqual([]);
});

it.runIf(release)("keeps the work that waited, with its attempts", async () => {
  const jobs = await query(
    `select queue, right(subject_id::text, 1) as subject, attempts, is_counted, due_at = '2100-01-01' as is_later
     from private.jobs where subject_id::text ^@ 'e0000000' order by subject_id`,
  );
  const of = (queue: string, attempts: number, is_counted = false) => ({
    queue,
    attempts,
    is_counted,
  });
  const expected = [
    of("mails", 2, true),
    ...[of("large_exports", 1), of("small_exports", 0)],
    ...[of("export_files", 0), of("media_cleanings", 3)],
  ];
  const sweeps = await query(
    `select s.path, j.due_at = '2100-01-01' as is_later
     from private.media_sweeps s
     join private.jobs j on j.queue = 'media_sweeps' and j.subject_id = s.id
     where s.path = 'waiting.png'`,
  );
  expect(sweeps).toEqual([{ path: "waiting.png", is_later: true }]);
  expect(jobs).toEqual(
    expected.map((job, n) => ({ ...job, subject: String(n + 1), is_later: true })),
  );
});
