import { databaseAsService } from "../http/authenticate.ts";
import { environment } from "../http/environment.ts";

/**
 * The offsets of a time zone from UTC, as the database has them: from which second since 1970 an offset of how many seconds
 * holds, in their order. The first also holds before.
 */
export type ZoneOffsets = readonly (readonly [from: number, offset: number])[];

/** Time for which offsets are kept, in milliseconds. The zone data of the database change with its updates only. */
const KEPT_MS = 3_600_000;

const kept = new Map<string, { offsets: Promise<ZoneOffsets>; until: number }>();

/** Reads the offsets of a time zone from the database. Engines' own zone data lag behind it by a year. */
export function readOffsets(timeZone: string): Promise<ZoneOffsets> {
  const known = kept.get(timeZone);
  if (known && Date.now() < known.until) return known.offsets;
  const offsets = offsetsIn(timeZone);
  kept.set(timeZone, { offsets, until: Date.now() + KEPT_MS });
  // An error is thrown where it is awaited, and is not kept.
  offsets.catch(() => kept.delete(timeZone));
  return offsets;
}

async function offsetsIn(time_zone: string): Promise<ZoneOffsets> {
  const db = databaseAsService(AbortSignal.timeout(environment.requestTimeoutMs));
  const { data } = await db.rpc("zone_offsets", { time_zone }).throwOnError();
  return data as ZoneOffsets;
}
