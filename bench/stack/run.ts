// How much of a bare server's rate the stack keeps: `npm run bench:stack [-- --database-url URL]`.
// All servers answer the same requests with the same rows, in turn, on the same machine.
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SignJWT } from "jose";
import { load, type Measured } from "../load.js";
import { median, progress, start, stop } from "../servers.js";
import { type Case, cases, makeProject, OWNER } from "./notes.js";
import { ratesOfPglite } from "./pglite.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string" },
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "16" },
  },
});
const databaseUrl = values["database-url"];
const [seconds, rounds, connections] = [values.seconds, values.rounds, values.connections].map(
  Number,
) as [number, number, number];

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The addresses of the stack and of the bare servers beside it, and what the stack asks of a caller. */
async function startAll(root: string, children: ChildProcess[]) {
  const place = databaseUrl ? ["--database-url", databaseUrl] : ["--data", "memory"];
  const cli = at("../../packages/stack/src/cli.ts");
  const [stack, ready] = await start(root, cli, ["start", "--port", "0", "--json", ...place]);
  children.push(stack);
  const { url, anon_key, jwt_secret } = JSON.parse(ready);
  const servers: Record<string, string> = { stack: url };
  for (const kind of databaseUrl ? ["bare", "prepared"] : ["bare"]) {
    const [bare, address] = await start(root, at("bare.ts"), [
      kind,
      ...(databaseUrl ? [databaseUrl] : []),
    ]);
    children.push(bare);
    servers[kind] = address;
  }
  const token = await new SignJWT({ role: "authenticated" })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setSubject(OWNER)
    .setAudience("authenticated")
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode(jwt_secret));
  const headers = {
    apikey: anon_key,
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
  };
  return { servers, headers };
}

/** Throws unless all servers answer a case alike: only then their rates can be compared. */
async function agree(one: Case, servers: Record<string, string>, headers: Record<string, string>) {
  const answers = await Promise.all(
    Object.values(servers).map(async (origin) => {
      const { method, path, body } = one.wanted(1);
      const answer = await fetch(origin + path, { method, headers, body });
      // Two databases of PGlite have written their rows at two times.
      return `${answer.status} ${await answer.text()}`.replace(/"written_at":"[^"]*"/g, "");
    }),
  );
  if (new Set(answers).size > 1) throw new Error(`${one.name}: ${answers.join("\n is not ")}`);
}

/** What each server made of each case, a measurement a round. The first round warms up. */
async function measure(servers: Record<string, string>, headers: Record<string, string>) {
  const measured = new Map<Case, Record<string, Measured[]>>(cases.map((one) => [one, {}]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [one, made] of measured) {
      for (const [server, origin] of Object.entries(servers)) {
        progress(`round ${round} of ${rounds}: ${one.name}, ${server}`);
        const wanted = (count: number) => ({ ...one.wanted(count), headers });
        const length = { connections, seconds: round === 0 ? 1 : seconds, status: one.status };
        const told = await load(origin, wanted, length);
        if (round > 0) made[server] = [...(made[server] ?? []), told];
      }
    }
  }
  progress("");
  return measured;
}

function row({ stack = [], ...others }: Record<string, Measured[]>) {
  const rate = (made: Measured[]) => Math.round(median(made.map((one) => one.rate)));
  const share = (made: Measured[], of: Measured[]) =>
    Math.round(100 * median(made.map((one, i) => one.rate / (of[i] as Measured).rate)));
  return {
    "stack /s": rate(stack),
    ...Object.fromEntries(
      Object.entries(others).flatMap(([server, made]) => [
        [`${server} /s`, rate(made)],
        [`of ${server}`, `${share(stack, made)} %`],
      ]),
    ),
    "p50 ms": Number(median(stack.map(({ p50 }) => p50)).toFixed(1)),
    "p99 ms": Number(median(stack.map(({ p99 }) => p99)).toFixed(1)),
  };
}

const project = await makeProject();
const children: ChildProcess[] = [];
try {
  const { servers, headers } = await startAll(project.root, children);
  for (const one of cases) await agree(one, servers, headers);
  const measured = await measure(servers, headers);
  await Promise.all(children.map(stop));
  const limits = databaseUrl ? null : await ratesOfPglite(project.root, seconds);

  const server = databaseUrl ? "Postgres" : "PGlite";
  console.log(`${server}, ${connections} connections, ${rounds} × ${seconds} s, medians`);
  console.table(
    Object.fromEntries(
      [...measured].map(([one, made]) => [
        one.name,
        { ...row(made), ...(limits ? { "PGlite alone /s": limits.get(one) } : {}) },
      ]),
    ),
  );
} finally {
  await Promise.all(children.map(stop));
  await project.remove();
}
