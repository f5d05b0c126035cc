import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { join, relative, sep } from "node:path";
import type { Duplex } from "node:stream";
import { watch } from "chokidar";
import type { Service, ServiceContext } from "../service.js";
import { authorize } from "./authorize.js";
import { entrypointOf, findDeno, lacksImportMap } from "./deno.js";
import { readEnvironment } from "./environment.js";
import { connect, type ForwardedRequest, forward, hasBody, IdleTimeout } from "./forward.js";
import { hostedLimits, type Limits } from "./limits.js";
import { createReaper } from "./reaper.js";
import { REQUEST_ID, refuse } from "./refusals.js";
import { startWorker, type Worker } from "./worker.js";

const DEBOUNCE_MS = 100;
/** Minimum time before a request starts a function again that failed to start. */
const RETRY_MS = 2000;

/**
 * Serves `supabase/functions/<name>/index.ts` under `/<name>/…`, each in its own Deno process.
 * Resolves when every function listens or has failed to start, unless they start on demand. `program`: the path of Deno's
 * program. Throws `Refusal`.
 */
export async function createFunctions(
  s: ServiceContext,
  limits: Limits = hostedLimits,
  program?: string,
): Promise<Service> {
  if (!s.config.edge_runtime.enabled) {
    return { fetch: () => refuse("NOT_FOUND"), close: async () => {} };
  }
  const deno = program ?? findDeno();
  const folder = join(s.config.root, "supabase", "functions");
  const log = s.log.of("functions");
  const reaper = createReaper();
  let environment = await readEnvironment(s);
  let closing = false;

  /** The worker for the next request of each function. */
  const current = new Map<string, Worker>();
  /** Every running process, including those that retire. */
  const living = new Set<Worker>();
  const failedAt = new Map<string, number>();

  const exists = (name: string) =>
    /^[A-Za-z][\w-]*$/.test(name) &&
    s.config.functions[name]?.enabled !== false &&
    existsSync(entrypointOf(s.config, name));

  async function functionNames(): Promise<string[]> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isDirectory() && exists(entry.name)).map((e) => e.name);
  }

  function workerOf(name: string): Worker {
    const running = current.get(name);
    if (running?.usable) return running;
    running?.retire("wall_clock");
    const worker = startWorker({
      name,
      program: deno,
      config: s.config,
      environment,
      limits,
      reaper,
      log: s.log.of(`functions/${name}`),
    });
    current.set(name, worker);
    living.add(worker);
    void worker.gone.then((ending) => {
      living.delete(worker);
      if (current.get(name) === worker) current.delete(name);
      if (ending === "failed to start") failedAt.set(name, Date.now());
    });
    return worker;
  }

  /** Returns the name of the function that a path asks for, or a refusal. */
  async function admit({ method = "GET", headers }: IncomingMessage, { pathname }: URL) {
    const name = pathname.split("/")[1] ?? "";
    if (!exists(name)) return refuse("NOT_FOUND");
    if (s.config.functions[name]?.verify_jwt === false) return name;
    return (await authorize(method, headers, s.keys)) ?? name;
  }

  async function serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const id = randomUUID();
    const url = new URL(s.url + incoming.url);
    const admitted = await admit(incoming, url);
    const refusal =
      typeof admitted === "string"
        ? await forwardTo(admitted, incoming, answer, url, id)
        : admitted;
    if (!refusal) return;
    // Unread bytes of the body would block the next request on the connection.
    incoming.resume();
    const text = await refusal.text();
    answer.writeHead(refusal.status, {
      ...Object.fromEntries(refusal.headers),
      [REQUEST_ID]: id,
      "content-length": Buffer.byteLength(text),
    });
    answer.end(text);
  }

  /** Returns a worker that listens and is held, or null if the function does not start. */
  async function holdWorker(name: string, id: string): Promise<ForwardedRequest | null> {
    if (closing || Date.now() - (failedAt.get(name) ?? 0) < RETRY_MS) return null;
    const worker = workerOf(name);
    const released = worker.hold();
    const port = await worker.port;
    if (port !== null) return { id, worker, port, released };
    released();
    return null;
  }

  /** Forwards a request to the function; resolves to a refusal to send in its place, or null. */
  async function forwardTo(
    name: string,
    incoming: IncomingMessage,
    answer: ServerResponse,
    url: URL,
    id: string,
    again = true,
  ): Promise<Response | null> {
    const forwarded = await holdWorker(name, id);
    if (!forwarded) return refuse("BOOT_ERROR");
    try {
      return await forward(incoming, answer, url, forwarded, limits.idleMs);
    } catch (error) {
      forwarded.released();
      if (error instanceof IdleTimeout) {
        const seconds = Math.round(limits.idleMs / 1000);
        return refuse("IDLE_TIMEOUT", `Request idle timeout limit (${seconds}s) reached`);
      }
      if (answer.destroyed) return null;
      const ending = await endingSoon(forwarded.worker);
      // The worker ended before it received the request, so a new one may handle it.
      const notReceived =
        (error as NodeJS.ErrnoException).code === "ECONNREFUSED" && !hasBody(incoming);
      if (again && notReceived && !forwarded.worker.usable) {
        return await forwardTo(name, incoming, answer, url, id, false);
      }
      return refuse(ending === "over its limits" ? "WORKER_RESOURCE_LIMIT" : "WORKER_ERROR");
    }
  }

  async function openWebsocket(incoming: IncomingMessage, socket: Duplex, head: Buffer) {
    const url = new URL(s.url + (incoming.url ?? "").replace(/^\/functions\/v1/, ""));
    const id = randomUUID();
    const admitted = await admit(incoming, url);
    if (typeof admitted !== "string") return admitted;
    const forwarded = await holdWorker(admitted, id);
    if (!forwarded) return refuse("BOOT_ERROR");
    try {
      return await connect(incoming, url, socket, head, forwarded);
    } catch {
      forwarded.released();
      return refuse("WORKER_ERROR");
    }
  }

  async function reload(names: Iterable<string>) {
    environment = await readEnvironment(s);
    for (const name of names) {
      failedAt.delete(name);
      current.get(name)?.retire();
      current.delete(name);
      if (!closing && exists(name)) void workerOf(name);
    }
  }

  const changed = new Set<string>();
  let debounce: NodeJS.Timeout | undefined;
  const watcher = watch(folder, {
    ignoreInitial: true,
    ignored: (path) => /[\\/](node_modules|\.git)([\\/]|$)/.test(relative(folder, path)),
  });
  watcher.on("all", (_event, path) => {
    changed.add(relative(folder, path).split(sep)[0] ?? "");
    clearTimeout(debounce);
    debounce = setTimeout(async () => {
      const known = await functionNames();
      const touched = [...changed];
      changed.clear();
      // Files outside of a single function's folder may be used by all functions.
      const own = touched.every((name) => known.includes(name) || current.has(name));
      const names = own ? touched : [...new Set([...known, ...current.keys()])];
      if (names.length > 0) log.info(`changed, loading again: ${names.join(", ")}`);
      await reload(names);
    }, DEBOUNCE_MS);
  });
  watcher.on("error", (error) => log.error("cannot watch supabase/functions", error));
  await new Promise((resolve) => watcher.once("ready", resolve as () => void));

  const started = Date.now();
  const names = await functionNames();
  const unmapped = names.filter((name) => lacksImportMap(s.config, name));
  if (unmapped.length > 0) {
    log.warn(
      `when deployed, ${unmapped.join(", ")} would not find supabase/functions/deno.json: ` +
        'set import_map = "./functions/deno.json" under [functions.<name>] in supabase/config.toml',
    );
  }
  const first = s.functionsOnDemand ? [] : names;
  const ports = await Promise.all(first.map((name) => workerOf(name).port));
  const listening = first.filter((_, i) => ports[i] !== null);
  if (listening.length > 0) log.info(`${listening.join(", ")} in ${Date.now() - started} ms`);

  return {
    serve,
    upgrade(incoming, socket, head) {
      openWebsocket(incoming, socket, head)
        .then((answer) => answer && endWith(answer, socket))
        .catch((error) => {
          log.error("a websocket could not be opened", error);
          socket.destroy();
        });
    },
    async close() {
      closing = true;
      clearTimeout(debounce);
      await watcher.close();
      await Promise.all([...living].map((worker) => worker.end()));
      reaper.close();
    },
  };
}

/** Answers a handshake that failed. */
async function endWith(answer: Response, socket: Duplex): Promise<void> {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const text = await answer.text();
  const reason = STATUS_CODES[answer.status] ?? "";
  socket.end(`HTTP/1.1 ${answer.status} ${reason}\r\n${headers}connection: close\r\n\r\n${text}`);
}

/** A connection usually breaks because its process ends: waits up to 300 ms for the reason. */
function endingSoon(worker: Worker) {
  return Promise.race([
    worker.gone,
    new Promise<null>((resolve) => setTimeout(resolve, 300, null).unref()),
  ]);
}
