// Generates packages/client/src/functions.generated.ts from the handlers of the routes: a function of the database whose
// answer a handler returns as it is has the type of that operation's response. With --check it only reports whether the
// file is up to date.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { type DocumentedOperation, documentedOperations } from "./document.js";
import { writeOrCheck } from "./generated.js";

const FOLDER = "supabase/functions";
const FILE = "packages/client/src/functions.generated.ts";
const HEADER = `// Made from the routes of the edge functions by \`npm run types\`. Do not edit.
import type { AnswerOf, BodyOf } from "./operations.js";

`;

/** Functions that call the function of the database that their second argument names. */
const CALLING = ["perform", "performBatch", "handOn"];

/** Functions that return what they are given, or throw. */
const PASSING = new Set(["blamedAsSent"]);

/** A call of a function of the database, and how the response is made from its answer. */
interface Call {
  name: string;
  args: ts.Expression | undefined;
  /** Whether the response has the page and the limit besides. */
  isPage: boolean;
  /** The field of the response that has the answer. */
  field?: string;
}

const operations = new Map<string, DocumentedOperation>();
for (const operation of await documentedOperations()) {
  operations.set(operation.operation.operationId as string, operation);
}

const isCallOf = (node: ts.Node, name: string): boolean =>
  ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === name;

/** The method of a call such as `schema.parse(…)`. */
const methodOf = (node: ts.CallExpression): string | undefined =>
  ts.isPropertyAccessExpression(node.expression) ? node.expression.name.text : undefined;

function every(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => every(child, see));
}

/** What the variables of a handler are initialised with; `{ data }` counts as the call that returns it. */
function initialisersIn(handler: ts.Node): Map<string, ts.Expression> {
  const found = new Map<string, ts.Expression>();
  every(handler, (node) => {
    if (!ts.isVariableDeclaration(node) || !node.initializer) return;
    if (ts.isIdentifier(node.name)) found.set(node.name.text, node.initializer);
    if (!ts.isObjectBindingPattern(node.name)) return;
    for (const { name, propertyName } of node.name.elements) {
      if (ts.isIdentifier(name) && (propertyName ?? name).getText() === "data")
        found.set(name.text, node.initializer);
    }
  });
  return found;
}

/** The calls whose answer an expression is, unchanged; none if it is anything else. */
function callsBehind(node: ts.Expression, variables: Map<string, ts.Expression>): Call[] {
  const behind = (next: ts.Expression | undefined) => (next ? callsBehind(next, variables) : []);
  if (ts.isAwaitExpression(node) || ts.isAsExpression(node) || ts.isParenthesizedExpression(node))
    return behind(node.expression);
  if (ts.isIdentifier(node)) return behind(variables.get(node.text));
  if (ts.isConditionalExpression(node)) {
    const branches = [behind(node.whenTrue), behind(node.whenFalse)];
    return branches.every(({ length }) => length > 0) ? branches.flat() : [];
  }
  if (ts.isObjectLiteralExpression(node)) {
    const [only, ...others] = node.properties;
    if (!only || others.length > 0 || !ts.isPropertyAssignment(only)) return [];
    return behind(only.initializer).map((call) => ({ ...call, field: only.name.getText() }));
  }
  if (!ts.isCallExpression(node)) return [];
  const [first, second, third] = node.arguments;
  if (isCallOf(node, "callPage")) return behind(second).map((call) => ({ ...call, isPage: true }));
  if (CALLING.some((name) => isCallOf(node, name))) {
    return second && ts.isStringLiteral(second)
      ? [{ name: second.text, args: third, isPage: false }]
      : [];
  }
  if (ts.isIdentifier(node.expression))
    return PASSING.has(node.expression.text) ? behind(first) : [];
  if (methodOf(node) === "parse") return behind(first);
  if (methodOf(node) === "throwOnError")
    return behind((node.expression as ts.PropertyAccessExpression).expression);
  if (methodOf(node) === "rpc" && first && ts.isStringLiteral(first))
    return [{ name: first.text, args: second, isPage: false }];
  return [];
}

/** The type of the json arguments of a call: the fields of the body are sent by their names, or as `changes`. */
function argumentsOf(
  args: ts.Expression | undefined,
  variables: Map<string, ts.Expression>,
  body: string,
): string | undefined {
  if (!args) return undefined;
  if (ts.isIdentifier(args)) return argumentsOf(variables.get(args.text), variables, body);
  const isBody = (node: ts.Expression) => node.getText() === 'c.req.valid("json")';
  if (isBody(args)) return body;
  if (!ts.isObjectLiteralExpression(args)) return undefined;
  for (const part of args.properties) {
    if (ts.isSpreadAssignment(part) && isBody(part.expression)) return body;
    if (ts.isPropertyAssignment(part) && part.name.getText() === "changes")
      return isBody(part.initializer) ? `{ changes: ${body} }` : undefined;
  }
  return undefined;
}

/** The types of the functions that one route calls. */
function typesOf(route: ts.Node, handler: ts.Node): [name: string, type: string][] {
  const id = /operationId: "([\w.]+)"/.exec(route.getText())?.[1];
  const operation = id === undefined ? undefined : operations.get(id);
  if (!operation) return [];
  const variables = initialisersIn(handler);
  const calls: Call[] = [];
  every(handler, (node) => {
    if (!ts.isCallExpression(node)) return;
    const [first] = node.arguments;
    if (isCallOf(node, "handOn")) calls.push(...callsBehind(node, variables));
    else if (node.expression.getText() === "c.json" && first)
      calls.push(...callsBehind(first, variables));
  });
  const place = `<"${operation.method}", "${operation.path}">`;
  return calls.map(({ name, args, isPage, field }) => {
    const whole = `AnswerOf${place}`;
    const answer = isPage
      ? `Omit<${whole}, "page" | "limit">`
      : field === undefined
        ? whole
        : `${whole}["${field}"]`;
    const body = argumentsOf(args, variables, `BodyOf${place}`);
    return [name, body ? `[${answer}, ${body}]` : `[${answer}]`];
  });
}

const found = new Map<string, string>();
for (const path of readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).sort()) {
  if (!path.endsWith(".ts") || path.includes("node_modules")) continue;
  const text = readFileSync(join(FOLDER, path), "utf8");
  every(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true), (node) => {
    if (!ts.isCallExpression(node) || methodOf(node) !== "openapi") return;
    const [route, handler] = node.arguments;
    if (!route || !handler) return;
    for (const [name, type] of typesOf(route, handler)) if (!found.has(name)) found.set(name, type);
  });
}

const lines = [...found]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, type]) => `  ${name}: ${type};`);
const made = `${HEADER}/** The functions whose answer an operation returns unchanged: its response, and the types of its json arguments. */
export interface AnsweredAsTheyAre {
${lines.join("\n")}
}
`;
writeOrCheck(FILE, made, "the routes");
