import { addressOf } from "../http/address.ts";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { countRequest, refuseTooMany } from "../http/request_counts.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { email } from "../values/email.ts";
import {
  approvalStatus,
  approvedApplication,
  decision,
  newSupplierApplication,
  supplierApplication,
} from "./schema.ts";

/** Routes below /supplier-applications: who wants to sell. */
export const supplierApplications = createRoutes();

const shared = { tags: ["Suppliers"], middleware: authenticate };

const applicationsPage = pageOf("supplier_applications", supplierApplication);

supplierApplications.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "supplierApplications.create",
    visitors: true,
    permission: "supplier_applications.create",
    once: true,
    summary: "Apply to become a supplier",
    description:
      "For visitors, guests and customers, unless the tenant's suppliers are invited only (settings.sellers.signup). An admin decides.",
    errors: {
      FORBIDDEN: "if the tenant takes no applications",
      CONFLICT: "if an application of this address waits",
      LIMIT_REACHED: "while 1,000 applications wait",
      RATE_LIMITED: "after ten applications of an IP address in a minute",
    },
    request: { body: body(newSupplierApplication) },
    responses: answers(201, supplierApplication, "The application, which waits"),
  }),
  async (c) => {
    refuseTooMany(await countRequest({ kind: "applicant", id: addressOf(c.req.raw.headers) }));
    const made = supplierApplication.parse(
      await perform(c, "create_supplier_application", c.req.valid("json")),
    );
    return c.json(made, 201, { Location: `/functions/v1/api/supplier-applications/${made.id}` });
  },
);

supplierApplications.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "supplierApplications.list",
    permission: "supplier_applications.read",
    summary: "List applications",
    request: {
      query: listQuery(["created_at"]).extend({
        status: approvalStatus.optional(),
        email: email.optional(),
      }),
    },
    responses: answers(200, applicationsPage, "The applications, for admins and clients"),
  }),
  async (c) => {
    const { status, email, ...list } = c.req.valid("query");
    let query = c.get("db").from("supplier_applications").select("*", { count: "exact" });
    if (status) query = query.eq("status", status);
    if (email) query = query.eq("email", email);
    return c.json(await readPage(applicationsPage, query, list), 200);
  },
);

supplierApplications.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "supplierApplications.get",
    permission: "supplier_applications.read",
    summary: "Get an application",
    request: { params: idParam },
    responses: answers(200, supplierApplication, "The application"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .from("supplier_applications")
      .select()
      .eq("id", id)
      .single()
      .throwOnError();
    return c.json(supplierApplication.parse(data), 200);
  },
);

const decided = {
  ...shared,
  method: "post",
  permission: "supplier_applications.decide",
  // The body is optional.
  request: { params: idParam, body: { ...body(decision), required: false } },
} as const;

supplierApplications.openapi(
  createRoute({
    ...decided,
    path: "/{id}/approve",
    operationId: "supplierApplications.approve",
    summary: "Approve an application",
    description:
      "Makes the supplier and invites the applicant. The supplier is verified when the invitation is accepted.",
    errors: {
      INVALID_TRANSITION: "unless the application waits",
      CONFLICT: "if another member has the address",
    },
    responses: answers(200, approvedApplication, "The application, with the invitation"),
  }),
  async (c) => {
    const args = { application_id: c.req.valid("param").id, ...c.req.valid("json") };
    const { data } = await c.get("db").rpc("approve_supplier_application", args).throwOnError();
    return c.json(approvedApplication.parse(data), 200);
  },
);

supplierApplications.openapi(
  createRoute({
    ...decided,
    path: "/{id}/reject",
    operationId: "supplierApplications.reject",
    summary: "Reject an application",
    description: "The applicant may apply again.",
    errors: { INVALID_TRANSITION: "unless the application waits" },
    responses: answers(200, supplierApplication, "The rejected application"),
  }),
  async (c) => {
    const args = { application_id: c.req.valid("param").id, ...c.req.valid("json") };
    const { data } = await c.get("db").rpc("reject_supplier_application", args).throwOnError();
    return c.json(supplierApplication.parse(data), 200);
  },
);
