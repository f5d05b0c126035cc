import { PGlite, type Results, type Transaction } from "@electric-sql/pglite";
import { btree_gist } from "@electric-sql/pglite/contrib/btree_gist";
import { citext } from "@electric-sql/pglite/contrib/citext";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { pgcrypto } from "@electric-sql/pglite/contrib/pgcrypto";
import { unaccent } from "@electric-sql/pglite/contrib/unaccent";
import { uuid_ossp } from "@electric-sql/pglite/contrib/uuid_ossp";
import { vector } from "@electric-sql/pglite-pgvector";
import type { Database, Parameter, Queryable, Settings } from "./database.js";
import { readers, settingsStatement } from "./database.js";

/** Types whose text the services want as Postgres wrote it: dates and numbers JavaScript would round. */
const keptAsText = [1082, 1083, 1114, 1184, 1186, 1266, 1700];

const parsers = {
  ...Object.fromEntries(keptAsText.map((oid) => [oid, (text: string) => text])),
  ...readers,
};

/** Bytes come as the text Postgres reads (`\\x…`), like every other parameter. */
const serializers = { 17: (text: string) => text };

/**
 * Opens the embedded Postgres kept in `folder` (null: in memory only).
 *
 * PGlite has one session. Its own lock lets one transaction in at a time, and statements outside a
 * transaction wait for it, so identities never mix as long as everything goes through here.
 */
export async function openPglite(folder: string | null): Promise<Database> {
  return asDatabase(await startPglite(folder));
}

/** PGlite itself, with every extension it has that a project may ask for. */
export function startPglite(folder: string | null): Promise<PGlite> {
  return PGlite.create({
    dataDir: folder ?? "memory://",
    extensions: { btree_gist, citext, pg_trgm, pgcrypto, unaccent, uuid_ossp, vector },
  });
}

export async function asDatabase(pg: PGlite): Promise<Database> {
  const rowsOf = <Row>(results: Results<unknown>) => results.rows as Row[];

  async function query<Row>(sql: string, params: readonly Parameter[] = []): Promise<Row[]> {
    return rowsOf<Row>(await pg.query(sql, [...params], { parsers, serializers }));
  }

  async function transaction<T>(settings: Settings, work: (tx: Queryable) => Promise<T>) {
    return (await pg.transaction(async (inner: Transaction) => {
      const tx: Queryable = {
        query: async <Row>(sql: string, params: readonly Parameter[] = []) =>
          rowsOf<Row>(await inner.query(sql, [...params], { parsers, serializers })),
      };
      const opening = settingsStatement(settings);
      if (opening) await tx.query(opening.sql, opening.params);
      return await work(tx);
    })) as T;
  }

  const [row] = await query<{ version: string }>(
    "select current_setting('server_version_num') as version",
  );

  return {
    server: "pglite",
    version: Number(row?.version),
    url: null,
    query,
    transaction,
    run: (settings, sql, params) => transaction(settings, (tx) => tx.query(sql, params)),
    execute: async (script) => {
      await pg.exec(script);
    },
    listen: async (channel, hear) => {
      const stop = await pg.listen(channel, hear);
      return () => stop();
    },
    close: () => pg.close(),
  };
}
