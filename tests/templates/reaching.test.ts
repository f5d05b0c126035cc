import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { apiPath, databasePath } from "../../supabase/functions/_shared/templates/reaching.ts";
import { inSlots } from "../../supabase/functions/_shared/templates/source_slots.ts";

it.each([
  "/api/products?limit=4",
  "/api/products?search=a%20%2F%2Fb%5C..&limit=4",
  "/products/00000000-0000-4000-8000-000000000001",
  "/orders",
  "/auth/me",
  "/semantic-search?query=x",
])("allows the path %s", (address) => {
  expect(apiPath(address)).toBe(`/functions/v1${address}`);
});

it.each([
  "",
  "api/products",
  "//evil.example/api/products",
  "/\\evil.example",
  "https://evil.example/api/products",
  "http://127.0.0.1/api/products",
  "file:///etc/passwd",
  "/api/../webhook-dispatch",
  "/api/%2e%2e/webhook-dispatch",
  "/api/%2E%2E%2Fwebhook-dispatch",
  "/api/..%2fwebhook-dispatch",
  "/api/.%2e/webhook-dispatch",
  "/api/./products",
  "/api//products",
  "/api/products\\..\\x",
  "/api/pro\nducts",
  "/api/pro ducts",
  "/api/products#fragment",
  "/@evil.example/api",
  "/webhook-dispatch",
  "/render",
  "/api/templates/homepage/render",
  "/api/templates/homepage/%72ender?language=de",
  "/api/templates/homepage/%2572ender",
  "/auth/login",
  "/auth/me/../login",
  "/rest/v1/products",
  "/%61pi/%zz",
])("refuses the path %j", (address) => {
  expect(apiPath(address)).toBeUndefined();
});

it.each([
  "products?select=id,name&limit=3",
  "product_details?select=*&id=eq.1",
  "rpc/get_product?product_id=1",
])("allows the query %s", (query) => {
  expect(databasePath(query)).toBe(`/rest/v1/${query}`);
});

it.each([
  "",
  "?select=*",
  "/products",
  "//evil.example/products",
  "https://evil.example/products",
  "\\evil.example",
  "../auth/v1/admin/users",
  "rpc/../../auth/v1/admin/users",
  "rpc/%2e%2e/products",
  "rpc/a/b",
  "products/../x",
  "Products",
  "products;drop",
  "products#x",
  "@evil.example/products",
  "products?a=b c",
])("refuses the query %j", (query) => {
  expect(databasePath(query)).toBeUndefined();
});

describe("the sources of a page", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => void vi.useRealTimers();
  });

  /** Pages of a tenant whose sources take `ms` and return `answer`, and what they count as. */
  function openPages(ms: number, answer: unknown = null) {
    const seen = { most: 0, costs: [] as number[] };
    const count = vi.fn(async (requests: number) => {
      seen.costs.push(requests);
      return { minute: "", resets_in: 60, allowed: 100, counted: requests, member: true };
    });
    let now = 0;
    async function read() {
      seen.most = Math.max(seen.most, ++now);
      await new Promise((resolve) => setTimeout(resolve, ms));
      now -= 1;
      return answer;
    }
    const tenant = randomUUID();
    const page = () => inSlots({ read }, count, tenant);
    return { page, seen, count };
  }

  /** Waits `ms` for sources, and returns the reasons of those that failed. */
  async function endOf(sources: Promise<unknown>[], ms = 60_000): Promise<string[]> {
    const all = Promise.allSettled(sources);
    // Not for all timers: a connection that an earlier file left open in this process may set them for ever.
    await vi.advanceTimersByTimeAsync(ms);
    return (await all).flatMap((one) => (one.status === "rejected" ? one.reason.message : []));
  }

  it.each(["api", "database"] as const)("are read two at a time: %s", async (kind) => {
    const { page, seen } = openPages(300);
    const one = page();
    expect(await endOf(Array.from({ length: 10 }, () => one.read(kind, "/api/x")))).toEqual([]);
    expect(seen).toEqual({ most: 2, costs: Array(10).fill(1) });
  });

  it.each([
    { kind: "database", address: "t", most: 2 },
    { kind: "database", address: "t?limit=101", most: 2 },
    { kind: "database", address: "t?limit=", most: 2 },
    { kind: "database", address: "t?limit=1&limit=1000", most: 2 },
    { kind: "database", address: "t?limit=100", most: 3 },
    { kind: "api", address: "/api/t", most: 3 },
    { kind: "api", address: "/api/t?limit=8", most: 3 },
    { kind: "api", address: "/api/t?%6Cimit=1000", most: 2 },
  ] as const)("of three pages, $address of the $kind, are $most at a time", async (source) => {
    const { kind, address, most } = source;
    const { page, seen } = openPages(300);
    const sources = [page(), page(), page()].map((one) => one.read(kind, address));
    expect(await endOf(sources)).toEqual([]);
    expect(seen.most).toBe(most);
  });

  it.each(["api", "database"] as const)("begin within 4 seconds: %s", async (kind) => {
    const { page, seen } = openPages(1900);
    const one = page();
    const failed = await endOf(Array.from({ length: 10 }, () => one.read(kind, "/api/x")));
    // A source of the database begins after the rest of the one before it.
    const begun = kind === "api" ? 6 : 4;
    expect(failed).toEqual(Array(10 - begun).fill("the sources of the page took too long"));
    expect(seen.costs).toEqual(Array(begun).fill(1));
  });

  it.each([
    { what: "rows", answer: Array(250).fill({}), costs: [1, 2] },
    { what: "a page", answer: { total: 9000, products: Array(101).fill({}) }, costs: [1, 1] },
    { what: "a hundred rows", answer: Array(100).fill({}), costs: [1] },
    { what: "a record with parts", answer: { variants: Array(200).fill({}) }, costs: [1] },
  ])("count as a request for each started hundred records: $what", async ({ answer, costs }) => {
    const { page, seen } = openPages(0, answer);
    expect(await endOf([page().read("api", "/api/x")])).toEqual([]);
    expect(seen.costs).toEqual(costs);
  });

  it("are empty after one that cannot be counted, or uses up the minute", async () => {
    const full = { minute: "", resets_in: 60, allowed: 100, counted: 100, member: true };
    for (const [counting, reason] of [
      [() => Promise.reject(new Error("requests cannot be counted")), "requests cannot be counted"],
      [() => Promise.resolve(full), "Too many requests"],
    ] as const) {
      const { page, seen, count } = openPages(0);
      const one = page();
      count.mockImplementationOnce(counting);
      // Less than the time of a page.
      expect(await endOf([one.read("database", "x")], 1000)).toEqual([]);
      const later = [one.read("api", "x"), one.read("database", "x?limit=1")];
      expect(await endOf(later, 1000)).toEqual(Array(2).fill(expect.stringContaining(reason)));
      await one.counted();
      expect(seen).toEqual({ most: 1, costs: [] });
    }
  });

  it("are all counted before the page is returned", async () => {
    const { page, count } = openPages(0);
    let wasCounted = false;
    count.mockImplementationOnce(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      wasCounted = true;
      return { minute: "", resets_in: 60, allowed: 100, counted: 1, member: true };
    });
    const one = page();
    const reading = one.read("api", "x");
    await vi.advanceTimersByTimeAsync(1);
    await reading;
    expect(wasCounted).toBe(false);
    await Promise.all([one.counted(), vi.advanceTimersByTimeAsync(60_000)]);
    expect(wasCounted).toBe(true);
  });
});
