import { randomUUID } from "node:crypto";
import { createClient } from "@souk/client";
import { beforeAll, describe, expect, it } from "vitest";
import ws from "ws";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  register,
  stackInUse,
  supabaseAs,
  type TestTenant,
} from "../souk.js";

// Machines get a session with a key, which has the rights of its role, or fewer.

let shop: TestTenant;
let other: TestTenant;

beforeAll(async () => {
  [shop, other] = await Promise.all([openTestTenant(), openTestTenant()]);
});

const create = (body: object, as = shop.operator) => call("POST", "/api/api-keys", { as, body });

/** A new key, as its creator sees it. */
async function createdKey(body: object = {}, as = shop.operator) {
  const { status, body: key } = await create({ name: "Warehouse", ...body }, as);
  expect(status).toBe(201);
  return key;
}

/** Sends the fields of a token request as a form, as most libraries do. */
async function askForToken(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(`${stackInUse().functions_url}/auth/token`, {
    method: "POST",
    headers,
    body: new URLSearchParams(fields),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const ofKey = ({ client_id, client_secret }: { client_id: string; client_secret: string }) => ({
  grant_type: "client_credentials",
  client_id,
  client_secret,
});

async function tokenOf(key: Parameters<typeof ofKey>[0]): Promise<string> {
  const { status, body } = await askForToken(ofKey(key));
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.access_token;
}

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
});

describe("a key", () => {
  it("shows its secret once, and stores only a hash of it", async () => {
    const key = await createdKey({ scopes: ["orders.read"] });
    expect(key).toEqual({
      id: expect.any(String),
      client_id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      client_secret: expect.stringMatching(/^sks_[0-9a-f]{64}$/),
      name: "Warehouse",
      role: "client",
      supplier_id: null,
      scopes: ["orders.read"],
      created_by: shop.operator.id,
      created_at: expect.any(String),
      expires_at: null,
      last_used_at: null,
    });
    const { client_secret, ...shown } = key;
    const path = `/api/api-keys/${key.id}`;
    expect(await must("GET", path, { as: shop.operator })).toEqual(shown);
    const { api_keys } = await must("GET", "/api/api-keys?limit=100", { as: shop.operator });
    expect(api_keys).toContainEqual(shown);
    const [account] = await query<{ encrypted_password: string }>(
      "select encrypted_password from auth.users where id = $1",
      [key.id],
    );
    expect(account?.encrypted_password).toMatch(/^\$2a\$10\$/);
  });

  it("is not stored with its secret for an idempotency key", async () => {
    const { data } = await supabaseAs(shop.operator)
      .rpc("perform_once", {
        key: "a key of mine",
        operation: "create_api_key",
        arguments: { name: "Warehouse" },
      })
      .throwOnError();
    const { client_secret } = data.answer;
    expect(client_secret).toMatch(/^sks_/);
    const kept = await query<{ outcome: string }>(
      "select outcome::text from private.idempotency_keys where key = 'a key of mine'",
    );
    expect(kept).toHaveLength(1);
    expect(kept[0]?.outcome).not.toContain(client_secret);
  });

  it("is not among the members, whose admins cannot change it there", async () => {
    const { id } = await createdKey();
    const { members } = await must("GET", "/api/members?limit=100", { as: shop.operator });
    expect(members.map(({ user_id }: { user_id: string }) => user_id)).not.toContain(id);
    const body = { role: "admin" };
    const changed = await call("PATCH", `/api/members/${id}`, { as: shop.operator, body });
    expectRefusal(changed, 404, "NOT_FOUND");
    const removed = await call("DELETE", `/api/members/${id}`, { as: shop.operator });
    expectRefusal(removed, 404, "NOT_FOUND");
  });

  it("is made by admins and by suppliers for themselves, with permissions that its role has", async () => {
    const { supplier_id } = await must("GET", "/auth/me", { as: shop.supplier });
    const [rival, foreign] = await Promise.all([
      register({ tenant_id: shop.tenantId, role: "supplier" }),
      must("GET", "/auth/me", { as: other.supplier }),
    ]);
    const { supplier_id: rivals } = await must("GET", "/auth/me", { as: rival });
    const own = await createdKey({ name: "Own" }, shop.supplier);
    expect(own).toMatchObject({ role: "supplier", supplier_id });
    const given = await createdKey({ role: "supplier", supplier_id: rivals });
    expect(given).toMatchObject({ role: "supplier", supplier_id: rivals });
    // A supplier sees and removes its own keys only.
    const { api_keys } = await must("GET", "/api/api-keys", { as: shop.supplier });
    expect(api_keys.map((key: { id: string }) => key.id)).toEqual([own.id]);
    const foreignPath = `/api/api-keys/${given.id}`;
    expectRefusal(await call("DELETE", foreignPath, { as: shop.supplier }), 404, "NOT_FOUND");

    const name = "Warehouse";
    for (const [as, body, status, code, field] of [
      [shop.customer, { name }, 403, "FORBIDDEN"],
      [shop.supplier, { name, role: "client" }, 403, "FORBIDDEN", "role"],
      [shop.supplier, { name, supplier_id: rivals }, 403, "FORBIDDEN", "role"],
      [shop.operator, { name, role: "admin" }, 422, "VALIDATION_ERROR", "role"],
      [shop.operator, { name, role: "supplier" }, 422, "VALIDATION_ERROR", "supplier_id"],
      [shop.operator, { name, supplier_id }, 422, "VALIDATION_ERROR", "supplier_id"],
      [
        shop.operator,
        { name, role: "supplier", supplier_id: foreign.supplier_id },
        404,
        "NOT_FOUND",
        "supplier_id",
      ],
      [shop.operator, { name, scopes: ["products.write"] }, 422, "VALIDATION_ERROR", "scopes"],
      [shop.operator, { name, scopes: [] }, 422, "VALIDATION_ERROR", "scopes"],
      [
        shop.operator,
        { name, expires_at: "2020-01-01T00:00:00Z" },
        422,
        "VALIDATION_ERROR",
        "expires_at",
      ],
      [shop.operator, { name: " " }, 422, "VALIDATION_ERROR", "name"],
    ] as const) {
      const details = field && { field };
      expectRefusal(await create(body, as), status, code, details);
    }
  });

  it("has a bound per tenant", async () => {
    await query("select public.set_cap('api_keys_per_tenant', 1)");
    try {
      await createdKey({}, other.operator);
      const beyond = await create({ name: "Second" }, other.operator);
      const details = { cap: "api_keys_per_tenant", maximum: 1 };
      expectRefusal(beyond, 422, "LIMIT_REACHED", details);
    } finally {
      await query("select public.set_cap('api_keys_per_tenant', 100)");
    }
  });
});

describe("a key that somebody has got hold of", () => {
  it("invites nobody, removes no key, and keeps its secret", async () => {
    const [own, second] = [
      await createdKey({}, shop.supplier),
      await createdKey({}, shop.supplier),
    ];
    const token = await tokenOf(own);
    const email = `${randomUUID()}@example.com`;
    const body = { email, role: "supplier" };
    expectRefusal(await call("POST", "/auth/invitations", { as: token, body }), 403, "FORBIDDEN");
    const path = `/api/api-keys/${second.id}`;
    expectRefusal(await call("DELETE", path, { as: token }), 403, "FORBIDDEN");
    const { url, publishable_key } = stackInUse();
    const changed = await fetch(`${url}/auth/v1/user`, {
      method: "PUT",
      headers: {
        apikey: publishable_key,
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ password: "a-password-of-mine" }),
    });
    expect(changed.status).toBeGreaterThanOrEqual(400);
    expect((await askForToken(ofKey(own))).status).toBe(200);
    const login = { email: `${own.client_id}@keys.invalid`, password: own.client_secret };
    expectRefusal(await call("POST", "/auth/login", { body: login }), 401, "INVALID_CREDENTIALS");
  });

  it("exports and sends nothing that its scopes do not read", async () => {
    const key = await createdKey({ scopes: ["analytics.read", "exports.read", "webhooks.write"] });
    const token = await tokenOf(key);
    for (const type of ["customers", "orders", "products", "inventory", "audit_log"]) {
      const body = { type, format: "csv" };
      expectRefusal(
        await call("POST", "/api/analytics/export", { as: token, body }),
        403,
        "FORBIDDEN",
      );
    }
    const body = { type: "sales", format: "csv" };
    expect((await call("POST", "/api/analytics/export", { as: token, body })).status).toBe(202);
    const hook = { url: "https://example.com", events: ["order.created"] };
    expectRefusal(await call("POST", "/api/webhooks", { as: token, body: hook }), 403, "FORBIDDEN");
  });

  it("leaves no sessions behind", async () => {
    const key = await createdKey();
    await tokenOf(key);
    await query(
      "update auth.sessions set created_at = now() - interval '2 days' where user_id = $1",
      [key.id],
    );
    const token = await tokenOf(key);
    await runJob("end-old-key-sessions");
    const left = await query("select from auth.sessions where user_id = $1", [key.id]);
    expect(left).toHaveLength(1);
    expect((await call("GET", "/api/orders", { as: token })).status).toBe(200);
  });
});

describe("/auth/token", () => {
  it("takes a form, JSON and HTTP Basic, and returns a session without a refresh token", async () => {
    const key = await createdKey();
    const session = {
      access_token: expect.any(String),
      token_type: "bearer",
      expires_in: 3600,
    };
    const { client_id, client_secret } = key;
    const grant_type = "client_credentials";
    const answers = [
      await askForToken(ofKey(key)),
      await call("POST", "/auth/token", { body: ofKey(key) }),
      await askForToken({ grant_type }, basic(client_id, client_secret)),
    ];
    for (const { status, headers, body } of answers) {
      expect({ status, body }).toEqual({ status: 200, body: session });
      expect(headers.get("cache-control")).toBe("no-store");
    }
    const token = answers[0]?.body.access_token;
    expect(await must("GET", "/auth/me", { as: token })).toMatchObject({
      role: "client",
      tenant: { id: shop.tenantId },
      user: { id: key.id, name: "Warehouse" },
    });
    const { last_used_at } = await must("GET", `/api/api-keys/${key.id}`, { as: shop.operator });
    expect(Date.parse(last_used_at)).toBeGreaterThan(Date.parse(key.created_at));
  });

  it("words its errors as OAuth 2.0 does", async () => {
    const key = await createdKey();
    const { client_id, client_secret } = key;
    const wrong = { ...ofKey(key), client_secret: "sks_wrong" };
    const grant_type = "client_credentials";
    const twice = new URLSearchParams(ofKey(key));
    twice.append("client_id", client_id);
    for (const [answer, status, error] of [
      [await askForToken(wrong), 401, "invalid_client"],
      [await askForToken({ ...wrong, client_id: "key_unknown" }), 401, "invalid_client"],
      [await askForToken({ grant_type }, basic(client_id, "x")), 401, "invalid_client"],
      // A person has no session here.
      [
        await askForToken({
          grant_type,
          client_id: shop.operator.email,
          client_secret: shop.operator.password,
        }),
        401,
        "invalid_client",
      ],
      [await askForToken({ ...ofKey(key), grant_type: "password" }), 400, "unsupported_grant_type"],
      [await askForToken({ client_id, client_secret }), 400, "invalid_request"],
      [await askForToken({ grant_type, client_id }), 401, "invalid_client"],
      [await askForToken({ grant_type }), 401, "invalid_client"],
      [
        await askForToken(
          { grant_type, client_id: "key_another" },
          basic(client_id, client_secret),
        ),
        400,
        "invalid_request",
      ],
      [await askForToken(ofKey(key), basic(client_id, client_secret)), 400, "invalid_request"],
      [await call("POST", "/auth/token", { body: "{" }), 400, "invalid_request"],
      [
        await call("POST", "/auth/token", { body: { ...ofKey(key), client_id: 1 } }),
        400,
        "invalid_request",
      ],
      [
        await call("POST", "/auth/token", {
          body: String(twice),
          headers: { "content-type": "application/x-www-form-urlencoded" },
        }),
        400,
        "invalid_request",
      ],
      [
        await call("POST", "/auth/token", {
          body: "grant_type=client_credentials",
          headers: { "content-type": "text/plain" },
        }),
        400,
        "invalid_request",
      ],
    ] as const) {
      expect({ status: answer.status, body: answer.body }).toEqual({
        status,
        body: { error, error_description: expect.any(String) },
      });
      expect(answer.headers.has("www-authenticate")).toBe(status === 401);
    }
    const large = await askForToken({ ...ofKey(key), padding: "x".repeat(20_000) });
    expectRefusal(large, 413, "PAYLOAD_TOO_LARGE");
  });

  it("slows guesses of a secret, and not many workers that know it", async () => {
    const [key, another] = [await createdKey(), await createdKey()];
    const statuses: number[] = [];
    // A minute may begin among them. More than twice the limit of 10 exceed that of one of two minutes.
    for (let i = 0; i < 21; i += 1) {
      const guess = { ...ofKey(key), client_secret: `sks_${i}` };
      statuses.push((await askForToken(guess)).status);
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    const many = Array.from({ length: 20 }, () => askForToken(ofKey(another)));
    const first = await Promise.all(many);
    expect(first.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(10);
    expect((await askForToken(ofKey(another))).status).toBe(200);
  });
});

describe("a session of a key", () => {
  it("has the permissions of its scopes alone, in tables, functions and the API", async () => {
    const product = await listProduct(shop.supplier, { name: "Lamp" });
    const key = await createdKey({ scopes: ["products.read", "order_notes.write"] });
    const token = await tokenOf(key);
    const all = await tokenOf(await createdKey());
    const read = (path: string, as: string) => call("GET", path, { as });
    expect((await read(`/api/products/${product.id}`, token)).body.name).toBe("Lamp");
    expectRefusal(await read("/api/events", token), 403, "FORBIDDEN");
    expect((await read("/api/events", all)).status).toBe(200);
    expect((await read("/api/orders", token)).body.total).toBe(0);
    const machine = supabaseAs({ ...shop.operator, token });
    for (const table of ["orders", "customers", "webhooks", "events", "members", "api_keys"]) {
      const { data } = await machine.from(table).select("tenant_id").throwOnError();
      // It sees its own membership.
      expect({ table, rows: data?.length }).toEqual({ table, rows: table === "members" ? 1 : 0 });
    }
    const { data } = await machine.from("products").select("id").eq("id", product.id);
    expect(data).toHaveLength(1);
    const hook = { url: "https://example.com", events: ["order.created"] };
    const made = await call("POST", "/api/webhooks", { as: token, body: hook });
    expectRefusal(made, 403, "FORBIDDEN");
  });

  it("of a supplier writes what its scopes allow, and nothing else of its organisation", async () => {
    const key = await createdKey({ scopes: ["inventory.write", "products.read"] }, shop.supplier);
    const product = await listProduct(shop.supplier, { inventory: { quantity: 3 } });
    const as = await tokenOf(key);
    const stock = { quantity: 2, operation: "add" };
    await must("PATCH", `/api/products/${product.id}/inventory`, { as, body: stock });
    for (const [method, path, body] of [
      ["PUT", `/api/products/${product.id}`, { name: "Changed" }],
      ["DELETE", `/api/products/${product.id}`, undefined],
      ["POST", "/api/media", { filename: "a.png", size: 10, content_type: "image/png" }],
      ["POST", "/api/content/products", { title: { en: "About" }, subject_id: product.id }],
      ["POST", "/api/api-keys", { name: "Another" }],
    ] as const) {
      const { status } = await call(method, path, { as, body });
      expect({ method, path, status }).toEqual({ method, path, status: 403 });
    }
  });

  it("cannot create keys, and joins no other tenant", async () => {
    const as = await tokenOf(await createdKey({}, shop.supplier));
    expectRefusal(
      await call("POST", "/api/api-keys", { as, body: { name: "More" } }),
      403,
      "FORBIDDEN",
    );
    const joined = await call("POST", "/auth/tenants", { as, body: { tenant_id: other.tenantId } });
    expectRefusal(joined, 403, "FORBIDDEN");
  });

  it("ends at once when the key is removed", async () => {
    const key = await createdKey();
    const as = await tokenOf(key);
    expect((await call("GET", "/api/orders", { as })).status).toBe(200);
    await must("DELETE", `/api/api-keys/${key.id}`, { as: shop.operator });
    expect((await call("GET", "/api/orders", { as })).status).toBe(403);
    expect((await askForToken(ofKey(key))).body.error).toBe("invalid_client");
    const path = `/api/api-keys/${key.id}`;
    expectRefusal(await call("GET", path, { as: shop.operator }), 404, "NOT_FOUND");
    expect(await query("select from auth.users where id = $1", [key.id])).toEqual([]);
  });

  it("ends when the key expires", async () => {
    const key = await createdKey({ expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    const as = await tokenOf(key);
    await query("update public.api_keys set expires_at = now() where id = $1", [key.id]);
    expect((await askForToken(ofKey(key))).body.error).toBe("invalid_client");
    await query("select private.suspend_expired_keys()");
    expect((await call("GET", "/api/orders", { as })).status).toBe(403);
  });

  it("ends with its tenant's supplier and its tenant", async () => {
    const gone = await openTestTenant();
    const { id } = await createdKey({}, gone.operator);
    const { name } = await must("GET", "/api/tenant", { as: gone.operator });
    await must("DELETE", "/api/tenant", { as: gone.operator, body: { name } });
    await eventually(async () => {
      await runJob("remove-tenants");
      expect(await query("select from auth.users where id = $1", [id])).toEqual([]);
    });
  });

  it("gets no mails of a supplier", async () => {
    const { supplier_id } = await must("GET", "/auth/me", { as: shop.supplier });
    await createdKey({}, shop.supplier);
    const found = await query<{ address: string }>(
      "select address from private.members_to_notify($1, $2, null)",
      [shop.tenantId, supplier_id],
    );
    expect(found.map(({ address }) => address)).toEqual([shop.supplier.email]);
  });
});

describe("@souk/client with a key", () => {
  it("gets a session by itself, shares it, and renews it before it expires", async () => {
    const { client_id: clientId, client_secret: clientSecret } = await createdKey();
    const { url, anon_key } = stackInUse();
    const asked: string[] = [];
    const souk = createClient(url, anon_key, {
      clientId,
      clientSecret,
      realtime: { transport: ws as never },
      fetch: async (input, init) => {
        const path = new URL(input instanceof Request ? input.url : String(input)).pathname;
        const response = await fetch(input, init);
        if (path !== "/functions/v1/auth/token") return response;
        asked.push(path);
        // The first two sessions are nearly over. The third one is refused, as after a change of the signing key.
        const session = {
          ...(await response.json()),
          ...(asked.length <= 2 && { expires_in: 60 }),
          ...(asked.length === 3 && { access_token: "a.b.c" }),
        };
        return Response.json(session);
      },
    });
    const [{ total }] = await Promise.all([souk.orders.list(), souk.products.list()]);
    expect(total).toBe(0);
    expect(asked).toHaveLength(1);
    const { data } = await souk.supabase.from("marketplaces").select("id").throwOnError();
    expect(data.map(({ id }) => id)).toEqual([shop.marketplace.id]);
    expect(asked).toHaveLength(2);
    await expect(souk.orders.list()).rejects.toMatchObject({ status: 401 });
    expect((await souk.orders.list()).total).toBe(0);
    expect(asked).toHaveLength(4);
  });

  it("says that the credentials are wrong", async () => {
    const { url, anon_key } = stackInUse();
    const souk = createClient(url, anon_key, {
      clientId: `key_${"0".repeat(32)}`,
      clientSecret: "sks_wrong",
      realtime: { transport: ws as never },
    });
    await expect(souk.orders.list()).rejects.toMatchObject({
      name: "ApiError",
      code: "INVALID_CREDENTIALS",
      status: 401,
    });
  });
});
