import { setTimeout as pause } from "node:timers/promises";
import { DatabaseAway } from "../db/away.js";
import type { Database } from "../db/database.js";
import type { Log } from "../log.js";
import { type Change, type Field, fieldsOf } from "./payload.js";
import { createTurns, type Turns } from "./turns.js";

/** The queue in the database: what switches it on and empties it. */
export interface Capture {
  /** Resolves when changes are captured; they are until each hold was released. */
  hold(): Promise<void>;
  release(): void;
  /** Puts the triggers on the tables that are published by now. */
  follow(): Promise<void>;
  close(): Promise<void>;
}

/** The listeners that get the changes of the queue. */
interface Audience<Hearing> {
  /** Asked in the same turn in which a batch is taken. */
  hearings(): Set<Hearing>;
  /** Takes out of `hearings` who was told everything, so that a failure can be made good. */
  hearChanges(changes: Change[], hearings: Set<Hearing>): Promise<void>;
  /** A row of `realtime.messages`. */
  hearMessage(row: Field[]): void;
  /** Other tables are published than before. */
  publicationChanged(): void;
}

/** Capture ends by itself so long after a service that could not end it. */
const LEASE = "10 minutes";
const RENEW_MS = 120_000;
const RETRY_MS = 500;
const MOST_FAILURES = 20;
const BATCH_ROWS = 500;
const BATCH_BYTES = 4_000_000;
/** PGlite has no autovacuum: without this the emptied queue keeps its pages. */
const VACUUM_AFTER_ROWS = 10_000;

/**
 * A transaction's changes share the time of the last one, as near to its commit as a trigger comes.
 *
 * By ctid, since nothing updates a row of the queue: its statistics are always out of date, and
 * would mislead a join.
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

interface Taken extends Omit<Change, "fields" | "old_fields"> {
  record: string | null;
  old_record: string | null;
}

/** Starts with an empty queue, switched off. */
export async function createCapture<Hearing>(
  db: Database,
  log: Log,
  inTurn: Turns,
  audience: Audience<Hearing>,
): Promise<Capture> {
  const switching = createTurns();
  const following = createTurns();
  let holds = 0;
  let on = false;
  let closed = false;
  let draining: Promise<void> | null = null;
  let again = false;
  let drained = 0;
  /** Taken from the queue and not told to everybody yet. */
  let untold: { changes: Change[]; hearings: Set<Hearing> } | null = null;
  let failures = 0;

  const renew = () =>
    db.query(
      `select setval('realtime.capture_until', extract(epoch from now() + interval '${LEASE}')::bigint)`,
    );
  async function switchOff() {
    await db.query("select setval('realtime.capture_until', 1)");
    await db.query("delete from realtime.changes");
  }
  /** Brings the switch to where the holds want it. */
  async function followHolds() {
    if (holds > 0 && !on) {
      await renew();
      on = true;
    } else if (holds === 0 && on) {
      on = false;
      await switchOff();
    }
  }

  /** The same, as soon as the database is back. */
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
  function comeBack() {
    // It may have been away for longer than what it was told last was good for.
    switching(async () => void (on && (await renew()))).catch((error) =>
      log.error("capture could not be prolonged", error),
    );
    wake();
  }

  async function tell() {
    if (untold) await audience.hearChanges(untold.changes, untold.hearings);
    untold = null;
  }
  async function takeBatch(): Promise<boolean> {
    await tell();
    const { taken, hearings } = await inTurn(async () => ({
      taken: await db.query<Taken>(takeSql),
      hearings: audience.hearings(),
    }));
    const rows = taken.map(({ record, old_record, ...row }) => {
      return { ...row, fields: fieldsOf(record), old_fields: fieldsOf(old_record) };
    });
    drained += rows.length;
    untold = { changes: rows.filter((row) => row.relation !== messages), hearings };
    for (const row of rows) if (row.relation === messages) audience.hearMessage(row.fields ?? []);
    await tell();
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
        log.error("changes could not be delivered; trying on", error);
        // However long the database is away, what was taken from it is told when it is back.
        if (!(error instanceof DatabaseAway)) failures += 1;
        if (failures > MOST_FAILURES && untold) {
          log.error(`${untold.changes.length} changes are given up, so that later ones are heard`);
          untold = null;
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
    await db.listen("realtime_changes", wake, comeBack),
    await db.listen("realtime_publication", audience.publicationChanged),
  ];
  const renewing = setInterval(() => {
    if (on) renew().catch((error) => log.error("capture could not be prolonged", error));
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
