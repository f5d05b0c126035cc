import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

/** The files of this repository whose paths match, with new ones that git does not ignore. */
export const filesOf = (...patterns: string[]): string[] =>
  execFileSync("git", ["ls-files", "-co", "--exclude-standard", "--deduplicate", ...patterns], {
    encoding: "utf8",
  })
    .trim()
    .split("\n");

/** Returns a function that resolves the files of `known` that a file imports. Type imports count. */
export function importsAmong(known: ReadonlySet<string>): (file: string) => string[] {
  return (file) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"), true, true);
    return importedFiles.flatMap(({ fileName }) => {
      if (!fileName.startsWith(".")) return [];
      // The apps leave out the ending, vite adds it.
      const path = join(dirname(file), fileName).replace(/\.(js|tsx?)$/, "");
      return [`${path}.ts`, `${path}.tsx`].filter((candidate) => known.has(candidate)).slice(0, 1);
    });
  };
}
