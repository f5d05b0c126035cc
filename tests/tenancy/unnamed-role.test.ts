import { afterAll, beforeAll, expect, it } from "vitest";
import { query } from "../database.js";
import { openPlace } from "../place.js";
import { call, type Person, register, supabaseAs, useStack } from "../souk.js";
import { type RunningStack, setRateLimit, startStack } from "../stack.js";
import { calls } from "./calls.js";
import { reads } from "./expected.js";
import { type Household, openHousehold, type Row } from "./household.js";
import { expectNothingOf, rowsOf } from "./neighbours.js";
import { addressOf, operations } from "./operations.js";

// A role that no rule names yet, as one that is added tomorrow: it sees what every member may, and nothing more.

const ROLE = "auditor";

/** What every member sees: its tenant, its sellers, its public media, its published content, and the search synonyms. */
const everybodys = [
  ...["categories", "content_types", "media_assets", "media_folders", "published_content"],
  ...["search_synonyms", "suppliers", "tenants"],
];

/** The functions that show a member its own, or what is everybody's. */
const functionsOfAll = [
  ...["get_category", "list_categories"],
  ...["get_content", "list_content"],
  ...["get_media", "list_media", "list_media_folders"],
  ...["me", "my_tenants", "open_tenant", "switch_tenant"],
];

/** And the operations. The other lists are empty; what else there is has no answer but 403 or 404. */
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
let household: Household;
let auditor: Person;
let relations: { name: string }[];

beforeAll(async () => {
  // A database of its own, since an enum never forgets a value.
  const place = await openPlace();
  drop = place.drop;
  stack = await startStack(place.options, {
    functions: ["api", "auth", "export-dispatch", "mail-dispatch", "render", "webhook-dispatch"],
  });
  useStack(stack);
  await setRateLimit(stack, "address", 1_000_000);
  await setRateLimit(stack, "customer", 1000);
  household = await openHousehold("unnamed");
  // It was a customer, and still is known as one.
  auditor = await register({ tenant_id: household.tenantId });
  await query(`alter type public.member_role add value '${ROLE}'`);
  await query("update public.members set role = $1 where user_id = $2", [ROLE, auditor.id]);
  relations = Object.keys(reads).map((name) => ({ name }));
});

afterAll(async () => {
  useStack(undefined);
  await household?.receiver.close();
  await stack?.stop();
  await drop();
});

it("sees its tenant, itself and what is everybody's, of all tables and views", async () => {
  const all = await rowsOf(household, relations);
  const seen = await Promise.all(
    relations.map(async ({ name }) => {
      const { data } = await supabaseAs(auditor).from(name).select().throwOnError();
      return [name, data as Row[]] as const;
    }),
  );
  const expected = relations.map(({ name }) => {
    const rows = all[name] as Row[];
    // Private media are not for everybody.
    if (everybodys.includes(name)) return [name, rows.filter((row) => !row.private).length];
    return [name, name === "members" ? 1 : 0];
  });
  expect(Object.fromEntries(seen.map(([name, rows]) => [name, rows.length]))).toEqual(
    Object.fromEntries(expected),
  );
  expect(seen.find(([name]) => name === "members")?.[1]).toMatchObject([{ user_id: auditor.id }]);
});

it("is told and changes nothing else, by all functions", async () => {
  const before = await rowsOf(household, relations);
  const db = supabaseAs(auditor);
  for (const [name, attempts] of Object.entries(calls)) {
    // Whose answer is another function's, each of which is asked here.
    if (name === "perform_once") continue;
    for (const sent of attempts?.(household, household) ?? []) {
      const { data, error } = await db.rpc(name, sent);
      // Every member reads published content, and none but its editors a draft.
      const isDraft = name === "get_content" && sent.id !== household.page.slug;
      if (isDraft && error?.code === "PT404") continue;
      // A page of a category, or with an asset, shows what every member sees.
      const isEverybodys =
        name === "template_inputs" && (sent.options?.category_id ?? sent.options?.asset_ids);
      if (isEverybodys || functionsOfAll.includes(name))
        expect([name, error]).toEqual([name, null]);
      else expectNothingOf(household, [name, data, error], sent);
    }
  }
  // `open_tenant` and `switch_tenant` were called: its own membership is as it was.
  expect(await rowsOf(household, relations)).toEqual(before);
});

it("is answered by 403, 404 or what holds nothing, by all other operations", async () => {
  const before = await rowsOf(household, relations);
  const found: string[] = [];
  for (const [name, { body, type, open }] of Object.entries(operations)) {
    // Members are described with the roles that there are, so that it is not even shown itself.
    if (open || name === "GET /api/members" || name === "POST /auth/logout") continue;
    const { method, path } = addressOf(name, household);
    const sent = body?.(household);
    const answer = await call(method, path, {
      as: auditor,
      body: sent,
      headers: type ? { "content-type": type } : {},
    });
    if ([403, 404].includes(answer.status)) continue;
    if (operationsOfAll.includes(name)) found.push(name);
    else {
      expect([name, answer.status]).toEqual([name, 200]);
      expectNothingOf({ ...household, member: {} }, answer.body, [path, sent, auditor]);
    }
  }
  expect(found.sort()).toEqual(operationsOfAll.sort());
  expect(await rowsOf(household, relations)).toEqual(before);
});

it("is counted as a customer is", async () => {
  const { headers } = await call("GET", "/api/tenant", { as: auditor });
  expect(headers.get("ratelimit-limit")).toBe("1000");
});
