import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { watch } from "chokidar";
import type { Service, Surroundings } from "../service.js";
import { authorize } from "./authorize.js";
import { entrypointOf, findDeno, lacksImportMap } from "./deno.js";
import { readEnvironment } from "./environment.js";
import { forward, IdleTimeout } from "./forward.js";
import { refuse } from "./refusals.js";
import { createWarden } from "./warden.js";
import { hostedLimits, type Limits, startWorker, type Worker } from "./worker.js";

const DEBOUNCE_MS = 100;
/** A function that failed to start is tried again by a request no sooner than this. */
const RETRY_MS = 2000;

/**
 * Serves `supabase/functions/<name>/index.ts` under `/<name>/…`, each in a Deno process of its own.
 * Resolves when every function listens or has failed to start. Throws `Refusal`.
 */
export async function createFunctions(
  s: Surroundings,
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

  async function fetch(request: Request): Promise<Response> {
    const name = new URL(request.url).pathname.split("/")[1] ?? "";
    if (!exists(name)) return refuse("NOT_FOUND");
    if (s.config.functions[name]?.verify_jwt !== false) {
      const refusal = await authorize(request, s.keys);
      if (refusal) return refusal;
    }
    return await run(name, request, true);
  }

  async function run(name: string, request: Request, again: boolean): Promise<Response> {
    if (closing || Date.now() - (failedAt.get(name) ?? 0) < RETRY_MS) return refuse("BOOT_ERROR");
    const worker = workerOf(name);
    const release = worker.hold();
    const port = await worker.port;
    if (port === null) {
      release();
      return refuse("BOOT_ERROR");
    }
    try {
      return await forward(request, worker, port, limits.idleMs, release);
    } catch (error) {
      if (error instanceof IdleTimeout) {
        const seconds = Math.round(limits.idleMs / 1000);
        return refuse("IDLE_TIMEOUT", `Request idle timeout limit (${seconds}s) reached`);
      }
      if (request.signal.aborted) return new Response(null, { status: 499 });
      const ending = await endingSoon(worker);
      // It ended before the request reached it, so that the next one may have it.
      const unheard = (error as NodeJS.ErrnoException).code === "ECONNREFUSED" && !request.body;
      if (again && unheard && !worker.usable) return await run(name, request, false);
      return refuse(ending === "over its limits" ? "WORKER_RESOURCE_LIMIT" : "WORKER_ERROR");
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
      // Whatever is not inside one function's folder may be used by all of them.
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
    fetch,
    async close() {
      closing = true;
      clearTimeout(debounce);
      await watcher.close();
      await Promise.all([...living].map((worker) => worker.end()));
      warden.close();
    },
  };
}

/** A broken connection is mostly the first sign of a process that ends; its reason follows at once. */
function endingSoon(worker: Worker) {
  return Promise.race([
    worker.gone,
    new Promise<null>((resolve) => setTimeout(resolve, 300, null).unref()),
  ]);
}
