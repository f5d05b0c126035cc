import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { query } from "../database.js";

/** The rows of the table of retention periods in docs/privacy.md: data, period and job. */
const rows = [
  ...readFileSync("docs/privacy.md", "utf8").matchAll(/^\| ([^|]+) \| ([^|]+) \| `([\w-]+)` \|$/gm),
].map(([, data, period, job]) => ({ data, period: period as string, job: job as string }));

/** The command of each job, with the text of the function that it calls. */
const jobs = await query<{ name: string; text: string }>(`
  select j.name, concat_ws(' ', j.command, string_agg(p.prosrc, ' ')) as text
  from private.jobs_due j
  left join pg_proc p
    on p.pronamespace in ('private'::regnamespace, 'public'::regnamespace) and j.command like '%' || p.proname || '(%'
  group by j.name, j.command`);
const textOf = new Map(jobs.map(({ name, text }) => [name, text]));

it("has the retention period of each of its rows from the job", async () => {
  expect(rows.length).toBeGreaterThan(10);
  const [setting] = await query<{ keep: string }>(
    "select extract(day from keep)::text as keep from private.event_retention",
  );
  for (const { data, period, job } of rows) {
    const text = textOf.get(job);
    expect([job, text !== undefined]).toEqual([job, true]);
    const [, count, unit] = /^(\d+) (\w+)/.exec(period) ?? [];
    if (!count) continue;
    // The dispatcher sets the end of an export's files.
    if (data === "files of exports") {
      const [end] = await query<{ text: string }>(
        "select prosrc as text from pg_proc where oid = 'private.end_export'::regproc",
      );
      expect(end?.text).toContain(`interval '${count} ${unit}'`);
    } else if (job === "forget-events") expect(setting?.keep).toBe(count);
    else
      expect([job, new RegExp(`'${count} ${unit}'|- ${count}\\b`).test(text as string)]).toEqual([
        job,
        true,
      ]);
  }
});

it("has a row for each job that deletes old rows by itself", () => {
  const listed = new Set(rows.map(({ job }) => job));
  /** Jobs that delete what has no personal data. */
  const others = [
    ...[
      "forget-visitor-event-counts",
      "forget-visitor-gaps",
      "forget-counts",
      "forget-content-previews",
    ],
    ...["forget-event-counts", "forget-auctions", "forget-sales", "forget-template-previews"],
    ...["forget-webhook-secrets"],
  ];
  const forgetting = [...textOf.keys()].filter((name) => name.startsWith("forget-"));
  expect(forgetting.filter((name) => !listed.has(name)).toSorted()).toEqual(others.toSorted());
});
