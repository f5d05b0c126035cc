import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import { must } from "../souk.js";
import { type Household, openHousehold } from "./household.js";

// An operator removes a tenant with one statement, whatever it has.

let leaving: Household;
let staying: Household;

beforeAll(async () => {
  leaving = await openHousehold("Leaving");
  staying = await openHousehold("Staying");
});

afterAll(() => Promise.all([leaving?.receiver.close(), staying?.receiver.close()]));

/** Counts of a minute, which the clock forgets, and what is to be taken out of Storage, now that no row names it. */
const LEFT_TO_THE_CLOCK = ["private.event_counts", "private.media_sweeps"];

/** Every table that knows of tenants, with how many rows of one it has. */
async function rowsOfEach(tenantId: string): Promise<Record<string, number>> {
  const tables = await query<{ name: string }>(
    `select c.oid::regclass::text as name
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
     where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
       and c.relkind in ('r', 'p') and not c.relispartition
     order by 1`,
  );
  const counts = await query<{ name: string; count: number }>(
    tables
      .map(
        ({ name }) =>
          `select '${name}' as name, count(*)::integer from ${name} where tenant_id = $1`,
      )
      .join(" union all "),
    [tenantId],
  );
  return Object.fromEntries(
    counts.filter(({ count }) => count > 0).map((row) => [row.name, row.count]),
  );
}

describe("a tenant's removal", () => {
  it("is one statement, and takes all it has and nothing of its neighbours'", async () => {
    const before = await rowsOfEach(leaving.tenantId);
    for (const name of [
      "orders",
      "order_parts",
      "campaigns",
      "bookings",
      "order_commissions",
      "payments",
      "published_content",
      "private.content_versions",
      "private.content_previews",
    ]) {
      expect(before[name] ?? before[`public.${name}`], name).toBeGreaterThan(0);
    }
    const { orders } = await must("GET", "/api/orders", { as: staying.people.admin });

    await query("delete from public.tenants where id = $1", [leaving.tenantId]);

    const left = Object.keys(await rowsOfEach(leaving.tenantId));
    expect(left.filter((name) => !LEFT_TO_THE_CLOCK.includes(name))).toEqual([]);
    const after = await must("GET", "/api/orders", { as: staying.people.admin });
    expect(after.orders).toEqual(orders);
  });
});
