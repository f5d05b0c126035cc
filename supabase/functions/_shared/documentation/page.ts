import type { OpenAPIHono } from "@hono/zod-openapi";
import { html } from "hono/html";

export type Document = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;
type Operation = NonNullable<NonNullable<Document["paths"]>[string]["get"]>;
type Parameter = NonNullable<Operation["parameters"]>[number];
type Answer = NonNullable<Operation["responses"]>[string];
type SchemaOrReference = NonNullable<NonNullable<Document["components"]>["schemas"]>[string];
type Reference = Extract<SchemaOrReference, { $ref: string }>;
type Schema = Exclude<SchemaOrReference, Reference>;
type Markup = ReturnType<typeof html>;

/** The styles. They suit phones and follow the reader's light or dark theme. */
const style = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #3a3a3a); --faint: light-dark(#595959, #a8a8a8);
  --box: light-dark(#f6f6f6, #1e1e1e); --link: light-dark(#0b57a4, #8ab8f0); }
body { margin: 0 auto; padding: 1rem; max-width: 56rem; font: 1rem/1.5 system-ui, sans-serif;
  color: light-dark(#1a1a1a, #e6e6e6); background: light-dark(#fff, #121212); overflow-wrap: anywhere; }
h1 { margin: 0.5rem 0; } h1 small { font-size: 1rem; font-weight: normal; color: var(--faint); }
h2 { margin: 2.5rem 0 0; } h3 { margin: 1.5rem 0 0.25rem; }
details h3 { margin: 1rem 0 0.25rem; font-size: 1rem; }
a { color: var(--link); } nav a { margin-right: 0.75rem; }
pre { overflow-x: auto; padding: 0.5rem; background: var(--box); font: 0.85em ui-monospace, monospace; }
label { display: block; margin: 0.75rem 0; }
input, textarea { width: 100%; box-sizing: border-box; padding: 0.4rem; font: inherit; }
button { padding: 0.4rem 1rem; font: inherit; }
textarea { min-height: 8rem; font: 0.85em ui-monospace, monospace; } [hidden] { display: none; }
code { font: 0.9em ui-monospace, monospace; }
details { margin: 0.5rem 0; border: 1px solid var(--line); border-radius: 0.4rem; }
summary { padding: 0.5rem 0.75rem; cursor: pointer; background: var(--box); border-radius: 0.4rem; }
summary b { display: inline-block; min-width: 4rem; font: bold 0.85em ui-monospace, monospace; }
summary span { color: var(--faint); }
.get { color: light-dark(#0b6b3a, #7fd1a0); } .post { color: light-dark(#0b57a4, #8ab8f0); }
.put, .patch { color: light-dark(#8a4b00, #e6b36b); } .delete { color: light-dark(#a1121f, #f19a9a); }
details > :not(summary) { margin-left: 0.75rem; margin-right: 0.75rem; }
table { border-collapse: collapse; width: 100%; margin-bottom: 0.75rem; }
details > table { width: calc(100% - 1.5rem); }
th, td { padding: 0.3rem 0.5rem 0.3rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
th { width: 34%; font-weight: normal; }
@media (max-width: 36rem) {
  th, td { display: block; width: auto; } td { border-top: 0; padding-top: 0; }
}
`;

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

interface Described {
  method: string;
  path: string;
  operation: Operation;
}

/**
 * The document as a complete page of well-formed XHTML. Its script adds a filter and a form to try operations. The script
 * is last because browsers do not wait for the body of XHTML with `defer`. `html` escapes every inserted value.
 */
export async function showDocument(document: Document): Promise<string> {
  const { info, tags = [], components = {} } = document;
  const operations = operationsOf(document);
  const page = await html`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en">
<head>
<title>${info.title} API</title>
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<style>${style}</style>
</head>
<body>
<header>
<h1>${info.title} API <small>${info.version}</small></h1>
${(info.description ?? "").split("\n\n").map((text) => html`<p>${text}</p>`)}
<nav>${tags.map(({ name }) => html`<a href="#${name}">${name}</a> `)}<a href="#records">Records</a> <a href="openapi.json">openapi.json</a></nav>
</header>
<main>
${tags.map(
  ({ name, description }) => html`<section id="${name}">
<h2>${name}</h2>
<p>${description}</p>
${operations
  .filter(({ operation }) => operation.tags?.includes(name))
  .map((described) => showOperation(described, document))}
</section>
`,
)}
<section id="records">
<h2>Records</h2>
${Object.entries(components.schemas ?? {}).map(
  ([name, schema]) => html`<article id="record-${name}">
<h3>${name}</h3>
${showSchema(schema, document)}
</article>
`,
)}
</section>
</main>
<script src="docs.js"></script>
</body>
</html>
`;
  return page.toString();
}

function operationsOf({ paths = {} }: Document): Described[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ method, path, operation }] : [];
    }),
  );
}

function showOperation({ method, path, operation }: Described, document: Document): Markup {
  const { summary, description, parameters = [], requestBody, responses = {} } = operation;
  const json =
    requestBody && "content" in requestBody ? requestBody.content["application/json"] : undefined;
  const body = json?.schema;
  const id = operation.operationId;
  return html`<details id="${id}">
<summary><b class="${method}">${method.toUpperCase()}</b> <code>${path}</code> <span>${summary}${operation.deprecated ? " (deprecated)" : ""}</span></summary>
${description ? html`<p>${description}</p>` : ""}
<p><a href="#${id}">#</a> <code>souk.${id}</code> ${audienceOf(operation)}</p>
${parameters.length > 0 ? html`<h3>Parameters</h3>${showFields(parameters.flatMap(parameterField))}` : ""}
${body ? html`<h3>Body</h3>${showSchema(body, document)}${showExample(json?.example)}` : ""}
<h3>Responses</h3>
<table><tbody>
${Object.entries(responses).map(([status, answer]) => showAnswer(status, answer))}
</tbody></table>
${Object.values(responses).map((answer: Answer) => showExample(answer.content?.["application/json"]?.example))}
</details>
`;
}

/** The roles that may call an operation, as a sentence. */
function audienceOf(operation: Operation): string {
  if (operation.security?.length === 0) return "Needs no token.";
  // The description begins with the roles, unless the operation is for all of them.
  return operation.description?.startsWith("For ") ? "" : "Needs an access token.";
}

function showExample(example: unknown): Markup | string {
  if (example === undefined) return "";
  return html`<pre tabindex="0">${JSON.stringify(example, null, 2)}</pre>
`;
}

function showAnswer(status: string, answer: Answer): Markup {
  const schema = answer.content?.["application/json"]?.schema;
  return html`<tr><th scope="row">${status}</th><td>${answer.description}${schema ? html`: ${typeOf(schema)}` : ""}</td></tr>
`;
}

/** A row of a table of fields. */
interface Field {
  name: string;
  type: Markup;
  required: boolean;
  notes: string;
}

function parameterField(parameter: Parameter): Field[] {
  if (!("name" in parameter)) return [];
  const { name, schema = {}, required = false } = parameter;
  const place = parameter.in === "query" ? "" : ` (${parameter.in})`;
  return [{ name: name + place, type: typeOf(schema), required, notes: notesOf(schema) }];
}

function showSchema(schema: SchemaOrReference, document: Document): Markup {
  const resolved = resolve(schema, document);
  const fields = fieldsOf(resolved, document);
  const notes = resolved.description ? html`<p>${resolved.description}</p>` : "";
  return fields.length > 0
    ? html`${notes}${showFields(fields)}`
    : html`${notes}<p>${typeOf(resolved)}</p>`;
}

function showFields(fields: Field[]): Markup {
  return html`<table><tbody>
${fields.map(
  ({
    name,
    type,
    required,
    notes,
  }) => html`<tr><th scope="row"><code>${name}</code></th><td>${type}${required ? html`, <b>required</b>` : ""}${notes ? html`<br />${notes}` : ""}</td></tr>
`,
)}
</tbody></table>`;
}

/** The fields of an object; nested objects' fields are named by their path. Records are shown in their own section. */
function fieldsOf(schema: Schema, document: Document, path = ""): Field[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const here = path + name;
    const field: Field = {
      name: here,
      type: typeOf(property),
      required: schema.required?.includes(name) ?? false,
      notes: notesOf(property),
    };
    if (isReference(property)) return [field];
    const { items } = property;
    const inside =
      items && !isReference(items)
        ? fieldsOf(items, document, `${here}[].`)
        : fieldsOf(property, document, `${here}.`);
    return [field, ...inside];
  });
  const parts = (schema.allOf ?? []).flatMap((part) =>
    fieldsOf(resolve(part, document), document, path),
  );
  return [...parts, ...own];
}

function resolve(schema: SchemaOrReference, { components }: Document): Schema {
  if (!isReference(schema)) return schema;
  const target = components?.schemas?.[nameOf(schema)];
  if (!target || isReference(target)) throw new Error(`the document lacks ${schema.$ref}`);
  return target;
}

function isReference(schema: SchemaOrReference): schema is Reference {
  return "$ref" in schema;
}

function nameOf({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

/** The type of a value in words; a record's name links to its section. */
function typeOf(schema: SchemaOrReference): Markup {
  if (isReference(schema)) {
    const name = nameOf(schema);
    return html`<a href="#record-${name}">${name}</a>`;
  }
  if (schema.enum) return html`${schema.enum.map((value) => value ?? "null").join(" | ")}`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    return html`${choices.map((choice, i) => html`${i > 0 ? " or " : ""}${typeOf(choice)}`)}`;
  }
  const types = [schema.type ?? "any value"].flat();
  if (types.includes("array")) {
    return schema.items ? html`list of ${typeOf(schema.items)}` : html`list`;
  }
  return html`${types.join(" or ")}${schema.format ? ` (${schema.format})` : ""}`;
}

/** The rules and the description of a value. */
function notesOf(schema: SchemaOrReference): string {
  if (isReference(schema)) return "";
  const notes = [
    range(schema.minLength, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " entries"),
    range(schema.minimum, schema.maximum, ""),
    schema.pattern && `matches ${schema.pattern}`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
    schema.example !== undefined && `such as ${JSON.stringify(schema.example)}`,
  ].filter(Boolean);
  return [notes.join("; "), schema.description].filter(Boolean).join(". ");
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (most !== undefined) return `at most ${most}${unit}`;
  return least === undefined ? "" : `at least ${least}${unit}`;
}
