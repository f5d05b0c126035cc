import { Buffer } from "node:buffer";
import { type Dispatcher, errors } from "undici";

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

/**
 * Takes the answer to one request as it comes. Its body is read to its end, or broken off after 64 kB, and its
 * connection with it.
 */
export class Reading implements Dispatcher.DispatchHandler {
  /** Throws what undici, or the signal, says. */
  readonly answer: Promise<Answer>;
  #succeed: (answer: Answer) => void = () => {};
  #fail: (reason: unknown) => void = () => {};
  #status = 0;
  #retryAfter: string | null = null;
  readonly #start: Uint8Array[] = [];
  #length = 0;

  constructor(readonly signal: AbortSignal) {
    this.answer = new Promise((succeed, fail) => {
      this.#succeed = succeed;
      this.#fail = fail;
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const stop = () => controller.abort(this.signal.reason);
    if (this.signal.aborted) stop();
    else this.signal.addEventListener("abort", stop);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    this.#retryAfter = headers["retry-after"]?.toString() ?? null;
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.#length < START_BYTES) this.#start.push(bytes.subarray(0, START_BYTES - this.#length));
    this.#length += bytes.length;
    if (this.#length < BODY_BYTES) return;
    this.onResponseEnd();
    controller.abort(new NoAnswer("the rest of the answer is not read"));
  }

  onResponseEnd(): void {
    const start = Buffer.concat(this.#start);
    this.#succeed({ status: this.#status, retryAfter: this.#retryAfter, start });
  }

  onResponseError(_: Dispatcher.DispatchController, error: unknown): void {
    // A 204 has no body, so it ends with its headers, also if they promise one. undici misses the body and closes the
    // connection.
    if (this.#status === 204 && error instanceof errors.ResponseContentLengthMismatchError)
      this.onResponseEnd();
    else this.#fail(error);
  }
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
