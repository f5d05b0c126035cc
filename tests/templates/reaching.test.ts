import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { apiPath, databasePath } from "../../supabase/functions/_shared/templates/reaching.ts";
import { inTurns } from "../../supabase/functions/_shared/templates/source_turns.ts";
import { until } from "../eventually.js";

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
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  /** Counts as the database does, within a limit of a hundred requests. */
  function countHere() {
    vi.stubEnv("SUPABASE_URL", "http://127.0.0.1:9");
    vi.stubEnv("SUPABASE_SERVICE_ROLE_KEY", "key");
    const costs: number[] = [];
    let counted = 0;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      const { requests } = JSON.parse(init?.body as string) as { requests: { cost: number }[] };
      return Response.json(
        requests.map(({ cost }) => {
          costs.push(cost);
          counted += cost;
          return { minute: "", resets_in: 60, allowed: 100, counted, member: true };
        }),
      );
    });
    return costs;
  }

  /** Pages of a tenant whose sources wait until they are released, and the sources that are read. */
  function openPages(answer: unknown = null) {
    const running: (() => void)[] = [];
    let most = 0;
    let now = 0;
    const user_id = randomUUID();
    const tenant = randomUUID();
    const reach = {
      rights: "",
      async read() {
        most = Math.max(most, ++now);
        await new Promise<void>((resolve) => running.push(resolve));
        now -= 1;
        return answer;
      },
    };
    const page = () => inTurns(reach, { kind: "user", user_id, tenant_id: tenant }, tenant);
    const release = async (all: Promise<unknown>[]) => {
      let ended = 0;
      for (const one of all) one.finally(() => ended++).catch(() => {});
      await until(async () => {
        running.shift()?.();
        return ended === all.length;
      }, "all sources");
      return Promise.allSettled(all);
    };
    return { page, running, release, most: () => most };
  }

  it.each(["api", "database"] as const)("are read two at a time: %s", async (kind) => {
    const costs = countHere();
    const { page, release, most } = openPages();
    const one = page();
    const results = await release(Array.from({ length: 10 }, () => one.read(kind, "/api/x")));
    expect(results.map(({ status }) => status)).toEqual(Array(10).fill("fulfilled"));
    expect(most()).toBe(2);
    expect(costs).toEqual(Array(10).fill(1));
  });

  it("that read the database are two at a time for all pages of a tenant", async () => {
    countHere();
    const { page, release, most } = openPages();
    await release([page(), page(), page()].map((one) => one.read("database", "x")));
    expect(most()).toBe(2);
  });

  it("cost a request for each started hundred of their records", async () => {
    const costs = countHere();
    const { page, release } = openPages(Array(250).fill({}));
    const one = page();
    await release([one.read("database", "t?select=id&limit=1000")]);
    await release([one.read("database", "t?select=id")]);
    const list = openPages({ total: 9000, products: Array(101).fill({}) });
    await list.release([list.page().read("api", "/api/products?limit=101")]);
    expect(costs).toEqual([1, 2, 1, 2, 1, 1]);
  });
});
