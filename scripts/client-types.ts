// Makes packages/client/src/openapi.generated.ts from the OpenAPI document; with --check it tells
// whether that file is what would be made, and changes nothing.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import openapiTypes, { astToString, type OpenAPI3 } from "openapi-typescript";
import { api } from "../supabase/functions/_shared/api.ts";

const FILE = "packages/client/src/openapi.generated.ts";
const HEADER = "// Made from the OpenAPI document by `npm run types`. Do not edit.\n\n";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });

/** The document as the function `api` serves it. */
async function readDocument(): Promise<OpenAPI3> {
  const log = console.log;
  // The app writes a line per request, which is no answer of this script.
  console.log = () => {};
  try {
    const response = await api.request("/api/openapi.json");
    if (!response.ok) throw new Error(`/api/openapi.json answered ${response.status}`);
    return (await response.json()) as OpenAPI3;
  } finally {
    console.log = log;
  }
}

const types = await openapiTypes(await readDocument(), {
  // What has a default need not be sent.
  defaultNonNullable: false,
  // `Order` beside `components["schemas"]["Order"]`.
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
});
const made = HEADER + astToString(types);

if (!values.check) {
  writeFileSync(FILE, made);
  console.log(`${FILE} is made anew`);
} else if (readIfThere(FILE) === made) {
  console.log(`${FILE} is what the OpenAPI document says`);
} else {
  console.error(`${FILE} is not what the OpenAPI document says: run \`npm run types\``);
  process.exitCode = 1;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
