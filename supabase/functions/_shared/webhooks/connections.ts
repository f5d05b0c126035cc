import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import { Client } from "undici";
import { type Answer, HungUp, NoAnswer, Reading, reasonOf } from "./answer.ts";
import { withoutContinue } from "./continue.ts";
import { hostOf, portOf } from "./reach.ts";

// `fetch` would ask for the name's address once more, after it was checked; `node:http` takes no `lookup` in the
// Deno 2.1 that hosted projects run. Deno's own sockets connect to a number and prove a certificate by
// a name, in every version; undici speaks HTTP over them.
interface Socket {
  read(into: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

interface PlainSocket extends Socket {
  setNoDelay(on: boolean): void;
}

interface SecureSocket extends Socket {
  handshake(): Promise<unknown>;
}

const { Deno } = globalThis as unknown as {
  Deno: {
    connect(to: { hostname: string; port: number }): Promise<PlainSocket>;
    startTls(
      over: PlainSocket,
      how: { hostname: string; alpnProtocols: string[] },
    ): Promise<SecureSocket>;
  };
};

/** So many connections wait for their next delivery, ten of fifty receivers; of more, the one that waits longest is closed. */
const MOST_IDLE = 500;
/** So many of a name's addresses are tried, each so long while there is another. */
const MOST_ADDRESSES = 4;
const ADDRESS_MS = 3000;

/**
 * TLS handshakes that were given up, by address. Closing one does not close its socket: Deno holds it until
 * the receiver lets go of it. A receiver that never does gets no more than so many.
 */
const abandoned = new Map<string, number>();
const MOST_ABANDONED = 10;

const READ_BYTES = 16_384;
const HEADER_BYTES = 16_384;
/** Below what web servers allow by themselves. */
const KEEP_MS = 3000;

const UNREACHED = "the receiver could not be reached";

/** The connections that wait, the one that does so longest first. */
const idle = new Set<Connection>();
/** The same by where they lead. */
const idleTo = new Map<string, Connection[]>();

const encoder = new TextEncoder();

/** A socket as Node's streams are, for undici. */
class SocketStream extends Duplex {
  /** How many bytes of the current answer have come. */
  heard = 0;
  /** The bytes of an answer that may begin with `100 Continue`; null once its own status has come. */
  #beginning: Buffer | null = Buffer.alloc(0);
  readonly #socket: Socket;
  readonly #buffer = Buffer.alloc(READ_BYTES);

  constructor(socket: Socket) {
    super({ decodeStrings: false });
    this.#socket = socket;
  }

  /** Expects the answer to the next request. */
  expectAnswer(): void {
    this.heard = 0;
    this.#beginning = Buffer.alloc(0);
  }

  override _read(): void {
    // A connection that breaks is at its end: what the receiver had said until then tells what it means.
    this.#socket.read(this.#buffer).then(
      (count) => {
        if (count === null) return this.#end();
        this.heard += count;
        const bytes = Buffer.from(this.#buffer.subarray(0, count));
        if (this.#beginning === null) this.push(bytes);
        else this.#begin(Buffer.concat([this.#beginning, bytes]));
      },
      () => this.#end(),
    );
  }

  /** Passes on the beginning of an answer, or reads on where it may still be `100 Continue`. */
  #begin(bytes: Buffer): void {
    const { answer, isOpen } = withoutContinue(bytes);
    this.#beginning = isOpen && answer.length < HEADER_BYTES ? answer : null;
    if (this.#beginning === null) this.push(answer);
    else this._read();
  }

  #end(): void {
    if (this.#beginning !== null && this.#beginning.length > 0) this.push(this.#beginning);
    this.#beginning = null;
    this.push(null);
  }

  override _write(chunk: string | Uint8Array, _: string, done: () => void): void {
    this._writev([{ chunk }], done);
  }

  /** A request's head, which is text, and its body: one write for both, since each is a call into the system. */
  override _writev(chunks: { chunk: string | Uint8Array }[], done: () => void): void {
    const bytes = chunks.map(({ chunk }) =>
      // A URL and the headers that we set hold nothing but ASCII.
      typeof chunk === "string" ? encoder.encode(chunk) : chunk,
    );
    // A receiver may answer, and hang up, before it has read everything: its answer counts.
    this.#writeAll(bytes.length === 1 ? (bytes[0] as Uint8Array) : Buffer.concat(bytes)).then(
      () => done(),
      () => done(),
    );
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.close();
    done(error);
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    for (let sent = 0; sent < bytes.length; )
      sent += await this.#socket.write(bytes.subarray(sent));
  }
}

/** What is sent to a receiver. */
export interface Post {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A connection to a checked address, over which one request after the other goes to one origin. */
export class Connection {
  readonly #stream: SocketStream;
  readonly #client: Client;
  readonly #to: string;

  constructor(origin: string, address: string, socket: Socket) {
    this.#to = placeOf(origin, address);
    const stream = new SocketStream(socket);
    this.#stream = stream;
    this.#client = new Client(origin, {
      ...{ keepAliveTimeout: KEEP_MS, keepAliveMaxTimeout: KEEP_MS },
      // Its timers are coarse, and the receiver must not be the first to close.
      keepAliveTimeoutThreshold: 2000,
      maxHeaderSize: HEADER_BYTES,
      // The signal is the limit.
      ...{ headersTimeout: 0, bodyTimeout: 0 },
      // undici would connect anew by itself: this one is the only connection there is. It listens to
      // no answer that is given at once.
      connect: (_, connected) =>
        queueMicrotask(() => {
          if (stream.destroyed) connected(new HungUp(), null);
          else connected(null, stream as never);
        }),
    });
    this.#client.on("disconnect", () => this.close());
  }

  /** Sends a request and reads the answer; then waits for the next one, or is closed. Throws `NoAnswer`. */
  async exchange(post: Post, signal: AbortSignal): Promise<Answer> {
    this.#stream.expectAnswer();
    try {
      const reading = new Reading(signal);
      this.#client.dispatch({ ...post, method: "POST" }, reading);
      const answer = await reading.answer;
      this.#wait();
      return answer;
    } catch (error) {
      this.close();
      throw reasonOf(error, this.#stream.heard);
    }
  }

  /** Ends its waiting. */
  take(): void {
    if (!idle.delete(this)) return;
    const others = (idleTo.get(this.#to) ?? []).filter((other) => other !== this);
    if (others.length > 0) idleTo.set(this.#to, others);
    else idleTo.delete(this.#to);
  }

  close(): void {
    this.take();
    this.#stream.destroy();
    if (!this.#client.destroyed) void this.#client.destroy();
  }

  #wait(): void {
    if (this.#stream.destroyed) return;
    idle.add(this);
    idleTo.set(this.#to, [...(idleTo.get(this.#to) ?? []), this]);
    const [longest] = idle;
    if (idle.size > MOST_IDLE) longest?.close();
  }
}

/** A connection that waits for a delivery to one of these addresses: of several the one that was used last. */
export function waitingConnection(url: URL, addresses: string[]): Connection | null {
  for (const address of addresses) {
    const connection = idleTo.get(placeOf(url.origin, address))?.at(-1);
    connection?.take();
    if (connection) return connection;
  }
  return null;
}

function placeOf(origin: string, address: string): string {
  return `${origin} ${address}`;
}

/** Connects to the first of these addresses that lets it. Throws `NoAnswer`. */
export async function connect(
  url: URL,
  addresses: string[],
  signal: AbortSignal,
): Promise<Connection> {
  const tried = addresses.slice(0, MOST_ADDRESSES);
  for (const address of tried.slice(0, -1)) {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(ADDRESS_MS)]);
    try {
      return new Connection(url.origin, address, await open(url, address, patience));
    } catch {
      // There is another.
      signal.throwIfAborted();
    }
  }
  const last = tried.at(-1) as string;
  return new Connection(url.origin, last, await open(url, last, signal));
}

/** Connects, unless the signal comes first; what is opened after it is closed again. */
async function open(url: URL, address: string, signal: AbortSignal): Promise<Socket> {
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new NoAnswer(UNREACHED));
    signal.addEventListener("abort", stop);
  });
  try {
    const opening = url.protocol === "https:" ? openSecure : openPlain;
    return await Promise.race([stopped, opening(url, address, signal)]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function openPlain(url: URL, address: string, signal: AbortSignal): Promise<PlainSocket> {
  const socket = await Deno.connect({ hostname: address, port: portOf(url) }).catch(() => {
    throw new NoAnswer(UNREACHED);
  });
  if (signal.aborted) {
    socket.close();
    throw signal.reason;
  }
  socket.setNoDelay(true);
  return socket;
}

async function openSecure(url: URL, address: string, signal: AbortSignal): Promise<SecureSocket> {
  if ((abandoned.get(address) ?? 0) >= MOST_ABANDONED)
    throw new NoAnswer("the receiver leaves secure connections unfinished");
  const plain = await openPlain(url, address, signal);
  const hostname = hostOf(url);
  const secure = await Deno.startTls(plain, { hostname, alpnProtocols: ["http/1.1"] });
  const abandon = () => abandoned.set(address, (abandoned.get(address) ?? 0) + 1);
  if (signal.aborted) abandon();
  else signal.addEventListener("abort", abandon);
  try {
    await secure.handshake();
    signal.throwIfAborted();
    return secure;
  } catch (error) {
    secure.close();
    throw new NoAnswer(
      /certificate/i.test(String(error))
        ? "the receiver's certificate is not valid"
        : "no secure connection to the receiver could be made",
    );
  } finally {
    signal.removeEventListener("abort", abandon);
    if (signal.aborted) letGo(address);
  }
}

function letGo(address: string): void {
  const left = (abandoned.get(address) ?? 0) - 1;
  if (left > 0) abandoned.set(address, left);
  else abandoned.delete(address);
}
