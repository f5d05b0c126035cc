import { readFileSync, writeFileSync } from "node:fs";

/**
 * Writes a generated file; with `--check` among the arguments of this process it only compares, and
 * sets the exit code if the file differs. `source` names the input of the generator, which is `command`.
 */
export function writeOrCheck(
  path: string,
  made: string,
  source: string,
  command = "npm run types",
): void {
  if (!process.argv.includes("--check")) {
    writeFileSync(path, made);
    console.log(`generated ${path}`);
  } else if (readIfThere(path) === made) {
    console.log(`${path} is up to date`);
  } else {
    console.error(`${path} does not match ${source}: run \`${command}\``);
    process.exitCode = 1;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
