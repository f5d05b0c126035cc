import { Buffer } from "node:buffer";
import { errors } from "undici";

/** What a receiver answered. */
export interface Answer {
  status: number;
  /** The value of `Retry-After`. */
  retryAfter: string | null;
  /** The body's first bytes. */
  start: Uint8Array;
}

/** Why there is no answer, in words for the log of deliveries. */
export class NoAnswer extends Error {}

/** The receiver hung up without a byte of an answer: so does one that closed a kept connection at that moment. */
export class HungUp extends NoAnswer {
  constructor() {
    super("the receiver closed the connection before it answered");
  }
}

const INVALID = "the receiver's answer is not valid HTTP";

const BODY_BYTES = 65_536;
const START_BYTES = 1024;

/** How a body begins; it is read to its end, or broken off after 64 kB, and its connection with it. */
export async function startOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const start: Uint8Array[] = [];
  let length = 0;
  for await (const bytes of body) {
    if (length < START_BYTES) start.push(bytes.subarray(0, START_BYTES - length));
    length += bytes.length;
    if (length >= BODY_BYTES) break;
  }
  return Buffer.concat(start);
}

/** What the log of deliveries says of an exchange that failed when `heard` bytes of an answer had come. */
export function reasonOf(error: unknown, heard: number): unknown {
  if (error instanceof NoAnswer) return error;
  if (error instanceof errors.HeadersOverflowError)
    return new NoAnswer("the receiver's headers are too large");
  // A connection that has ended takes its client with it.
  if (error instanceof errors.SocketError || error instanceof errors.ClientDestroyedError)
    return heard === 0 ? new HungUp() : new NoAnswer("the receiver broke off its answer");
  // What is left is what undici makes of bytes that are no answer: errors of several kinds, failed assertions too.
  return error instanceof errors.InvalidArgumentError ? error : new NoAnswer(INVALID);
}
