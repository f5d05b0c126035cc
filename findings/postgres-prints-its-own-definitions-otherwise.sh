#!/usr/bin/env bash
# Postgres does not always print a definition as it has printed it before. pg_get_constraintdef and pg_get_functiondef print a
# parsed tree. What they print is parsed into another tree with the same meaning, which is printed otherwise:
#
# - "a between 1 and 3 and b" is printed as "((a >= 1) AND (a <= 3)) AND b", which is read as one AND of three conditions;
# - a null without a name in a branch of a union in a "begin atomic" function is printed as "NULL::uuid", and again as
#   "NULL::uuid AS uuid", because a cast names its column.
#
# So a database that was made of its sources and one that was restored from a dump of it differ for a tool that compares
# definitions. What was printed twice stays the same.
#
# Seen with Postgres 18.6 (@electric-sql/pglite 0.5.14):
#   CHECK ((((a >= 1) AND (a <= 3)) AND (b <> 2)))  becomes  CHECK (((a >= 1) AND (a <= 3) AND (b <> 2)))
#   SELECT NULL::uuid, 1 UNION ALL …                becomes  SELECT NULL::uuid AS uuid, 1 UNION ALL …
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @electric-sql/pglite@0.5.14
cat >try.mjs <<'JS'
import assert from "node:assert/strict";
import { PGlite } from "@electric-sql/pglite";

const db = await PGlite.create();

/** Makes something, and prints it three times: each time it is made of what was printed before. */
async function printed(made, remake, read) {
  const texts = [];
  await db.exec(made);
  for (let i = 0; i < 3; i += 1) {
    const text = (await db.query(read)).rows[0].text;
    texts.push(text);
    await db.exec(remake(text));
  }
  console.log(texts.map((text) => text.replaceAll(/\s+/g, " ")));
  return texts;
}

const checks = await printed(
  "create table points (a integer, b integer, constraint near check (a between 1 and 3 and b <> 2))",
  (text) => `alter table points drop constraint near, add constraint near ${text}`,
  "select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'near'",
);
const functions = await printed(
  `create table items (item_id uuid, n integer);
   create function all_items() returns table (item_id uuid, n integer)
   begin atomic select null, 1 union all select i.item_id, i.n from items as i; end`,
  (text) => text,
  "select pg_get_functiondef('all_items'::regproc) as text",
);
await db.close();
for (const [first, second, third] of [checks, functions]) {
  assert.notEqual(first, second);
  assert.equal(second, third);
}
assert.deepEqual(checks.slice(0, 2), [
  "CHECK ((((a >= 1) AND (a <= 3)) AND (b <> 2)))",
  "CHECK (((a >= 1) AND (a <= 3) AND (b <> 2)))",
]);
assert.match(functions[0], /NULL::uuid,\s+1\s+UNION/);
assert.match(functions[1], /NULL::uuid AS uuid,\s+1\s+UNION/);
JS
node --liftoff-only try.mjs
echo "as described"
