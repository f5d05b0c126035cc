import { describe, expect, it } from "vitest";
import { type Asked, clientOf, openServer } from "./server.js";

/** A server with this number of orders, and at most three on a page. */
function openShop(total: number) {
  return openServer(({ path }) => {
    const query = new URL(path, "http://souk.invalid").searchParams;
    const page = Number(query.get("page") ?? 1);
    const limit = Math.min(Number(query.get("limit") ?? 2), 3);
    const all = Array.from({ length: total }, (_, i) => ({ id: `o${i + 1}` }));
    const records = all.slice((page - 1) * limit, page * limit);
    const key = path.includes("/logs") ? "logs" : path.split(/[/?]/)[4];
    return { body: { [key as string]: records, total, page, limit } };
  });
}

async function idsOf(records: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of records) ids.push(id);
  return ids;
}

const queryOf = ({ path }: Asked) => path.split("?")[1];

describe("listAll", () => {
  it("reads every page, the oldest record first", async () => {
    const shop = await openShop(5);
    expect(await idsOf(clientOf(shop).orders.listAll({ status: "pending" }))).toEqual([
      "o1",
      "o2",
      "o3",
      "o4",
      "o5",
    ]);
    expect(shop.asked.map(queryOf)).toEqual([
      "status=pending&order=asc&page=1",
      "status=pending&order=asc&page=2",
      "status=pending&order=asc&page=3",
    ]);
  });

  it("keeps the requested order", async () => {
    const shop = await openShop(1);
    await idsOf(clientOf(shop).orders.listAll({ sort: "total_amount" }));
    await idsOf(clientOf(shop).orders.listAll({ order: "desc" }));
    expect(shop.asked.map(queryOf)).toEqual(["sort=total_amount&page=1", "order=desc&page=1"]);
  });

  it("uses the server's limit if that is lower", async () => {
    const shop = await openShop(7);
    expect(await idsOf(clientOf(shop).orders.listAll({ limit: 1000 }))).toHaveLength(7);
    expect(shop.asked).toHaveLength(3);
  });

  it("ends after a full last page, and after an empty first page", async () => {
    const full = await openShop(4);
    expect(await idsOf(clientOf(full).orders.listAll())).toHaveLength(4);
    expect(full.asked).toHaveLength(2);
    const empty = await openShop(0);
    expect(await idsOf(clientOf(empty).orders.listAll())).toEqual([]);
    expect(empty.asked).toHaveLength(1);
  });

  it("requests a page only when its records are read", async () => {
    const shop = await openShop(9);
    for await (const { id } of clientOf(shop).orders.listAll()) if (id === "o2") break;
    expect(shop.asked).toHaveLength(1);
  });

  it("exists for every list", async () => {
    const shop = await openShop(3);
    const { marketplaces, products, webhooks } = clientOf(shop);
    const ids = ["o1", "o2", "o3"];
    expect(await idsOf(marketplaces.listAll())).toEqual(ids);
    expect(await idsOf(products.listAll({ search: "tea" }))).toEqual(ids);
    expect(await idsOf(webhooks.listAll())).toEqual(ids);
    expect(await idsOf(webhooks.deliveriesAll("w1"))).toEqual(ids);
    expect(shop.asked.at(-1)?.path).toBe("/functions/v1/api/webhooks/w1/logs?order=asc&page=2");
  });

  it("rejects when a page fails", async () => {
    const server = await openServer(() => ({ status: 401, body: "" }));
    await expect(idsOf(clientOf(server).orders.listAll())).rejects.toMatchObject({ status: 401 });
  });
});

describe("all", () => {
  /** A server with this number of events, two on a page. The cursor is the last event read. */
  function openLedger(total: number) {
    return openServer(({ path }) => {
      const query = new URL(path, "http://souk.invalid").searchParams;
      const from = Number(query.get("after") ?? 0);
      const until = Math.min(from + 2, total);
      const events = Array.from({ length: until - from }, (_, i) => ({ id: `e${from + i + 1}` }));
      return { body: { events, next: String(until), more: events.length === 2 } };
    });
  }

  it("follows the cursors to the end", async () => {
    const ledger = await openLedger(5);
    const { events } = clientOf(ledger);
    expect(await idsOf(events.listAll({ name: "order.created" }))).toEqual([
      "e1",
      "e2",
      "e3",
      "e4",
      "e5",
    ]);
    expect(ledger.asked.map(queryOf)).toEqual([
      "name=order.created",
      "name=order.created&after=2",
      "name=order.created&after=4",
    ]);
  });

  it("begins after the given cursor", async () => {
    const ledger = await openLedger(4);
    const { events } = clientOf(ledger);
    expect(await idsOf(events.listAll({ after: "2" }))).toEqual(["e3", "e4"]);
    expect(await idsOf(events.listAll({ after: "4" }))).toEqual([]);
    expect(ledger.asked.map(queryOf)).toEqual(["after=2", "after=4", "after=4"]);
  });

  it("requests a page only when its records are read, and rejects when one fails", async () => {
    const ledger = await openLedger(9);
    for await (const { id } of clientOf(ledger).events.listAll()) if (id === "e2") break;
    expect(ledger.asked).toHaveLength(1);
    const server = await openServer(() => ({ status: 401, body: "" }));
    await expect(idsOf(clientOf(server).events.listAll())).rejects.toMatchObject({ status: 401 });
  });
});
