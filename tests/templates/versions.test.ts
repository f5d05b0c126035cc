import { beforeAll, expect, it } from "vitest";
import type { Newsroom } from "../content/writing.js";
import { query } from "../database.js";
import { call, expectRefusal, must } from "../souk.js";
import {
  activate,
  at,
  contentOf,
  make,
  openNewsroom,
  type Row,
  read,
  rpc,
  saved,
} from "./making.js";

let shop: Newsroom;
beforeAll(async () => {
  shop = await openNewsroom();
});

const variables = [{ name: "headline", type: "string" }];

it("lists changes, author and active version", async () => {
  const made = await make(shop.operator);
  const second = await saved(shop.editor, made, {
    content: contentOf("<p>Two</p>", { variables }),
  });
  const third = await saved(shop.editor, second, { name: "Three" });
  const { versions, total } = await must("GET", at(made, "/versions"), { as: shop.reviewer });
  expect(total).toBe(3);
  expect(versions).toMatchObject([
    { version: 3, changes: ["name"], created_by: shop.editor.id, is_active: false },
    {
      version: 2,
      changes: ["sections.top.blocks.words", "variables.headline"],
      template_id: made.id,
    },
    { version: 1, changes: [], created_by: shop.operator.id, is_active: true },
  ]);
  const page = await must("GET", at(made, "/versions?limit=1&page=2&order=asc"), {
    as: shop.operator,
  });
  expect(page).toMatchObject({ versions: [{ version: 2 }], total: 3, page: 2, limit: 1 });
  for (const path of ["/versions", "/compare?from=1&to=2"]) {
    expectRefusal(await call("GET", at(made, path), { as: shop.customer }), 403, "FORBIDDEN");
  }
  expectRefusal(await read(shop.customer, made, "?version=2"), 403, "FORBIDDEN");
  expect((await read(shop.editor, made, "?version=2")).body).toMatchObject({
    version: 2,
    version_number: third.version_number,
  });
});

it("compares two versions", async () => {
  const made = await make(shop.operator, { content: contentOf("<p>One</p>", { variables }) });
  const changed = [{ name: "headline", type: "string", default_value: "Hello" }];
  const content = contentOf("<p>Two</p>", { variables: changed, layout: "full_width" });
  await saved(shop.operator, made, { content });
  const { changes } = await must("GET", at(made, "/compare?from=1&to=2"), { as: shop.editor });
  expect(changes).toEqual(
    expect.arrayContaining([
      { path: "layout", from: "default", to: "full_width" },
      { path: "variables.headline.default_value", from: null, to: "Hello" },
      { path: "sections.top.blocks.words.content", from: "<p>One</p>", to: "<p>Two</p>" },
    ]),
  );
  const missing = await call("GET", at(made, "/compare?from=1&to=9"), { as: shop.editor });
  expectRefusal(missing, 404, "NOT_FOUND", { field: "to" });
});

it("activates an older version, through HTTP and supabase-js", async () => {
  const made = await make(shop.operator);
  const next = await saved(shop.operator, made, { content: contentOf("<p>Two</p>") });
  await activate(shop.publisher, made, 2);
  const shown = async () => (await read(shop.customer, made)).body;
  expect(await shown()).toMatchObject({ version: 2 });
  expect((await activate(shop.publisher, made, 1)).body).toMatchObject({
    ...{ version: 1, active_version: 1, version_number: next.version_number },
  });
  expect((await shown()).content).toEqual(made.content);
  const args = { template_id: made.id, version_number: 2 };
  expect((await rpc(shop.editor, "activate_template_version", args)).body).toMatchObject({
    error: { code: "FORBIDDEN" },
  });
  expect((await rpc(shop.publisher, "activate_template_version", args)).body).toMatchObject({
    active_version: 2,
  });
  expectRefusal(await activate(shop.publisher, made, 7), 404, "NOT_FOUND");
});

it("keeps the maximum number of versions, and the active one", async () => {
  const made: Row = await make(shop.operator);
  await query("update private.caps set value = 3 where name = 'versions_per_template'");
  try {
    let last = made;
    for (const text of ["2", "3", "4", "5"]) {
      last = await saved(shop.operator, last, { content: contentOf(text) });
    }
    const { versions } = await must("GET", at(made, "/versions"), { as: shop.operator });
    expect(versions.map(({ version }: Row) => version)).toEqual([5, 4, 3, 1]);
  } finally {
    await query("update private.caps set value = 200 where name = 'versions_per_template'");
  }
});
