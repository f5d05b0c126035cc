/**
 * Runs inside Deno, one process per function: lets the function's `Deno.serve` listen on a free
 * port of the loopback, tells the parent which, and does what the parent says on standard input.
 *
 * Arguments: the address of the function's entrypoint, a token that heads every line meant for the parent, and the
 * names of variables that Deno itself needed and the function shall not see.
 */
type Handler = (request: Request, info: unknown) => Response | Promise<Response>;

interface ServeOptions {
  handler?: Handler;
  onError?: (error: unknown) => Response | Promise<Response>;
  hostname?: string;
  port?: number;
  onListen?: (address: { port: number }) => void;
}

declare const Deno: {
  args: string[];
  env: { delete(name: string): void };
  exit(code: number): never;
  serve(options: ServeOptions, handler: Handler): unknown;
  stdin: { readable: ReadableStream<Uint8Array> };
  stdout: { writeSync(bytes: Uint8Array): number };
};

const SERVE_WITHIN_MS = 1000;

const [entrypoint = "", token = "", hidden = ""] = Deno.args;
for (const name of hidden.split(",").filter(Boolean)) Deno.env.delete(name);

const encoder = new TextEncoder();
const write = Deno.stdout.writeSync.bind(Deno.stdout);
const exit = Deno.exit.bind(Deno);
const tell = (word: string) => write(encoder.encode(`${token} ${word}\n`));

const serve = Deno.serve.bind(Deno);
let serving = false;
Deno.serve = (first: ServeOptions | Handler, second?: Handler) => {
  const options = typeof first === "function" ? {} : first;
  const handler = typeof first === "function" ? first : (second ?? first.handler);
  if (!handler) throw new TypeError("Deno.serve was given no handler");
  serving = true;
  return serve(
    {
      hostname: "127.0.0.1",
      port: 0,
      onError: options.onError,
      onListen: ({ port }) => tell(`port ${port}`),
    },
    handler,
  );
};

/** Work that a function goes on with after its answer; the process waits for it before it retires. */
const background = new Set<Promise<unknown>>();
Object.assign(globalThis, {
  EdgeRuntime: {
    waitUntil(work: Promise<unknown>) {
      background.add(work);
      const done = () => background.delete(work);
      work.then(done, done);
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
    for (const word of chunk.split("\n")) {
      if (word === "ping") tell("pong");
      if (word === "retire") {
        await Promise.allSettled([...background]);
        exit(0);
      }
    }
  }
  exit(0);
}

void obey();
await import(entrypoint);
setTimeout(() => {
  if (!serving) throw new Error(`${entrypoint} did not call Deno.serve`);
}, SERVE_WITHIN_MS);
