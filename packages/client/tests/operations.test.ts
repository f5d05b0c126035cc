import { describe, expect, it } from "vitest";
import { api } from "../../../supabase/functions/api/app.ts";
import { clientOf } from "./server.js";

/** Operations that are another form of an operation, required by the specification. */
const SECOND_FORMS: Record<string, string> = {
  "PUT /api/orders/{id}/status": "orders.changeStatus.put",
  "GET /semantic-search": "search.semantic.get",
  "POST /semantic-search": "search.semantic.post",
};

/**
 * Methods that send several requests, send what another method collects, send a query with a body, or ask for another format
 * of a record.
 */
const COMPOSED = new Set([
  "media.upload",
  "content.updateBranch",
  "analytics.track",
  "analytics.flush",
  "analytics.consent",
  "analytics.export",
  "payouts.statementCsv",
]);

interface Parameter {
  in: string;
  name: string;
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
  security?: object[];
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
}

async function readDocument(): Promise<Document> {
  return (await api.request("/api/openapi.json")).json() as Promise<Document>;
}

/**
 * The requests of every method of the client, called with `x` for each id and each other argument.
 */
async function askEverything() {
  const asked: { method: string; request: string; hasKey: boolean; hasToken: boolean }[] = [];
  let method = "";
  const fetch = async (input: RequestInfo | URL) => {
    const request = input as Request;
    const { pathname } = new URL(request.url);
    asked.push({
      method,
      request: `${request.method} ${pathname.replace("/functions/v1", "")}`,
      hasKey: request.headers.has("idempotency-key"),
      hasToken: request.headers.has("authorization"),
    });
    return new Response(null, { status: 418 });
  };
  const { supabase, realtime, ...capabilities } = clientOf(
    { url: "http://souk.invalid" },
    { fetch },
  );
  for (const [capability, found] of Object.entries(capabilities)) {
    // The content methods belong to a type, whose name precedes the ids in the address.
    const methods = typeof found === "function" ? found("x") : found;
    for (const [name, call] of Object.entries(methods)) {
      method = `${capability}.${name}`;
      if (COMPOSED.has(method)) continue;
      const called = (call as (...args: string[]) => Promise<unknown> | AsyncIterable<unknown>)(
        ...Array(4).fill("x"),
      );
      const answered =
        Symbol.asyncIterator in called ? called[Symbol.asyncIterator]().next() : called;
      await expect(answered, method).rejects.toMatchObject({ code: "HTTP_418" });
    }
  }
  return asked;
}

const { paths } = await readDocument();
const asked = await askEverything();
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    request: `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "x")}`,
    operation,
  })),
);

/** The client's requests for an operation. */
const askedAs = (request: string) => asked.filter((one) => one.request === request);

describe.each(operations.filter(({ name }) => !(name in SECOND_FORMS)))("$name", ({
  request,
  operation: { operationId, parameters = [], security },
}) => {
  it("has exactly one method, and its name", () => {
    const methods = askedAs(request).map(({ method }) => method);
    // A list has a second method that reads all its pages, by number or by cursor.
    const single = methods.filter((name) => !/All$/.test(name));
    expect(single).toEqual([operationId]);
    expect(methods.length - single.length, methods.join()).toBe(
      parameters.some(({ name }) => name === "page" || name === "after") ? 1 : 0,
    );
  });

  it("sends a token and an Idempotency-Key if the document requires them", () => {
    const takesKey = parameters.some(({ name }) => name === "Idempotency-Key");
    for (const { hasKey, hasToken } of askedAs(request)) {
      expect(hasKey).toBe(takesKey);
      expect(hasToken).toBe(security?.length !== 0);
    }
  });
});

it("a second form of an operation has the method's name with a suffix", () => {
  const named = Object.keys(SECOND_FORMS).map((form) => {
    const operation = operations.find(({ name }) => name === form)?.operation;
    return [form, operation?.operationId];
  });
  expect(Object.fromEntries(named)).toEqual(SECOND_FORMS);
  for (const id of Object.values(SECOND_FORMS)) {
    expect(asked.map(({ method }) => method)).toContain(id.replace(/\.\w+$/, ""));
  }
});

it("the client sends only requests that are in the document", () => {
  const known = operations.map(({ request }) => request);
  for (const { method, request } of asked) expect(known, method).toContain(request);
});
