// Generates packages/client/src/openapi.generated.ts from the OpenAPI document. With --check it only reports whether
// the file is up to date.
import { z } from "@hono/zod-openapi";
import openapiTypes, { astToString, type OpenAPI3, type OperationObject } from "openapi-typescript";
import ts from "typescript";
import { createRoutes } from "../supabase/functions/_shared/http/routes.ts";
import { eventTypes } from "../supabase/functions/api/event_types.ts";
import { readDocument } from "./document.js";
import { writeOrCheck } from "./generated.js";

const FILE = "packages/client/src/openapi.generated.ts";
const HEADER = "// Made from the OpenAPI document by `npm run types`. Do not edit.\n\n";

// A field with a default is optional.
const types = await openapiTypes(withEvents(withoutRefusals(await readDocument())), {
  defaultNonNullable: false,
});
const made = HEADER + astToString(withNamedSchemas(types));

writeOrCheck(FILE, made, "the OpenAPI document");

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
 * Adds the records of each event, and its other fields. The API's document contains only schemas
 * that requests and answers use.
 */
function withEvents(document: OpenAPI3): OpenAPI3 {
  const routes = createRoutes();
  const shapes = (part: "carried" | "beside") =>
    z.object(
      Object.fromEntries(
        eventTypes
          .filter((type) => Object.keys(type[part]).length > 0)
          .map((type) => [type.name, z.object(type[part])]),
      ),
    );
  routes.openAPIRegistry.register("EventRecords", shapes("carried"));
  routes.openAPIRegistry.register("EventFields", shapes("beside"));
  const { components } = routes.getOpenAPI31Document(document);
  const schemas = { ...components?.schemas, ...document.components?.schemas };
  return { ...document, components: { ...document.components, schemas } } as OpenAPI3;
}

/**
 * Gives every schema its own type: `Order` instead of `components["schemas"]["Order"]`. Callers
 * import these types, and editors show their names.
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
