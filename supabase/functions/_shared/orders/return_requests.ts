import { z } from "@hono/zod-openapi";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  movedReturnRequest,
  newReturnRequest,
  receivedReturn,
  returnAnswer,
  returnRequest,
} from "./return_requests_schema.ts";

/** Routes below /orders: return requests. */
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
    permission: "orders.read",
    summary: "List the return requests of an order",
    request: { params: idParam },
    responses: answers(200, listed, "The return requests, oldest first; suppliers see their own"),
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
    permission: "returns.request",
    once: true,
    summary: "Request to send items back",
    description:
      "Admins and clients request it for a customer. Only pieces that were delivered within the marketplace's return_days and are not digital can be sent back.",
    errors: { VALIDATION_ERROR: "if fewer can be sent back, and for items of two suppliers" },
    request: { params: idParam, body: body(newReturnRequest) },
    responses: answers(201, movedReturnRequest, "The request, with the order's status"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const input = { order_id: id, ...c.req.valid("json") };
    const made = movedReturnRequest.parse(await perform(c, "request_return", input));
    return c.json(made, 201, { Location: `/functions/v1/orders/${id}` });
  },
);

const ANSWERS = {
  approve: { permission: "returns.answer", summary: "Approve a return request" },
  reject: { permission: "returns.answer", summary: "Reject a return request" },
  cancel: { permission: "returns.request", summary: "Cancel a return request" },
} as const;

for (const answer of ["approve", "reject", "cancel"] as const) {
  const { permission, summary } = ANSWERS[answer];
  returnRequests.openapi(
    createRoute({
      ...shared,
      method: "post",
      path: `/{id}/return-requests/{request_id}/${answer}`,
      operationId: `returns.${answer}`,
      permission,
      summary,
      errors: { INVALID_TRANSITION: "if its status does not allow it" },
      request: { params: requestParams, body: body(returnAnswer) },
      responses: moved,
    }),
    async (c) => {
      const { id, request_id } = c.req.valid("param");
      const input = { order_id: id, request_id, ...c.req.valid("json") };
      const { data } = await c.get("db").rpc(`${answer}_return`, input).throwOnError();
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
    permission: "returns.answer",
    summary: "Report the received items of a return request",
    description:
      "Fewer items than requested may be received. They go into stock unless restock is false. After its last piece, the order becomes returned.",
    errors: { INVALID_TRANSITION: "unless the request is approved" },
    request: { params: requestParams, body: body(receivedReturn) },
    responses: moved,
  }),
  async (c) => {
    const { id, request_id } = c.req.valid("param");
    const input = { order_id: id, request_id, ...c.req.valid("json") };
    const { data } = await c.get("db").rpc("receive_return", input).throwOnError();
    return c.json(movedReturnRequest.parse(data), 200);
  },
);
