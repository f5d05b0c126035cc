import { answers, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { personalData } from "./schema.ts";

/** Routes below /customers/{id}/personal-data: what is stored about a person, and its erasure. */
export const personalDataRoutes = createRoutes();

const shared = {
  tags: ["Tenancy"],
  middleware: authenticate,
  path: "/{id}/personal-data" as const,
  request: { params: idParam },
};

personalDataRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    operationId: "customers.personalData",
    permission: "personal_data.read",
    summary: "Get a customer's personal data",
    responses: answers(
      200,
      personalData,
      "All personal data of the customer; internal notes for admins only",
    ),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("read_personal_data", { customer_id: id })
      .throwOnError();
    return c.json(personalData.parse(data), 200);
  },
);

personalDataRoutes.openapi(
  createRoute({
    ...shared,
    method: "delete",
    operationId: "customers.erase",
    permission: "personal_data.erase",
    summary: "Erase a customer's personal data",
    description:
      "For ever. The account ends, or only the membership if it has others. Orders stay with their items, amounts and countries. Files of exports with data of customers are removed.",
    errors: { LAST_ADMIN: "if the account is the tenant's only admin" },
    responses: noContent("The data is erased, now or before"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    await c.get("db").rpc("erase_personal_data", { customer_id: id }).throwOnError();
    return c.body(null, 204);
  },
);
