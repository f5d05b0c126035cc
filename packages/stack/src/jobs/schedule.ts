import { Cron } from "croner";

/** When a job is due, as pg_cron reads schedules: cron's five fields in GMT, or "N seconds". */
export type Schedule =
  | { kind: "interval"; seconds: number }
  | { kind: "minutes"; isDue(minute: Date): boolean }
  | { kind: "start" };

/** Throws where pg_cron would refuse the schedule. */
export function parseSchedule(text: string): Schedule {
  const trimmed = text.trim();
  const seconds = Number(/^(\d{1,2})\s+seconds?$/i.exec(trimmed)?.[1]);
  if (seconds >= 1 && seconds <= 59) return { kind: "interval", seconds };
  if (/^@reboot$/i.test(trimmed)) return { kind: "start" };
  // pg_cron writes the last day of the month as `$`, croner as `L`.
  const pattern = trimmed.replace(/^(\S+\s+\S+\s+)\$(?=\s)/, "$1L");
  const mode = pattern.startsWith("@") ? "auto" : "5-part";
  const cron = new Cron(pattern, { timezone: "UTC", mode, paused: true });
  return { kind: "minutes", isDue: (minute) => cron.match(minute) };
}
