import { z } from "@hono/zod-openapi";
import { ROLES } from "../http/roles.ts";
import { comparable, email } from "../values/email.ts";
import { Enums } from "../values/enums.generated.ts";
import { language } from "../values/languages.ts";
import { visible, visibleOrEmpty } from "../values/names.ts";
import { PERMISSIONS, type Permission } from "../values/permissions.generated.ts";

export const role = z.enum(ROLES).openapi("Role");

export const memberStatus = z.enum(Enums.member_status).openapi("MemberStatus");

export const contentRole = z
  .enum(["editor", "reviewer", "publisher", "admin"])
  .openapi("ContentRole");

export const user = z
  .object({
    id: z.guid(),
    email: z.string().nullable().openapi({ description: "Null for a guest." }),
    name: z.string(),
    // A union, because `nullable()` would make the component nullable everywhere.
    role: z.union([role, z.null()]),
    tenant_id: z.guid().nullable(),
    is_anonymous: z
      .boolean()
      .openapi({ description: "Whether the user is a guest, who has not registered." }),
  })
  .openapi("User");

export const session = z
  .object({
    access_token: z.string().nullable(),
    refresh_token: z.string().nullable(),
    token_type: z.literal("bearer"),
    expires_in: z
      .number()
      .int()
      .nullable()
      .openapi({ description: "Lifetime of the access token in seconds." }),
    expires_at: z
      .number()
      .int()
      .nullable()
      .openapi({ description: "Expiry of the access token in seconds since 1970." }),
    user,
  })
  .openapi("Session", {
    description:
      "The tokens are null if there is no new session: after a registration that needs a confirmed e-mail, and after switching without a refresh token.",
  });

const joining = {
  tenant_name: visible(200).optional().openapi({
    description: "Opens a new tenant, with the caller as its admin.",
    example: "Oasis",
  }),
  tenant_id: z.guid().optional().openapi({ description: "Joins a tenant." }),
  role: z.enum(["customer", "supplier"]).optional().openapi({
    description:
      "The role to join with, together with tenant_id. The default is customer. supplier is refused unless the tenant's settings.sellers.signup is open; a new supplier is not verified.",
  }),
};

const invitationToken = z.string().min(1).max(200);

export const registration = z
  .object({
    email,
    password: z
      .string()
      .min(8)
      .max(72)
      // bcrypt ignores further bytes.
      .refine((text) => new TextEncoder().encode(text).length <= 72, "must be at most 72 bytes"),
    name: visibleOrEmpty(200).optional(),
    language: language.optional().openapi({ description: "The language of mails to a customer." }),
    ...joining,
    invitation: invitationToken.optional().openapi({
      description:
        "The token of an invitation to this e-mail address. It determines the tenant and the role.",
    }),
  })
  .refine(
    ({ tenant_name, tenant_id, invitation }) =>
      [tenant_name, tenant_id, invitation].filter((value) => value !== undefined).length <= 1,
    { path: ["tenant_name"], message: "Send one of tenant_name, tenant_id and invitation." },
  )
  .openapi("Registration");

export const newGuest = z
  .object({
    marketplace: z.string().min(1).max(253).openapi({
      description: "The id or the domain of the marketplace.",
      example: "shop.example.com",
    }),
  })
  .openapi("NewGuest");

export const login = z
  .object({
    email: z.preprocess(comparable, z.string().min(1).max(320)),
    password: z.string().min(1).max(1000),
  })
  .openapi("Login");

export const refresh = z
  .object({ refresh_token: z.string().min(1).max(10_000) })
  .openapi("Refresh");

export const me = z
  .object({
    user,
    tenant: z.object({ id: z.guid(), name: z.string() }),
    role,
    content_roles: z.array(contentRole),
    supplier_id: z.guid().nullable(),
    supplier: z
      .object({ id: z.guid(), name: z.string(), verified: z.boolean() })
      .nullable()
      .openapi({ description: "The organisation of a supplier." }),
    customer_id: z.guid().nullable(),
  })
  .openapi("Me");

export const membership = z
  .object({
    id: z.guid(),
    name: z.string(),
    role,
    status: memberStatus,
    supplier_id: z.guid().nullable(),
    customer_id: z.guid().nullable(),
    current: z.boolean().openapi({ description: "Whether the access token is of this tenant." }),
    created_at: z.string(),
  })
  .openapi("Membership", { description: "A tenant that the caller is a member of." });

/** The input to open or join a tenant with an existing account. Invitations have their own route. */
export const newMembership = z
  .object(joining)
  .refine(
    ({ tenant_name, tenant_id }) => (tenant_name === undefined) !== (tenant_id === undefined),
    {
      path: ["tenant_name"],
      message: "Send either tenant_name, to open a tenant, or tenant_id, to join one.",
    },
  )
  .openapi("NewMembership");

export const choice = z
  .object({
    tenant_id: z.guid(),
    refresh_token: z.string().min(1).max(10_000).optional().openapi({
      description: "The refresh token of the session, to get tokens of the new tenant.",
    }),
  })
  .openapi("TenantChoice");

const keyRole = z.enum(["client", "supplier"]);

const scopes = z
  .array(z.enum(Object.keys(PERMISSIONS) as [Permission, ...Permission[]]).openapi("Permission"))
  .openapi({ example: ["orders.read", "shipments.write"] });

const keyFields = {
  name: visible(200).openapi({ example: "Warehouse" }),
  role: keyRole.openapi({
    description:
      "client: everything that a machine of the tenant may do. supplier: for a supplier.",
  }),
  supplier_id: z
    .guid()
    .nullable()
    .openapi({ description: "The organisation of a supplier's key." }),
  scopes: scopes.nullable().openapi({
    description: "The permissions of the key; null: all of its role.",
  }),
  expires_at: z.string().nullable().openapi({ description: "Null: never." }),
};

export const apiKey = z
  .object({
    id: z.guid(),
    client_id: z.string().openapi({ example: "key_0f0f2a3e2a774d1b9a550c7a2b1d4e01" }),
    ...keyFields,
    created_by: z.guid().nullable(),
    created_at: z.string(),
    last_used_at: z
      .string()
      .nullable()
      .openapi({ description: "When the key last got a session; null: never." }),
  })
  .openapi("ApiKey");

export const createdApiKey = apiKey
  .extend({
    client_secret: z.string().nullable().openapi({
      description:
        "Shown only once; null if the Idempotency-Key is repeated. Store it as a secret.",
    }),
  })
  .openapi("CreatedApiKey");

export const newApiKey = z
  .object({
    name: keyFields.name,
    role: keyRole.optional().openapi({
      description: "By default client for admins, and supplier for suppliers.",
    }),
    supplier_id: z.guid().optional().openapi({
      description: "For admins, with the role supplier: the organisation.",
    }),
    scopes: scopes.min(1).max(100).nullish().openapi({
      description: "The permissions of the key; by default all of its role.",
    }),
    expires_at: z.iso.datetime({ offset: true }).nullish().openapi({
      description: "A time in the future; by default never.",
    }),
  })
  .openapi("NewApiKey");

export const keyToken = z
  .object({
    access_token: z.string(),
    token_type: z.literal("bearer"),
    expires_in: z
      .number()
      .int()
      .openapi({ description: "Lifetime of the access token in seconds." }),
  })
  .openapi("KeyToken");

export const tokenError = z
  .object({
    error: z.enum(["invalid_request", "invalid_client", "unsupported_grant_type"]),
    error_description: z.string(),
  })
  .openapi("TokenError");

const invitationFields = {
  email,
  role,
  supplier_id: z.guid().nullable().openapi({
    description: "For suppliers: the organisation to join. If null, a new one is created.",
  }),
  verified: z.boolean().openapi({
    description:
      "For suppliers: whether the organisation is verified when the invitation is accepted. An admin's default: true; a supplier's invitations never verify.",
  }),
};

export const newInvitation = z
  .object(invitationFields)
  .partial({ supplier_id: true, verified: true })
  .openapi("NewInvitation");

export const invitationStatus = z.enum(Enums.invitation_status).openapi("InvitationStatus");

export const invitation = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    ...invitationFields,
    email: z.string(),
    status: invitationStatus,
    invited_by: z.guid().nullable(),
    expires_at: z.string(),
    accepted_at: z.string().nullable(),
    accepted_by: z.guid().nullable(),
    created_at: z.string(),
  })
  .openapi("Invitation");

export const createdInvitation = invitation
  .extend({
    token: z.string().nullable().openapi({
      description:
        "Shown only once, and again if the Idempotency-Key is repeated. Null if the invitation was withdrawn since.",
    }),
  })
  .openapi("CreatedInvitation");

export const acceptance = z
  .object({
    invitation: invitationToken.openapi({ description: "The token of the invitation." }),
  })
  .openapi("InvitationAcceptance");
