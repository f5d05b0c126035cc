import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { documentedOperations } from "../../scripts/document.js";
import { restJob } from "../clock.js";
import { query } from "../database.js";
import { call, must, type Person, register, supabaseAs, type Visitor } from "../souk.js";
import { CALLERS, type Caller, cellsOf, operationOf, reads, uses } from "./expected.js";
import { rowsOf } from "./neighbours.js";
import { addressOf, operations } from "./operations.js";
import {
  makers,
  openTenantRecords,
  type Row,
  sell,
  type TenantRecords,
  type Thing,
} from "./tenant-records.js";

// Permissions: each operation is called by each role, through HTTP and supabase-js, and must have the result in
// expected.ts. docs/roles.md shows it as a table.

/** The operations that are open to visitors. */
const visited = new Set(
  (await documentedOperations()).flatMap(({ name, visited }) => (visited ? [name] : [])),
);

let tenantRecords: TenantRecords;
let callers: Record<Caller, Person | Visitor | undefined>;
/** Other records that lists may show. */
let others: Partial<Record<Thing, Row[]>>;

// Otherwise rows would be added between two counts of them.
beforeAll(() => restJob("count-auctions"));

beforeAll(async () => {
  tenantRecords = await openTenantRecords("roles");
  const { tenantId, people } = tenantRecords;
  const [supplier, customer] = await Promise.all([
    register({ tenant_id: tenantId, role: "supplier" }),
    register({ tenant_id: tenantId }),
  ]);
  callers = {
    ...people,
    "another supplier": supplier,
    "another customer": customer,
    visitor: { visits: tenantRecords.marketplace.domain as string },
    anon: undefined,
  };
  const [{ supplier_id }, { customer_id }] = await Promise.all([
    must("GET", "/auth/me", { as: supplier }),
    must("GET", "/auth/me", { as: customer }),
  ]);
  const { customer_id: guest_id } = await must("GET", "/auth/me", { as: people.guest });
  const another = {
    ...tenantRecords,
    people: { ...people, supplier, customer },
    supplierId: supplier_id,
    customerId: customer_id,
  };
  another.product = await makers.product(another);
  another.digital = await makers.digital(another);
  another.file = await makers.file(another);
  another.key = await makers.key(another);
  another.service = await makers.service(another);
  another.apiKey = await makers.apiKey(another);
  another.campaign = await makers.campaign(another);
  another.discount = await makers.discount(another);
  another.hold = await makers.hold(another);
  another.payout = await makers.payout(another);
  another.ledgerLine = await makers.ledgerLine(another);
  another.asset = await makers.asset(another);
  another.description = await makers.reviewed(another);
  others = {
    member: [...Object.values(people), supplier, customer],
    organisation: [{ id: supplier_id }],
    buyer: [{ id: customer_id }, { id: guest_id }],
    marketplace: [await makers.marketplace(tenantRecords)],
    product: [
      await must("POST", "/api/products", {
        as: supplier,
        body: {
          name: "Draft",
          price: 1,
          status: "draft",
          variants: [{ name: "Draft", inventory: { quantity: 1 } }],
          marketplace_id: tenantRecords.marketplace.id,
        },
      }),
      another.product,
    ],
    apiKey: [another.apiKey],
    campaign: [another.campaign],
    discount: [another.discount],
    hold: [another.hold],
    payout: [another.payout],
    ledgerLine: [another.ledgerLine],
    export: await Promise.all(
      [people.client, people.supplier, supplier].map((as) =>
        must("POST", "/api/analytics/export", { as, body: { type: "products", format: "csv" } }),
      ),
    ),
    schedule: await Promise.all(
      [people.client, people.supplier, supplier].map((as) =>
        must("POST", "/api/analytics/exports/schedules", {
          as,
          body: { type: "products", format: "csv", every: "month" },
        }),
      ),
    ),
    page: [tenantRecords.planned],
    description: [another.description],
    rate: (await must("GET", "/api/commission-rates", { as: people.admin })).commission_rates,
    order: [await sell(another), await sell({ ...tenantRecords, customerId: guest_id })],
  };
  // It replaces the key that the guest got.
  await makers.key(tenantRecords);
  await must("PUT", `/api/products/${another.service.id}`, {
    as: supplier,
    body: { status: "inactive" },
  });
});

// There are more operations than a customer may call in a minute.
beforeEach(() =>
  query("delete from private.request_counts where subject = any ($1)", [
    Object.values(callers).map((caller) => `user:${caller && "id" in caller && caller.id}`),
  ]),
);

// All callers have this one address, as those of other files do.
beforeEach(() => query("delete from private.guest_counts"));

afterAll(() => tenantRecords?.receiver.close());

/** `all`, `none` or `some` of the rows that a list should show; otherwise its status. */
function shown(thing: Thing, rows: unknown): string {
  const listed = JSON.stringify(rows);
  const wanted = [tenantRecords[thing], ...(others[thing] ?? [])];
  const seen = wanted.filter(({ id }) => listed.includes(id));
  return seen.length === wanted.length ? "all" : seen.length === 0 ? "none" : "some";
}

/** The operations that created something, and the status of a GET of the address in their Location. */
const created = new Map<string, string>();

/** The result of an operation for a caller, through HTTP. */
async function throughHttp(
  name: string,
  of: TenantRecords,
  as?: Person | Visitor,
): Promise<string> {
  const { body, type, lists, whole } = operations[name] as (typeof operations)[string];
  const { method, path } = addressOf(name, of);
  const limit = path.includes("?") ? "&limit=1000" : "?limit=1000";
  const answer = await call(method, lists && !whole ? path + limit : path, {
    as,
    body: body?.(of),
    headers: type ? { "content-type": type } : {},
  });
  if (answer.status === 201) {
    const address = answer.headers.get("location")?.match(/^\/functions\/v1(\/.*)$/)?.[1];
    const reader = name.startsWith("POST /auth/") ? answer.body.access_token : undefined;
    const visiting = name === "POST /api/checkouts" && answer.body.token;
    const headers: Record<string, string> = visiting ? { "x-souk-checkout": visiting } : {};
    const read = address && (await call("GET", address, { as: reader ?? as, headers }));
    created.set(operationOf(name), read ? `${read.status}` : `no address: ${address}`);
  }
  return lists && answer.status === 200 ? shown(lists, answer.body) : `${answer.status}`;
}

/** The same through supabase-js, in the words for HTTP. */
async function throughRest(
  name: string,
  of: TenantRecords,
  as?: Person | Visitor,
): Promise<string> {
  const { rest, lists } = operations[name] as (typeof operations)[string];
  const answer = await rest?.(supabaseAs(as), of);
  if (!answer) throw new Error(`${name} has no equivalent in supabase-js`);
  const { data, error, status } = answer;
  if (error) return error.code === "PGRST116" ? "404" : `${status}`;
  if (lists) return shown(lists, data);
  // A record that the caller cannot see is omitted, or left unchanged.
  const nothing = Array.isArray(data) ? data.length === 0 : data === null && status !== 204;
  return nothing ? "404" : "done";
}

/** Roles that succeed with other records than the tenant's in this test. */
const BESIDE: Record<string, string[]> = {
  // Its own member record.
  "GET /api/members/{user_id}": ["supplier"],
  // Its own export.
  "GET /api/analytics/exports/{id}": ["client", "supplier"],
  "DELETE /api/analytics/exports/{id}": ["client", "supplier"],
  "GET /api/analytics/exports/schedules/{id}": ["client", "supplier"],
  "DELETE /api/analytics/exports/schedules/{id}": ["client", "supplier"],
  // A real invitation.
  "POST /auth/invitations/accept": ["admin", "client", "supplier", "customer"],
  // Its own: tested in tests/customers. Here each attempt needs a customer without an account.
  "DELETE /api/customers/{id}/personal-data": ["customer"],
  // The name that it sends here is another one's.
  "DELETE /api/tenant": ["admin"],
  // It can cancel its own order: tested with PATCH.
  "PUT /api/orders/{id}/status": ["customer"],
};

/** The roles that succeed with an operation, in any of its uses. */
function rolesThrough(name: string): string[] {
  const cells = Object.entries(operations)
    .filter(([use]) => operationOf(use) === name)
    .flatMap(([use]) => cellsOf(use).map((cell, i) => [CALLERS[i] as Caller, cell]));
  const through = cells
    .filter(([caller]) => caller !== "visitor")
    .filter(([, cell]) => !/^(4\d\d|none)$/.test(cell as string))
    .map(([caller]) => (caller as string).replace("another ", "").replace("guest", "customer"));
  return [...new Set([...through, ...(BESIDE[name] ?? [])])].sort();
}

/** The expected word of a cell, for both interfaces. */
const wordOf = (cell: string) =>
  /^(\d{3}|all|none)$/.test(cell) ? cell.replace(/^2\d\d$/, "done") : "some";

describe("the matrix of roles", () => {
  it("has a row for each operation of the API, and no other", async () => {
    const documented = await documentedOperations();
    const rows = new Map(
      Object.entries(operations).map(([name, { open }]) => [operationOf(name), open === true]),
    );
    expect(Object.fromEntries([...rows].sort())).toEqual(
      Object.fromEntries(documented.map(({ name, open }) => [name, open] as const).sort()),
    );
  });

  it("allows exactly the roles in the document", async () => {
    const documented = await documentedOperations();
    const named = documented.map(({ name, roles = null }) => [name, roles?.toSorted() ?? null]);
    const through = documented.map(({ name, open }) => [name, open ? null : rolesThrough(name)]);
    expect(Object.fromEntries(named)).toEqual(Object.fromEntries(through));
  });

  it("has a row for each use in the table of docs/roles.md", () => {
    expect(Object.keys(operations).toSorted()).toEqual(uses.toSorted());
  });

  it.each(Object.keys(operations))("%s", async (name) => {
    const { uses, rest } = operations[name] as (typeof operations)[string];
    let unused: TenantRecords | undefined;
    /** Runs an attempt with a new record if it uses one up. A refused attempt leaves the record for the next one. */
    const tried = async (attempt: (of: TenantRecords) => Promise<string>) => {
      if (uses) unused ??= { ...tenantRecords, [uses]: await makers[uses](tenantRecords) };
      const answer = await attempt(unused ?? tenantRecords);
      if (!/^4\d\d$/.test(answer)) unused = undefined;
      return answer;
    };
    const cells = cellsOf(name);
    expect(cells).toHaveLength(CALLERS.length);
    const attempt = async (caller: Caller) => {
      const cell = cells[CALLERS.indexOf(caller)] as string;
      const as = callers[caller];
      const answered = await tried((of) => throughHttp(name, of, as));
      const expected = /^\d{3}$/.test(cell) ? cell : wordOf(cell);
      expect({ caller, http: answered }).toEqual({ caller, http: expected });
      if (!rest) return;
      const got = await tried((of) => throughRest(name, of, as));
      // A caller without a marketplace is like a visitor of none.
      const none = caller === "anon" && visited.has(operationOf(name)) && /^(none|404)$/.test(got);
      expect({ caller, rest: none ? "401" : got }).toEqual({ caller, rest: wordOf(cell) });
    };
    // In parallel, unless each attempt changes a record that the next one needs.
    if (!uses) await Promise.all(CALLERS.map(attempt));
    else for (const caller of CALLERS) await attempt(caller);
  });
});

describe("an operation that creates something", () => {
  it("names its address, which its caller can read", async () => {
    const creating = (await documentedOperations()).filter(({ status }) => status === "201");
    expect(creating.length).toBeGreaterThan(20);
    for (const { operation } of creating) {
      expect(operation.responses?.["201"]).toMatchObject({ headers: { Location: {} } });
    }
    expect(Object.fromEntries(created)).toEqual({
      ...Object.fromEntries(creating.map(({ name }) => [name, "200"])),
      // A file can be deleted there. The list of files shows it.
      "POST /api/products/{id}/files": "405",
    });
  });
});

describe("rows read through supabase-js", () => {
  let rows: Record<string, Row[]>;

  beforeAll(async () => {
    const names = await query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') order by relname`,
    );
    rows = await rowsOf(tenantRecords, names);
  });

  it("have a row in the table for each table and view", () => {
    expect(Object.keys(reads)).toEqual(Object.keys(rows));
  });

  it.each(CALLERS)("are visible to %s as in the table", async (caller) => {
    const db = supabaseAs(callers[caller]);
    const seen = await Promise.all(
      Object.keys(reads).map(async (name) => {
        const { count, status } = await db.from(name).select("*", { count: "exact" }).limit(1);
        const all = rows[name]?.length;
        const word = count === 0 ? "none" : count === all ? "all" : "some";
        return [name, status < 300 ? word : `${status}`] as const;
      }),
    );
    const expected = Object.entries(reads).map(
      ([name, cells]) => [name, wordOf(cells[CALLERS.indexOf(caller)] as string)] as const,
    );
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(expected));
  });
});
