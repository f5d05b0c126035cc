import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../tests/eventually.js";
import type { ImportProgress, ProductLine } from "../src/index.js";
import { clientOf, openServer } from "./server.js";

const progress = (line: number, init: Partial<ImportProgress> = {}): ImportProgress => ({
  line,
  imported: line,
  updated: 0,
  unchanged: 0,
  failed: 0,
  errors: [],
  done: false,
  ...init,
});
const lines = (...all: object[]) => all.map((one) => `${JSON.stringify(one)}\n`).join("");
const answered = (...all: object[]) => openServer(() => ({ body: lines(...all) }));
const done = progress(2, { done: true });
const csv = "external_id,name\nl1,Lamp\n";
const product = (external_id: string): ProductLine => ({ external_id, name: "Lamp" });

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("an import", () => {
  it("sends the given data, and sums up the server's lines", async () => {
    const bad = (line: number) => ({ line, code: "CONFLICT", message: "No.", field: "sku" });
    const server = await answered(
      progress(250, { errors: [bad(7)], failed: 1 }),
      progress(300, { imported: 290, updated: 2, failed: 8, errors: [bad(251)], done: true }),
    );
    const seen: number[] = [];
    const summary = await clientOf(server).products.import(csv, {
      format: "csv",
      marketplace_id: "m1",
      dry_run: true,
      onProgress: ({ line }) => seen.push(line),
    });
    expect(summary).toEqual({
      imported: 290,
      updated: 2,
      unchanged: 0,
      failed: 8,
      errors: [bad(7), bad(251)],
    });
    expect(seen).toEqual([250, 300]);
    expect(server.asked).toEqual([
      {
        method: "POST",
        path: "/functions/v1/api/products/import?marketplace_id=m1&dry_run=true",
        headers: expect.objectContaining({
          "content-type": "text/csv",
          accept: "application/x-ndjson",
          authorization: "Bearer a-token",
        }),
        body: csv,
      },
    ]);
  });

  const encoded = new TextEncoder().encode(csv);
  async function* parts() {
    yield csv.slice(0, 5);
    yield encoded.slice(5);
  }
  it.each([
    ["text", () => csv],
    ["a Blob", () => new Blob([csv])],
    ["a stream", () => new Blob([csv]).stream()],
    ["a Node stream", () => Readable.from([encoded])],
    ["parts", parts],
  ])("reads %s", async (_, source) => {
    const server = await answered(done);
    await clientOf(server).products.import(source(), { format: "csv" });
    expect(server.asked[0]).toMatchObject({ body: csv, headers: { "content-type": "text/csv" } });
  });

  it("writes products as lines, from a list or an iterator", async () => {
    async function* made() {
      yield product("l1");
      yield product("l2");
    }
    for (const source of [[product("l1"), product("l2")], made()]) {
      const server = await answered(done);
      await clientOf(server).products.import(source, { format: "ndjson" });
      expect(server.asked[0]).toMatchObject({
        body: lines(product("l1"), product("l2")),
        headers: { "content-type": "application/x-ndjson" },
      });
    }
  });

  it("buffers parts in a browser, which cannot stream a request body", async () => {
    Object.assign(globalThis, { document: {} });
    onTestFinished(() => void Reflect.deleteProperty(globalThis, "document"));
    const server = await answered(done);
    await clientOf(server).products.import(parts(), { format: "csv" });
    expect(server.asked[0]?.body).toBe(csv);
    expect(server.asked[0]?.headers["content-length"]).toBe(String(encoded.length));
  });

  it("is retried after 429 if its source can be read again", async () => {
    const refusing = () =>
      openServer((_, count) => (count === 1 ? { status: 429 } : { body: lines(done) }));
    const patient = await refusing();
    await clientOf(patient).products.import(csv, { format: "csv" });
    expect(patient.asked.map(({ body }) => body)).toEqual([csv, csv]);
    const once = await refusing();
    await expect(clientOf(once).products.import(parts(), { format: "csv" })).rejects.toMatchObject({
      status: 429,
    });
    expect(once.asked).toHaveLength(1);
  });

  it("rejects with the error in the answer, or if the answer ends too soon", async () => {
    const error = { error: { code: "TIMEOUT", message: "Too long.", details: {} } };
    const late = await answered(progress(250), error);
    await expect(clientOf(late).products.import(csv, { format: "csv" })).rejects.toMatchObject({
      name: "ApiError",
      code: "TIMEOUT",
    });
    const short = await answered(progress(250));
    await expect(clientOf(short).products.import(csv, { format: "csv" })).rejects.toThrow(
      "broke off after line 250",
    );
  });

  it("is sent in several requests until all of it is imported", async () => {
    // A server that accepts two lines per request, in any number of parts.
    const opening = () =>
      openServer(({ path, body }) => {
        const first = Number(new URL(path, "http://x").searchParams.get("first_line") ?? 2);
        const lines = body.trim().split("\n").length - 1;
        const taken = Math.min(lines, 2);
        const step = progress(first + taken - 1, { imported: taken, done: taken === lines });
        return {
          body: `${JSON.stringify(taken < lines ? { ...step, next_line: first + 2 } : step)}\n`,
        };
      });
    const header = "external_id,name";
    const file = `${header}\nl1,Lamp\nl2,Lämp\nl3,Lamp\nl4,Lamp\nl5,Lamp`;
    async function* cut(size: number) {
      const bytes = new TextEncoder().encode(file);
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    for (const source of [file, new Blob([file]), cut(1), cut(10), cut(500)]) {
      const server = await opening();
      const reported: unknown[] = [];
      const summary = await clientOf(server).products.import(source, {
        format: "csv",
        onProgress: ({ line, imported, done }) => reported.push([line, imported, done]),
      });
      expect(summary).toEqual({ imported: 5, updated: 0, unchanged: 0, failed: 0, errors: [] });
      expect(reported).toEqual([
        [3, 2, false],
        [5, 4, false],
        [6, 5, true],
      ]);
      expect(server.asked.map(({ path, body }) => [path.split("?")[1], body])).toEqual(
        [
          ["", file],
          ["first_line=4", `${header}\nl3,Lamp\nl4,Lamp\nl5,Lamp`],
          ["first_line=6", `${header}\nl5,Lamp`],
        ].map(([query, body]) => [query || undefined, body]),
      );
    }
  });

  /** An endless stream with one part per millisecond. */
  function endless(made?: (count: number) => void) {
    const source = { left: false, parts };
    async function* parts() {
      try {
        for (let count = 1; ; count += 1) {
          made?.(count);
          await new Promise((resolve) => setTimeout(resolve, 1));
          yield csv;
        }
      } finally {
        source.left = true;
      }
    }
    return source;
  }

  it("closes its source when it is aborted", async () => {
    const server = await openServer(() => "never");
    const aborter = new AbortController();
    const reason = new Error("enough");
    const source = endless((count) => count === 5 && aborter.abort(reason));
    const { signal } = aborter;
    await expect(
      clientOf(server).products.import(source.parts(), { format: "csv" }, { signal }),
    ).rejects.toBe(reason);
    await eventually(() => expect(source.left).toBe(true));
  });

  it("stops sending after it is refused", async () => {
    const server = createServer((_, response) => response.writeHead(403).end());
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const source = endless();
    await expect(
      clientOf({ url }).products.import(source.parts(), { format: "csv" }),
    ).rejects.toMatchObject({ status: 403 });
    await eventually(() => expect(source.left).toBe(true));
  });
});

describe("an export", () => {
  it("yields products, one by one", async () => {
    // Longer than one part, and with characters outside ASCII.
    const all = Array.from({ length: 3000 }, (_, i) => ({ ...product(`l${i}`), name: "Läämp ☕" }));
    const server = await answered(...all);
    expect(await collect(clientOf(server).products.export({ status: "active" }))).toEqual(all);
    expect(server.asked[0]?.path).toBe(
      "/functions/v1/api/products/export?status=active&format=ndjson",
    );
  });

  it("yields CSV as text, in parts", async () => {
    const server = await openServer(() => ({ body: csv.repeat(20_000) }));
    const parts = await collect(clientOf(server).products.export({ format: "csv" }));
    expect(parts.join("")).toBe(csv.repeat(20_000));
    expect(parts.length).toBeGreaterThan(1);
  });

  it("can be stopped in the middle", async () => {
    const server = await answered(...Array.from({ length: 3000 }, (_, i) => product(`l${i}`)));
    for await (const { external_id } of clientOf(server).products.export()) {
      if (external_id === "l5") break;
    }
  });

  it("rejects when it is refused", async () => {
    const server = await openServer(() => ({ status: 401 }));
    await expect(collect(clientOf(server).products.export())).rejects.toMatchObject({
      status: 401,
    });
  });
});
