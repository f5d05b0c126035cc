import { randomUUID } from "node:crypto";
import { type Database, isDatabaseError, type Queryable } from "../db/database.js";
import type { Claims } from "../keys.js";
import type { Log } from "../log.js";

export type Extension = "broadcast" | "presence";

/** What the policies of `realtime.messages` allow somebody on a private channel. */
export interface Permissions {
  read: Record<Extension, boolean>;
  write: Record<Extension, boolean>;
}

export interface Authorization {
  /** Answers "no" to everything where a policy raises. */
  permissions(topic: string, claims: Claims): Promise<Permissions>;
}

const extensions: Extension[] = ["broadcast", "presence"];

/** Carries an answer out of a transaction that must not commit. */
class RollBack extends Error {
  constructor(readonly allowed: Record<Extension, boolean>) {
    super("rolled back on purpose");
  }
}

/** Probes the policies with rows that are rolled back, as hosted does. */
export function createAuthorization(db: Database, log: Log): Authorization {
  async function probe(
    work: (tx: Queryable) => Promise<Record<Extension, boolean>>,
  ): Promise<Record<Extension, boolean>> {
    try {
      return await db.transaction({}, async (tx) => {
        throw new RollBack(await work(tx));
      });
    } catch (error) {
      if (error instanceof RollBack) return error.allowed;
      if (!isDatabaseError(error)) throw error;
      log.warn(`a policy of realtime.messages raises: ${error.message}`);
      return { broadcast: false, presence: false };
    }
  }

  const become = (tx: Queryable, topic: string, { role, sub = "", ...rest }: Claims) =>
    tx.query(
      `select set_config('realtime.topic', $1, true), set_config('request.jwt.claims', $2, true),
         set_config('request.jwt.claim.sub', $3, true), set_config('request.jwt.claim.role', $4, true),
         set_config('role', $4, true)`,
      [topic, JSON.stringify({ role, ...(sub === "" ? {} : { sub }), ...rest }), sub, role],
    );

  return {
    async permissions(topic, claims) {
      const read = await probe(async (tx) => {
        const ids = { broadcast: randomUUID(), presence: randomUUID() };
        await tx.query(
          `insert into realtime.messages (id, topic, extension)
           values ($1::uuid, $3, 'broadcast'), ($2::uuid, $3, 'presence')`,
          [ids.broadcast, ids.presence, topic],
        );
        await become(tx, topic, claims);
        const seen = await tx.query<{ extension: Extension }>(
          "select extension from realtime.messages where id in ($1::uuid, $2::uuid)",
          [ids.broadcast, ids.presence],
        );
        const sees = (extension: Extension) => seen.some((row) => row.extension === extension);
        return { broadcast: sees("broadcast"), presence: sees("presence") };
      });
      const write = await probe(async (tx) => {
        await become(tx, topic, claims);
        const allowed = { broadcast: false, presence: false };
        for (const extension of extensions) {
          await tx.query("savepoint probe");
          try {
            await tx.query("insert into realtime.messages (topic, extension) values ($1, $2)", [
              topic,
              extension,
            ]);
            allowed[extension] = true;
          } catch (error) {
            if (!isDatabaseError(error)) throw error;
            await tx.query("rollback to savepoint probe");
          }
        }
        return allowed;
      });
      return { read, write };
    },
  };
}
