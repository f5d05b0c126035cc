#!/usr/bin/env bash
# PGlite 0.5.14 keeps the session user of a transaction after its end. `set local session authorization` ends with the
# transaction in Postgres. PGlite starts without a session authorization that could be restored, so the first local one
# stays after commit and rollback, and `reset session authorization` does not end it either. After one `set session
# authorization` of the whole session, local ones end as they should.
#
# Seen: ann after the rollback and after the reset; postgres once the session has set it itself.
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
const user = async () => (await db.query("select session_user as name")).rows[0].name;
const becomeAnn = () =>
  db.exec("begin; set local session authorization ann; rollback;");

await db.exec("create role ann");
const seen = { begin: await user() };
await becomeAnn();
seen.rolledBack = await user();
await db.exec("reset session authorization");
seen.reset = await user();
await db.exec("set session authorization postgres");
await becomeAnn();
seen.afterSet = await user();
console.log(JSON.stringify(seen));
await db.close();
assert.deepEqual(seen, { begin: "postgres", rolledBack: "ann", reset: "ann", afterSet: "postgres" });
JS
node try.mjs
echo "as described"
