import type { OpenAPIHono } from "@hono/zod-openapi";
import { createRoutes, type Door } from "./door.ts";

type App = OpenAPIHono<Door>;

const about = {
  openapi: "3.1.0",
  info: {
    title: "Souk",
    version: "0.0.1",
    description:
      "A multi-tenant marketplace backend. Every request is made by a member of one tenant and sees that tenant only.",
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "/functions/v1" }],
  security: [{ token: [] }],
};

/**
 * Adds `/api/openapi.json`, made from the schemas that validate, and `/api/docs`, which shows it.
 * `beside` are routes that other functions serve and the document has to tell of too.
 */
export function addDocumentation(app: App, beside: Record<string, App>): void {
  const whole = createRoutes();
  whole.route("/", app);
  for (const [path, routes] of Object.entries(beside)) whole.route(path, routes);
  whole.openAPIRegistry.registerComponent("securitySchemes", "token", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "An access token from /auth/login, or from Supabase Auth itself.",
  });

  app.get("/api/openapi.json", (c) => c.json(whole.getOpenAPI31Document(about)));
}
