import type { Database } from "../db/database.js";
import type { Log } from "../log.js";
import { type Broadcast, MAX_PAYLOAD_BYTES } from "./frames.js";
import type { Field } from "./payload.js";
import { type Rooms, roomOf } from "./rooms.js";

const SWEEP_MS = 3_600_000;
/** Maximum number of replayed messages, as hosted. */
const MAX_REPLAYED = 25;
/** The valid range of times: the years 0 to 9999, in ms since the epoch. */
const MOMENTS = [-62_167_219_200_000, 253_402_300_799_999] as const;

/**
 * The table `realtime.messages`: broadcasts from SQL, and messages that a private channel may
 * replay.
 */
export interface Messages {
  /** Broadcasts a row of the table that was just committed. */
  deliver(row: Field[]): void;
  /**
   * Returns the newest broadcasts on a private topic since `since` (ms), oldest first; null for an
   * invalid time.
   */
  since(topic: string, since: unknown, limit: unknown): Promise<Replayed[] | null>;
  close(): void;
}

export interface Replayed {
  id: string;
  broadcast: Broadcast;
}

interface Row {
  id: string;
  event: string | null;
  payload: unknown;
  binary: string | null;
}

export async function createMessages(db: Database, log: Log, rooms: Rooms): Promise<Messages> {
  // Hosted drops partitions of older days.
  const sweep = () =>
    db.query("delete from realtime.messages where inserted_at < now() - interval '3 days'");
  await sweep();
  const sweeping = setInterval(() => {
    sweep().catch((error) => log.error("old messages could not be deleted", error));
  }, SWEEP_MS);

  return {
    close: () => clearInterval(sweeping),
    deliver(row) {
      const fields = new Map(row);
      const read = (name: string) => JSON.parse(fields.get(name) ?? "null");
      const event: string | null = read("event");
      const binary: string | null = read("binary_payload");
      // The payload stays text, so that large numbers keep their precision.
      const bytes = bytesOf(binary) ?? Buffer.from(fields.get("payload") ?? "null");
      const isEmpty = binary === null && fields.get("payload") === "null";
      if (event === null || isEmpty || read("private") === null) return;
      if (bytes.length > MAX_PAYLOAD_BYTES) {
        return log.warn("UnableToBroadcastChanges: a message is larger than 3,000 KB");
      }
      const encoding = binary === null ? "json" : "binary";
      const meta = { id: read("id") };
      const broadcast: Broadcast = { form: "user", event, encoding, bytes, meta };
      rooms.broadcast(roomOf(read("topic"), read("private")), broadcast);
    },
    async since(topic, since, limit) {
      if (!Number.isInteger(since) || !Number.isInteger(limit)) return null;
      if (Number(since) < MOMENTS[0] || Number(since) > MOMENTS[1]) return null;
      const rows = await db.query<Row>(
        `select id::text, event, payload, binary_payload::text as binary
         from realtime.messages
         where topic = $1 and private and extension = 'broadcast'
           and inserted_at >= to_timestamp($2::text::float8 / 1000)
           and inserted_at < now() + interval '1 minute'
         order by inserted_at desc
         limit $3::text::int`,
        [topic, String(since), String(Math.max(1, Math.min(Number(limit), MAX_REPLAYED)))],
      );
      return rows.reverse().map(replayed);
    },
  };
}

function replayed({ id, event, payload, binary }: Row): Replayed {
  const meta = { replayed: true, id };
  const bytes = bytesOf(binary);
  const broadcast: Broadcast = bytes
    ? { form: "user", event: event ?? "", encoding: "binary", bytes, meta }
    : { form: "map", payload: { type: "broadcast", event, payload, meta } };
  return { id, broadcast };
}

/** Decodes bytes from Postgres' format `\x…`. */
const bytesOf = (text: string | null) => (text === null ? null : Buffer.from(text.slice(2), "hex"));
