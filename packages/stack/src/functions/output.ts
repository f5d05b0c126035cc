import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** What a process reports of itself; the units of the values are those of `bootstrap.ts`. */
export type Report = (word: string, values: number[]) => void;

/**
 * Reads the output of a function's process. `onLine` gets the function's own lines, each after the id of the request that
 * it belongs to. Text after the token is a report of the process itself.
 */
export function readOutput(
  stream: Readable,
  token: string,
  onLine: (line: string) => void,
  onReport: Report,
): void {
  let request = "";
  createInterface({ input: stream }).on("line", (line) => {
    const at = line.indexOf(token);
    const text = at < 0 ? line : line.slice(0, at);
    if (text !== "" || at < 0) onLine(request ? `${request} ${text}` : text);
    if (at < 0) return;
    const [, word = "", ...values] = line.slice(at).split(" ");
    if (word === "for") request = values[0] ?? "";
    else onReport(word, values.map(Number));
  });
}
