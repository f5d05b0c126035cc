import { Buffer } from "node:buffer";

// A server may answer `100 Continue` to a request that did not ask for it (RFC 9110, 15.2). undici takes that for an
// error, so it does not get to see it.

const STATUS_LINE = /^HTTP\/1\.[01] 100[ \r\n]/;
/** As many characters as `STATUS_LINE` needs. */
const NEEDED = 13;
const END = /\r?\n\r?\n/;

/**
 * The beginning of an answer without any `100 Continue` in front. `isOpen`: these bytes may still be the first part of one,
 * so more of them have to come.
 */
export function withoutContinue(bytes: Buffer): { answer: Buffer; isOpen: boolean } {
  let answer = bytes;
  for (;;) {
    const text = answer.toString("latin1");
    if (text.length < NEEDED) return { answer, isOpen: isBeginning(text) };
    if (!STATUS_LINE.test(text)) return { answer, isOpen: false };
    const end = END.exec(text);
    if (!end) return { answer, isOpen: true };
    answer = Buffer.from(answer.subarray(end.index + end[0].length));
  }
}

const isBeginning = (text: string): boolean =>
  ["HTTP/1.0 100", "HTTP/1.1 100"].some((line) => line.startsWith(text));
