import { z } from "@hono/zod-openapi";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes, readsAll } from "../http/routes.ts";
import {
  movedReturnRequest,
  newReturnRequest,
  receivedReturn,
  returnAnswer,
  returnRequest,
} from "./return_requests_schema.ts";

/** Below /orders: what customers ask to send back. */
export const returnRequests = createRoutes();

const shared = { tags: ["Orders"], middleware: authenticate };
const listed = z.object({ return_requests: z.array(returnRequest) });
const requestParams = idParam.extend({ request_id: z.guid() });
const moved = answers(200, movedReturnRequest, "The request, with the order's status");

returnRequests.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/return-requests",
    operationId: "returns.list",
    roles: "everyone",
    summary: "List the return requests of an order",
    request: { params: idParam },
    responses: answers(200, listed, "The first one first; suppliers see their own"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c.get("db").rpc("list_return_requests", { order_id: id }).throwOnError();
    return c.json(listed.parse(data), 200);
  },
);

returnRequests.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/return-requests",
    operationId: "returns.request",
    roles: [...readsAll, "customer"],
    once: true,
    summary: "Ask to send items back",
    description:
      "For customers, and clients and admins for them: of what was delivered within the marketplace's return_days, and is not digital. Errors: VALIDATION_ERROR (422) where fewer can be sent back, and for items of two suppliers.",
    request: { params: idParam, body: body(newReturnRequest) },
    responses: answers(201, movedReturnRequest, "The request, with the order's status"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const wish = { order_id: id, ...c.req.valid("json") };
    const made = movedReturnRequest.parse(await perform(c, "request_return", wish));
    return c.json(made, 201, { Location: `/functions/v1/orders/${id}` });
  },
);

const ANSWERS = {
  approve: { roles: ["admin", "supplier"], summary: "Let requested items come back" },
  reject: { roles: ["admin", "supplier"], summary: "Refuse a return request" },
  cancel: { roles: [...readsAll, "customer"], summary: "Take a return request back" },
} as const;

for (const answer of ["approve", "reject", "cancel"] as const) {
  const { roles, summary } = ANSWERS[answer];
  returnRequests.openapi(
    createRoute({
      ...shared,
      method: "post",
      path: `/{id}/return-requests/{request_id}/${answer}`,
      operationId: `returns.${answer}`,
      roles: [...roles],
      summary,
      description: "Errors: INVALID_TRANSITION (422) once it is answered otherwise, or received.",
      request: { params: requestParams, body: body(returnAnswer) },
      responses: moved,
    }),
    async (c) => {
      const { id, request_id } = c.req.valid("param");
      const wish = { order_id: id, request_id, ...c.req.valid("json") };
      const { data } = await c.get("db").rpc(`${answer}_return`, wish).throwOnError();
      return c.json(movedReturnRequest.parse(data), 200);
    },
  );
}

returnRequests.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/return-requests/{request_id}/receive",
    operationId: "returns.receive",
    roles: ["admin", "supplier"],
    summary: "Take back what came of a return",
    description:
      "What came back, fewer pieces than were asked for too, goes into stock unless restock is false. With the last piece the order is returned. Errors: INVALID_TRANSITION (422) unless it is approved.",
    request: { params: requestParams, body: body(receivedReturn) },
    responses: moved,
  }),
  async (c) => {
    const { id, request_id } = c.req.valid("param");
    const wish = { order_id: id, request_id, ...c.req.valid("json") };
    const { data } = await c.get("db").rpc("receive_return", wish).throwOnError();
    return c.json(movedReturnRequest.parse(data), 200);
  },
);
