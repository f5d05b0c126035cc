import { randomUUID } from "node:crypto";
import type { SupabaseClient } from "@supabase/supabase-js";
import { marketplaceFields, PASSWORD } from "../souk.js";
import { operationOf } from "./expected.js";
import {
  adjustmentOf,
  appliedOf,
  calendarOf,
  checkoutOf,
  dashboardOf,
  discountOf,
  emailTemplateOf,
  holdOf,
  orderOf,
  pastOrder,
  promotionOf,
  type Row,
  type TenantRecords,
  type Thing,
  taxRateOf,
  templateOf,
} from "./tenant-records.js";

// Every operation of the OpenAPI document, with the input for a call on a tenant's records, through HTTP and
// supabase-js. An operation without a row here fails roles.test.ts.

/** The result of a query with supabase-js. */
interface RestAnswer {
  data: unknown;
  error: { code: string; message: string } | null;
  status: number;
}

export interface Operation {
  /** The query string. */
  query?: (of: TenantRecords) => string;
  /** The body, made from the tenant's records. A text is sent unchanged. */
  body?: (of: TenantRecords) => Row | string;
  /** The content type of a body that is a text. */
  type?: string;
  /** The operation needs no token, and so no role. */
  open?: true;
  /** The record of its `{id}`, if the path does not determine it. */
  id?: Thing;
  /** The record that it uses up: created again for each call. */
  uses?: Thing;
  /** The record that a list must show. */
  lists?: Thing;
  /** The list has no pages, so there is no limit to send. */
  whole?: true;
  /** The same through supabase-js; null if that is not possible. */
  rest: ((db: SupabaseClient, of: TenantRecords) => PromiseLike<RestAnswer>) | null;
}

const credentials = () => ({ email: `${randomUUID()}@example.com`, password: PASSWORD });

/** The operations by method and path. A suffix in brackets distinguishes two uses of one operation. */
export const operations: Record<string, Operation> = {
  "POST /auth/register": {
    open: true,
    body: ({ tenantId }) => ({ ...credentials(), tenant_id: tenantId }),
    rest: null,
  },
  "POST /auth/guest": {
    open: true,
    body: ({ marketplace }) => ({ marketplace: marketplace.domain }),
    rest: null,
  },
  "POST /auth/login": {
    open: true,
    body: ({ people }) => ({ email: people.admin.email, password: PASSWORD }),
    rest: null,
  },
  "POST /auth/token": {
    open: true,
    body: ({ apiKey: { client_id, client_secret } }) => ({
      grant_type: "client_credentials",
      client_id,
      client_secret,
    }),
    rest: null,
  },
  "GET /auth/me": { rest: (db) => db.rpc("me") },
  "GET /auth/tenants": {
    rest: (db) => db.rpc("my_tenants"),
  },
  "POST /auth/tenants": {
    body: ({ mark }) => ({ tenant_name: mark }),
    rest: (db, { mark }) => db.rpc("open_tenant", { tenant_name: mark }),
  },
  "POST /auth/switch": {
    body: ({ tenantId }) => ({ tenant_id: tenantId }),
    rest: (db, { tenantId }) => db.rpc("switch_tenant", { tenant_id: tenantId }),
  },
  "GET /auth/invitations": {
    lists: "invitation",
    rest: (db) => db.from("invitation_details").select(),
  },
  "POST /auth/invitations": {
    body: invited,
    rest: (db) => db.rpc("create_invitation", invited()),
  },
  "POST /auth/invitations (a colleague)": {
    body: colleague,
    rest: (db) => db.rpc("create_invitation", colleague()),
  },
  "POST /auth/invitations/accept": {
    body: () => ({ invitation: "guessed" }),
    rest: (db) => db.rpc("accept_invitation", { invitation: "guessed" }),
  },
  "GET /auth/invitations/{id}": {
    rest: (db, { invitation }) => db.from("invitation_details").select().eq("id", invitation.id),
  },
  "DELETE /auth/invitations/{id}": {
    uses: "invitation",
    rest: (db, { invitation }) => db.from("invitations").delete().eq("id", invitation.id).select(),
  },

  "GET /api/api-keys": {
    lists: "apiKey",
    rest: (db) => db.from("api_keys").select(),
  },
  "POST /api/api-keys": {
    body: ({ mark }) => ({ name: mark }),
    rest: (db, { mark }) => db.rpc("create_api_key", { name: mark }),
  },
  "GET /api/api-keys/{id}": {
    rest: (db, { apiKey }) => db.from("api_keys").select().eq("id", apiKey.id),
  },
  "DELETE /api/api-keys/{id}": {
    uses: "apiKey",
    rest: (db, { apiKey }) => db.rpc("remove_api_key", { api_key_id: apiKey.id }),
  },

  "GET /api/audit-log": {
    lists: "auditEntry",
    query: ({ auditEntry }) => `?record_id=${auditEntry.record_id}`,
    rest: (db, { auditEntry }) =>
      db.from("audit_log").select().eq("record_id", auditEntry.record_id),
  },

  "GET /api/tenant": {
    rest: (db) => db.from("tenants").select(),
  },
  "PATCH /api/tenant": {
    body: ({ mark }) => ({ name: mark }),
    rest: (db, { mark }) => db.rpc("update_tenant", { changes: { name: mark } }),
  },
  "PATCH /api/tenant (settings)": {
    body: () => ({ settings: { media: { file_bytes: 52_428_800 } } }),
    rest: (db) =>
      db.rpc("update_tenant", { changes: { settings: { media: { file_bytes: 52_428_800 } } } }),
  },

  "DELETE /api/tenant": {
    // Not its name, so that the tenant stays: removal.test.ts removes one.
    body: () => ({ name: "Another" }),
    rest: (db) => db.rpc("remove_tenant", { name: "Another" }),
  },

  "GET /api/members": {
    lists: "member",
    rest: (db) => db.from("members").select(),
  },
  "GET /api/members/{user_id}": {
    rest: (db, { member }) => db.from("members").select().eq("user_id", member.id),
  },
  "PATCH /api/members/{user_id}": {
    uses: "member",
    body: () => ({ status: "suspended" }),
    rest: (db, { member }) =>
      db.from("members").update({ status: "suspended" }).eq("user_id", member.id).select(),
  },
  "DELETE /api/members/{user_id}": {
    uses: "member",
    rest: (db, { member }) => db.from("members").delete().eq("user_id", member.id).select(),
  },

  "GET /api/suppliers": {
    lists: "organisation",
    rest: (db) => db.from("suppliers").select(),
  },
  "POST /api/suppliers": {
    body: named,
    rest: (db, of) => db.rpc("create_supplier", named(of)),
  },
  "GET /api/suppliers/{id}": {
    rest: (db, { organisation }) => db.from("suppliers").select().eq("id", organisation.id),
  },
  "PATCH /api/suppliers/{id}": {
    body: named,
    rest: (db, of) =>
      db.rpc("update_supplier", { supplier_id: of.organisation.id, changes: named(of) }),
  },
  "PATCH /api/suppliers/{id} (legal)": {
    body: legally,
    rest: (db, of) =>
      db.from("suppliers").update(legally(of)).eq("id", of.organisation.id).select(),
  },
  "PATCH /api/suppliers/{id} (verified)": {
    uses: "organisation",
    body: () => ({ verified: true }),
    rest: (db, { organisation }) =>
      db.from("suppliers").update({ verified: true }).eq("id", organisation.id).select(),
  },

  "GET /api/supplier-applications": {
    lists: "application",
    rest: (db) => db.from("supplier_applications").select(),
  },
  "POST /api/supplier-applications": {
    body: appliedOf,
    rest: (db, of) => db.rpc("create_supplier_application", appliedOf(of)),
  },
  "GET /api/supplier-applications/{id}": {
    rest: (db, { application }) =>
      db.from("supplier_applications").select().eq("id", application.id),
  },
  "POST /api/supplier-applications/{id}/approve": {
    uses: "application",
    rest: (db, { application: { id } }) =>
      db.rpc("approve_supplier_application", { application_id: id }),
  },
  "POST /api/supplier-applications/{id}/reject": {
    uses: "application",
    body: reasoned,
    rest: (db, { application: { id } }) =>
      db.rpc("reject_supplier_application", { application_id: id }),
  },

  "GET /api/product-approvals": {
    lists: "awaiting",
    rest: (db) => db.from("product_approvals").select(),
  },
  "POST /api/products/{id}/approve": {
    uses: "awaiting",
    rest: (db, { awaiting: { id } }) => db.rpc("approve_product", { product_id: id }),
  },
  "POST /api/products/{id}/reject": {
    uses: "awaiting",
    body: reasoned,
    rest: (db, { awaiting: { id } }) => db.rpc("reject_product", { product_id: id }),
  },

  "GET /api/customers": {
    lists: "buyer",
    rest: (db) => db.from("customer_details").select(),
  },
  "POST /api/customers": {
    body: named,
    rest: (db, of) => db.rpc("create_customer", named(of)),
  },
  "GET /api/customers/{id}": {
    rest: (db, { buyer }) => db.from("customer_details").select().eq("id", buyer.id),
  },
  "PATCH /api/customers/{id}": {
    body: ({ mark }) => ({ name: mark }),
    rest: (db, { buyer, mark }) =>
      db.rpc("update_customer", { customer_id: buyer.id, changes: { name: mark } }),
  },
  "GET /api/customers/me/addresses": {
    lists: "address",
    whole: true,
    rest: (db) => db.rpc("list_customer_addresses"),
  },
  "POST /api/customers/me/addresses": {
    body: keptAddress,
    rest: (db, of) => db.rpc("create_customer_address", { address: keptAddress(of) }),
  },
  "GET /api/customers/me/addresses/{id}": {
    rest: (db, { address }) => db.rpc("get_customer_address", { address_id: address.id }),
  },
  "PATCH /api/customers/me/addresses/{id}": {
    body: keptAddress,
    rest: (db, of) =>
      db.rpc("update_customer_address", { address_id: of.address.id, changes: keptAddress(of) }),
  },
  "DELETE /api/customers/me/addresses/{id}": {
    uses: "address",
    rest: (db, { address }) => db.rpc("remove_customer_address", { address_id: address.id }),
  },
  "GET /api/customers/{id}/personal-data": {
    rest: (db, { buyer }) => db.rpc("read_personal_data", { customer_id: buyer.id }),
  },
  "DELETE /api/customers/{id}/personal-data": {
    uses: "buyer",
    rest: (db, { buyer }) => db.rpc("erase_personal_data", { customer_id: buyer.id }),
  },

  "GET /api/storefront": {
    open: true,
    query: ({ marketplace }) => `?domain=${marketplace.domain}`,
    rest: (db, { marketplace }) => db.rpc("storefront", { domain: marketplace.domain }),
  },
  "GET /api/countries": {
    rest: (db) => db.rpc("list_countries"),
  },
  "GET /api/delivery-methods": {
    query: ({ marketplace }) => `?marketplace_id=${marketplace.id}`,
    rest: (db, { marketplace }) =>
      db.rpc("list_delivery_methods", { marketplace_id: marketplace.id }),
  },
  "GET /api/payment-methods": {
    query: ({ marketplace }) => `?marketplace_id=${marketplace.id}`,
    rest: (db, { marketplace }) =>
      db.rpc("list_payment_methods", { marketplace_id: marketplace.id }),
  },
  "GET /api/marketplaces": {
    lists: "marketplace",
    rest: (db) => db.from("marketplaces").select(),
  },
  "POST /api/marketplaces": {
    body: () => marketplaceFields(),
    rest: (db) => db.rpc("create_marketplace", marketplaceFields()),
  },
  "GET /api/marketplaces/{id}": {
    rest: (db, { marketplace }) => db.from("marketplaces").select().eq("id", marketplace.id),
  },
  "PUT /api/marketplaces/{id}": {
    body: described,
    rest: (db, of) =>
      db.rpc("change_marketplace", { marketplace_id: of.marketplace.id, changes: described(of) }),
  },

  "GET /api/categories": {
    lists: "category",
    whole: true,
    rest: (db) => db.from("categories").select(),
  },
  "POST /api/categories": {
    body: named,
    rest: (db, of) => db.rpc("create_category", named(of)),
  },
  "GET /api/categories/{id}": {
    rest: (db, { category }) => db.rpc("get_category", { category_id: category.id }),
  },
  "PUT /api/categories/{id}": {
    body: named,
    rest: (db, of) =>
      db.rpc("update_category", { category_id: of.category.id, changes: named(of) }),
  },
  "DELETE /api/categories/{id}": {
    uses: "category",
    rest: (db, { category }) => db.from("categories").delete().eq("id", category.id).select(),
  },

  "GET /api/media": {
    lists: "asset",
    rest: (db) => db.rpc("list_media", { limit: 1000 }),
  },
  "POST /api/media": {
    body: announced,
    rest: (db, of) => db.rpc("create_media_asset", announced(of)),
  },
  "GET /api/media/{id}": {
    rest: (db, { asset }) => db.rpc("get_media", { asset_id: asset.id }),
  },
  "PATCH /api/media/{id}": {
    body: ({ mark }) => ({ alt_text: mark }),
    rest: (db, { asset, mark }) =>
      db.rpc("update_media_asset", { asset_id: asset.id, changes: { alt_text: mark } }),
  },
  "POST /api/media/{id}/complete": {
    rest: (db, { asset }) => db.rpc("media_upload", { asset_id: asset.id }),
  },
  "POST /api/media/{id}/replace": {
    uses: "asset",
    body: announced,
    rest: (db, of) => db.rpc("replace_media_asset", { asset_id: of.asset.id, ...announced(of) }),
  },
  "DELETE /api/media/{id}": {
    uses: "asset",
    rest: (db, { asset }) => db.rpc("delete_media_asset", { asset_id: asset.id }),
  },
  "GET /api/media/folders": {
    lists: "folder",
    whole: true,
    rest: (db) => db.from("media_folders").select(),
  },
  "POST /api/media/folders": {
    body: foldered,
    rest: (db) => db.rpc("create_media_folder", foldered()),
  },
  "PATCH /api/media/folders/{id}": {
    body: foldered,
    rest: (db, { folder }) =>
      db.rpc("update_media_folder", { folder_id: folder.id, changes: foldered() }),
  },
  "DELETE /api/media/folders/{id}": {
    uses: "folder",
    rest: (db, { folder }) => db.rpc("delete_media_folder", { folder_id: folder.id }),
  },

  "GET /api/content-types": {
    lists: "contentType",
    whole: true,
    rest: (db) => db.from("content_types").select(),
  },
  "POST /api/content-types": {
    body: typed,
    rest: (db, of) => db.rpc("create_content_type", typed(of)),
  },
  "GET /api/content-types/{key}": {
    rest: (db, { contentType }) => db.from("content_types").select().eq("key", contentType.key),
  },
  "PUT /api/content-types/{key}": {
    body: named,
    rest: (db, of) =>
      db.rpc("update_content_type", { key: of.contentType.key, changes: named(of) }),
  },
  "DELETE /api/content-types/{key}": {
    uses: "contentType",
    rest: (db, { contentType }) => db.rpc("delete_content_type", { key: contentType.key }),
  },
  "GET /api/content-types/{key}/workflow": {
    rest: (db, { contentType }) =>
      db.from("content_types").select("workflow").eq("key", contentType.key),
  },
  "PUT /api/content-types/{key}/workflow": {
    body: judged,
    rest: (db, { contentType }) =>
      db.rpc("update_content_type", {
        key: contentType.key,
        changes: { workflow: judged().steps },
      }),
  },

  "GET /api/content/{type}": {
    id: "page",
    lists: "page",
    rest: (db) => db.rpc("list_content", { type: "static_pages", limit: 1000 }),
  },
  "GET /api/content/{type} (about products)": {
    id: "description",
    lists: "description",
    rest: (db) => db.rpc("list_content", { type: "products", limit: 1000 }),
  },
  "POST /api/content/{type}": {
    id: "page",
    body: paged,
    rest: (db, of) => {
      const { marketplace_id, ...document } = paged(of);
      return db.rpc("create_content", { type: "static_pages", document, marketplace_id });
    },
  },
  "POST /api/content/{type} (about a product)": {
    id: "description",
    uses: "product",
    body: praised,
    rest: (db, of) => {
      const { subject_id, ...document } = praised(of);
      return db.rpc("create_content", { type: "products", document, subject_id });
    },
  },
  "GET /api/content/{type}/{id}": {
    id: "page",
    rest: (db, { page }) => db.rpc("get_content", pieceOf(page)),
  },
  "GET /api/content/{type}/{id} (a draft)": {
    id: "planned",
    rest: (db, { planned }) => db.rpc("get_content", pieceOf(planned)),
  },
  "GET /api/content/{type}/{id} (a draft about a product)": {
    rest: (db, { description }) => db.rpc("get_content", pieceOf(description)),
  },
  "PUT /api/content/{type}/{id}": {
    id: "page",
    body: ({ page }) => saved(page),
    rest: (db, { page }) => db.rpc("save_content", { ...pieceOf(page), ...savedByRpc(page) }),
  },
  "PUT /api/content/{type}/{id} (about a product)": {
    body: ({ description }) => saved(description),
    rest: (db, { description }) =>
      db.rpc("save_content", { ...pieceOf(description), ...savedByRpc(description) }),
  },
  "DELETE /api/content/{type}/{id}": {
    id: "section",
    uses: "section",
    rest: (db, { section }) => db.rpc("delete_content", pieceOf(section)),
  },
  "DELETE /api/content/{type}/{id} (about a product)": {
    uses: "description",
    rest: (db, { description }) => db.rpc("delete_content", pieceOf(description)),
  },
  "POST /api/content/{type}/{id}/submit": {
    uses: "description",
    body: commented,
    rest: (db, { description }) =>
      db.rpc("move_content", { ...pieceOf(description), move: "submit" }),
  },
  "POST /api/content/{type}/{id}/approve": {
    uses: "reviewed",
    body: commented,
    rest: (db, { reviewed }) => db.rpc("move_content", { ...pieceOf(reviewed), move: "approve" }),
  },
  "POST /api/content/{type}/{id}/reject": {
    uses: "reviewed",
    body: commented,
    rest: (db, { reviewed }) => db.rpc("move_content", { ...pieceOf(reviewed), move: "reject" }),
  },
  "POST /api/content/{type}/{id}/publish": {
    uses: "approved",
    body: commented,
    rest: (db, { approved }) => db.rpc("publish_content", pieceOf(approved)),
  },
  "POST /api/content/{type}/{id}/unpublish": {
    uses: "published",
    body: commented,
    rest: (db, { published }) => db.rpc("unpublish_content", pieceOf(published)),
  },
  "POST /api/content/{type}/{id}/archive": {
    uses: "published",
    body: commented,
    rest: (db, { published }) => db.rpc("move_content", { ...pieceOf(published), move: "archive" }),
  },
  "POST /api/content/{type}/{id}/restore": {
    uses: "archived",
    body: commented,
    rest: (db, { archived }) => db.rpc("move_content", { ...pieceOf(archived), move: "restore" }),
  },
  "DELETE /api/content/{type}/{id}/schedule": {
    rest: (db, { description }) => db.rpc("cancel_content_schedule", pieceOf(description)),
  },
  "GET /api/content/{type}/{id}/moves": {
    rest: (db, { description }) => db.rpc("list_content_moves", pieceOf(description)),
  },
  "GET /api/content/{type}/{id}/versions": {
    rest: (db, { description }) => db.rpc("list_content_versions", pieceOf(description)),
  },
  "GET /api/content/{type}/{id}/versions/{version}": {
    rest: (db, { description }) =>
      db.rpc("get_content_version", { ...pieceOf(description), version_number: 1 }),
  },
  "GET /api/content/{type}/{id}/compare": {
    query: () => "?from=1&to=1",
    rest: (db, { description }) =>
      db.rpc("compare_content", { ...pieceOf(description), from_version: 1, to_version: 1 }),
  },
  "POST /api/content/{type}/{id}/rollback": {
    body: () => ({ version_number: 1 }),
    rest: (db, { description }) =>
      db.rpc("rollback_content", { ...pieceOf(description), to_version: 1 }),
  },
  "GET /api/content/{type}/{id}/branches": {
    rest: (db, { description }) => db.rpc("list_content_branches", pieceOf(description)),
  },
  "POST /api/content/{type}/{id}/branches": {
    uses: "description",
    body: branched,
    rest: (db, { description }) =>
      db.rpc("create_content_branch", { ...pieceOf(description), ...branched() }),
  },
  "DELETE /api/content/{type}/{id}/branches/{name}": {
    uses: "branch",
    rest: (db, { description, branch }) =>
      db.rpc("delete_content_branch", { ...pieceOf(description), name: branch.name }),
  },
  "POST /api/content/{type}/{id}/merge": {
    uses: "branch",
    body: ({ branch }) => ({ from: branch.name }),
    // Two functions: the first one returns the branches to merge.
    rest: (db, { description, branch }) =>
      db.rpc("branches_to_merge", { ...pieceOf(description), from: branch.name, into: "main" }),
  },
  "GET /api/content/{type}/{id}/localizations/{language}": {
    rest: (db, { description }) =>
      db.rpc("get_localization", { ...pieceOf(description), language: "de" }),
  },
  "PUT /api/content/{type}/{id}/localizations/{language}": {
    uses: "description",
    body: ({ description, mark }) => ({ title: mark, version_number: description.version_number }),
    rest: (db, { description, mark }) =>
      db.rpc("save_localization", {
        ...pieceOf(description),
        language: "de",
        version_number: description.version_number,
        changes: { title: mark },
      }),
  },
  "PATCH /api/content/{type}/{id}/localizations/{language}/status": {
    uses: "description",
    body: () => ({ status: "in_progress" }),
    rest: (db, { description }) =>
      db.rpc("set_localization_status", {
        ...pieceOf(description),
        language: "de",
        status: "in_progress",
      }),
  },
  "POST /api/content/{type}/{id}/preview": {
    body: () => ({}),
    rest: (db, { description }) => db.rpc("create_content_preview", pieceOf(description)),
  },
  "DELETE /api/content/{type}/{id}/preview": {
    rest: (db, { description }) => db.rpc("delete_content_preview", pieceOf(description)),
  },

  "GET /api/templates": {
    lists: "template",
    rest: (db) => db.rpc("list_templates", { limit: 1000 }),
  },
  "POST /api/templates": {
    body: templateOf,
    rest: (db, of) => db.rpc("create_template", templateOf(of)),
  },
  "GET /api/templates/{id}": {
    rest: (db, { template }) => db.rpc("get_template", { id_or_type: template.id }),
  },
  "PUT /api/templates/{id}": {
    body: ({ template }) => ({ name: template.name, version_number: 1 }),
    rest: (db, { template }) =>
      db.rpc("save_template", {
        template_id: template.id,
        version_number: 1,
        changes: { name: template.name },
      }),
  },
  "DELETE /api/templates/{id}": {
    uses: "template",
    rest: (db, { template }) => db.rpc("delete_template", { template_id: template.id }),
  },
  "GET /api/templates/{id}/versions": {
    rest: (db, { template }) => db.rpc("list_template_versions", { template_id: template.id }),
  },
  "POST /api/templates/{id}/versions/{version}/activate": {
    rest: (db, { template }) =>
      db.rpc("activate_template_version", { template_id: template.id, version_number: 1 }),
  },
  "GET /api/templates/{id}/compare": {
    query: () => "?from=1&to=1",
    rest: (db, { template }) =>
      db.rpc("compare_template_versions", {
        ...{ template_id: template.id, from_version: 1, to_version: 1 },
      }),
  },
  "GET /api/templates/{id}/localizations": {
    rest: (db, { template }) => db.rpc("list_template_localizations", { template_id: template.id }),
  },
  "GET /api/templates/{id}/localizations/{language}": {
    rest: (db, { template }) =>
      db.rpc("get_template_localization", { template_id: template.id, language: "de" }),
  },
  "PUT /api/templates/{id}/localizations/{language}": {
    uses: "template",
    body: translatedTemplate,
    rest: (db, { template }) => {
      const { version_number, ...changes } = translatedTemplate();
      const args = { template_id: template.id, language: "de", version_number, changes };
      return db.rpc("save_template_localization", args);
    },
  },
  "POST /api/templates/{id}/preview": {
    body: () => ({}),
    rest: (db, { template }) => db.rpc("create_template_preview", { template_id: template.id }),
  },
  "DELETE /api/templates/{id}/preview": {
    rest: (db, { template }) => db.rpc("delete_template_preview", { template_id: template.id }),
  },
  "POST /api/templates/{id}/render": {
    body: () => ({}),
    rest: (db, { template }) => db.rpc("template_inputs", { id_or_type: template.id, options: {} }),
  },
  "GET /api/templates/{id}/render": {
    rest: (db, { template }) => db.rpc("template_key", { id_or_type: template.id, options: {} }),
  },
  "GET /api/templates/components": {
    lists: "component",
    rest: (db) => db.from("template_components").select(),
  },
  "POST /api/templates/components": {
    body: partOf,
    rest: (db, of) => db.rpc("create_template_component", partOf(of)),
  },
  "GET /api/templates/components/{id}": {
    rest: (db, { component }) => db.from("template_components").select().eq("id", component.id),
  },
  "PUT /api/templates/components/{id}": {
    body: ({ component }) => ({ name: component.name, version_number: 1 }),
    rest: (db, { component }) =>
      db.rpc("save_template_component", {
        component_id: component.id,
        version_number: 1,
        changes: { name: component.name },
      }),
  },
  "DELETE /api/templates/components/{id}": {
    uses: "component",
    rest: (db, { component }) =>
      db.rpc("delete_template_component", { component_id: component.id }),
  },

  "GET /api/email-templates": {
    lists: "emailTemplate",
    rest: (db) => db.from("email_templates").select(),
  },
  "POST /api/email-templates": {
    body: emailTemplateOf,
    rest: (db, of) => db.rpc("create_email_template", emailTemplateOf(of)),
  },
  "GET /api/email-templates/{id}": {
    rest: (db, { emailTemplate }) => db.from("email_templates").select().eq("id", emailTemplate.id),
  },
  "PUT /api/email-templates/{id}": {
    body: named,
    rest: (db, of) =>
      db.from("email_templates").update(named(of)).eq("id", of.emailTemplate.id).select(),
  },
  "DELETE /api/email-templates/{id}": {
    uses: "emailTemplate",
    rest: (db, { emailTemplate }) =>
      db.from("email_templates").delete().eq("id", emailTemplate.id).select(),
  },
  "POST /api/email-templates/{id}/render": {
    body: () => ({}),
    rest: (db, { emailTemplate }) =>
      db.rpc("email_template_preview", { template_id: emailTemplate.id }),
  },
  "POST /api/email-templates/{id}/test": {
    body: () => ({}),
    rest: (db, { emailTemplate }) =>
      db.rpc("test_email_template", { template_id: emailTemplate.id, variables: {} }),
  },
  "GET /api/mails": {
    lists: "mail",
    rest: (db) => db.from("mails").select(),
  },
  "GET /api/mails/{id}": {
    rest: (db, { mail }) => db.from("mails").select().eq("id", mail.id),
  },
  "POST /api/mails/{id}/retry": {
    uses: "mail",
    rest: (db, { mail }) => db.rpc("retry_mail", { mail_id: mail.id }),
  },
  "GET /api/mails/suppressions": {
    lists: "suppression",
    rest: (db) => db.from("mail_suppressions").select(),
  },
  "DELETE /api/mails/suppressions/{id}": {
    uses: "suppression",
    rest: (db, { suppression }) =>
      db.from("mail_suppressions").delete().eq("id", suppression.id).select(),
  },

  "GET /api/search/synonyms": {
    lists: "synonyms",
    rest: (db) => db.from("search_synonyms").select(),
  },
  "POST /api/search/synonyms": {
    body: alike,
    rest: (db, of) => db.rpc("create_search_synonyms", alike(of)),
  },
  "GET /api/search/synonyms/{id}": {
    rest: (db, { synonyms }) => db.from("search_synonyms").select().eq("id", synonyms.id),
  },
  "PUT /api/search/synonyms/{id}": {
    body: alike,
    rest: (db, of) =>
      db.from("search_synonyms").update(alike(of)).eq("id", of.synonyms.id).select(),
  },
  "DELETE /api/search/synonyms/{id}": {
    uses: "synonyms",
    rest: (db, { synonyms }) => db.from("search_synonyms").delete().eq("id", synonyms.id).select(),
  },

  "GET /api/products": {
    lists: "product",
    rest: (db) => db.rpc("list_products", { limit: 1000 }),
  },
  "POST /api/products": {
    body: productFields,
    rest: (db, of) => db.rpc("create_product", productFields(of)),
  },
  "POST /api/products/import": {
    query: ({ marketplace }) => `?marketplace_id=${marketplace.id}`,
    type: "text/csv",
    body: ({ mark }) => `external_id,name,price\n${randomUUID()},${mark},5\n`,
    rest: null,
  },
  "GET /api/products/export": {
    lists: "product",
    whole: true,
    rest: (db) => db.rpc("export_products"),
  },
  "GET /api/products/search/semantic": {
    query: ({ mark }) => `?query=${mark}`,
    rest: (db, of) => db.rpc("search_by_meaning", asked(of)),
  },
  "GET /semantic-search": {
    query: ({ mark }) => `?query=${mark}`,
    rest: null,
  },
  "POST /semantic-search": {
    body: asked,
    rest: null,
  },
  "GET /api/products/top-sales": {
    rest: (db) => db.rpc("top_sales"),
  },
  "GET /api/products/{id}/similar": {
    rest: (db, { product }) => db.rpc("similar_products", { product_id: product.id }),
  },
  "GET /api/products/{id}": {
    rest: (db, { product }) => db.rpc("get_product", { product_id: product.id }),
  },
  "PUT /api/products/{id}": {
    body: described,
    rest: (db, of) =>
      db.rpc("update_product", { product_id: of.product.id, changes: described(of) }),
  },
  "DELETE /api/products/{id}": {
    uses: "product",
    rest: (db, { product }) => db.rpc("delete_product", { product_id: product.id }),
  },

  "GET /api/inventory": {
    lists: "product",
    rest: (db) => db.rpc("list_inventory", { limit: 1000 }),
  },
  "GET /api/inventory/movements": {
    lists: "product",
    rest: (db) => db.rpc("list_inventory_movements", { limit: 1000 }),
  },
  "GET /api/products/{id}/inventory": {
    rest: (db, { product }) => db.rpc("get_inventory", { product_id: product.id }),
  },
  "PATCH /api/products/{id}/inventory": {
    body: stocked,
    rest: (db, of) => db.rpc("change_inventory", { product_id: of.product.id, ...stocked(of) }),
  },

  "GET /api/products/{id}/files": {
    rest: (db, { digital }) => db.rpc("list_product_files", { product_id: digital.id }),
  },
  "POST /api/products/{id}/files": {
    body: filed,
    rest: (db, of) => db.rpc("add_product_file", { product_id: of.digital.id, ...filed(of) }),
  },
  "DELETE /api/products/{id}/files/{file_id}": {
    uses: "file",
    rest: (db, { file }) => db.from("product_files").delete().eq("id", file.id).select(),
  },
  "GET /api/products/{id}/licence-keys": {
    rest: (db, { digital }) => db.rpc("list_licence_keys", { product_id: digital.id }),
  },
  "POST /api/products/{id}/licence-keys": {
    body: keyed,
    rest: (db, of) => db.rpc("add_licence_keys", { product_id: of.digital.id, ...keyed(of) }),
  },
  "DELETE /api/products/{id}/licence-keys/{licence_key_id}": {
    uses: "key",
    rest: (db, { digital, key }) =>
      db.rpc("remove_licence_key", { product_id: digital.id, licence_key_id: key.id }),
  },

  "GET /api/products/{id}/calendar": {
    rest: (db, { service }) => db.rpc("get_service_calendar", { product_id: service.id }),
  },
  "PUT /api/products/{id}/calendar": {
    body: calendarOf,
    rest: (db, of) =>
      db.rpc("set_service_calendar", { product_id: of.service.id, ...calendarOf(of) }),
  },
  "GET /api/products/{id}/slots": {
    rest: (db, { service }) => db.rpc("list_service_slots", { product_id: service.id }),
  },

  "GET /api/orders": {
    lists: "order",
    rest: (db) => db.from("order_details").select(),
  },
  "POST /api/orders": {
    body: orderOf,
    rest: (db, of) => db.rpc("place_order", orderOf(of)),
  },
  "POST /api/orders/import": {
    query: ({ marketplace }) => `?marketplace_id=${marketplace.id}`,
    type: "application/x-ndjson",
    body: (of) => JSON.stringify(pastOrder(of)),
    rest: (db, of) =>
      db.rpc("import_orders", { lines: [pastOrder(of)], marketplace_id: of.marketplace.id }),
  },
  "GET /api/orders/{id}": {
    rest: (db, { order }) => db.from("order_details").select().eq("id", order.id),
  },
  "PATCH /api/orders/{id}/status": {
    uses: "order",
    body: () => ({ status: "shipped" }),
    rest: (db, { order }) =>
      db.rpc("change_order_status", { order_id: order.id, status: "shipped" }),
  },
  "PATCH /api/orders/{id}/status (cancelled)": {
    uses: "order",
    body: () => ({ status: "cancelled" }),
    rest: (db, { order }) =>
      db.rpc("change_order_status", { order_id: order.id, status: "cancelled" }),
  },
  "PUT /api/orders/{id}/status": {
    uses: "order",
    body: () => ({ status: "shipped" }),
    rest: null,
  },
  "POST /api/orders/{id}/payments": {
    uses: "order",
    body: paid,
    rest: (db, of) => db.rpc("report_payment", { order_id: of.order.id, ...paid() }),
  },
  "GET /api/orders/{id}/payment-sessions": {
    // A table, of which suppliers see no rows.
    rest: null,
  },
  "POST /api/orders/{id}/payment-sessions": {
    uses: "order",
    body: byHand,
    rest: (db, of) => db.rpc("begin_payment", { order_id: of.order.id, ...byHand() }),
  },
  "POST /api/payment-sessions/{id}/capture": {
    uses: "session",
    body: transfer,
    // The function tells who may capture; then it asks the provider.
    rest: (db, { session }) => db.rpc("capture_payment", { session_id: session.id }),
  },
  "GET /api/orders/{id}/refunds": {
    rest: null,
  },
  "POST /api/orders/{id}/refunds": {
    uses: "collected",
    id: "collected",
    body: given,
    rest: (db, of) => db.rpc("create_refund", { order_id: of.collected.id, ...given(of) }),
  },
  "POST /api/orders/{id}/returns": {
    uses: "shipped",
    body: back,
    rest: (db, of) => db.rpc("return_order_items", { order_id: of.shipped.id, ...back(of) }),
  },
  "POST /api/orders/{id}/cancellations": {
    uses: "order",
    body: open,
    rest: (db, of) => db.rpc("cancel_order_items", { order_id: of.order.id, ...open(of) }),
  },
  "GET /api/orders/{id}/shipments": {
    rest: (db, { order }) => db.rpc("list_shipments", { order_id: order.id }),
  },
  "POST /api/orders/{id}/shipments": {
    uses: "order",
    body: open,
    rest: (db, of) => db.rpc("create_shipment", { order_id: of.order.id, ...open(of) }),
  },
  "PATCH /api/orders/{id}/shipments/{shipment_id}": {
    uses: "shipment",
    body: tracked,
    rest: (db, { shipment: { id, shipment_id }, mark }) =>
      db.rpc("update_shipment", { order_id: id, shipment_id, changes: tracked({ mark }) }),
  },
  "GET /api/orders/{id}/return-requests": {
    rest: (db, { order }) => db.rpc("list_return_requests", { order_id: order.id }),
  },
  "POST /api/orders/{id}/return-requests": {
    uses: "delivered",
    id: "delivered",
    body: ({ delivered }) => someOf(delivered),
    rest: (db, { delivered }) =>
      db.rpc("request_return", { order_id: delivered.id, ...someOf(delivered) }),
  },
  "POST /api/orders/{id}/return-requests/{request_id}/approve": {
    uses: "returnRequest",
    body: noteOf,
    rest: (db, of) => db.rpc("approve_return", returned(of)),
  },
  "POST /api/orders/{id}/return-requests/{request_id}/reject": {
    uses: "returnRequest",
    body: noteOf,
    rest: (db, of) => db.rpc("reject_return", returned(of)),
  },
  "POST /api/orders/{id}/return-requests/{request_id}/cancel": {
    uses: "returnRequest",
    body: noteOf,
    rest: (db, of) => db.rpc("cancel_return", returned(of)),
  },
  "POST /api/orders/{id}/return-requests/{request_id}/receive": {
    uses: "approvedReturn",
    id: "approvedReturn",
    body: noteOf,
    rest: (db, { approvedReturn }) =>
      db.rpc("receive_return", returned({ returnRequest: approvedReturn })),
  },
  "POST /api/orders/{id}/notes": {
    body: noted,
    rest: (db, of) => db.rpc("add_order_note", { order_id: of.order.id, ...noted(of) }),
  },
  "GET /api/orders/{id}/downloads": {
    rest: (db, { order }) => db.rpc("order_downloads", { order_id: order.id }),
  },
  "GET /api/bookings": {
    lists: "order",
    rest: (db) => db.from("booking_details").select(),
  },
  "GET /api/commissions": {
    lists: "order",
    rest: (db) => db.from("commission_details").select(),
  },
  "GET /api/commission-rates": {
    lists: "rate",
    rest: (db) => db.from("commission_rates").select(),
  },
  "PUT /api/commission-rates": {
    body: rated,
    rest: (db, of) => db.rpc("set_commission_rate", rated(of)),
  },
  "DELETE /api/commission-rates/{id}": {
    uses: "rate",
    rest: (db, { rate }) => db.from("commission_rates").delete().eq("id", rate.id).select(),
  },
  "GET /api/tax-rates": {
    lists: "taxRate",
    rest: (db) => db.from("tax_rates").select(),
  },
  "POST /api/tax-rates": {
    body: taxRateOf,
    rest: (db, of) => db.rpc("create_tax_rate", taxRateOf(of)),
  },
  "GET /api/tax-rates/{id}": {
    rest: (db, { taxRate }) => db.from("tax_rates").select().eq("id", taxRate.id),
  },
  "PATCH /api/tax-rates/{id}": {
    body: named,
    rest: (db, of) => db.rpc("update_tax_rate", { tax_rate_id: of.taxRate.id, changes: named(of) }),
  },
  "DELETE /api/tax-rates/{id}": {
    uses: "taxRate",
    rest: (db, { taxRate }) => db.from("tax_rates").delete().eq("id", taxRate.id).select(),
  },
  "GET /api/discounts": {
    lists: "discount",
    rest: (db) => db.from("discount_details").select(),
  },
  "POST /api/discounts": {
    body: discountOf,
    rest: (db, of) => db.rpc("create_discount", discountOf(of)),
  },
  "GET /api/discounts/{id}": {
    rest: (db, { discount }) => db.from("discount_details").select().eq("id", discount.id),
  },
  "PATCH /api/discounts/{id}": {
    body: limited,
    rest: (db, { discount }) =>
      db.rpc("update_discount", { discount_id: discount.id, changes: limited() }),
  },
  "DELETE /api/discounts/{id}": {
    uses: "discount",
    rest: (db, { discount }) => db.from("discounts").delete().eq("id", discount.id).select(),
  },

  "GET /api/ledger": {
    lists: "ledgerLine",
    rest: (db) => db.rpc("list_ledger", { limit: 1000 }),
  },
  "POST /api/suppliers/{id}/adjustments": {
    body: adjustmentOf,
    rest: (db, of) =>
      db.rpc("create_adjustment", { supplier_id: of.organisation.id, ...adjustmentOf(of) }),
  },
  "GET /api/payouts": {
    lists: "payout",
    rest: (db) => db.from("payouts").select(),
  },
  "POST /api/payouts": {
    uses: "adjustment",
    body: owed,
    rest: (db, of) => db.rpc("create_payouts", owed(of)),
  },
  "GET /api/payouts/{id}": {
    rest: (db, { payout }) => db.from("payouts").select().eq("id", payout.id),
  },
  "PATCH /api/payouts/{id}": {
    uses: "payout",
    body: transferred,
    rest: (db, of) => db.rpc("update_payout", { payout_id: of.payout.id, ...transferred(of) }),
  },
  "GET /api/payouts/{id}/statement": {
    rest: (db, { payout }) => db.rpc("payout_statement", { payout_id: payout.id }),
  },
  "GET /api/payout-holds": {
    lists: "hold",
    rest: (db) => db.from("payout_holds").select(),
  },
  "POST /api/payout-holds": {
    // An order can be held once.
    uses: "order",
    body: holdOf,
    rest: (db, of) => db.rpc("create_payout_hold", holdOf(of)),
  },
  "DELETE /api/payout-holds/{id}": {
    uses: "hold",
    rest: (db, { hold }) => db.from("payout_holds").delete().eq("id", hold.id).select(),
  },

  "POST /api/checkouts": {
    body: checkoutOf,
    // Visitors begin one through the function only, which counts them.
    rest: null,
  },
  "GET /api/checkouts/{id}": {
    rest: (db, { checkout }) => db.rpc("get_checkout", { checkout_id: checkout.id }),
  },
  "PUT /api/checkouts/{id}": {
    body: checkoutOf,
    rest: (db, of) =>
      db.rpc("replace_checkout", { checkout_id: of.checkout.id, request: checkoutOf(of) }),
  },
  "POST /api/checkouts/{id}/cancel": {
    uses: "checkout",
    rest: (db, { checkout }) => db.rpc("cancel_checkout", { checkout_id: checkout.id }),
  },
  "POST /api/checkouts/{id}/complete": {
    uses: "checkout",
    body: accepted,
    rest: (db, of) => db.rpc("complete_checkout", { checkout_id: of.checkout.id, ...accepted(of) }),
  },

  "GET /api/events": {
    lists: "event",
    rest: (db) => db.rpc("list_events", { limit: 1000 }),
  },
  "GET /api/event-types": { rest: null },

  "GET /api/webhooks": {
    lists: "webhook",
    rest: (db) => db.from("webhook_details").select(),
  },
  "POST /api/webhooks": {
    body: heard,
    rest: (db, of) => db.rpc("create_webhook", heard(of)),
  },
  "GET /api/webhooks/{id}": {
    rest: (db, { webhook }) => db.from("webhook_details").select().eq("id", webhook.id),
  },
  "PUT /api/webhooks/{id}": {
    body: described,
    rest: (db, of) =>
      db.rpc("change_webhook", { webhook_id: of.webhook.id, changes: described(of) }),
  },
  "DELETE /api/webhooks/{id}": {
    uses: "webhook",
    rest: (db, { webhook }) => db.from("webhooks").delete().eq("id", webhook.id).select(),
  },
  "POST /api/webhooks/{id}/test": {
    body: () => ({ event: "order.created" }),
    rest: null,
  },
  "POST /api/webhooks/{id}/rotate-secret": {
    body: () => ({}),
    rest: (db, { webhook }) => db.rpc("rotate_webhook_secret", { webhook_id: webhook.id }),
  },
  "GET /api/webhooks/{id}/logs": {
    rest: (db, { webhook }) => db.from("webhook_deliveries").select().eq("webhook_id", webhook.id),
  },
  "GET /api/webhooks/{id}/deliveries/{delivery_id}": {
    rest: (db, { delivery }) => db.from("webhook_attempts").select().eq("delivery_id", delivery.id),
  },
  "POST /api/webhooks/{id}/deliveries/{delivery_id}/retry": {
    uses: "delivery",
    rest: (db, { webhook, delivery }) =>
      db.rpc("retry_delivery", { webhook_id: webhook.id, delivery_id: delivery.id }),
  },
  "POST /api/webhooks/{id}/recover": {
    body: since,
    rest: (db, { webhook }) => db.rpc("recover_webhook", { webhook_id: webhook.id, ...since() }),
  },

  "GET /api/v1/top-placement/campaigns": {
    lists: "campaign",
    rest: (db) => db.from("campaigns").select(),
  },
  "POST /api/v1/top-placement/campaigns": {
    uses: "product",
    body: promotionOf,
    rest: (db, { product, category }) =>
      db.rpc("create_campaign", {
        product_id: product.id,
        category_id: category.id,
        duration: 7,
        bid_amount: 0.5,
      }),
  },
  "GET /api/v1/top-placement/campaigns/{id}": {
    rest: (db, { campaign }) => db.from("campaigns").select().eq("id", campaign.id),
  },
  "PATCH /api/v1/top-placement/campaigns/{id}": {
    uses: "campaign",
    body: () => ({ status: "paused" }),
    rest: (db, { campaign }) =>
      db.rpc("change_campaign", { campaign_id: campaign.id, changes: { status: "paused" } }),
  },
  "POST /api/v1/top-placement/campaigns/{id}/approve": {
    uses: "proposal",
    body: () => ({}),
    rest: (db, { proposal }) => db.rpc("approve_campaign", { campaign_id: proposal.id }),
  },
  "POST /api/v1/top-placement/campaigns/{id}/reject": {
    uses: "proposal",
    body: () => ({}),
    rest: (db, { proposal }) => db.rpc("reject_campaign", { campaign_id: proposal.id }),
  },
  "GET /api/v1/top-placement/campaigns/{id}/stats": {
    rest: (db, { campaign }) => db.rpc("campaign_report", { campaign_id: campaign.id }),
  },
  "GET /api/v1/top-placement/campaigns/{id}/auctions": {
    rest: (db, { campaign }) => db.rpc("get_campaign_auctions", { campaign_id: campaign.id }),
  },
  "GET /api/v1/top-placement/slots": {
    query: ({ category }) => `?categoryId=${category.id}`,
    rest: (db, { category }) => db.rpc("list_placement_slots", { category_id: category.id }),
  },
  "GET /api/v1/top-placement/auctions": {
    lists: "auction",
    rest: (db) => db.rpc("list_auctions", { limit: 1000 }),
  },
  "GET /api/v1/top-placement/auctions/{id}": {
    rest: (db, { auction }) => db.rpc("get_auction", { auction_id: auction.id }),
  },
  "GET /api/v1/top-placement/campaigns/{id}/charges": {
    rest: (db, { campaign }) =>
      db.from("placement_charges").select().eq("campaign_id", campaign.id),
  },
  "POST /api/v1/top-placement/campaigns/{id}/refunds": {
    body: () => ({ visitor_id: "nobody" }),
    rest: (db, { campaign }) =>
      db.rpc("refund_placement_clicks", { campaign_id: campaign.id, visitor_id: "nobody" }),
  },
  "POST /api/v1/top-placement/events": {
    body: happened,
    rest: (db, of) => db.rpc("record_placement_events", happened(of)),
  },
  "GET /api/v1/top-placement/report": {
    rest: (db) => db.rpc("placement_report"),
  },
  "GET /api/v1/top-placement/categories/{id}": {
    rest: (db, { category }) => db.rpc("get_placement_category", { category_id: category.id }),
  },
  "PUT /api/v1/top-placement/categories/{id}": {
    body: () => ({ maxSlots: 5 }),
    rest: (db, { category }) =>
      db.rpc("set_placement_category", { category_id: category.id, changes: { max_slots: 5 } }),
  },
  "GET /api/v1/top-placement/settings": {
    rest: (db) => db.rpc("get_placement_settings"),
  },
  "PUT /api/v1/top-placement/settings": {
    body: () => ({ clicks_per_visitor_and_hour: 50 }),
    rest: (db) =>
      db.rpc("set_placement_settings", { changes: { clicks_per_visitor_and_hour: 50 } }),
  },

  "POST /api/analytics/events": {
    body: visited,
    rest: (db, of) => db.rpc("record_storefront_events", visited(of)),
  },
  "GET /api/analytics/funnel": {
    rest: (db) => db.rpc("analytics_funnel"),
  },
  "GET /api/analytics/overview": {
    rest: (db) => db.rpc("analytics_overview"),
  },
  "GET /api/analytics/sales": {
    rest: (db) => db.rpc("analytics_sales"),
  },
  "GET /api/analytics/revenue": {
    rest: (db) => db.rpc("analytics_revenue"),
  },
  "GET /api/analytics/products/top": {
    rest: (db) => db.rpc("analytics_top_products"),
  },
  "GET /api/analytics/customers/segments": {
    rest: (db) => db.rpc("analytics_segments"),
  },
  "GET /api/analytics/cohorts": {
    rest: (db) => db.rpc("analytics_cohorts"),
  },
  "GET /api/analytics/customers/segments/{name}": {
    rest: (db) => db.rpc("analytics_segment_customers", { segment: "new" }),
  },
  "GET /api/analytics/definitions": { rest: null },
  "GET /api/analytics/dashboards": {
    lists: "dashboard",
    whole: true,
    rest: (db) => db.rpc("list_dashboards"),
  },
  "POST /api/analytics/dashboards": {
    body: dashboardOf,
    rest: (db, of) => db.rpc("create_dashboard", dashboardOf(of)),
  },
  "GET /api/analytics/dashboards/{id}": {
    rest: (db, { dashboard }) => db.rpc("get_dashboard", { dashboard_id: dashboard.id }),
  },
  "PUT /api/analytics/dashboards/{id}": {
    body: dashboardOf,
    rest: (db, of) =>
      db.rpc("update_dashboard", { dashboard_id: of.dashboard.id, changes: dashboardOf(of) }),
  },
  "DELETE /api/analytics/dashboards/{id}": {
    uses: "dashboard",
    rest: (db, { dashboard }) => db.from("dashboards").delete().eq("id", dashboard.id).select(),
  },
  "GET /api/analytics/dashboards/{id}/data": {
    rest: (db, { dashboard }) => db.rpc("analytics_dashboard", { dashboard_id: dashboard.id }),
  },
  "GET /api/analytics/dashboards (a supplier's)": {
    lists: "sellersDashboard",
    whole: true,
    rest: (db) => db.rpc("list_dashboards"),
  },
  "GET /api/analytics/dashboards/{id} (a supplier's)": {
    id: "sellersDashboard",
    rest: (db, { sellersDashboard }) =>
      db.rpc("get_dashboard", { dashboard_id: sellersDashboard.id }),
  },
  "PUT /api/analytics/dashboards/{id} (a supplier's)": {
    id: "sellersDashboard",
    body: dashboardOf,
    rest: (db, of) =>
      db.rpc("update_dashboard", {
        dashboard_id: of.sellersDashboard.id,
        changes: dashboardOf(of),
      }),
  },
  "DELETE /api/analytics/dashboards/{id} (a supplier's)": {
    id: "sellersDashboard",
    uses: "sellersDashboard",
    rest: (db, { sellersDashboard }) =>
      db.from("dashboards").delete().eq("id", sellersDashboard.id).select(),
  },
  "GET /api/analytics/dashboards/{id}/data (a supplier's)": {
    id: "sellersDashboard",
    rest: (db, { sellersDashboard }) =>
      db.rpc("analytics_dashboard", { dashboard_id: sellersDashboard.id }),
  },
  "POST /api/analytics/export": {
    body: exported,
    rest: (db) => db.rpc("create_export", exported()),
  },
  "GET /api/analytics/exports": {
    lists: "export",
    rest: (db) => db.from("exports").select(),
  },
  "GET /api/analytics/exports/{id}": {
    rest: (db, of) => db.from("exports").select().eq("id", of.export.id),
  },
  "DELETE /api/analytics/exports/{id}": {
    uses: "export",
    rest: (db, of) => db.from("exports").delete().eq("id", of.export.id).select(),
  },
  "POST /api/analytics/exports/schedules": {
    body: scheduled,
    rest: (db) => db.rpc("create_export_schedule", scheduled()),
  },
  "GET /api/analytics/exports/schedules": {
    lists: "schedule",
    rest: (db) => db.from("export_schedules").select(),
  },
  "GET /api/analytics/exports/schedules/{id}": {
    rest: (db, { schedule }) => db.from("export_schedules").select().eq("id", schedule.id),
  },
  "DELETE /api/analytics/exports/schedules/{id}": {
    uses: "schedule",
    rest: (db, { schedule }) => db.from("export_schedules").delete().eq("id", schedule.id).select(),
  },

  // These end sessions, so they come last.
  "POST /auth/refresh": {
    open: true,
    body: () => ({ refresh_token: "guessed" }),
    rest: null,
  },
  "POST /auth/logout": { rest: null },
};
// Bodies for both interfaces.
function invited(): Row {
  return { email: `${randomUUID()}@example.com`, role: "customer" };
}
function colleague(): Row {
  return { email: `${randomUUID()}@example.com`, role: "supplier" };
}
function reasoned({ mark }: TenantRecords): Row {
  return { reason: mark };
}
function named({ mark }: TenantRecords): Row {
  return { name: mark };
}
function legally({ mark }: TenantRecords): Row {
  return { legal: { name: mark, address: "2 Oak Street", tax_id: "DE1" } };
}
function described({ mark }: TenantRecords): Row {
  return { description: mark };
}
function productFields({ mark, marketplace }: TenantRecords): Row {
  return { name: mark, price: 5, marketplace_id: marketplace.id };
}
function alike({ mark }: TenantRecords): Row {
  return { terms: [mark, `${mark} by another name`] };
}
function announced(_: TenantRecords): Row {
  return { filename: "pot.png", size: 100, content_type: "image/png" };
}
function foldered(): Row {
  return { name: randomUUID() };
}
function asked({ mark }: TenantRecords): Row {
  return { query: mark };
}
function happened({ campaign, mark }: TenantRecords): Row {
  return { events: [{ type: "click", campaign_id: campaign.id, visitor_id: mark }] };
}
function visited({ product, mark }: TenantRecords): Row {
  return { events: [{ type: "product_view", product_id: product.id, visitor_id: mark }] };
}
function stocked({ product }: TenantRecords): Row {
  return { quantity: 1, operation: "add", variant_id: product.variants[0].id };
}
function filed({ mark }: TenantRecords): Row {
  return { name: mark, url: `https://example.com/${mark}` };
}
function keyed({ mark }: TenantRecords): Row {
  return { codes: [`${mark} ${randomUUID()}`] };
}
function exported(): Row {
  return { type: "products", format: "csv" };
}
function scheduled(): Row {
  return { ...exported(), every: "month" };
}
function paid(): Row {
  return { status: "paid", amount: 5, reference: randomUUID() };
}
function byHand(): Row {
  return { provider: "manual" };
}
function transfer({ mark }: TenantRecords): Row {
  return { reference: mark };
}
function given({ mark }: TenantRecords): Row {
  return { amount: 1, reason: mark };
}
function back({ shipped }: TenantRecords): Row {
  return someOf(shipped);
}
function open({ order }: TenantRecords): Row {
  return someOf(order);
}
function someOf({ items }: Row): Row {
  return { items: [{ item_id: items[0].id, quantity: 1 }] };
}
function noteOf({ mark }: TenantRecords): Row {
  return { note: mark };
}
function returned({ returnRequest: { id, request_id } }: Pick<TenantRecords, "returnRequest">): {
  order_id: string;
  request_id: string;
} {
  return { order_id: id, request_id };
}
function rated({ rate }: TenantRecords): Row {
  return { category_id: rate.category_id, commission_percent: 10 };
}
function limited(): Row {
  return { uses_total: 100 };
}
function owed({ supplierId }: TenantRecords): Row {
  return { supplier_id: supplierId };
}
function transferred({ mark }: TenantRecords): Row {
  return { status: "paid", reference: mark };
}
function accepted({ checkout }: TenantRecords): Row {
  return { total: checkout.total };
}
function tracked({ mark }: Pick<TenantRecords, "mark">): Row {
  return { carrier: mark, status: "delivered" };
}
function noted({ mark }: TenantRecords): Row {
  return { text: mark };
}
function heard({ receiver }: TenantRecords): Row {
  return { url: receiver.url, events: ["order.completed"] };
}
function typed({ mark }: TenantRecords): Row {
  return { key: `t_${randomUUID().replaceAll("-", "_")}`, name: mark };
}
function judged(): Row {
  const step = { id: "look", name: "Look", assignee_role: "admin", required_actions: ["approve"] };
  return { steps: [step] };
}
function praised({ mark, product }: TenantRecords): Row {
  return { title: { en: mark }, slug: `about-${randomUUID()}`, subject_id: product.id };
}
/** A piece of content by type and id, as each function expects it. */
function pieceOf({ type, id }: Row): Row {
  return { type, id };
}
/** A save that changes nothing, so it can be repeated. */
function saved({ title, version_number }: Row): Row {
  return { title, version_number };
}
function savedByRpc({ title, version_number }: Row): Row {
  return { changes: { title }, version_number };
}
function commented({ mark }: TenantRecords): Row {
  return { comment: mark };
}
function branched(): Row {
  return { name: `b-${randomUUID()}` };
}
function paged({ mark, marketplace }: TenantRecords): Row {
  return { title: { en: mark }, slug: randomUUID().slice(0, 8), marketplace_id: marketplace.id };
}
function translatedTemplate(): Row {
  return { rtl_support: false, version_number: 1 };
}
function partOf({ mark }: TenantRecords): Row {
  return { name: mark, category: "form", content: mark };
}
function keptAddress({ mark }: TenantRecords): Row {
  return { name: mark, street: mark, city: "Fez" };
}
function since(): Row {
  return { since: "2026-01-01T00:00:00Z" };
}

/** The record that `{id}` stands for, by the prefix of the path, longest first. */
const owners: [prefix: RegExp, thing: Thing][] = [
  [/^\/auth\/invitations\//, "invitation"],
  [/^\/api\/api-keys\//, "apiKey"],
  [/^\/api\/suppliers\//, "organisation"],
  [/^\/api\/supplier-applications\//, "application"],
  [/^\/api\/customers\/me\/addresses\//, "address"],
  [/^\/api\/customers\//, "buyer"],
  [/^\/api\/marketplaces\//, "marketplace"],
  [/^\/api\/categories\//, "category"],
  [/^\/api\/products\/\{id\}\/(files|licence-keys)/, "digital"],
  [/^\/api\/products\/\{id\}\/(calendar|slots)/, "service"],
  [/^\/api\/products\/\{id\}\/(approve|reject)$/, "awaiting"],
  [/^\/api\/products\//, "product"],
  [/^\/api\/search\/synonyms\//, "synonyms"],
  [/^\/api\/content\/.*\/(approve|reject)$/, "reviewed"],
  [/^\/api\/content\/.*\/publish$/, "approved"],
  [/^\/api\/content\/.*\/(unpublish|archive)$/, "published"],
  [/^\/api\/content\/.*\/restore$/, "archived"],
  [/^\/api\/content\//, "description"],
  [/^\/api\/content-types\//, "contentType"],
  [/^\/api\/templates\/components\//, "component"],
  [/^\/api\/templates\//, "template"],
  [/^\/api\/email-templates\//, "emailTemplate"],
  [/^\/api\/mails\/suppressions\//, "suppression"],
  [/^\/api\/mails\//, "mail"],
  [/^\/api\/media\/folders\//, "folder"],
  [/^\/api\/media\//, "asset"],
  [/^\/api\/analytics\/dashboards\//, "dashboard"],
  [/^\/api\/analytics\/exports\/schedules\//, "schedule"],
  [/^\/api\/analytics\/exports\//, "export"],
  [/^\/api\/orders\/\{id\}\/returns/, "shipped"],
  [/^\/api\/orders\/\{id\}\/shipments\/\{shipment_id\}/, "shipment"],
  [/^\/api\/orders\/\{id\}\/return-requests\/\{request_id\}/, "returnRequest"],
  [/^\/api\/orders\//, "order"],
  [/^\/api\/payment-sessions\//, "session"],
  [/^\/api\/commission-rates\//, "rate"],
  [/^\/api\/tax-rates\//, "taxRate"],
  [/^\/api\/discounts\//, "discount"],
  [/^\/api\/payouts\//, "payout"],
  [/^\/api\/payout-holds\//, "hold"],
  [/^\/api\/checkouts\//, "checkout"],
  [/^\/api\/webhooks\//, "webhook"],
  [/^\/api\/v1\/top-placement\/campaigns\/\{id\}\/(approve|reject)/, "proposal"],
  [/^\/api\/v1\/top-placement\/campaigns\//, "campaign"],
  [/^\/api\/v1\/top-placement\/auctions\//, "auction"],
  [/^\/api\/v1\/top-placement\/categories\//, "category"],
];

/** The records that other path parameters stand for. */
const parameters: Record<string, Thing> = {
  user_id: "member",
  file_id: "file",
  licence_key_id: "key",
  delivery_id: "delivery",
  shipment_id: "shipment",
  request_id: "returnRequest",
};

/** Path parameters that are not ids: branches, languages, versions. */
const words: Record<string, string> = { name: "new", language: "de", version: "1" };

/** The method and path of an operation, with the tenant's ids. */
export function addressOf(name: string, of: TenantRecords): { method: string; path: string } {
  const [method, template] = operationOf(name).split(" ") as [string, string];
  const query = operations[name]?.query?.(of) ?? "";
  const path = template.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const word = words[parameter];
    if (word) return word;
    const thing =
      operations[name]?.id ??
      parameters[parameter] ??
      owners.find(([prefix]) => prefix.test(template))?.[1];
    const named = of[thing as Thing];
    return parameter in named ? named[parameter] : named.id;
  });
  return { method, path: path + query };
}
