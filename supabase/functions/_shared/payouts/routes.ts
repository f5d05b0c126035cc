import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { boundsOf } from "../http/period.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { newPayouts, payout, payoutMove, payoutQuery, payoutsMade } from "./schema.ts";
import { statements } from "./statement.ts";

/** Routes below /payouts: what suppliers were paid, and are to be. */
export const payouts = createRoutes();

const shared = { tags: ["Payouts"], middleware: authenticate };

const payoutsPage = pageOf("payouts", payout);

payouts.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "payouts.list",
    permission: "payouts.read",
    summary: "List payouts",
    request: { query: payoutQuery },
    responses: answers(
      200,
      payoutsPage,
      "All payouts for admins and clients, a supplier's own; none for customers",
    ),
  }),
  async (c) => {
    const { supplier_id, status, currency, from, to, ...list } = c.req.valid("query");
    let wanted = c.get("db").from("payouts").select("*", { count: "exact" });
    for (const [column, value] of Object.entries({ supplier_id, status, currency }))
      if (value !== undefined) wanted = wanted.eq(column, value);
    const bounds = await boundsOf(c, { from, to });
    if (bounds.from) wanted = wanted.gte("created_at", bounds.from);
    if (bounds.to) wanted = wanted.lt("created_at", bounds.to);
    return c.json(await readPage(payoutsPage, wanted, list), 200);
  },
);

payouts.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "payouts.create",
    permission: "payouts.write",
    once: true,
    summary: "Pay out what a supplier is owed",
    description:
      "Makes a pending payout in each currency in which what is due, and not held, is more than 0. It pays at most 150,000 lines, the earliest due first. No money moves: transfer it, then mark the payout as paid.",
    errors: {
      NOTHING_DUE: "if nothing is due in any currency",
      NOT_FOUND: "for an unknown supplier",
    },
    request: { body: body(newPayouts) },
    responses: answers(201, payoutsMade, "The new payouts, one in each currency"),
  }),
  async (c) => {
    const input = c.req.valid("json");
    const made = payoutsMade.parse({ payouts: await perform(c, "create_payouts", input) });
    return c.json(made, 201, {
      Location: `/functions/v1/api/payouts?supplier_id=${input.supplier_id}`,
    });
  },
);

payouts.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "payouts.get",
    permission: "payouts.read",
    summary: "Get a payout",
    request: { params: idParam },
    responses: answers(200, payout, "The payout"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const wanted = c.get("db").from("payouts").select().eq("id", id);
    const { data } = await wanted.single().throwOnError();
    return c.json(payout.parse(data), 200);
  },
);

payouts.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/{id}",
    operationId: "payouts.update",
    permission: "payouts.write",
    summary: "Mark a payout as paid, failed or reversed",
    description:
      "A pending payout is paid or fails. A paid one is reversed. What a failed or reversed payout paid is open again.",
    errors: { INVALID_TRANSITION: true },
    request: { params: idParam, body: body(payoutMove) },
    responses: answers(200, payout, "The changed payout"),
  }),
  async (c) => {
    const args = { payout_id: c.req.valid("param").id, ...c.req.valid("json") };
    const { data } = await c.get("db").rpc("update_payout", args).throwOnError();
    return c.json(payout.parse(data), 200);
  },
);

payouts.route("/", statements);
