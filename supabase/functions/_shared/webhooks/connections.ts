import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import { Client } from "undici";
import { type Answer, HungUp, NoAnswer, Reading, reasonOf } from "./answer.ts";
import { withoutContinue } from "./continue.ts";
import { hostOf, portOf } from "./reach.ts";

// `fetch` would resolve the name again after the address was checked. `node:http` does not support `lookup` in Deno 2.1,
// which hosted projects run. Deno's own sockets connect to an address and verify the certificate by name in every
// version. undici speaks HTTP over them.
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

/** Maximum number of idle connections: ten for each of fifty receivers. Above it, the longest idle one is closed. */
const MOST_IDLE = 500;
/** Maximum number of a name's addresses that are tried. */
const MOST_ADDRESSES = 4;
/** Timeout of a connection attempt while there is another address, in milliseconds. */
const ADDRESS_MS = 3000;

/**
 * Abandoned TLS handshakes by address. Closing one does not close its socket: Deno keeps it until the receiver closes it.
 * A receiver that never does can hold at most MOST_ABANDONED.
 */
const abandoned = new Map<string, number>();
const MOST_ABANDONED = 10;

const READ_BYTES = 16_384;
const HEADER_BYTES = 16_384;
/** Time until an idle connection is closed, in milliseconds. It is shorter than the defaults of web servers. */
const KEEP_MS = 3000;

const UNREACHED = "the receiver could not be reached";

/** Idle connections, the longest idle one first. */
const idle = new Set<Connection>();
/** Idle connections by origin and address. */
const idleTo = new Map<string, Connection[]>();

const encoder = new TextEncoder();

/** A socket as a Node stream, for undici. */
class SocketStream extends Duplex {
  /** Number of bytes of the current response that have arrived. */
  heard = 0;
  /** The start of a response that may begin with `100 Continue`; null after the final status line. */
  #beginning: Buffer | null = Buffer.alloc(0);
  readonly #socket: Socket;
  readonly #buffer = Buffer.alloc(READ_BYTES);

  constructor(socket: Socket) {
    super({ decodeStrings: false });
    this.#socket = socket;
  }

  /** Resets the state for the response to the next request. */
  expectAnswer(): void {
    this.heard = 0;
    this.#beginning = Buffer.alloc(0);
  }

  override _read(): void {
    // A broken connection counts as its end: the bytes until then decide the outcome.
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

  /** Passes on the start of a response, or reads more if it may still be `100 Continue`. */
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

  /** Writes a request's head, which is text, and its body in one system call. */
  override _writev(chunks: { chunk: string | Uint8Array }[], done: () => void): void {
    const bytes = chunks.map(({ chunk }) =>
      // URLs and our headers are ASCII only.
      typeof chunk === "string" ? encoder.encode(chunk) : chunk,
    );
    // A receiver may respond and close before it has read everything. Its response counts, so write errors are ignored.
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

/** A request to a receiver. */
export interface Post {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A connection to a checked address. It sends requests to one origin, one after another. */
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
      // undici's timers are coarse, and the receiver must not close first.
      keepAliveTimeoutThreshold: 2000,
      maxHeaderSize: HEADER_BYTES,
      // The signal ends the exchange instead.
      ...{ headersTimeout: 0, bodyTimeout: 0 },
      // undici would reconnect by itself, but this is the only allowed connection. It ignores a callback that is called
      // synchronously.
      connect: (_, connected) =>
        queueMicrotask(() => {
          if (stream.destroyed) connected(new HungUp(), null);
          else connected(null, stream as never);
        }),
    });
    this.#client.on("disconnect", () => this.close());
  }

  /** Sends a request and reads the response. Then the connection is idle, or closed after an error. Throws `NoAnswer`. */
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

  /** Removes the connection from the idle ones. */
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

/** The most recently used idle connection to one of these addresses. */
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

/** Connects to the first reachable address. Throws `NoAnswer`. */
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
      // The next address is tried.
      signal.throwIfAborted();
    }
  }
  const last = tried.at(-1) as string;
  return new Connection(url.origin, last, await open(url, last, signal));
}

/** Opens a socket. If the signal aborts first, a socket that opens later is closed. */
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
    throw new NoAnswer("the receiver does not complete TLS handshakes");
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
        : "the TLS handshake with the receiver failed",
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
