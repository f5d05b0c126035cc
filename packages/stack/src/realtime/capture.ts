import { setTimeout as pause } from "node:timers/promises";
import { DatabaseAway } from "../db/away.js";
import type { Database } from "../db/database.js";
import type { Log } from "../log.js";
import { type Change, type Field, fieldsOf } from "./payload.js";
import { createQueue, type Queue } from "./queue.js";

/** The queue of captured changes: switches capture on and off, and empties the queue. */
export interface Capture {
  /** Resolves when changes are captured. They are captured until every hold is released. */
  hold(): Promise<void>;
  release(): void;
  /** Updates the triggers to the tables that are published now. */
  follow(): Promise<void>;
  close(): Promise<void>;
}

/** The receiver of changes and messages from the queue. */
interface Consumer<Recipient> {
  /** Called while the queue is locked for taking a batch, so that it matches the batch. */
  recipients(): Set<Recipient>;
  /**
   * Removes each recipient who received everything from `recipients`, so that the rest can be
   * retried.
   */
  deliverChanges(changes: Change[], recipients: Set<Recipient>): Promise<void>;
  /** Receives a row of `realtime.messages`. */
  deliverMessage(row: Field[]): void;
  /** Called when the set of published tables changes. */
  publicationChanged(): void;
}

/** Capture ends by itself after this time, in case the service crashes. */
const LEASE = "10 minutes";
const RENEW_MS = 120_000;
const RETRY_MS = 500;
const MAX_FAILURES = 20;
const BATCH_ROWS = 500;
const BATCH_BYTES = 4_000_000;
/** PGlite has no autovacuum: without a vacuum the emptied queue keeps its pages. */
const VACUUM_AFTER_ROWS = 10_000;

/**
 * All changes of a transaction get the time of its last one, which is the closest to its commit.
 *
 * Deletes by ctid, which never changes because rows of the queue are not updated. A join would be
 * planned badly, because the table's statistics are always out of date.
 */
const takeSql = `
with batch as (
  delete from realtime.changes
  where ctid = any (array(
    select place_in_table
    from (
      select place_in_table, row_number() over (order by seq) as place,
        sum(octet_length(coalesce(record::text, '')) + octet_length(coalesce(old_record::text, '')))
          over (order by seq) as bytes
      from (
        select ctid as place_in_table, seq, record, old_record
        from realtime.changes
        order by seq
        limit ${BATCH_ROWS}
      ) as head
    ) as measured
    where place = 1 or bytes <= ${BATCH_BYTES}
  ))
  returning *
)
select relation::text, action, transaction::text,
  to_char(
    max(at) over (partition by transaction) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
  ) as at,
  record::text, old_record::text
from batch
order by seq`;

interface CapturedChange extends Omit<Change, "fields" | "old_fields"> {
  record: string | null;
  old_record: string | null;
}

/** Starts with an empty queue and capture switched off. */
export async function createCapture<Recipient>(
  db: Database,
  log: Log,
  enqueue: Queue,
  consumer: Consumer<Recipient>,
): Promise<Capture> {
  const switching = createQueue();
  const following = createQueue();
  let holds = 0;
  let on = false;
  let closed = false;
  let draining: Promise<void> | null = null;
  let again = false;
  let drained = 0;
  /** Changes that were taken from the queue but not yet delivered to all recipients. */
  let undelivered: { changes: Change[]; recipients: Set<Recipient> } | null = null;
  let failures = 0;

  const renew = () =>
    db.query(
      `select setval('realtime.capture_until', extract(epoch from now() + interval '${LEASE}')::bigint)`,
    );
  async function switchOff() {
    await db.query("select setval('realtime.capture_until', 1)");
    await db.query("delete from realtime.changes");
  }
  /** Switches capture on if there is a hold, and off if there is none. */
  async function followHolds() {
    if (holds > 0 && !on) {
      await renew();
      on = true;
    } else if (holds === 0 && on) {
      on = false;
      await switchOff();
    }
  }

  /** The same, retried until the database is available again. */
  async function followHoldsLater() {
    while (!closed) {
      await pause(RETRY_MS);
      try {
        return await switching(followHolds);
      } catch (error) {
        if (!(error instanceof DatabaseAway)) throw error;
      }
    }
  }
  function onReconnect() {
    // The database may have been unavailable for longer than the lease.
    switching(async () => void (on && (await renew()))).catch((error) =>
      log.error("capture could not be renewed", error),
    );
    wake();
  }

  async function deliver() {
    if (undelivered) await consumer.deliverChanges(undelivered.changes, undelivered.recipients);
    undelivered = null;
  }
  async function takeBatch(): Promise<boolean> {
    await deliver();
    const { taken, recipients } = await enqueue(async () => ({
      taken: await db.query<CapturedChange>(takeSql),
      recipients: consumer.recipients(),
    }));
    const rows = taken.map(({ record, old_record, ...row }) => {
      return { ...row, fields: fieldsOf(record), old_fields: fieldsOf(old_record) };
    });
    drained += rows.length;
    undelivered = { changes: rows.filter((row) => row.relation !== messages), recipients };
    for (const row of rows)
      if (row.relation === messages) consumer.deliverMessage(row.fields ?? []);
    await deliver();
    return rows.length > 0;
  }

  async function drain() {
    do {
      again = false;
      try {
        while (!closed && (await takeBatch())) failures = 0;
        if (db.server === "pglite" && drained >= VACUUM_AFTER_ROWS && !closed) {
          drained = 0;
          await db.execute("vacuum realtime.changes");
        }
      } catch (error) {
        if (closed) return;
        log.error("changes could not be delivered and are retried", error);
        // While the database is unavailable, the changes taken from the queue are kept and
        // delivered later.
        if (!(error instanceof DatabaseAway)) failures += 1;
        if (failures > MAX_FAILURES && undelivered) {
          log.error(
            `${undelivered.changes.length} changes are dropped, so that later ones are delivered`,
          );
          undelivered = null;
        }
        await pause(RETRY_MS);
        again = true;
      }
    } while (again && !closed);
  }
  function wake() {
    again = true;
    if (closed || draining) return;
    draining = drain().finally(() => {
      draining = null;
    });
  }

  const [row] = await db.query<{ oid: string }>(
    "select 'realtime.messages'::regclass::oid::text as oid",
  );
  const messages = row?.oid;
  await switchOff();
  const follow = () =>
    following(async () => {
      await db.query("select realtime.follow_publication()");
    });
  await follow().catch((error) =>
    log.warn(`the publication's tables are not captured yet: ${error.message}`),
  );
  const endings = [
    await db.listen("realtime_changes", wake, onReconnect),
    await db.listen("realtime_publication", consumer.publicationChanged),
  ];
  const renewing = setInterval(() => {
    if (on) renew().catch((error) => log.error("capture could not be renewed", error));
  }, RENEW_MS);

  return {
    async hold() {
      holds++;
      try {
        await switching(followHolds);
      } catch (error) {
        if (error instanceof DatabaseAway) {
          followHoldsLater().catch((late) => log.error("changes are not captured", late));
          return;
        }
        holds--;
        throw error;
      }
    },
    release() {
      holds--;
      switching(followHolds).catch((error) => {
        if (!closed) log.error("capture could not be switched off", error);
      });
    },
    follow,
    async close() {
      closed = true;
      clearInterval(renewing);
      await Promise.all(endings.map((end) => end()));
      await draining;
      holds = 0;
      await switching(followHolds);
    },
  };
}
