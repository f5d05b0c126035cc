import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { decodeJwt } from "jose";
import { expect } from "vitest";
import ws from "ws";
import type { z } from "zod";
import { productList } from "../supabase/functions/_shared/catalog/schema.ts";
import { productMatches, topSales } from "../supabase/functions/_shared/search/schema.ts";
import { PATIENCE_MS } from "./eventually.js";
import { ownStack } from "./own-stack.js";
import type { StackAddress } from "./stack.js";

// Calls to the running stack, and the people that tests need.

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every form.
  body: any;
}

export interface Person {
  id: string;
  email: string;
  password: string;
  token: string;
  refreshToken: string;
  tenantId: string;
}

let chosen: StackAddress | undefined;

/** The stack that a test file calls: its worker's, unless `useStack` has set another one. */
export function stackInUse(): StackAddress {
  return chosen ?? ownStack;
}

/** Sets the stack for a test that needs a separate one. */
export function useStack(stack: StackAddress | undefined): void {
  chosen = stack;
}

export const PASSWORD = "correct horse battery";

/** A visitor: without a token, of the marketplace with this domain or id. */
export interface Visitor {
  visits: string;
}

/** The headers with which a visitor, or a person, sends a request. */
function headersOf(as: Person | Visitor | string | undefined): Record<string, string> {
  if (as === undefined) return {};
  if (typeof as === "object" && "visits" in as) {
    return { apikey: stackInUse().publishable_key, "x-souk-marketplace": as.visits };
  }
  return { authorization: `Bearer ${typeof as === "object" ? as.token : as}` };
}

/** Sends one HTTP request to the functions. A string body is sent unchanged. */
export async function call(
  method: string,
  path: string,
  options: {
    as?: Person | Visitor | string;
    body?: unknown;
    headers?: Record<string, string>;
    stack?: StackAddress;
  } = {},
): Promise<Answer> {
  const { as, body, stack = stackInUse() } = options;
  const response = await fetch(stack.functions_url + path, {
    method,
    headers: {
      // Otherwise both sides spend time on packing answers.
      "accept-encoding": "identity",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headersOf(as),
      ...options.headers,
    },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  const answer = isJson ? JSON.parse(text) : text;
  if (response.ok) expectAsDescribed(method, path, answer);
  return { status: response.status, headers: response.headers, body: answer };
}

/** Answers that functions pass on without parsing. Only these tests check them against their schemas. */
const handedOn: [RegExp, z.ZodType][] = [
  [/^GET (\/api)?\/products\/?(\?|$)/, productList],
  [/^GET (\/api)?\/products\/search\/semantic\?/, productMatches],
  [/^(GET|POST) \/semantic-search/, productMatches],
  [/^GET (\/api)?\/products\/top-sales/, topSales],
];

/** Fails if an answer does not match its schema exactly. */
function expectAsDescribed(method: string, path: string, answer: unknown): void {
  const [, schema] = handedOn.find(([operation]) => operation.test(`${method} ${path}`)) ?? [];
  if (schema) expect(schema.parse(answer)).toEqual(answer);
}

/**
 * Sends the request, and repeats it as a client does while it is refused with CONFLICT because another request holds a
 * lock or the same Idempotency-Key. So racing callers finish on a machine of any speed.
 */
export async function persist(...call_: Parameters<typeof call>): Promise<Answer> {
  const begin = performance.now();
  for (;;) {
    const answer = await call(...call_);
    const held = answer.status === 409 && answer.headers.has("retry-after");
    if (!held || performance.now() - begin > PATIENCE_MS) return answer;
  }
}

/** Sends the request as `persist` does and expects success. Returns the body. */
export async function must(...call_: Parameters<typeof call>): Promise<Answer["body"]> {
  const answer = await persist(...call_);
  if (answer.status >= 300) {
    throw new Error(`${call_[0]} ${call_[1]}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  return answer.body;
}

/** Fails if an answer is not this refusal. `details` may contain some of its details. */
export function expectRefusal(answer: Answer, status: number, code: string, details?: object) {
  expect(answer.body).toMatchObject({ error: { code, ...(details && { details }) } });
  expect(answer.status).toBe(status);
}

/**
 * Registers a person. `tenant_name` opens a tenant; `tenant_id` and `role` join one. Supabase Auth is asked as POST
 * /auth/register asks it, which tests/auth tests: most tests need several people, and this takes half the time.
 */
export async function register(
  tenant: { tenant_name: string } | { tenant_id: string; role?: "customer" | "supplier" },
  stack: StackAddress = stackInUse(),
): Promise<Person> {
  const email = `${randomUUID()}@example.com`;
  const response = await fetch(`${stack.url}/auth/v1/signup`, {
    method: "POST",
    headers: { apikey: stack.secret_key, "content-type": "application/json" },
    body: JSON.stringify({ email, password: PASSWORD, data: { name: "Test Person", ...tenant } }),
  });
  const made = await response.json();
  if (!response.ok) throw new Error(`signup: ${response.status} ${JSON.stringify(made)}`);
  const tenantId = decodeJwt<{ tenant_id: string }>(made.access_token).tenant_id;
  if ("tenant_name" in tenant) await letSell(tenantId, stack);
  return {
    id: made.user.id,
    email,
    password: PASSWORD,
    token: made.access_token,
    refreshToken: made.refresh_token,
    tenantId,
  };
}

/** The settings of tests' tenants. tests/suppliers tests the others. */
export const SELLERS = { signup: "open", product_review: "none" };

/** Lets anybody become a supplier of a tenant, and sell without a review. */
async function letSell(tenantId: string, stack?: StackAddress): Promise<void> {
  await supabaseAsService(stack)
    .from("tenants")
    .update({ settings: { sellers: SELLERS } })
    .eq("id", tenantId)
    .throwOnError();
}

/** Creates a guest of a marketplace. Each guest has its own address, because an address may create 30 per hour. */
export async function openGuest(
  marketplace: { domain: string },
  stack?: StackAddress,
): Promise<Person> {
  const made = await must("POST", "/auth/guest", {
    body: { marketplace: marketplace.domain },
    headers: { "cf-connecting-ip": `2001:db8:${randomUUID().slice(9, 18).replace("-", ":")}::1` },
    stack,
  });
  return {
    id: made.user.id,
    // A guest has neither. These texts occur nowhere else.
    email: `no address of ${made.user.id}`,
    password: `no password of ${made.user.id}`,
    token: made.access_token,
    refreshToken: made.refresh_token,
    tenantId: made.user.tenant_id,
  };
}

/** Creates a client of the tenant with the service role, because nobody can register as a client. */
export async function registerClient(tenantId: string, stack?: StackAddress): Promise<Person> {
  const client = await register({ tenant_id: tenantId }, stack);
  await supabaseAsService(stack)
    .from("members")
    .update({ role: "client" })
    .eq("user_id", client.id)
    .throwOnError();
  return client;
}

/** A tenant with an open marketplace, and one person of each kind that can register. */
export interface TestTenant {
  tenantId: string;
  operator: Person;
  supplier: Person;
  customer: Person;
  // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
  marketplace: any;
}

export async function openTestTenant(stack?: StackAddress): Promise<TestTenant> {
  const operator = await register({ tenant_name: "Bazaar" }, stack);
  const { tenantId } = operator;
  const [supplier, customer, marketplace] = await Promise.all([
    register({ tenant_id: tenantId, role: "supplier" }, stack),
    register({ tenant_id: tenantId }, stack),
    openMarketplace(operator, {}, stack),
  ]);
  return { tenantId, operator, supplier, customer, marketplace };
}

/** Creates an open marketplace. */
export async function openMarketplace(
  operator: Person,
  overrides: object = {},
  stack?: StackAddress,
) {
  const { id } = await must("POST", "/api/marketplaces", {
    as: operator,
    body: marketplaceFields(overrides),
    stack,
  });
  return must("PUT", `/api/marketplaces/${id}`, {
    as: operator,
    body: { status: "active" },
    stack,
  });
}

/** Business settings for tests whose customers have more unpaid reservations than shops allow. */
export const UNBOUNDED = { max_unpaid_orders: 1_000_000, max_unpaid_pieces: 1_000_000 };

/** Lets customers of a marketplace reserve any number of pieces in unpaid orders. */
export function letReserve({ operator, marketplace }: TestTenant, stack?: StackAddress) {
  const body = { settings: { business: UNBOUNDED } };
  return must("PUT", `/api/marketplaces/${marketplace.id}`, { as: operator, body, stack });
}

/** Creates a category. Returns its id. */
export async function addCategory(
  operator: Person,
  name: string,
  parent_id: string | null = null,
): Promise<string> {
  return (await must("POST", "/api/categories", { as: operator, body: { name, parent_id } })).id;
}

export function marketplaceFields(overrides: object = {}) {
  return {
    name: "Spices",
    description: "All of them.",
    category: "food",
    currency: "EUR",
    language: "en",
    domain: `${randomUUID()}.example.com`,
    ...overrides,
  };
}

/** Lists a product with ten pieces in stock by default. */
export function listProduct(supplier: Person, overrides: object = {}, stack?: StackAddress) {
  return must("POST", "/api/products", {
    as: supplier,
    body: { name: "Saffron", price: 12.5, inventory: { quantity: 10 }, ...overrides },
    stack,
  });
}

export const ADDRESS = { street: "1 Market Street", city: "Fez", postal_code: "30000" };

/** The body of an order for one product. */
// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
export function orderFor(product: any, quantity = 1, overrides: object = {}) {
  return {
    marketplace_id: product.marketplace_id,
    items: [{ product_id: product.id, quantity, price: product.price }],
    shipping_address: ADDRESS,
    ...overrides,
  };
}

/** The stock rows of a product; those of its variants by name. */
// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
export async function stockOf(product: any, stack?: StackAddress) {
  const { data } = await supabaseAsService(stack)
    .from("inventory")
    .select("quantity, reserved, variant:product_variants(name)")
    .eq("product_id", product.id)
    .throwOnError();
  const rows = data as unknown as {
    quantity: number;
    reserved: number;
    variant: { name: string } | null;
  }[];
  return Object.fromEntries(
    rows.map(({ quantity, reserved, variant }) => [
      variant?.name ?? "product",
      { quantity, reserved },
    ]),
  );
}

/** supabase-js as a frontend uses it, signed in as a person; without a person, as `anon`. */
export function supabaseAs(
  caller?: Person | Visitor,
  stack: StackAddress = stackInUse(),
): SupabaseClient {
  return createClient(stack.url, stack.anon_key, {
    ...(caller && "token" in caller && { accessToken: async () => caller.token }),
    ...(caller && "visits" in caller && { global: { headers: headersOf(caller) } }),
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: ws as never },
  });
}

/** supabase-js with the service role's key, for actions that no user may do, such as suspending a member. */
export function supabaseAsService(stack: StackAddress = stackInUse()): SupabaseClient {
  return createClient(stack.url, stack.service_role_key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: ws as never },
  });
}

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** The answers to the next requests, in order; then 200. `never` leaves a request unanswered. */
  answers: (number | { status: number; headers: Record<string, string> } | "never")[];
  close(): Promise<void>;
}

/** Opens a receiver of webhooks on loopback. */
export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: Receiver["answers"] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    const answer = answers.shift() ?? 200;
    if (answer === "never") return;
    const { status, headers } =
      typeof answer === "number" ? { status: answer, headers: {} } : answer;
    response.writeHead(status, headers).end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answers,
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
