import { Buffer } from "node:buffer";

// A server may send `100 Continue` to a request that did not ask for it (RFC 9110, 15.2). undici treats that as an
// error, so it is removed before.

const STATUS_LINE = /^HTTP\/1\.[01] 100[ \r\n]/;
/** Number of characters that `STATUS_LINE` needs. */
const NEEDED = 13;
const END = /\r?\n\r?\n/;

/**
 * Removes each leading `100 Continue` from the start of a response. `isOpen`: the bytes may be an incomplete
 * `100 Continue`, so more bytes are needed.
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
