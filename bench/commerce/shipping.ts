import type pg from "pg";
import { median } from "../servers.js";

/** Longest time that shipping an order of 50 items may take in the database, in ms. */
const GOAL_MS = 20;
const ROUNDS = 20;

/** Runs statements as a member of the tenant, in one transaction. */
async function actAs<Result>(
  db: pg.Client,
  claims: object,
  settings: Record<string, string>,
  work: () => Promise<Result>,
): Promise<Result> {
  await db.query("begin");
  try {
    for (const [name, value] of Object.entries({
      ...settings,
      "request.jwt.claims": JSON.stringify(claims),
    })) {
      await db.query("select set_config($1, $2, true)", [name, value]);
    }
    const result = await work();
    await db.query("commit");
    return result;
  } catch (error) {
    await db.query("rollback");
    throw error;
  }
}

/**
 * The median time of shipping all of a supplier's order of 1, 10 and 50 items in the database, in ms, with the events at its
 * commit. `settings` are those of the role `authenticated`.
 */
export async function measureShipping(
  db: pg.Client,
  tenant: string,
  settings: Record<string, string>,
): Promise<Record<string, object>> {
  const { rows } = await db.query(
    `select
       (select m.user_id from public.members m where m.tenant_id = $1 and m.role = 'admin' limit 1) as admin,
       (select c.id from public.customers c where c.tenant_id = $1 limit 1) as customer,
       wares.marketplace_id, wares.items
     from (
       select p.marketplace_id, p.supplier_id,
         jsonb_agg(jsonb_build_object('product_id', p.id, 'quantity', 2, 'price', p.price) order by p.id) as items
       from bench.products b
       join public.products p on p.id = b.id and p.kind = 'physical' and p.supplier_id is not null
       group by p.marketplace_id, p.supplier_id
       order by count(*) desc
       limit 1
     ) as wares`,
    [tenant],
  );
  const { admin, customer, marketplace_id, items } = rows[0];
  const claims = { sub: admin, role: "authenticated", tenant_id: tenant };
  const as = { ...settings, role: "authenticated" };
  const address = { street: "1 Market Street", city: "Fez", postal_code: "30000" };
  const table: Record<string, object> = {};
  for (const count of [1, 10, 50]) {
    const times: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const { id } = await actAs(db, claims, as, async () => {
        const placed = await db.query(
          "select public.place_order($1, $2, $3, customer_id => $4) as placed",
          [
            marketplace_id,
            JSON.stringify(items.slice(0, count)),
            JSON.stringify(address),
            customer,
          ],
        );
        return placed.rows[0].placed;
      });
      const begin = performance.now();
      await actAs(db, claims, as, () =>
        db.query("select public.create_shipment($1, carrier => 'Caravan')", [id]),
      );
      // The first one warms up.
      if (round > 0) times.push(performance.now() - begin);
    }
    const time = median(times);
    const goal = count === 50 ? `${GOAL_MS}${time > GOAL_MS ? ", missed" : ""}` : "";
    table[`shipping ${count} items`] = { "p50 ms": Number(time.toFixed(1)), goal };
  }
  return table;
}
