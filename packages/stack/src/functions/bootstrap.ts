import { AsyncLocalStorage } from "node:async_hooks";
import process from "node:process";

/**
 * Runs inside Deno, one process per function: lets the function's `Deno.serve` listen on a free
 * port of the loopback, tells the parent which, and does what the parent says on standard input.
 *
 * Arguments: the address of the function's entrypoint, a token that heads every line meant for the
 * parent, and the names of variables that Deno itself needed and the function shall not see.
 */
type Handler = (request: Request, info: unknown) => Response | Promise<Response>;
type OnError = (error: unknown) => Response | Promise<Response>;

interface ServeOptions {
  handler?: Handler;
  onError?: OnError;
  hostname?: string;
  port?: number;
  onListen?: (address: { port: number }) => void;
}

interface Output {
  writeSync(bytes: Uint8Array): number;
}

declare const Deno: {
  args: string[];
  env: { delete(name: string): void };
  exit(code: number): never;
  memoryUsage(): { heapUsed: number; external: number };
  serve(options: ServeOptions, handler: Handler): unknown;
  stdin: { readable: ReadableStream<Uint8Array> };
  stdout: Output;
  stderr: Output;
};

const SERVE_WITHIN_MS = 1000;

const [entrypoint = "", token = "", hidden = ""] = Deno.args;
for (const name of hidden.split(",").filter(Boolean)) Deno.env.delete(name);

const encoder = new TextEncoder();
const { stdout, stderr } = Deno;
const say = (output: Output, words: string) =>
  output.writeSync(encoder.encode(`${token} ${words}\n`));
const tell = (words: string) => say(stdout, words);
const exit = Deno.exit.bind(Deno);
const memoryUsage = Deno.memoryUsage.bind(Deno);

/** What the process has used: milliseconds of CPU time, bytes of the heap and of buffers. */
function used(): string {
  const { user, system } = process.cpuUsage();
  const { heapUsed, external } = memoryUsage();
  return `${Math.round((user + system) / 1000)} ${heapUsed + external}`;
}

/** The id of the request that is being answered. */
const answered = new AsyncLocalStorage<string>();

/** Heads what the console writes with the request it is written for, where that has changed. */
function markLines(output: Output, methods: readonly ("log" | "warn")[]) {
  let last = "";
  for (const method of methods) {
    const write = console[method].bind(console);
    console[method] = (...values: unknown[]) => {
      const id = answered.getStore() ?? "";
      if (id !== last) say(output, `for ${id}`);
      last = id;
      write(...values);
    };
  }
}
markLines(stdout, ["log", "info", "debug", "dir", "dirxml"] as "log"[]);
markLines(stderr, ["warn", "error"] as "warn"[]);
// The lines that Deno writes before it ends a process do not belong to the request that wrote last.
for (const fatal of ["error", "unhandledrejection"]) {
  addEventListener(fatal, () => say(stderr, `for ${answered.getStore() ?? ""}`));
}

const serve = Deno.serve.bind(Deno);
let serving = false;
Deno.serve = (first: ServeOptions | Handler, second?: Handler) => {
  const options = typeof first === "function" ? {} : first;
  const handler = typeof first === "function" ? first : (second ?? first.handler);
  if (!handler) throw new TypeError("Deno.serve was given no handler");
  serving = true;
  const onError: OnError =
    options.onError ??
    ((error) => {
      console.error(error);
      return new Response("Internal Server Error", { status: 500 });
    });
  return serve(
    {
      hostname: "127.0.0.1",
      port: 0,
      onError,
      onListen: ({ port }) => tell(`port ${port} ${used()}`),
    },
    (request, info) =>
      answered.run(request.headers.get("sb-request-id") ?? "", async () => {
        try {
          return await handler(request, info);
        } catch (error) {
          return await onError(error);
        }
      }),
  );
};

/** Work that a function goes on with after its answer; the process waits for it before it retires. */
const background = new Set<Promise<unknown>>();
Object.assign(globalThis, {
  EdgeRuntime: {
    waitUntil(work: Promise<unknown>) {
      background.add(work);
      work.catch((error) => console.error(error)).finally(() => background.delete(work));
      return work;
    },
  },
});

/** Ends with the parent: when it is gone, standard input is at its end. */
async function obey() {
  const words = Deno.stdin.readable.pipeThrough(
    new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>,
  );
  for await (const chunk of words as unknown as AsyncIterable<string>) {
    for (const line of chunk.split("\n")) {
      const [word, reason] = line.split(" ");
      if (word === "ping") tell(`pong ${used()}`);
      if (word === "retire") {
        dispatchEvent(new CustomEvent("beforeunload", { detail: { reason } }));
        await Promise.allSettled([...background]);
        exit(0);
      }
    }
  }
  exit(0);
}

void obey();
const { default: exported } = await import(entrypoint);
if (!serving && typeof exported?.fetch === "function") {
  Deno.serve({}, (request) => exported.fetch(request));
}
setTimeout(() => {
  if (!serving) throw new Error(`${entrypoint} did not call Deno.serve`);
}, SERVE_WITHIN_MS);
