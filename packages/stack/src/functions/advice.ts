/** Maps an import error of Deno to advice for the developer. */
const advice: readonly [RegExp, string][] = [
  [
    /Specifier not found in cache/,
    "The stack downloads nothing: import the package with npm:, and list it in package.json.",
  ],
  [
    /Could not find a matching package|not a dependency|Relative import path .* not prefixed/,
    "Name the package in the function's import map, list it in package.json with the same version, and run `npm install`.",
  ],
];

/**
 * Explains to the developer why a function did not start: Deno's message, and advice if there is
 * any.
 */
export function explain(output: readonly string[]): string {
  const end = output.findIndex((line) => line.startsWith("Stack backtrace:"));
  const reason = output
    .slice(0, end < 0 ? output.length : end)
    // The hint is about a Deno command that does not apply here.
    .filter((line) => !line.includes("hint:") && line !== "");
  const found = advice.find(([pattern]) => pattern.test(reason.join("\n")));
  return [...reason, ...(found ? [found[1]] : [])].join("\n");
}
