import { ApiError } from "../http/errors.ts";
import { inTime } from "../http/limits.ts";
import type { LineError } from "./schema.ts";

const MAX_BYTES = 64 * 1_048_576;
const MAX_LINES = 1_000_000;
/** Maximum size of a line, and of a record of several lines, in bytes. */
export const MAX_LINE = 1_048_576;

/** A line of a body, without its line end; if it cannot be read, the reason and no text. */
export interface Line {
  number: number;
  text: string | null;
  problem?: string;
}

/** A record as it was sent, or why it could not even be read. */
export type Sent =
  | { line: number; fields: Record<string, unknown> }
  | { line: number; error: LineError };

const NEWLINE = 0x0a;
const TOO_LONG = "The line is longer than 1 MB.";
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The lines of a body as it comes in, chunk by chunk; at no time more of it is held than a chunk and a
 * line. Throws PAYLOAD_TOO_LARGE after 64 MB or a million lines, INVALID_REQUEST when the body breaks off,
 * TIMEOUT when nothing more of it comes.
 */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Line[]> {
  let number = 0;
  let rest: Uint8Array[] = [];
  let held = 0;
  const take = (end: Uint8Array): Line => {
    number += 1;
    const bytes = rest.length === 0 ? end : joined([...rest, end]);
    const tooLong = held + end.length > MAX_LINE;
    rest = [];
    held = 0;
    return tooLong ? { number, text: null, problem: TOO_LONG } : decode(number, bytes);
  };
  for await (const chunk of chunksOf(body)) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(take(chunk.subarray(start, end)));
      start = end + 1;
    }
    yield lines;
    if (number > MAX_LINES) throw tooLarge("a million lines");
    const open = chunk.subarray(start);
    held += open.length;
    if (held > MAX_LINE) rest = [];
    else if (open.length > 0) rest.push(open);
  }
  if (held > 0) yield [take(new Uint8Array())];
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let read = 0;
  try {
    for (;;) {
      const next = reader.read().catch(() => {
        throw new ApiError("INVALID_REQUEST", "The body broke off.");
      });
      const { done, value } = await inTime(next, stalled);
      if (done) return;
      read += value.length;
      if (read > MAX_BYTES) throw tooLarge("64 MB");
      yield value;
    }
  } finally {
    // Whatever has not been read is not wanted any more.
    reader.cancel().catch(() => undefined);
  }
}

const stalled = () =>
  new ApiError(
    "TIMEOUT",
    "No more of the body came for 30 seconds. Most of what did come has been imported; send all of it again.",
  );

function tooLarge(limit: string): ApiError {
  return new ApiError(
    "PAYLOAD_TOO_LARGE",
    `The body is larger than ${limit}. Most of the earlier lines have been imported. Send fewer lines at once.`,
  );
}

function decode(number: number, bytes: Uint8Array): Line {
  try {
    // The decoder removes a byte order mark.
    return { number, text: bytes.length === 0 ? "" : UTF_8.decode(bytes) };
  } catch {
    return { number, text: null, problem: "The line must be UTF-8." };
  }
}

function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
