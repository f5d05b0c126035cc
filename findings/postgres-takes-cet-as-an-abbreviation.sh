#!/usr/bin/env bash
# CET, EET, MET and WET are names of time zones in the IANA database, with summer time. JavaScript's Intl reads them so.
# "at time zone" of Postgres looks in its list of abbreviations first, where they are fixed offsets, so the same name means
# another time in summer: a shop whose zone is "CET" has days that begin an hour apart in the database and in the browser.
# "EST5EDT", which is no abbreviation, means the same to both. pg_timezone_names lists all five.
#
# Seen with Postgres 18.6 (@electric-sql/pglite 0.5.14) and Node 20.20, for noon UTC of 1 July 2025:
#   CET  Postgres 13:00, Intl 14:00      MET  Postgres 13:00, Intl 14:00
#   EET  Postgres 14:00, Intl 15:00      WET  Postgres 12:00, Intl 13:00
#   EST5EDT  both 08:00
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
const noon = "2025-07-01T12:00:00Z";
const seen = {};
for (const zone of ["CET", "EET", "MET", "WET", "EST5EDT"]) {
  const { rows } = await database.query(
    `select to_char($1::timestamptz at time zone $2, 'HH24:MI') as local,
      (select count(*)::integer from pg_timezone_names where name = $2) as listed`,
    [noon, zone],
  );
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
  assert.equal(rows[0].listed, 1);
  seen[zone] = [rows[0].local, format.format(new Date(noon))];
}
console.log(seen);
assert.deepEqual(seen, {
  CET: ["13:00", "14:00"],
  EET: ["14:00", "15:00"],
  MET: ["13:00", "14:00"],
  WET: ["12:00", "13:00"],
  EST5EDT: ["08:00", "08:00"],
});
JS
node --liftoff-only try.mjs
echo "as described"
