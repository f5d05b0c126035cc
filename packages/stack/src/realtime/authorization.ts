import { randomUUID } from "node:crypto";
import { type Database, isDatabaseError, type Queryable } from "../db/database.js";
import type { Claims } from "../keys.js";
import type { Log } from "../log.js";

export type Extension = "broadcast" | "presence";

/** The claims of a token, and the headers of its request, which policies can read. */
export interface Identity {
  claims: Claims;
  headers: Record<string, string>;
}

/**
 * The permissions on a private channel by the policies of `realtime.messages`. A policy that raises
 * an error allows nothing.
 */
export interface Authorization {
  /** The extensions that a client may receive. */
  readable(topic: string, who: Identity, asked: Extension[]): Promise<Set<Extension>>;
  /** The extensions that a client may send. */
  writable(topic: string, who: Identity): Promise<Set<Extension>>;
}

/** Carries a result out of a transaction that must not commit. */
class RollBack extends Error {
  constructor(readonly allowed: Set<Extension>) {
    super("rolled back on purpose");
  }
}

/** Tests the policies with rows that are rolled back, as hosted. */
export function createAuthorization(db: Database, log: Log): Authorization {
  async function probe(work: (tx: Queryable) => Promise<Set<Extension>>): Promise<Set<Extension>> {
    try {
      return await db.transaction({}, async (tx) => {
        throw new RollBack(await work(tx));
      });
    } catch (error) {
      if (error instanceof RollBack) return error.allowed;
      if (!isDatabaseError(error)) throw error;
      log.warn(`a policy of realtime.messages raises: ${error.message}`);
      return new Set();
    }
  }

  const become = (tx: Queryable, topic: string, { claims, headers }: Identity) =>
    tx.query(
      `select set_config('realtime.topic', $1, true), set_config('request.jwt.claims', $2, true),
         set_config('request.jwt.claim.sub', $3, true), set_config('request.jwt.claim.role', $4, true),
         set_config('request.headers', $5, true), set_config('role', $4, true)`,
      [topic, JSON.stringify(claims), claims.sub ?? null, claims.role, JSON.stringify(headers)],
    );

  return {
    readable: (topic, who, asked) =>
      probe(async (tx) => {
        const rows = asked.map((extension) => ({ id: randomUUID(), topic, extension }));
        await tx.query(
          `insert into realtime.messages (id, topic, extension)
           select id, topic, extension from json_populate_recordset(null::realtime.messages, $1::text::json)`,
          [JSON.stringify(rows)],
        );
        await become(tx, topic, who);
        const seen = await tx.query<{ extension: Extension }>(
          `select extension from realtime.messages
           where id in (select json_array_elements_text($1::text::json)::uuid)`,
          [JSON.stringify(rows.map(({ id }) => id))],
        );
        return new Set(seen.map(({ extension }) => extension));
      }),
    writable: (topic, who) =>
      probe(async (tx) => {
        await become(tx, topic, who);
        const allowed = new Set<Extension>();
        for (const extension of ["broadcast", "presence"] as const) {
          await tx.query("savepoint probe");
          try {
            const row = "insert into realtime.messages (topic, extension) values ($1, $2)";
            await tx.query(row, [topic, extension]);
            allowed.add(extension);
          } catch (error) {
            if (!isDatabaseError(error)) throw error;
            await tx.query("rollback to savepoint probe");
          }
        }
        return allowed;
      }),
  };
}
