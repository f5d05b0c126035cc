import { z } from "@hono/zod-openapi";
import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes, readsAll } from "../http/routes.ts";
import { balances, hold, ledgerLine, newAdjustment, newHold } from "./schema.ts";

/** Below /suppliers: what one of them is owed. */
export const moneyOfSuppliers = createRoutes();

const shared = { tags: ["Payouts"], middleware: authenticate };

const readers = [...readsAll, "supplier"] as const;

moneyOfSuppliers.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/balance",
    operationId: "payouts.balance",
    roles: [...readers],
    summary: "What a supplier is owed, and what of it is due",
    request: { params: idParam },
    responses: answers(200, balances, "In each currency, what is in no payout yet"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c.get("db").rpc("supplier_balance", { supplier_id: id }).throwOnError();
    return c.json(balances.parse(data), 200);
  },
);

moneyOfSuppliers.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/adjustments",
    operationId: "ledger.adjust",
    roles: ["admin"],
    once: true,
    summary: "Owe a supplier more, or less",
    description: "For admins, with a reason.",
    request: { params: idParam, body: body(newAdjustment) },
    responses: answers(201, ledgerLine, "The line of the ledger"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const wish = { supplier_id: id, ...c.req.valid("json") };
    const made = ledgerLine.parse(await perform(c, "create_adjustment", wish));
    return c.json(made, 201, { Location: "/functions/v1/api/ledger" });
  },
);

const holds = z.object({ holds: z.array(hold) });

moneyOfSuppliers.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/payout-holds",
    operationId: "payouts.holds",
    roles: [...readers],
    summary: "List what is held of a supplier's money",
    request: { params: idParam },
    responses: answers(200, holds, "The first hold first"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c.get("db").rpc("list_payout_holds", { supplier_id: id }).throwOnError();
    return c.json(holds.parse(data), 200);
  },
);

moneyOfSuppliers.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/payout-holds",
    operationId: "payouts.hold",
    roles: ["admin"],
    once: true,
    summary: "Hold what a supplier is paid",
    description:
      "For admins: for an order, or without one all of it, until it is released. Errors: CONFLICT (409) where it is held already.",
    request: { params: idParam, body: body(newHold) },
    responses: answers(201, hold, "The hold"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const wish = { supplier_id: id, ...c.req.valid("json") };
    const made = hold.parse(await perform(c, "hold_payouts", wish));
    return c.json(made, 201, { Location: `/functions/v1/api/suppliers/${id}/payout-holds` });
  },
);

moneyOfSuppliers.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}/payout-holds/{hold_id}",
    operationId: "payouts.release",
    roles: ["admin"],
    summary: "Release what was held",
    description: "For admins. Errors: NOT_FOUND.",
    request: { params: idParam.extend({ hold_id: z.guid() }) },
    responses: noContent("It is paid out again"),
  }),
  async (c) => {
    const { id, hold_id } = c.req.valid("param");
    await c.get("db").rpc("release_payouts", { supplier_id: id, hold_id }).throwOnError();
    return c.body(null, 204);
  },
);
