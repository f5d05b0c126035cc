import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { createClient } from "@supabase/supabase-js";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import ws from "ws";
import { until } from "../../../tests/eventually.js";
import { createKeys } from "../src/keys.js";
import { openProject, type Project } from "./functions-setup.js";

const echo = `
import { greet } from "../_shared/greet.ts";
Deno.serve(async (request) => Response.json({
  greeting: greet(),
  url: request.url,
  method: request.method,
  headers: Object.fromEntries(request.headers),
  body: await request.text(),
}, { status: 201, headers: { "x-own": "1" } }));`;

let project: Project;
beforeAll(async () => {
  project = await openProject({
    "config.toml": `
[functions.open]
verify_jwt = false
[functions.off]
enabled = false
[edge_runtime.secrets]
FROM_CONFIG = "config"
BOTH = "config"
SUPABASE_URL = "http://elsewhere"`,
    "functions/.env": `FROM_FILE="two words" # a note\nBOTH=file\nSUPABASE_SERVICE_ROLE_KEY=mine\n`,
    "functions/_shared/greet.ts": `export const greet = () => "hello";`,
    "functions/echo/index.ts": echo,
    "functions/open/index.ts": `Deno.serve(() => new Response("open"));`,
    "functions/off/index.ts": `Deno.serve(() => new Response("off"));`,
    "functions/env/index.ts": `Deno.serve(() => Response.json(Deno.env.toObject()));`,
    "functions/html/index.ts": `Deno.serve(() => new Response("<p>", {
      headers: { "content-type": "text/html; charset=utf-8" } }));`,
    "functions/throws/index.ts": `Deno.serve(() => { throw new Error("inside the handler"); });`,
    "functions/says/index.ts": `console.warn("warned while loading"); Deno.serve(async () => { console.log("said"); console.log("to all"); console.error("warned");
      await new Promise((r) => setTimeout(r, 20)); console.info("after a while"); return new Response("ok"); });`,
    "functions/headers/index.ts": `Deno.serve(() => { const headers = new Headers({ connection: "x-gone", "x-gone": "1" });
      headers.append("set-cookie", "a=1"); headers.append("set-cookie", "b=2");
      return new Response("ok", { headers }); });`,
    "functions/npm/deno.json": `{ "imports": { "hono": "npm:hono@4.13.19", "zod": "npm:zod@4.6.7" } }`,
    "functions/npm/index.ts": `import { Hono } from "hono"; import { z } from "zod";
      const app = new Hono(); app.get("/npm/:id", (c) => c.json({ id: z.string().parse(c.req.param("id")) }));
      Deno.serve(app.fetch);`,
    "functions/sandbox/index.ts": `const refused = async (work) => { try { await work(); return "allowed"; } catch (e) { return e.name; } };
      Deno.serve(async () => Response.json([
        await refused(() => Deno.readTextFile("/etc/hosts")),
        await refused(() => Deno.writeTextFile("souk-sandbox", "")),
        await refused(() => new Deno.Command("/usr/bin/id").output()),
        await refused(() => Deno.readTextFile(new URL("./index.ts", import.meta.url))),
      ]));`,
  });
});
afterAll(() => project.close());

test("a function sees its own path, the query, the body and the headers that a gateway adds", async () => {
  // fetch would send no connection headers.
  const asked = request(`${project.url}/echo/a%20b?c=d`, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${project.keys.anonKey}`,
      connection: "keep-alive, x-secret",
      "x-secret": "1",
      "x-kept": "1",
    },
  }).end("a body");
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  expect(answer.statusCode).toBe(201);
  expect(answer.headers["x-own"]).toBe("1");
  // biome-ignore lint/suspicious/noExplicitAny: the function's view of the request.
  const seen = (await json(answer)) as any;
  expect(seen).toMatchObject({
    greeting: "hello",
    url: `${project.url}/echo/a%20b?c=d`,
    method: "PUT",
    body: "a body",
  });
  expect(seen.headers).toMatchObject({
    "x-forwarded-host": new URL(project.url).host,
    "x-forwarded-port": new URL(project.url).port,
    "x-forwarded-proto": "http",
    "x-forwarded-for": "127.0.0.1",
    "x-kept": "1",
  });
  expect(seen.headers).not.toHaveProperty("x-secret");
});

test("an address in the request's header precedes the caller's own", async () => {
  const answer = await project.call("/echo", { headers: { "x-forwarded-for": "203.0.113.7" } });
  expect((await answer.json()).headers["x-forwarded-for"]).toBe("203.0.113.7, 127.0.0.1");
});

test("the environment contains only the variables of the platform, the config and .env", async () => {
  const keys = await createKeys();
  expect(await (await project.call("/env")).json()).toEqual({
    SUPABASE_URL: project.url,
    SUPABASE_ANON_KEY: keys.anonKey,
    SUPABASE_SERVICE_ROLE_KEY: keys.serviceRoleKey,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secretKey }),
    SUPABASE_JWKS: '{"keys":[]}',
    SB_REGION: "local",
    SB_EXECUTION_ID: expect.stringMatching(/^[\da-f-]{36}$/),
    DENO_DEPLOYMENT_ID: "souk_env_1",
    FROM_CONFIG: "config",
    FROM_FILE: "two words",
    BOTH: "file",
  });
  const skipped = project.lines.filter((line) => line.includes("skipped"));
  expect(skipped.join()).toContain("SUPABASE_SERVICE_ROLE_KEY");
  expect(skipped.join()).not.toContain("mine");
});

test("bare and npm: specifiers come from node_modules", async () => {
  expect(await (await project.call("/npm/7")).json()).toEqual({ id: "7" });
});

test("an import map that the CLI would not read is reported, by function", async () => {
  const mapped = await openProject({
    "config.toml": `[functions.a]\nimport_map = "./functions/deno.json"`,
    "functions/deno.json": `{ "imports": { "shout": "./_shared/shout.ts" } }`,
    "functions/_shared/shout.ts": `export const shout = "HEY";`,
    "functions/a/index.ts": `import { shout } from "shout"; Deno.serve(() => new Response(shout));`,
    "functions/b/index.ts": `import { shout } from "shout"; Deno.serve(() => new Response(shout));`,
  });
  expect(await (await mapped.call("/a")).text()).toBe("HEY");
  expect((await mapped.call("/b")).status).toBe(503);
  expect(mapped.lines.filter((line) => line.includes("deployed, "))).toEqual([
    expect.stringContaining("deployed, b would not find"),
  ]);
  await mapped.close();
});

test("a version that node_modules does not contain is a boot error", async () => {
  const other = await openProject({
    "functions/a/deno.json": `{ "imports": { "hono": "npm:hono@4.0.0" } }`,
    "functions/a/index.ts": `import { Hono } from "hono"; Deno.serve(new Hono().fetch);`,
  });
  expect((await other.call("/a")).status).toBe(503);
  expect(other.lines.join("\n")).toContain("npm:hono@4.0.0");
  await other.close();
});

test("a function can read its own files, and cannot read others, write or run programs", async () => {
  expect(await (await project.call("/sandbox")).json()).toEqual([
    "NotCapable",
    "NotCapable",
    "NotCapable",
    "allowed",
  ]);
});

test.each([
  ["none", {}, "UNAUTHORIZED_NO_AUTH_HEADER", "Missing authorization header"],
  ["basic", { authorization: "Basic eDp5" }, "UNAUTHORIZED_INVALID_JWT_FORMAT", /Bearer/],
  ["no jwt", { authorization: "Bearer abc" }, "UNAUTHORIZED_INVALID_JWT_FORMAT", "Invalid JWT"],
  [
    "alg none",
    { authorization: "Bearer eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYW5vbiJ9." },
    "UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM",
    /none/,
  ],
])("verify_jwt refuses a request with %s", async (_, headers, code, message) => {
  const answer = await fetch(`${project.url}/echo`, { headers });
  expect(answer.status).toBe(401);
  expect(answer.headers.get("sb-error-code")).toBe(code);
  expect(await answer.json()).toEqual({
    code,
    message: typeof message === "string" ? message : expect.stringMatching(message),
  });
});

test("verify_jwt refuses a forged and an expired token", async () => {
  const keys = await createKeys();
  const forged = await new SignJWT({ role: "service_role" })
    .setProtectedHeader({ alg: "HS256" })
    .sign(new TextEncoder().encode("x".repeat(40)));
  const expired = await keys.sign({ role: "anon", exp: 1 });
  for (const [token, code] of [
    [forged, "UNAUTHORIZED_LEGACY_JWT"],
    [expired, "UNAUTHORIZED_ASYMMETRIC_JWT"],
  ]) {
    const answer = await project.call("/echo", { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({ code, message: "Invalid JWT" });
  }
});

test("verify_jwt accepts a publishable or secret key in either header, and no other", async () => {
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`${project.url}/echo`, { headers })).status;
  for (const key of [project.keys.publishableKey, project.keys.secretKey]) {
    expect(await ask({ apikey: key })).toBe(201);
    expect(await ask({ authorization: `Bearer ${key}` })).toBe(201);
    expect(await ask({ apikey: `${key}x` })).toBe(401);
    expect(await ask({ authorization: `Bearer ${key}x` })).toBe(401);
  }
  expect(await ask({ apikey: project.keys.anonKey })).toBe(401);
});

test("verify_jwt accepts tokens of a signing key, and refuses forged ones", async () => {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...(await exportJWK(privateKey)), alg: "ES256", kid: "mine" };
  const signed = await openProject(
    {
      "functions/a/index.ts": `export default {
    fetch: () => new Response("exported") };`,
    },
    {},
    [key],
  );
  expect(await (await signed.call("/a")).text()).toBe("exported");
  const { anonKey } = await createKeys([{ ...key, kid: "other" }]);
  for (const authorization of [`Bearer ${anonKey}`, `Bearer ${anonKey.slice(0, -2)}AA`]) {
    const answer = await signed.call("/a", { headers: { authorization } });
    expect(answer.status).toBe(401);
    expect((await answer.json()).code).toBe("UNAUTHORIZED_ASYMMETRIC_JWT");
  }
  await signed.close();
});

test("a preflight and a function without verify_jwt need no token", async () => {
  const preflight = new Request(`${project.url}/echo`, { method: "OPTIONS" });
  expect((await fetch(preflight)).status).toBe(201);
  expect(await (await fetch(`${project.url}/open`)).text()).toBe("open");
});

test.each([
  "/nobody",
  "/_shared",
  "/off",
  "/",
  "/..%2fecho",
  "/echo%00",
])("%s is not a function", async (path) => {
  const answer = await project.call(path);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toEqual({
    code: "NOT_FOUND",
    message: "Requested function was not found",
  });
});

test("a page is sent as plain text in answer to GET", async () => {
  expect((await project.call("/html")).headers.get("content-type")).toBe("text/plain");
  const posted = await project.call("/html", { method: "POST" });
  expect(posted.headers.get("content-type")).toBe("text/html; charset=utf-8");
});

test("cookies stay apart, HEAD has no body", async () => {
  const answer = await project.call("/headers");
  expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  const head = await project.call("/open", { method: "HEAD" });
  expect(head.status).toBe(200);
  expect(await head.text()).toBe("");
});

test("an error inside a handler is a 500, and the function continues", async () => {
  for (let i = 0; i < 2; i += 1) {
    const answer = await project.call("/throws");
    expect(answer.status).toBe(500);
    expect(await answer.text()).toBe("Internal Server Error");
    expect(answer.headers.get("sb-error-code")).toBe("EDGE_FUNCTION_ERROR");
  }
  expect(project.lines.join("\n")).toContain("inside the handler");
});

test("console lines carry the function's name and the request's id", async () => {
  const answers = await Promise.all([project.call("/says"), project.call("/says")]);
  for (const answer of answers) {
    const id = answer.headers.get("sb-request-id");
    expect(id).toMatch(/^[\da-f-]{36}$/);
    for (const line of ["said", "to all", "after a while", "warned"]) {
      await until(() => project.lines.includes(`[functions/says] ${id} ${line}`));
    }
  }
  expect(project.lines).toContain("[functions/says] warned while loading");
});

test("an answer names the runtime, the process and the request in its headers", async () => {
  const { headers } = await project.call("/open");
  expect(headers.get("x-served-by")).toBe("supabase-edge-runtime");
  const env = await (await project.call("/env")).json();
  const again = await project.call("/env");
  expect(again.headers.get("x-deno-execution-id")).toBe(env.SB_EXECUTION_ID);
  expect((await project.call("/nobody")).headers.get("sb-request-id")).toMatch(/^[\da-f-]{36}$/);
});

test("a hundred requests at once get their own answers", async () => {
  const bodies = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const answer = await project.call(`/echo/${i}`, { method: "POST", body: `body ${i}` });
      return (await answer.json()).body;
    }),
  );
  expect(bodies).toEqual(Array.from({ length: 100 }, (_, i) => `body ${i}`));
});

test("supabase-js invokes functions", async () => {
  const keys = await createKeys();
  const supabase = createClient(project.url, keys.anonKey, {
    realtime: { transport: ws as unknown as typeof WebSocket },
    auth: { persistSession: false, autoRefreshToken: false },
    global: {
      fetch: (input, init) => fetch(String(input).replace("/functions/v1", ""), init),
    },
  });
  const { data, error } = await supabase.functions.invoke("echo", { body: { a: 1 } });
  expect(error).toBeNull();
  expect(data).toMatchObject({ method: "POST", body: '{"a":1}' });
  const missing = await supabase.functions.invoke("nobody");
  expect(missing.error?.context.status).toBe(404);
});

test("without a function or folder, no process runs, and requests get 404", async () => {
  const empty = await openProject({});
  expect((await empty.call("/echo")).status).toBe(404);
  await empty.close();
});
