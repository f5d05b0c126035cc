import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";

// A hosted project resolves the functions' imports only with deno.json. Here, node_modules would resolve any installed
// package.

const folder = "supabase/functions";
const { imports }: { imports: Record<string, string> } = JSON.parse(
  readFileSync(join(folder, "deno.json"), "utf8"),
);
const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(folder, "package.json"), "utf8"),
);

test("functions import only packages of the import map", () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const imported = files.flatMap((name) =>
    [...readFileSync(join(folder, name), "utf8").matchAll(/\bfrom "([^."][^"]*)"/g)].map(
      ([, specifier]) => specifier as string,
    ),
  );
  expect(imported.length).toBeGreaterThan(20);
  const known = (specifier: string) =>
    specifier in imports ||
    Object.keys(imports).some((key) => key.endsWith("/") && specifier.startsWith(key)) ||
    (specifier.startsWith("node:") && builtinModules.includes(specifier.slice("node:".length)));
  expect(imported.filter((specifier) => !known(specifier))).toEqual([]);
});

test("the import map has the installed versions", () => {
  for (const [key, target] of Object.entries(imports)) {
    const [, name, version] = /^npm:\/?(@?[^@]+)@([^/]+)\/?$/.exec(target) ?? [];
    expect(dependencies, key).toHaveProperty([name as string], version);
  }
});

test("every function that is called is configured with the import map", () => {
  const config = readFileSync("supabase/config.toml", "utf8");
  const entryPoints = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(_|node_modules$)/.test(entry.name))
    .map(({ name }) => name);
  expect(entryPoints).toContain("api");
  for (const name of entryPoints) {
    expect(config).toContain(
      `[functions.${name}]\nverify_jwt = false\nimport_map = "./functions/deno.json"`,
    );
  }
});
