import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import WebSocket, { WebSocketServer } from "ws";
import { eventually } from "../../../tests/eventually.js";
import { type Gateway, openGateway, type Route } from "../src/gateway.js";
import { createKeys, type Keys } from "../src/keys.js";
import type { Log } from "../src/log.js";
import type { Service } from "../src/service.js";
import { parts } from "../src/services.js";

let keys: Keys;
let gateway: Gateway;
let errors: string[];
let ending: (() => void)[];

const log: Log = {
  info: () => {},
  warn: () => {},
  error: (line, cause) => void errors.push(`${line}: ${cause}`),
  of: () => log,
};

/** Answers with the request that the service received. */
const echo: Service = {
  fetch: async (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/fails") throw new Error("the secret inside");
    if (pathname === "/waits") await new Promise<void>((resolve) => ending.push(resolve));
    return Response.json({
      method: request.method,
      path: pathname + search,
      authorization: request.headers.get("authorization"),
      body: await request.text(),
    });
  },
  close: async () => {},
};

/** The stack's own routes with test services behind them. */
function routes(service: Service): Route[] {
  return parts.flatMap(({ name, route }) =>
    route ? [{ ...route, service: name === "storage" ? storage : service }] : [],
  );
}

const storage: Service = {
  fetch: () => Response.json({ message: "no storage" }, { status: 501 }),
  close: async () => {},
};

/** A request with a path that is sent unchanged. */
async function rawPath(path: string, headers: Record<string, string> = {}) {
  const asked = request(gateway.url, { path, headers }).end();
  const [response] = await once(asked, "response");
  let body = "";
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode as number, body };
}

beforeEach(async () => {
  errors = [];
  ending = [];
  keys = await createKeys();
  gateway = await openGateway(0, keys, log);
  gateway.serve(routes(echo));
});

afterEach(async () => {
  for (const end of ending) end();
  await gateway.close();
});

describe("routes", () => {
  test("pass the path without its prefix to the service", async () => {
    const response = await fetch(`${gateway.url}/rest/v1/products?id=eq.1&name=a%20b`, {
      method: "POST",
      headers: { apikey: keys.anonKey },
      body: "päckchen",
    });
    expect(await response.json()).toMatchObject({
      method: "POST",
      path: "/products?id=eq.1&name=a%20b",
      body: "päckchen",
    });
  });

  test.each([
    "/",
    "/rest",
    "/rest/v10/x",
    "/restful/v1",
    "/graphql/v1",
  ])("%s is not found", async (path) => {
    const response = await fetch(gateway.url + path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ message: "no Route matched with those values" });
  });

  test("a service's root is reached with and without a slash", async () => {
    for (const path of ["/rest/v1", "/rest/v1/", "/rest/v1?select=a"]) {
      const response = await fetch(gateway.url + path, { headers: { apikey: keys.anonKey } });
      expect((await response.json()).path).toMatch(/^\/(\?select=a)?$/);
    }
  });

  test.each([
    ["/functions/v1/../../rest/v1/products", 401],
    ["/functions/v1/%2e%2e/%2E%2e/rest/v1/products", 401],
    ["/functions/v1\\..\\..\\rest\\v1\\products", 401],
    ["/auth/v1/verify/../admin/users", 401],
    ["/auth/v1/health/%2e%2e/admin/users", 401],
    ["/auth/v1/.well-known/../admin/users", 400],
    ["/auth/v1/.well-known/%2e%2E/admin/users", 401],
    ["/functions/v1/.x/../../rest/v1/products", 400],
    ["/auth/v1/verifying", 401],
    ["//rest/v1/products", 404],
    ["/rest/v1/../../../etc/passwd", 404],
  ])("%s requires no key", async (path, status) => {
    expect((await rawPath(path)).status).toBe(status);
  });

  test("a path that looks like another host stays a path", async () => {
    const { body } = await rawPath("/rest/v1//example.com/x", { apikey: keys.anonKey });
    expect(JSON.parse(body).path).toBe("//example.com/x");
  });

  test("an invalid URL is refused", async () => {
    expect((await rawPath("http://[")).status).toBe(400);
  });

  test("until it serves, it answers that it is starting", async () => {
    const other = await openGateway(0, keys, log);
    const response = await fetch(`${other.url}/rest/v1/`);
    expect(response.status).toBe(503);
    await other.close();
  });

  test("a port in use is refused", async () => {
    const port = Number(new URL(gateway.url).port);
    await expect(openGateway(port, keys, log)).rejects.toThrow(
      `port ${port} for the gateway is taken`,
    );
  });
});

describe("API keys", () => {
  test.each([
    "/rest/v1/products",
    "/auth/v1/token",
    "/realtime/v1/api/broadcast",
  ])("are required at %s", async (path) => {
    const none = await fetch(gateway.url + path);
    expect(none.status).toBe(401);
    expect(none.headers.get("access-control-allow-origin")).toBe("*");
    expect(await none.json()).toEqual({
      message: "No API key found in request",
      hint: "No `apikey` request header or url param was found.",
    });
    for (const apikey of ["wrong", `${keys.anonKey}x`, keys.anonKey.slice(1)]) {
      const wrong = await fetch(gateway.url + path, { headers: { apikey } });
      expect(wrong.status).toBe(401);
      expect(await wrong.json()).toEqual({
        message: "Invalid API key",
        hint: "Double check your Supabase `anon` or `service_role` API key.",
      });
    }
    for (const apikey of [keys.anonKey, keys.serviceRoleKey]) {
      expect((await fetch(gateway.url + path, { headers: { apikey } })).status).toBe(200);
      expect((await fetch(`${gateway.url}${path}?apikey=${apikey}`)).status).toBe(200);
    }
  });

  test.each([
    "/auth/v1/verify?token=t",
    "/auth/v1/callback",
    "/auth/v1/authorize",
    "/auth/v1/health",
    "/auth/v1/.well-known/jwks.json",
    "/functions/v1/api/products",
  ])("are not required at %s", async (path) => {
    expect((await fetch(gateway.url + path)).status).toBe(200);
  });

  test("are the token of a request to REST without one", async () => {
    const ask = async (path: string, headers: Record<string, string>) =>
      (await (await fetch(gateway.url + path, { headers })).json()).authorization;
    const apikey = keys.anonKey;
    expect(await ask("/rest/v1/x", { apikey })).toBe(`Bearer ${apikey}`);
    expect(await ask(`/rest/v1/x?apikey=${apikey}`, {})).toBe(`Bearer ${apikey}`);
    expect(await ask("/rest/v1/x", { apikey, authorization: "Bearer own" })).toBe("Bearer own");
    expect(await ask("/auth/v1/x", { apikey })).toBeNull();
    expect(await ask("/functions/v1/x", { apikey })).toBeNull();
  });

  test.each([
    "/rest/v1/x",
    "/auth/v1/admin/users",
    "/realtime/v1/api/broadcast",
  ])("of another form become their role's token at %s", async (path) => {
    const ask = async (headers: Record<string, string>, query = "") =>
      (await (await fetch(gateway.url + path + query, { headers })).json()).authorization;
    const { publishableKey: publishable, secretKey: secret } = keys;
    const anon = `Bearer ${keys.anonKey}`;
    const service = `Bearer ${keys.serviceRoleKey}`;
    expect(await ask({ apikey: publishable })).toBe(anon);
    expect(await ask({ apikey: secret })).toBe(service);
    expect(await ask({}, `?apikey=${secret}`)).toBe(service);
    expect(await ask({ apikey: publishable, authorization: `Bearer ${publishable}` })).toBe(anon);
    expect(await ask({ apikey: secret, authorization: `Bearer ${secret}` })).toBe(service);
    expect(await ask({ apikey: secret, authorization: "Bearer own" })).toBe("Bearer own");
    expect(await ask({ apikey: publishable, authorization: `Bearer ${secret}` })).toBe(
      `Bearer ${secret}`,
    );
  });

  test("with another signature are recognised by their issuer alone", async () => {
    const status = async (claims: Record<string, unknown>) => {
      const headers = { apikey: await keys.sign(claims) };
      return (await fetch(`${gateway.url}/rest/v1/x`, { headers })).status;
    };
    expect(await status({ iss: "supabase-demo", role: "anon", exp: 2e9 })).toBe(200);
    expect(await status({ iss: "supabase-demo", role: "anon", exp: 1 })).toBe(401);
    expect(await status({ iss: `${gateway.url}/auth/v1`, role: "authenticated" })).toBe(401);
  });

  test("in the query do not reach REST as a filter", async () => {
    const response = await fetch(`${gateway.url}/rest/v1/x?apikey=${keys.anonKey}&id=eq.1`);
    expect((await response.json()).path).toBe("/x?id=eq.1");
  });
});

describe("CORS", () => {
  const preflight = {
    method: "OPTIONS",
    headers: {
      origin: "http://localhost:3000",
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "apikey,authorization,x-client-info",
    },
  };

  test("a preflight is answered without a key", async () => {
    const response = await fetch(`${gateway.url}/rest/v1/products`, preflight);
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-methods")).toContain("PATCH");
    expect(response.headers.get("access-control-allow-headers")).toBe(
      "apikey,authorization,x-client-info",
    );
  });

  test("answers can be read from other origins", async () => {
    const response = await fetch(`${gateway.url}/rest/v1/x`, { headers: { apikey: keys.anonKey } });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-expose-headers")).toContain("Content-Range");
  });

  test("functions set their own headers", async () => {
    const response = await fetch(`${gateway.url}/functions/v1/api`, preflight);
    expect(await response.json()).toMatchObject({ method: "OPTIONS", path: "/api" });
    expect(response.headers.has("access-control-allow-origin")).toBe(false);
  });
});

test("a failure is logged in full, and the caller sees no details", async () => {
  const response = await fetch(`${gateway.url}/rest/v1/fails`, {
    headers: { apikey: keys.anonKey },
  });
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ message: "Internal server error" });
  expect(errors).toEqual(["/rest/v1 failed: Error: the secret inside"]);
});

describe("websockets", () => {
  const websockets = new WebSocketServer({ noServer: true });
  const service: Service = {
    upgrade: (incoming, socket, head) => {
      if (incoming.url?.includes("fails")) throw new Error("no");
      websockets.handleUpgrade(incoming, socket, head, (ws) => ws.send(String(incoming.url)));
    },
    close: async () => {},
  };

  beforeEach(() => gateway.serve(routes(service)));

  const open = (path: string) => new WebSocket(gateway.url.replace("http", "ws") + path);

  test("are passed with their whole path, and closed at the end", async () => {
    const socket = open("/realtime/v1/websocket?vsn=2.0.0");
    const [message] = await once(socket, "message");
    expect(String(message)).toBe("/realtime/v1/websocket?vsn=2.0.0");
    const closed = once(socket, "close");
    await gateway.close();
    await closed;
  });

  test("are forwarded with the token of the key", async () => {
    const socket = open(`/realtime/v1/websocket?apikey=${keys.publishableKey}&vsn=2.0.0`);
    const [message] = await once(socket, "message");
    expect(String(message)).toBe(`/realtime/v1/websocket?apikey=${keys.anonKey}&vsn=2.0.0`);
    socket.terminate();
  });

  test("are refused on other paths", async () => {
    const [error] = await once(open("/nowhere"), "error");
    expect(error.message).toContain("404");
  });

  test("with a failing handshake leave the gateway running", async () => {
    const [error] = await once(open("/realtime/v1/fails"), "error");
    expect(error.message).toContain("500");
    expect(errors).toHaveLength(1);
  });
});

describe("the end", () => {
  test("waits for the request in progress and accepts no other", async () => {
    const headers = { apikey: keys.anonKey };
    const waiting = fetch(`${gateway.url}/rest/v1/waits`, { headers });
    await eventually(() => expect(ending.length).toBe(1));
    const drained = gateway.drain();
    await expect(fetch(`${gateway.url}/rest/v1/x`, { headers })).rejects.toThrow();
    ending[0]?.();
    expect((await waiting).status).toBe(200);
    await drained;
  });

  test("does not wait for an idle connection", async () => {
    const silent = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    await once(silent, "connect");
    await gateway.close();
    silent.destroy();
  });
});
