import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createWatch, type Watch } from "../watching.js";

// The comparison of all requests of the tests with the OpenAPI document, with a small document.

const named = (status: number, schema: object) => ({
  [status]: { description: "A lamp.", content: { "application/json": { schema } } },
});

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Lamps", version: "1" },
  paths: {
    "/api/lamps/{id}": {
      get: {
        parameters: [
          { in: "query", name: "limit", schema: { type: "integer", maximum: 10 } },
          { in: "query", name: "ids", schema: { type: "array", items: { type: "string" } } },
          { in: "query", name: "full", schema: { type: "boolean" } },
        ],
        responses: named(200, { $ref: "#/components/schemas/Lamp" }),
      },
    },
    "/api/lamps/best": { get: { responses: named(200, { type: "object" }) } },
    "/api/lamps": {
      post: {
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/Lamp" } } },
        },
        responses: { ...named(201, {}), ...named(422, { required: ["error"] }) },
      },
    },
    "/api/lamps/export": {
      get: { responses: { 200: { description: "Lines.", content: { "text/csv": {} } } } },
    },
  },
  components: {
    schemas: {
      Lamp: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: ["string", "null"], pattern: "^[^\\u0000-\\u0020]+$" },
          made_at: { type: "string", format: "date-time" },
        },
      },
    },
  },
};

/** The answers of the server by method and path: a status, a type and a text. */
const answers = new Map<string, [status: number, type: string, text: string]>();

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "", "http://souk.invalid");
  const path = pathname.replace("/functions/v1", "");
  const isDocument = path === "/api/openapi.json";
  const [status, type, text] = isDocument
    ? [200, "application/json", JSON.stringify(DOCUMENT)]
    : (answers.get(`${request.method} ${path}`) ?? [404, "text/plain", ""]);
  request.resume();
  response.writeHead(status, { "content-type": type, "x-request-id": "1" }).end(text);
});

let base: string;
let watch: Watch;

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/functions/v1`;
});
afterAll(() => server.close());
beforeEach(() => {
  answers.clear();
  watch = createWatch(fetch);
  watch.watchAnswers({ functions_url: base });
});

const answerWith = (name: string, status: number, body: unknown, type = "application/json") =>
  answers.set(name, [status, type, typeof body === "string" ? body : JSON.stringify(body)]);

const ask = (path: string, init?: RequestInit) => watch.fetch(`${base}${path}`, init);

const place = (body: unknown) =>
  ask("/lamps", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe("a watched request", () => {
  it("passes if the document allows it, with and without /api", async () => {
    answerWith("GET /lamps/1", 200, { name: "Oil", made_at: "2026-01-01T12:00:00.5+00:00" });
    answerWith("GET /api/lamps/1", 200, { name: null });
    answerWith("GET /api/lamps/best", 200, {});
    answerWith("POST /lamps", 201, {});
    await ask("/lamps/1?limit=10&ids=a&full=true&limit=");
    await ask("/api/lamps/1?ids=a&ids=b");
    await ask("/api/lamps/best");
    await ask("/unknown");
    await place({ name: "Oil" });
    await watch.checkAnswers();
  });

  it("leaves the answer to the test", async () => {
    answerWith("GET /api/lamps/1", 200, { name: "Oil" });
    expect(await (await ask("/api/lamps/1")).json()).toEqual({ name: "Oil" });
    answerWith("GET /api/lamps/export", 200, "name\nOil\n", "text/csv; charset=utf-8");
    expect(await (await ask("/api/lamps/export")).text()).toBe("name\nOil\n");
    await watch.checkAnswers();
  });

  it.each([
    [{ name: 1 }, "/name must be string,null"],
    [{}, "it must have required property 'name'"],
    [{ name: " " }, "/name must match pattern"],
    [{ name: "Oil", made_at: "yesterday" }, '/made_at must match format "date-time"'],
  ])("fails for an answer that its schema refuses: %j", async (lamp, fault) => {
    answerWith("GET /api/lamps/1", 200, lamp);
    await ask("/api/lamps/1");
    const failed = await watch.checkAnswers().catch(String);
    expect(failed).toContain("GET /api/lamps/{id} 200: ");
    expect(failed).toContain(fault);
    // Each fault is reported once.
    await watch.checkAnswers();
  });

  it("fails for a status or a type that is not described", async () => {
    answerWith("GET /api/lamps/1", 202, { name: "Oil" });
    answerWith("GET /api/lamps/best", 200, "<p>Oil</p>", "text/html");
    await Promise.all([ask("/api/lamps/1"), ask("/api/lamps/best")]);
    const failed = await watch.checkAnswers().catch(String);
    expect(failed).toContain("GET /api/lamps/{id} 202: the status is not described");
    expect(failed).toContain("GET /api/lamps/best 200: text/html is not described");
  });

  it("fails for a body or a parameter that is accepted and not described", async () => {
    answerWith("POST /lamps", 201, {});
    answerWith("GET /api/lamps/1", 200, { name: "Oil" });
    await place({ name: "" });
    await ask("/api/lamps/1?limit=11&full=perhaps");
    const failed = await watch.checkAnswers().catch(String);
    expect(failed).toContain("POST /api/lamps 201: the accepted body: /name must match pattern");
    expect(failed).toContain("200: the accepted parameter limit: it must be <= 10");
    expect(failed).toContain("200: the accepted parameter full: it must be boolean");
    // What is refused may be anything, also entries of a request that is accepted.
    answerWith("POST /lamps", 201, { results: [{ index: 0, error: { code: "CONFLICT" } }] });
    await place({ name: 2 });
    answerWith("POST /lamps", 422, { error: {} });
    await place({ name: 1 });
    await watch.checkAnswers();
  });

  it("is also compared if it is sent as a Request", async () => {
    answerWith("POST /lamps", 201, {});
    const headers = { "content-type": "application/json" };
    await watch.fetch(new Request(`${base}/lamps`, { method: "POST", headers, body: "{}" }));
    await expect(watch.checkAnswers()).rejects.toThrow("the accepted body");
  });

  it("is not compared elsewhere", async () => {
    answerWith("GET /lamps/1", 200, {});
    await watch.fetch(`${base.replace("/functions/v1", "")}/functions/v1`);
    const other = createWatch(fetch);
    await other.fetch(`${base}/lamps/1`);
    await Promise.all([watch.checkAnswers(), other.checkAnswers()]);
  });
});
