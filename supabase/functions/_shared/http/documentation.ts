import type { OpenAPIHono } from "@hono/zod-openapi";
import { type Document, showDocument } from "./documentation_page.ts";
import { createRoutes, type Door } from "./door.ts";

type App = OpenAPIHono<Door>;

const about = {
  openapi: "3.1.0",
  info: {
    title: "Souk",
    version: "0.0.1",
    description: `A multi-tenant marketplace backend. Every request is made by a member of one tenant and sees that tenant only.

Addresses are below <project>/functions/v1. What stands here under /api/marketplaces, /api/products and /api/orders answers without /api as well: /products/{id} is /api/products/{id}.

Bodies are JSON objects of at most 1 MB and 10 levels. A field or a query parameter that is not known is refused with VALIDATION_ERROR; a PUT takes back the record that it answers. Every answer carries X-Request-Id, the caller's own if it sent one. An answer 201 carries Location.

Every answer to a member carries RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset (seconds): how many requests its minute may hold, how many are left, and when the next one begins. Above the limit the answer is 429 with Retry-After.

What creates or charges takes an Idempotency-Key: a request that is repeated with its key within 24 hours is carried out once, and answered as it was the first time, with Idempotency-Replayed: true.

What is deprecated says so here, and in the headers Deprecation, Sunset and Link of its answers. New fields, values and codes may come at any time.`,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "/functions/v1" }],
  security: [{ token: [] }],
  tags: [
    { name: "Authentication", description: "Accounts and their sessions, by Supabase Auth." },
    { name: "Tenancy", description: "A tenant, its members, its suppliers and its customers." },
    { name: "Marketplaces", description: "The trading sites of a tenant." },
    {
      name: "Categories",
      description: "The tree by which products are found, and what it asks of them.",
    },
    { name: "Products", description: "What suppliers sell, and its stock." },
    { name: "Inventory", description: "What is in stock, and the ledger of all its movements." },
    { name: "Search", description: "What products are found by." },
    {
      name: "Digital goods",
      description: "Files and licence keys, and what orders unlock of them.",
    },
    { name: "Services", description: "Calendars, free slots and bookings." },
    { name: "Orders", description: "What customers buy, from the reservation to the delivery." },
    { name: "Events", description: "What happened in a tenant, to be read in sequence." },
    { name: "Webhooks", description: "Events, posted and signed, to the addresses of a tenant." },
    {
      name: "Placement",
      description: "Products that their suppliers pay to have shown first.",
    },
  ],
};

/**
 * Adds `/api/openapi.json`, made from the schemas that validate, and `/api/docs`, which shows it.
 * `beside` are routes that other functions serve and the document has to tell of too.
 */
export function addDocumentation(app: App, beside: Record<string, App>): void {
  const whole = createRoutes();
  for (const [path, routes] of Object.entries(beside)) whole.route(path, routes);
  whole.route("/", app);
  whole.openAPIRegistry.registerComponent("securitySchemes", "token", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "An access token from /auth/login, or from Supabase Auth itself.",
  });

  // Made at the first request: routes are added until then, and it takes a while.
  let made: Document | undefined;
  const document = () => {
    made ??= withKeys(whole.getOpenAPI31Document(about));
    return made;
  };

  let json: string | undefined;
  app.get("/api/openapi.json", (c) => {
    json ??= JSON.stringify(document());
    return c.body(json, 200, { "Content-Type": "application/json" });
  });
  app.get("/api/docs", async (c) =>
    // The hosted platform hands text/html on as text/plain; XHTML it leaves as it is.
    c.body(await showDocument(document()), 200, {
      "Content-Type": "application/xhtml+xml; charset=utf-8",
    }),
  );
}

/** What creates no record of its own address, and yet a secret, or a charge. */
const CREATES = /\/(rotate-secret|top-placement\/events|approve|refunds)$/;

/** Adds the header Idempotency-Key to every operation by which a member creates something or is charged. */
function withKeys(document: Document): Document {
  for (const [path, { post }] of Object.entries(document.paths ?? {})) {
    const creates = post?.responses?.["201"] || CREATES.test(path);
    if (post && creates && post.security?.length !== 0) {
      post.parameters = [...(post.parameters ?? []), idempotencyKey];
    }
  }
  return document;
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header" as const,
  required: false,
  schema: {
    type: "string" as const,
    minLength: 1,
    maxLength: 255,
    description:
      "Repeated with the same key and body within 24 hours, the request is carried out once. Another body is IDEMPOTENCY_KEY_REUSED; while the first one is still running, CONFLICT.",
  },
};
