// A minimal server for the cases of `notes.ts`: node:http and a driver, one transaction per request with the caller's
// role and claims. Routes and caller are constants: it checks no token, parses no query and reads no schema.
//
//   bare.ts bare URL        over `pg`, with a transaction's statements sent together
//   bare.ts prepared URL    the same with prepared statements
//   bare.ts bare            over PGlite in memory
//
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import pg from "pg";
import { CALLER, type Case, cases, SETTINGS } from "./notes.js";
import { openNotes } from "./pglite.js";

const CONNECTIONS = 20;

type Ask = (sql: string, parameters: string[]) => Promise<string | null>;

async function overPostgres(url: string, prepared: boolean): Promise<Ask> {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, pipeline: true });
  const names = new Map([SETTINGS, ...cases.map(({ sql }) => sql)].map((sql, i) => [sql, `n${i}`]));
  const statement = (text: string, values: string[]) => {
    return { text, values, ...(prepared ? { name: names.get(text) } : {}) };
  };
  return async (sql, parameters) => {
    const client = await pool.connect();
    try {
      const [, , made] = await Promise.all([
        client.query("begin"),
        client.query(statement(SETTINGS, CALLER)),
        client.query<{ body: string | null }>(statement(sql, parameters)),
        client.query("commit"),
      ]);
      return made.rows[0]?.body ?? null;
    } finally {
      client.release();
    }
  };
}

async function overPglite(): Promise<Ask> {
  const pglite = await openNotes(process.cwd());
  return (sql, parameters) =>
    pglite.transaction(async (tx) => {
      await tx.query(SETTINGS, CALLER);
      const { rows } = await tx.query<{ body: string | null }>(sql, parameters);
      return rows[0]?.body ?? null;
    });
}

const [kind, url] = process.argv.slice(2);
const ask = url ? await overPostgres(url, kind === "prepared") : await overPglite();

function caseOf(method: string | undefined, path: string, query: URLSearchParams): Case {
  const [row, rows, rpc, insert] = cases as [Case, Case, Case, Case];
  if (path.endsWith("/rpc/notes_left")) return rpc;
  if (method === "POST") return insert;
  return query.has("limit") ? rows : row;
}

const http = createServer(async (request, response) => {
  const [path, search] = (request.url as string).split("?");
  const query = new URLSearchParams(search);
  const { sql, parameters, status } = caseOf(request.method, path as string, query);
  const sent = request.method === "POST" ? await text(request) : "";
  const body = await ask(sql, parameters(query, sent));
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(body ?? undefined);
});
http.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
});
