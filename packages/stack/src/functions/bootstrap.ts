import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Runs inside Deno, in one process per function. Makes the function's `Deno.serve` listen on a free
 * loopback port, reports the port to the parent process, and obeys commands on standard input.
 *
 * Arguments: the URL of the function's entrypoint, a token that marks every line for the parent,
 * and the names of variables that Deno needed and the function must not see.
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
const writeLine = (output: Output, words: string) =>
  output.writeSync(encoder.encode(`${token} ${words}\n`));
const report = (words: string) => writeLine(stdout, words);
const exit = Deno.exit.bind(Deno);
const memoryUsage = Deno.memoryUsage.bind(Deno);

/** Returns the memory of heap and buffers that the process uses, in bytes. */
function usedBytes(): number {
  const { heapUsed, external } = memoryUsage();
  return heapUsed + external;
}

/** The id of the current request. */
const answered = new AsyncLocalStorage<string>();

/** Marks console lines with the id of their request, whenever it changes. */
function markLines(output: Output, methods: readonly ("log" | "warn")[]) {
  let last = "";
  for (const method of methods) {
    const write = console[method].bind(console);
    console[method] = (...values: unknown[]) => {
      const id = answered.getStore() ?? "";
      if (id !== last) writeLine(output, `for ${id}`);
      last = id;
      write(...values);
    };
  }
}
markLines(stdout, ["log", "info", "debug", "dir", "dirxml"] as "log"[]);
markLines(stderr, ["warn", "error"] as "warn"[]);
// Deno's own last lines before it ends a process do not belong to the request that wrote last.
for (const fatal of ["error", "unhandledrejection"]) {
  addEventListener(fatal, () => writeLine(stderr, `for ${answered.getStore() ?? ""}`));
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
      onListen: ({ port }) => report(`port ${port} ${usedBytes()}`),
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

/** Work that continues after the answer. The process waits for it before it retires. */
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

/**
 * Obeys the parent's commands. Standard input ends when the parent is gone; then this process
 * exits.
 */
async function handleCommands() {
  const words = Deno.stdin.readable.pipeThrough(
    new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>,
  );
  for await (const chunk of words as unknown as AsyncIterable<string>) {
    for (const line of chunk.split("\n")) {
      const [word, reason] = line.split(" ");
      if (word === "ping") report(`pong ${usedBytes()}`);
      if (word === "retire") {
        dispatchEvent(new CustomEvent("beforeunload", { detail: { reason } }));
        await Promise.allSettled([...background]);
        exit(0);
      }
    }
  }
  exit(0);
}

void handleCommands();
const { default: exported } = await import(entrypoint);
if (!serving && typeof exported?.fetch === "function") {
  Deno.serve({}, (request) => exported.fetch(request));
}
setTimeout(() => {
  if (!serving) throw new Error(`${entrypoint} did not call Deno.serve`);
}, SERVE_WITHIN_MS);
