// The end of a tenant: an admin removes it with all that is its own, in the background, and with nothing of another tenant.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restJob, runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import {
  call,
  expectRefusal,
  must,
  openTestTenant,
  type Person,
  register,
  supabaseAs,
} from "../souk.js";
import { type Neighbours, openNeighbours } from "./neighbours.js";

let neighbours: Neighbours;
let wakeJob: () => Promise<void>;

beforeAll(async () => {
  wakeJob = await restJob("remove-tenants");
  neighbours = await openNeighbours();
});
afterAll(async () => {
  await neighbours.close();
  await wakeJob();
});

const remove = (as: Person, name: string) => call("DELETE", "/api/tenant", { as, body: { name } });

/** How many rows of a tenant each table has, from the catalog: tables without any are left out. */
async function rowsByTable(tenantId: string): Promise<Record<string, number>> {
  const tables = await query<{ name: string }>(`
    select c.oid::regclass::text as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
    where c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
    order by 1
  `);
  expect(tables.length).toBeGreaterThan(100);
  const counts = await query<{ name: string; count: number }>(
    tables
      .map(
        ({ name }) =>
          `select '${name}' as name, count(*)::integer as count from ${name} where tenant_id = $1`,
      )
      .join(" union all "),
    [tenantId],
  );
  return Object.fromEntries(counts.flatMap(({ name, count }) => (count ? [[name, count]] : [])));
}

/** The same of the tables that no job changes. */
async function publicRowsByTable(tenantId: string) {
  const rows = Object.entries(await rowsByTable(tenantId));
  return Object.fromEntries(rows.filter(([name]) => !name.startsWith("private.")));
}

const filesOf = (tenantId: string) =>
  query("select name from storage.objects where name like $1", [`${tenantId}/%`]);

const accountsOf = (people: Person[]) =>
  query("select id from auth.users where id = any ($1)", [people.map(({ id }) => id)]);

describe("an admin who removes its tenant", () => {
  it("types the name exactly; nobody else may", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const { name } = await must("GET", "/api/tenant", { as: operator });
    for (const typed of [`${name} `, name.toUpperCase(), ""]) {
      const at = { field: "name", value: typed };
      expectRefusal(await remove(operator, typed), 422, "VALIDATION_ERROR", at);
    }
    for (const as of [supplier, customer]) {
      expectRefusal(await remove(as, name), 403, "FORBIDDEN");
      const { error } = await supabaseAs(as).rpc("remove_tenant", { name });
      expect(error?.message).toBe("FORBIDDEN");
    }
    await must("GET", "/api/orders", { as: operator });
  });

  it("removes all of it: access at once, then accounts, rows and files, and nothing of others", async () => {
    const { ours, theirs } = neighbours;
    const { admin, customer, client } = ours.people;
    // Somebody who is a member elsewhere, too, keeps the account.
    const elsewhere = await register({ tenant_name: "Elsewhere" });
    const { token: invitation } = await must("POST", "/auth/invitations", {
      as: admin,
      body: { email: elsewhere.email, role: "client" },
    });
    await must("POST", "/auth/invitations/accept", { as: elsewhere, body: { invitation } });
    expect(Object.keys(await rowsByTable(ours.tenantId)).length).toBeGreaterThan(80);
    expect(await filesOf(ours.tenantId)).not.toEqual([]);
    const before = await publicRowsByTable(theirs.tenantId);
    const filesBefore = await filesOf(theirs.tenantId);

    const { status, body } = await remove(admin, ours.mark);
    expect([status, body]).toEqual([
      202,
      { tenant_id: ours.tenantId, asked_at: expect.any(String) },
    ]);
    for (const as of [admin, client]) {
      expectRefusal(await call("GET", "/api/orders", { as }), 403, "FORBIDDEN");
    }
    const shop = `/api/storefront?domain=${ours.marketplace.domain}`;
    expect((await call("GET", shop)).status).toBe(404);

    await runJob("remove-tenants");
    expect(await query("select from public.tenants where id = $1", [ours.tenantId])).toEqual([]);
    expectRefusal(await call("GET", "/api/orders", { as: customer }), 403, "FORBIDDEN");
    expect(await accountsOf(Object.values(ours.people))).toEqual([]);
    expect(await accountsOf([elsewhere])).toHaveLength(1);
    // The workers delete the files, and then the last rows that name them.
    const hurry = "update private.jobs set due_at = now() where tenant_id = $1 and due_at > now()";
    await eventually(async () => {
      await query(hurry, [ours.tenantId]);
      for (const job of ["wake-workers", "webhook-dispatch", "write-outdated-texts"]) {
        await runJob(job);
      }
      expect(await filesOf(ours.tenantId)).toEqual([]);
      expect(await rowsByTable(ours.tenantId)).toEqual({});
    });

    expect(await publicRowsByTable(theirs.tenantId)).toEqual(before);
    expect(await filesOf(theirs.tenantId)).toEqual(filesBefore);
    expect(await accountsOf(Object.values(theirs.people))).toHaveLength(5);
  });

  it("is not kept waiting by another removal that fails", async () => {
    const [stuck, next] = [await openTestTenant(), await openTestTenant()];
    for (const { operator } of [stuck, next]) {
      const { name } = await must("GET", "/api/tenant", { as: operator });
      expect((await remove(operator, name)).status).toBe(202);
    }
    await query(
      "update private.tenant_removals set error = 'A test has stopped it.', tried_at = now() where tenant_id = $1",
      [stuck.tenantId],
    );
    await runJob("remove-tenants");
    const left = async (tenantId: string) =>
      (await query("select from public.tenants where id = $1", [tenantId])).length;
    expect(await left(next.tenantId)).toBe(0);
    await query(
      "update private.tenant_removals set tried_at = now() - interval '2 hours' where tenant_id = $1",
      [stuck.tenantId],
    );
    await runJob("remove-tenants");
    expect(await left(stuck.tenantId)).toBe(0);
  });

  it("may have more than one second's worth", async () => {
    const { operator, tenantId } = await openTestTenant();
    await query(
      `insert into public.customers (tenant_id, name, email)
       select $1, 'Customer ' || n, n || '-${randomUUID()}@example.com' from generate_series(1, 2500) as n`,
      [tenantId],
    );
    const { name } = await must("GET", "/api/tenant", { as: operator });
    await remove(operator, name);
    await runJob("remove-tenants");
    expect(await rowsByTable(tenantId)).toEqual({});
  });
});
