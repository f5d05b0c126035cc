/** What the user can do, by Deno's message about an import that it cannot find. */
const advice: readonly [RegExp, string][] = [
  [
    /Specifier not found in cache/,
    "The stack downloads nothing: import the package with npm:, and list it in package.json.",
  ],
  [
    /Could not find a matching package|not a dependency/,
    "List the package in package.json, with the version that the function's import map names, and run `npm install`.",
  ],
];

/** Why a function did not start, for its developer: what Deno said, and how to mend it if that is known. */
export function explain(said: readonly string[]): string {
  const end = said.findIndex((line) => line.startsWith("Stack backtrace:"));
  const reason = said
    .slice(0, end < 0 ? said.length : end)
    // It speaks of a command that has no say here.
    .filter((line) => !line.includes("hint:") && line !== "");
  const found = advice.find(([pattern]) => pattern.test(reason.join("\n")));
  return [...reason, ...(found ? [found[1]] : [])].join("\n");
}
