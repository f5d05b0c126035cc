import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { Script } from "node:vm";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { beforeAll, describe, expect, test } from "vitest";
import { patternOf } from "../../supabase/functions/_shared/documentation/mend_schemas.ts";
import {
  type Document,
  showDocument,
} from "../../supabase/functions/_shared/documentation/page.ts";
import type { ErrorCode } from "../../supabase/functions/_shared/http/error_codes.ts";
import { ApiError } from "../../supabase/functions/_shared/http/errors.ts";
import { isVisible } from "../../supabase/functions/_shared/values/names.ts";
import { type Answer, call, listProduct, openTestTenant, register } from "../souk.js";

const UNKNOWN = randomUUID();
const METHODS = ["get", "post", "put", "patch", "delete"];
const ERROR_STATUSES = ["400", "401", "403", "404", "422", "429"];

describe("/api/openapi.json", () => {
  // biome-ignore lint/suspicious/noExplicitAny: the document is read as a consumer reads it.
  let document: any;
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  let operations: [string, any][];
  const isPublicKey = (way: object) => "publicKey" in way;

  beforeAll(async () => {
    const answer = await call("GET", "/api/openapi.json");
    expect(answer.status).toBe(200);
    document = answer.body;
    operations = Object.entries<object>(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => METHODS.includes(method))
        .map(([method, operation]): [string, object] => [`${method} ${path}`, operation]),
    );
  });

  /** The operations with query parameters. */
  const asked = (): [name: string, query: { name: string; schema: { type: string } }[]][] =>
    operations.flatMap(([name, { parameters = [] }]) => {
      const query = parameters.filter((parameter: { in: string }) => parameter.in === "query");
      return query.length > 0 ? [[name, query]] : [];
    });

  /** The method and path of an operation, with an id for each path parameter. */
  const filled = (name: string): [method: string, address: string] => {
    const [method, address] = name.split(" ") as [string, string];
    return [method.toUpperCase(), address.replaceAll(/\{\w+\}/g, () => UNKNOWN)];
  };

  test("describes the operations of every capability", () => {
    expect(operations.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        "post /auth/register",
        "post /auth/login",
        "post /auth/refresh",
        "post /auth/logout",
        "get /auth/me",
        "put /api/marketplaces/{id}",
        "get /api/products",
        "post /api/orders",
        "patch /api/orders/{id}/status",
        "get /api/webhooks/{id}/logs",
      ]),
    );
  });

  test("gives every operation a summary, a known tag, a success response and its errors", () => {
    const tags = document.tags.map(({ name }: { name: string }) => name);
    for (const [name, operation] of operations) {
      expect(operation.summary, name).toMatch(/\S/);
      expect(operation.tags, name).toHaveLength(1);
      expect(tags, name).toContain(operation.tags[0]);
      const statuses = Object.keys(operation.responses);
      expect(
        statuses.filter((status) => status.startsWith("2")),
        name,
      ).toHaveLength(1);
      // OAuth has errors of its own.
      const error = name === "post /auth/token" ? "TokenError" : "Error";
      for (const status of error === "TokenError" ? ["400", "401"] : ERROR_STATUSES) {
        const schema = operation.responses[status]?.content["application/json"].schema;
        expect(schema, `${name} ${status}`).toEqual({ $ref: `#/components/schemas/${error}` });
      }
    }
  });

  test("requires a token except where one is issued", () => {
    expect(document.security).toEqual([{ token: [] }]);
    expect(document.components.securitySchemes.token).toMatchObject({
      type: "http",
      scheme: "bearer",
    });
    const visited = operations.filter(([, { security }]) => security?.some(isPublicKey));
    for (const [, { security, parameters }] of visited) {
      expect(security).toEqual([{ token: [] }, { publicKey: [] }]);
      expect(parameters).toContainEqual(expect.objectContaining({ name: "x-souk-marketplace" }));
    }
    expect(visited.length).toBeGreaterThan(15);
    const open = operations.filter(
      ([, { security }]) => security !== undefined && !security.some(isPublicKey),
    );
    expect(Object.fromEntries(open.map(([name, { security }]) => [name, security]))).toEqual({
      "get /api/storefront": [],
      "post /auth/guest": [],
      "post /auth/login": [],
      "post /auth/refresh": [],
      // A guest sends its token.
      "post /auth/register": [{}, { token: [] }],
      "post /auth/token": [],
    });
  });

  test("lists every error code, with the status and message in docs/errors.md", async () => {
    const { enum: codes } = document.components.schemas.ErrorCode;
    const page = await readFile("docs/errors.md", "utf8");
    const rows = [...page.matchAll(/^\| (\d{3}) \| ([A-Z_]+) \|/gm)];
    expect(rows.map(([, , code]) => code).toSorted()).toEqual(codes.toSorted());
    for (const [, status, code] of rows) {
      expect(`${code} ${new ApiError(code as ErrorCode).status}`).toBe(`${code} ${status}`);
    }
    const messages = [...page.matchAll(/^\| ([A-Z_]+) \| `(.+)` \|$/gm)];
    expect(Object.fromEntries(messages.map(([, code, message]) => [code, message]))).toEqual(
      Object.fromEntries(codes.map((code: ErrorCode) => [code, new ApiError(code).message])),
    );
  });

  test("accepts an Idempotency-Key wherever a member creates something, and nowhere else", () => {
    for (const [name, { security, responses, parameters = [] }] of operations) {
      const taken = parameters.some(
        (parameter: { name: string; in: string }) =>
          parameter.name === "Idempotency-Key" && parameter.in === "header",
      );
      // An answer with a secret must be repeatable, because receivers use that secret. A lost preview can be created
      // again.
      const makes =
        ("201" in responses && !name.endsWith("/preview")) ||
        "202" in responses ||
        /\/(rotate-secret|(top-placement|analytics)\/events|campaigns\/\{id\}\/approve|checkouts\/\{id\}\/complete|refunds|accept)$/.test(
          name,
        );
      const creates =
        name.startsWith("post ") && makes && (security === undefined || security.some(isPublicKey));
      expect(`${name}: ${taken}`).toBe(`${name}: ${creates}`);
    }
    expect(operations.find(([name]) => name === "post /api/orders")?.[1].parameters).toHaveLength(
      1,
    );
  });

  test("ignores empty query parameters in every operation", async () => {
    const { operator, supplier } = await openTestTenant();
    await listProduct(supplier, { price: 7 });
    const odd: unknown[] = [];
    for (const [name, query] of asked()) {
      const [method, address] = filled(name);
      const empty = query.map((parameter) => `${parameter.name}=`).join("&");
      // Other fields of an answer may depend on the time.
      const outcome = async (search: string) => {
        const { status, body } = await call(method, address + search, { as: operator });
        return { status, total: body?.total, error: body?.error };
      };
      const [bare, ...others] = [
        await outcome(""),
        await outcome(`?${empty}`),
        await outcome(`?${empty.replaceAll("=", "")}`),
      ];
      for (const other of others) {
        if (!isDeepStrictEqual(bare, other)) odd.push([name, bare, other]);
      }
    }
    expect(odd).toEqual([]);
    const free = await call("GET", "/api/products?price_min=&price_max=", { as: operator });
    expect(free.body.total).toBe(1);
  });

  test("accepts numbers in queries in decimal notation only, in every operation", async () => {
    const operator = await register({ tenant_name: "Decimal" });
    const taken: unknown[] = [];
    let tried = 0;
    for (const [name, query] of asked()) {
      const numbers = query
        .filter(({ schema }) => ["number", "integer"].includes(schema.type))
        .map((parameter) => parameter.name);
      if (numbers.length === 0) continue;
      const [method, address] = filled(name);
      for (const odd of ["0x10", "1e2", "%20", "%205", "5%0A", "+5", "5.", "Infinity", "%D9%A5"]) {
        tried += 1;
        const search = numbers.map((number) => `${number}=${odd}`).join("&");
        const { status, body } = await call(method, `${address}?${search}`, { as: operator });
        const { field, errors = [{ field }] } = body.error?.details ?? {};
        const refused = errors.map((error: { field: string }) => error.field);
        if (status !== 422 || numbers.some((number) => !refused.includes(number))) {
          taken.push([name, odd, status, refused]);
        }
      }
    }
    expect(taken).toEqual([]);
    expect(tried).toBeGreaterThan(200);
  });

  test("is complete: every other parameter or field is refused by name", async () => {
    const operator = await register({ tenant_name: "Narrow" });
    const path = (name: string) => {
      const [method, address] = name.split(" ") as [string, string];
      return [method.toUpperCase(), address.replaceAll(/\{\w+\}/g, () => randomUUID())] as const;
    };
    const taken: string[] = [];
    const refuses = async (name: string, answer: Promise<Answer>) => {
      const { status, body } = await answer;
      const { code, details } = body.error ?? {};
      const refusal = [status, code, details?.field, details?.value].join(" ");
      if (refusal !== "422 VALIDATION_ERROR nonsense 1") taken.push(`${name}: ${refusal}`);
    };
    const tryOut = async ([name, { requestBody }]: (typeof operations)[number]) => {
      const [method, address] = path(name);
      await refuses(name, call(method, `${address}?nonsense=1`, { as: operator }));
      const types = Object.keys(requestBody?.content ?? {});
      // OAuth ignores what it does not know, and has errors of its own.
      if (["GET", "DELETE"].includes(method) || name === "post /auth/token") return;
      // An address has the fields of its country and of its shop.
      if (address.includes("/me/addresses")) return;
      if (types.length > 0 && !types.includes("application/json")) return;
      await refuses(
        `${name} (body)`,
        call(method, address, { as: operator, body: { nonsense: 1 } }),
      );
    };
    await Promise.all(operations.map(tryOut));
    expect(taken).toEqual([]);
  });

  test("says once that the resources also answer without /api", () => {
    expect(document.info.description).toContain("/products/{id} is /api/products/{id}");
    expect(operations.map(([name]) => name)).not.toContain("get /products/{id}");
  });

  test("is valid OpenAPI 3.1, with examples that are valid in their schemas", async () => {
    const config = await createConfig({
      extends: ["recommended-strict"],
      rules: {
        // An id is a UUID, so `/api/media/folders/{id}` is never `/api/media/{id}/complete`.
        "no-ambiguous-paths": "off",
        "no-invalid-media-type-examples": "error",
        "no-invalid-schema-examples": "error",
        "no-invalid-parameter-examples": "error",
        "no-schema-type-mismatch": "error",
        "no-enum-type-mismatch": "error",
      },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    const shown = problems.map(({ message, location }) => [location[0]?.pointer, message]);
    expect(shown).toEqual([]);
  });

  describe("has patterns", () => {
    /** The patterns of all schemas, each with the first place where it stands. */
    let patterns: Map<string, string>;

    beforeAll(() => {
      patterns = new Map();
      const walk = (part: object, path: string) => {
        for (const [name, value] of Object.entries(part)) {
          if (name === "pattern" && typeof value === "string" && !patterns.has(value)) {
            patterns.set(value, path);
          }
          if (typeof value === "object" && value !== null) walk(value, `${path}/${name}`);
        }
      };
      walk({ paths: document.paths, components: document.components }, "");
    });

    test("that any engine for regular expressions reads", () => {
      expect(patterns.size).toBeGreaterThan(15);
      for (const [pattern, path] of patterns) {
        expect(() => new RegExp(pattern, "u"), `${path}: ${pattern}`).not.toThrow();
        expect(pattern, path).not.toMatch(/[^\\]\/[a-z]+$/);
        // Python, Java and others lack most properties, and RE2 lacks what is written with `(?`.
        expect(pattern, path).not.toMatch(/\\p\{|\(\?/i);
      }
    });

    test("for names that accept every visible text, and no invisible one", () => {
      const { properties } = bodyOf("post /api/products");
      const pattern = new RegExp(properties.name.pattern, "u");
      const texts = ["Saffron", "زعفران", "乌龙茶", "🫖", "a\u200b", " \u00a0x", "-", "0"];
      const invisible = [
        " ",
        "\u200b",
        "\u00ad\u00a0",
        "\u2800",
        "\u3164",
        "\ufeff",
        "\u0085",
        "\n",
      ];
      for (const text of [...texts, ...invisible]) {
        expect(`${JSON.stringify(text)} ${pattern.test(text)}`).toBe(
          `${JSON.stringify(text)} ${isVisible(text)}`,
        );
      }
    });

    test("for the names of files that accept spaces and letters, and no slash", () => {
      const { properties } = bodyOf("post /api/media");
      const pattern = new RegExp(properties.filename.pattern, "u");
      for (const name of ["pot.jpg", "my pot (1).jpg", "كوب.png", "🫖.webp"]) {
        expect(name).toMatch(pattern);
      }
      for (const name of ["a/b.jpg", "a\\b.jpg", "a\u0000.jpg", "a\u009f.jpg", ""]) {
        expect(name).not.toMatch(pattern);
      }
    });

    test("without the flags of the expressions", () => {
      expect(patternOf("^a\\/u")).toBe("^a\\/u");
      expect(patternOf("[/]/u")).toBe("[/]");
      expect(patternOf("^[^\\p{Cc}]$/u")).toBe("^[^\\u0000-\\u001f\\u007f-\\u009f]$");
      // What needs a flag cannot be said, and a pattern without it would refuse valid texts.
      expect(patternOf("^a$/i")).toBeUndefined();
    });

    const bodyOf = (name: string) => {
      const [, operation] = operations.find(([one]) => one === name) ?? [];
      const { schema } = operation.requestBody.content["application/json"];
      return schema.$ref ? document.components.schemas[schema.$ref.split("/").at(-1)] : schema;
    };
  });

  test("refers only to schemas that it contains", () => {
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(20);
    for (const [, name] of references)
      expect(document.components.schemas).toHaveProperty([name as string]);
  });
});

describe("/api/docs", () => {
  let page: Answer;

  beforeAll(async () => {
    page = await call("GET", "/api/docs");
  });

  test("is a page that browsers show, also hosted", () => {
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("application/xhtml+xml; charset=utf-8");
    expect(page.headers.get("content-security-policy")).toBe("frame-ancestors 'none'");
    expect(page.body).toContain('<html xmlns="http://www.w3.org/1999/xhtml"');
    expect(faultOf(page.body)).toBeNull();
  });

  test("loads and runs only its own script, from a separate file", async () => {
    const [script, ...others] = page.body.match(/<script[^>]*>/g);
    expect([script, others]).toEqual(['<script src="docs.js">', []]);
    expect(page.body).not.toMatch(/<link|<img|<iframe|@import|url\(|\son\w+=/i);
    const { status, headers, body } = await call("GET", "/api/docs.js");
    expect([status, headers.get("content-type")]).toEqual([200, "text/javascript"]);
    expect(() => new Script(body)).not.toThrow();
  });

  test("has an entry for each operation, by its id, with roles and examples", () => {
    expect(page.body).toContain('<details id="orders.place">');
    expect(page.body).toContain("<p>For admins, clients and customers. Reserves the stock");
    expect(page.body).toContain("PRICE_MISMATCH (422) with the item; INSUFFICIENT_INVENTORY");
    expect(page.body).toContain("&quot;shipping_address&quot;: {");
  });

  test("shows operations, fields and error codes", () => {
    for (const shown of [
      '<b class="post">POST</b> <code>/auth/register</code>',
      '<b class="patch">PATCH</b> <code>/api/orders/{id}/status</code>',
      "<code>items[].price</code>",
      "INSUFFICIENT_INVENTORY",
      "NESTING_TOO_DEEP",
    ]) {
      expect(page.body).toContain(shown);
    }
  });

  test("links only to entries on the page", () => {
    const targets = [...page.body.matchAll(/href="#([^"]+)"/g)];
    expect(targets.length).toBeGreaterThan(20);
    for (const [, target] of targets) expect(page.body).toContain(`id="${target}"`);
  });

  test("escapes all texts of the document", async () => {
    const nasty = `</p><script>alert("1 & 'x'")</script>`;
    const document: Document = {
      openapi: "3.1.0",
      info: { title: nasty, version: nasty, description: nasty },
      tags: [{ name: nasty, description: nasty }],
      paths: {
        [`/${nasty}`]: {
          get: {
            tags: [nasty],
            summary: nasty,
            description: nasty,
            parameters: [{ name: nasty, in: "query", schema: { enum: [nasty], default: nasty } }],
            requestBody: {
              content: {
                "application/json": {
                  schema: {
                    properties: { [nasty]: { type: "string", pattern: nasty, description: nasty } },
                  },
                },
              },
            },
            responses: { [nasty]: { description: nasty } },
          },
        },
      },
      components: { schemas: { [nasty]: { type: "string", description: nasty } } },
    };
    const shown = await showDocument(document);
    expect(shown.replace('<script src="docs.js">', "")).not.toContain("<script");
    expect(faultOf(shown)).toBeNull();
    expect(shown.split("&lt;script&gt;").length).toBeGreaterThan(15);
  });
});

/** Reports the first XML error: a tag that is closed in the wrong order, a bare `&` or `<`. */
function faultOf(page: string): string | null {
  const open: string[] = [];
  const body = page.replace(/^<\?xml[^>]*\?>\s*<!DOCTYPE html>/, "");
  const tag = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z:-]+="[^"<]*")*)\s*(\/?)>/g;
  for (const [, closing, name, , single] of body.matchAll(tag)) {
    if (single) continue;
    if (!closing) open.push(name as string);
    else if (open.pop() !== name) return `</${name}> closes nothing`;
  }
  if (open.length > 0) return `<${open.at(-1)}> is never closed`;
  const bare = /<|&(?!(amp|lt|gt|quot|apos|#\d+|#x[0-9a-f]+);)/i.exec(body.replace(tag, ""));
  return bare && `a bare ${bare[0]} before ${bare.input.slice(bare.index, bare.index + 40)}`;
}
