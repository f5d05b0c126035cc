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

Bodies are JSON objects of at most 1 MB and 10 levels. Every answer carries X-Request-Id, the caller's own if it sent one. An answer 201 carries Location.`,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "/functions/v1" }],
  security: [{ token: [] }],
  tags: [
    { name: "Authentication", description: "Accounts and their sessions, by Supabase Auth." },
    { name: "Marketplaces", description: "The trading sites of a tenant." },
    { name: "Products", description: "What suppliers sell, and its stock." },
    { name: "Orders", description: "What customers buy, from the reservation to the delivery." },
    { name: "Webhooks", description: "Events, posted and signed, to the addresses of a tenant." },
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
    made ??= whole.getOpenAPI31Document(about);
    return made;
  };

  app.get("/api/openapi.json", (c) => c.json(document()));
  app.get("/api/docs", async (c) =>
    // The hosted platform hands text/html on as text/plain; XHTML it leaves as it is.
    c.body(await showDocument(document()), 200, {
      "Content-Type": "application/xhtml+xml; charset=utf-8",
    }),
  );
}
