#!/usr/bin/env bash
# Postgres 18.6 and Node 20.20.2 show another local time for the same moment from November 2026 on, because their copies of
# the IANA database differ by less than a year: British Columbia and Alberta stay on summer time, and Morocco ends its
# permanent one. Postgres of @electric-sql/pglite 0.5.14 knows that; Node 20.20.2 brings 2025c. So a time that a server
# formats in JavaScript is an hour beside what the database says, and days begin an hour apart.
#
# Seen for noon UTC of 15 December 2026:
#   America/Vancouver  Postgres 05:00, Node 04:00
#   America/Edmonton   Postgres 06:00, Node 05:00
#   Africa/Casablanca  Postgres 12:00, Node 13:00
#   Europe/Berlin      both 13:00
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @electric-sql/pglite@0.5.14
cat >try.mjs <<'JS'
import assert from "node:assert/strict";
import { PGlite } from "@electric-sql/pglite";

assert.equal(process.versions.tz, "2025c", "written for Node 20.20.2, whose time zones are those of 2025c");
const database = new PGlite();
const noon = "2026-12-15T12:00:00Z";
const seen = {};
for (const zone of ["America/Vancouver", "America/Edmonton", "Africa/Casablanca", "Europe/Berlin"]) {
  const { rows } = await database.query(
    "select to_char($1::timestamptz at time zone $2, 'HH24:MI') as local",
    [noon, zone],
  );
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
  seen[zone] = [rows[0].local, format.format(new Date(noon))];
}
console.log(seen);
assert.deepEqual(seen, {
  "America/Vancouver": ["05:00", "04:00"],
  "America/Edmonton": ["06:00", "05:00"],
  "Africa/Casablanca": ["12:00", "13:00"],
  "Europe/Berlin": ["13:00", "13:00"],
});
JS
node --liftoff-only try.mjs
echo "as described"
