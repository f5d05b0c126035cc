import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restJob } from "../clock.js";
import { query } from "../database.js";
import { ownStack } from "../own-stack.js";
import {
  openGuest,
  openTestTenant,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { calls } from "./calls.js";
import {
  expectNothingOf,
  type Neighbours,
  openNeighbours,
  ownerColumn,
  type Relation,
  rowsOf,
} from "./neighbours.js";
import { headersOf, ROLES, type Role, type Row, type TenantRecords } from "./tenant-records.js";

// Every table, view and function of the REST interface, tried by each role of another tenant and anonymously. The list
// comes from the database's catalog, so a new table or function without a case, or without a row, fails here.

let neighbours: Neighbours;

// At midnight this job charges the fee of a new day, so the rows would differ from before.
beforeAll(() => restJob("run-campaigns"));

// It would count lists that this file requests while it compares all rows.
beforeAll(() => restJob("count-auctions"));

beforeAll(async () => {
  neighbours = await openNeighbours();
});

afterAll(() => neighbours?.close());

const STRANGERS = [...ROLES, "visitor", "anon"] as const;

/** What anybody may read with the project's public key, of the marketplace that a header names. */
const VISITED_TABLES = [
  "categories",
  "inventory",
  "product_details",
  "product_variants",
  "products",
  "published_content",
  "service_calendars",
  "suppliers",
];
const VISITED_FUNCTIONS = [
  "cancel_checkout",
  "create_checkout",
  "create_supplier_application",
  "get_category",
  "get_checkout",
  "get_content",
  "get_media",
  "get_product",
  "get_product_by_slug",
  "get_service_calendar",
  "list_categories",
  "list_content",
  "list_countries",
  "list_delivery_methods",
  "list_payment_methods",
  "list_products",
  "list_service_slots",
  "record_placement_events",
  "record_storefront_events",
  "replace_checkout",
  "search_by_meaning",
  "similar_products",
  "storefront",
  "template_inputs",
  "template_key",
  "top_sales",
];
type Stranger = (typeof STRANGERS)[number];

function clientFor(ours: TenantRecords, stranger: Stranger) {
  if (stranger === "anon") return supabaseAs();
  if (stranger === "visitor") return supabaseAs(visitorOf(ours));
  return supabaseAs(ours.people[stranger as Role]);
}

const visitorOf = ({ marketplace }: TenantRecords) => ({ visits: marketplace.domain as string });

/** A person with this role in a tenant without other records. */
async function drifterOf(stranger: Stranger) {
  const admin = await register({ tenant_name: "Drifters" });
  const membership = { tenant_id: admin.tenantId };
  switch (stranger) {
    case "anon":
      return supabaseAs();
    case "visitor":
      return supabaseAs({ visits: (await openTestTenant()).marketplace.domain });
    case "admin":
      return supabaseAs(admin);
    case "client":
      return supabaseAs(await registerClient(admin.tenantId));
    case "guest":
      return supabaseAs(await openGuest((await openTestTenant()).marketplace));
    default:
      return supabaseAs(await register({ ...membership, role: stranger }));
  }
}

/** Runs in parallel, because the attempts are independent. */
const together = <Each>(all: readonly Each[], work: (each: Each) => Promise<void>) =>
  Promise.all(all.map(work));

const pick = (row: Row, columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, row[column]]));

/** Relations and functions that a server without vectors lacks. */
const forVectors = [
  "embedding_status",
  "read_lesson",
  "record_lesson",
  "lease_embedding_jobs",
  "take_lesson",
];

interface Routine {
  name: string;
  takes: string[];
  for_users: boolean;
  for_anon: boolean;
}

function routines(): Promise<Routine[]> {
  return query<Routine>(`
    select p.proname::text as name,
      coalesce(p.proargnames[1:p.pronargs], '{}') as takes,
      has_function_privilege('authenticated', p.oid, 'execute') as for_users,
      has_function_privilege('anon', p.oid, 'execute') as for_anon
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      -- Computed fields: they read a row that is given.
      and not exists (select 1 from pg_class c where c.reltype = p.proargtypes[0])
    order by p.proname
  `);
}

describe("every table and view", () => {
  it("contains a row of each tenant; otherwise the tests here would prove nothing", async () => {
    const { ours, theirs, relations } = neighbours;
    expect(relations.length).toBeGreaterThan(10);
    for (const tenantRecords of [ours, theirs]) {
      for (const [name, rows] of Object.entries(await rowsOf(tenantRecords, relations))) {
        expect({ name, rows: rows.length > 0 }).toEqual({ name, rows: true });
      }
    }
  });

  it("shows the tenant's admin the rows that are denied to others", async () => {
    const { theirs, relations } = neighbours;
    const all = await rowsOf(theirs, relations);
    for (const { name } of relations) {
      const { data } = await supabaseAs(theirs.people.admin).from(name).select("*").throwOnError();
      // A supplier's dashboards are visible to its members only, and a guest without an order and an API key to itself.
      const own = all[name]?.filter(
        (row) =>
          (name !== "dashboards" || row.supplier_id === null) &&
          (name !== "customers" || row.is_listed) &&
          (name !== "members" || !row.is_key) &&
          (name !== "customer_details" || !row.is_guest || row.last_ordered_at),
      );
      expect({ name, rows: data?.length }).toEqual({ name, rows: own?.length });
    }
  });

  it.each(STRANGERS)("shows no rows of another tenant to %s", async (stranger) => {
    const { ours, theirs, relations } = neighbours;
    const db = clientFor(ours, stranger);
    await together(relations, async ({ name }) => {
      const owner = ownerColumn(name);
      const [whole, aimed, counted] = await Promise.all([
        db.from(name).select("*"),
        db.from(name).select("*").eq(owner, theirs.tenantId),
        db.from(name).select(owner, { count: "exact" }).eq(owner, theirs.tenantId),
      ]);
      expectNothingOf(theirs, whole);
      expect({ name, rows: aimed.data ?? [] }).toEqual({ name, rows: [] });
      expect({ name, count: counted.count ?? 0 }).toEqual({ name, count: 0 });
      expectNothingOf(theirs, aimed.error);
      const isOpen = VISITED_TABLES.includes(name);
      if (stranger === "anon" && isOpen)
        expect({ name, rows: whole.data }).toEqual({ name, rows: [] });
      if ((stranger === "anon" || stranger === "visitor") && !isOpen) {
        for (const { error } of [whole, aimed, counted]) expect(error?.code).toBe("42501");
      }
    });
  });

  it.each(STRANGERS)("accepts no row for another tenant from %s", async (stranger) => {
    const { ours, theirs, relations } = neighbours;
    const before = await rowsOf(theirs, relations);
    const db = clientFor(ours, stranger);
    await together(relations, async ({ name, insertable }) => {
      for (const seen of before[name]?.slice(0, 3) ?? []) {
        // Without their mark, because rows that a caller writes into the own tenant are its own.
        const row: Row = JSON.parse(JSON.stringify(seen).replaceAll(theirs.mark, "copied"));
        const written = [
          await db.from(name).insert({ ...row, ...("id" in row && { id: randomUUID() }) }),
          await db.from(name).upsert(row),
          // Only the writable columns, with the references of their row.
          await db.from(name).insert(
            pick(
              row,
              insertable.filter((column) => column !== "id"),
            ),
          ),
        ];
        for (const { error } of written) expectNothingOf(theirs, error?.details, row);
        if (stranger === "anon" || stranger === "visitor") {
          expect({ name, written: written.filter(({ error }) => error === null) }).toEqual({
            name,
            written: [],
          });
        }
      }
    });
    expect(await rowsOf(theirs, relations)).toEqual(before);
  });

  it.each(STRANGERS)("does not allow %s to change rows of another tenant", async (stranger) => {
    const { ours, theirs, relations } = neighbours;
    const before = await rowsOf(theirs, relations);
    const own = await rowsOf(ours, relations);
    const [db, drifter] = [clientFor(ours, stranger), await drifterOf(stranger)];
    const change = async ({ name, updatable, values }: Relation) => {
      const owner = ownerColumn(name);
      const changes: Row[] = [
        { [owner]: ours.tenantId },
        ...updatable.flatMap((column) =>
          (values[column] ?? [own[name]?.[0]?.[column]]).map((value) => ({ [column]: value })),
        ),
      ];
      for (const change of changes) {
        const { data } = await db.from(name).update(change).eq(owner, theirs.tenantId).select();
        expect({ name, change, rows: data ?? [] }).toEqual({ name, change, rows: [] });
        // A statement without a filter needs no read permission.
        await drifter.from(name).update(change);
      }
    };
    // Members last, because their status decides about the caller's rights.
    const isMembers = ({ name }: Relation) => name === "members";
    await together(
      relations.filter((relation) => !isMembers(relation)),
      change,
    );
    await together(relations.filter(isMembers), change);
    expect(await rowsOf(theirs, relations)).toEqual(before);
  });

  it.each(STRANGERS)("does not allow %s to delete rows of another tenant", async (stranger) => {
    const { ours, theirs, relations } = neighbours;
    const before = await rowsOf(theirs, relations);
    const [db, drifter] = [clientFor(ours, stranger), await drifterOf(stranger)];
    await together(relations, async ({ name }) => {
      const owner = ownerColumn(name);
      const { data } = await db.from(name).delete().eq(owner, theirs.tenantId).select();
      expect({ name, rows: data ?? [] }).toEqual({ name, rows: [] });
      await drifter.from(name).delete().not(owner, "is", null);
    });
    expect(await rowsOf(theirs, relations)).toEqual(before);
  });
});

describe("every function", () => {
  it("has a case here, and is for users only if the case says so", async () => {
    const found = await routines();
    const names = found.map(({ name }) => name);
    const isHere = (name: string) => names.includes(name) || !forVectors.includes(name);
    expect(Object.keys(calls).filter(isHere).sort()).toEqual(names);
    expect(found.filter(({ for_users }) => for_users).map(({ name }) => name)).toEqual(
      Object.keys(calls)
        .filter((name) => calls[name] !== null)
        .sort(),
    );
    expect(found.filter(({ for_anon }) => for_anon).map(({ name }) => name)).toEqual(
      VISITED_FUNCTIONS,
    );
  });

  it.each(STRANGERS)("returns and changes nothing of another tenant for %s", async (stranger) => {
    const { ours, theirs, relations } = neighbours;
    const before = await rowsOf(theirs, relations);
    const db = clientFor(ours, stranger);
    for (const [name, attempts] of Object.entries(calls)) {
      for (const sent of attempts?.(theirs, ours) ?? []) {
        const { data, error, status } = await db.rpc(name, sent);
        expectNothingOf(theirs, [name, data, error], sent);
        if (stranger === "anon" || stranger === "visitor") {
          const isOpen = VISITED_FUNCTIONS.includes(name);
          expect([name, status]).toEqual([name, isOpen ? expect.any(Number) : 401]);
        }
      }
    }
    for (const { name, takes, for_users } of await routines()) {
      if (for_users) continue;
      const { error } = await db.rpc(
        name,
        Object.fromEntries(takes.map((argument) => [argument, null])),
      );
      expect([name, error?.code]).toEqual([name, "42501"]);
    }
    expect(await rowsOf(theirs, relations)).toEqual(before);
  });
});

describe("a row cannot point into another tenant", () => {
  interface ForeignKey {
    name: string;
    relation: string;
    columns: string[];
    target: string;
    target_columns: string[];
  }

  /** The references between tables that both belong to a tenant. */
  const foreignKeys = () =>
    query<ForeignKey>(`
      select k.conname::text as name, f.relname::text as relation, t.relname::text as target,
        array(
          select a.attname::text from unnest(k.conkey) with ordinality as c (number, position)
          join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.number order by c.position
        ) as columns,
        array(
          select a.attname::text from unnest(k.confkey) with ordinality as c (number, position)
          join pg_attribute a on a.attrelid = k.confrelid and a.attnum = c.number order by c.position
        ) as target_columns
      from pg_constraint k
      join pg_class f on f.oid = k.conrelid
      join pg_class t on t.oid = k.confrelid
      where k.contype = 'f'
        and f.relnamespace = 'public'::regnamespace and t.relnamespace = 'public'::regnamespace
      order by k.conname
    `);

  it("because every reference between tenants' tables includes the tenant", async () => {
    const keys = await foreignKeys();
    expect(keys.length).toBeGreaterThan(10);
    for (const { name, columns, target, target_columns } of keys) {
      const at = target_columns.indexOf(ownerColumn(target));
      expect({ name, at, column: columns[at] }).toEqual({
        name,
        at: expect.toSatisfy((index) => index >= 0),
        column: "tenant_id",
      });
    }
  });

  it("even if the service role writes it", async () => {
    const { ours, theirs, relations } = neighbours;
    const [mine, before] = [await rowsOf(ours, relations), await rowsOf(theirs, relations)];
    const service = supabaseAsService();
    for (const { name, relation, columns, target, target_columns } of await foreignKeys()) {
      if (target === "tenants") continue;
      const points = (row: Row) => columns.every((column) => row[column] !== null);
      const from = mine[relation]?.find(points) ?? mine[relation]?.[0];
      const to = before[target]?.find((row) => target_columns.every((column) => column in row));
      if (!from || !to) throw new Error(`${name}: no row to try with`);
      const change = Object.fromEntries(
        columns.map((column, i) => [column, to[target_columns[i] as string]]),
      );
      delete change.tenant_id;
      const key = "id" in from ? { id: from.id } : pick(from, ["tenant_id", "user_id"]);
      const { error } = await service.from(relation).update(change).match(key);
      // Some rows would also violate a unique constraint, which is checked first; some rows can never change.
      expect({ name, code: error?.code }).toEqual({
        name,
        code: expect.stringMatching(/^(23503|23505|42501|PT403)$/),
      });
    }
    expect(await rowsOf(ours, relations)).toEqual(mine);
    expect(await rowsOf(theirs, relations)).toEqual(before);
  });
});

describe("the schema", () => {
  const rows = (sql: string) => query<Row>(sql);

  it("has row-level security on every table", async () => {
    expect(
      await rows(`
        select relname from pg_class
        where relnamespace in ('public'::regnamespace, 'private'::regnamespace)
          and relkind in ('r', 'p') and not relrowsecurity
      `),
    ).toEqual([]);
  });

  it("has a tenant_id in every table", async () => {
    expect(
      await rows(`
        select c.relname from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
          and c.relname <> 'tenants'
          and not exists (
            select 1 from pg_attribute a
            where a.attrelid = c.oid and a.attname = 'tenant_id' and a.attnotnull
          )
      `),
    ).toEqual([]);
  });

  it("has only views with the caller's rights", async () => {
    expect(
      await rows(`
        select relname from pg_class
        where relnamespace = 'public'::regnamespace
          and (relkind = 'm' or relkind = 'v' and not coalesce(reloptions, '{}') && array['security_invoker=true', 'security_invoker=on'])
      `),
    ).toEqual([]);
  });

  it("grants visitors no write, and only what their tables and functions need", async () => {
    expect(
      await rows(`
        select c.relname from pg_class c
        where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
          and case
            when c.relkind in ('r', 'p', 'v', 'm', 'f') then
              has_table_privilege('anon', c.oid, 'insert, update, delete, truncate, references, trigger')
              or has_any_column_privilege('anon', c.oid, 'insert, update, references')
            when c.relkind = 'S' then has_sequence_privilege('anon', c.oid, 'usage, select, update')
          end
      `),
    ).toEqual([]);
    const readable = await rows(`
      select c.relname as name from pg_class c
      where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
        and c.relkind in ('r', 'p', 'v', 'm', 'f') and has_any_column_privilege('anon', c.oid, 'select')
    `);
    const behind = BEHIND_VIEWS.filter((name) => name !== "earlier_attempts");
    expect(readable.map(({ name }) => name).sort()).toEqual([...VISITED_TABLES, ...behind].sort());
  });

  it("lets visitors execute a private function only if something that they may call names it", async () => {
    const granted = await query<{
      name: string;
      isPrivate: boolean;
      source: string;
      owner: boolean;
    }>(`
      select p.proname as name, p.pronamespace = 'private'::regnamespace as "isPrivate", p.prosecdef as owner,
        coalesce(nullif(p.prosrc, ''), pg_get_functiondef(p.oid)) as source
      from pg_proc p
      where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
        and has_function_privilege('anon', p.oid, 'execute')
    `);
    const policies = await query<{ source: string }>(
      "select coalesce(qual, '') as source from pg_policies where roles @> '{anon}'",
    );
    // Postgres asks for the rights of who reads a view, also where the view has its owner's.
    const views = await query<{ source: string }>(`
      select pg_get_viewdef(c.oid) as source from pg_class c
      where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind = 'v'
        and has_table_privilege('anon', c.oid, 'select')
    `);
    // What a function does with its owner's rights needs no grant.
    const callers = [...granted.filter(({ owner }) => !owner), ...policies, ...views];
    const needed = new Set(
      callers.flatMap(({ source }) =>
        [...source.matchAll(/private\.(\w+)/g)].map(([, name]) => name),
      ),
    );
    const unneeded = granted.filter(({ name, isPrivate }) => isPrivate && !needed.has(name));
    // PostgREST calls these two before each request.
    expect([...new Set(unneeded.map(({ name }) => name))].sort()).toEqual([
      "check_rest_request",
      "count_rest_request",
    ]);
  });

  /** Relations behind public views: accessible through a product that policies show, or with their own policy. */
  const BEHIND_VIEWS = [
    "all_variants",
    "earlier_attempts",
    "product_records",
    "product_rows",
    "product_stocks",
    "product_suppliers",
  ];

  it("does not allow users to truncate tables, or to read private ones", async () => {
    expect(
      await rows(`
        select c.relname from pg_class c
        where c.relkind in ('r', 'p', 'v', 'm', 'f')
          and case c.relnamespace
            when 'public'::regnamespace then
              has_table_privilege('authenticated', c.oid, 'truncate, references, trigger')
            when 'private'::regnamespace then
              has_table_privilege('authenticated', c.oid, 'select, insert, update, delete, truncate, references, trigger')
              or has_any_column_privilege('authenticated', c.oid, 'select, insert, update, references')
          end
        order by c.relname
      `),
    ).toEqual(BEHIND_VIEWS.map((relname) => ({ relname })));
  });

  it("has security definer functions only in private, with a fixed search path", async () => {
    expect(
      await rows(`
        select p.proname, n.nspname, p.proconfig::text as settings from pg_proc p
        join pg_namespace n on n.oid = p.pronamespace
        where n.nspname in ('public', 'private') and p.prosecdef
          and (n.nspname <> 'private' or not coalesce(p.proconfig, '{}') @> array['search_path=""'])
      `),
    ).toEqual([]);
  });

  it("has a PL/pgSQL function in front of each private function with the same name", async () => {
    expect(
      await rows(`
        select front.proname from pg_proc front
        join pg_language l on l.oid = front.prolang
        where front.pronamespace = 'public'::regnamespace and l.lanname <> 'plpgsql' and exists (
          select from pg_proc p
          where p.pronamespace = 'private'::regnamespace and p.proname = front.proname and p.prosecdef
            and front.prosrc like '%private.' || p.proname || '(%'
        )
      `),
    ).toEqual([]);
  });

  it("has partitions only in private, accessible only through their table", async () => {
    const partitions = await rows(`
      select c.relname, c.relnamespace::regnamespace::text as schema,
        exists (select 1 from pg_policy p where p.polrelid = c.oid) as has_policies,
        array(
          select r.rolname::text from pg_roles r
          where r.rolname in ('anon', 'authenticated', 'service_role') and (
            has_table_privilege(r.oid, c.oid, 'select, insert, update, delete, truncate, references, trigger')
            or has_any_column_privilege(r.oid, c.oid, 'select, insert, update, references')
          )
        ) as open_to
      from pg_class c where c.relispartition and c.relkind = 'r'
      and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
    `);
    // Today's, those of the week ahead, and the default one.
    expect(partitions.length).toBeGreaterThanOrEqual(9);
    for (const { relname, ...found } of partitions) {
      expect({ relname, ...found }).toEqual({
        relname,
        schema: "private",
        has_policies: false,
        open_to: [],
      });
    }
  });

  it("exposes no private relation to any role", async () => {
    const { ours } = neighbours;
    // Only one of the partitions, which are all alike.
    const tables = await query<{ name: string }>(`
      select relname as name from pg_class
      where relnamespace = 'private'::regnamespace and relkind in ('r', 'v') and not relispartition
      union all
      select min(relname) from pg_class where relnamespace = 'private'::regnamespace and relispartition
    `);
    expect(tables.length).toBeGreaterThan(3);
    // Names are checked before roles.
    await together(tables, async ({ name }) => {
      const unnamed = await supabaseAsService().from(name).select("*");
      expect([name, unnamed.status]).toEqual([name, 404]);
    });
    const clients = [supabaseAsService(), supabaseAs(), supabaseAs(ours.people.admin)];
    for (const client of clients) {
      await together(tables, async ({ name }) => {
        const named = await client.schema("private").from(name).select("*");
        expect([name, named.status, named.error?.code]).toEqual([name, 406, "PGRST106"]);
      });
      const called = await client.schema("private").rpc("tenant_id");
      expect(called.status).toBe(406);
      expect((await client.schema("auth").from("users").select("*")).status).toBe(406);
    }
  });

  it("returns a webhook's secret to nobody, not even to its author", async () => {
    const { ours } = neighbours;
    const { data } = await supabaseAs(ours.people.admin)
      .from("webhooks")
      .select("secret, headers, header_names")
      .throwOnError();
    expect(data).toContainEqual({
      secret: null,
      headers: null,
      header_names: Object.keys(headersOf(ours)),
    });
    for (const { secret, headers } of data) expect([secret, headers]).toEqual([null, null]);
  });

  it("is served completely by the running stack", async () => {
    const { url, service_role_key } = ownStack;
    await together(neighbours.relations, async ({ name }) => {
      const response = await fetch(`${url}/rest/v1/${name}?limit=0`, {
        headers: { apikey: service_role_key, authorization: `Bearer ${service_role_key}` },
      });
      expect([name, response.status]).toEqual([name, 200]);
    });
  });
});
