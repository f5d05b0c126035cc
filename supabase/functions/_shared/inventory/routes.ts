import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callPage } from "../http/page.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  changedInventory,
  inventoryChange,
  inventoryList,
  inventoryQuery,
  movementList,
  movementQuery,
  productInventory,
} from "./schema.ts";

/** Routes below /inventory: the stock of all products, and its ledger. */
export const inventory = createRoutes();

/** Routes below /products: the stock of one product. */
export const inventoryOfProduct = createRoutes();

const shared = { tags: ["Inventory"], middleware: authenticate };

inventory.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "inventory.list",
    permission: "inventory.read",
    summary: "List stock",
    description:
      "Suppliers see their own stock. A row for each variant, and for each product without variants. `low_stock=true` lists stock at or below its threshold.",
    request: { query: inventoryQuery },
    responses: answers(200, inventoryList, "A page of the stock"),
  }),
  async (c) => {
    const query = c.req.valid("query");
    return c.json(
      await callPage(inventoryList, c.get("db").rpc("list_inventory", query), query),
      200,
    );
  },
);

inventory.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/movements",
    operationId: "inventory.movements",
    permission: "inventory.read",
    summary: "List movements of stock",
    description:
      "The ledger: every change with its reason. The sum of all changes is the current stock.",
    request: { query: movementQuery },
    responses: answers(200, movementList, "A page of the ledger, newest first"),
  }),
  async (c) => {
    // The number of a movement is its position in time, so it is the sort key.
    const { sort: _, ...query } = c.req.valid("query");
    return c.json(
      await callPage(movementList, c.get("db").rpc("list_inventory_movements", query), query),
      200,
    );
  },
);

inventoryOfProduct.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/inventory",
    operationId: "inventory.get",
    permission: "inventory.read",
    summary: "Get a product's stock and its reservations",
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
    permission: "inventory.write",
    summary: "Change a product's stock",
    description:
      "`set` replaces the quantity, `add` increases it, `subtract` decreases it; concurrent changes are safe.",
    errors: {
      INSUFFICIENT_INVENTORY:
        "if the stock would fall below what orders have reserved; nothing changes then",
    },
    request: { params: idParam, body: body(inventoryChange) },
    responses: answers(200, changedInventory, "The stock after the change"),
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
