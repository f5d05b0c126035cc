import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Env } from "../http/env.ts";
import { createRoutes } from "../http/routes.ts";
import { addExamples } from "./examples.ts";
import { mendSchemas } from "./mend_schemas.ts";
import { type Document, showDocument } from "./page.ts";
import { script } from "./page_script.ts";

type App = OpenAPIHono<Env>;
type About = Parameters<App["getOpenAPI31Document"]>[0];

/**
 * Adds `/api/openapi.json`, generated from the schemas that validate, and `/api/docs`, which shows it.
 * `about` is the head of the document. `beside` are routes of other functions, which the document includes.
 */
export function addDocumentation(app: App, about: About, beside: Record<string, App>): void {
  const whole = createRoutes();
  for (const [path, routes] of Object.entries(beside)) whole.route(path, routes);
  whole.route("/", app);
  whole.openAPIRegistry.registerComponent("securitySchemes", "token", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "An access token from /auth/login, or from Supabase Auth itself.",
  });

  whole.openAPIRegistry.registerComponent("securitySchemes", "publicKey", {
    type: "apiKey",
    in: "header",
    name: "apikey",
    description:
      "The project's publishable key, of visitors, who name a marketplace in the header x-souk-marketplace. Caches can send both in the query: ?apikey= and ?marketplace=.",
  });

  // Built at the first request, because routes are added until then and building is slow.
  let made: Document | undefined;
  const document = () => {
    if (!made) {
      made = whole.getOpenAPI31Document(about);
      mendSchemas(made);
      addExamples(made);
    }
    return made;
  };

  let json: string | undefined;
  app.get("/api/openapi.json", (c) => {
    json ??= JSON.stringify(document());
    return c.body(json, 200, { "Content-Type": "application/json" });
  });
  app.get("/api/docs.js", (c) => c.body(script, 200, { "Content-Type": "text/javascript" }));
  app.get("/api/docs", async (c) =>
    // The hosted platform changes text/html to text/plain; it leaves XHTML unchanged.
    c.body(await showDocument(document()), 200, {
      "Content-Type": "application/xhtml+xml; charset=utf-8",
      "Content-Security-Policy": "frame-ancestors 'none'",
    }),
  );
}
