import type { ZoneOffsets } from "./zones.ts";

/** A date or a time as a text, a number or a record of the page has it. */
export interface Time {
  /** Milliseconds since 1970; of a time without a zone, as if it were in UTC. */
  at: number;
  /** Whether it has no zone: it is shown as it is, everywhere. */
  isLocal: boolean;
  /** Whether it is a date without a time. */
  isDay: boolean;
}

const TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)\d*(?:(Z)|([+-]\d{2}):?(\d{2})?)?)?$/i;

/** Seconds since 1970 as text. Shorter numbers are more likely years and amounts. */
const UNIX_TIME = /^-?\d{9,13}$/;

/** From here on a number is in milliseconds: as seconds, it would be after the year 5000. */
const LEAST_MILLISECONDS = 100_000_000_000;

/** Reads a date, a time, `now`, `today`, or a Unix time; undefined for other values. */
export function timeOf(value: unknown): Time | undefined {
  const read = typeof value === "string" ? value.trim() : value;
  if (read instanceof Date) return instant(read.getTime());
  if (typeof read === "number") return unixTime(read);
  if (typeof read !== "string") return undefined;
  if (/^(?:now|today)$/i.test(read)) return instant(Date.now());
  if (UNIX_TIME.test(read)) return unixTime(Number(read));
  const [, day, time, utc, hours, minutes = "00"] = TIME.exec(read) ?? [];
  // JavaScript reads the 30th of February as the 2nd of March.
  if (day === undefined || !toIso(Date.parse(`${day}T00:00:00Z`)).startsWith(day)) return undefined;
  const offset = hours === undefined ? "Z" : `${hours}:${minutes}`;
  const isLocal = utc === undefined && hours === undefined;
  const found = instant(Date.parse(`${day}T${time ?? "00:00"}${offset}`));
  return found && { ...found, isLocal, isDay: time === undefined };
}

const unixTime = (value: number) =>
  instant(Math.abs(value) < LEAST_MILLISECONDS ? value * 1000 : value);

const toIso = (at: number) => (Number.isNaN(at) ? "" : new Date(at).toISOString());

function instant(at: number): Time | undefined {
  const isTime = !Number.isNaN(new Date(at).getTime());
  return isTime ? { at, isLocal: false, isDay: false } : undefined;
}

/** The offset of a time zone from UTC at a time, in minutes: as the database has it, otherwise as the engine does. */
export function offsetAt(at: number, timeZone: string, offsets: ZoneOffsets | undefined): number {
  if (!offsets) return engineOffset(at, timeZone);
  const [first] = offsets;
  const held = offsets.findLast(([from]) => from * 1000 <= at) ?? first;
  return Math.round((held?.[1] ?? 0) / 60);
}

/** For letters that are rendered without a database, such as samples. */
function engineOffset(at: number, timeZone: string): number {
  if (timeZone === "UTC") return 0;
  try {
    const format = new Intl.DateTimeFormat("sv", {
      ...{ timeZone, dateStyle: "short", timeStyle: "medium" },
    });
    const shown = Date.parse(`${format.format(at).replace(" ", "T")}Z`);
    return Math.round((shown - at) / 60_000);
  } catch {
    return 0;
  }
}
