import { z } from "@hono/zod-openapi";
import { createdInvitation } from "../auth/schema.ts";
import { country } from "../countries/schema.ts";
import { changesSomething, NOTHING_TO_CHANGE, updatedAt } from "../http/if_match.ts";
import { address } from "../values/address.ts";
import { email } from "../values/email.ts";
import { Enums } from "../values/enums.generated.ts";
import { slug, visible } from "../values/names.ts";

const name = visible(200);

/** The legal identity of a supplier in responses. Stored values are not validated again. */
export const legalIdentity = z
  .object({
    name: z.string(),
    address: z.string(),
    email: z.string(),
    phone: z.string(),
    register_number: z.string(),
    tax_id: z.string(),
    self_certified: z.boolean().openapi({
      description: "Whether the supplier assures that it offers only what the law allows.",
    }),
  })
  .partial()
  .openapi("LegalIdentity", { description: "The fields that are known." });

const legal = z
  .strictObject({
    name: visible(200),
    address: visible(1000),
    email,
    phone: visible(50),
    register_number: visible(50),
    tax_id: visible(50),
    self_certified: z.boolean(),
  })
  .partial()
  .openapi("NewLegalIdentity", {
    description:
      "The supplier's legal identity. Shops show it, and each order keeps a copy of name, address and tax_id.",
    example: { name: "Atlas Crafts GmbH", address: "2 Oak Street, 10115 Berlin", tax_id: "DE1" },
  });

const supplierStatus = z.enum(Enums.supplier_status).openapi("SupplierStatus");

export const supplierParam = z.object({
  id: z
    .union([z.guid(), slug])
    .openapi({ description: "An id or a slug.", example: "atlas-crafts" }),
});

export const supplier = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    name: z.string(),
    verified: z.boolean(),
    status: supplierStatus.openapi({
      description: "The products of a paused or suspended supplier are not for sale.",
    }),
    marketplace_ids: z
      .array(z.guid())
      .nullable()
      .openapi({ description: "Where it may sell; null: on all marketplaces." }),
    slug: z.string().openapi({ description: "Its readable address.", example: "atlas-crafts" }),
    description: z.string(),
    logo: z.string().nullable(),
    legal: legalIdentity,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Supplier");

export const newSupplier = z
  .object({ name, verified: z.boolean().default(false), legal: legal.optional() })
  .openapi("NewSupplier");

export const supplierChanges = z
  .object({
    name,
    verified: z.boolean().openapi({ description: "For admins." }),
    status: supplierStatus.openapi({
      description: "A supplier pauses itself; admins also suspend it.",
    }),
    marketplace_ids: z
      .array(z.guid())
      .max(1000)
      .nullable()
      .openapi({ description: "For admins. null: all marketplaces." }),
    slug: slug.nullable().openapi({ description: "null: it is made anew from the name." }),
    description: z.string().max(5000).openapi({ description: "Plain text, for buyers." }),
    logo: address.nullable().openapi({
      description: "The address of a picture.",
      example: "https://atlas-crafts.example/logo.png",
    }),
    legal: legal.openapi({ description: "Replaces all fields." }),
    updated_at: updatedAt,
  })
  .partial()
  .refine(changesSomething, NOTHING_TO_CHANGE)
  .openapi("SupplierChanges");

export const approvalStatus = z.enum(Enums.approval_status).openapi("ApprovalStatus");

const message = z.string().max(5000);

export const newSupplierApplication = z
  .object({
    name: name.openapi({ description: "The name of the organisation.", example: "Atlas Crafts" }),
    email: email.openapi({ description: "The address that is invited after an approval." }),
    country,
    legal: legal.optional(),
    message: message.optional().openapi({ description: "What the operator should know." }),
  })
  .openapi("NewSupplierApplication");

export const supplierApplication = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    status: approvalStatus,
    name: z.string(),
    email: z.string(),
    country,
    legal: legalIdentity,
    message: z.string(),
    user_id: z
      .guid()
      .nullable()
      .openapi({ description: "The guest or customer who applied; null for a visitor." }),
    supplier_id: z
      .guid()
      .nullable()
      .openapi({ description: "The supplier that the approval made." }),
    reason: z.string().nullable(),
    decided_by: z.guid().nullable(),
    decided_at: z.string().nullable(),
    created_at: z.string(),
  })
  .openapi("SupplierApplication");

export const approvedApplication = supplierApplication
  .extend({
    invitation: z.union([createdInvitation, z.null()]).openapi({
      description:
        "The invitation of the applicant, with its token; null for a customer who applied with the address of its account, and is a member of the supplier now.",
    }),
  })
  .openapi("ApprovedSupplierApplication");

const reason = z.string().min(1).max(1000).openapi({ example: "Your register number is missing." });

/** What an admin says about a decision. The body is optional. */
export const decision = z
  .object({ reason: reason.optional().openapi({ description: "What the applicant is told." }) })
  .openapi("Decision");

export const productDecision = z
  .object({
    reason: reason.optional().openapi({ description: "What the supplier is told." }),
    updated_at: updatedAt.optional(),
  })
  .openapi("ProductDecision");

export const productApproval = z
  .object({
    product_id: z.guid(),
    tenant_id: z.guid(),
    supplier_id: z.guid(),
    status: approvalStatus,
    pending_changes: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({
        description:
          "The fields of an approved product that await a review, with their new values. Null: the whole product awaits it.",
        example: { name: "Brass lantern, large" },
      }),
    reason: z.string().nullable(),
    requested_at: z.string(),
    decided_by: z.guid().nullable(),
    decided_at: z.string().nullable(),
  })
  .openapi("ProductApproval");
