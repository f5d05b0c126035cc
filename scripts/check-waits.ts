// Refuses waits in tests that depend on the speed of the machine. Use `eventually` or `until` of tests/eventually.ts,
// which share one timeout. A pause of over 200 ms needs a comment with its reason.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const BARE_WAIT = /\bvi\.wait(For|Until)\b|\bexpect\.poll\b/;
/** `setTimeout(later, 300)` and `pause(300)`. */
const PAUSE = /\b(?:setTimeout\([\w.]+, |(?:pause|sleep|later|setTimeout)\()([\d_]+)\)/g;
const MAX_PAUSE_MS = 200;

/** Returns the faults of one file, a line each. */
function findFaults(path: string, text: string): string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, i) => {
    const place = `${path}:${i + 1}`;
    if (BARE_WAIT.test(line))
      return [`${place}: use \`eventually\` or \`until\` of tests/eventually.ts`];
    const isExplained = line.includes("//") || (lines[i - 1] ?? "").includes("//");
    return [...line.matchAll(PAUSE)]
      .filter(([, ms = ""]) => Number(ms.replaceAll("_", "")) > MAX_PAUSE_MS && !isExplained)
      .map(([, ms]) => `${place}: say in a comment why this waits ${ms} ms`);
  });
}

const files = ["tests", "packages/client/tests", "packages/stack/tests"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name)),
);
const faults = files.flatMap((path) => findFaults(path, readFileSync(path, "utf8")));
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
