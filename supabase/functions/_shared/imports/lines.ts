import { environment } from "../http/environment.ts";
import { ApiError } from "../http/errors.ts";
import { MAX_DISCARDED_BYTES } from "../http/limits.ts";
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

/** A record as it was sent, or the reason why it could not be read. */
export type Sent = {
  line: number;
  /** The length of the record in characters. */
  size: number;
} & ({ fields: Record<string, unknown> } | { error: LineError });

const NEWLINE = 0x0a;
const TOO_LONG = "The line is longer than 1 MB.";
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** The body of a request while it arrives. Call `end` when no more of it is needed. */
export class Incoming {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #read = 0;
  /** The number of chunks that have arrived. */
  chunks = 0;
  /** When the next chunk was requested; undefined while none is. */
  #waitingSince: number | undefined;
  #hasStalled = false;
  #timer: ReturnType<typeof setTimeout>;

  constructor(body: ReadableStream<Uint8Array> | null) {
    this.#reader = (body ?? new Blob([]).stream()).getReader();
    this.#timer = setTimeout(() => this.#watch(), environment.requestTimeoutMs);
  }

  /** The next chunk; undefined at the end. Throws PAYLOAD_TOO_LARGE, INVALID_REQUEST, TIMEOUT. */
  async next(): Promise<Uint8Array | undefined> {
    const chunk = await this.#receive();
    if (this.#read > MAX_BYTES) throw tooLarge("64 MB");
    return chunk;
  }

  /** The next chunk, however much was read. Throws INVALID_REQUEST, TIMEOUT. */
  async #receive(): Promise<Uint8Array | undefined> {
    this.#waitingSince = Date.now();
    const { value } = await this.#reader.read().catch(() => {
      throw new ApiError("INVALID_REQUEST", "The body ended early. Send it again.");
    });
    this.#waitingSince = undefined;
    if (this.#hasStalled) throw stalled();
    this.chunks += 1;
    this.#read += value?.length ?? 0;
    return value;
  }

  /**
   * Reads the rest and drops it, up to 80 MB in all and for at most 30 seconds. A connection that is closed while a body is
   * being sent may be reset, and then the caller never gets the response.
   */
  async drain(): Promise<void> {
    const until = Date.now() + environment.requestTimeoutMs;
    const isWithin = () => Date.now() < until && this.#read <= MAX_BYTES + MAX_DISCARDED_BYTES;
    try {
      while (isWithin() && (await this.#receive()));
    } catch {
      // The response is known, so errors in the rest do not matter.
    }
  }

  /** Cancels the part of the body that was not read. */
  end(): void {
    clearTimeout(this.#timer);
    this.#reader.cancel().catch(() => undefined);
  }

  /** Ends the body if the next chunk is late. One timer serves all chunks, because they may be many and small. */
  #watch(): void {
    const waited = this.#waitingSince === undefined ? 0 : Date.now() - this.#waitingSince;
    const left = environment.requestTimeoutMs - waited;
    if (left > 0) this.#timer = setTimeout(() => this.#watch(), left);
    else {
      this.#hasStalled = true;
      this.end();
    }
  }
}

/**
 * The lines of a body, chunk by chunk as it arrives. Holds at most a chunk and a line in memory. Throws PAYLOAD_TOO_LARGE
 * after 64 MB or a million lines, INVALID_REQUEST if the body ends early, TIMEOUT if no more of it arrives.
 */
export async function* linesOf(body: Incoming): AsyncGenerator<Line[]> {
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
  for (let chunk = await body.next(); chunk; chunk = await body.next()) {
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
