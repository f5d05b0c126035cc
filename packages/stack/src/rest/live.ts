import type { Config } from "../config.js";
import type { Database } from "../db/database.js";
import type { Log } from "../log.js";
import { buildCache, type SchemaCache } from "./cache.js";
import { introspect } from "./introspection.js";

/** The schema cache, kept up to date. */
export interface LiveCache {
  readonly current: SchemaCache;
  /** Reads the schema anew; whatever was committed before the call is in it afterwards. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** Reads the exposed schemas, and reads them again at each `notify pgrst`. */
export async function openCache(db: Database, api: Config["api"], log: Log): Promise<LiveCache> {
  const load = async () =>
    buildCache(await introspect(db, api.schemas, api.extra_search_path), api.schemas);
  let current = await load();

  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = () => {
    running = load()
      .then((loaded) => {
        current = loaded;
      })
      .finally(() => {
        running = null;
      });
    return running;
  };
  function reload(): Promise<void> {
    if (!running) return begin();
    // The one under way may have looked too early: all who ask meanwhile share the one after it.
    const follow = () => {
      next = null;
      return begin();
    };
    next ??= running.then(follow, follow);
    return next;
  }

  const stop = await db.listen("pgrst", () => {
    reload().catch((error) => log.error("cannot read the database's schema", error));
  });
  return {
    get current() {
      return current;
    },
    reload,
    close: stop,
  };
}
