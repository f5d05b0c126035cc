import { decodeJwt } from "jose";
import pg from "pg";
import { query } from "../database.js";
import { ownStack } from "../own-stack.js";
import type { Person, TestTenant } from "../souk.js";
import type { StackAddress } from "../stack.js";

// Helpers for tests of embeddings: semantic searches, and the state of the queue.

/** Whether the server has no vectors, because their migration was left out. */
export async function isWithoutVectors(): Promise<boolean> {
  const [{ table }] = (await query(
    "select to_regclass('private.product_embeddings') as table",
  )) as [{ table: string | null }];
  return table === null;
}

export interface Meant {
  id: string;
  tenant_id: string;
  name: string;
  price: number;
  closeness: number;
}

const PRODUCTS = "select p.id, p.tenant_id, p.name, p.price::float as price, f.closeness";
const BY_CLOSENESS = "join public.products p on p.id = f.id order by f.closeness desc, f.id";

/** The products nearest in meaning to a text, as visible to a person. */
export function meant(
  as: Person,
  text: string,
  options: Record<string, unknown> = {},
  stack?: StackAddress,
): Promise<Meant[]> {
  const { embedding, branch, price_min, price_max, marketplaces, supplier_id, brands, wanted } =
    options;
  return askAs(
    as,
    `${PRODUCTS} from private.products_meant(
       $1, $2, $3,
       row($4::numeric, $5::numeric, $6::uuid[], $7::uuid, null, $8::text[], null, null, null)::private.product_filters,
       $9
     ) f ${BY_CLOSENESS}`,
    [
      ...[text, embedding, branch, price_min, price_max],
      ...[marketplaces, supplier_id, brands, wanted ?? 100],
    ],
    stack,
  );
}

/** The products nearest in meaning to a product. */
export function near(as: Person, id: string, wanted: number, stack?: StackAddress) {
  return askAs<Meant>(
    as,
    `${PRODUCTS} from private.products_near($1, $2) f ${BY_CLOSENESS}`,
    [id, wanted],
    stack,
  );
}

function askAs<Found>(as: Person, sql: string, values: unknown[], stack?: StackAddress) {
  return inTransaction(
    async (run) => {
      await run("select set_config('request.jwt.claims', $1, true)", [
        JSON.stringify(decodeJwt(as.token)),
      ]);
      await run("set local role authenticated");
      return (await run(sql, values)) as Found[];
    },
    "rollback",
    stack,
  );
}

type Run = (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** Runs one transaction of a superuser, which ends with the given command. */
export async function inTransaction<T>(
  work: (run: Run) => Promise<T>,
  end: "commit" | "rollback",
  stack: StackAddress = ownStack,
): Promise<T> {
  const client = new pg.Client({ connectionString: stack.db_url as string });
  await client.connect();
  try {
    await client.query("begin");
    const made = await work(
      async (sql, values = []) =>
        (
          await client.query(
            sql,
            values.map((v) => v ?? null),
          )
        ).rows,
    );
    await client.query(end);
    return made;
  } finally {
    await client.end();
  }
}

/** The ids of a tenant's products by name. */
export async function namesOf(testTenant: TestTenant, names: string[], stack?: StackAddress) {
  const rows = await query<{ id: string }>(
    `select p.id from unnest($2::text[]) with ordinality as wanted (name, place)
     join public.products p on p.tenant_id = $1 and p.name = wanted.name order by wanted.place`,
    [testTenant.tenantId, names],
    stack,
  );
  return rows.map(({ id }) => id);
}

/** The vectors of a tenant, and whether each is stale. */
export function statesOf({ tenantId }: TestTenant, stack?: StackAddress) {
  return query<{ product_id: string; model: string; stale: boolean }>(
    "select product_id, model, stale from private.embedding_states where tenant_id = $1",
    [tenantId],
    stack,
  );
}
