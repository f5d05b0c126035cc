import { createMiddleware } from "hono/factory";
import { addressOf } from "../http/address.ts";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { perform } from "../http/perform.ts";
import { COUNTED, countRequest, functionsKey, refuseTooMany } from "../http/request_counts.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { tokenOf } from "../http/tokens.ts";
import { checkout, checkoutToken, completedCheckout, completion, newCheckout } from "./schema.ts";

/** Routes below /checkouts: what an order costs and lacks, before it is placed. */
export const checkouts = createRoutes();

const shared = {
  tags: ["Checkouts"],
  middleware: authenticate,
  permission: "orders.place" as const,
};

/** Caches must not keep what a visitor has typed. */
const NOT_KEPT = { "Cache-Control": "private, no-store" };

/** The token of a visitor's checkout. The database ignores it for that of a member. */
const sentToken = (headers: { "x-souk-checkout"?: string }) => headers["x-souk-checkout"] ?? null;

checkouts.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "checkouts.create",
    visitors: true,
    once: true,
    summary: "Begin a checkout",
    description:
      "Prices items at current prices. What is missing or does not apply is in messages, in place of a refusal. It reserves nothing. A visitor's answer has a token, once; it comes back as header x-souk-checkout.",
    errors: {
      NOT_FOUND: "for the marketplace",
      LIMIT_REACHED:
        "while 100,000 checkouts of members of the tenant are open, or 50,000 of visitors",
      RATE_LIMITED: "after 60 checkouts of visitors of an IP address in a minute",
    },
    request: { body: body(newCheckout) },
    responses: answers(201, checkout, "The checkout"),
  }),
  async (c) => {
    const isVisit = c.get("visit") !== undefined;
    if (isVisit) {
      const id = addressOf(c.req.raw.headers);
      refuseTooMany(await countRequest({ kind: "checkout", id }));
    }
    const args = { request: c.req.valid("json") };
    const counted: Record<string, string> = isVisit ? { [COUNTED]: await functionsKey() } : {};
    const made = checkout.parse(await perform(c, "create_checkout", args, counted));
    return c.json(made, 201, { Location: `/functions/v1/api/checkouts/${made.id}` });
  },
);

checkouts.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "checkouts.get",
    visitors: true,
    summary: "Get a checkout",
    description: "An open one at current prices.",
    request: { params: idParam, headers: checkoutToken },
    responses: answers(200, checkout, "The checkout"),
  }),
  async (c) => {
    const args = { checkout_id: c.req.valid("param").id, token: sentToken(c.req.valid("header")) };
    const { data } = await c.get("db").rpc("get_checkout", args).throwOnError();
    return c.json(checkout.parse(data), 200, NOT_KEPT);
  },
);

checkouts.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{id}",
    operationId: "checkouts.replace",
    visitors: true,
    summary: "Replace a checkout",
    description: "Fields that are not sent are removed. It expires later then.",
    errors: { INVALID_TRANSITION: "unless it is open" },
    request: { params: idParam, headers: checkoutToken, body: body(newCheckout) },
    responses: answers(200, checkout, "The checkout"),
  }),
  async (c) => {
    const token = sentToken(c.req.valid("header"));
    const args = { checkout_id: c.req.valid("param").id, request: c.req.valid("json"), token };
    const { data } = await c.get("db").rpc("replace_checkout", args).throwOnError();
    return c.json(checkout.parse(data), 200);
  },
);

checkouts.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/cancel",
    operationId: "checkouts.cancel",
    visitors: true,
    summary: "Cancel a checkout",
    description: "A repetition changes nothing.",
    errors: { INVALID_TRANSITION: "if it is completed or has expired" },
    request: { params: idParam, headers: checkoutToken },
    responses: answers(200, checkout, "The cancelled checkout"),
  }),
  async (c) => {
    const args = { checkout_id: c.req.valid("param").id, token: sentToken(c.req.valid("header")) };
    const { data } = await c.get("db").rpc("cancel_checkout", args).throwOnError();
    return c.json(checkout.parse(data), 200);
  },
);

/** Tells a visitor where the account comes from that an order needs. Errors: UNAUTHORIZED. */
const withAccount = createMiddleware<Env>(async (c, next) => {
  if (tokenOf(c) === undefined) {
    throw new ApiError(
      "UNAUTHORIZED",
      "An order needs an account. Call POST /auth/guest, then send the guest's token and x-souk-checkout.",
    );
  }
  await next();
});

checkouts.openapi(
  createRoute({
    ...shared,
    middleware: [withAccount, authenticate] as const,
    method: "post",
    path: "/{id}/complete",
    operationId: "checkouts.complete",
    once: true,
    summary: "Complete a checkout",
    description:
      "Places its order at current prices, in one transaction. A repetition answers with the same order. What is missing is refused as for an order.",
    errors: {
      CONFLICT:
        "if the total is another one: `details.quote` has it, and a repetition with that total accepts it",
      DISCOUNT_NOT_APPLICABLE: true,
      INSUFFICIENT_INVENTORY: true,
      LIMIT_REACHED: true,
      INVALID_TRANSITION: "if it is cancelled or has expired, and for replaces",
      NOT_FOUND: "also for replaces",
    },
    request: { params: idParam, headers: checkoutToken, body: body(completion) },
    responses: answers(200, completedCheckout, "The completed checkout, with its order"),
  }),
  async (c) => {
    const token = sentToken(c.req.valid("header"));
    const args = { checkout_id: c.req.valid("param").id, ...c.req.valid("json"), token };
    return c.json(completedCheckout.parse(await perform(c, "complete_checkout", args)), 200);
  },
);
