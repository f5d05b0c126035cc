import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { call, listProduct, openTestTenant, orderFor, type Person, register } from "../souk.js";

// The message about a field is the predicate of a sentence, in all validators.

let operator: Person;
beforeAll(async () => {
  operator = await register({ tenant_name: "Grammar" });
});

async function wordsOf(method: string, path: string, body?: object): Promise<object> {
  const { status, body: answer } = await call(method, path, { as: operator, body });
  expect(status).toBe(422);
  const { message, details } = answer.error;
  const errors = details.errors ?? [{ field: details.field, message: message.split(": ")[1] }];
  return Object.fromEntries(
    errors.map(({ field, message }: { field: string; message: string }) => [field, message]),
  );
}

test("for bodies", async () => {
  expect(await wordsOf("POST", "/api/products", { name: "", price: -1, status: "x" })).toEqual({
    // The last of two messages.
    name: "must have a visible character",
    price: "must be at least 0",
    status: expect.stringMatching(/^must be one of draft, /),
  });
  expect(await wordsOf("POST", "/api/products", { name: 5 })).toEqual({
    name: "must be a string",
    price: "is missing",
  });
  expect(await wordsOf("POST", "/auth/invitations", { email: "nobody", role: "admin" })).toEqual({
    email: "must be an e-mail address",
  });
  expect(await wordsOf("POST", "/api/products", { nonsense: 1 })).toEqual({
    nonsense: "is not known here",
  });
  const order = { items: [], marketplace_id: "x", shipping_address: 1 };
  expect(await wordsOf("POST", "/api/orders", order)).toEqual({
    items: "must have at least 1 entry",
    marketplace_id: "must be a UUID",
    shipping_address: "must be an object",
  });
});

test("for queries", async () => {
  expect(await wordsOf("GET", "/api/orders?page=0")).toEqual({ page: "must be at least 1" });
  expect(await wordsOf("GET", "/api/orders?limit=many")).toEqual({ limit: "must be a number" });
  for (const field of ["from", "to", "booked_from", "booked_to"]) {
    expect(await wordsOf("GET", `/api/orders?${field}=yesterday`)).toEqual({
      [field]: expect.stringMatching(/^must be .*a date such as 2026-01-01/),
    });
  }
  expect(await wordsOf("GET", "/api/orders?nonsense=1")).toEqual({
    nonsense: "is not known here",
  });
});

describe("docs/errors.md", () => {
  const page = readFileSync("docs/errors.md", "utf8");
  const block = (language: string) =>
    new RegExp(`^\`\`\`${language}\\n(.*?)\\n\`\`\``, "ms").exec(page)?.[1] ?? "";

  test("shows the messages of its example as they are sent", async () => {
    const { supplier } = await openTestTenant();
    const { body } = await call("POST", "/api/products", {
      as: supplier,
      body: { name: "", price: -1 },
    });
    const sent = body.error.details.errors.map(
      ({ field, message }: { field: string; message: string }) => `${field} ${message}`,
    );
    expect(block("text").split("\n")).toEqual(sent);
    expect(page).toContain(`\`${body.error.message}\``);
  });

  test("shows the body of an error as it is sent", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, { price: 49 });
    const order = orderFor(product);
    const { body } = await call("POST", "/api/orders", {
      as: customer,
      body: { ...order, items: [{ ...order.items[0], price: 45 }] },
    });
    expect(body).toMatchObject(JSON.parse(block("json")));
  });

  test.each([
    ["is missing", { price: 1 }],
    ["is not known here", { name: "Cup", price: 1, colour: "red" }],
    ["a string", { name: 1, price: 1 }],
    ["one of draft, active", { name: "Cup", price: 1, status: "lost" }],
  ])("describes the message `%s`", async (words, product) => {
    const { supplier } = await openTestTenant();
    const { body } = await call("POST", "/api/products", { as: supplier, body: product });
    expect(body.error.message).toContain(words);
    expect(page).toContain(`\`${words}\``);
  });
});
