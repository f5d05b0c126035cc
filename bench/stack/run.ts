// Measures the stack's share of a bare server's rate: `npm run bench -- stack [--database-url
// URL]`.
// All servers answer the same requests in turn, on the same machine: for rows, and for objects of
// Storage.
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SignJWT } from "jose";
import type { Measured } from "../load.js";
import { start, stop } from "../servers.js";
import { type Comparable, type Effort, measure, row } from "./compare.js";
import { type Case, cases, makeProject, migration, OWNER } from "./notes.js";
import * as objects from "./objects.js";
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
const effort: Effort = {
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
  connections: Number(values.connections),
};
/** A few connections are enough for large bodies. */
const OBJECT_CONNECTIONS = 8;

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Starts the stack and the bare servers. Returns their addresses, and the headers for the stack.
 */
async function startAll(root: string, children: ChildProcess[]) {
  const place = databaseUrl ? ["--database-url", databaseUrl] : ["--data", "memory"];
  const cli = at("../../packages/stack/src/cli.ts");
  const [stack, ready] = await start(root, cli, ["start", "--port", "0", "--json", ...place]);
  children.push(stack);
  const { url, anon_key, service_role_key, jwt_secret } = JSON.parse(ready);
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
  const [files, filesAddress] = await start(root, at("bare-files.ts"), []);
  children.push(files);
  const fileServers = { stack: url as string, [objects.BARE]: filesAddress };
  const headers = { apikey: anon_key, authorization: `Bearer ${token}` };
  return { servers, fileServers, headers, service_role_key, pid: stack.pid as number };
}

/** Throws unless all servers give the same answers, so that their rates are comparable. */
async function agree(one: Case, servers: Record<string, string>, headers: Record<string, string>) {
  const answers = await Promise.all(
    Object.values(servers).map(async (origin) => {
      const { method, path, body } = one.wanted(1);
      const answer = await fetch(origin + path, { method, headers, body });
      // The rows of two databases of PGlite were written at different times.
      return `${answer.status} ${await answer.text()}`.replace(/"written_at":"[^"]*"/g, "");
    }),
  );
  if (new Set(answers).size > 1) throw new Error(`${one.name}: ${answers.join("\n is not ")}`);
}

/** Prints the table of measured cases. `more`: further columns of a case. */
function print<One extends Comparable>(
  connections: number,
  measured: Map<One, Record<string, Measured[]>>,
  more: (one: One) => object = () => ({}),
): void {
  const server = databaseUrl ? "Postgres" : "PGlite";
  const { rounds, seconds } = effort;
  console.log(`${server}, ${connections} connections, ${rounds} × ${seconds} s, medians`);
  console.table(
    Object.fromEntries(
      [...measured].map(([one, made]) => [one.name, { ...row(made), ...more(one) }]),
    ),
  );
}

const project = await makeProject(objects.BUCKETS, migration + objects.POLICIES);
const children: ChildProcess[] = [];
try {
  const { servers, fileServers, headers, service_role_key, pid } = await startAll(
    project.root,
    children,
  );
  const bytes = { ...headers, "content-type": "application/x-thing" };
  const memory = await objects.memoryOfGigabyte(pid, fileServers.stack, bytes);
  const json = { ...headers, "content-type": "application/json" };
  for (const one of cases) await agree(one, servers, json);
  const notes = await measure(cases, servers, json, effort);
  await objects.uploadObjects(fileServers, bytes, service_role_key);
  const files = await measure(objects.cases, fileServers, bytes, {
    ...effort,
    connections: OBJECT_CONNECTIONS,
  });
  await Promise.all(children.map(stop));
  const limits = databaseUrl ? null : await ratesOfPglite(project.root, effort.seconds);

  print(effort.connections, notes, (one) => (limits ? { "PGlite alone /s": limits.get(one) } : {}));
  print(OBJECT_CONNECTIONS, files);
  console.log(memory);
} finally {
  await Promise.all(children.map(stop));
  await project.remove();
}
