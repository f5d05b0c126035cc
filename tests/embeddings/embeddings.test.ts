import { describe, expect, it, onTestFinished } from "vitest";
import { chooseProvider } from "../../supabase/functions/_shared/embeddings/configured_provider.ts";
import { query } from "../database.js";
import { eventually, eventuallyNone } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import {
  must,
  openTestTenant,
  type Person,
  register,
  supabaseAs,
  type TestTenant,
} from "../souk.js";
import { catalog, couches, grass, kitchen, sofas } from "./catalog.js";
import {
  inTransaction,
  isWithoutVectors,
  type Meant,
  meant,
  namesOf,
  near,
  statesOf,
} from "./embeddings.js";

// The built-in embeddings, which the database makes from the words of a tenant's catalog.

const without = await isWithoutVectors();
if (without) console.warn("SKIPPED: embeddings, because this server lacks the extension vector");

/** Lists products in one statement, and waits until each has a current vector. */
async function fill(testTenant: TestTenant, products: { name: string; description: string }[]) {
  await supabaseAs(testTenant.operator)
    .from("products")
    .insert(products.map((product, i) => ({ ...product, price: i + 1 })))
    .throwOnError();
  await settled(testTenant, products.length);
}

async function settled(testTenant: TestTenant, count: number) {
  await eventuallyNone(async () => {
    const states = await statesOf(testTenant);
    return count - states.filter(({ stale }) => !stale).length;
  });
}

/** A tenant in whose catalog couches and sofas occur in the same context; created once. */
const furnished = once(async () => {
  const testTenant = await openTestTenant();
  await fill(testTenant, catalog([...sofas, ...couches, ...kitchen]));
  return testTenant;
});

/** A tenant in whose catalog a couch is a weed. */
const gardening = once(async () => {
  const testTenant = await openTestTenant();
  await fill(testTenant, catalog([...sofas, ...grass, ...kitchen]));
  return testTenant;
});

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const isSofa = ({ name }: Meant) => /sofa/i.test(name);

describe.skipIf(without)("words of a catalog", () => {
  it("with the same context have the same meaning: a couch finds every sofa, and ranks nothing else above", async () => {
    const { customer } = await furnished();
    const found = await meant(customer, "couch");
    const names = found.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(sofas.map(([name]) => name)));
    expect(names.slice(0, 9).every((name) => /sofa|couch/i.test(name))).toBe(true);
    const closeness = found.map((product) => product.closeness);
    expect(closeness).toEqual([...closeness].sort((a, b) => b - a));
    for (const one of closeness) expect(one).toBeLessThanOrEqual(1);
  });

  it("can also be searched through the API", async () => {
    const { customer } = await furnished();
    const path = "/api/products/search/semantic?query=couch&limit=9";
    const { products } = await must("GET", path, { as: customer });
    expect(products).toHaveLength(9);
    for (const { name } of products) expect(name).toMatch(/sofa|couch/i);
  });

  it("have no other meaning than in this catalog: where a couch is a weed it finds no sofa", async () => {
    const { customer } = await gardening();
    const found = await meant(customer, "couch");
    expect(found.map(({ name }) => name)).toContain("Lawn seed");
    expect(found.filter(isSofa)).toEqual([]);
  });

  it("that are unknown find nothing, unless they are misspelt", async () => {
    const { customer } = await furnished();
    expect(await meant(customer, "zeppelin")).toEqual([]);
    expect((await meant(customer, "sofaa")).some(isSofa)).toBe(true);
    expect(await meant(customer, "")).toEqual([]);
    expect(await meant(customer, "' or 1=1 --")).toEqual([]);
  });

  it("belong to one tenant", async () => {
    const [{ customer }, { tenantId }] = [await gardening(), await furnished()];
    const stranger = await register({ tenant_name: "Empty" });
    expect(await meant(stranger, "sofa")).toEqual([]);
    for (const { tenant_id } of await meant(customer, "sofa")) expect(tenant_id).not.toBe(tenantId);
  });
});

describe.skipIf(without)("the products similar to a product", () => {
  it("are of its kind, and do not include it", async () => {
    const testTenant = await furnished();
    const [chesterfield] = await namesOf(testTenant, ["Chesterfield sofa"]);
    const found = await near(testTenant.customer, chesterfield as string, 5);
    expect(found).toHaveLength(5);
    for (const { id, name } of found) {
      expect(id).not.toBe(chesterfield);
      expect(name).toMatch(/sofa|couch/i);
    }
  });

  it("are hidden from callers who cannot see the product", async () => {
    const [{ customer }, testTenant] = [await gardening(), await furnished()];
    const [chesterfield] = await namesOf(testTenant, ["Chesterfield sofa"]);
    expect(await near(customer, chesterfield as string, 5)).toEqual([]);
    // A supplier sees its own products, of which there are none.
    expect(await near(testTenant.supplier, chesterfield as string, 5)).toEqual([]);
    expect(await meant(testTenant.supplier, "sofa")).toEqual([]);
  });
});

describe.skipIf(without)("a semantic search", () => {
  it("applies its filters, and returns as many products as requested", async () => {
    const { operator, marketplace } = await furnished();
    const all = await meant(operator, "sofa");
    const dear = await meant(operator, "sofa", { price_min: 4 });
    expect(dear).toEqual(all.filter(({ price }) => price >= 4));
    expect(dear.length).toBeLessThan(all.length);
    expect(await meant(operator, "sofa", { price_max: 2 })).toEqual(
      all.filter(({ price }) => price <= 2),
    );
    expect(await meant(operator, "sofa", { marketplaces: [marketplace.id] })).toEqual(all);
    const nowhere = "00000000-0000-4000-8000-000000000000";
    expect(await meant(operator, "sofa", { supplier_id: nowhere })).toEqual([]);
    for (const filter of ["marketplaces", "branch"])
      expect(await meant(operator, "sofa", { [filter]: [nowhere] })).toEqual([]);
    expect(await meant(operator, "sofa", { brands: ["Nobody"] })).toEqual([]);
    expect(await meant(operator, "sofa", { wanted: 2 })).toEqual(all.slice(0, 2));
    expect(await meant(operator, "sofa", { wanted: 0 })).toEqual([]);
  });

  it("compares no vectors of another model, and refuses invalid ones", async () => {
    const { customer } = await furnished();
    const embedding = `openai:another [${Array(384).fill(0.1)}]`;
    expect(await meant(customer, "sofa", { embedding })).toEqual([]);
    for (const none of ["[1,2]", "nonsense", "", "[]"])
      await expect(meant(customer, "sofa", { embedding: none })).rejects.toThrow(
        "VALIDATION_ERROR",
      );
  });
});

describe.skipIf(without)("a product whose text changes", () => {
  const changed = (name: string) => ({
    name,
    description: "Deep seats, soft cushions, velvet upholstery. For the living room.",
  });

  it("is queued in the same transaction, and soon found by its new text", async () => {
    const testTenant = await furnished();
    const [id] = await namesOf(testTenant, ["Tea pot"]);
    const isStale = async () =>
      (await statesOf(testTenant)).find((s) => s.product_id === id)?.stale;
    expect(await isStale()).toBe(false);
    const before = await inTransaction(async (run) => {
      const { name, description } = changed("Chaise longue");
      await run("update public.products set name = $2, description = $3 where id = $1", [
        id,
        name,
        description,
      ]);
      return await run("select stale from private.embedding_states where product_id = $1", [id]);
    }, "commit");
    expect(before).toEqual([{ stale: true }]);
    await eventually(async () => {
      expect(await isStale()).toBe(false);
      const names = (await meant(testTenant.customer, "couch")).map(({ name }) => name);
      expect(names).toContain("Chaise longue");
    });
  });

  it("is not queued by a change that is rolled back, or that keeps the text", async () => {
    const testTenant = await furnished();
    const queued = () =>
      query("select subject_id from private.jobs where queue = 'embeddings' and tenant_id = $1", [
        testTenant.tenantId,
      ]);
    const [id] = await namesOf(testTenant, ["Saucepan"]);
    await inTransaction(
      (run) => run("update public.products set name = 'Divan' where id = $1", [id]),
      "rollback",
    );
    expect(await queued()).toEqual([]);
    await inTransaction(async (run) => {
      await run("update public.products set price = 99, name = name where id = $1", [id]);
      expect(await run("select 1 from private.jobs where subject_id = $1", [id])).toEqual([]);
    }, "commit");
  });

  it("wakes the function once per transaction", async () => {
    const testTenant = await furnished();
    const [wakes] = await inTransaction(async (run) => {
      // Otherwise it might rely on a wake of another transaction.
      await run("delete from private.wakes");
      for (let i = 0; i < 3; i++)
        await run("update public.products set name = name || ' ' || $2 where tenant_id = $1", [
          testTenant.tenantId,
          `series${i}`,
        ]);
      return await run(
        `select count(*)::integer from net.http_request_queue
         where url like '%/embed' and xmin = pg_current_xact_id()::xid`,
      );
    }, "rollback");
    expect(wakes).toEqual({ count: 1 });
  });

  it("that is deleted leaves no vector and no job", async () => {
    const testTenant = await gardening();
    const [id] = await namesOf(testTenant, ["Cutting board"]);
    await must("DELETE", `/api/products/${id}`, { as: testTenant.operator });
    for (const where of ["product_embeddings where product_id", "jobs where subject_id"])
      expect(await query(`select 1 from private.${where} = $1`, [id])).toEqual([]);
  });
});

describe.skipIf(without)("a catalog", () => {
  it("is learned again when a tenth of it has changed, and not before", async () => {
    const testTenant = await gardening();
    const lesson = async () => {
      const [row] = await query<{ learnt_at: Date; changes: number; is_due: boolean }>(
        "select learnt_at, changes, is_due from private.word_lessons where tenant_id = $1",
        [testTenant.tenantId],
      );
      return row as { learnt_at: Date; changes: number; is_due: boolean };
    };
    const before = await lesson();
    const count = (await statesOf(testTenant)).length;
    await supabaseAs(testTenant.operator)
      .from("products")
      .insert({ name: "Rattan basket", description: "Woven by hand.", price: 5 })
      .throwOnError();
    await settled(testTenant, count + 1);
    expect(await lesson()).toMatchObject({ learnt_at: before.learnt_at, is_due: false });

    const many = Array.from({ length: 25 }, (_, i) => ({
      name: `Rattan basket ${i}`,
      description: "Wicker, woven by hand.",
    }));
    await supabaseAs(testTenant.operator)
      .from("products")
      .insert(many.map((product) => ({ ...product, price: 5 })))
      .throwOnError();
    await eventually(async () => expect((await lesson()).learnt_at > before.learnt_at).toBe(true));
    await settled(testTenant, count + 26);
    const names = (await meant(testTenant.operator, "wicker")).map(({ name }) => name);
    expect(names).toContain("Rattan basket");
  });
});

describe.skipIf(without)("the functions that make vectors", () => {
  const calls: [string, object][] = [
    ["lease_embedding_jobs", { done: [], model: "mine", batch: 10 }],
    ["take_lesson", {}],
    ["read_lesson", { tenant_id: "00000000-0000-4000-8000-000000000000", after: null, limit: 1 }],
    [
      "record_lesson",
      {
        tenant_id: "00000000-0000-4000-8000-000000000000",
        lease: "00000000-0000-4000-8000-000000000000",
        ...{ words: [], vectors: [], is_last: true },
      },
    ],
    ["embedding_status", {}],
  ];

  it.each(calls)("cannot be called by users: %s", async (name, args) => {
    const { operator } = await furnished();
    for (const person of [operator, undefined] as (Person | undefined)[]) {
      const { error } = await supabaseAs(person).rpc(name, args);
      expect(error?.code).toBe("42501");
    }
  });

  it("can only be woken with a secret key", async () => {
    const { operator } = await furnished();
    const wake = (headers: Record<string, string>) =>
      fetch(`${ownStack.functions_url}/embed`, { method: "POST", headers });
    expect((await wake({})).status).toBe(401);
    expect((await wake({ apikey: ownStack.publishable_key })).status).toBe(401);
    expect((await wake({ authorization: `Bearer ${operator.token}` })).status).toBe(401);
    expect((await wake({ apikey: ownStack.secret_key })).status).toBe(202);
  });
});

describe("the provider", () => {
  it("is the database unless another is configured", () => {
    expect(chooseProvider({})).toMatchObject({ model: "builtin" });
    expect(chooseProvider({}).embed).toBeUndefined();
  });

  it.each([
    { EMBEDDINGS_PROVIDER: "nobody" },
    { EMBEDDINGS_PROVIDER: "supabase" },
    { EMBEDDINGS_PROVIDER: "openai" },
    { EMBEDDINGS_PROVIDER: "openai", EMBEDDINGS_API_KEY: "hidden", EMBEDDINGS_URL: "file:///etc" },
  ])("is refused when it is misconfigured, without revealing values: %j", (environment) => {
    let message = "";
    try {
      chooseProvider(environment);
    } catch (error) {
      message = String(error);
    }
    expect(message).toMatch(/EMBEDDINGS_/);
    expect(message).not.toMatch(/hidden|etc/);
  });

  it("of the hosted platform gets one text after the other", async () => {
    const asked: string[] = [];
    class Session {
      async run(text: string) {
        asked.push(text);
        return Array(384).fill(0.05);
      }
    }
    Object.assign(globalThis, { Supabase: { ai: { Session } } });
    onTestFinished(() => {
      Reflect.deleteProperty(globalThis, "Supabase");
    });
    const { model, embed } = chooseProvider({ EMBEDDINGS_PROVIDER: "supabase" });
    expect(model).toBe("supabase:gte-small");
    expect(await embed?.(["a", "b"], AbortSignal.timeout(1000))).toHaveLength(2);
    expect(asked).toEqual(["a", "b"]);
  });
});
