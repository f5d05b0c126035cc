import { expect, it } from "vitest";
import { wallClock } from "../src/index.js";

it("shows a local text as the database wrote it, whatever the engine knows of its zone", () => {
  const format = new Intl.DateTimeFormat("en", {
    dateStyle: "short",
    timeStyle: "short",
    timeZone: "UTC",
  });
  expect(
    [
      "2026-11-19T00:30:00-06:00",
      "2026-11-19T23:59:59.999999+05:45",
      "2026-03-08T02:30:00+00:00",
    ].map((local) => format.format(wallClock(local)).replace(/\u202f/g, " ")),
  ).toEqual(["11/19/26, 12:30 AM", "11/19/26, 11:59 PM", "3/8/26, 2:30 AM"]);
});
