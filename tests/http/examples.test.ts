import { OpenAPIHono, type z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { auth } from "../../supabase/functions/_shared/auth/routes.ts";
import { semanticSearch } from "../../supabase/functions/_shared/search/routes.ts";
import { api } from "../../supabase/functions/api/app.ts";

// Every example in the document is valid in its own schema.

type Content = Record<string, { schema?: z.ZodType; example?: unknown }> | undefined;

const whole = new OpenAPIHono();
whole.route("/auth", auth as never);
whole.route("/semantic-search", semanticSearch as never);
whole.route("/", api as never);

const routes = whole.openAPIRegistry.definitions.flatMap((definition) =>
  definition.type === "route" ? [definition.route] : [],
);

const document = (await (await api.request("/api/openapi.json")).json()) as {
  // biome-ignore lint/suspicious/noExplicitAny: the document is read as a consumer reads it.
  paths: Record<string, Record<string, any>>;
};

test.each(
  routes.map((route) => [`${route.method} ${route.path}`, route] as const),
)("%s has examples that are valid in its schemas", (_, { method, path, request, responses }) => {
  const operation = document.paths[path]?.[method];
  const parts: [string, Content, Content][] = [
    ["body", request?.body?.content as Content, operation.requestBody?.content],
    ...Object.entries(responses)
      .filter(([status]) => status.startsWith("2"))
      .map(([status, answer]): [string, Content, Content] => [
        status,
        (answer as { content?: Content }).content,
        operation.responses[status].content,
      ]),
  ];
  for (const [part, schemas, documented] of parts) {
    const schema = schemas?.["application/json"]?.schema;
    if (!schema) continue;
    const example = documented?.["application/json"]?.example;
    expect(example, part).toBeDefined();
    const { error } = schema.safeParse(example);
    expect(error?.issues ?? [], part).toEqual([]);
  }
});
