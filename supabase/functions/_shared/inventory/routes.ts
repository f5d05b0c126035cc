import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callList } from "../http/page.ts";
import { createRoute, createRoutes, readsAll } from "../http/routes.ts";
import {
  changedInventory,
  inventoryChange,
  inventoryList,
  inventoryQuery,
  movementList,
  movementQuery,
  productInventory,
} from "./schema.ts";

/** Below /inventory: the stock of all products, and its ledger. */
export const inventory = createRoutes();

/** Below /products: the stock of one. */
export const inventoryOfProduct = createRoutes();

const shared = { tags: ["Inventory"], middleware: authenticate };

inventory.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "inventory.list",
    roles: [...readsAll, "supplier"],
    summary: "List stock",
    description:
      "For admins and clients, and for suppliers what is theirs: a row for each product without variants and for each variant. `low_stock=true` finds what has come down to its threshold.",
    request: { query: inventoryQuery },
    responses: answers(200, inventoryList, "A page of the stock"),
  }),
  async (c) => {
    const query = c.req.valid("query");
    return c.json(await callList(c, inventoryList, "list_inventory", query), 200);
  },
);

inventory.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/movements",
    operationId: "inventory.movements",
    roles: [...readsAll, "supplier"],
    summary: "List movements of stock",
    description:
      "The ledger: every change there ever was, with its reason. What changed adds up to what is there.",
    request: { query: movementQuery },
    responses: answers(200, movementList, "A page of the ledger, the newest first"),
  }),
  async (c) => {
    // Movements are numbered in the sequence in which they were made: the number sorts them.
    const { sort: _, ...query } = c.req.valid("query");
    return c.json(await callList(c, movementList, "list_inventory_movements", query), 200);
  },
);

inventoryOfProduct.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/inventory",
    operationId: "inventory.get",
    roles: [...readsAll, "supplier"],
    summary: "Get a product's stock and who holds it",
    request: { params: idParam },
    responses: answers(200, productInventory, "The stock, with that of each variant"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c.get("db").rpc("get_inventory", { product_id: id }).throwOnError();
    return c.json(productInventory.parse(data), 200);
  },
);

inventoryOfProduct.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/{id}/inventory",
    operationId: "inventory.change",
    roles: ["admin", "supplier"],
    summary: "Change a product's stock",
    description:
      "`set` replaces the quantity, `add` increases it, `subtract` decreases it, under any concurrency. Errors: INSUFFICIENT_INVENTORY (422), when it would fall below what orders hold; nothing changes then.",
    request: { params: idParam, body: body(inventoryChange) },
    responses: answers(200, changedInventory, "The stock as it is then"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("change_inventory", { product_id: id, ...c.req.valid("json") })
      .throwOnError();
    return c.json(changedInventory.parse(data), 200);
  },
);
