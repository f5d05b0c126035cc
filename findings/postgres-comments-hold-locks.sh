#!/usr/bin/env bash
# CREATE FUNCTION leaves no entry in the lock table. GRANT and COMMENT do: each holds a lock on its function until the
# transaction ends. The lock table of a server has a fixed size, about max_locks_per_transaction (64) times
# max_connections. So any server applies a migration that creates a few thousand functions in one transaction, and a small
# one ends the same migration with "out of shared memory" when it also describes them.
#
# Seen with Postgres 18.6 (@electric-sql/pglite 0.5.14): locks on functions that one transaction holds after it has
# created 1,000 (0), granted them (1,000), and commented on them (2,000).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @electric-sql/pglite@0.5.14
cat >try.mjs <<'JS'
import assert from "node:assert/strict";
import { PGlite } from "@electric-sql/pglite";

const database = new PGlite();
const names = Array.from({ length: 1000 }, (_, at) => `f${at}()`);
const each = (statement) => database.exec(names.map((name) => `${statement(name)};`).join("\n"));
const held = async () => {
  const { rows } = await database.query(
    "select count(*)::integer as held from pg_locks where locktype = 'object' and classid = 'pg_proc'::regclass",
  );
  return rows[0].held;
};

await database.exec("begin");
const seen = {};
await each((name) => `create function ${name} returns integer language sql return 1`);
seen.created = await held();
await each((name) => `grant execute on function ${name} to public`);
seen.granted = await held();
await each((name) => `comment on function ${name} is 'One.'`);
seen.commented = await held();
await database.exec("rollback");
console.log(seen);
assert.deepEqual(seen, { created: 0, granted: 1000, commented: 2000 });
JS
node --liftoff-only try.mjs
echo "as described"
