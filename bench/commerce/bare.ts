// A bare server to compare Souk with: node:http and `pg`, prepared statements, no tenants, tokens
// or rules.
//
//   bare.ts URL
//
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import pg from "pg";
import { bareSql } from "./shop.js";

const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 });

async function answer(path: string, query: string, body: string): Promise<unknown> {
  const name = path.slice(1) as keyof typeof bareSql;
  const value = name === "order" ? JSON.parse(body).items[0].product_id : query;
  const { rows } = await pool.query({ name, text: bareSql[name], values: [value] });
  return name === "list" || name === "search" ? rows : rows[0];
}

const http = createServer(async (request, response) => {
  const [path = "", query = ""] = (request.url as string).split("?");
  const sent = request.method === "POST" ? await text(request) : "";
  const json = JSON.stringify(await answer(path, decodeURIComponent(query), sent));
  response
    .writeHead(request.method === "POST" ? 201 : 200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(json),
    })
    .end(json);
});

http.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
});
process.once("SIGTERM", async () => {
  http.close();
  http.closeAllConnections();
  await pool.end();
});
