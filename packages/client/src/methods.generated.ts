// Made from the OpenAPI document by `npm run types`. Do not edit.
import { withJoinedValues } from "./lists.js";
import type { Operations } from "./operations.js";

export const authMethods = ({ act, create, list, listAll, read, send }: Operations) => ({
  /**
   * Register: open a tenant, or join one. Send one of tenant_name, tenant_id and invitation. With a
   * guest's token send none of them and no role: the guest keeps its id, tenant and orders. Errors:
   * CONFLICT (409) if the e-mail has an account or the guest has already registered; NOT_FOUND
   * (404) if the tenant or invitation does not exist.
   */
  register: send("post", "/auth/register"),
  /**
   * Visit a marketplace without an account. Creates a guest: a user with the rights of a customer,
   * who may register later. Errors: NOT_FOUND (404) if no such marketplace is active; RATE_LIMITED
   * (429) after 30 guests of an IP address in an hour.
   */
  guest: send("post", "/auth/guest"),
  /** Sign in. */
  login: send("post", "/auth/login"),
  /**
   * Exchange a refresh token for a new session. A refresh token works once. Using it again ends its
   * session. Errors: CONFLICT (409) while other requests use the refresh token.
   */
  refresh: send("post", "/auth/refresh"),
  /** Sign out. */
  logout: act("post", "/auth/logout"),
  /** Get the caller. */
  me: read("/auth/me"),
  /** List the caller's tenants. */
  tenants: list("/auth/tenants"),
  /**
   * All records of `tenants`, by default the oldest first. Records that leave the list meanwhile
   * shift the others.
   */
  tenantsAll: listAll("/auth/tenants", "tenants"),
  /**
   * Open or join a further tenant with an existing account. Send tenant_name or tenant_id. Switch
   * to it with /auth/switch. Errors: NOT_FOUND (404); CONFLICT (409) if the caller is already a
   * member.
   */
  addTenant: create("/auth/tenants"),
  /**
   * Switch to another tenant. The session moves to that tenant. Without a refresh_token, refresh
   * the session to get its new tokens. Other sessions do not change. A new session starts in the
   * tenant chosen last. Errors: NOT_FOUND (404) unless the caller is an active member of it;
   * CONFLICT (409) while other requests use the refresh token.
   */
  switchTenant: send("post", "/auth/switch"),
  /**
   * Get a session for an API key. OAuth 2.0 client credentials: send client_id and client_secret as
   * a form, as JSON, or with HTTP Basic. There is no refresh token: ask again before the access
   * token expires. Errors of the request are worded as in RFC 6749: invalid_client (401) for an
   * unknown, expired or removed key and for a wrong or missing secret. Errors: RATE_LIMITED (429)
   * after ten failures of a key in a minute from one IP address.
   */
  token: send("post", "/auth/token"),
});

export const invitationsMethods = ({ act, create, list, listAll, read }: Operations) => ({
  /** List invitations. For admins, clients and suppliers. */
  list: list("/auth/invitations"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/auth/invitations", "invitations"),
  /**
   * Invite a member. For admins and suppliers. Send the token to the owner of the e-mail address.
   * It works once, within 7 days, and only for this address. A pending invitation of the address is
   * replaced. Errors: CONFLICT (409) if the address belongs to a member.
   */
  create: create("/auth/invitations"),
  /**
   * Accept an invitation with an existing account. Joins a further tenant; switch to it with
   * /auth/switch. Without an account, register with the invitation instead.
   */
  accept: create("/auth/invitations/accept"),
  /** Get an invitation. For admins, clients and suppliers. Errors: NOT_FOUND (404). */
  get: read("/auth/invitations/{id}"),
  /**
   * Withdraw an invitation. For admins and suppliers. Its token stops working. A user who has
   * accepted it stays a member. Errors: NOT_FOUND (404).
   */
  remove: act("delete", "/auth/invitations/{id}"),
});

/** Invitations into a tenant. */
export interface Invitations extends ReturnType<typeof invitationsMethods> {}

export const tenantMethods = ({ read, send }: Operations) => ({
  /** Get the tenant. */
  get: read("/api/tenant"),
  /**
   * Change the tenant. For admins. Its name, time zone and settings. Settings that are not sent do
   * not change. Errors: CONFLICT (409) if the tenant has changed since updated_at.
   */
  update: send("patch", "/api/tenant"),
  /**
   * Remove the tenant for ever. For admins. With its records, its files and the accounts that have
   * no other tenant. The staff lose access and the marketplaces close at once; the rest is deleted
   * in the background.
   */
  remove: send("delete", "/api/tenant"),
});

/** The caller's tenant: a session has only one. */
export interface OwnTenant extends ReturnType<typeof tenantMethods> {}

export const membersMethods = ({ act, list, listAll, read, send }: Operations) => ({
  /** List members. */
  list: list("/api/members"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/members", "members"),
  /** Get a member. Errors: NOT_FOUND (404). */
  get: read("/api/members/{user_id}"),
  /**
   * Suspend a member, or change its role. For admins. The change takes effect at once, also for
   * valid tokens. The role supplier requires a supplier_id. Errors: LAST_ADMIN (422); NOT_FOUND
   * (404).
   */
  update: send("patch", "/api/members/{user_id}"),
  /**
   * Remove a member. For admins. The change takes effect at once. The account and its orders
   * remain. Errors: LAST_ADMIN (422); NOT_FOUND (404).
   */
  remove: act("delete", "/api/members/{user_id}"),
});

/** The members of the tenant and their roles. */
export interface Members extends ReturnType<typeof membersMethods> {}

export const apiKeysMethods = ({ act, create, list, listAll, read }: Operations) => ({
  /** List API keys. For admins and suppliers. */
  list: list("/api/api-keys"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/api-keys", "api_keys"),
  /**
   * Create an API key. For admins and suppliers. For a machine, which exchanges client_id and
   * client_secret for a session at /auth/token. The secret is shown only now. An API key cannot
   * create keys. Errors: LIMIT_REACHED (422) after 100 keys of a tenant.
   */
  create: create("/api/api-keys"),
  /** Get an API key. For admins and suppliers. Errors: NOT_FOUND (404). */
  get: read("/api/api-keys/{id}"),
  /**
   * Remove an API key. For admins and suppliers. Its sessions end at once. Errors: NOT_FOUND (404).
   */
  remove: act("delete", "/api/api-keys/{id}"),
});

/** The keys of machines. */
export interface ApiKeys extends ReturnType<typeof apiKeysMethods> {}

export const auditLogMethods = ({ list, listAll }: Operations) => ({
  /**
   * List the audit log. For admins. The changes of the last 400 days by admins, clients, suppliers,
   * API keys and services. They have the names of the changed fields, and no values.
   */
  list: list("/api/audit-log"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/audit-log", "entries"),
});

/** Who changed what in the tenant. */
export interface AuditLog extends ReturnType<typeof auditLogMethods> {}

export const suppliersMethods = ({ create, list, listAll, read, send }: Operations) => ({
  /** List suppliers. */
  list: list("/api/suppliers"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/suppliers", "suppliers"),
  /** Create a supplier. For admins. Members join it by an invitation or a change of their role. */
  create: create("/api/suppliers"),
  /** Get a supplier. By its id or its slug. Errors: NOT_FOUND (404). */
  get: read("/api/suppliers/{id}"),
  /**
   * Change or verify a supplier. For admins and suppliers. A supplier changes its own name, slug,
   * description and legal identity, and pauses itself. Errors: CONFLICT (409) if the supplier has
   * changed since updated_at, or the slug is taken; NOT_FOUND (404).
   */
  update: send("patch", "/api/suppliers/{id}"),
});

/** The organisations that sell. */
export interface Suppliers extends ReturnType<typeof suppliersMethods> {}

export const adjustmentsMethods = ({ create }: Operations) => ({
  /**
   * Adjust what a supplier is owed. For admins. Writes a line that is due at once. It stays;
   * another adjustment takes it back. Errors: NOT_FOUND (404) also for an unknown order.
   */
  create: create("/api/suppliers/{id}/adjustments"),
});

/** Corrections of what a supplier is owed. */
export interface Adjustments extends ReturnType<typeof adjustmentsMethods> {}

export const supplierApplicationsMethods = ({ create, list, listAll, read, send }: Operations) => ({
  /** List applications. For admins, clients and customers. */
  list: list("/api/supplier-applications"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/supplier-applications", "supplier_applications"),
  /**
   * Apply to become a supplier. For admins and customers. For visitors, guests and customers,
   * unless the tenant's suppliers are invited only (settings.sellers.signup). An admin decides.
   * Errors: FORBIDDEN (403) if the tenant takes no applications; CONFLICT (409) if an application
   * of this address waits; LIMIT_REACHED (422) while 1,000 applications wait; RATE_LIMITED (429)
   * after ten applications of an IP address in a minute.
   */
  create: create("/api/supplier-applications"),
  /** Get an application. For admins, clients and customers. Errors: NOT_FOUND (404). */
  get: read("/api/supplier-applications/{id}"),
  /**
   * Approve an application. For admins. Makes the supplier and invites the applicant. The supplier
   * is verified when the invitation is accepted. Errors: INVALID_TRANSITION (422) unless the
   * application waits; CONFLICT (409) if another member has the address; NOT_FOUND (404).
   */
  approve: send("post", "/api/supplier-applications/{id}/approve"),
  /**
   * Reject an application. For admins. The applicant may apply again. Errors: INVALID_TRANSITION
   * (422) unless the application waits; NOT_FOUND (404).
   */
  reject: send("post", "/api/supplier-applications/{id}/reject"),
});

/** Applications of who wants to sell. */
export interface SupplierApplications extends ReturnType<typeof supplierApplicationsMethods> {}

export const customerAddressesMethods = ({ act, create, read, send }: Operations) => ({
  /** List your addresses. For customers. */
  list: read("/api/customers/me/addresses"),
  /**
   * Keep an address. For customers. It is checked as the address of an order. The first one is the
   * default. Errors: LIMIT_REACHED (422) after 20 addresses.
   */
  create: create("/api/customers/me/addresses"),
  /** Get an address. For customers. Errors: NOT_FOUND (404). */
  get: read("/api/customers/me/addresses/{id}"),
  /** Change an address. For customers. Errors: NOT_FOUND (404). */
  update: send("patch", "/api/customers/me/addresses/{id}"),
  /**
   * Remove an address. For customers. If it was the default, the oldest that is left becomes it.
   * Errors: NOT_FOUND (404).
   */
  remove: act("delete", "/api/customers/me/addresses/{id}"),
});

/** The addresses that a customer keeps. */
export interface AddressBook extends ReturnType<typeof customerAddressesMethods> {}

export const customersMethods = ({ act, create, list, listAll, read, send }: Operations) => ({
  /** List customers. For admins, clients and customers. */
  list: list("/api/customers"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/customers", "customers"),
  /**
   * Create a customer without an account. For admins and clients. Admins and clients place orders
   * for the customer.
   */
  create: create("/api/customers"),
  /** Get a customer. For admins, clients and customers. Errors: NOT_FOUND (404). */
  get: read("/api/customers/{id}"),
  /**
   * Change a customer. For admins, clients and customers. Fields that are not sent do not change,
   * and null removes one. Customers change themselves. The e-mail address of an account is changed
   * with Supabase Auth. Errors: CONFLICT (409) if the customer's personal data was erased;
   * NOT_FOUND (404).
   */
  update: send("patch", "/api/customers/{id}"),
  /** Get a customer's personal data. For admins and customers. Errors: NOT_FOUND (404). */
  personalData: read("/api/customers/{id}/personal-data"),
  /**
   * Erase a customer's personal data. For admins and customers. For ever. The account ends, or only
   * the membership if it has others. Orders stay with their items, amounts and countries. Files of
   * exports with data of customers are removed. Errors: LAST_ADMIN (422) if the account is the
   * tenant's only admin; NOT_FOUND (404).
   */
  erase: act("delete", "/api/customers/{id}/personal-data"),
});

/** The customers of the tenant. */
export interface Customers extends ReturnType<typeof customersMethods> {}

export const marketplacesMethods = ({ create, list, listAll, read, send }: Operations) => ({
  /** List marketplaces. */
  list: list("/api/marketplaces"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/marketplaces", "marketplaces"),
  /**
   * Create a marketplace. For admins. It starts as a draft; activate it by changing its status.
   * Errors: CONFLICT (409) if the domain is taken.
   */
  create: create("/api/marketplaces"),
  /** Get a marketplace. Errors: NOT_FOUND (404). */
  get: read("/api/marketplaces/{id}"),
  /**
   * Change a marketplace. For admins. Fields that are not sent stay as they are, also those of
   * settings. Errors: INVALID_TRANSITION (422) if the status cannot change this way; CONFLICT (409)
   * if the marketplace has changed since updated_at, the domain is taken or the currency is in use;
   * NOT_FOUND (404).
   */
  update: send("put", "/api/marketplaces/{id}"),
  /**
   * Get the public data of an active marketplace. The response may be cached for 60 seconds.
   * Errors: NOT_FOUND (404).
   */
  storefront: list("/api/storefront"),
  /**
   * List the delivery methods of a marketplace. With country and weight_grams: those that deliver
   * there, and what they cost. Errors: NOT_FOUND (404).
   */
  deliveryMethods: list("/api/delivery-methods"),
  /**
   * List the payment methods of a marketplace. payment_methods are names for orders. providers take
   * payments of orders. Errors: NOT_FOUND (404).
   */
  paymentMethods: list("/api/payment-methods"),
});

/** The marketplaces of a tenant. */
export interface Marketplaces extends ReturnType<typeof marketplacesMethods> {}

export const countriesMethods = ({ list }: Operations) => ({
  /**
   * List the countries of addresses, with what an address there must have. For a form: `labels` has
   * the fields of the country, and `required` those that an order's address must have.
   */
  list: list("/api/countries"),
});

/** The countries that addresses can have. */
export interface Countries extends ReturnType<typeof countriesMethods> {}

export const categoriesMethods = ({ act, create, read, send }: Operations) => ({
  /** Get the tree of categories. The whole tree, without pages. */
  list: read("/api/categories"),
  /**
   * Create a category. For admins. Its products have its attributes and those of all categories
   * above it.
   */
  create: create("/api/categories"),
  /** Get a category. Errors: NOT_FOUND (404). */
  get: read("/api/categories/{id}"),
  /**
   * Change a category. For admins. Fields that are not sent stay as they are. Existing products
   * must meet changed attributes when their own attributes or category change next. Errors:
   * CONFLICT (409) if the category has changed since updated_at; NOT_FOUND (404).
   */
  update: send("put", "/api/categories/{id}"),
  /**
   * Delete a category. For admins. Errors: CONFLICT (409) while it has children or products;
   * NOT_FOUND (404).
   */
  remove: act("delete", "/api/categories/{id}"),
});

/** The categories of products. */
export interface Categories extends ReturnType<typeof categoriesMethods> {}

export const inventoryMethods = ({ list, listAll, read, send }: Operations) => ({
  /**
   * Get a product's stock and its reservations. For admins, clients and suppliers. Errors:
   * NOT_FOUND (404).
   */
  get: read("/api/products/{id}/inventory"),
  /**
   * Change a product's stock. For admins and suppliers. `set` replaces the quantity, `add`
   * increases it, `subtract` decreases it; concurrent changes are safe. Errors:
   * INSUFFICIENT_INVENTORY (422) if the stock would fall below what orders have reserved; nothing
   * changes then; NOT_FOUND (404).
   */
  change: send("patch", "/api/products/{id}/inventory"),
  /**
   * List stock. For admins, clients and suppliers. Suppliers see their own stock. A row for each
   * variant, and for each product without variants. `low_stock=true` lists stock at or below its
   * threshold.
   */
  list: list("/api/inventory"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/inventory", "inventory"),
  /**
   * List movements of stock. For admins, clients and suppliers. The ledger: every change with its
   * reason. The sum of all changes is the current stock.
   */
  movements: list("/api/inventory/movements"),
  /**
   * All records of `movements`, by default the oldest first. Records that leave the list meanwhile
   * shift the others.
   */
  movementsAll: listAll("/api/inventory/movements", "movements"),
});

/** The stock. */
export interface Stock extends ReturnType<typeof inventoryMethods> {}

export const filesMethods = ({ act, create, list, listAll }: Operations) => ({
  /**
   * List a product's files. For admins, clients and suppliers. Suppliers: their own products only.
   * Customers get the files through their orders. Errors: NOT_FOUND (404).
   */
  list: list("/api/products/{id}/files"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/products/{id}/files", "files"),
  /**
   * Add a file to a digital product. For admins and suppliers. Suppliers: their own products only.
   * Customers who have already bought the product get the file, too. Errors: NOT_FOUND (404).
   */
  create: create("/api/products/{id}/files"),
  /** Remove a file of a product. For admins and suppliers. Errors: NOT_FOUND (404). */
  remove: act("delete", "/api/products/{id}/files/{file_id}"),
});

/** The files that buyers of a digital product download. */
export interface Files extends ReturnType<typeof filesMethods> {}

export const licenceKeysMethods = ({ act, create, list, listAll }: Operations) => ({
  /**
   * List a product's licence keys. For admins, clients and suppliers. Suppliers: their own products
   * only. The codes are masked. Only the customer who received a key can read its code. Errors:
   * NOT_FOUND (404).
   */
  list: list("/api/products/{id}/licence-keys"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/products/{id}/licence-keys", "licence_keys"),
  /**
   * Add licence keys to a digital product. For admins and suppliers. Suppliers: their own products
   * only. The product must have been created with `track_inventory`. Each new key adds a piece to
   * the stock. Codes that the product already has are skipped and reported, so repeating the
   * request is safe. Errors: NOT_FOUND (404).
   */
  create: create("/api/products/{id}/licence-keys"),
  /**
   * Remove a licence key that was not handed out. For admins and suppliers. The stock decreases by
   * one piece. Errors: CONFLICT (409) if a customer has the key; INSUFFICIENT_INVENTORY (422) if
   * orders have reserved all remaining keys; NOT_FOUND (404).
   */
  remove: act("delete", "/api/products/{id}/licence-keys/{licence_key_id}"),
});

/** The keys of a digital product. Each sold piece gets one. */
export interface LicenceKeys extends ReturnType<typeof licenceKeysMethods> {}

export const calendarsMethods = ({ list, listAll, read, send }: Operations) => ({
  /** Get the calendar of a service. Errors: NOT_FOUND (404). */
  get: read("/api/products/{id}/calendar"),
  /**
   * Set the calendar of a service. For admins and suppliers. Suppliers: their own products only.
   * Creates the calendar or replaces it as a whole. Existing bookings remain. Errors: NOT_FOUND
   * (404).
   */
  set: send("put", "/api/products/{id}/calendar"),
  /**
   * List the free slots of a service. For a product that the caller sees. To book a slot, order the
   * product with the slot's `starts_at` in the item. Errors: NOT_FOUND (404).
   */
  slots: list("/api/products/{id}/slots"),
  /**
   * All records of `slots`, by default the oldest first. Records that leave the list meanwhile
   * shift the others.
   */
  slotsAll: listAll("/api/products/{id}/slots", "slots"),
});

/** The times at which services can be booked. */
export interface Calendars extends ReturnType<typeof calendarsMethods> {}

export const searchMethods = ({ list }: Operations) => ({
  /**
   * Search products by meaning. Searches by the words and by the meaning of the query. The score is
   * the reciprocal rank fusion of both lists; a product that is first in both has 1. Without
   * vectors on the server, only the words count.
   */
  semantic: list("/api/products/search/semantic", withJoinedValues("category", "brand")),
});

/** Search by questions. `products.list` searches by words. */
export interface Search extends ReturnType<typeof searchMethods> {}

export const productsMethods = ({ act, create, list, listAll, send }: Operations) => ({
  /**
   * List best-selling products. The active products with most pieces sold in the last days.
   * Cancelled and returned orders do not count, nor do returned pieces of other orders. Promoted
   * products come first.
   */
  topSales: list("/api/products/top-sales"),
  /**
   * List similar products. Alternatives to a product on its marketplace: active products in stock,
   * sorted by similar meaning, then by similar name, category and price. Promoted products of its
   * category come first. Errors: NOT_FOUND (404).
   */
  similar: list("/api/products/{id}/similar"),
  /**
   * Approve a product, or its waiting changes. For admins. The product is put up for sale, or its
   * pending_changes apply. Send the updated_at of the product that you have seen, so that nobody
   * changes it in between. Errors: INVALID_TRANSITION (422) unless the product awaits a review;
   * CONFLICT (409) if the product has changed since updated_at; NOT_FOUND (404).
   */
  approve: send("post", "/api/products/{id}/approve"),
  /**
   * Reject a product, or its waiting changes. For admins. The product stays as it is, and
   * pending_changes are dropped. Its supplier may put it up for sale again. Errors:
   * INVALID_TRANSITION (422) unless the product awaits a review; CONFLICT (409) if the product has
   * changed since updated_at; NOT_FOUND (404).
   */
  reject: send("post", "/api/products/{id}/reject"),
  /** List and search products. */
  list: list("/api/products", withJoinedValues("category", "brand", "ids", "facets")),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/products", "products", withJoinedValues("category", "brand", "ids", "facets")),
  /**
   * List a product for sale. For admins and suppliers. Its attributes must be those that its
   * category requires. Errors: CONFLICT (409) if the slug, the external_id or the sku of a variant
   * is taken.
   */
  create: create("/api/products"),
  /**
   * Get a product. By its id or its slug. A former slug returns the product with `moved_to`, its
   * current slug. Errors: NOT_FOUND (404).
   */
  get: list("/api/products/{id}"),
  /**
   * Change a product. For admins and suppliers. Suppliers: their own products only. Fields that are
   * not sent stay as they are; change its stock at …/inventory. Errors: INVALID_TRANSITION (422) if
   * the status cannot change this way or the product is discontinued; CONFLICT (409) if the product
   * has changed since updated_at, an ordered variant is missing, or the slug or a sku is taken;
   * NOT_FOUND (404).
   */
  update: send("put", "/api/products/{id}"),
  /**
   * Delete a product. For admins and suppliers. Suppliers: their own products only. A product that
   * was ordered before becomes discontinued: it is in no list and cannot be read. Errors: NOT_FOUND
   * (404).
   */
  remove: act("delete", "/api/products/{id}"),
});

export const productApprovalsMethods = ({ list, listAll }: Operations) => ({
  /** List the reviews of products. For admins, clients and suppliers. */
  list: list("/api/product-approvals"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/product-approvals", "product_approvals"),
});

/** The reviews of suppliers' products. */
export interface ProductApprovals extends ReturnType<typeof productApprovalsMethods> {}

export const mediaFoldersMethods = ({ act, create, read, send }: Operations) => ({
  /** Get the tree of folders. The whole tree, without pages. */
  list: read("/api/media/folders"),
  /**
   * Create a folder. For admins. Also for content editors. Errors: CONFLICT (409) if the parent
   * folder already has a folder of that name.
   */
  create: create("/api/media/folders"),
  /**
   * Rename or move a folder. For admins. Also for content editors. Errors: CONFLICT (409) if the
   * parent folder already has a folder of that name; NOT_FOUND (404).
   */
  update: send("patch", "/api/media/folders/{id}"),
  /**
   * Delete a folder. For admins. Also for content editors. Errors: CONFLICT (409) unless it is
   * empty; NOT_FOUND (404).
   */
  remove: act("delete", "/api/media/folders/{id}"),
});

/** The folders of the media library. */
export interface MediaFolders extends ReturnType<typeof mediaFoldersMethods> {}

export const mediaMethods = ({ act, create, list, listAll, read, send }: Operations) => ({
  /**
   * List the media library. Every member sees public assets. Admins, content roles and the uploader
   * also see private and unfinished ones.
   */
  list: list("/api/media"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/media", "media"),
  /**
   * Announce a file. For admins and suppliers. Also for content editors. Send the bytes to
   * `upload`, then call …/complete. Errors: UNSUPPORTED_MEDIA (422) if the content type is not
   * accepted; VALIDATION_ERROR (422) on `size`, with `details.remaining` in bytes.
   */
  create: create("/api/media"),
  /** Get an asset. Errors: NOT_FOUND (404). */
  get: read("/api/media/{id}"),
  /**
   * Change an asset. For admins and suppliers. Also for content editors. Suppliers: their own
   * assets only. Products that use its alternative text get the new one. Errors: CONFLICT (409) if
   * a product of a supplier that was reviewed, where all are, would get another alternative text;
   * NOT_FOUND (404).
   */
  update: send("patch", "/api/media/{id}"),
  /**
   * Delete an asset. For admins and suppliers. Also for content editors. Suppliers: their own
   * assets only. Errors: CONFLICT (409) while a record uses it, with `details.used_by`; NOT_FOUND
   * (404).
   */
  remove: act("delete", "/api/media/{id}"),
  /**
   * Complete an upload. For admins and suppliers. Checks the uploaded bytes, which decide the
   * content type of the asset. The request may be repeated. Errors: CONFLICT (409) if no bytes have
   * arrived; if a product of a supplier that was reviewed, where all are, would get another image;
   * UNSUPPORTED_MEDIA (422) if the bytes are not accepted, or are larger or of another type than
   * announced: then the bytes are deleted, and so is an asset that has no other file; NOT_FOUND
   * (404).
   */
  complete: act("post", "/api/media/{id}/complete"),
  /**
   * Replace the file of an asset. For admins and suppliers. Announces a new file of the same type
   * (image, video, document, model_3d). The asset changes with …/complete. Then the asset and the
   * products that use it have a new address. Errors: CONFLICT (409) if a product of a supplier that
   * was reviewed, where all are, would get another image; NOT_FOUND (404).
   */
  replace: create("/api/media/{id}/replace"),
});

export const contentTypesMethods = ({ act, create, read, send }: Operations) => ({
  /** List content types. All of them, without pages. */
  list: read("/api/content-types"),
  /**
   * Create a content type. For admins. Also for members with the content role admin. Errors:
   * CONFLICT (409) if the key is taken; LIMIT_REACHED (422).
   */
  create: create("/api/content-types"),
  /** Get a content type. Errors: NOT_FOUND (404). */
  get: read("/api/content-types/{key}"),
  /**
   * Change a content type. For admins. Also for members with the content role admin. Content keeps
   * the values of a removed field until somebody changes them. Errors: NOT_FOUND (404).
   */
  update: send("put", "/api/content-types/{key}"),
  /**
   * Delete a content type. For admins. Also for members with the content role admin. Errors:
   * CONFLICT (409) if it is built in or still has content; NOT_FOUND (404).
   */
  remove: act("delete", "/api/content-types/{key}"),
  /** Get the workflow of a type. Errors: NOT_FOUND (404). */
  workflow: read("/api/content-types/{key}/workflow"),
  /**
   * Set the workflow of a type. For admins. Also for members with the content role admin. Errors:
   * NOT_FOUND (404).
   */
  setWorkflow: send("put", "/api/content-types/{key}/workflow"),
});

/** The content types of a tenant. */
export interface ContentTypes extends ReturnType<typeof contentTypesMethods> {}

export const contentMethods = ({ act, create, list, listAll, read, send }: Operations) => ({
  /**
   * List content. Drafts for callers who may see them, published content for all others. Errors:
   * NOT_FOUND (404) if there is no such type; LIMIT_REACHED (422) on `limit` if the page is too
   * large.
   */
  list: list("/api/content/{type}"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/content/{type}", "content"),
  /**
   * Create content. For admins and suppliers. Also for editors. Suppliers: about their own products
   * only. Creates a draft. Errors: CONFLICT (409) if the slug is taken or the subject already has
   * content; NOT_FOUND (404).
   */
  create: create("/api/content/{type}"),
  /**
   * Read content. The draft for callers who may see it, the published version for all others, in
   * the requested language or the first available of Accept-Language. The ETag of a draft is its
   * version, for If-Match. With `preview` no access token is needed. Errors: VALIDATION_ERROR (422)
   * on `marketplace_id` if several marketplaces have this slug; NOT_FOUND (404).
   */
  get: list("/api/content/{type}/{id}"),
  /**
   * Save content. For admins and suppliers. Also for editors. Suppliers: about their own products
   * only. Saves the sent parts as a new version, merged with newer versions of others. Approved and
   * published content becomes a draft; readers see the published version until the next
   * publication. Errors: CONFLICT (409) with `details.conflicts`, the values that both sides
   * changed differently; LIMIT_REACHED (422) if both sides sorted too many items; NOT_FOUND (404).
   */
  update: send("put", "/api/content/{type}/{id}"),
  /**
   * Delete content. For admins and suppliers. Deletes a draft that was never published. Archives
   * any other content, for publishers, who can restore it. Errors: NOT_FOUND (404).
   */
  remove: act("delete", "/api/content/{type}/{id}"),
  /**
   * Submit a draft for review. For admins and suppliers. Also for the content role in the workflow
   * of the type. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
   */
  submit: send("post", "/api/content/{type}/{id}/submit"),
  /**
   * Approve content in review. For admins. Also for the content role in the workflow of the type.
   * Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
   */
  approve: send("post", "/api/content/{type}/{id}/approve"),
  /**
   * Return content in review to draft. For admins. Also for the content role in the workflow of the
   * type. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
   */
  reject: send("post", "/api/content/{type}/{id}/reject"),
  /**
   * Archive published content. For admins. Also for the content role in the workflow of the type.
   * Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
   */
  archive: send("post", "/api/content/{type}/{id}/archive"),
  /**
   * Return archived content to draft. For admins. Also for the content role in the workflow of the
   * type. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
   */
  restore: send("post", "/api/content/{type}/{id}/restore"),
  /**
   * Publish content. For admins. Also for publishers. Publishes approved content now or `at` a
   * time, and `until` another time. `languages` limits it to these. Errors: INVALID_TRANSITION
   * (422); CONFLICT (409) if other content is published under its slug, or other languages are
   * scheduled; VALIDATION_ERROR (422) on `at` or `until`; NOT_FOUND (404).
   */
  publish: send("post", "/api/content/{type}/{id}/publish"),
  /**
   * Unpublish content. For admins. Also for publishers. `languages` limits it to these. Errors:
   * INVALID_TRANSITION (422); NOT_FOUND (404).
   */
  unpublish: send("post", "/api/content/{type}/{id}/unpublish"),
  /**
   * Cancel a scheduled publication. For admins. Also for publishers. Cancels the scheduled end too.
   * Errors: NOT_FOUND (404).
   */
  cancelSchedule: act("delete", "/api/content/{type}/{id}/schedule"),
  /** List the moves of a piece of content. For admins and suppliers. Errors: NOT_FOUND (404). */
  moves: list("/api/content/{type}/{id}/moves"),
  /**
   * All records of `moves`, by default the oldest first. Records that leave the list meanwhile
   * shift the others.
   */
  movesAll: listAll("/api/content/{type}/{id}/moves", "moves"),
  /**
   * List the versions of a piece of content. For admins and suppliers. Errors: NOT_FOUND (404).
   */
  versions: list("/api/content/{type}/{id}/versions"),
  /**
   * All records of `versions`, by default the oldest first. Records that leave the list meanwhile
   * shift the others.
   */
  versionsAll: listAll("/api/content/{type}/{id}/versions", "versions"),
  /**
   * Get a version with its document. For admins and suppliers. Errors: NOT_FOUND (404) also for a
   * pruned version.
   */
  version: read("/api/content/{type}/{id}/versions/{version}"),
  /**
   * Compare two versions. For admins and suppliers. Key by key; blocks and other items with an id
   * by their ids. Errors: NOT_FOUND (404).
   */
  compare: list("/api/content/{type}/{id}/compare"),
  /**
   * Roll back to a version. For admins and suppliers. Saves the document of an earlier version as a
   * new version. Errors: CONFLICT (409) if its slug was taken since; NOT_FOUND (404).
   */
  rollback: send("post", "/api/content/{type}/{id}/rollback"),
  /**
   * List the branches of a piece of content. For admins and suppliers. All of them, without pages.
   * Errors: NOT_FOUND (404).
   */
  branches: read("/api/content/{type}/{id}/branches"),
  /**
   * Create a branch. For admins and suppliers. PUT with `?branch=` writes to it. Errors: CONFLICT
   * (409) if the name is taken; LIMIT_REACHED (422); NOT_FOUND (404).
   */
  createBranch: create("/api/content/{type}/{id}/branches"),
  /**
   * Delete a branch. For admins and suppliers. Keeps its versions. Errors: CONFLICT (409) for main;
   * NOT_FOUND (404).
   */
  removeBranch: act("delete", "/api/content/{type}/{id}/branches/{name}"),
  /**
   * Merge one branch into another. For admins and suppliers. A three-way merge against the nearest
   * common version. Errors: CONFLICT (409) with `details.conflicts`, the values that both sides
   * changed differently and no resolution decides: then nothing is written; LIMIT_REACHED (422) if
   * both sides sorted too many items; NOT_FOUND (404).
   */
  merge: send("post", "/api/content/{type}/{id}/merge"),
  /** Get a translation. For admins and suppliers. Errors: NOT_FOUND (404). */
  localization: read("/api/content/{type}/{id}/localizations/{language}"),
  /**
   * Save a translation. For admins and suppliers. Saves the sent texts as a new version of the
   * content, merged with newer versions of others. Untranslated fields follow the original. Errors:
   * CONFLICT (409) with `details.conflicts`, the values that both sides changed differently;
   * LIMIT_REACHED (422) if both sides sorted too many items; NOT_FOUND (404).
   */
  setLocalization: send("put", "/api/content/{type}/{id}/localizations/{language}"),
  /**
   * Move a translation. For admins and suppliers. draft, in_progress, review, approved, published:
   * by one step, or back to draft. Moves to and from approved are for reviewers, to and from
   * published for publishers. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
   */
  moveLocalization: send("patch", "/api/content/{type}/{id}/localizations/{language}/status"),
  /**
   * Create a preview of a draft. For admins and suppliers. The draft can be read with
   * `?preview=<token>` for 24 hours, without a session. Only this response has the token. Errors:
   * NOT_FOUND (404).
   */
  preview: send("post", "/api/content/{type}/{id}/preview"),
  /**
   * Revoke all previews of a piece of content. For admins and suppliers. Errors: NOT_FOUND (404).
   */
  endPreviews: act("delete", "/api/content/{type}/{id}/preview"),
});

export const componentsMethods = ({ act, create, list, listAll, read, send }: Operations) => ({
  /** List components. For admins. Also for members with a content role. */
  list: list("/api/templates/components"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/templates/components", "components"),
  /**
   * Create a component. For admins. Also for content editors. Errors: TEMPLATE_ERROR (422) if a
   * text cannot be rendered; TEMPLATE_LIMIT (422); LIMIT_REACHED (422).
   */
  create: create("/api/templates/components"),
  /**
   * Get a component. For admins. Also for members with a content role. Errors: NOT_FOUND (404).
   */
  get: read("/api/templates/components/{id}"),
  /**
   * Save a component. For admins. Also for content editors. Fields that are not sent stay. The
   * change shows at once in all templates. Errors: CONFLICT (409) if there is a newer version;
   * TEMPLATE_ERROR (422); TEMPLATE_LIMIT (422); NOT_FOUND (404).
   */
  update: send("put", "/api/templates/components/{id}"),
  /**
   * Delete a component. For admins. Also for content editors. Errors: CONFLICT (409) with
   * `details.used_by` while the latest or the active version of a template shows it; NOT_FOUND
   * (404).
   */
  remove: act("delete", "/api/templates/components/{id}"),
});

/** Parts shared by many templates. */
export interface Components extends ReturnType<typeof componentsMethods> {}

export const templatesMethods = ({ act, create, list, listAll, read, send }: Operations) => ({
  /**
   * List templates. Admins and members with a content role get all templates, in their latest
   * version; for others the active ones of marketplaces that they see. Errors: LIMIT_REACHED (422)
   * on `limit`.
   */
  list: list("/api/templates"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/templates", "templates"),
  /**
   * Create a template. For admins. Also for content editors. Version 1 of an admin or publisher is
   * active at once. Errors: TEMPLATE_ERROR (422) if a text cannot be rendered; TEMPLATE_LIMIT
   * (422); LIMIT_REACHED (422).
   */
  create: create("/api/templates"),
  /**
   * Get a template. Admins and members with a content role get the latest or the named version; for
   * others the active one. By a page type: the template that renders such pages, which may be a
   * built-in one. The ETag is the latest version, for If-Match. Errors: NOT_FOUND (404).
   */
  get: list("/api/templates/{id}"),
  /**
   * Save a template. For admins. Also for content editors. Saves a new version, which readers see
   * once it is activated. `content` is replaced as a whole. `is_default` and `caching` take effect
   * at once; only publishers change `is_default` of an active template. Errors: CONFLICT (409) if
   * there is a newer version; TEMPLATE_ERROR (422); TEMPLATE_LIMIT (422); NOT_FOUND (404).
   */
  update: send("put", "/api/templates/{id}"),
  /**
   * Delete a template. For admins. Also for publishers, and for content editors if the template was
   * never active. Products and categories that name it get the default template. Errors: CONFLICT
   * (409) with `details.used_by` while others inherit from it or include it; NOT_FOUND (404).
   */
  remove: act("delete", "/api/templates/{id}"),
  /**
   * Read a page. The same without variables. If the page is the same for all readers and its
   * template uses the strategy `cdn`, shared caches may keep it. Errors: NOT_FOUND (404);
   * VALIDATION_ERROR (422) with the message of each wrong variable in `details.errors`;
   * TEMPLATE_ERROR (422) with `section`, `block`, `line`, `column`; TEMPLATE_LIMIT (422) with
   * `limit` and `maximum`.
   */
  page: list("/api/templates/{id}/render"),
  /**
   * Render a page. Renders a page as the caller may see it, by a template or by the template of a
   * page type. With `context.preview` no access token is needed. Errors: NOT_FOUND (404);
   * VALIDATION_ERROR (422) with the message of each wrong variable in `details.errors`;
   * TEMPLATE_ERROR (422) with `section`, `block`, `line`, `column`; TEMPLATE_LIMIT (422) with
   * `limit` and `maximum`.
   */
  render: send("post", "/api/templates/{id}/render"),
  /**
   * List the versions of a template. For admins. Also for members with a content role. Errors:
   * NOT_FOUND (404).
   */
  versions: list("/api/templates/{id}/versions"),
  /**
   * All records of `versions`, by default the oldest first. Records that leave the list meanwhile
   * shift the others.
   */
  versionsAll: listAll("/api/templates/{id}/versions", "versions"),
  /**
   * Activate a version. For admins. Also for publishers. Activating an older version is a rollback.
   * Errors: CONFLICT (409) if the version refers to a template that is not active, or to a deleted
   * record; NOT_FOUND (404).
   */
  activate: act("post", "/api/templates/{id}/versions/{version}/activate"),
  /**
   * Compare two versions of a template. For admins. Also for members with a content role. Keys are
   * compared one by one, sections and blocks by id, variables and bindings by name. Errors:
   * NOT_FOUND (404).
   */
  compare: list("/api/templates/{id}/compare"),
  /**
   * List the translations of a template. For admins. Also for members with a content role. The list
   * is not paged. Errors: NOT_FOUND (404).
   */
  localizations: read("/api/templates/{id}/localizations"),
  /**
   * Get the translation of a template into a language. For admins. Also for members with a content
   * role. Errors: NOT_FOUND (404).
   */
  localization: read("/api/templates/{id}/localizations/{language}"),
  /**
   * Save the translation of a template into a language. For admins. Also for content editors.
   * Fields that are not sent stay; `translations` are replaced as a whole. The change shows at
   * once. Errors: CONFLICT (409) if there is a newer version, or the language exists already;
   * TEMPLATE_ERROR (422) if the styles are not allowed; TEMPLATE_LIMIT (422); NOT_FOUND (404).
   */
  setLocalization: send("put", "/api/templates/{id}/localizations/{language}"),
  /**
   * Create a preview of a version of a template. For admins. Also for members with a content role.
   * The preview needs no session and lasts 24 hours. Only this answer contains its token. Errors:
   * NOT_FOUND (404).
   */
  preview: send("post", "/api/templates/{id}/preview"),
  /** End all previews of a template. For admins. Errors: NOT_FOUND (404). */
  endPreviews: act("delete", "/api/templates/{id}/preview"),
});

/** The templates of pages. */
export interface Templates extends ReturnType<typeof templatesMethods> {}

export const emailTemplatesMethods = ({ act, create, list, listAll, read, send }: Operations) => ({
  /** List e-mail templates. For admins and clients. */
  list: list("/api/email-templates"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/email-templates", "email_templates"),
  /**
   * Create an e-mail template. For admins. A template with the key of a built-in mail replaces it,
   * and starts with a copy of the texts that are left out. Any other is sent on its trigger_events.
   * Errors: CONFLICT (409) if the key is taken; TEMPLATE_ERROR (422); TEMPLATE_LIMIT (422);
   * LIMIT_REACHED (422).
   */
  create: create("/api/email-templates"),
  /** Get an e-mail template. For admins and clients. Errors: NOT_FOUND (404). */
  get: read("/api/email-templates/{id}"),
  /**
   * Change an e-mail template. For admins. Fields that are left out do not change. The key cannot
   * change. Errors: TEMPLATE_ERROR (422); TEMPLATE_LIMIT (422); NOT_FOUND (404).
   */
  update: send("put", "/api/email-templates/{id}"),
  /**
   * Delete an e-mail template. For admins. A built-in mail of its key is sent again. Errors:
   * NOT_FOUND (404).
   */
  remove: act("delete", "/api/email-templates/{id}"),
  /**
   * Render a mail. For admins and clients. The mail as it would be sent, with samples for variables
   * that are left out. Errors: TEMPLATE_ERROR (422); TEMPLATE_LIMIT (422); NOT_FOUND (404).
   */
  render: send("post", "/api/email-templates/{id}/render"),
  /**
   * Send a mail to the caller. For admins. Sends the mail with samples for variables that are left
   * out, unless it cannot be rendered. The status of the mail shows whether it was sent. Errors:
   * TEMPLATE_ERROR (422); TEMPLATE_LIMIT (422); NOT_FOUND (404).
   */
  test: create("/api/email-templates/{id}/test"),
});

/** The mails of the tenant. */
export interface EmailTemplates extends ReturnType<typeof emailTemplatesMethods> {}

export const mailsMethods = ({ act, list, listAll, read }: Operations) => ({
  /** List mails. For admins. The log of the last 90 days. */
  list: list("/api/mails"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/mails", "mails"),
  /** List suppressions. For admins. Addresses that get no mails, or none of one kind. */
  suppressions: list("/api/mails/suppressions"),
  /**
   * All records of `suppressions`, by default the oldest first. Records that leave the list
   * meanwhile shift the others.
   */
  suppressionsAll: listAll("/api/mails/suppressions", "suppressions"),
  /** End a suppression. For admins. The address gets mails again. Errors: NOT_FOUND (404). */
  endSuppression: act("delete", "/api/mails/suppressions/{id}"),
  /** Get a mail. For admins. Errors: NOT_FOUND (404). */
  get: read("/api/mails/{id}"),
  /**
   * Send a mail again. For admins. Sends a mail that has failed again, in up to five attempts.
   * Errors: CONFLICT (409) if it has not failed; NOT_FOUND (404).
   */
  retry: act("post", "/api/mails/{id}/retry"),
});

/** The log of mails, and suppressions. */
export interface Mails extends ReturnType<typeof mailsMethods> {}

export const synonymsMethods = ({ act, create, list, listAll, read, send }: Operations) => ({
  /** List synonyms. */
  list: list("/api/search/synonyms"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/search/synonyms", "synonyms"),
  /**
   * Make terms synonyms. For admins. A search for one of the terms then finds the products of all
   * of them.
   */
  create: create("/api/search/synonyms"),
  /** Get a group of synonyms. Errors: NOT_FOUND (404). */
  get: read("/api/search/synonyms/{id}"),
  /**
   * Change a group of synonyms. For admins. The terms are sent as a whole. Errors: NOT_FOUND (404).
   */
  update: send("put", "/api/search/synonyms/{id}"),
  /**
   * Delete a group of synonyms. For admins. A search for one of its terms no longer finds the
   * products of the others. Errors: NOT_FOUND (404).
   */
  remove: act("delete", "/api/search/synonyms/{id}"),
});

/** Groups of terms with the same search results. */
export interface Synonyms extends ReturnType<typeof synonymsMethods> {}

export const downloadsMethods = ({ read }: Operations) => ({
  /**
   * Get the files and licence keys of an order. For admins, clients and customers. Customers: their
   * own orders only. Empty until the order is paid, shipped or delivered, and again after it is
   * cancelled, returned or refunded. Errors: NOT_FOUND (404).
   */
  get: read("/api/orders/{id}/downloads"),
});

/** The files and keys that an order of digital products unlocks. */
export interface Downloads extends ReturnType<typeof downloadsMethods> {}

export const shipmentsMethods = ({ create, read, send }: Operations) => ({
  /** List the shipments of an order. Errors: NOT_FOUND (404). */
  list: read("/api/orders/{id}/shipments"),
  /**
   * Ship items of an order. For admins, clients and suppliers. Suppliers ship their own items,
   * admins and clients any. The pieces leave the stock, and the order's status follows. Errors:
   * VALIDATION_ERROR (422) if no pieces or fewer than requested are left, and for items of two
   * suppliers; NOT_FOUND (404).
   */
  create: create("/api/orders/{id}/shipments"),
  /**
   * Change the tracking or the status of a shipment. For admins, clients and suppliers. Suppliers:
   * their own shipments only. Errors: INVALID_TRANSITION (422) if it is already delivered, lost or
   * void; INSUFFICIENT_INVENTORY (422) if the stock is too small for another shipment; NOT_FOUND
   * (404).
   */
  update: send("patch", "/api/orders/{id}/shipments/{shipment_id}"),
});

/** The shipments of an order. */
export interface Shipments extends ReturnType<typeof shipmentsMethods> {}

export const ordersMethods = ({ create, list, listAll, read, send }: Operations) => ({
  /**
   * Cancel items that are not shipped. Suppliers cancel their own items, customers items of a part
   * that is pending or confirmed and bookings until their cancellable_until, admins and clients all
   * items. A booking that is over is delivered. After its last piece, the order becomes cancelled.
   * Errors: VALIDATION_ERROR (422) if no pieces or fewer than requested are left; NOT_FOUND (404).
   */
  cancelItems: create("/api/orders/{id}/cancellations"),
  /**
   * List the payment sessions of an order. For suppliers, the list is empty. Errors: NOT_FOUND
   * (404).
   */
  paymentSessions: read("/api/orders/{id}/payment-sessions"),
  /**
   * Begin to pay an order by a provider. For admins, clients and customers. For the present price.
   * A payment that was begun with the same provider goes on: the answer has the same session, with
   * the present price. `/api/payment-methods` lists the providers. Only the provider reports that
   * the order is paid. Errors: INVALID_TRANSITION (422) if there is nothing to pay;
   * VALIDATION_ERROR (422) on provider, if it is not available or does not take this amount;
   * LIMIT_REACHED (422) after 100 payments of an order that were begun; SERVICE_UNAVAILABLE (503)
   * also if the provider cannot be reached; NOT_FOUND (404).
   */
  beginPayment: create("/api/orders/{id}/payment-sessions"),
  /**
   * List the refunds of an order by providers. For suppliers, the list is empty. Errors: NOT_FOUND
   * (404).
   */
  refunds: read("/api/orders/{id}/refunds"),
  /**
   * Give money back by the provider that took it. For admins and clients. Books the refund at once,
   * and then asks the provider. If the provider refuses it, the booking is undone by a report
   * refund_failed, and an internal note on the order says why. Errors: INVALID_TRANSITION (422) if
   * the order is not paid, or no provider took its payment; NOT_FOUND (404) also for an item that
   * the order does not have; LIMIT_REACHED (422) if the record of the order cannot hold more.
   */
  refund: create("/api/orders/{id}/refunds"),
  /** List orders. */
  list: list("/api/orders"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/orders", "orders"),
  /**
   * Place an order. For admins, clients and customers. Reserves the stock of every item, or refuses
   * the whole order. A customer's unpaid orders are limited by the marketplace's settings
   * max_unpaid_orders and max_unpaid_pieces; admins and clients are not. Errors: PRICE_MISMATCH
   * (422) with the item; INSUFFICIENT_INVENTORY (422) with the item; DISCOUNT_NOT_APPLICABLE (422)
   * with the code, and `details.reason`; LIMIT_REACHED (422) with the setting as cap;
   * INVALID_TRANSITION (422) for replaces; NOT_FOUND (404) for replaces.
   */
  place: create("/api/orders"),
  /** Get an order with its history. Errors: NOT_FOUND (404). */
  get: read("/api/orders/{id}"),
  /**
   * Move an order to a status. For admins, suppliers and customers. Admins may make every allowed
   * move; suppliers move orders forward that have only their items; customers cancel while the
   * order is pending or confirmed, and before the cancellable_until of its bookings. Errors:
   * INVALID_TRANSITION (422); NOT_FOUND (404).
   */
  changeStatus: send("patch", "/api/orders/{id}/status"),
  /**
   * Return items to stock. For admins. For shipped and delivered orders. After its last piece, the
   * order becomes returned. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
   */
  returnItems: create("/api/orders/{id}/returns"),
  /**
   * Add a note to an order. For an order that the caller sees. Only admins, clients and the
   * supplier who wrote it can read an internal note. Errors: NOT_FOUND (404).
   */
  addNote: create("/api/orders/{id}/notes"),
});

export const returnsMethods = ({ create, read, send }: Operations) => ({
  /** List the return requests of an order. Errors: NOT_FOUND (404). */
  list: read("/api/orders/{id}/return-requests"),
  /**
   * Request to send items back. For admins, clients and customers. Admins and clients request it
   * for a customer. Only pieces that were delivered within the marketplace's return_days and are
   * not digital can be sent back. Errors: VALIDATION_ERROR (422) if fewer can be sent back, and for
   * items of two suppliers; NOT_FOUND (404).
   */
  request: create("/api/orders/{id}/return-requests"),
  /**
   * Approve a return request. For admins and suppliers. Errors: INVALID_TRANSITION (422) if its
   * status does not allow it; NOT_FOUND (404).
   */
  approve: send("post", "/api/orders/{id}/return-requests/{request_id}/approve"),
  /**
   * Reject a return request. For admins and suppliers. Errors: INVALID_TRANSITION (422) if its
   * status does not allow it; NOT_FOUND (404).
   */
  reject: send("post", "/api/orders/{id}/return-requests/{request_id}/reject"),
  /**
   * Cancel a return request. For admins, clients and customers. Errors: INVALID_TRANSITION (422) if
   * its status does not allow it; NOT_FOUND (404).
   */
  cancel: send("post", "/api/orders/{id}/return-requests/{request_id}/cancel"),
  /**
   * Report the received items of a return request. For admins and suppliers. Fewer items than
   * requested may be received. They go into stock unless restock is false. After its last piece,
   * the order becomes returned. Errors: INVALID_TRANSITION (422) unless the request is approved;
   * NOT_FOUND (404).
   */
  receive: send("post", "/api/orders/{id}/return-requests/{request_id}/receive"),
});

/** The return requests of an order. */
export interface Returns extends ReturnType<typeof returnsMethods> {}

export const paymentsMethods = ({ create, send }: Operations) => ({
  /**
   * Report the outcome of a payment. For admins and clients. A paid order stays paid until all of
   * it is given back. The same status and reference again answers with the payment that is there.
   * refund_failed undoes a refund and payment_reversed a payment, once each, by its reference.
   * Errors: INVALID_TRANSITION (422); CONFLICT (409) for a reference with another amount; NOT_FOUND
   * (404) also for a reference that the order does not have.
   */
  record: create("/api/orders/{id}/payments"),
  /**
   * Take the money of a payment session. For admins and clients. Of an authorized session: takes
   * the reserved money. Of an open session of the provider manual: reports that the money has come,
   * for the present price. Errors: INVALID_TRANSITION (422) if there is nothing to capture, less is
   * reserved than the order costs, or the payment is over at the provider; CONFLICT (409) on
   * reference, if the order has a payment with it already; SERVICE_UNAVAILABLE (503) also if the
   * provider cannot be reached; NOT_FOUND (404).
   */
  capture: send("post", "/api/payment-sessions/{id}/capture"),
});

/** Payments of an order, as payment services report them, and captures; the order contains their sums. */
export interface Payments extends ReturnType<typeof paymentsMethods> {}

export const checkoutsMethods = ({ act, create, read, send }: Operations) => ({
  /**
   * Begin a checkout. For admins, clients and customers. Prices items at current prices. What is
   * missing or does not apply is in messages, in place of a refusal. It reserves nothing. A
   * visitor's answer has a token, once; it comes back as header x-souk-checkout. Errors: NOT_FOUND
   * (404) for the marketplace; LIMIT_REACHED (422) while 100,000 checkouts of members of the tenant
   * are open, or 50,000 of visitors; RATE_LIMITED (429) after 60 checkouts of visitors of an IP
   * address in a minute.
   */
  create: create("/api/checkouts"),
  /**
   * Get a checkout. For admins, clients and customers. An open one at current prices. Errors:
   * NOT_FOUND (404).
   */
  get: read("/api/checkouts/{id}"),
  /**
   * Replace a checkout. For admins, clients and customers. Fields that are not sent are removed. It
   * expires later then. Errors: INVALID_TRANSITION (422) unless it is open; NOT_FOUND (404).
   */
  replace: send("put", "/api/checkouts/{id}"),
  /**
   * Cancel a checkout. For admins, clients and customers. A repetition changes nothing. Errors:
   * INVALID_TRANSITION (422) if it is completed or has expired; NOT_FOUND (404).
   */
  cancel: act("post", "/api/checkouts/{id}/cancel"),
  /**
   * Complete a checkout. For admins, clients and customers. Places its order at current prices, in
   * one transaction. A repetition answers with the same order. What is missing is refused as for an
   * order. Errors: CONFLICT (409) if the total is another one: `details.quote` has it, and a
   * repetition with that total accepts it; DISCOUNT_NOT_APPLICABLE (422); INSUFFICIENT_INVENTORY
   * (422); LIMIT_REACHED (422); INVALID_TRANSITION (422) if it is cancelled or has expired, and for
   * replaces; NOT_FOUND (404) also for replaces.
   */
  complete: create("/api/checkouts/{id}/complete"),
});

/** Carts that know what they cost. To complete one places its order. */
export interface Checkouts extends ReturnType<typeof checkoutsMethods> {}

export const bookingsMethods = ({ list, listAll }: Operations) => ({
  /** List bookings. */
  list: list("/api/bookings"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/bookings", "bookings"),
});

/** The bookings of services. */
export interface Bookings extends ReturnType<typeof bookingsMethods> {}

export const commissionsMethods = ({ list, listAll }: Operations) => ({
  /** List commissions and payouts. For admins, clients and suppliers. */
  list: list("/api/commissions"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/commissions", "commissions"),
});

/** The marketplace's share of each sale, and the supplier's. */
export interface Commissions extends ReturnType<typeof commissionsMethods> {}

export const commissionRatesMethods = ({ act, list, listAll, send }: Operations) => ({
  /** List rates of commission. For admins, clients and suppliers. */
  list: list("/api/commission-rates"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/commission-rates", "commission_rates"),
  /**
   * Set the rate of a supplier, or of a category. For admins. Applies to future orders. The rate of
   * an item is the supplier's, else the one of its category or the nearest category above it, else
   * the marketplace's.
   */
  set: send("put", "/api/commission-rates"),
  /** Remove a rate of commission. For admins. Errors: NOT_FOUND (404). */
  remove: act("delete", "/api/commission-rates/{id}"),
});

/** Rates of commission that differ from the marketplace's. */
export interface CommissionRates extends ReturnType<typeof commissionRatesMethods> {}

export const taxRatesMethods = ({ act, create, list, listAll, read, send }: Operations) => ({
  /** List tax rates. For admins, clients and suppliers. */
  list: list("/api/tax-rates"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/tax-rates", "tax_rates"),
  /**
   * Create a tax rate. For admins. The most specific rate applies in place of the others: that of
   * the region before that of its country, then that of the nearest category. Errors: CONFLICT
   * (409) if another rate of the country, region and category is valid on one of its days;
   * LIMIT_REACHED (422) after 1000 rates of a tenant.
   */
  create: create("/api/tax-rates"),
  /** Get a tax rate. For admins, clients and suppliers. Errors: NOT_FOUND (404). */
  get: read("/api/tax-rates/{id}"),
  /**
   * Change a tax rate. For admins. Fields that are not sent stay as they are. null removes the
   * region, the category or a bound. Errors: CONFLICT (409) if the rate has changed since
   * updated_at, or another rate of the country, region and category is valid on one of its days;
   * NOT_FOUND (404).
   */
  update: send("patch", "/api/tax-rates/{id}"),
  /** Delete a tax rate. For admins. Errors: NOT_FOUND (404). */
  remove: act("delete", "/api/tax-rates/{id}"),
});

/** Rates of tax by country, region and category. */
export interface TaxRates extends ReturnType<typeof taxRatesMethods> {}

export const discountsMethods = ({ act, create, list, listAll, read, send }: Operations) => ({
  /** List discounts. For admins, clients and suppliers. */
  list: list("/api/discounts"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/discounts", "discounts"),
  /**
   * Create a discount. For admins, clients and suppliers. A supplier makes discounts for its own
   * products, without free delivery, and bears them. All others are the operator's. Errors:
   * CONFLICT (409) if another discount of the tenant has the code; NOT_FOUND (404) for an unknown
   * marketplace, category, product or supplier; LIMIT_REACHED (422) after 10,000 discounts of a
   * tenant, or 500 of a supplier.
   */
  create: create("/api/discounts"),
  /** Get a discount. For admins, clients and suppliers. Errors: NOT_FOUND (404). */
  get: read("/api/discounts/{id}"),
  /**
   * Change a discount. For admins, clients and suppliers. Suppliers: their own only. Fields that
   * are not sent stay as they are, and null removes one. Placed orders keep what they have. Errors:
   * CONFLICT (409) if the discount has changed since updated_at, or another discount of the tenant
   * has the code; NOT_FOUND (404) also for an unknown marketplace, category, product or supplier.
   */
  update: send("patch", "/api/discounts/{id}"),
  /**
   * Delete a discount. For admins, clients and suppliers. Suppliers: their own only. One that
   * orders use can be paused instead. Errors: CONFLICT (409) if orders use it; NOT_FOUND (404).
   */
  remove: act("delete", "/api/discounts/{id}"),
});

/** Discounts by code, and those that need none. */
export interface Discounts extends ReturnType<typeof discountsMethods> {}

export const ledgerMethods = ({ list, listAll }: Operations) => ({
  /** List the ledger of suppliers. For admins, clients and suppliers. */
  list: list("/api/ledger"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/ledger", "lines"),
});

/** What suppliers are owed, line by line. */
export interface Ledger extends ReturnType<typeof ledgerMethods> {}

export const payoutsMethods = ({ create, list, listAll, read, send }: Operations) => ({
  /** List payouts. For admins, clients and suppliers. */
  list: list("/api/payouts"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/payouts", "payouts"),
  /**
   * Pay out what a supplier is owed. For admins. Makes a pending payout in each currency in which
   * what is due, and not held, is more than 0. It pays at most 150,000 lines, the earliest due
   * first. No money moves: transfer it, then mark the payout as paid. Errors: NOTHING_DUE (422) if
   * nothing is due in any currency; NOT_FOUND (404) for an unknown supplier.
   */
  create: create("/api/payouts"),
  /** Get a payout. For admins, clients and suppliers. Errors: NOT_FOUND (404). */
  get: read("/api/payouts/{id}"),
  /**
   * Mark a payout as paid, failed or reversed. For admins. A pending payout is paid or fails. A
   * paid one is reversed. What a failed or reversed payout paid is open again. Errors:
   * INVALID_TRANSITION (422); NOT_FOUND (404).
   */
  update: send("patch", "/api/payouts/{id}"),
});

export const payoutHoldsMethods = ({ act, create, list, listAll }: Operations) => ({
  /** List holds of payouts. For admins, clients and suppliers. */
  list: list("/api/payout-holds"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/payout-holds", "payout_holds"),
  /**
   * Hold the payouts of a supplier. For admins. Payouts leave out what is held until the hold is
   * removed. Made payouts stay. Errors: CONFLICT (409) if there is one of this supplier and order;
   * NOT_FOUND (404) for an unknown supplier or order; LIMIT_REACHED (422) after 10,000 holds of a
   * tenant.
   */
  create: create("/api/payout-holds"),
  /** Remove a hold. For admins. Errors: NOT_FOUND (404). */
  remove: act("delete", "/api/payout-holds/{id}"),
});

/** What payouts leave out although it is due. */
export interface PayoutHolds extends ReturnType<typeof payoutHoldsMethods> {}

export const eventsMethods = ({ all, list, read }: Operations) => ({
  /**
   * List events. For admins and clients. Events in a fixed sequence, oldest first. A reader that
   * continues from `next` misses no event and gets none twice. Errors: VALIDATION_ERROR (422) for
   * an unknown cursor.
   */
  list: list("/api/events"),
  /** All records of `list` after a cursor, until now. */
  listAll: all("/api/events", "events"),
  /** List the types of events. */
  types: read("/api/event-types"),
});

export const webhooksMethods = ({ act, create, list, listAll, read, send }: Operations) => ({
  /** List webhooks. For admins and clients. */
  list: list("/api/webhooks"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/webhooks", "webhooks"),
  /**
   * Register a webhook. For admins and clients. The secret is shown only in this response. Errors:
   * NOT_FOUND (404) if the filter names a marketplace that is not the tenant's; VALIDATION_ERROR
   * (422) for an unknown event, an address that cannot be delivered to, a short secret, or a
   * reserved header.
   */
  create: create("/api/webhooks"),
  /** Get a webhook. For admins and clients. Errors: NOT_FOUND (404). */
  get: read("/api/webhooks/{id}"),
  /**
   * Change a webhook. For admins and clients. Fields that are not sent stay as they are. A webhook
   * that is switched off receives nothing, also no pending deliveries. After it is switched on, it
   * receives new events: `recover` sends earlier failed deliveries, and GET /api/events lists the
   * events in between. Errors: NOT_FOUND (404) also for a marketplace in the filter;
   * VALIDATION_ERROR (422) as in webhooks.create.
   */
  update: send("put", "/api/webhooks/{id}"),
  /**
   * Delete a webhook. For admins and clients. Its deliveries are deleted too, and nothing more is
   * sent. Errors: NOT_FOUND (404).
   */
  remove: act("delete", "/api/webhooks/{id}"),
  /**
   * Rotate a webhook's secret. For admins and clients. The new secret is shown only in this
   * response. The previous secret signs too for 24 hours; older secrets no longer sign. With an
   * Idempotency-Key, a lost response can be requested again. Errors: VALIDATION_ERROR (422) for a
   * short secret; NOT_FOUND (404).
   */
  rotateSecret: create("/api/webhooks/{id}/rotate-secret"),
  /**
   * List a webhook's deliveries. For admins and clients. Errors: VALIDATION_ERROR (422) for a
   * status or an event that does not exist; NOT_FOUND (404).
   */
  deliveries: list("/api/webhooks/{id}/logs"),
  /**
   * All records of `deliveries`, by default the oldest first. Records that leave the list meanwhile
   * shift the others.
   */
  deliveriesAll: listAll("/api/webhooks/{id}/logs", "logs"),
  /**
   * Get a delivery. For admins and clients. The delivery, its body, and every attempt. Errors:
   * NOT_FOUND (404).
   */
  delivery: read("/api/webhooks/{id}/deliveries/{delivery_id}"),
  /**
   * Send a delivery again. For admins and clients. Sends the delivery now, whatever its status,
   * with its old id and body, and with as many attempts as a new one. Errors: CONFLICT (409) if the
   * webhook is off or the event is no longer stored; NOT_FOUND (404).
   */
  retry: act("post", "/api/webhooks/{id}/deliveries/{delivery_id}/retry"),
  /**
   * Send the failed deliveries of a webhook again. For admins and clients. After an outage: sends
   * every delivery again that failed since that time, oldest first, in batches. If `more` is true,
   * repeat the request. Errors: CONFLICT (409) if the webhook is off; NOT_FOUND (404).
   */
  recover: send("post", "/api/webhooks/{id}/recover"),
  /**
   * Test a webhook. For admins and clients. Sends the example of an event (GET /api/event-types)
   * once and now, signed like a delivery. This works for webhooks that are off and for events that
   * the webhook has not subscribed to. It is not logged and not repeated. The response has the
   * outcome; it is 200 also if the test failed. Errors: VALIDATION_ERROR (422) for an unknown
   * event; CONFLICT (409) while five other tests of the tenant wait for their receivers; NOT_FOUND
   * (404).
   */
  test: send("post", "/api/webhooks/{id}/test"),
});

/** Webhooks: signed deliveries of events. */
export interface Webhooks extends ReturnType<typeof webhooksMethods> {}

export const placementMethods = ({ create, list, read, send }: Operations) => ({
  /**
   * List the promoted slots of a category. The slots as an auction would fill them now. All members
   * see the campaigns; bids and prices are for admins, clients and the campaign's supplier. Errors:
   * NOT_FOUND (404).
   */
  slots: list("/api/v1/top-placement/slots"),
  /**
   * Report impressions, clicks and sales. Customers and suppliers report only themselves. Up to
   * 1000 events, each with its own result: an invalid event does not stop the others. A batch that
   * is sent again changes nothing. A click is charged once per visitor, campaign and hour, up to
   * the daily budget. Errors: VALIDATION_ERROR (422) for more events, or for a value that is no
   * list.
   */
  record: create("/api/v1/top-placement/events"),
  /**
   * Get the revenue of placement. For admins. In total, by category with its competition, by
   * supplier and by day, for each currency. Default: the last 30 days.
   */
  report: list("/api/v1/top-placement/report"),
  /**
   * Get the placement configuration of a category. For admins, clients and suppliers. A category
   * without a configuration has the defaults. Errors: NOT_FOUND (404).
   */
  category: read("/api/v1/top-placement/categories/{id}"),
  /**
   * Configure placement in a category. For admins. Fields that are not sent stay as they are.
   * Existing campaigns keep their fee and bid. Errors: NOT_FOUND (404).
   */
  setCategory: send("put", "/api/v1/top-placement/categories/{id}"),
  /** Get the settings of placement. For admins and clients. */
  settings: read("/api/v1/top-placement/settings"),
  /** Change the settings of placement. For admins. Fields that are not sent stay as they are. */
  setSettings: send("put", "/api/v1/top-placement/settings"),
});

/** The top places: prices, winners, events and revenue. */
export interface Placement extends ReturnType<typeof placementMethods> {}

export const auctionsMethods = ({ list, listAll, read }: Operations) => ({
  /**
   * List auctions. For admins and clients. The recorded auctions of the last day, a sample of all
   * auctions.
   */
  list: list("/api/v1/top-placement/auctions"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/v1/top-placement/auctions", "auctions"),
  /**
   * Explain an auction. For admins and clients. Every campaign that took part, with its position
   * and price, or the reason why it won no slot. Errors: NOT_FOUND (404).
   */
  get: read("/api/v1/top-placement/auctions/{id}"),
});

/** The auctions of the top places. */
export interface Auctions extends ReturnType<typeof auctionsMethods> {}

export const campaignsMethods = ({ create, list, listAll, read, send }: Operations) => ({
  /**
   * Get the share of auctions that a campaign won. For admins, clients and suppliers. Also the
   * reasons for the auctions that it lost. Only recorded auctions count, up to five minutes ago.
   * Other campaigns are not revealed. Errors: NOT_FOUND (404).
   */
  auctions: list("/api/v1/top-placement/campaigns/{id}/auctions"),
  /** List campaigns. For admins, clients and suppliers. */
  list: list("/api/v1/top-placement/campaigns"),
  /**
   * All records of `list`, by default the oldest first. Records that leave the list meanwhile shift
   * the others.
   */
  listAll: listAll("/api/v1/top-placement/campaigns", "campaigns"),
  /**
   * Promote a product. For admins and suppliers. Suppliers: their own products only. It runs at
   * once or from its start. Campaigns of unverified suppliers wait for review. Errors: NOT_FOUND
   * (404) for an unknown product or category; CONFLICT (409) if the product has another campaign in
   * the category at that time; VALIDATION_ERROR (422) for values that the category or the pricing
   * model does not allow.
   */
  create: create("/api/v1/top-placement/campaigns"),
  /** Get a campaign. For admins, clients and suppliers. Errors: NOT_FOUND (404). */
  get: read("/api/v1/top-placement/campaigns/{id}"),
  /**
   * Pause, resume or cancel a campaign, or change its bids and budget. For admins and suppliers.
   * Suppliers: their own campaigns only. Fields that are not sent stay as they are. Raising a
   * used-up budget resumes the campaign. Errors: INVALID_TRANSITION (422) also for every change of
   * an ended campaign; NOT_FOUND (404).
   */
  update: send("patch", "/api/v1/top-placement/campaigns/{id}"),
  /**
   * Approve a campaign. For admins. It runs from its start or, if that has passed, from now until
   * its end, and pays for these days. A campaign whose end has passed is completed. Errors:
   * INVALID_TRANSITION (422) unless the campaign waits for review; NOT_FOUND (404).
   */
  approve: create("/api/v1/top-placement/campaigns/{id}/approve"),
  /**
   * Reject a campaign. For admins. The note tells the supplier why. Errors: INVALID_TRANSITION
   * (422) unless the campaign waits for review; NOT_FOUND (404).
   */
  reject: send("post", "/api/v1/top-placement/campaigns/{id}/reject"),
  /**
   * Get a campaign's statistics. For admins, clients and suppliers. Suppliers: their own campaigns
   * only. A sale belongs to the visitor's last click on the product within the 7 days before it,
   * and counts on the day of the order. Cancelled and returned items do not count. Errors:
   * NOT_FOUND (404).
   */
  stats: list("/api/v1/top-placement/campaigns/{id}/stats"),
  /**
   * List a campaign's charges. For admins, clients and suppliers. Suppliers: their own campaigns
   * only. The charges of a day add up to its spend. Errors: NOT_FOUND (404).
   */
  charges: list("/api/v1/top-placement/campaigns/{id}/charges"),
  /**
   * All records of `charges`, by default the oldest first. Records that leave the list meanwhile
   * shift the others.
   */
  chargesAll: listAll("/api/v1/top-placement/campaigns/{id}/charges", "charges"),
  /**
   * Refund invalid clicks. For admins. The clicks of a visitor, or the clicks with these ids, no
   * longer count. Their charges are refunded on the day of the charge, each only once. Errors:
   * NOT_FOUND (404) also for a click of another campaign.
   */
  refund: create("/api/v1/top-placement/campaigns/{id}/refunds"),
});

/** Paid promotions of products in the top places. */
export interface Campaigns extends ReturnType<typeof campaignsMethods> {}

export const analyticsMethods = ({ act, create, list, listAll, read }: Operations) => ({
  /**
   * Report what visitors do. Customers and guests report only themselves. Up to 1000 events, each
   * with its own result: an invalid event does not stop the others. A batch that is sent again
   * changes nothing. Bots, the tenant's own members and visitors that its settings ignore are not
   * counted. Errors: VALIDATION_ERROR (422) for more events, or for a value that is no list.
   */
  record: create("/api/analytics/events"),
  /**
   * Get the funnel. For admins, clients and suppliers. The number of distinct visitors who reached
   * each stage. A later stage implies the earlier ones, and an order implies all of them. Suppliers
   * see the visitors of their own products. At most 400 days, within the last 400. Errors:
   * NOT_FOUND (404).
   */
  funnel: list("/api/analytics/funnel"),
  /**
   * Get the overview. For admins, clients and suppliers. Revenue, orders, customers and conversion
   * of a period, compared with the same number of days just before. Errors: NOT_FOUND (404).
   */
  overview: list("/api/analytics/overview"),
  /**
   * Get sales by time. For admins, clients and suppliers. A row for every step of the period,
   * including empty ones, and the sum. Errors: NOT_FOUND (404).
   */
  sales: list("/api/analytics/sales"),
  /**
   * Get revenue by origin. For admins, clients and suppliers. Revenue by time, and by marketplace,
   * category, supplier, product or source. Errors: NOT_FOUND (404).
   */
  revenue: list("/api/analytics/revenue"),
  /**
   * List the best-selling products. For admins, clients and suppliers. By revenue, or by pieces
   * minus cancelled and returned ones. Errors: NOT_FOUND (404).
   */
  topProducts: list("/api/analytics/products/top"),
  /**
   * List the segments. For admins, clients and suppliers. Every customer is in exactly one segment;
   * guests without orders are in none. Errors: NOT_FOUND (404).
   */
  segments: list("/api/analytics/customers/segments"),
  /**
   * List the customers of a segment. For admins, clients and suppliers. Sorted by revenue within
   * 365 days, highest first. Errors: NOT_FOUND (404).
   */
  segmentCustomers: list("/api/analytics/customers/segments/{name}"),
  /**
   * All records of `segmentCustomers`, by default the oldest first. Records that leave the list
   * meanwhile shift the others.
   */
  segmentCustomersAll: listAll("/api/analytics/customers/segments/{name}", "customers"),
  /**
   * List the cohorts. For admins, clients and suppliers. Customers by the month of their first
   * order, and how many come back or their revenue, month by month. Errors: NOT_FOUND (404).
   */
  cohorts: list("/api/analytics/cohorts"),
  /**
   * List the definitions of the figures. The meaning of every figure, in words and as a formula.
   */
  definitions: read("/api/analytics/definitions"),
  /**
   * Request an export. For admins, clients and suppliers. Suppliers get their own rows. A worker
   * writes the file: get the export until it is ready, or subscribe to it with Realtime. Errors:
   * NOT_FOUND (404) for an unknown marketplace, supplier or category; VALIDATION_ERROR (422) also
   * on `email` if no active member has it; LIMIT_REACHED (422) on `format` or `period` if there are
   * more rows than the format allows, or if too many exports are queued.
   */
  createExport: create("/api/analytics/export"),
  /** List schedules of exports. For admins, clients and suppliers. */
  exportSchedules: list("/api/analytics/exports/schedules"),
  /**
   * All records of `exportSchedules`, by default the oldest first. Records that leave the list
   * meanwhile shift the others.
   */
  exportSchedulesAll: listAll("/api/analytics/exports/schedules", "schedules"),
  /**
   * Schedule an export each day, week or month. For admins, clients and suppliers. Exports run at
   * the beginning of the tenant's day. Each export belongs to the member who created the schedule,
   * and is refused if that member may no longer see such rows. Errors: NOT_FOUND (404);
   * VALIDATION_ERROR (422) also on `period` if it is custom; LIMIT_REACHED (422) if the tenant has
   * the maximum number of schedules.
   */
  createExportSchedule: create("/api/analytics/exports/schedules"),
  /** Get a schedule of exports. For admins, clients and suppliers. Errors: NOT_FOUND (404). */
  getExportSchedule: read("/api/analytics/exports/schedules/{id}"),
  /**
   * Delete a schedule. For admins, clients and suppliers. Its exports remain. Errors: NOT_FOUND
   * (404).
   */
  removeExportSchedule: act("delete", "/api/analytics/exports/schedules/{id}"),
  /** List exports. For admins, clients and suppliers. */
  exports: list("/api/analytics/exports"),
  /**
   * All records of `exports`, by default the oldest first. Records that leave the list meanwhile
   * shift the others.
   */
  exportsAll: listAll("/api/analytics/exports", "exports"),
  /**
   * Get an export and the addresses of its files. For admins, clients and suppliers. Errors:
   * NOT_FOUND (404).
   */
  getExport: read("/api/analytics/exports/{id}"),
  /**
   * Delete an export and its files. For admins, clients and suppliers. An export that is being
   * written stops. Errors: NOT_FOUND (404).
   */
  removeExport: act("delete", "/api/analytics/exports/{id}"),
});

export const dashboardsMethods = ({ act, create, read, send }: Operations) => ({
  /**
   * List dashboards. For admins, clients and suppliers. Admins and clients share the tenant's
   * dashboards, the members of a supplier share theirs. Every tenant starts with one.
   */
  list: read("/api/analytics/dashboards"),
  /**
   * Create a dashboard. For admins, clients and suppliers. Each query is run once; one that fails
   * is a VALIDATION_ERROR on its field. Errors: LIMIT_REACHED (422).
   */
  create: create("/api/analytics/dashboards"),
  /** Get a dashboard. For admins, clients and suppliers. Errors: NOT_FOUND (404). */
  get: read("/api/analytics/dashboards/{id}"),
  /**
   * Change a dashboard. For admins, clients and suppliers. Replaces its name and widgets. New
   * queries are run once. Errors: CONFLICT (409) if the dashboard has changed since updated_at;
   * NOT_FOUND (404).
   */
  update: send("put", "/api/analytics/dashboards/{id}"),
  /** Delete a dashboard. For admins, clients and suppliers. Errors: NOT_FOUND (404). */
  remove: act("delete", "/api/analytics/dashboards/{id}"),
  /**
   * Get the data of a dashboard. For admins, clients and suppliers. The response of each widget's
   * query. A query that fails, such as one of a deleted category, does not stop the others. Errors:
   * NOT_FOUND (404).
   */
  data: read("/api/analytics/dashboards/{id}/data"),
});

/** Saved sets of figures. */
export interface Dashboards extends ReturnType<typeof dashboardsMethods> {}

/** The groups of methods that the OpenAPI document describes completely. */
export interface Methods {
  invitations: Invitations;
  tenant: OwnTenant;
  members: Members;
  apiKeys: ApiKeys;
  auditLog: AuditLog;
  suppliers: Suppliers;
  adjustments: Adjustments;
  supplierApplications: SupplierApplications;
  customerAddresses: AddressBook;
  customers: Customers;
  marketplaces: Marketplaces;
  countries: Countries;
  categories: Categories;
  inventory: Stock;
  files: Files;
  licenceKeys: LicenceKeys;
  calendars: Calendars;
  search: Search;
  productApprovals: ProductApprovals;
  mediaFolders: MediaFolders;
  contentTypes: ContentTypes;
  components: Components;
  templates: Templates;
  emailTemplates: EmailTemplates;
  mails: Mails;
  synonyms: Synonyms;
  downloads: Downloads;
  shipments: Shipments;
  returns: Returns;
  payments: Payments;
  checkouts: Checkouts;
  bookings: Bookings;
  commissions: Commissions;
  commissionRates: CommissionRates;
  taxRates: TaxRates;
  discounts: Discounts;
  ledger: Ledger;
  payoutHolds: PayoutHolds;
  webhooks: Webhooks;
  placement: Placement;
  auctions: Auctions;
  campaigns: Campaigns;
  dashboards: Dashboards;
}

export const methodsOf = (operations: Operations): Methods => ({
  invitations: invitationsMethods(operations),
  tenant: tenantMethods(operations),
  members: membersMethods(operations),
  apiKeys: apiKeysMethods(operations),
  auditLog: auditLogMethods(operations),
  suppliers: suppliersMethods(operations),
  adjustments: adjustmentsMethods(operations),
  supplierApplications: supplierApplicationsMethods(operations),
  customerAddresses: customerAddressesMethods(operations),
  customers: customersMethods(operations),
  marketplaces: marketplacesMethods(operations),
  countries: countriesMethods(operations),
  categories: categoriesMethods(operations),
  inventory: inventoryMethods(operations),
  files: filesMethods(operations),
  licenceKeys: licenceKeysMethods(operations),
  calendars: calendarsMethods(operations),
  search: searchMethods(operations),
  productApprovals: productApprovalsMethods(operations),
  mediaFolders: mediaFoldersMethods(operations),
  contentTypes: contentTypesMethods(operations),
  components: componentsMethods(operations),
  templates: templatesMethods(operations),
  emailTemplates: emailTemplatesMethods(operations),
  mails: mailsMethods(operations),
  synonyms: synonymsMethods(operations),
  downloads: downloadsMethods(operations),
  shipments: shipmentsMethods(operations),
  returns: returnsMethods(operations),
  payments: paymentsMethods(operations),
  checkouts: checkoutsMethods(operations),
  bookings: bookingsMethods(operations),
  commissions: commissionsMethods(operations),
  commissionRates: commissionRatesMethods(operations),
  taxRates: taxRatesMethods(operations),
  discounts: discountsMethods(operations),
  ledger: ledgerMethods(operations),
  payoutHolds: payoutHoldsMethods(operations),
  webhooks: webhooksMethods(operations),
  placement: placementMethods(operations),
  auctions: auctionsMethods(operations),
  campaigns: campaignsMethods(operations),
  dashboards: dashboardsMethods(operations),
});
