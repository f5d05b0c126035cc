import { randomUUID } from "node:crypto";

/** The addresses of a stack, as `npm start -- --json` prints them. */
export interface Stack {
  url: string;
  functions_url: string;
  anon_key: string;
  service_role_key: string;
}

/** A signed-in user with a network address of their own. */
export interface Person {
  token: string;
  address: string;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
  body: any;
  /** Milliseconds from sending to the last byte. */
  took: number;
}

export interface Request {
  as?: Person;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * Sends a request to a function (`/api/…`, `/auth/…`) or a service (`/rest/v1/…`); a string body is
 * sent unchanged.
 */
export async function ask(
  { url, functions_url, anon_key }: Stack,
  method: string,
  path: string,
  { as, body, headers, signal }: Request = {},
): Promise<Answer> {
  const sent = performance.now();
  const response = await fetch((/^\/\w+\/v1\//.test(path) ? url : functions_url) + path, {
    method,
    headers: {
      apikey: anon_key,
      ...(as && { authorization: `Bearer ${as.token}`, "cf-connecting-ip": as.address }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
    signal,
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return {
    status: response.status,
    body: isJson && text !== "" ? JSON.parse(text) : text,
    took: performance.now() - sent,
  };
}

/** The same, but throws unless it succeeds; returns the body. */
export async function must(...request: Parameters<typeof ask>): Promise<Answer["body"]> {
  const answer = await ask(...request);
  if (answer.status >= 300) {
    throw new Error(
      `${request[1]} ${request[2]}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}`,
    );
  }
  return answer.body;
}

/**
 * Registers a user with its own network address: `tenant_name` creates a tenant, `tenant_id` and
 * `role` join one.
 */
export async function register(
  stack: Stack,
  fields: object,
): Promise<Person & { tenantId: string }> {
  const part = () => Math.floor(Math.random() * 256);
  const address = `10.${part()}.${part()}.${part()}`;
  const made = await must(stack, "POST", "/auth/register", {
    body: { email: `${randomUUID()}@example.com`, password: randomUUID(), ...fields },
    headers: { "cf-connecting-ip": address },
  });
  return { token: made.access_token, address, tenantId: made.user.tenant_id };
}

export interface Marketplace {
  operator: Person;
  supplier: Person;
  tenantId: string;
  marketplaceId: string;
}

/** Creates a tenant with an active marketplace and a supplier. */
export async function openMarketplace(stack: Stack, name: string): Promise<Marketplace> {
  const operator = await register(stack, { tenant_name: name });
  const { tenantId } = operator;
  await must(stack, "PATCH", "/api/tenant", {
    as: operator,
    body: { settings: { sellers: { signup: "open", product_review: "none" } } },
  });
  const supplier = await register(stack, { tenant_id: tenantId, role: "supplier" });
  const { id: marketplaceId } = await must(stack, "POST", "/api/marketplaces", {
    as: operator,
    body: {
      name,
      category: "crafts",
      currency: "EUR",
      language: "en",
      domain: `${randomUUID()}.example.com`,
      // The orders of a benchmark are never paid.
      settings: { business: { max_unpaid_orders: 1_000_000, max_unpaid_pieces: 1_000_000 } },
    },
  });
  const open = { as: operator, body: { status: "active" } };
  await must(stack, "PUT", `/api/marketplaces/${marketplaceId}`, open);
  return { operator, supplier, tenantId, marketplaceId };
}
