import { expect, it, onTestFinished } from "vitest";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { moved, placed } from "../orders/ordering.js";
import {
  listProduct,
  marketplaceFields,
  must,
  openReceiver,
  openTestTenant,
  type Person,
  register,
  registerClient,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import { type Change, listenToTable } from "./listening.js";

// For every published table: a filter on the tenant receives inserts, updates and deletes, for the right members.

type Row = { id: string; [column: string]: unknown };
const asService = (table: string) => supabaseAsService().from(table);

/** For each table: how to insert, update and delete a row, and who receives the insert and update. */
const tables: Record<
  string,
  {
    make(place: TestTenant): Promise<Row>;
    change(place: TestTenant, row: Row): Promise<unknown>;
    remove(place: TestTenant, row: Row): Promise<unknown>;
    seen: { machine?: string; supplier: string; customer: string; neighbour: string };
  }
> = {
  marketplaces: {
    make: ({ operator }) =>
      must("POST", "/api/marketplaces", { as: operator, body: marketplaceFields() }),
    change: ({ operator }, { id }) =>
      must("PUT", `/api/marketplaces/${id}`, { as: operator, body: { status: "active" } }),
    remove: async (_, { id }) => asService("marketplaces").delete().eq("id", id).throwOnError(),
    // Customers see active marketplaces, and this one becomes active.
    seen: { supplier: "IU", customer: "U", neighbour: "U" },
  },
  products: {
    make: ({ supplier }) => listProduct(supplier),
    change: ({ supplier }, { id }) =>
      must("PUT", `/api/products/${id}`, { as: supplier, body: { name: "Safran" } }),
    remove: ({ supplier }, { id }) => must("DELETE", `/api/products/${id}`, { as: supplier }),
    seen: { supplier: "IU", customer: "IU", neighbour: "IU" },
  },
  inventory: {
    async make({ supplier }) {
      const { id } = await listProduct(supplier);
      const { data } = await asService("inventory")
        .select()
        .eq("product_id", id)
        .single()
        .throwOnError();
      return data;
    },
    change: ({ supplier }, { product_id }) =>
      must("PATCH", `/api/products/${product_id}/inventory`, {
        as: supplier,
        body: { quantity: 1, operation: "add" },
      }),
    remove: ({ supplier }, { product_id }) =>
      must("DELETE", `/api/products/${product_id}`, { as: supplier }),
    seen: { supplier: "IU", customer: "IU", neighbour: "IU" },
  },
  orders: {
    // Without stock there is no ledger that would keep the order.
    make: async ({ supplier, customer }) =>
      placed(
        customer,
        await listProduct(supplier, { kind: "digital", inventory: { quantity: 0 } }),
      ),
    change: ({ operator }, { id }) => moved(operator, { id }, "confirmed"),
    remove: async (_, { id }) => asService("orders").delete().eq("id", id).throwOnError(),
    seen: { supplier: "IU", customer: "IU", neighbour: "" },
  },
  shipments: {
    make: async ({ supplier, customer }) => {
      const order = await placed(customer, await listProduct(supplier));
      return must("POST", `/api/orders/${order.id}/shipments`, { as: supplier, body: {} });
    },
    change: ({ supplier }, { id, order_id }) =>
      must("PATCH", `/api/orders/${order_id}/shipments/${id}`, {
        as: supplier,
        body: { status: "delivered" },
      }),
    remove: async (_, { id }) => asService("shipments").delete().eq("id", id).throwOnError(),
    seen: { supplier: "IU", customer: "IU", neighbour: "" },
  },
  campaigns: {
    async make({ operator, supplier }) {
      const fields = { name: "Spices" };
      const { id } = await must("POST", "/api/categories", { as: operator, body: fields });
      const product = await listProduct(supplier, { category_id: id });
      return must("POST", "/api/v1/top-placement/campaigns", {
        as: operator,
        body: { productId: product.id, categoryId: id, duration: 7, bidAmount: 1 },
      });
    },
    change: ({ operator }, { id }) =>
      must("PATCH", `/api/v1/top-placement/campaigns/${id}`, {
        as: operator,
        body: { status: "paused" },
      }),
    remove: async (_, { id }) => asService("campaigns").delete().eq("id", id).throwOnError(),
    seen: { supplier: "IU", customer: "", neighbour: "" },
  },
  content: {
    make: ({ operator }) =>
      must("POST", "/api/content/static_pages", { as: operator, body: { title: { en: "About" } } }),
    change: ({ operator }, { id }) =>
      must("PUT", `/api/content/static_pages/${id}`, {
        as: operator,
        body: { title: { en: "About us" }, version_number: 1 },
      }),
    remove: ({ operator }, { id }) =>
      must("DELETE", `/api/content/static_pages/${id}`, { as: operator }),
    seen: { machine: "", supplier: "", customer: "", neighbour: "" },
  },
  published_content: {
    async make(place) {
      const page = await tables.content?.make(place);
      for (const move of ["submit", "approve", "publish"]) await moveContent(place, page, move);
      return page as Row;
    },
    // Publication inserts the row and then updates it with its languages.
    change: async (_, { id }) => id,
    remove: (place, page) => moveContent(place, page, "unpublish"),
    seen: { supplier: "IU", customer: "IU", neighbour: "IU" },
  },
  exports: {
    make: ({ operator }) =>
      must("POST", "/api/analytics/export", {
        as: operator,
        body: { type: "products", format: "csv" },
      }),
    // The row is written automatically.
    change: async (_, { id }) => id,
    remove: ({ operator }, { id }) =>
      must("DELETE", `/api/analytics/exports/${id}`, { as: operator }),
    seen: { machine: "", supplier: "", customer: "", neighbour: "" },
  },
  webhook_deliveries: {
    async make({ operator, supplier, tenantId }) {
      const receiver = await openReceiver();
      onTestFinished(receiver.close);
      // The receiver answers with errors, so the delivery changes once and then waits for a minute.
      receiver.answers.push(500);
      await must("POST", "/api/webhooks", {
        as: operator,
        body: { url: receiver.url, events: ["product.created"] },
      });
      await listProduct(supplier);
      const { data } = await asService("webhook_deliveries")
        .select()
        .eq("tenant_id", tenantId)
        .single()
        .throwOnError();
      return data;
    },
    change: async (_, { id }) => id,
    remove: ({ operator }, { webhook_id }) =>
      must("DELETE", `/api/webhooks/${webhook_id}`, { as: operator }),
    seen: { supplier: "", customer: "", neighbour: "" },
  },
};

function moveContent({ operator }: TestTenant, page: Row | undefined, move: string) {
  const path = `/api/content/static_pages/${page?.id}/${move}`;
  return must("POST", path, { as: operator, body: {} });
}

/** The key of a row. */
const keyOf = ({ id, content_id }: Partial<Row>) => id ?? content_id;

/** The kinds of received changes of a row, in order. Repeated updates are omitted. */
const kinds = (heard: Change[], { id }: Row) =>
  heard
    .filter((change) => {
      const { new: now, old } = change as unknown as { new: Partial<Row>; old: Partial<Row> };
      return (keyOf(now) ?? keyOf(old)) === id;
    })
    .map(({ eventType }) => eventType.slice(0, 1))
    .join("")
    .replace(/U+/, "U");

it("is tested here", async () => {
  const published = await query<{ table: string; whole: boolean }>(
    `select t.tablename as table, c.relreplident = 'f' as whole
     from pg_publication_tables t
     join pg_class c on c.oid = format('%I.%I', t.schemaname, t.tablename)::regclass
     where t.pubname = 'supabase_realtime'
     order by 1`,
  );
  // A filter on a deleted row can only use the columns of the replica identity.
  const expected = Object.keys(tables).toSorted();
  expect(published).toEqual(expected.map((table) => ({ table, whole: true })));
});

it.each(
  Object.keys(tables),
)("%s: insert, update and delete are received, by tenant", async (name) => {
  const { make, change, remove, seen } = tables[name] as (typeof tables)[string];
  const [here, elsewhere] = await Promise.all([openTestTenant(), openTestTenant()]);
  const { tenantId, operator, supplier, customer } = here;
  const [machine, neighbour] = await Promise.all([
    registerClient(tenantId),
    register({ tenant_id: tenantId }),
  ]);
  const subscriptions: [who: string, as: Person, tenantId: string][] = [
    ["operator", operator, tenantId],
    ["machine", machine, tenantId],
    ["supplier", supplier, tenantId],
    ["customer", customer, tenantId],
    ["neighbour", neighbour, tenantId],
    // The operator of another tenant subscribes to this tenant's rows, and to their own.
    ["spy", elsewhere.operator, tenantId],
    ["foreigner", elsewhere.operator, elsewhere.tenantId],
  ];
  const heard = await Promise.all(
    subscriptions.map(([, as, tenant]) => listenToTable(as, name, tenant)),
  );
  const heardOf = (row: Row) =>
    Object.fromEntries(subscriptions.map(([who], i) => [who, kinds(heard[i] ?? [], row)]));
  const hears = (row: Row, expected: Record<string, string>) =>
    eventually(() => expect(heardOf(row)).toEqual(expected));

  const row = await make(here);
  await change(here, row);
  const before = { operator: "IU", machine: "IU", ...seen, spy: "", foreigner: "" };
  await hears(row, before);
  await remove(here, row);
  const gone = Object.entries(before).map(([who, what]) => [who, `${what}D`]);
  await hears(row, { ...Object.fromEntries(gone), foreigner: "" });
  // A deleted row cannot be checked by policies, so only its key is sent.
  for (const { eventType, old } of heard.flat()) {
    if (eventType !== "DELETE") continue;
    const { tenant_id = tenantId, ...key } = old as Partial<Row>;
    expect({ tenant_id, key: Object.values(key) }).toEqual({ tenant_id: tenantId, key: [row.id] });
  }

  // Only the other tenant receives its rows.
  const theirs = await make(elsewhere);
  await change(elsewhere, theirs);
  const nobody = Object.fromEntries(subscriptions.map(([who]) => [who, ""]));
  await hears(theirs, { ...nobody, foreigner: "IU" });
});
