// Refuses arithmetic on amounts of money in the apps and in the client, because binary fractions are not exact. Use
// `addMoney` and `multiplyMoney` of @souk/client, which only packages/client/src/money.ts may implement.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findMoneyArithmetic } from "./money-arithmetic.js";

const EXACT = join("packages", "client", "src", "money.ts");

const files = ["apps/console/src", "apps/storefront/src", "packages/client/src"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => path !== EXACT),
);
const faults = files.flatMap((path) => findMoneyArithmetic(path, readFileSync(path, "utf8")));
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
