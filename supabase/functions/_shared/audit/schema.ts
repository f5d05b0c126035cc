import { z } from "@hono/zod-openapi";
import { listQuery } from "../http/page.ts";
import { Enums } from "../values/enums.generated.ts";
import { period } from "../values/times.ts";

const actor = z
  .enum(["admin", "client", "supplier", "editor", "key", "service"])
  .openapi("AuditActor", {
    description:
      "A member by its role; editor: a customer with content roles; key: an API key; service: a program with the project's secret key.",
  });

const action = z.enum(Enums.audit_action).openapi("AuditAction");

export const auditEntry = z
  .object({
    id: z.guid(),
    created_at: z.string(),
    actor,
    actor_id: z.guid().nullable().openapi({
      description: "The user, or the id of the API key; null for a service.",
    }),
    supplier_id: z.guid().nullable().openapi({
      description: "The organisation of a supplier or of its API key.",
    }),
    operation: z.string().openapi({
      description:
        "The operationId of the request, or the method and path of a request to /rest/v1.",
      example: "products.update",
    }),
    action,
    record_type: z.string().openapi({ description: "The table.", example: "products" }),
    record_id: z.string(),
    fields: z.array(z.string()).openapi({
      description: "The names of the fields that changed. Empty for created and deleted records.",
      example: ["price", "status"],
    }),
    address: z.string().nullable().openapi({
      description: "The IP address, for IPv6 its /64 network; null if unknown.",
      example: "203.0.113.7",
    }),
  })
  .openapi("AuditEntry", { description: "A change of a record." });

export const auditQuery = listQuery(["created_at"]).extend({
  actor: actor.optional(),
  actor_id: z.guid().optional(),
  record_type: z.string().min(1).max(63).optional(),
  record_id: z.string().min(1).max(200).optional(),
  action: action.optional(),
  operation: z.string().min(1).max(200).optional(),
  ...period,
});
