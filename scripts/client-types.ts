// Generates packages/client/src/openapi.generated.ts from the OpenAPI document. With --check it
// only reports whether the
// file is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import openapiTypes, { astToString, type OpenAPI3, type OperationObject } from "openapi-typescript";
import ts from "typescript";
import { api } from "../supabase/functions/api/app.ts";

const FILE = "packages/client/src/openapi.generated.ts";
const HEADER = "// Made from the OpenAPI document by `npm run types`. Do not edit.\n\n";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });

/** Reads the document from the function `api`. */
async function readDocument(): Promise<OpenAPI3> {
  const log = console.log;
  // Suppresses the app's log line per request.
  console.log = () => {};
  try {
    const response = await api.request("/api/openapi.json");
    if (!response.ok) throw new Error(`/api/openapi.json answered ${response.status}`);
    return (await response.json()) as OpenAPI3;
  } finally {
    console.log = log;
  }
}

// A field with a default is optional.
const types = await openapiTypes(withoutRefusals(await readDocument()), {
  defaultNonNullable: false,
});
const made = HEADER + astToString(withNamedSchemas(types));

if (!values.check) {
  writeFileSync(FILE, made);
  console.log(`generated ${FILE}`);
} else if (readIfThere(FILE) === made) {
  console.log(`${FILE} is up to date`);
} else {
  console.error(`${FILE} does not match the OpenAPI document: run \`npm run types\``);
  process.exitCode = 1;
}

/**
 * Removes error responses: they are the same for every operation, and callers get them as ApiError.
 */
function withoutRefusals(document: OpenAPI3): OpenAPI3 {
  for (const operations of Object.values(document.paths ?? {})) {
    for (const { responses } of Object.values(operations as Record<string, OperationObject>)) {
      for (const status of Object.keys(responses ?? {})) {
        if (!status.startsWith("2")) delete responses?.[status];
      }
    }
  }
  return document;
}

/**
 * Gives every schema its own type: `Order` in place of `components["schemas"]["Order"]`. Callers
 * import
 * these types, and editors show their names.
 */
function withNamedSchemas(nodes: ts.Node[]): ts.Node[] {
  const { factory } = ts;
  const named: ts.Node[] = [];

  function nameReferences<Node extends ts.Node>(node: Node): Node {
    const visit = (child: ts.Node): ts.Node => {
      const name = schemaIn(child);
      return name
        ? factory.createTypeReferenceNode(name)
        : ts.visitEachChild(child, visit, undefined);
    };
    return ts.visitNode(node, visit) as Node;
  }

  function nameSchema(schema: ts.TypeElement): ts.TypeElement {
    if (!ts.isPropertySignature(schema) || !schema.type || !schema.name) return schema;
    const name = textOf(schema.name);
    const type = factory.createTypeAliasDeclaration(
      [factory.createModifier(ts.SyntaxKind.ExportKeyword)],
      name,
      undefined,
      nameReferences(schema.type),
    );
    ts.setSyntheticLeadingComments(type, ts.getSyntheticLeadingComments(schema));
    named.push(type);
    return factory.createPropertySignature(
      undefined,
      schema.name,
      undefined,
      factory.createTypeReferenceNode(name),
    );
  }

  const whole = nodes.map((node) => {
    if (!ts.isInterfaceDeclaration(node) || node.name.text !== "components") {
      return nameReferences(node);
    }
    const members = node.members.map((member) =>
      ts.isPropertySignature(member) &&
      textOf(member.name) === "schemas" &&
      member.type &&
      ts.isTypeLiteralNode(member.type)
        ? factory.createPropertySignature(
            undefined,
            member.name,
            undefined,
            factory.createTypeLiteralNode(member.type.members.map(nameSchema)),
          )
        : member,
    );
    return factory.createInterfaceDeclaration(
      node.modifiers,
      node.name,
      node.typeParameters,
      node.heritageClauses,
      members,
    );
  });
  return [...whole, ...named];
}

/** Returns the name of a schema if the type is `components["schemas"][<name>]`. */
function schemaIn(node: ts.Node): string | undefined {
  if (!ts.isIndexedAccessTypeNode(node) || !ts.isIndexedAccessTypeNode(node.objectType)) return;
  const { objectType: components, indexType: part } = node.objectType;
  const isSchema =
    ts.isTypeReferenceNode(components) &&
    ts.isIdentifier(components.typeName) &&
    components.typeName.text === "components" &&
    literalIn(part) === "schemas";
  return isSchema ? literalIn(node.indexType) : undefined;
}

function literalIn(node: ts.TypeNode): string | undefined {
  return ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal)
    ? node.literal.text
    : undefined;
}

function textOf(name: ts.PropertyName): string {
  if (ts.isIdentifier(name) || ts.isStringLiteral(name)) return name.text;
  throw new Error("a schema's name must be an identifier or a string");
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
