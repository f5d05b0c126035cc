import { z } from "@hono/zod-openapi";
import { answers, body, flag, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { listQuery, pageOf, readPage, search } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { email } from "../values/email.ts";
import { customer, customerChanges, newCustomer } from "./schema.ts";

export const customers = createRoutes();

const shared = { tags: ["Tenancy"], middleware: authenticate };

const customersPage = pageOf("customers", customer);

/** The columns of a search. PostgREST sorts what a function returns by a computed column only if it is selected by name. */
const FOUND = [...Object.keys(customer.shape), "sort_name"].join() as "*";

customers.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "customers.list",
    permission: "customers.read",
    summary: "List customers",
    request: {
      query: listQuery(["created_at", "name", "email"]).extend({
        q: search.openapi({ description: "The same as `search`." }),
        search: search.openapi({
          description:
            "Words of the name, e-mail address and phone number; or of the contact and name of an order; or of the street, postal code and city of an order. Parts of words from three letters on are found.",
        }),
        has_orders: flag.optional().openapi({
          description: "true: customers who have ordered; false: those who have not.",
        }),
        email: email.optional(),
        user_id: z.guid().optional(),
      }),
    },
    responses: answers(
      200,
      customersPage,
      "All customers for admins and clients: who registered, was created or imported, or has ordered; customers see only themselves",
    ),
  }),
  async (c) => {
    const { q, search = q, has_orders, email, user_id, ...list } = c.req.valid("query");
    const db = c.get("db");
    let query = search
      ? db.rpc("found_customers", { search }, { count: "exact" }).select(FOUND)
      : db.from("customer_details").select("*", { count: "exact" });
    if (has_orders === true) query = query.not("last_ordered_at", "is", null);
    if (has_orders === false) query = query.is("last_ordered_at", null);
    if (email) query = query.eq("email", email);
    if (user_id) query = query.eq("user_id", user_id);
    return c.json(await readPage(customersPage, query, list), 200);
  },
);

customers.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "customers.create",
    permission: "customers.write",
    once: true,
    summary: "Create a customer without an account",
    description: "Admins and clients place orders for the customer.",
    request: { body: body(newCustomer) },
    responses: answers(201, customer, "The new customer"),
  }),
  async (c) => {
    const made = customer.parse(await perform(c, "create_customer", c.req.valid("json")));
    return c.json(made, 201, { Location: `/functions/v1/api/customers/${made.id}` });
  },
);

customers.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "customers.get",
    permission: "customers.read",
    summary: "Get a customer",
    request: { params: idParam },
    responses: answers(200, customer, "The customer"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .from("customer_details")
      .select()
      .eq("id", id)
      .single()
      .throwOnError();
    return c.json(customer.parse(data), 200);
  },
);

customers.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/{id}",
    operationId: "customers.update",
    permission: "customers.change",
    summary: "Change a customer",
    description:
      "Fields that are not sent do not change, and null removes one. Customers change themselves. The e-mail address of an account is changed with Supabase Auth.",
    errors: { CONFLICT: "if the customer's personal data was erased" },
    request: { params: idParam, body: body(customerChanges) },
    responses: answers(200, customer, "The changed customer"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("update_customer", { customer_id: id, changes: c.req.valid("json") })
      .throwOnError();
    return c.json(customer.parse(data), 200);
  },
);
