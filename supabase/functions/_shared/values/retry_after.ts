/** Longest wait that is accepted, in seconds. */
const LONGEST = 3600;

/** The wait that `Retry-After` requests, in seconds, at most an hour; null if it is neither seconds nor a date. */
export function secondsToWait(value: string | null, now = new Date()): number | null {
  let seconds = Number.NaN;
  if (value === null) return null;
  if (/^\d+$/.test(value)) seconds = Number(value);
  // `Date.parse` accepts many other texts as dates, so the form is checked first.
  else if (/^\w+, .+ GMT$/.test(value))
    seconds = Math.ceil((Date.parse(value) - now.getTime()) / 1000);
  return Number.isNaN(seconds) ? null : Math.min(LONGEST, Math.max(0, seconds));
}
