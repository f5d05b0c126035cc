// A project whose vectors come from a service with OpenAI's embeddings API. Here it is a mock on loopback that knows a
// few words and gives the answers that a test sets.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseProvider } from "../../supabase/functions/_shared/embeddings/configured_provider.ts";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { openFolder, type StackDatabase } from "../place.js";
import { listProduct, must, openTestTenant, supabaseAsService, type TestTenant } from "../souk.js";
import { type RunningStack, startStack } from "../stack.js";
import { inTransaction, isWithoutVectors, meant, near, statesOf } from "./embeddings.js";

/** Must not appear in a log: `stop` checks for secrets of this form. */
const KEY = "sb_secret_of_the_provider";
const MODEL = "openai:words-384";

const without = await isWithoutVectors();

interface Asked {
  key: string | undefined;
  body: { model: string; input: string[]; dimensions: number };
}

type Reply = { status: number; headers?: Record<string, string>; body?: unknown };

/** The received requests, and the answers to the next ones; then vectors. */
const asked: Asked[] = [];
const replies: ((asked: Asked) => Reply | null)[] = [];
const subjects = [/sofa|couch|seat/i, /knife|blade/i, /tea|coffee/i];

function vectorOf(text: string): number[] {
  return Array.from({ length: 384 }, (_, i) => (subjects[i]?.test(text) ? 1 : i === 383 ? 0.1 : 0));
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const one: Asked = {
    key: request.headers.authorization,
    body: JSON.parse(Buffer.concat(chunks).toString()),
  };
  asked.push(one);
  const data = () =>
    one.body.input.map((text, index) => ({ index, embedding: vectorOf(text) })).reverse();
  const { status, headers, body } = replies.shift()?.(one) ?? { status: 200 };
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body ?? (status === 200 ? { data: data() } : { error: KEY })));
});

let url: string;
let place: StackDatabase | undefined;
let stack: RunningStack;
let testTenant: TestTenant;

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  if (without) return;

  const secrets = [
    ...["[edge_runtime.secrets]", `EMBEDDINGS_PROVIDER = "openai"`, `EMBEDDINGS_URL = "${url}"`],
    ...[`EMBEDDINGS_API_KEY = "${KEY}"`, `EMBEDDINGS_MODEL = "words-384"`],
  ].join("\n");
  place = await openFolder();
  stack = await startStack(place.options, {
    functions: ["api", "auth", "embed"],
    configure: (config) => config.replace("[edge_runtime.secrets]", secrets),
  });
  // The tests take jobs and wake the worker themselves: once a minute it would take theirs.
  for (const name of ["embed", "wake-workers"]) {
    await query("select private.unschedule_job($1)", [name], stack);
  }
  testTenant = await openTestTenant(stack);
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await stack?.stop();
  await place?.drop();
});

const wake = () => must("POST", "/embed", { headers: { apikey: stack.secret_key }, stack });

const soon = (check: () => Promise<void>) => eventually(check);

const list = (name: string) => listProduct(testTenant.supplier, { name }, stack);

const queued = async (product: { id: string }) => {
  const [row] = await query<{
    attempts: number;
    error: string | null;
    wait: number | null;
    lease: string | null;
  }>(
    `select attempts, error, lease, extract(epoch from due_at - now())::float as wait
     from private.jobs where queue = 'embeddings' and subject_id = $1`,
    [product.id],
    stack,
  );
  return row;
};

const stateOf = async (product: { id: string }) =>
  (await statesOf(testTenant, stack)).find(({ product_id }) => product_id === product.id);

const isFresh = (product: { id: string }) =>
  soon(async () => expect(await stateOf(product)).toMatchObject({ model: MODEL, stale: false }));

/** Waits until the function has failed this many times. */
const failed = (product: { id: string }, attempts = 1) =>
  soon(async () => {
    const row = await queued(product);
    expect(row).toMatchObject({ attempts, lease: null });
    expect(row?.error).toBeTruthy();
  });

const makeDue = (product: { id: string }) =>
  query("update private.jobs set due_at = now() where subject_id = $1", [product.id], stack);

const status = async () =>
  (await supabaseAsService(stack).rpc("embedding_status").throwOnError()).data;

describe.skipIf(without)("an external provider", () => {
  it("makes the vectors for searches, with its key and our dimensions", async () => {
    const sofa = await list("Oslo sofa");
    const knife = await list("Bread knife");
    await isFresh(sofa);
    await isFresh(knife);
    const { key, body } = asked[0] as Asked;
    expect(key).toBe(`Bearer ${KEY}`);
    expect(body).toMatchObject({ model: "words-384", dimensions: 384 });
    expect(asked.flatMap(({ body }) => body.input)).toContain("Oslo sofa");

    const embedding = `${MODEL} [${vectorOf("couch")}]`;
    const found = await meant(testTenant.customer, "couch", { embedding }, stack);
    expect(found[0]).toMatchObject({ id: sofa.id });
    expect(found[0]?.closeness).toBeCloseTo(1, 2);
    expect(found.find(({ id }) => id === knife.id)?.closeness ?? 0).toBeLessThan(0.2);
    const path = "/api/products/search/semantic?query=couch";
    const { products } = await must("GET", path, { as: testTenant.customer, stack });
    expect(products[0]).toMatchObject({ id: sofa.id });
    expect(asked.at(-1)?.body.input).toEqual(["couch"]);
    // A search by words works without the provider.
    replies.push(() => ({ status: 500 }));
    const worded = "/api/products/search/semantic?query=knife";
    const answer = await must("GET", worded, { as: testTenant.customer, stack });
    expect(answer.products).toMatchObject([{ id: knife.id }]);

    const couch = await list("Red couch");
    await isFresh(couch);
    expect((await near(testTenant.customer, couch.id, 1, stack))[0]).toMatchObject({ id: sofa.id });
    // Without a vector of the model there is nothing to compare, not even by words.
    expect(await meant(testTenant.customer, "couch", {}, stack)).toEqual([]);
  });

  it.each([
    [500, {}, 60, 66],
    [429, { "retry-after": "600" }, 600, 600],
    [503, { "retry-after": "86400" }, 3600, 3600],
    [401, {}, 60, 66],
  ])("that answers %i is asked again later", async (code, headers, least, most) => {
    replies.push(() => ({ status: code, headers }));
    const product = await list(`Tea pot ${code}`);
    await failed(product);
    const row = await queued(product);
    expect(row?.error).toBe(`the provider answered ${code}`);
    expect(row?.wait).toBeGreaterThan(least - 15);
    expect(row?.wait).toBeLessThanOrEqual(most);
    expect(await stateOf(product)).toBeUndefined();
    await makeDue(product);
    await wake();
    await isFresh(product);
    expect(await queued(product)).toBeUndefined();
  });

  it("that keeps failing is given up, which operators can see", async () => {
    replies.push(() => ({ status: 500 }));
    const product = await list("Teaspoon");
    await failed(product);
    await query("update private.jobs set attempts = 6 where subject_id = $1", [product.id], stack);
    for (const attempts of [7, 8]) {
      expect((await queued(product))?.wait).not.toBeNull();
      replies.push(() => ({ status: 500 }));
      await makeDue(product);
      await wake();
      await failed(product, attempts);
    }
    expect(await queued(product)).toMatchObject({ wait: null });
    expect(await status()).toMatchObject({
      model: MODEL,
      given_up: 1,
      errors: { "the provider answered 500": 1 },
    });
    // A new text starts again.
    const path = `/api/products/${product.id}`;
    await must("PUT", path, { as: testTenant.supplier, body: { name: "Coffee spoon" }, stack });
    await isFresh(product);
    expect(await status()).toMatchObject({ given_up: 0, waiting: 0, errors: {} });
  });

  it.each([
    ["of another length", { data: [{ embedding: [1, 2, 3] }] }, /3 dimensions/],
    ["too few", { data: [] }, /0 vectors for 1 texts/],
    ["without numbers", { data: [{ embedding: Array(384).fill("x") }] }, /has no vectors/],
    ["that are not JSON", "<html>", /has no vectors/],
  ])("has vectors %s refused", async (_, body, reason) => {
    replies.push(() => ({ status: 200, body }));
    const product = await list("Blade");
    await failed(product);
    expect((await queued(product))?.error).toMatch(reason);
    expect(await stateOf(product)).toBeUndefined();
    await makeDue(product);
    await wake();
    await isFresh(product);
  });

  it("that refuses one text gets the others without it", async () => {
    const isPoison = (text: string) => text.includes("Poison");
    const refuse = ({ body }: Asked): Reply | null =>
      body.input.some(isPoison) ? { status: 400 } : null;
    replies.push(...Array(12).fill(refuse));
    const rows = ["Sofa 1", "Sofa 2", "Poison", "Sofa 3", "Sofa 4"].map((name) => ({
      ...{ name, price: 1, tenant_id: testTenant.tenantId, currency: "EUR" },
      marketplace_id: testTenant.marketplace.id,
    }));
    const { data } = await supabaseAsService(stack)
      .from("products")
      .insert(rows)
      .select("id, name")
      .throwOnError();
    const poison = data.find(({ name }) => name === "Poison") as { id: string };
    for (const product of data) if (product !== poison) await isFresh(product);
    await failed(poison);
    expect(await queued(poison)).toMatchObject({ error: "the provider answered 400" });
    replies.length = 0;
    await must("DELETE", `/api/products/${poison.id}`, { as: testTenant.operator, stack });
  });
});

describe.skipIf(without)("a lease", () => {
  type Taken = Record<"product_id" | "lease", string>;

  /** Takes and records jobs as a worker does. */
  async function take(batch: number, done: object[] = []): Promise<Taken[]> {
    const { data } = await supabaseAsService(stack)
      .rpc("lease_embedding_jobs", { done, model: MODEL, batch })
      .throwOnError();
    return data;
  }

  const TAKE = "select product_id, lease from public.lease_embedding_jobs($1, $2, $3)";

  /** Queues some products of a tenant again, without waking the function. */
  const QUEUE = `insert into private.jobs (queue, tenant_id, subject_id)
    select 'embeddings', tenant_id, id from public.products where tenant_id = $1 order by id limit $2`;

  /** Queues this many jobs and takes them in the same transaction. */
  const taken = (count: number) =>
    inTransaction(
      async (run) => {
        await run(QUEUE, [testTenant.tenantId, count]);
        return (await run(TAKE, ["[]", MODEL, 1000])) as Taken[];
      },
      "commit",
      stack,
    );

  it("keeps a job from other workers until it expires; then another worker takes it", async () => {
    const [lease, ...more] = await taken(1);
    expect(more).toEqual([]);
    expect(await take(10)).toEqual([]);
    const product = { id: lease?.product_id as string };
    await query(
      "update private.jobs set due_at = now() where subject_id = $1",
      [product.id],
      stack,
    );
    await wake();
    await isFresh(product);

    // A result after the expiry changes nothing.
    const embedding = `[${vectorOf("tea")}]`;
    const kept = () =>
      query(
        "select embedding::text from private.product_embeddings where product_id = $1",
        [product.id],
        stack,
      );
    const before = await kept();
    await take(10, [{ ...lease, embedding, error: null, retry_after_seconds: null }]);
    expect(await kept()).toEqual(before);
  });

  it("is lost when the text changes meanwhile", async () => {
    const [lease] = await taken(1);
    const product = { id: lease?.product_id as string };
    replies.push(() => ({ status: 500 }));
    const path = `/api/products/${product.id}`;
    await must("PUT", path, { as: testTenant.operator, body: { name: "Coffee mill" }, stack });
    await failed(product);
    await take(10, [{ ...lease, embedding: `[${vectorOf("sofa")}]`, error: null }]);
    expect(await stateOf(product)).toMatchObject({ stale: true });
    await makeDue(product);
    await wake();
    await isFresh(product);
    const embedding = `[${vectorOf("tea")}]`;
    const [first] = await meant(testTenant.operator, "tea", { embedding }, stack);
    expect(first?.closeness).toBeCloseTo(1, 2);
  });

  it("belongs to one worker, also when several take jobs concurrently", async () => {
    await query(QUEUE, [testTenant.tenantId, 10], stack);
    const ids = (await Promise.all([1, 2, 3, 4].map(() => take(3))))
      .flat()
      .map(({ product_id }) => product_id);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
    await query("delete from private.jobs where queue = 'embeddings'", [], stack);
  });

  it("is given to the tenants in turn, whichever has the most jobs", async () => {
    const other = await openTestTenant(stack);
    const small = await listProduct(other.supplier, { name: "Sofa" }, stack);
    await soon(async () => expect(await queued(small)).toBeUndefined());
    const tenants = await inTransaction(
      async (run) => {
        await run(QUEUE, [testTenant.tenantId, 8]);
        await run(QUEUE, [other.tenantId, 1]);
        const taken = await run(TAKE, ["[]", MODEL, 2]);
        const ids = taken.map(({ product_id }) => product_id);
        const OWNERS = "select tenant_id from public.products where id = any ($1)";
        return (await run(OWNERS, [ids])).map(({ tenant_id }) => tenant_id);
      },
      "rollback",
      stack,
    );
    expect(new Set(tenants)).toEqual(new Set([testTenant.tenantId, other.tenantId]));
  });

  it("belongs to a model: a new model replaces it, and all vectors are made again", async () => {
    const { id: sofa } = await list("Settee sofa");
    await isFresh({ id: sofa });
    const embedding = `[${vectorOf("sofa")}]`;
    const FIND = "select id from private.products_meant('sofa', $1, null, null, 1000)";
    // In one transaction, because the stack's own worker only knows one model.
    const found = await inTransaction(
      async (run) => {
        const find = async (model: string) => {
          const claims = JSON.stringify(decodeJwt(testTenant.customer.token));
          await run("select set_config('request.jwt.claims', $1, true)", [claims]);
          return (await run(FIND, [`${model} ${embedding}`])).map(({ id }) => id);
        };
        const jobs = await run(TAKE, ["[]", "other:model", 1000]);
        expect(jobs.map(({ product_id }) => product_id)).toContain(sofa);
        const stale = "select 1 from private.embedding_states where not stale";
        expect(await run(stale)).toEqual([]);
        const before = await find("other:model");
        const done = jobs.map((lease) => ({ ...lease, embedding, error: null }));
        await run(TAKE, [JSON.stringify(done), "other:model", null]);
        return { before, after: await find("other:model"), outdated: await find(MODEL) };
      },
      "commit",
      stack,
    );
    // Vectors of different models are never compared.
    expect(found).toMatchObject({ before: [], outdated: [] });
    expect(found.after).toContain(sofa);

    await wake();
    await soon(async () => {
      const states = await statesOf(testTenant, stack);
      expect(states.every(({ model, stale }) => model === MODEL && !stale)).toBe(true);
    });
    const again = await meant(
      testTenant.customer,
      "",
      { embedding: `${MODEL} ${embedding}` },
      stack,
    );
    expect(again.map(({ id }) => id)).toContain(sofa);
    await soon(async () =>
      expect(await status()).toMatchObject({ model: MODEL, of_other_models: 0, waiting: 0 }),
    );
  });
});

describe("the vector of a query", () => {
  const provider = () =>
    chooseProvider({
      ...{ EMBEDDINGS_PROVIDER: "openai", EMBEDDINGS_URL: url },
      ...{ EMBEDDINGS_API_KEY: KEY, EMBEDDINGS_MODEL: "words-384" },
    });

  it("is returned in the order of the texts, and no error contains the key", async () => {
    const { embed } = provider();
    const signal = () => AbortSignal.timeout(2000);
    const vectors = await embed?.(["a sofa", "a knife"], signal());
    expect(vectors).toEqual([vectorOf("a sofa"), vectorOf("a knife")]);
    replies.push(() => ({ status: 500 }));
    const failure = await embed?.(["a"], signal()).catch(String);
    expect(failure).toBe("ProviderError: the provider answered 500");
    replies.push(() => ({ status: 302, headers: { location: "http://127.0.0.1:1/" } }));
    expect(await embed?.(["a"], signal()).catch(String)).toMatch("could not be reached");
  });
});
