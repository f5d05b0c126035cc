import { Buffer } from "node:buffer";
import { type Dispatcher, errors } from "undici";

/** A receiver's response. */
export interface Answer {
  status: number;
  /** The value of `Retry-After`. */
  retryAfter: string | null;
  /** The first bytes of the body. */
  start: Uint8Array;
}

/** The reason for a missing response, as text for the log of deliveries. */
export class NoAnswer extends Error {}

/** The receiver closed the connection before it sent a byte. A kept connection may be closed this way at any moment. */
export class HungUp extends NoAnswer {
  constructor() {
    super("the receiver closed the connection before it answered");
  }
}

const INVALID = "the receiver's answer is not valid HTTP";

const BODY_BYTES = 65_536;
const START_BYTES = 1024;

/**
 * Receives the response to one request. Reads its body to the end, or aborts after 64 kB and closes the connection.
 */
export class Reading implements Dispatcher.DispatchHandler {
  /** Rejects with the error of undici or the reason of the signal. */
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
    // A 204 ends with its headers, even if they announce a body. undici then misses the body and closes the connection.
    if (this.#status === 204 && error instanceof errors.ResponseContentLengthMismatchError)
      this.onResponseEnd();
    else this.#fail(error);
  }
}

/** The error for the log of deliveries. `heard` is the number of bytes of the response that arrived before the failure. */
export function reasonOf(error: unknown, heard: number): unknown {
  if (error instanceof NoAnswer) return error;
  if (error instanceof errors.HeadersOverflowError)
    return new NoAnswer("the receiver's headers are too large");
  // When a connection ends, its client is destroyed.
  if (error instanceof errors.SocketError || error instanceof errors.ClientDestroyedError)
    return heard === 0
      ? new HungUp()
      : new NoAnswer("the receiver closed the connection during its answer");
  // For bytes that are no HTTP response, undici throws errors of several kinds, also failed assertions.
  return error instanceof errors.InvalidArgumentError ? error : new NoAnswer(INVALID);
}
