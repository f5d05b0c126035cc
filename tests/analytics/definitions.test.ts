import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { definitions } from "../../supabase/functions/_shared/analytics/definitions.ts";
import { call, must, openTestTenant } from "../souk.js";

// Each figure is defined once. The API and the docs page show that definition.

describe("the definitions", () => {
  it("are readable with any token", async () => {
    const { customer } = await openTestTenant();
    expect(await must("GET", "/api/analytics/definitions", { as: customer })).toEqual({
      definitions,
    });
    expect((await call("GET", "/api/analytics/definitions")).status).toBe(401);
  });

  it("only describe figures that their reports contain", async () => {
    const { operator } = await openTestTenant();
    for (const { name, reports } of definitions) {
      for (const report of reports) {
        const type = name === "cohorts.revenue" ? "?type=revenue" : "";
        const answer = await must("GET", `/api/analytics/${report}${type}`, { as: operator });
        const { paths, components } = (await call("GET", "/api/openapi.json")).body;
        const schema =
          paths[`/api/analytics/${report}`].get.responses["200"].content["application/json"].schema;
        const described = JSON.stringify(components.schemas[schema.$ref.split("/").at(-1)]);
        const text = JSON.stringify(answer) + described;
        expect(text, `${report} ${name}`).toContain(`"${name.split(".").at(-1)}"`);
      }
    }
  });

  it("include every number that a report contains", async () => {
    const { paths, components } = (await call("GET", "/api/openapi.json")).body;
    const named = new Set(definitions.map(({ name }) => name.split(".").at(-1) as string));
    // These names are part of another figure, whose name precedes them.
    const ofOthers = ["total", "value", "total_revenue", "total_orders", "rank", "new", "count"];
    const reports = new Set(definitions.flatMap(({ reports }) => reports));
    for (const report of reports) {
      const { schema } =
        paths[`/api/analytics/${report}`].get.responses["200"].content["application/json"];
      const numbers: string[] = [];
      // biome-ignore lint/suspicious/noExplicitAny: a JSON schema.
      const look = (part: any, name: string): void => {
        const kinds = [part.type].flat();
        if (kinds.includes("number") || kinds.includes("integer")) numbers.push(name);
        for (const [inner, of] of Object.entries(part.properties ?? {})) look(of, inner);
        if (part.items) look(part.items, name);
        if (part.$ref) look(components.schemas[part.$ref.split("/").at(-1)], name);
      };
      look(schema, report);
      const missing = numbers.filter((name) => !named.has(name) && !ofOthers.includes(name));
      expect(missing, report).toEqual([]);
    }
  });

  it("are the same in docs/analytics.md and in the API", () => {
    const page = readFileSync("docs/analytics.md", "utf8");
    const section = page.slice(page.indexOf("## What the figures mean")).split("\n## ")[0] ?? "";
    const rows = [...section.matchAll(/^\| `(.+?)` \| (\w+) \| (.+?) \| (.+?) \| `(.+?)` \|$/gm)];
    expect(
      rows.map(([, name, unit, reports, meaning, formula]) => ({
        name,
        unit,
        reports: reports?.split(", ").map((report) => report.replaceAll("`", "")),
        meaning,
        formula,
      })),
    ).toEqual(definitions);
  });
});
