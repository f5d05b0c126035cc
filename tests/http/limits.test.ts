import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { addressOf } from "../../supabase/functions/_shared/http/address.ts";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { countRequest } from "../../supabase/functions/_shared/http/request_counts.ts";
import { createRoutes } from "../../supabase/functions/_shared/http/routes.ts";
import { beginMinute, withinMinute } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { freshPlace } from "../place.js";
import {
  type Answer,
  call,
  listProduct,
  marketplaceFields,
  must,
  openTestTenant,
  orderFor,
  type Person,
  register,
  registerClient,
  stackInUse,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { setRateLimit, startStack } from "../stack.js";

// Rate limits. The windows are clock minutes, so a test that counts starts a new one.

/** The rate limit headers of an answer. */
function rateOf({ headers }: Answer) {
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) => {
    const value = headers.get(`ratelimit-${name}`);
    return value === null ? Number.NaN : Number(value);
  }) as [number, number, number];
  return { limit, remaining, reset };
}

function expectTooMany(answer: Answer) {
  expect(answer.body).toEqual({
    error: { code: "RATE_LIMITED", message: expect.any(String), details: {} },
  });
  expect(answer.status).toBe(429);
  const seconds = Number(answer.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
}

describe("a user's requests", () => {
  it("have a limit per minute, by the current role", async () => {
    const { tenantId, operator, supplier, customer } = await openTestTenant();
    const client = await registerClient(tenantId);
    const limitOf = async (as: Person) => rateOf(await call("GET", "/auth/me", { as })).limit;
    expect(await Promise.all([customer, supplier, client, operator].map(limitOf))).toEqual([
      100, 500, 1000, 2000,
    ]);
    const { data } = await supabaseAsService()
      .from("members")
      .update({ status: "suspended" })
      .eq("user_id", supplier.id)
      .select()
      .throwOnError();
    expect(data).toHaveLength(1);
    expect(await limitOf(supplier)).toBe(100);
  });

  it("are counted per clock minute", async () => {
    const customer = await register(await newTenant());
    const ask = async () => rateOf(await call("GET", "/auth/me", { as: customer }));
    const { first, second } = await withinMinute(async () => {
      await query("delete from private.request_counts where subject = $1", [`user:${customer.id}`]);
      return { first: await ask(), second: await ask() };
    });
    expect([first.remaining, second.remaining]).toEqual([99, 98]);
    expect(first.reset).toBeGreaterThan(0);
    expect(first.reset).toBeLessThanOrEqual(60);
    // Moves the minute into the past.
    await query(
      "update private.request_counts set minute = minute - interval '1 minute' where subject = $1",
      [`user:${customer.id}`],
    );
    expect((await ask()).remaining).toBe(99);
  });

  it("are counted on every answer, also errors, by all functions together", async () => {
    const customer = await register(await newTenant());
    await beginMinute();
    const answers: Answer[] = [];
    for (const [method, path, status, body] of [
      ["GET", "/api/orders", 200],
      ["GET", "/orders", 200],
      ["GET", "/marketplaces", 200],
      ["GET", "/api/products", 200],
      ["GET", "/auth/me", 200],
      ["GET", "/api/orders?page=x", 422],
      ["GET", `/products/${randomUUID()}`, 404],
      ["GET", "/api/nothing", 404],
      ["DELETE", "/api/marketplaces", 405],
      ["POST", "/api/orders", 422, {}],
      ["POST", "/api/orders", 400, "{"],
      ["POST", "/api/orders", 413, `{"a":"${"x".repeat(1_048_576)}"}`],
      ["POST", "/api/marketplaces", 403, marketplaceFields()],
    ] as const) {
      const answer = await call(method, path, { as: customer, body });
      expect({ path, status: answer.status }).toEqual({ path, status });
      answers.push(answer);
    }
    const rates = answers.map(rateOf);
    expect(rates.map(({ limit }) => limit)).toEqual(rates.map(() => 100));
    expect(rates.map(({ remaining }) => remaining)).toEqual(rates.map((_, i) => 99 - i));
    for (const { reset } of rates) {
      expect(reset).toBeGreaterThan(0);
      expect(reset).toBeLessThanOrEqual(60);
    }
  });

  it("above the limit are refused exactly, also concurrent ones", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    await beginMinute();
    const answers = await Promise.all(
      Array.from({ length: 130 }, (_, i) =>
        call("GET", i % 2 ? "/api/orders" : `/products/${randomUUID()}`, { as: customer }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(30);
    for (const answer of refused) {
      expectTooMany(answer);
      expect(rateOf(answer)).toMatchObject({ limit: 100, remaining: 0 });
    }
    const remaining = answers.filter(({ status }) => status !== 429).map(rateOf);
    expect(remaining.map((rate) => rate.remaining).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, i) => i),
    );
    // Refused requests have no effect, and other users are not affected.
    for (const body of [orderFor(product), {}, "{"]) {
      expectTooMany(await call("POST", "/api/orders", { as: customer, body }));
    }
    expectTooMany(await call("GET", "/api/nothing", { as: customer }));
    expect((await must("GET", "/api/orders", { as: operator })).total).toBe(0);
  });
});

describe("a list of more than a hundred records", () => {
  it("counts as one request for each started hundred of its records", async () => {
    const { supplier, operator } = await openTestTenant();
    await importProducts(supplier, 250);
    await beginMinute();
    let left = 2000;
    for (const [path, cost] of [
      ["/api/products?limit=100", 1],
      ["/api/products?limit=101", 2],
      ["/products?limit=1000", 3],
      ["/api/products?limit=99999&sort=name", 3],
      ["/api/products?limit=&limit=200&page=2", 1],
      ["/api/products?%6Cimit=200", 2],
      ["/api/products?limit=1000&page=2", 1],
      ["/api/products?limit=1000&search=nothing", 1],
      ["/api/inventory?limit=200", 2],
      ["/api/inventory?limit=200&page=2", 1],
      ["/api/inventory?limit=1000", 3],
      ["/api/orders?limit=1000", 1],
      ["/marketplaces?limit=1000", 1],
      // It has no total.
      ["/api/events?limit=400", 4],
      ["/api/products?limit=many", 1],
      ["/api/nothing?limit=1000", 1],
    ] as const) {
      left -= cost;
      const { remaining } = rateOf(await call("GET", path, { as: operator }));
      expect([path, remaining]).toEqual([path, left]);
    }
    const headers = { authorization: `Bearer ${operator.token}` };
    const url = `${stackInUse().functions_url}/products?limit=1000`;
    const head = await fetch(url, { method: "HEAD", headers });
    expect(head.headers.get("ratelimit-remaining")).toBe(String(left - 3));
  });

  it("is returned while something is left of the minute, and then uses it up", async () => {
    const { supplier, customer } = await openTestTenant();
    await importProducts(supplier, 250);
    await beginMinute();
    await Promise.all(Array.from({ length: 99 }, () => call("GET", "/auth/me", { as: customer })));
    const last = await call("GET", "/api/products?limit=1000", { as: customer });
    expect([last.status, last.body.products.length, rateOf(last).remaining]).toEqual([200, 250, 0]);
    expectTooMany(await call("GET", "/api/products?limit=1000", { as: customer }));
  });
});

describe("an export of products", () => {
  it("counts as one request for each started hundred of its products", async () => {
    for (const [number, format, cost] of [
      [500, "csv", 5],
      [601, "ndjson", 7],
    ] as const) {
      const { supplier } = await openTestTenant();
      await importProducts(supplier, number);
      await beginMinute();
      const exported = await fetch(
        `${stackInUse().functions_url}/products/export?format=${format}`,
        { headers: { authorization: `Bearer ${supplier.token}` } },
      );
      const lines = (await exported.text()).trim().split("\n");
      expect(lines).toHaveLength(format === "csv" ? number + 1 : number);
      const { remaining } = rateOf(await call("GET", "/auth/me", { as: supplier }));
      expect(remaining).toBe(500 - cost - 1);
    }
  });
});

describe("an IP address", () => {
  it("may call the public endpoints a hundred times a minute, whatever its headers claim", async () => {
    const stack = await startStack(await freshPlace(), { functions: ["api", "auth"] });
    onTestFinished(stack.stop);
    const ask = (headers: Record<string, string> = {}, as?: Person) =>
      call("POST", "/auth/refresh", { body: { refresh_token: "none" }, headers, as, stack });
    const person = await register({ tenant_name: "Other" }, stack);
    await beginMinute(stack);
    const here = rateOf(await ask());
    expect(here.limit).toBe(100);
    const answers = await Promise.all(
      Array.from({ length: here.remaining + 5 }, (_, i) =>
        // Neither a header with another address nor a token helps.
        ask({ "x-forwarded-for": `203.0.113.${i}` }, i % 2 ? person : undefined),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    for (const answer of refused) expectTooMany(answer);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(here.remaining);
    const elsewhere = await ask({ "cf-connecting-ip": "198.51.100.7" });
    expect(rateOf(elsewhere)).toMatchObject({ limit: 100, remaining: 99 });
    // A signed-in caller is counted as a user. The documentation is not counted.
    expect((await call("GET", "/auth/me", { as: person, stack })).status).toBe(200);
    expectTooMany(await call("GET", "/auth/me", { stack }));
    const document = await call("GET", "/api/openapi.json", { stack });
    expect(document.headers.has("ratelimit-limit")).toBe(false);
  });

  it.each([
    [{ "cf-connecting-ip": "198.51.100.7", "x-forwarded-for": "1.2.3.4" }, "198.51.100.7"],
    [{ "x-forwarded-for": "1.2.3.4, 198.51.100.7" }, "198.51.100.7"],
    [{ "x-forwarded-for": "::ffff:198.51.100.7" }, "198.51.100.7"],
    [{ "x-forwarded-for": "2001:DB8:0:1:aaaa::1" }, "2001:db8:0:1::"],
    [{ "x-forwarded-for": "2001:db8::1" }, "2001:db8:0:0::"],
    [{ "x-forwarded-for": "2001:db8:1:2:3:4:5:6" }, "2001:db8:1:2::"],
    [{ "x-forwarded-for": "::1" }, "0:0:0:0::"],
    [{ "x-forwarded-for": "'; drop" }, "unknown"],
    [{}, "unknown"],
  ] as [Record<string, string>, string][])("is read from %j", (headers, address) => {
    expect(addressOf(new Headers(headers))).toBe(address);
  });
});

describe("logging in", () => {
  const logIn = (email: string, password: string) =>
    call("POST", "/auth/login", { body: { email, password } });
  const tally = (answers: Answer[]) =>
    [401, 429].map((status) => answers.filter((answer) => answer.status === status).length);

  it("may fail ten times a minute per email, and is then refused even with the right password", async () => {
    const person = await register({ tenant_name: "Locked" });
    const other = await register({ tenant_name: "Open" });
    await beginMinute();
    for (const upper of [false, true]) {
      const email = upper ? person.email.toUpperCase() : person.email;
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => logIn(email, "wrong pass")),
      );
      expect(tally(answers)).toEqual([5, 0]);
    }
    expectTooMany(await logIn(person.email, "wrong pass"));
    expectTooMany(await logIn(person.email, person.password));
    expect((await logIn(other.email, other.password)).status).toBe(200);
    // An unknown email is locked in the same way.
    const nobody = `${randomUUID()}@example.com`;
    const answers = await Promise.all(Array.from({ length: 14 }, () => logIn(nobody, "whatever")));
    expect(tally(answers)).toEqual([10, 4]);
  });

  it("counts only failures", async () => {
    const person = await register({ tenant_name: "Frequent" });
    await beginMinute();
    for (let i = 0; i < 12; i += 1) {
      expect((await logIn(person.email, person.password)).status).toBe(200);
    }
    expect((await logIn(person.email, "wrong pass")).status).toBe(401);
  });
});

describe("requests to /rest/v1, when the operator enables their limit,", () => {
  it("share a user's minute with those of the functions, and are counted once", async () => {
    const stack = await startStack(await freshPlace(), { functions: ["api", "auth"] });
    onTestFinished(stack.stop);
    await setRateLimit(stack, "customer", 10);
    const testTenant = await openTestTenant(stack);
    const join = () => register({ tenant_id: testTenant.tenantId }, stack);
    const [customer, other, greedy] = await Promise.all([join(), join(), join()]);
    const list = (as: Person, headers: Record<string, string> = {}) =>
      fetch(`${stack.url}/rest/v1/rpc/list_products`, {
        method: "POST",
        headers: {
          apikey: stack.anon_key,
          authorization: `Bearer ${as.token}`,
          "content-type": "application/json",
          ...headers,
        },
        body: "{}",
      });
    const read = (as: Person) => supabaseAs(as, stack).from("products").select("id");
    // The limit is disabled at first.
    for (let i = 0; i < 12; i += 1) expect((await list(other)).status).toBe(200);

    const { error } = await supabaseAs(testTenant.operator, stack).rpc("limit_rest", {
      enabled: true,
    });
    expect(error?.code).toBe("42501");
    await supabaseAsService(stack).rpc("limit_rest", { enabled: true }).throwOnError();
    await eventually(async () => expect((await list(greedy)).status).toBe(429));
    await beginMinute(stack);
    for (let i = 0; i < 6; i += 1) {
      const claim = { "x-souk-counted": i % 2 ? "true" : "0".repeat(64) };
      expect((await list(customer, claim)).status).toBe(200);
    }
    // Reads pass while the limit is not reached, and are not counted.
    expect((await read(customer)).status).toBe(200);
    for (let i = 0; i < 4; i += 1) {
      const answer = await call("GET", "/api/products", { as: customer, stack });
      expect([answer.status, rateOf(answer).remaining]).toEqual([200, 3 - i]);
    }
    const refused = await list(customer);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: "PT429", message: "RATE_LIMITED" });
    const unread = await read(customer);
    expect([unread.status, unread.error?.message]).toEqual([429, "RATE_LIMITED"]);
    expectTooMany(await call("GET", "/api/products", { as: customer, stack }));
    expect((await read(other)).status).toBe(200);
    // The project's own keys have no limit.
    for (let i = 0; i < 12; i += 1) {
      await supabaseAsService(stack).rpc("list_products").throwOnError();
    }
    await supabaseAsService(stack).rpc("limit_rest", { enabled: false }).throwOnError();
    await eventually(async () => expect((await list(customer)).status).toBe(200));
  });
});

describe("counting", () => {
  const user = { kind: "user", user_id: randomUUID(), tenant_id: null } as const;

  beforeAll(() => {
    vi.stubEnv("SUPABASE_URL", "http://127.0.0.1:9");
    vi.stubEnv("SUPABASE_SERVICE_ROLE_KEY", "key");
    vi.stubEnv("JWT_SECRET", "a secret of at least thirty-two characters");
    return () => vi.unstubAllEnvs();
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Answers as the database does, and returns the number of requests per call. */
  function countHere() {
    const groups: number[] = [];
    let counted = 0;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      const { requests } = JSON.parse(init?.body as string);
      groups.push(requests.length);
      return Response.json(
        requests.map(() => {
          counted += 1;
          return { minute: "", resets_in: 60, allowed: 100, counted, member: true };
        }),
      );
    });
    return groups;
  }

  it("batches the requests that arrive during a call", async () => {
    const groups = countHere();
    const counts = await Promise.all(Array.from({ length: 50 }, () => countRequest(user)));
    expect(counts.map(({ counted }) => counted)).toEqual(counts.map((_, i) => i + 1));
    expect(groups).toEqual([1, 49]);
    await countRequest(user);
    expect(groups).toEqual([1, 49, 1]);
  });

  /** An app with one route, and the number of times that it ran. */
  async function openThing() {
    vi.spyOn(console, "log").mockImplementation(() => {});
    const routes = createRoutes();
    const worked = vi.fn();
    routes.all("/", async (c) => {
      worked();
      await new Promise((later) => setTimeout(later, 20));
      return c.json({});
    });
    const app = createApp({ "/thing": routes });
    const token = await new SignJWT({ sub: randomUUID(), aud: "authenticated" })
      .setProtectedHeader({ alg: "HS256" })
      .setExpirationTime("1h")
      .sign(new TextEncoder().encode("a secret of at least thirty-two characters"));
    const headers = { authorization: `Bearer ${token}` };
    return { worked, ask: (method = "GET") => app.request("/thing", { method, headers }) };
  }

  it("ends before a route runs, for a caller who has reached the limit", async () => {
    const groups = countHere();
    const { worked, ask } = await openThing();
    // No refused request runs, whether they are concurrent or sequential.
    const answers = await Promise.all(Array.from({ length: 130 }, () => ask()));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
    expect(worked).toHaveBeenCalledTimes(100);
    const counted = groups.reduce((sum, group) => sum + group, 0);
    for (const method of ["GET", "POST", "HEAD"]) {
      const refused = await ask(method);
      expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    }
    expect(worked).toHaveBeenCalledTimes(100);
    // The database is not called.
    expect(groups.reduce((sum, group) => sum + group, 0)).toBe(counted);
  });

  it("across two instances, lets no more requests run than the second one had left", async () => {
    let counted = 0;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      const { requests } = JSON.parse(init?.body as string);
      // Half of the counted requests come from another instance.
      return Response.json(
        requests.map(() => {
          counted += 2;
          return { minute: "", resets_in: 60, allowed: 100, counted, member: true };
        }),
      );
    });
    const { worked, ask } = await openThing();
    await ask();
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
    expect(worked.mock.calls.length).toBeLessThanOrEqual(100);
    expect((await ask()).status).toBe(429);
    expect(worked.mock.calls.length).toBeLessThanOrEqual(100);
  });

  it("that fails lets no request pass, and works again later", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(console, "log").mockImplementation(() => {});
    const routes = createRoutes();
    const worked = vi.fn();
    routes.all("/", (c) => {
      worked();
      return c.json({});
    });
    const app = createApp({ "/thing": routes });
    const token = await new SignJWT({ sub: user.user_id, aud: "authenticated" })
      .setProtectedHeader({ alg: "HS256" })
      .setExpirationTime("1h")
      .sign(new TextEncoder().encode("a secret of at least thirty-two characters"));
    const ask = (method: string) =>
      app.request("/thing", { method, headers: { authorization: `Bearer ${token}` } });

    for (const [status, code] of [
      [500, "INTERNAL_ERROR"],
      [503, "SERVICE_UNAVAILABLE"],
    ] as const) {
      vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("no", { status }));
      for (const method of ["POST", "GET"]) {
        worked.mockClear();
        const answer = await ask(method);
        expect(answer.status).toBe(status);
        expect((await answer.json()).error).toMatchObject({ code, details: {} });
        if (method === "POST") expect(worked).not.toHaveBeenCalled();
      }
    }
    // An unavailable database is not an internal error, and is logged by the database client.
    expect(log).toHaveBeenCalledTimes(2);
    vi.mocked(globalThis.fetch).mockRestore();

    countHere();
    expect((await ask("POST")).headers.get("ratelimit-remaining")).toBe("99");
    expect((await ask("GET")).headers.get("ratelimit-remaining")).toBe("98");
  });
});

async function importProducts(as: Person, number: number) {
  const rows = Array.from({ length: number }, (_, n) => `x${n},Lantern ${n},10,active`);
  const imported = await fetch(`${stackInUse().functions_url}/products/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${as.token}`, "content-type": "text/csv" },
    body: ["external_id,name,price,status", ...rows].join("\n"),
  });
  expect(await imported.json()).toMatchObject({ imported: number });
}

async function newTenant() {
  const { tenantId } = await register({ tenant_name: "Counted" });
  return { tenant_id: tenantId };
}
