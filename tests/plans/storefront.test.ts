import { randomUUID } from "node:crypto";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { openTestTenant, stackInUse } from "../souk.js";

// The first request of every shop. It must not take longer with more tenants.

const SHOPS = 2_000;

it("reads as many pages for a storefront among 2,000 tenants as among a few", async () => {
  const { marketplace } = await openTestTenant();
  const db = new pg.Client({ connectionString: stackInUse().db_url as string });
  await db.connect();
  onTestFinished(() => db.end());

  /** Pages of 8 kB that a call reads, from memory or from disk. */
  async function pagesOf(call: string): Promise<number> {
    const { rows } = await db.query(`explain (analyze, buffers, format json) select ${call}`);
    const [{ Plan: plan }] = rows[0]["QUERY PLAN"];
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  }
  const pagesFor = async ({ id, domain }: { id: string; domain: string }) => ({
    storefront: await pagesOf(`public.storefront('${domain}')`),
    "a guest's marketplace, by its domain": await pagesOf(`private.open_marketplace('${domain}')`),
    "a guest's marketplace, by its id": await pagesOf(`private.open_marketplace('${id}')`),
    "a domain that is not there": await pagesOf("private.open_marketplace('no.example.com')"),
  });

  await db.query("begin");
  // After five calls a session keeps a plan. This one is made for few rows, with current statistics.
  await db.query("analyze public.marketplaces");
  for (let times = 0; times < 7; times += 1) await pagesFor(marketplace);
  const few = await pagesFor(marketplace);
  const run = randomUUID();
  await db.query(
    `with opened as (
       insert into public.tenants (name) select $1 || n from generate_series(1, $2::integer) n returning id
     )
     insert into public.marketplaces (tenant_id, name, category, currency, language, domain, status)
     select id, 'Shop', 'all', 'EUR', 'en', $1 || '-' || row_number() over () || '.example.com', 'active' from opened`,
    [run, SHOPS],
  );
  // The last rows of the table.
  const { rows } = await db.query("select id, domain from public.marketplaces where domain = $1", [
    `${run}-${SHOPS}.example.com`,
  ]);
  const many = await pagesFor(rows[0]);
  await db.query("rollback");
  await db.query("vacuum public.tenants, public.marketplaces");
  for (const [call, pages] of Object.entries(few)) {
    expect(pages, call).toBeGreaterThan(0);
    // An index may then be a page or two deeper.
    expect(many[call as keyof typeof many], call).toBeLessThanOrEqual(pages + 4);
  }
});
