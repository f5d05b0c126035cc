// Refuses comments with left-over words: a short line in the middle of a paragraph, which a tool leaves when it wraps lines
// that are too long for it. Mend the paragraph by hand.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A line of a comment with its indentation. What is indented in it is a list or code. */
const COMMENT = /^(?<start>\s*(?:--|\/\/|\*)) (?<text>\S.*)$/;
const LIST = /^(?:[-*@]|\d+\.)/;
/** A line that may be short, because something ends with it. */
const ENDED = /[.:;!?]$/;
/** Largest length of left-over words, and the least of the line before them, in characters. */
const MAX_REST = 42;
const MIN_FULL = 70;

/** The numbers of the lines of a file that are left over. */
function findRests(text: string): number[] {
  const lines = text.split("\n").map((line) => COMMENT.exec(line)?.groups);
  let isCode = false;
  return lines.flatMap((line, i) => {
    if (line?.text?.startsWith("```")) isCode = !isCode;
    const [before, after] = [lines[i - 1], lines[i + 1]];
    if (isCode || !line?.text || !before?.text || !after?.text) return [];
    const isOneParagraph = before.start === line.start && after.start === line.start;
    const isFull = `${before.start} ${before.text}`.length >= MIN_FULL && !ENDED.test(before.text);
    const isRest = line.text.length <= MAX_REST && !ENDED.test(line.text);
    const isListed = LIST.test(line.text) || LIST.test(after.text) || after.text.startsWith("/");
    return isOneParagraph && isFull && isRest && !isListed ? [i + 1] : [];
  });
}

const files = execFileSync(
  "git",
  ["ls-files", "-co", "--exclude-standard", "*.ts", "*.tsx", "*.sql"],
  { encoding: "utf8" },
)
  .trim()
  .split("\n")
  .filter((path) => !/^supabase\/migrations\/|\.generated\.ts$/.test(path));
const faults = files.flatMap((path) =>
  findRests(readFileSync(path, "utf8")).map(
    (line) => `${path}:${line}: left-over words: wrap this paragraph again`,
  ),
);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
