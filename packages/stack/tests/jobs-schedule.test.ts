import { describe, expect, test } from "vitest";
import { parseSchedule } from "../src/jobs/schedule.js";

const due = (schedule: string, minute: string) => {
  const parsed = parseSchedule(schedule);
  return parsed.kind === "minutes" && parsed.isDue(new Date(minute));
};

describe("schedules are read in GMT, as pg_cron reads them", () => {
  test.each([
    ["* * * * *", "2026-03-01T12:34:00Z", true],
    ["*/5 * * * *", "2026-03-01T12:35:00Z", true],
    ["*/5 * * * *", "2026-03-01T12:36:00Z", false],
    ["30 4 * * *", "2026-03-01T04:30:00Z", true],
    ["30 4 * * *", "2026-03-01T05:30:00Z", false],
    ["0 9-17/2 * * mon-fri", "2026-03-02T11:00:00Z", true],
    ["0 9-17/2 * * mon-fri", "2026-03-01T11:00:00Z", false],
    ["0 0 * * 7", "2026-03-01T00:00:00Z", true],
    ["0 0 * * 0", "2026-03-01T00:00:00Z", true],
    ["0 0 13 * fri", "2026-03-13T00:00:00Z", true],
    ["0 0 13 * fri", "2026-03-06T00:00:00Z", true],
    ["0 0 13 * fri", "2026-03-07T00:00:00Z", false],
    ["0 0 $ * *", "2026-02-28T00:00:00Z", true],
    ["0 0 $ * *", "2026-02-27T00:00:00Z", false],
    ["@hourly", "2026-03-01T12:00:00Z", true],
    ["@hourly", "2026-03-01T12:01:00Z", false],
    ["1,2,3 0 1 jan,mar *", "2026-03-01T00:02:00Z", true],
  ])("%s at %s: %s", (schedule, minute, expected) => {
    expect(due(schedule, minute)).toBe(expected);
  });

  test("intervals and the start", () => {
    expect(parseSchedule("30 seconds")).toEqual({ kind: "interval", seconds: 30 });
    expect(parseSchedule("1 second")).toEqual({ kind: "interval", seconds: 1 });
    expect(parseSchedule("@reboot")).toEqual({ kind: "start" });
    expect(() => parseSchedule("60 seconds")).toThrow();
    expect(() => parseSchedule("* * * * * *")).toThrow();
  });
});
