#!/usr/bin/env bash
# @supabase/auth-js 2.109.0 drops what a server error says. Supabase Auth answers 500 with a JSON body that has a code and a
# message, for example when a trigger on auth.users raises an exception with the reason for the user. The error of
# signUp then has the message "{}", no code, and is a retryable one, like a lost connection. The same body with 422
# arrives whole.
#
# Seen: status 500 gives AuthRetryableFetchError "{}"; status 422 gives AuthApiError with the code and the message.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @supabase/auth-js@2.109.0
cat >try.mjs <<'JS'
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { AuthClient } from "@supabase/auth-js";

let status = 500;
const server = createServer((_, response) => {
  response.writeHead(status, { "content-type": "application/json", "x-supabase-api-version": "2024-01-01" });
  response.end(JSON.stringify({ code: "unexpected_failure", message: "Only members of the club may register." }));
}).listen(0, "127.0.0.1");
await once(server, "listening");

const auth = new AuthClient({ url: `http://127.0.0.1:${server.address().port}`, autoRefreshToken: false, persistSession: false });
const seen = async () => {
  const { error } = await auth.signUp({ email: "ann@example.com", password: "correct horse" });
  return { name: error.name, status: error.status, code: error.code, message: error.message };
};
const failed = await seen();
status = 422;
const refused = await seen();
console.log(JSON.stringify({ failed, refused }));
server.close();
assert.deepEqual(failed, { name: "AuthRetryableFetchError", status: 500, code: undefined, message: "{}" });
assert.deepEqual(refused, {
  name: "AuthApiError",
  status: 422,
  code: "unexpected_failure",
  message: "Only members of the club may register.",
});
JS
node try.mjs
echo "as described"
