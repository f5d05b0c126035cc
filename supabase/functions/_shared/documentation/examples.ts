import type { OpenAPIHono } from "@hono/zod-openapi";

type Document = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;
type SchemaOrReference = NonNullable<NonNullable<Document["components"]>["schemas"]>[string];
type Reference = Extract<SchemaOrReference, { $ref: string }>;
type Schema = Exclude<SchemaOrReference, Reference>;

/** Example texts by format. */
const BY_FORMAT: Record<string, string> = {
  uuid: "dddddddd-0000-4000-8000-000000000000",
  guid: "dddddddd-0000-4000-8000-000000000000",
  "date-time": "2026-01-01T12:00:00Z",
  date: "2026-01-01",
  "idn-email": "amina@example.com",
  iri: "https://example.com/lamps",
};

/** Example texts by the name of the field. */
const BY_NAME: [RegExp, string][] = [
  [/(^|_)at$/, "2026-01-01T12:00:00.000000+00:00"],
  [/^currency$/, "EUR"],
  [/^email$/, "amina@example.com"],
  [/^url$/, "https://example.com/lamps"],
  [/^name$/, "Brass coffee pot"],
  [/^language$/, "en"],
  [/^street$/, "1 Palm Street"],
  [/^city$/, "Samarkand"],
  [/^postal_code$/, "140100"],
  [/^password$/, "correct horse battery"],
];

/**
 * Adds an example to every JSON body and response that has none. It is built from the examples of the fields, or from
 * their schemas. The example of a body holds the required fields and those that have an example.
 */
export function addExamples(document: Document): void {
  for (const item of Object.values(document.paths ?? {})) {
    for (const method of ["get", "post", "put", "patch", "delete"] as const) {
      const { requestBody, responses = {} } = item[method] ?? {};
      const body =
        requestBody && "content" in requestBody
          ? requestBody.content["application/json"]
          : undefined;
      if (body?.schema) body.example ??= exampleOf(body.schema, document, true);
      for (const [status, { content }] of Object.entries(responses)) {
        const answer = status.startsWith("2") ? content?.["application/json"] : undefined;
        if (answer?.schema) answer.example ??= exampleOf(answer.schema, document, false);
      }
    }
  }
}

function exampleOf(whole: SchemaOrReference, document: Document, sent: boolean): unknown {
  /** The records in progress. A record inside itself is left out. */
  const making = new Set<string>();

  function make(schema: SchemaOrReference, name: string): unknown {
    if ("$ref" in schema) return record(schema as Reference, name);
    if (schema.example !== undefined) return schema.example;
    if (schema.const !== undefined) return schema.const;
    if (schema.default !== undefined && schema.type !== "object") return schema.default;
    if (schema.enum) return schema.enum.find((value) => value !== null);
    if (schema.properties) return fields(schema);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return make(choices[0] as SchemaOrReference, name);
    const type = [schema.type ?? []].flat().find((one) => one !== "null");
    if (schema.allOf) return parts(schema.allOf, name);
    if (type === "object") return {};
    if (type === "array") return entries(schema, name);
    if (type === "boolean") return true;
    if (type === "integer" || type === "number") return schema.minimum || 1;
    return type === "string" ? text(schema, name) : null;
  }

  function record({ $ref }: Reference, name: string): unknown {
    const target = document.components?.schemas?.[$ref.slice($ref.lastIndexOf("/") + 1)];
    if (!target || making.has($ref)) return undefined;
    making.add($ref);
    const made = make(target, name);
    making.delete($ref);
    return made;
  }

  function fields({ properties = {}, required = [] }: Schema): object {
    const all = Object.entries(properties);
    const needed = all.filter(
      ([name, property]) => !sent || required.includes(name) || "example" in property,
    );
    // A body without required fields, such as a change, gets one field.
    const made = (needed.length > 0 ? needed : all.slice(0, 1))
      .map(([name, property]) => [name, make(property, name)] as const)
      .filter(([, value]) => value !== undefined);
    return Object.fromEntries(made);
  }

  /** Merges the parts of `allOf`: a record with more fields, or a value whose second part is only its description. */
  function parts(all: SchemaOrReference[], name: string): unknown {
    const [first, ...others] = all.map((part) => make(part, name));
    return typeof first === "object" ? Object.assign({}, first, ...others) : first;
  }

  function entries({ items, minItems = 1 }: Schema, name: string): unknown[] {
    const entry = items && make(items, name);
    return entry === undefined ? [] : Array(Math.max(minItems, 1)).fill(entry);
  }

  function text({ format = "", minLength = 0 }: Schema, name: string): string {
    const found = BY_FORMAT[format] ?? BY_NAME.find(([names]) => names.test(name))?.[1];
    return found ?? (name || "text").padEnd(minLength, ".");
  }

  return make(whole, "");
}
