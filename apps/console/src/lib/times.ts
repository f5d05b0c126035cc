/** A time as a field of the type datetime-local holds it: in the time zone of the browser, to the minute. */
export function typedTime(time: string): string {
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The time that such a field holds. */
export const timeFrom = (typed: string): string => new Date(typed).toISOString();
