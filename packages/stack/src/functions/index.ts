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
import { connect, forward, hasBody, IdleTimeout, type Passage } from "./forward.js";
import { hostedLimits, type Limits } from "./limits.js";
import { REQUEST_ID, refuse } from "./refusals.js";
import { createWarden } from "./warden.js";
import { startWorker, type Worker } from "./worker.js";

const DEBOUNCE_MS = 100;
/** A function that failed to start is tried again by a request no sooner than this. */
const RETRY_MS = 2000;

/**
 * Serves `supabase/functions/<name>/index.ts` under `/<name>/…`, each in a Deno process of its own.
 * Resolves when every function listens or has failed to start. Throws `Refusal`.
 */
export async function createFunctions(
  s: ServiceContext,
  limits: Limits = hostedLimits,
): Promise<Service> {
  if (!s.config.edge_runtime.enabled) {
    return { fetch: () => refuse("NOT_FOUND"), close: async () => {} };
  }
  const program = findDeno();
  const folder = join(s.config.root, "supabase", "functions");
  const log = s.log.of("functions");
  const warden = createWarden();
  let environment = await readEnvironment(s);
  let closing = false;

  /** The worker that takes each function's next request. */
  const current = new Map<string, Worker>();
  /** Every process that lives, those that retire among them. */
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
      program,
      config: s.config,
      environment,
      limits,
      warden,
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

  /** The name of the function that a path asks for, or why it is not to be had. */
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
      typeof admitted === "string" ? await pass(admitted, incoming, answer, url, id) : admitted;
    if (!refusal) return;
    // The unread rest of its body stands before the connection's next request.
    incoming.resume();
    const text = await refusal.text();
    answer.writeHead(refusal.status, {
      ...Object.fromEntries(refusal.headers),
      [REQUEST_ID]: id,
      "content-length": Buffer.byteLength(text),
    });
    answer.end(text);
  }

  /** A worker that listens and is held, or null where the function does not start. */
  async function board(name: string, id: string): Promise<Passage | null> {
    if (closing || Date.now() - (failedAt.get(name) ?? 0) < RETRY_MS) return null;
    const worker = workerOf(name);
    const released = worker.hold();
    const port = await worker.port;
    if (port !== null) return { id, worker, port, released };
    released();
    return null;
  }

  /** Has the function answer; resolves to what is to be answered in its place, if anything is. */
  async function pass(
    name: string,
    incoming: IncomingMessage,
    answer: ServerResponse,
    url: URL,
    id: string,
    again = true,
  ): Promise<Response | null> {
    const passage = await board(name, id);
    if (!passage) return refuse("BOOT_ERROR");
    try {
      return await forward(incoming, answer, url, passage, limits.idleMs);
    } catch (error) {
      passage.released();
      if (error instanceof IdleTimeout) {
        const seconds = Math.round(limits.idleMs / 1000);
        return refuse("IDLE_TIMEOUT", `Request idle timeout limit (${seconds}s) reached`);
      }
      if (answer.destroyed) return null;
      const ending = await endingSoon(passage.worker);
      // It ended before the request reached it, so that the next one may have it.
      const unheard =
        (error as NodeJS.ErrnoException).code === "ECONNREFUSED" && !hasBody(incoming);
      if (again && unheard && !passage.worker.usable) {
        return await pass(name, incoming, answer, url, id, false);
      }
      return refuse(ending === "over its limits" ? "WORKER_RESOURCE_LIMIT" : "WORKER_ERROR");
    }
  }

  async function shakeHands(incoming: IncomingMessage, socket: Duplex, head: Buffer) {
    const url = new URL(s.url + (incoming.url ?? "").replace(/^\/functions\/v1/, ""));
    const id = randomUUID();
    const admitted = await admit(incoming, url);
    if (typeof admitted !== "string") return admitted;
    const passage = await board(admitted, id);
    if (!passage) return refuse("BOOT_ERROR");
    try {
      return await connect(incoming, url, socket, head, passage);
    } catch {
      passage.released();
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
      // A file outside the functions' own folders may be used by all of them.
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
      `deployed, ${unmapped.join(", ")} would not find supabase/functions/deno.json: ` +
        'set import_map = "./functions/deno.json" under [functions.<name>] in supabase/config.toml',
    );
  }
  const ports = await Promise.all(names.map((name) => workerOf(name).port));
  const listening = names.filter((_, i) => ports[i] !== null);
  if (listening.length > 0) log.info(`${listening.join(", ")} in ${Date.now() - started} ms`);

  return {
    serve,
    upgrade(incoming, socket, head) {
      shakeHands(incoming, socket, head)
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
      warden.close();
    },
  };
}

/** Answers a handshake that came to nothing. */
async function endWith(answer: Response, socket: Duplex): Promise<void> {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const text = await answer.text();
  const reason = STATUS_CODES[answer.status] ?? "";
  socket.end(`HTTP/1.1 ${answer.status} ${reason}\r\n${headers}connection: close\r\n\r\n${text}`);
}

/** A broken connection is mostly the first sign of a process that ends; its reason follows at once. */
function endingSoon(worker: Worker) {
  return Promise.race([
    worker.gone,
    new Promise<null>((resolve) => setTimeout(resolve, 300, null).unref()),
  ]);
}
