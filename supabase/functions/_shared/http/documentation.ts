import type { OpenAPIHono } from "@hono/zod-openapi";
import { type Document, showDocument } from "./documentation_page.ts";
import { script } from "./documentation_script.ts";
import type { Env } from "./env.ts";
import { addExamples } from "./examples.ts";
import { createRoutes } from "./routes.ts";

type App = OpenAPIHono<Env>;
type About = Parameters<App["getOpenAPI31Document"]>[0];

/**
 * Adds `/api/openapi.json`, made from the schemas that validate, and `/api/docs`, which shows it.
 * `about` is what the document says of the whole, and `beside` are routes that other functions serve and it has to
 * tell of too.
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

  // Made at the first request: routes are added until then, and it takes a while.
  let made: Document | undefined;
  const document = () => {
    if (!made) {
      made = whole.getOpenAPI31Document(about);
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
    // The hosted platform hands text/html on as text/plain; XHTML it leaves as it is.
    c.body(await showDocument(document()), 200, {
      "Content-Type": "application/xhtml+xml; charset=utf-8",
    }),
  );
}
