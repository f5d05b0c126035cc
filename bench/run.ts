// Runs a benchmark with its options: `npm run bench -- commerce --database-url postgres://…/an_empty_database`. Its file is
// run.ts in the folder of its name, or the file of its name, such as imports/orders. Without a name it lists them.
import { existsSync, readdirSync } from "node:fs";

const [name = "", ...options] = process.argv.slice(2);
const here = new URL("./", import.meta.url);
const found = [`${name}/run.ts`, `${name}.ts`]
  .filter((path) => /^[a-z-]+\/[a-z-]+\.ts$/.test(path))
  .map((path) => new URL(path, here))
  .find((url) => existsSync(url));

if (found) {
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...options);
  await import(found.href);
} else {
  const names = readdirSync(here).filter((folder) => existsSync(new URL(`${folder}/run.ts`, here)));
  console.error(
    `npm run bench -- NAME [OPTIONS]. NAME is one of: ${names.join(", ")}, imports/orders`,
  );
  process.exitCode = 1;
}
