import { randomUUID } from "node:crypto";
import { Agent, type IncomingMessage, request } from "node:http";
import { PostgrestError } from "@supabase/postgrest-js";
import { SignJWT, UnsecuredJWT } from "jose";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { declareNeeds } from "../../supabase/functions/_shared/http/needs.ts";
import { createRoutes } from "../../supabase/functions/_shared/http/routes.ts";
import { eventually } from "../eventually.js";
import { ownStack } from "../own-stack.js";
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
} from "../souk.js";

// The steps that every request passes, whatever its route.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const LIMIT = 1_048_576;

let operator: Person;

beforeAll(async () => {
  operator = await register({ tenant_name: "Pipeline" });
});

/** Every error has exactly this form, with its request's id, and contains nothing of SQL or our code. */
function expectRefusal(answer: Answer, status: number, code: string, details?: object) {
  expect(answer.body).toEqual({
    error: { code, message: expect.any(String), details: details ?? expect.any(Object) },
  });
  expect(answer.status).toBe(status);
  expect(answer.body.error.message).not.toBe("");
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  expect(answer.headers.get("x-request-id")).toBeTruthy();
  expect(JSON.stringify(answer.body)).not.toMatch(
    /select |insert into|relation "|constraint|\bat \S+:\d+|\.ts:|node_modules|PGRST|postgres/i,
  );
}

function post(body: unknown, headers: Record<string, string> = {}) {
  return call("POST", "/api/marketplaces", { as: operator, body, headers });
}

describe("a body", () => {
  it.each([
    "{",
    '{"name": }',
    "nonsense",
    "[]",
    '[{"name": 1}]',
    "1",
    '"text"',
    "null",
    "true",
  ])("that is not a JSON object is refused: %s", async (body) => {
    expectRefusal(await post(body), 400, "INVALID_JSON", {});
  });

  it("without a field to change names no field", async () => {
    const { id } = await must("POST", "/api/marketplaces", {
      as: operator,
      body: marketplaceFields(),
    });
    const answer = await call("PUT", `/api/marketplaces/${id}`, { as: operator, body: {} });
    expectRefusal(answer, 422, "VALIDATION_ERROR", {});
    expect(answer.body.error.message).toBe("Send at least one field to change.");
  });

  it.each([
    [undefined, undefined],
    [undefined, "application/json"],
    ["", "application/json; charset=utf-8"],
  ])("that is missing counts as an object without fields: %j, %s", async (body, type) => {
    const answer = await post(body, type === undefined ? {} : { "content-type": type });
    expectRefusal(answer, 422, "VALIDATION_ERROR");
    expect(answer.body.error.details).toMatchObject({ field: "name", value: null });
  });

  it("that is missing must not have another content type", async () => {
    expectRefusal(await post("", { "content-type": "text/plain" }), 400, "INVALID_REQUEST", {});
  });

  it("of another content type is refused; JSON with a charset is accepted", async () => {
    const body = JSON.stringify(marketplaceFields());
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
      expectRefusal(await post(body, { "content-type": type }), 400, "INVALID_REQUEST", {});
    }
    const good = await post(body, { "content-type": "Application/JSON; charset=utf-8" });
    expect(good.status).toBe(201);
  });

  it("may be nested 10 levels deep, but not 11", async () => {
    const nested = (levels: number) => {
      let body: unknown = "deep";
      for (let level = 1; level < levels; level += 1) body = level % 2 ? [body] : { in: body };
      return { name: body };
    };
    expectRefusal(await post(nested(10)), 422, "VALIDATION_ERROR");
    expectRefusal(await post(nested(11)), 400, "NESTING_TOO_DEEP", {});
    const bottomless = `{"name":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    expectRefusal(await post(bottomless), 400, "NESTING_TOO_DEEP", {});
  });

  it("names every invalid field in order, with the sent value", async () => {
    const answer = await post({ ...marketplaceFields(), name: 7, currency: "euro", domain: null });
    expectRefusal(answer, 422, "VALIDATION_ERROR");
    const { field, value, errors } = answer.body.error.details;
    expect({ field, value }).toEqual({ field: "name", value: 7 });
    expect(errors).toEqual([
      { field: "name", value: 7, message: expect.any(String) },
      { field: "currency", value: "euro", message: expect.any(String) },
      { field: "domain", value: null, message: expect.any(String) },
    ]);
    const order = await call("POST", "/api/orders", {
      as: operator,
      body: {
        marketplace_id: randomUUID(),
        items: [
          { product_id: randomUUID(), quantity: 1, price: 1 },
          { product_id: "x", quantity: 0.5 },
        ],
        shipping_address: { street: "s", city: "c", postal_code: "p" },
      },
    });
    expectRefusal(order, 422, "VALIDATION_ERROR");
    expect(order.body.error.details.errors).toEqual([
      { field: "items[1].product_id", value: "x", message: expect.any(String) },
      { field: "items[1].quantity", value: 0.5, message: expect.any(String) },
      { field: "items[1].price", value: null, message: expect.any(String) },
    ]);
  });

  it("never has its secrets in the answer", async () => {
    const secret = "hunter2";
    for (const [path, body] of [
      ["/auth/register", { email: "x@example.com", password: secret, tenant_name: "T" }],
      ["/auth/register", { email: 1, password: secret, tenant_name: 2 }],
      ["/auth/login", { email: 1, password: [secret] }],
      ["/auth/refresh", { refresh_token: { nested: secret } }],
      ["/api/webhooks", { url: "https://example.com", events: ["order.created"], secret }],
    ] as const) {
      const answer = await call("POST", path, { as: operator, body });
      expectRefusal(answer, 422, "VALIDATION_ERROR");
      expect(JSON.stringify(answer.body)).not.toContain(secret);
    }
  });

  it("contains neither NUL nor half of a surrogate pair in any text or key", async () => {
    const account = { email: "x@example.com", password: "long enough", name: "X" };
    const [nul, high, pair] = ["a\0", "\ud83d", "\ude00\ud83d"];
    for (const [path, body, field, value] of [
      ["/auth/register", { ...account, name: nul, tenant_name: "T" }, "name", nul],
      ["/auth/register", { ...account, tenant_name: high }, "tenant_name", high],
      ["/auth/register", { ...account, invitation: nul }, "invitation", null],
      ["/auth/register", { ...account, password: high, tenant_name: "T" }, "password", null],
      ["/auth/login", { email: nul, password: "long enough" }, "email", nul],
      ["/api/marketplaces", marketplaceFields({ category: pair }), "category", pair],
      [
        "/api/marketplaces",
        marketplaceFields({ settings: { seo: { keywords: ["good", high] } } }),
        "settings.seo.keywords[1]",
        high,
      ],
      [
        "/api/marketplaces",
        marketplaceFields({ settings: { seo: { meta_tags: { [nul]: "good" } } } }),
        `settings.seo.meta_tags.${nul}`,
        "good",
      ],
    ] as const) {
      const answer = await call("POST", path, { as: operator, body });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field, value });
      expect(answer.body.error.message).toMatch(/: must not contain a null character or half/);
    }
    const both = await post(marketplaceFields({ name: "\0", description: "\ud800" }));
    expect(both.body.error.details.errors).toMatchObject([
      { field: "name" },
      { field: "description" },
    ]);
    const whole = await must("POST", "/api/marketplaces", {
      as: operator,
      body: marketplaceFields({ name: "Basar 😀" }),
    });
    expect(whole.name).toBe("Basar 😀");
  });

  it("is checked by its route, if the route accepts some invalid texts", async () => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    const routes = createRoutes();
    routes.post("/lenient", declareNeeds({ judgesItsTexts: true }), async (c) =>
      c.json(await c.req.json()),
    );
    routes.post("/strict", async (c) => c.json(await c.req.json()));
    // This route matches as well, but is not reached.
    routes.post("/:any", declareNeeds({}), (c) => c.notFound());
    const app = createApp({ "/at": routes });
    const send = (path: string) =>
      app.request(`/at${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ events: ["good", "\0"] }),
      });
    const lenient = await send("/lenient");
    expect([lenient.status, await lenient.json()]).toEqual([200, { events: ["good", "\0"] }]);
    expect((await send("/strict")).status).toBe(422);
    expect((await send("/lenient?page=%00")).status).toBe(422);
    vi.restoreAllMocks();
  });

  it("with many invalid fields has the first hundred of them named", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`key${i}`, 1]));
    const answer = await post(marketplaceFields({ settings: unknown }));
    expectRefusal(answer, 422, "VALIDATION_ERROR");
    const { field, errors } = answer.body.error.details;
    expect(field).toBe("settings.key0");
    expect(errors.map((error: { field: string }) => error.field)).toEqual(
      Array.from({ length: 100 }, (_, i) => `settings.key${i}`),
    );
  });

  it("may be missing if the method needs none", async () => {
    expect((await call("GET", "/api/marketplaces", { as: operator })).status).toBe(200);
  });
});

describe("a query", () => {
  it.each([
    ["sort=secret", "sort"],
    ["order=sideways", "order"],
    ["page=zero", "page"],
    ["page=0", "page"],
    ["limit=0", "limit"],
    ["limit=1.5", "limit"],
    ["limit=many", "limit"],
  ])("is validated like a body: %s", async (query, field) => {
    for (const path of ["/api/marketplaces", "/api/products", "/api/orders", "/api/webhooks"]) {
      const answer = await call("GET", `${path}?${query}`, { as: operator });
      expectRefusal(answer, 422, "VALIDATION_ERROR");
      expect(answer.body.error.details).toMatchObject({ field, value: query.split("=")[1] });
    }
  });
});

describe("a text in a query", () => {
  it("contains no NUL, and neither does a parameter's name", async () => {
    for (const [path, field] of [
      ["/api/marketplaces?category=%00", "category"],
      ["/api/marketplaces?domain=%00", "domain"],
      ["/api/members?email=%00", "email"],
      ["/api/customers?email=a%00b", "email"],
      ["/auth/invitations?email=%00", "email"],
      ["/api/products?search=%00", "search"],
      ["/api/products/export?category=%00", "category"],
      ["/api/products?search=a&search=%00", "search[1]"],
      ["/api/products?a%00=b", "a\0"],
    ] as const) {
      const answer = await call("GET", path, { as: operator });
      expectRefusal(answer, 422, "VALIDATION_ERROR");
      expect(answer.body.error.details).toMatchObject({ field });
    }
    const products = await must("GET", "/api/products?brand=%F0%9F%98%80", { as: operator });
    expect(products.total).toBe(0);
  });
});

describe("the limit of 1 MB", () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  afterAll(() => agent.destroy());

  /** Sends over one kept connection; with `chunked`, without a Content-Length. */
  function send(method: string, path: string, body?: string, chunked = false): Promise<Answer> {
    const { functions_url } = ownStack;
    return new Promise((resolve, reject) => {
      const outgoing = request(functions_url + path, {
        agent,
        method,
        headers: {
          authorization: `Bearer ${operator.token}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(body !== undefined && !chunked && { "content-length": Buffer.byteLength(body) }),
        },
      });
      outgoing.on("error", reject);
      outgoing.on("response", async (incoming: IncomingMessage) => {
        let text = "";
        for await (const part of incoming) text += part;
        resolve({
          status: incoming.statusCode as number,
          headers: new Headers(incoming.headers as Record<string, string>),
          body: JSON.parse(text),
        });
      });
      if (body === undefined || !chunked) outgoing.end(body);
      else {
        for (let at = 0; at < body.length; at += 65_536)
          outgoing.write(body.slice(at, at + 65_536));
        outgoing.end();
      }
    });
  }

  const ofBytes = (bytes: number) => `{"name":"${"a".repeat(bytes - 11)}"}`;

  describe.each([
    ["with a length", false],
    ["in chunks", true],
  ])("applies to a body %s", (_, chunked) => {
    it("exactly, and the connection serves the next request", async () => {
      expect(ofBytes(LIMIT)).toHaveLength(LIMIT);
      for (const bytes of [LIMIT, LIMIT + 1, 3 * LIMIT, LIMIT, LIMIT + 1]) {
        const answer = await send("POST", "/api/marketplaces", ofBytes(bytes), chunked);
        if (bytes <= LIMIT) expectRefusal(answer, 422, "VALIDATION_ERROR");
        else expectRefusal(answer, 413, "PAYLOAD_TOO_LARGE", {});
        expect((await send("GET", "/auth/me")).status).toBe(200);
      }
    });
  });

  it("counts bytes, not characters", async () => {
    const body = JSON.stringify({ name: "é".repeat(LIMIT / 2) });
    expect(body.length).toBeLessThan(LIMIT);
    expectRefusal(await post(body), 413, "PAYLOAD_TOO_LARGE", {});
  });

  it("for clients with a pool of connections too", async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        i % 2 ? post(ofBytes(LIMIT + 1)) : call("GET", "/auth/me", { as: operator }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, i) => (i % 2 ? 413 : 200)));
    for (let i = 0; i < 5; i += 1) {
      expectRefusal(await post(ofBytes(2 * LIMIT)), 413, "PAYLOAD_TOO_LARGE", {});
      expect((await call("GET", "/auth/me", { as: operator })).status).toBe(200);
    }
  });
});

describe("the caller's token", () => {
  const me = (authorization?: string) =>
    call("GET", "/auth/me", { headers: authorization === undefined ? {} : { authorization } });
  const secret = () => new TextEncoder().encode(ownStack.jwt_secret);
  const claims = () =>
    JSON.parse(Buffer.from(operator.token.split(".")[1] as string, "base64url").toString());
  const signed = (changes: object, key = secret(), alg = "HS256") =>
    new SignJWT({ ...claims(), ...changes }).setProtectedHeader({ alg, typ: "JWT" }).sign(key);

  it("is accepted, and so is one signed with the project's secret", async () => {
    expect((await me(`Bearer ${operator.token}`)).status).toBe(200);
    expect((await me(`bearer ${await signed({})}`)).status).toBe(200);
  });

  it("is required", async () => {
    for (const authorization of [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      "Basic dTpw",
      operator.token,
    ]) {
      expectRefusal(await me(authorization), 401, "UNAUTHORIZED", {});
    }
  });

  it("must be issued by the project, unchanged, for a user", async () => {
    const [head, , signature] = operator.token.split(".");
    const forged = Buffer.from(JSON.stringify({ ...claims(), tenant_role: "admin", x: 1 }));
    const { anon_key, service_role_key } = ownStack;
    const refused = {
      nonsense: "nonsense",
      "three parts": "a.b.c",
      "claims changed": `${head}.${forged.toString("base64url")}.${signature}`,
      "signature cut off": operator.token.slice(0, operator.token.lastIndexOf(".") + 1),
      "alg none": new UnsecuredJWT(claims()).encode(),
      "of nobody": await signed({ sub: "nobody" }),
      "of no tenant there could be": await signed({ tenant_id: "none" }),
      "for ever": await signed({ exp: undefined }),
      "alg none, signed": `${Buffer.from('{"alg":"none"}').toString("base64url")}.${operator.token.split(".")[1]}.${signature}`,
      "another key": await signed({}, new TextEncoder().encode("x".repeat(40))),
      "another algorithm": await signed(
        {},
        new TextEncoder().encode(`${ownStack.jwt_secret}-padding-to-64-bytes`),
        "HS512",
      ),
      "the project's secret, another algorithm": await signed({}, secret(), "HS384"),
      "another audience": await signed({ aud: "somebody-else" }),
      "no audience": await signed({ aud: undefined }),
      "no subject": await signed({ sub: undefined }),
      "not valid yet": await signed({ nbf: claims().exp }),
      "the anon key": anon_key,
      "the service role's key": service_role_key,
    };
    for (const [what, token] of Object.entries(refused)) {
      const answer = await me(`Bearer ${token}`);
      expect({ what, status: answer.status }).toEqual({ what, status: 401 });
      expectRefusal(answer, 401, "UNAUTHORIZED", {});
    }
  });

  it("must not be expired", async () => {
    const past = Math.floor(Date.now() / 1000) - 60;
    expectRefusal(
      await me(`Bearer ${await signed({ iat: past - 60, exp: past })}`),
      401,
      "TOKEN_EXPIRED",
      {},
    );
  });

  it("is required at every endpoint except those that issue one", async () => {
    const document = await must("GET", "/api/openapi.json");
    const open: string[] = [];
    for (const [path, operations] of Object.entries<object>(document.paths)) {
      for (const method of Object.keys(operations)) {
        const address = path.replaceAll(/\{\w+\}/g, randomUUID());
        const body = method === "get" || method === "delete" ? undefined : {};
        const answer = await call(method.toUpperCase(), address, { body });
        if (answer.status === 401) expectRefusal(answer, 401, "UNAUTHORIZED", {});
        else open.push(`${method} ${path}`);
      }
    }
    expect(open.sort()).toEqual([
      "get /api/storefront",
      "post /auth/guest",
      "post /auth/login",
      "post /auth/refresh",
      "post /auth/register",
      "post /auth/token",
    ]);
  });
});

describe("a path", () => {
  it("that does not exist is NOT_FOUND, also with an id that is not a UUID", async () => {
    for (const path of [
      "/api",
      "/api/",
      "/api/nothing",
      "/api/marketplaces/1",
      "/api/products/not-a-uuid",
      `/api/orders/${randomUUID()}x`,
      "/orders/%27%3B%20drop%20table%20orders",
      "/auth/nothing",
      "/products/%00",
      "/marketplaces/1/2/3",
    ]) {
      expectRefusal(await call("GET", path, { as: operator }), 404, "NOT_FOUND");
    }
    expectRefusal(
      await call("PATCH", "/api/orders/1/status", { as: operator, body: { status: "confirmed" } }),
      404,
      "NOT_FOUND",
    );
  });

  it("may contain any id that Postgres accepts, and so may a query and a body", async () => {
    for (const id of [
      "11111111-1111-1111-1111-111111111111",
      "00000000-0000-0000-0000-000000000001",
      "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFE",
    ]) {
      for (const path of ["/api/products", "/api/orders", "/api/marketplaces", "/api/webhooks"]) {
        expectRefusal(await call("GET", `${path}/${id}`, { as: operator }), 404, "NOT_FOUND");
      }
      for (const path of [
        `/api/products?category=${id}`,
        `/api/products?supplier_id=${id}`,
        `/api/orders?customer_id=${id}`,
        `/api/inventory?product_id=${id}`,
      ]) {
        expect(await must("GET", path, { as: operator })).toMatchObject({ total: 0 });
      }
      const body = orderFor({ id, marketplace_id: id, price: 1 }, 1, { customer_id: id });
      expectRefusal(await call("POST", "/api/orders", { as: operator, body }), 404, "NOT_FOUND");
    }
  });

  it("that does not accept the method lists the accepted methods", async () => {
    for (const [method, path, allowed] of [
      ["DELETE", "/api/marketplaces", ["GET", "HEAD", "POST"]],
      ["PATCH", "/marketplaces", ["GET", "HEAD", "POST"]],
      ["GET", "/auth/login", ["POST"]],
      ["POST", `/api/orders/${randomUUID()}`, ["GET", "HEAD"]],
      ["POST", `/orders/${randomUUID()}/status`, ["PATCH", "PUT"]],
    ] as const) {
      const answer = await call(method, path, { as: operator });
      expectRefusal(answer, 405, "METHOD_NOT_ALLOWED", {});
      const allow = answer.headers.get("allow")?.split(/,\s*/).sort();
      expect(allow).toEqual(expect.arrayContaining([...allowed]));
      expect(allow).not.toContain(method);
    }
  });

  it("answers with and without /api", async () => {
    for (const path of ["marketplaces", "products", "orders"]) {
      const [bare, prefixed] = await Promise.all([
        must("GET", `/${path}`, { as: operator }),
        must("GET", `/api/${path}`, { as: operator }),
      ]);
      expect(bare).toEqual(prefixed);
    }
  });
});

describe("X-Request-Id", () => {
  it("is returned on every answer, with the caller's value if it is valid", async () => {
    for (const [method, path, status] of [
      ["GET", "/api/marketplaces", 200],
      ["POST", "/api/marketplaces", 422],
      ["DELETE", "/api/marketplaces", 405],
      ["GET", "/api/nothing", 404],
      ["OPTIONS", "/api/marketplaces", 204],
    ] as const) {
      const id = `test-${randomUUID()}`;
      const sent = await call(method, path, { as: operator, headers: { "x-request-id": id } });
      expect(sent.status).toBe(status);
      expect(sent.headers.get("x-request-id")).toBe(id);
      const unsent = await call(method, path, { as: operator });
      expect(unsent.headers.get("x-request-id")).toMatch(UUID);
    }
    const unauthorized = await call("GET", "/auth/me", { headers: { "x-request-id": "mine" } });
    expect(unauthorized.headers.get("x-request-id")).toBe("mine");
  });

  it.each([
    "two words",
    'say "hi"',
    "{json: 1}",
    "a".repeat(300),
    "<b>",
  ])("is replaced if it is invalid: %s", async (id) => {
    const answer = await call("GET", "/auth/me", { as: operator, headers: { "x-request-id": id } });
    expect(answer.headers.get("x-request-id")).toMatch(UUID);
  });
});

describe("a browser", () => {
  const origin = { origin: "https://shop.example.com" };

  it("may send a preflight request", async () => {
    const { functions_url } = ownStack;
    for (const path of ["/api/marketplaces", "/orders", "/auth/login"]) {
      const preflight = await fetch(functions_url + path, {
        method: "OPTIONS",
        headers: {
          ...origin,
          "access-control-request-method": "PATCH",
          "access-control-request-headers":
            "authorization, content-type, idempotency-key, if-match",
        },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
      expect(preflight.headers.get("access-control-allow-methods")).toMatch(/PATCH/);
      expect(preflight.headers.get("access-control-allow-headers")).toMatch(
        /authorization.*content-type.*idempotency-key.*if-match/i,
      );
    }
  });

  it("may read every answer, and the headers it needs", async () => {
    for (const answer of [
      await call("GET", "/api/marketplaces", { as: operator, headers: origin }),
      await call("GET", "/api/marketplaces", { headers: origin }),
      await call("POST", "/api/marketplaces", { as: operator, body: "{", headers: origin }),
      await call("GET", "/api/nothing", { headers: origin }),
    ]) {
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      const exposed = answer.headers.get("access-control-expose-headers")?.toLowerCase().split(",");
      expect(exposed).toEqual(
        expect.arrayContaining([
          "etag",
          "location",
          "x-request-id",
          "idempotency-replayed",
          "ratelimit-limit",
          "ratelimit-remaining",
          "ratelimit-reset",
          "retry-after",
          "deprecation",
        ]),
      );
    }
  });
});

describe("an internal error", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  it("contains no SQL", async () => {
    const { customer, supplier } = await openTestTenant();
    const product = await listProduct(supplier);
    const huge = 1e300;
    const odd = [
      await call("POST", "/api/products", { as: supplier, body: { name: "a\u0000b", price: 1 } }),
      await call("POST", "/api/products", { as: customer, body: { name: "x", price: 1 } }),
      await call("GET", "/api/products?search=%00", { as: customer }),
      await call("GET", `/api/products?price_min=${huge}`, { as: customer }),
      await call("GET", `/api/products?search=${encodeURIComponent("'; --")}`, { as: customer }),
      await call("GET", "/api/products?page=1000000&limit=1000", { as: customer }),
      await call("POST", "/api/orders", {
        as: customer,
        body: {
          marketplace_id: product.marketplace_id,
          items: Array.from({ length: 500 }, () => ({
            product_id: product.id,
            quantity: 1_000_000,
            price: product.price,
          })),
          shipping_address: { street: "s", city: "c", postal_code: "p" },
        },
      }),
    ];
    for (const answer of odd) {
      if (answer.status === 200) continue;
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expectRefusal(answer, answer.status, answer.body.error.code);
    }
  });

  /** An app with one route, with the platform's context of a function. */
  function appOf(work: (signal: AbortSignal) => Promise<unknown>) {
    const routes = createRoutes();
    routes.get("/", async (c) => c.json({ done: await work(c.get("signal")) }));
    return createApp({ "/slow": routes });
  }

  it("is VALIDATION_ERROR if Postgres is the first to find an invalid text", async () => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    for (const code of ["22021", "22P05"]) {
      const thrown = { code, message: "invalid byte sequence", details: "", hint: "" };
      const response = await appOf(() => Promise.reject(new PostgrestError(thrown))).request(
        "/slow",
      );
      const { status, headers } = response;
      expectRefusal({ status, headers, body: await response.json() }, 422, "VALIDATION_ERROR", {});
    }
  });

  it("is INTERNAL_ERROR to the caller, with details only in the log", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(console, "log").mockImplementation(() => {});
    const app = appOf(() => Promise.reject(new Error("select secret from vault")));
    const response = await app.request("/slow", { headers: { "x-request-id": "the-one" } });
    const { status, headers } = response;
    expectRefusal({ status, headers, body: await response.json() }, 500, "INTERNAL_ERROR", {});
    expect(log).toHaveBeenCalledOnce();
    expect(JSON.parse(log.mock.lastCall?.[0])).toMatchObject({
      request_id: "the-one",
      error: expect.stringContaining("select secret from vault"),
    });
  });

  it("is TIMEOUT when it takes too long, and aborts its pending work", async () => {
    vi.stubEnv("REQUEST_TIMEOUT_MS", "50");
    vi.spyOn(console, "log").mockImplementation(() => {});
    const log = vi.spyOn(console, "error");
    const released = vi.fn();
    const app = appOf(
      (signal) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => {
            released();
            reject(signal.reason);
          }),
        ),
    );
    const response = await app.request("/slow");
    const { status, headers } = response;
    expectRefusal({ status, headers, body: await response.json() }, 504, "TIMEOUT", {});
    expect(released).toHaveBeenCalledOnce();
    expect(log).not.toHaveBeenCalled();
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  it.runIf(process.env.DATABASE_URL)("is TIMEOUT when Postgres cancels the statement", async () => {
    const made = await must("POST", "/api/marketplaces", {
      as: operator,
      body: marketplaceFields(),
    });
    const db = new pg.Client({ connectionString: ownStack.db_url as string });
    await db.connect();
    try {
      await db.query("begin");
      await db.query("select 1 from public.marketplaces where id = $1 for update", [made.id]);
      const waiting = call("PUT", `/marketplaces/${made.id}`, {
        as: operator,
        body: { name: "x" },
      });
      await eventually(async () => {
        const { rows } = await db.query(
          `select pg_cancel_backend(pid) from pg_stat_activity
           where datname = current_database() and pg_backend_pid() = any (pg_blocking_pids(pid))`,
        );
        expect(rows).toHaveLength(1);
      });
      expectRefusal(await waiting, 504, "TIMEOUT", {});
    } finally {
      await db.end();
    }
  });

  it("leaves no timer after a quick answer", async () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    vi.spyOn(console, "log").mockImplementation(() => {});
    const response = await appOf(async (signal) => !signal.aborted).request("/slow");
    expect(await response.json()).toEqual({ done: true });
    const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout");
    expect(timers).toHaveLength(before);
  });
});
