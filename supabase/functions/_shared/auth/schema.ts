import { z } from "@hono/zod-openapi";

export const role = z.enum(["customer", "supplier", "client", "admin"]).openapi("Role");

export const user = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    // A union, since `nullable()` would make the component itself nullable wherever it is named.
    role: z.union([role, z.null()]),
    tenant_id: z.uuid().nullable(),
  })
  .openapi("User");

export const session = z
  .object({
    access_token: z.string().nullable(),
    refresh_token: z.string().nullable(),
    token_type: z.literal("bearer"),
    expires_in: z.number().int().nullable().openapi({ description: "Seconds." }),
    expires_at: z.number().int().nullable().openapi({ description: "Seconds since 1970." }),
    user,
  })
  .openapi("Session", {
    description:
      "The tokens are null after a registration in a project that has e-mails confirmed first.",
  });

export const registration = z
  .object({
    email: z.email().max(320),
    password: z.string().min(8).max(72),
    name: z.string().max(200).optional(),
    tenant_name: z.string().min(1).max(200).optional().openapi({
      description: "Opens a new tenant, with the caller as its admin.",
    }),
    tenant_id: z.uuid().optional().openapi({ description: "Joins a tenant." }),
    role: z.enum(["customer", "supplier"]).default("customer").openapi({
      description: "What to join as. A new supplier is not verified.",
    }),
  })
  .refine(({ tenant_name, tenant_id }) => tenant_name !== undefined || tenant_id !== undefined, {
    path: ["tenant_name"],
    message: "Send tenant_name to open a tenant, or tenant_id to join one.",
  })
  .refine(({ tenant_name, tenant_id }) => tenant_name === undefined || tenant_id === undefined, {
    path: ["tenant_name"],
    message: "Send either tenant_name or tenant_id.",
  })
  .openapi("Registration");

export const login = z
  .object({ email: z.string().min(1).max(320), password: z.string().min(1).max(1000) })
  .openapi("Login");

export const refresh = z.object({ refresh_token: z.string().min(1).max(1000) }).openapi("Refresh");

export const me = z
  .object({
    user,
    tenant: z.object({ id: z.uuid(), name: z.string() }),
    role,
    supplier_id: z.uuid().nullable(),
    customer_id: z.uuid().nullable(),
  })
  .openapi("Me");
