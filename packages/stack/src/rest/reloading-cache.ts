import type { Config } from "../config.js";
import type { Database } from "../db/database.js";
import type { Log } from "../log.js";
import { buildCache, type SchemaCache } from "./cache.js";
import { introspect } from "./introspection.js";

/** The schema cache, which reloads itself when the schema changes. */
export interface ReloadingCache {
  readonly current: SchemaCache;
  /** Reads the schema again; afterwards the cache contains everything committed before the call. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** Reads the exposed schemas, and again after each `notify pgrst`. */
export async function openCache(
  db: Database,
  api: Config["api"],
  log: Log,
): Promise<ReloadingCache> {
  let current: SchemaCache | undefined;
  let known = "";
  const load = async () => {
    const catalog = await introspect(db, api.schemas, api.extra_search_path);
    const read = JSON.stringify(catalog);
    if (read === known) return;
    known = read;
    current = buildCache(catalog, api.schemas, (current?.generation ?? 0) + 1);
  };
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = () => {
    running = load().finally(() => {
      running = null;
    });
    return running;
  };
  function reload(): Promise<void> {
    if (!running) return begin();
    // The current read may have started too early: all callers share the one that follows it.
    const follow = () => {
      next = null;
      return begin();
    };
    next ??= running.then(follow, follow);
    return next;
  }

  // Listens before the first read, so that no change is missed between them.
  const stop = await db.listen("pgrst", () => {
    reload().catch((error) => log.error("cannot read the database's schema", error));
  });
  try {
    await reload();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get current() {
      return current!;
    },
    reload,
    close: stop,
  };
}
