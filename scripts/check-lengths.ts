/**
 * Refuses SQL functions over 80 lines, so that each stays one step that a reader understands at once, and a storefront that
 * is too long to be read before it is copied.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readSqlFunctions } from "./sql-functions.js";

const MAX_LINES = 80;
const STOREFRONT = "apps/storefront/src";
/** Maximum lines of TypeScript: of the shop without its texts, 170 of them for payments, and of its server. */
const MAX_SHOP = 3980;
const MAX_SERVER = 400;

const faults = readSqlFunctions()
  .map(({ text, ...of }) => ({ ...of, lines: text.split("\n").length }))
  .filter(({ lines }) => lines > MAX_LINES);
for (const { name, place, lines } of faults) {
  console.error(
    `${place}: ${name} has ${lines} lines, at most ${MAX_LINES}: split it along its steps`,
  );
}

const modules = readdirSync(STOREFRONT, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !name.startsWith("texts"))
  .map((name) => ({
    name,
    lines: readFileSync(join(STOREFRONT, name), "utf8").split("\n").length,
  }));
const [server, shop] = [true, false].map((isServer) =>
  modules
    .filter(({ name }) => name.startsWith("server") === isServer)
    .reduce((sum, { lines }) => sum + lines - 1, 0),
) as [number, number];
const isLong = shop > MAX_SHOP || server > MAX_SERVER;
if (isLong) {
  console.error(
    `${STOREFRONT}: the shop has ${shop} lines, at most ${MAX_SHOP}, its server ${server}, at most ${MAX_SERVER}`,
  );
}
if (faults.length > 0 || isLong) process.exit(1);
