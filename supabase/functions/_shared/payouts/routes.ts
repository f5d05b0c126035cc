import { z } from "@hono/zod-openapi";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callList, listQuery, pageFields } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes, readsAll } from "../http/routes.ts";
import { period } from "../orders/schema.ts";
import {
  newPayout,
  payout,
  payoutChanges,
  payoutLine,
  payoutStatus,
  payoutTotal,
} from "./schema.ts";

export const payouts = createRoutes();

const shared = { tags: ["Payouts"], middleware: authenticate };

const readers = [...readsAll, "supplier"] as const;

const listed = z.object({
  payouts: z.array(payout),
  totals: z
    .array(payoutTotal)
    .openapi({ description: "The sums over the whole result, in each currency." }),
  ...pageFields,
});

payouts.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "payouts.list",
    roles: [...readers],
    summary: "List payouts",
    request: {
      query: listQuery(["created_at"]).extend({
        supplier_id: z.guid().optional(),
        status: payoutStatus.optional(),
        currency: z.string().max(3).optional(),
        ...period,
      }),
    },
    responses: answers(200, listed, "All for admins and clients, a supplier's own"),
  }),
  async (c) => {
    const { sort: _, ...wish } = c.req.valid("query");
    return c.json(await callList(c, listed, "list_payouts", wish), 200);
  },
);

payouts.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "payouts.create",
    roles: ["admin"],
    once: true,
    summary: "Close what is due to a supplier into a payout",
    description:
      "For admins. Errors: VALIDATION_ERROR (422) where nothing is due, CONFLICT (409) where it is held.",
    request: { body: body(newPayout) },
    responses: answers(201, payout, "The payout, which is pending"),
  }),
  async (c) => {
    const made = payout.parse(await perform(c, "create_payout", c.req.valid("json")));
    return c.json(made, 201, { Location: `/functions/v1/api/payouts/${made.id}` });
  },
);

payouts.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "payouts.get",
    roles: [...readers],
    summary: "Get a payout",
    request: { params: idParam },
    responses: answers(200, payout, "The payout, with what each kind of line adds to it"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const found = c.get("db").from("payout_details").select().eq("id", id);
    const { data } = await found.single().throwOnError();
    return c.json(payout.parse(data), 200);
  },
);

payouts.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/{id}",
    operationId: "payouts.update",
    roles: ["admin"],
    summary: "Say that a payout is paid, or has failed",
    description:
      "For admins. One that failed frees its lines for the next one. Errors: INVALID_TRANSITION (422).",
    request: { params: idParam, body: body(payoutChanges) },
    responses: answers(200, payout, "The changed payout"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("update_payout", { payout_id: id, changes: c.req.valid("json") })
      .throwOnError();
    return c.json(payout.parse(data), 200);
  },
);

const listedLines = z.object({ lines: z.array(payoutLine), ...pageFields });

payouts.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/lines",
    operationId: "payouts.lines",
    roles: [...readers],
    summary: "List the lines of a payout",
    request: { params: idParam, query: listQuery(["line_id"]).pick({ page: true, limit: true }) },
    responses: answers(
      200,
      listedLines,
      "How much it holds of which line of the ledger, the oldest first",
    ),
  }),
  async (c) => {
    const wish = { payout_id: c.req.valid("param").id, ...c.req.valid("query") };
    return c.json(await callList(c, listedLines, "list_payout_lines", wish), 200);
  },
);
