// How much of a bare server's rate the stack keeps: `npm run bench:stack [-- --database-url URL]`.
// Both servers answer the same requests with the same rows, in turn, on the same machine.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SignJWT } from "jose";
import { load, type Measured } from "../load.js";
import { type Case, cases, makeProject, OWNER } from "./notes.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string" },
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "16" },
  },
});
const databaseUrl = values["database-url"];
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const connections = Number(values.connections);

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const tsx = import.meta.resolve("tsx");

/** A server of its own process, and the first line it prints. */
async function start(cwd: string, script: string, args: string[]): Promise<[ChildProcess, string]> {
  const child = spawn(process.execPath, ["--import", tsx, at(script), ...args], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line"),
    once(child, "exit").then(([code]) => {
      throw new Error(`${script} ended with ${code} before it was ready`);
    }),
  ]);
  return [child, line as string];
}

const project = await makeProject();
const children: ChildProcess[] = [];
try {
  const place = databaseUrl ? ["--database-url", databaseUrl] : ["--data", "memory"];
  const [stack, ready] = await start(project.root, "../../packages/stack/src/cli.ts", [
    ...["start", "--port", "0", "--json"],
    ...place,
  ]);
  children.push(stack);
  const { url, anon_key, jwt_secret } = JSON.parse(ready);
  const [bare, bareUrl] = await start(
    project.root,
    "bare.ts",
    databaseUrl ? ["postgres", databaseUrl] : ["pglite"],
  );
  children.push(bare);

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
  const servers = { bare: bareUrl, stack: url as string };
  const wanted = (one: Case) => (count: number) => ({ ...one.wanted(count), headers });

  for (const one of cases) await agree(one, servers, headers);
  const measured = new Map<string, Measured[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const one of cases) {
      for (const [server, origin] of Object.entries(servers)) {
        process.stderr.write(
          `\r${round === 0 ? "warming up" : `round ${round} of ${rounds}`}: ${one.name}, ${server}          `,
        );
        const length = round === 0 ? 1 : seconds;
        const made = await load(origin, wanted(one), {
          connections,
          seconds: length,
          status: one.status,
        });
        const key = `${one.name}, ${server}`;
        if (round > 0) measured.set(key, [...(measured.get(key) ?? []), made]);
      }
    }
  }
  process.stderr.write("\r\x1b[K");

  console.log(
    `${databaseUrl ? "Postgres" : "PGlite"}, ${connections} connections, ${rounds} × ${seconds} s, medians`,
  );
  console.table(
    Object.fromEntries(
      cases.map(({ name }) => {
        const [stack, bare] = ["stack", "bare"].map(
          (server) => measured.get(`${name}, ${server}`) as Measured[],
        ) as [Measured[], Measured[]];
        const ratios = stack.map((made, i) => made.rate / (bare[i] as Measured).rate);
        return [
          name,
          {
            "bare /s": Math.round(median(bare.map(({ rate }) => rate))),
            "stack /s": Math.round(median(stack.map(({ rate }) => rate))),
            "of bare": `${Math.round(median(ratios) * 100)} %`,
            "p50 ms": Number(median(stack.map(({ p50 }) => p50)).toFixed(1)),
            "p99 ms": Number(median(stack.map(({ p99 }) => p99)).toFixed(1)),
          },
        ];
      }),
    ),
  );
} finally {
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
    }),
  );
  await project.remove();
}

/** Throws unless both servers answer a case alike: only then their rates can be compared. */
async function agree(one: Case, servers: Record<string, string>, headers: Record<string, string>) {
  const answers = await Promise.all(
    Object.values(servers).map(async (origin) => {
      const { method, path, body } = one.wanted(1);
      const answer = await fetch(origin + path, { method, headers, body });
      return `${answer.status} ${await answer.text()}`;
    }),
  );
  // The two databases of PGlite wrote their rows at two times.
  const [first, second] = answers.map((answer) => answer.replace(/"written_at":"[^"]*"/g, ""));
  if (first !== second) throw new Error(`${one.name}: ${answers.join("\n is not ")}`);
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;
}
