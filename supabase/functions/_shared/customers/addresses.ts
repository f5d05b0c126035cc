import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  customerAddress,
  customerAddressChanges,
  customerAddresses,
  newCustomerAddress,
} from "./schema.ts";

/** Routes below /customers/me/addresses: the addresses that a customer keeps. */
export const customerAddressRoutes = createRoutes();

const shared = { tags: ["Tenancy"], middleware: authenticate };

customerAddressRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "customerAddresses.list",
    permission: "addresses.read",
    summary: "List your addresses",
    responses: answers(200, customerAddresses, "The caller's addresses, the default first"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("list_customer_addresses").throwOnError();
    return c.json(customerAddresses.parse(data), 200);
  },
);

customerAddressRoutes.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "customerAddresses.create",
    permission: "addresses.write",
    once: true,
    summary: "Keep an address",
    description: "It is checked as the address of an order. The first one is the default.",
    errors: { LIMIT_REACHED: "after 20 addresses" },
    request: { body: body(newCustomerAddress) },
    responses: answers(201, customerAddress, "The kept address"),
  }),
  async (c) => {
    const { is_default, ...address } = c.req.valid("json");
    const made = customerAddress.parse(
      await perform(c, "create_customer_address", { address: address as never, is_default }),
    );
    return c.json(made, 201, { Location: `/functions/v1/api/customers/me/addresses/${made.id}` });
  },
);

customerAddressRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "customerAddresses.get",
    permission: "addresses.read",
    summary: "Get an address",
    request: { params: idParam },
    responses: answers(200, customerAddress, "The address"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("get_customer_address", { address_id: id })
      .throwOnError();
    return c.json(customerAddress.parse(data), 200);
  },
);

customerAddressRoutes.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/{id}",
    operationId: "customerAddresses.update",
    permission: "addresses.write",
    summary: "Change an address",
    request: { params: idParam, body: body(customerAddressChanges) },
    responses: answers(200, customerAddress, "The changed address"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { is_default, ...changes } = c.req.valid("json");
    const { data } = await c
      .get("db")
      .rpc("update_customer_address", { address_id: id, changes: changes as never, is_default })
      .throwOnError();
    return c.json(customerAddress.parse(data), 200);
  },
);

customerAddressRoutes.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "customerAddresses.remove",
    permission: "addresses.write",
    summary: "Remove an address",
    description: "If it was the default, the oldest that is left becomes it.",
    request: { params: idParam },
    responses: noContent("The address is removed"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    await c.get("db").rpc("remove_customer_address", { address_id: id }).throwOnError();
    return c.body(null, 204);
  },
);
