import { afterAll, beforeAll, expect, it } from "vitest";
import { restJob } from "../clock.js";
import { query } from "../database.js";
import { openPlace } from "../place.js";
import { call, type Person, register, supabaseAs, useStack } from "../souk.js";
import { type RunningStack, setRateLimit, startStack } from "../stack.js";
import { calls } from "./calls.js";
import { reads } from "./expected.js";
import { expectNothingOf, rowsOf } from "./neighbours.js";
import { addressOf, operations } from "./operations.js";
import { openTenantRecords, type Row, type TenantRecords } from "./tenant-records.js";

// A role that no rule mentions, such as one that is added later: it sees what every member may see, and nothing else.

const ROLE = "auditor";

/** Tables that every member sees: its tenant, suppliers, public media, published content, and search synonyms. */
const everybodys = [
  ...["categories", "content_types", "media_assets", "media_folders", "published_content"],
  ...["search_synonyms", "suppliers", "tenants"],
];

/** Functions that return the member's own or shared records. */
const functionsOfAll = [
  ...["get_category", "list_categories"],
  ...["get_content", "list_content"],
  ...["get_media", "list_media", "list_media_folders"],
  ...["me", "my_tenants", "open_tenant", "switch_tenant", "list_payment_methods"],
];

/** Operations for every member. Other lists are empty; all other operations answer 403 or 404. */
const operationsOfAll = [
  ...["GET /auth/me", "GET /auth/tenants", "POST /auth/tenants", "POST /auth/switch"],
  ...["GET /api/tenant", "GET /api/event-types"],
  ...["GET /api/suppliers", "GET /api/suppliers/{id}"],
  ...["GET /api/categories", "GET /api/categories/{id}"],
  ...["GET /api/media", "GET /api/media/{id}", "GET /api/media/folders"],
  ...["GET /api/content-types", "GET /api/content-types/{key}"],
  ...["GET /api/content-types/{key}/workflow"],
  ...["GET /api/content/{type}", "GET /api/content/{type}/{id}"],
  ...["GET /api/search/synonyms", "GET /api/search/synonyms/{id}"],
];

let stack: RunningStack;
let drop = async () => {};
let tenantRecords: TenantRecords;
let auditor: Person;
let relations: { name: string }[];

beforeAll(async () => {
  // A separate database, because a value cannot be removed from an enum.
  const place = await openPlace();
  drop = place.drop;
  stack = await startStack(place.options, {
    functions: ["api", "auth", "export-dispatch", "mail-dispatch", "render", "webhook-dispatch"],
  });
  useStack(stack);
  await setRateLimit(stack, "address", 1_000_000);
  await setRateLimit(stack, "customer", 1000);
  // It would write rows about the lists that these tests request, while they compare all rows.
  await restJob("count-auctions");
  tenantRecords = await openTenantRecords("unnamed");
  // It was a customer, and still has its customer record.
  auditor = await register({ tenant_id: tenantRecords.tenantId });
  await query(`alter type public.member_role add value '${ROLE}'`);
  await query("update public.members set role = $1 where user_id = $2", [ROLE, auditor.id]);
  relations = Object.keys(reads).map((name) => ({ name }));
});

afterAll(async () => {
  useStack(undefined);
  await tenantRecords?.receiver.close();
  await stack?.stop();
  await drop();
});

it("sees its tenant, itself and shared records in all tables and views", async () => {
  const all = await rowsOf(tenantRecords, relations);
  const seen = await Promise.all(
    relations.map(async ({ name }) => {
      const { data } = await supabaseAs(auditor).from(name).select().throwOnError();
      return [name, data as Row[]] as const;
    }),
  );
  const expected = relations.map(({ name }) => {
    const rows = all[name] as Row[];
    // Private media are not shared.
    if (everybodys.includes(name)) return [name, rows.filter((row) => !row.private).length];
    return [name, name === "members" ? 1 : 0];
  });
  expect(Object.fromEntries(seen.map(([name, rows]) => [name, rows.length]))).toEqual(
    Object.fromEntries(expected),
  );
  expect(seen.find(([name]) => name === "members")?.[1]).toMatchObject([{ user_id: auditor.id }]);
});

it("gets and changes nothing else with any function", async () => {
  const before = await rowsOf(tenantRecords, relations);
  const db = supabaseAs(auditor);
  for (const [name, attempts] of Object.entries(calls)) {
    // It calls other functions, which are all tested here.
    if (name === "perform_once") continue;
    for (const sent of attempts?.(tenantRecords, tenantRecords) ?? []) {
      const { data, error } = await db.rpc(name, sent);
      // Every member reads published content, and only editors read drafts.
      const isDraft = name === "get_content" && sent.id !== tenantRecords.page.slug;
      if (isDraft && error?.code === "PT404") continue;
      // The page of a category, or with an asset, shows what every member sees.
      const isEverybodys =
        name === "template_inputs" && (sent.options?.category_id ?? sent.options?.asset_ids);
      if (isEverybodys || functionsOfAll.includes(name))
        expect([name, error]).toEqual([name, null]);
      else expectNothingOf(tenantRecords, [name, data, error], sent);
    }
  }
  // `open_tenant` and `switch_tenant` were called. Its own membership is unchanged.
  expect(await rowsOf(tenantRecords, relations)).toEqual(before);
});

it("gets 403, 404 or an empty answer from all other operations", async () => {
  const before = await rowsOf(tenantRecords, relations);
  const found: string[] = [];
  for (const [name, { body, type, open }] of Object.entries(operations)) {
    // The schema of members only allows the existing roles, so it is not even shown itself.
    if (open || name === "GET /api/members" || name === "POST /auth/logout") continue;
    const { method, path } = addressOf(name, tenantRecords);
    const sent = body?.(tenantRecords);
    const answer = await call(method, path, {
      as: auditor,
      body: sent,
      headers: type ? { "content-type": type } : {},
    });
    if ([403, 404].includes(answer.status)) continue;
    if (operationsOfAll.includes(name)) found.push(name);
    else {
      expect([name, answer.status]).toEqual([name, 200]);
      expectNothingOf({ ...tenantRecords, member: {} }, answer.body, [path, sent, auditor]);
    }
  }
  expect(found.sort()).toEqual(operationsOfAll.sort());
  expect(await rowsOf(tenantRecords, relations)).toEqual(before);
});

it("has the rate limit of a customer", async () => {
  const { headers } = await call("GET", "/api/tenant", { as: auditor });
  expect(headers.get("ratelimit-limit")).toBe("1000");
});
