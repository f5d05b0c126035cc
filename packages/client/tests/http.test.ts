import { createClient as createSupabase } from "@supabase/supabase-js";
import { describe, expect, it } from "vitest";
import ws from "ws";
import { ApiError, createClient } from "../src/index.js";
import { type Asked, clientOf, openServer } from "./server.js";

const order = { id: "o1", status: "pending" };
const refused = (status: number, headers = {}) => ({ status, headers, body: "<html>" });

const newOrder = {
  marketplace_id: "m1",
  items: [{ product_id: "p1", quantity: 1, price: 2 }],
  shipping_address: { street: "s", city: "c", postal_code: "p" },
};

describe("a client with an existing supabase-js client", () => {
  it("uses its session's token, and sees a new session", async () => {
    const user = { id: "u1", email: "amina@example.com" };
    const part = (of: object) => Buffer.from(JSON.stringify(of)).toString("base64url");
    const token = [part({ alg: "HS256", typ: "JWT" }), part({ sub: "u1", exp: 4e9 }), "c2lnbmVk"];
    const session = { access_token: token.join("."), refresh_token: "r", user };
    const server = await openServer(({ path }) => ({
      body: path.startsWith("/auth/v1/user") ? user : path.includes("login") ? session : order,
    }));
    const supabase = createSupabase(server.url, "anon-key", {
      auth: { persistSession: false, autoRefreshToken: false },
      realtime: { transport: ws as never },
    });
    const souk = createClient(server.url, "anon-key", { supabase });
    expect(souk.supabase).toBe(supabase);
    await souk.auth.login({ email: user.email, password: "p" });
    const { data } = await supabase.auth.getSession();
    expect(data.session?.access_token).toBe(session.access_token);
    await souk.orders.get("o1");
    expect(server.asked.at(-1)?.headers.authorization).toBe(`Bearer ${session.access_token}`);
  });
});

describe("a call", () => {
  it("is sent to the function with the key, the token and the caller's headers", async () => {
    const server = await openServer(() => ({ body: order }));
    const { orders } = clientOf(server, { global: { headers: { "x-shop": "oasis" } } });
    const options = { headers: { "X-Request-Id": "r1" } };
    expect(await orders.changeStatus("o/1", { status: "confirmed", note: "ok" }, options)).toEqual(
      order,
    );
    expect(server.asked).toEqual([
      {
        method: "PATCH",
        path: "/functions/v1/api/orders/o%2F1/status",
        headers: expect.objectContaining({
          apikey: "anon-key",
          authorization: "Bearer a-token",
          "content-type": "application/json",
          "x-request-id": "r1",
          "x-shop": "oasis",
        }),
        body: '{"status":"confirmed","note":"ok"}',
      },
    ]);
  });

  it("sends the query of a list without undefined values", async () => {
    const page = { orders: [], total: 0, page: 2, limit: 5 };
    const server = await openServer(() => ({ body: page }));
    const { orders } = clientOf(server);
    expect(await orders.list({ page: 2, limit: 5, status: "shipped" })).toEqual(page);
    await orders.list({ status: undefined });
    await orders.list();
    expect(server.asked.map(({ path }) => path)).toEqual([
      "/functions/v1/api/orders?page=2&limit=5&status=shipped",
      "/functions/v1/api/orders",
      "/functions/v1/api/orders",
    ]);
  });

  it("gets the token for each call, and sends none when there is none", async () => {
    let token: string | null = null;
    const server = await openServer(() => ({ body: order }));
    const { orders } = clientOf(server, { accessToken: async () => token });
    for (token of ["first", "second", null]) await orders.get("o1");
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer first",
      "Bearer second",
      undefined,
    ]);
  });

  it("gets no token for a login, and for a registration only if there is one", async () => {
    const server = await openServer(() => ({ body: { access_token: null, refresh_token: null } }));
    const { auth, marketplaces } = clientOf(server);
    await auth.login({ email: "a@example.com", password: "p" });
    await auth.guest("shop.example.com");
    await auth.refresh("r");
    await marketplaces.storefront({ domain: "shop.example.com" });
    await auth.register({ email: "a@example.com", password: "p", tenant_name: "Oasis" });
    await auth.logout();
    expect(server.asked.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/functions/v1/auth/login", undefined],
      ["/functions/v1/auth/guest", undefined],
      ["/functions/v1/auth/refresh", undefined],
      ["/functions/v1/api/storefront?domain=shop.example.com", undefined],
      // It may be the token of a guest.
      ["/functions/v1/auth/register", "Bearer a-token"],
      ["/functions/v1/auth/logout", "Bearer a-token"],
    ]);
  });

  it("uses the given fetch", async () => {
    const seen: string[] = [];
    const { orders } = clientOf(
      { url: "http://souk.invalid/" },
      {
        fetch: async (request) => {
          seen.push((request as Request).url);
          return Response.json(order);
        },
      },
    );
    await orders.get("o1");
    expect(seen).toEqual(["http://souk.invalid/functions/v1/api/orders/o1"]);
  });
});

describe("the Idempotency-Key", () => {
  const keysOf = (asked: Asked[]) => asked.map(({ headers }) => headers["idempotency-key"]);

  it("is new for each call", async () => {
    const server = await openServer(() => ({ status: 201, body: order }));
    const { orders } = clientOf(server);
    await orders.place(newOrder);
    await orders.place(newOrder);
    const [one, other] = keysOf(server.asked);
    expect(one).toBeTruthy();
    expect(other).toBeTruthy();
    expect(one).not.toBe(other);
  });

  it("is the caller's if one is given", async () => {
    const server = await openServer(() => ({ status: 201, body: order }));
    const { orders } = clientOf(server);
    await orders.place(newOrder, { idempotencyKey: "cart-7" });
    await orders.place(newOrder, { headers: { "Idempotency-Key": "cart-8" } });
    expect(keysOf(server.asked)).toEqual(["cart-7", "cart-8"]);
  });

  it("is sent with POST only", async () => {
    const server = await openServer(() => ({ body: order }));
    const { orders, marketplaces, auth } = clientOf(server);
    await orders.get("o1");
    await orders.changeStatus("o1", { status: "shipped" });
    await marketplaces.update("m1", {});
    await auth.logout();
    expect(keysOf(server.asked)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe("an id", () => {
  it("must not be `.` or `..`", async () => {
    const server = await openServer(() => ({ body: order }));
    for (const id of [".", ".."]) {
      await expect(clientOf(server).inventory.get(id)).rejects.toThrow(
        new TypeError("id is not an id"),
      );
    }
    expect(server.asked).toEqual([]);
  });

  it("must not be empty, or the call would address the list", async () => {
    const server = await openServer(() => ({ body: order }));
    const { orders } = clientOf(server);
    for (const id of ["", undefined as never]) {
      await expect(orders.get(id)).rejects.toThrow(new TypeError("id is missing"));
    }
    expect(server.asked).toEqual([]);
  });
});

describe("an error", () => {
  it("contains the server's fields", async () => {
    const errors = [
      { field: "items[0].price", value: 2, message: "too low" },
      { field: "items[0].quantity", value: null },
    ];
    const server = await openServer(() => ({
      status: 422,
      headers: { "x-request-id": "r7" },
      body: {
        error: {
          code: "VALIDATION_ERROR",
          message: "Two fields are wrong.",
          details: { field: "items[0].price", value: 2, errors },
        },
      },
    }));
    const error = await clientOf(server)
      .orders.place(newOrder)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: "ApiError",
      code: "VALIDATION_ERROR",
      message: "Two fields are wrong.",
      status: 422,
      field: "items[0].price",
      value: 2,
      errors,
      requestId: "r7",
    });
    expect(server.asked).toHaveLength(1);
  });

  it("lists the field of `details.field`, and no field without it", async () => {
    const server = await openServer((_, count) => ({
      status: 404,
      body: {
        error: {
          code: "NOT_FOUND",
          message: "No.",
          details: count === 1 ? { field: "tenant_id", value: "t" } : {},
        },
      },
    }));
    const { orders } = clientOf(server);
    await expect(orders.get("o1")).rejects.toMatchObject({
      field: "tenant_id",
      errors: [{ field: "tenant_id", value: "t" }],
    });
    await expect(orders.get("o1")).rejects.toMatchObject({
      field: undefined,
      errors: [],
      requestId: undefined,
      retryAfter: undefined,
    });
  });

  it("contains the time after which to retry", async () => {
    const server = await openServer(() => refused(429, { "retry-after": "90" }));
    await expect(clientOf(server).orders.get("o1")).rejects.toMatchObject({ retryAfter: 90 });
  });

  it.each([
    "<html>",
    "",
    "null",
    '{"error": "no"}',
    '{"code": 401}',
  ])("has the code of its status if the body is not an error of Souk: %s", async (body) => {
    const server = await openServer(() => ({ status: 418, body }));
    await expect(clientOf(server).orders.get("o1")).rejects.toMatchObject({
      name: "ApiError",
      code: "HTTP_418",
      status: 418,
      message: "The server answered 418 I'm a Teapot",
      errors: [],
    });
  });

  it("of the network is thrown unchanged", async () => {
    const server = await openServer(() => "never");
    await server.close();
    const error = await clientOf(server)
      .orders.get("o1")
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.cause).toBeDefined();
  });
});
