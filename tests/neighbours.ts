import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { expect, inject, vi } from "vitest";
import { readConfig } from "../packages/stack/src/config.js";
import { buildDatabase } from "../packages/stack/src/db/build.js";
import type { Database } from "../packages/stack/src/db/database.js";
import { claimPlace } from "../packages/stack/src/db/open.js";
import { openPostgres } from "../packages/stack/src/db/postgres.js";
import type { Log } from "../packages/stack/src/log.js";
import {
  ADDRESS,
  marketplaceWish,
  must,
  openReceiver,
  type Person,
  type Receiver,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
} from "./souk.js";

// Two tenants, side by side, with a row in every table: for tests of what one may see of the other.

// biome-ignore lint/suspicious/noExplicitAny: rows of any table.
export type Row = Record<string, any>;

export type Role = "admin" | "client" | "supplier" | "customer";
export const ROLES: readonly Role[] = ["admin", "client", "supplier", "customer"];

/** A tenant that has something of everything. */
export interface Household {
  tenantId: string;
  /** Stands in every text it wrote: where it shows up, something of this tenant does. */
  mark: string;
  people: Record<Role, Person>;
  marketplace: Row;
  category: Row;
  product: Row;
  order: Row;
  webhook: Row;
  supplierId: string;
  customerId: string;
}

export interface Neighbours {
  ours: Household;
  theirs: Household;
  /** Every relation of the schema `public`, by the catalog of the database itself. */
  relations: Relation[];
  /** What the database was built from; to read its catalog as a superuser. */
  db: Database;
  close(): Promise<void>;
}

export interface Relation {
  name: string;
  is_view: boolean;
  /** The columns that a signed-in user may write at all. */
  insertable: string[];
  updatable: string[];
  /** Every value of those of them that are of an enum or boolean. */
  values: Record<string, (string | boolean)[]>;
}

export async function openNeighbours(): Promise<Neighbours> {
  const receiver = await openReceiver();
  const [db, ours, theirs] = await Promise.all([
    openCatalog(),
    openHousehold("ours", receiver),
    openHousehold("theirs", receiver),
  ]);
  const relations = await db.query<Relation>(`
    select c.relname as name, c.relkind = 'v' as is_view,
      array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          and has_column_privilege('authenticated', c.oid, a.attnum, 'insert')
      ) as insertable,
      array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          and has_column_privilege('authenticated', c.oid, a.attnum, 'update')
      ) as updatable,
      (
        select coalesce(jsonb_object_agg(a.attname, e.labels), '{}')
        from pg_attribute a
        join lateral (
          select jsonb_agg(e.enumlabel order by e.enumsortorder) as labels
          from pg_enum e where e.enumtypid = a.atttypid
          union all
          select '[true, false]'::jsonb where a.atttypid = 'boolean'::regtype
        ) as e on e.labels is not null
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      ) as values
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
    order by c.relname
  `);
  const close = async () => {
    await Promise.all([db.close(), receiver.close()]);
  };
  return { ours, theirs, relations, db, close };
}

/**
 * The catalog, read by a superuser, who sees everything: the interface of the API shows a role only
 * what it may use. PGlite lives inside the stack's process, so there a second one is made from the
 * same migrations.
 */
async function openCatalog(): Promise<Database> {
  const { db_url } = inject("stack");
  if (process.env.DATABASE_URL && db_url) return openPostgres(db_url);
  const config = await readConfig(resolve("."));
  const silent: Log = { info() {}, warn() {}, error() {}, of: () => silent };
  return buildDatabase(await claimPlace("memory"), config, silent, (_, work) => work(), false);
}

async function openHousehold(name: string, receiver: Receiver): Promise<Household> {
  const mark = `${name}-${randomUUID()}`;
  const admin = await register({ tenant_name: mark });
  const { tenantId } = admin;
  const [supplier, customer, client] = await Promise.all([
    register({ tenant_id: tenantId, role: "supplier" }),
    register({ tenant_id: tenantId }),
    registerClient(tenantId),
  ]);
  const db = supabaseAs(admin);
  const webhook = await must("POST", "/api/webhooks", {
    as: admin,
    body: {
      url: `${receiver.url}/${mark}`,
      events: ["order.created", "order.status_changed", "product.created"],
    },
  });
  const draft = await must("POST", "/api/marketplaces", {
    as: admin,
    body: marketplaceWish({ name: mark, description: mark }),
  });
  const marketplace = await must("PUT", `/marketplaces/${draft.id}`, {
    as: admin,
    body: { status: "active" },
  });
  const insertCategory = async (wish: Row): Promise<Row> =>
    (await db.from("categories").insert(wish).select().single().throwOnError()).data as Row;
  const root = await insertCategory({ name: mark });
  const category = await insertCategory({ name: mark, parent_id: root.id });
  const product = await must("POST", "/api/products", {
    as: supplier,
    body: {
      name: mark,
      description: mark,
      price: 5,
      category_id: category.id,
      attributes: [{ name: "brand", value: mark }],
      images: [{ url: `https://example.com/${mark}`, alt: mark }],
      inventory: { quantity: 5 },
      variants: [{ name: mark, sku: mark, inventory: { quantity: 5 } }],
    },
  });
  const placed = await must("POST", "/api/orders", {
    as: customer,
    body: {
      marketplace_id: marketplace.id,
      items: [
        { product_id: product.id, variant_id: product.variants[0].id, quantity: 1, price: 5 },
      ],
      shipping_address: { ...ADDRESS, street: mark },
    },
  });
  const order = await must("PATCH", `/api/orders/${placed.id}/status`, {
    as: admin,
    body: { status: "confirmed", note: mark },
  });
  const [{ supplier_id }, { customer_id }] = await Promise.all([
    must("GET", "/auth/me", { as: supplier }),
    must("GET", "/auth/me", { as: customer }),
  ]);
  // Nothing is on its way any more, so that whatever changes from now on was changed by somebody.
  await vi.waitFor(
    async () => {
      const { data } = await db.from("webhook_deliveries").select("status").throwOnError();
      expect(data?.map(({ status }) => status)).toEqual(["success", "success", "success"]);
    },
    { timeout: 20_000, interval: 100 },
  );
  return {
    tenantId,
    mark,
    people: { admin, client, supplier, customer },
    marketplace,
    category,
    product,
    order,
    webhook,
    supplierId: supplier_id,
    customerId: customer_id,
  };
}

/** The column that says whose a row is. */
export function ownerColumn(relation: string): string {
  return relation === "tenants" ? "id" : "tenant_id";
}

/** All rows of a tenant in every relation, as the service role sees them. */
export async function rowsOf(
  { tenantId }: Household,
  relations: readonly Relation[],
): Promise<Record<string, Row[]>> {
  const found = await Promise.all(
    relations.map(async ({ name }) => {
      const { data } = await supabaseAsService()
        .from(name)
        .select("*")
        .eq(ownerColumn(name), tenantId)
        .throwOnError();
      const rows = (data as Row[]).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
      return [name, rows] as const;
    }),
  );
  return Object.fromEntries(found);
}

/** Fails if an answer shows anything of a tenant: its mark, or an id of its that nobody sent. */
export function expectNothingOf(household: Household, shown: unknown, sent: unknown = ""): void {
  const text = JSON.stringify(shown) ?? "";
  const said = JSON.stringify(sent);
  const { mark, tenantId, marketplace, category, product, order, webhook } = household;
  const { supplierId, customerId, people } = household;
  const secrets = [
    mark,
    tenantId,
    ...[marketplace, category, product, order, webhook].map(({ id }) => id as string),
    supplierId,
    customerId,
    ...Object.values(people).flatMap(({ id, email }) => [id, email]),
  ];
  for (const secret of secrets) if (!said.includes(secret)) expect(text).not.toContain(secret);
}
