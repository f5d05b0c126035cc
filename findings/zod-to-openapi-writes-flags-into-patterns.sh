#!/usr/bin/env bash
# @asteasolutions/zod-to-openapi 9.1.0 writes an expression with flags into a JSON Schema "pattern" as JavaScript prints it,
# without the first slash: /^\p{L}+$/u becomes "^\p{L}+$/u". There the "/u" is two literal characters after the end, so the
# pattern matches no text at all. ajv 8.20.0 refuses each name that zod 4.6.7 accepts. zod's own toJSONSchema writes
# "^\p{L}+$". Expressions without flags are right.
#
# Seen on Node 20.20:
#   no flag  "^[a-z]+$"       zod accepts "saffron", ajv accepts it
#   flag u   "^\\p{L}+$/u"    zod accepts "saffron", ajv refuses it; zod.toJSONSchema: "^\\p{L}+$"
#   flag i   "^[a-z]+$/i"     zod accepts "saffron", ajv refuses it; zod.toJSONSchema: "^[a-z]+$"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @asteasolutions/zod-to-openapi@9.1.0 zod@4.6.7 ajv@8.20.0
cat >try.mjs <<'JS'
import assert from "node:assert/strict";
import { extendZodWithOpenApi, OpenAPIRegistry, OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import Ajv from "ajv/dist/2020.js";
import { z } from "zod";

extendZodWithOpenApi(z);

/** Each expression, the pattern that the generator writes, and the one that zod writes. */
const expected = [
  [/^[a-z]+$/, "^[a-z]+$", "^[a-z]+$"],
  [/^\p{L}+$/u, "^\\p{L}+$/u", "^\\p{L}+$"],
  [/^[a-z]+$/i, "^[a-z]+$/i", "^[a-z]+$"],
];
for (const [expression, generated, own] of expected) {
  const schema = z.string().regex(expression);
  const registry = new OpenAPIRegistry();
  registry.register("Name", schema.openapi("Name"));
  const info = { title: "names", version: "1" };
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({ openapi: "3.1.0", info });
  const { pattern } = document.components.schemas.Name;
  assert.equal(pattern, generated);
  assert.equal(z.toJSONSchema(schema).pattern, own);
  assert.ok(schema.safeParse("saffron").success);
  assert.equal(new Ajv().validate({ type: "string", pattern }, "saffron"), generated === own);
  console.log(JSON.stringify(pattern));
}
JS
node try.mjs
echo "as described"
