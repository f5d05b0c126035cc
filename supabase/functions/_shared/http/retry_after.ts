/** The longest wait that is believed, in seconds. */
const LONGEST = 3600;

/** What `Retry-After` asks for, in seconds, an hour at most; null where it is neither a number of seconds nor a date. */
export function secondsToWait(value: string | null, now = new Date()): number | null {
  let seconds = Number.NaN;
  if (value === null) return null;
  if (/^\d+$/.test(value)) seconds = Number(value);
  // Whatever else there is, `Date.parse` would take a good part of it for a date.
  else if (/^\w+, .+ GMT$/.test(value))
    seconds = Math.ceil((Date.parse(value) - now.getTime()) / 1000);
  return Number.isNaN(seconds) ? null : Math.min(LONGEST, Math.max(0, seconds));
}
