/**
 * When a job is due, as returned by `cron.read_schedule`: an interval, the stack's start, or
 * minutes.
 */
export type Schedule = { seconds: number } | { start: true } | Minutes;

interface Minutes {
  minutes: number[];
  hours: number[];
  days: number[];
  months: number[];
  /** Both 0 and 7 are Sunday. */
  weekdays: number[];
  last_day: boolean;
  /**
   * True if a day must match both of its fields, because one begins with `*`; otherwise either is
   * enough.
   */
  both_days: boolean;
}

/** Whether a job is due in the minute that begins at `minute`. */
export function isDue(schedule: Minutes, minute: Date): boolean {
  const tomorrow = new Date(minute.getTime() + 86_400_000);
  const day =
    schedule.days.includes(minute.getUTCDate()) ||
    (schedule.last_day && tomorrow.getUTCDate() === 1);
  const weekday = minute.getUTCDay();
  const suits = schedule.weekdays.some((wanted) => wanted % 7 === weekday);
  return (
    schedule.minutes.includes(minute.getUTCMinutes()) &&
    schedule.hours.includes(minute.getUTCHours()) &&
    schedule.months.includes(minute.getUTCMonth() + 1) &&
    (schedule.both_days ? day && suits : day || suits)
  );
}
