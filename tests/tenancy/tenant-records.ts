import { randomUUID } from "node:crypto";
import { query } from "../database.js";
import { eventually, eventuallyNone } from "../eventually.js";
import { png, TYPES } from "../media/files.js";
import { upload } from "../media/uploading.js";
import {
  ADDRESS,
  call,
  marketplaceFields,
  must,
  openGuest,
  openReceiver,
  type Person,
  type Receiver,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";

// A tenant with at least one record of each kind, for tests of permissions.

// biome-ignore lint/suspicious/noExplicitAny: rows of any table.
export type Row = Record<string, any>;

/** The roles of members, and guests, who are customers without an account. */
export type Role = "admin" | "client" | "supplier" | "customer" | "guest";
export const ROLES: readonly Role[] = ["admin", "client", "supplier", "customer", "guest"];

/** Functions that create each record of such a tenant. A test can call them for a new one. */
export const makers = {
  invitation: (of) =>
    post(of, "/auth/invitations", {
      email: `${randomUUID()}@example.com`,
      role: "supplier",
      supplier_id: of.supplierId,
    }),
  /** The supplier's, with its secret. */
  apiKey: (of) =>
    must("POST", "/api/api-keys", { as: of.people.supplier, body: { name: of.mark } }),
  /** The creation of the webhook. */
  auditEntry: async ({ people, webhook }): Promise<Row> => {
    const path = `/api/audit-log?record_id=${webhook.id}&action=created`;
    const { entries } = await must("GET", path, { as: people.admin });
    return entries[0];
  },
  /** A member of the tenant; `id` is the user's. */
  member: (of) => register({ tenant_id: of.tenantId }),
  /** The supplier's own supplier record, with its initial data. */
  organisation: (of) =>
    must("PATCH", `/api/suppliers/${of.supplierId}`, {
      as: of.people.admin,
      body: { verified: false },
    }),
  /** The application of the customer, which waits. */
  application: (of) =>
    must("POST", "/api/supplier-applications", {
      as: of.people.customer,
      body: appliedOf(of),
    }),
  /** A product of the supplier that awaits a review. `id` is the product's. */
  awaiting: async (of) => {
    const product = await must("POST", "/api/products", {
      as: of.people.supplier,
      body: { name: of.mark, price: 5, status: "draft", marketplace_id: of.marketplace.id },
    });
    await query("select private.request_approval($1, $2, $3, null)", [
      product.id,
      of.tenantId,
      of.supplierId,
    ]);
    return product;
  },
  /** A customer without an account. */
  buyer: (of) => post(of, "/api/customers", { name: of.mark }),
  /** An address of the customer. */
  address: (of) =>
    must("POST", "/api/customers/me/addresses", {
      as: of.people.customer,
      body: { street: of.mark, city: "Fez" },
    }),
  marketplace: (of) =>
    post(of, "/api/marketplaces", {
      ...marketplaceFields({ name: of.mark, description: of.mark }),
      settings: { business: { commission_percent: 10 } },
    }),
  /** Below the existing category. */
  category: (of) =>
    post(of, "/api/categories", { name: of.mark, parent_id: of.category?.id ?? null }),
  product: (of) =>
    listed(of, {
      description: of.mark,
      category_id: of.category.id,
      attributes: [{ name: "brand", value: of.mark }],
      images: [{ url: `https://example.com/${of.mark}`, alt: of.mark }],
      variants: [{ name: of.mark, sku: randomUUID(), inventory: { quantity: 10_000 } }],
    }),
  dashboard: (of) => post(of, "/api/analytics/dashboards", dashboardOf(of)),
  /** A dashboard of the supplier's members. */
  sellersDashboard: (of) =>
    must("POST", "/api/analytics/dashboards", { as: of.people.supplier, body: dashboardOf(of) }),
  synonyms: (of) =>
    post(of, "/api/search/synonyms", { terms: [of.mark, `${of.mark} by another name`] }),
  folder: (of) =>
    post(of, "/api/media/folders", { name: `${of.mark.slice(0, 50)} ${randomUUID()}` }),
  /** A public asset of the supplier. */
  asset: (of) => upload(of.people.supplier, png(4, 3), TYPES.png, { alt_text: of.mark }),
  /** A product that sells licence keys. */
  digital: (of) => listed(of, { kind: "digital", track_inventory: true }),
  file: ({ digital, ...of }) =>
    post(of, `/api/products/${digital.id}/files`, {
      name: of.mark,
      url: `https://example.com/${of.mark}`,
    }),
  /** One of the keys of `digital`. */
  key: async ({ digital, ...of }) => {
    const path = `/api/products/${digital.id}/licence-keys`;
    await post(of, path, { codes: [`${of.mark} ${randomUUID()}`] });
    return (await must("GET", `${path}?limit=1`, { as: of.people.admin })).licence_keys[0];
  },
  /** A product that can be booked at any time, by any number of people. */
  service: async (of) => {
    const service = await listed(of, { kind: "service" });
    await must("PUT", `/api/products/${service.id}/calendar`, {
      as: of.people.admin,
      body: calendarOf(of),
    });
    return service;
  },
  order: (of) => post(of, "/api/orders", orderOf(of)),
  /** The payment by hand that the customer has begun, of a new order. */
  session: async (of) => {
    const { id } = await post(of, "/api/orders", orderOf(of));
    const body = { provider: "manual" };
    return must("POST", `/api/orders/${id}/payment-sessions`, { as: of.people.customer, body });
  },
  /** An order whose payment a provider took. */
  collected: async (of): Promise<Row> => {
    const { id, order_id } = await makers.session(of);
    await post(of, `/api/payment-sessions/${id}/capture`, { reference: of.mark });
    return must("GET", `/api/orders/${order_id}`, { as: of.people.admin });
  },
  /** An order that was delivered to the customer. */
  shipped: async (of) => {
    const { id } = await post(of, "/api/orders", orderOf(of));
    return await moved(of, id, "shipped");
  },
  /** A shipment in transit. `id` is its order's, `shipment_id` its own. */
  shipment: async (of) => {
    const { id } = await post(of, "/api/orders", orderOf(of));
    return await sentOf(of, await moved(of, id, "shipped"));
  },
  delivered: async (of) => {
    const { id } = await post(of, "/api/orders", orderOf(of));
    return await moved(of, id, "delivered");
  },
  /** A return request. `id` is its order's, `request_id` its own. */
  returnRequest: async (of) => {
    const { id } = await post(of, "/api/orders", orderOf(of));
    return await askedOf(of, await moved(of, id, "delivered"));
  },
  approvedReturn: async (of) => {
    const { id } = await post(of, "/api/orders", orderOf(of));
    const asked = await askedOf(of, await moved(of, id, "delivered"));
    const path = `/api/orders/${id}/return-requests/${asked.request_id}/approve`;
    return { ...(await post(of, path, {})), id, request_id: asked.request_id };
  },
  /** The rate of commission of a category. */
  rate: async (of) => {
    const { id } = await post(of, "/api/categories", { name: of.mark });
    const body = { category_id: id, commission_percent: 10 };
    return must("PUT", "/api/commission-rates", { as: of.people.admin, body });
  },
  /** The tax rate of the category, in a region of its own. */
  taxRate: (of) => post(of, "/api/tax-rates", taxRateOf(of)),
  /** A discount of the supplier. */
  discount: (of) =>
    must("POST", "/api/discounts", { as: of.people.supplier, body: discountOf(of) }),
  /** An open checkout of the customer. */
  checkout: (of) =>
    must("POST", "/api/checkouts", { as: of.people.customer, body: checkoutOf(of) }),
  /** An amount that is due to the supplier. */
  adjustment: (of) => post(of, `/api/suppliers/${of.supplierId}/adjustments`, adjustmentOf(of)),
  /** A pending payout of the supplier. */
  payout: async (of): Promise<Row> => {
    await makers.adjustment(of);
    const { payouts } = await post(of, "/api/payouts", { supplier_id: of.supplierId });
    return payouts[0];
  },
  /** A hold of the supplier's part of a new order. */
  hold: async (of): Promise<Row> =>
    post(of, "/api/payout-holds", holdOf({ ...of, order: await makers.order(of) })),
  /** The supplier's newest line of the ledger. */
  ledgerLine: async ({ people, supplierId }): Promise<Row> => {
    const path = `/api/ledger?supplier_id=${supplierId}&limit=1`;
    return (await must("GET", path, { as: people.admin })).lines[0];
  },
  /** A running campaign that has paid the fee of its first day. */
  campaign: (of) => promoted(of, of.people.admin),
  /** The newest auction that `campaign` took part in. */
  auction: async ({ campaign, people }) => {
    await must("GET", `/api/products?category=${campaign.category_id}`, { as: people.admin });
    const path = `/api/v1/top-placement/auctions?campaign_id=${campaign.id}&limit=1`;
    return (await must("GET", path, { as: people.admin })).auctions[0];
  },
  /** A campaign that waits for review. */
  proposal: (of) => promoted(of, of.people.supplier),
  webhook: (of) =>
    post(of, "/api/webhooks", {
      url: `${of.receiver.url}/${of.mark}`,
      events: ["order.created", "order.status_changed", "product.created"],
      description: of.mark,
      headers: headersOf(of),
    }),
  /** The newest successful delivery of `webhook`. */
  delivery: async ({ webhook, people }) => {
    const path = `/api/webhooks/${webhook.id}/logs?status=success&limit=1`;
    return (await must("GET", path, { as: people.admin })).logs[0];
  },
  /** A schedule of exports. It is due so rarely that it does not run during a test. */
  schedule: (of) =>
    post(of, "/api/analytics/exports/schedules", {
      type: "sales",
      format: "csv",
      every: "month",
      marketplace_id: of.marketplace.id,
      supplier_id: of.supplierId,
      category: of.category.id,
      email: of.people.admin.email,
    }),
  /** An export of the admin, which is ready. */
  export: async (of) => {
    const { id } = await post(of, "/api/analytics/export", { type: "products", format: "csv" });
    return await eventually(async () => {
      const made = await must("GET", `/api/analytics/exports/${id}`, { as: of.people.admin });
      if (made.status !== "ready") throw new Error(`the export is ${made.status}`);
      return made;
    });
  },
  /** A content type of the tenant. Paths contain its `key`. */
  contentType: (of) =>
    post(of, "/api/content-types", {
      key: `t_${randomUUID().replaceAll("-", "_")}`,
      name: of.mark,
      fields: [{ name: "note", type: "string", default_value: of.mark }],
    }),
  /** A published static page in two languages, with a branch and a preview. */
  page: async (of): Promise<Row> => {
    const page = await written(of, of.people.admin, "static_pages", {
      marketplace_id: of.marketplace.id,
    });
    await stepped(of, page, "submit", "approve");
    for (const status of ["in_progress", "review", "approved", "published"]) {
      await must("PATCH", `${contentPath(page)}/localizations/de/status`, {
        as: of.people.admin,
        body: { status },
      });
    }
    await post(of, `${contentPath(page)}/preview`, {});
    await makers.branch({ ...of, description: page });
    return await stepped(of, page, "publish");
  },
  /** A page with a scheduled publication. Readers do not see it. */
  planned: async (of) => {
    const page = await written(of, of.people.admin, "static_pages", {
      marketplace_id: of.marketplace.id,
    });
    await stepped(of, page, "submit", "approve");
    return await post(of, `${contentPath(page)}/publish`, { at: "2100-01-01T00:00:00Z" });
  },
  /** A draft of the tenant's own content type. */
  entry: (of) =>
    written(of, of.people.admin, of.contentType.key, {
      marketplace_id: of.marketplace.id,
      fields: { note: of.mark },
    }),
  /** Published content about the category. */
  section: async (of): Promise<Row> => {
    const { id } = of.section ? await makers.category(of) : of.category;
    const fields = { marketplace_id: of.marketplace.id, subject_id: id };
    const section = await written(of, of.people.admin, "categories", fields);
    return await stepped(of, section, "submit", "approve", "publish");
  },
  /** The supplier's draft about the product, or about another product if there is one already. */
  description: async (of): Promise<Row> => {
    const { id } = of.description ? await listed(of, {}) : of.product;
    return await written(of, of.people.supplier, "products", { subject_id: id });
  },
  /** The same in review. */
  reviewed: async (of): Promise<Row> => stepped(of, await makers.description(of), "submit"),
  approved: async (of): Promise<Row> => stepped(of, await makers.reviewed(of), "approve"),
  published: async (of): Promise<Row> => stepped(of, await makers.approved(of), "publish"),
  archived: async (of): Promise<Row> => stepped(of, await makers.published(of), "archive"),
  /** A branch of `description`. It replaces the previous one, because 20 are the maximum. */
  branch: async ({ description, people }): Promise<Row> => {
    const path = `${contentPath(description)}/branches`;
    await call("DELETE", `${path}/new`, { as: people.admin });
    return await must("POST", path, { as: people.admin, body: { name: "new" } });
  },
  /** A component for templates. */
  component: (of) =>
    post(of, "/api/templates/components", {
      ...{ name: of.mark, category: "content", content: of.mark, styles: "b {}" },
      props: [{ name: "title", type: "string", default_value: of.mark }],
      variants: [{ name: "wide", content: of.mark }],
    }),
  /** A mail of the tenant that no event sends. */
  emailTemplate: (of) => post(of, "/api/email-templates", emailTemplateOf(of)),
  /** A mail that could not be sent. */
  mail: async (of) => {
    const [mail] = await query<Row>(
      `insert into public.mails (tenant_id, template, cause_id, "to", name, status, error, next_attempt_at)
       values ($1, 'welcome', gen_random_uuid(), $2, $3, 'failed', $3, null)
       returning *`,
      [of.tenantId, `${randomUUID()}@example.com`, of.mark],
    );
    return mail as Row;
  },
  /** An address that gets no mails. */
  suppression: async (of) => {
    const row = { tenant_id: of.tenantId, email: `${randomUUID()}@example.com`, reason: "bounce" };
    const made = supabaseAsService().from("mail_suppressions").insert(row);
    return (await made.select().single().throwOnError()).data as Row;
  },
  /** The homepage of the marketplace, translated, with a preview. */
  template: async (of): Promise<Row> => {
    const template = await post(of, "/api/templates", templateOf(of));
    await must("PUT", `/api/templates/${template.id}/localizations/de`, {
      as: of.people.admin,
      body: { translations: [{ key: "hello", value: of.mark }], custom_styles: "b {}" },
    });
    await post(of, `/api/templates/${template.id}/preview`, {});
    return template;
  },
  /** The first event: the admin's registration. It is listed after all concurrent transactions have ended. */
  event: ({ people }) =>
    eventually(async () => {
      const { events } = await must("GET", "/api/events?limit=1", { as: people.admin });
      if (!events[0]) throw new Error("no event is listed");
      return events[0];
    }),
} satisfies Record<string, (of: TenantRecords) => Promise<Row>>;

export type Thing = keyof typeof makers;

interface Tenant {
  tenantId: string;
  /** A text in every record of the tenant. An answer that contains it reveals a record. */
  mark: string;
  people: Record<Role, Person>;
  supplierId: string;
  customerId: string;
  receiver: Receiver;
}

/** A tenant, its members, and one record of each kind. */
export type TenantRecords = Tenant &
  Record<
    | "invitation"
    | "apiKey"
    | "auditEntry"
    | "member"
    | "organisation"
    | "application"
    | "awaiting"
    | "buyer"
    | "address"
    | "marketplace"
    | "category"
    | "product"
    | "synonyms"
    | "dashboard"
    | "sellersDashboard"
    | "folder"
    | "asset"
    | "digital"
    | "file"
    | "key"
    | "service"
    | "campaign"
    | "proposal"
    | "auction"
    | "order"
    | "session"
    | "collected"
    | "shipped"
    | "shipment"
    | "delivered"
    | "returnRequest"
    | "approvedReturn"
    | "rate"
    | "taxRate"
    | "discount"
    | "checkout"
    | "adjustment"
    | "payout"
    | "hold"
    | "ledgerLine"
    | "webhook"
    | "delivery"
    | "export"
    | "schedule"
    | "contentType"
    | "page"
    | "planned"
    | "entry"
    | "section"
    | "description"
    | "reviewed"
    | "approved"
    | "published"
    | "archived"
    | "branch"
    | "component"
    | "template"
    | "emailTemplate"
    | "mail"
    | "suppression"
    | "event",
    Row
  >;

/** The body of a campaign for the tenant's product. */
export function promotionOf({
  product,
  category,
}: Pick<TenantRecords, "product" | "category">): Row {
  const terms = { duration: 7, bidAmount: 0.5, pricingModel: "hybrid" };
  return { productId: product.id, categoryId: category.id, ...terms };
}

/** The body of a tax rate of the tenant's category. Its region is new, because rates of one place must not overlap. */
export function taxRateOf({ mark, category }: Pick<TenantRecords, "mark" | "category">): Row {
  return { country: "DE", region: randomUUID(), category_id: category.id, rate: 19, name: mark };
}

let codes = 0;

/** The body of a discount with a code of its own, for the tenant's marketplace and category. */
export function discountOf({
  mark,
  marketplace,
  category,
}: Pick<TenantRecords, "mark" | "marketplace" | "category">): Row {
  codes += 1;
  return {
    ...{ code: `${mark} ${codes}`, kind: "percentage", value: 10, uses_total: 50 },
    ...{ marketplace_id: marketplace.id, category_ids: [category.id] },
  };
}

/** The body of an adjustment. It is more than the charges of all campaigns of a test. */
export function adjustmentOf({ mark }: Pick<Tenant, "mark">): Row {
  return { amount: 1000, currency: "EUR", reason: mark };
}

/** The body of a hold of the supplier's part of the order. */
export function holdOf({
  mark,
  supplierId,
  order,
}: Pick<TenantRecords, "mark" | "supplierId" | "order">): Row {
  return { supplier_id: supplierId, order_id: order.id, reason: mark };
}

/** The body of an application to become a supplier. */
export function appliedOf({ mark }: Pick<Tenant, "mark">): Row {
  const legal = { name: mark, address: "2 Oak Street", tax_id: "DE1" };
  return { name: mark, email: `${randomUUID()}@example.com`, country: "DE", legal, message: mark };
}

/** The body of a mail with its own key. */
export function emailTemplateOf({ mark }: Pick<Tenant, "mark">): Row {
  return {
    key: `k_${randomUUID().replaceAll("-", "")}`,
    ...{ name: mark, subject: mark, html_content: `<p>${mark}</p>` },
  };
}

/** The body of an order for one piece of the tenant's product, for its customer. */
export function orderOf({ marketplace, product, customerId, mark }: TenantRecords): Row {
  return {
    marketplace_id: marketplace.id,
    customer_id: customerId,
    items: [{ product_id: product.id, variant_id: product.variants[0].id, quantity: 1, price: 5 }],
    shipping_address: { ...ADDRESS, street: mark },
    delivery_method: marketplace.settings.business?.delivery?.methods[0].key,
  };
}

/** The body of a checkout for one piece of the tenant's product. */
export function checkoutOf(of: Pick<TenantRecords, "marketplace" | "product" | "mark">): Row {
  const { marketplace_id, items, shipping_address, delivery_method } = orderOf(of as TenantRecords);
  return {
    ...{ marketplace_id, shipping_address, delivery_method },
    items: items.map(({ price: _, ...item }: Row) => item),
    contact: { email: "amina@example.com", name: of.mark },
  };
}

/** A line of an import: an order of another system. */
export function pastOrder({ product, mark }: TenantRecords): Row {
  return {
    external_id: randomUUID(),
    placed_at: "2024-03-01T10:00:00Z",
    customer: { email: `${randomUUID()}@example.com`, name: mark },
    items: [{ product_id: product.id, quantity: 1, price: 5 }],
    shipping_address: { ...ADDRESS, street: mark },
    status: "shipped",
    payment_status: "paid",
  };
}

/** The body of an order with everything that the tenant sells: goods, a key, a service. */
async function orderOfAll(of: TenantRecords): Promise<Row> {
  const { digital, service, people } = of;
  const { slots } = await must("GET", `/api/products/${service.id}/slots?limit=1`, {
    as: people.admin,
  });
  const order = orderOf(of);
  return {
    ...order,
    items: [
      { ...order.items[0], quantity: 5 },
      { product_id: digital.id, quantity: 1, price: 5 },
      { product_id: service.id, quantity: 1, price: 5, starts_at: slots[0].starts_at },
    ],
  };
}

/** The body of a dashboard. */
export function dashboardOf({ mark }: Pick<Tenant, "mark">): Row {
  const query = "/api/analytics/overview?period=today";
  return { name: mark, widgets: [{ type: "metric", title: mark, query }] };
}

/** A document with the mark in every text, in two languages. */
export function documentOf({ mark, asset }: Pick<TenantRecords, "mark" | "asset">): Row {
  const text = {
    type: "doc",
    content: [{ type: "paragraph", content: [{ type: "text", text: mark }] }],
  };
  const picture = { asset_id: asset.id, alt: mark };
  return {
    title: { en: mark, de: mark },
    content: text,
    blocks: [
      { id: "text", type: "text", content: { text } },
      { id: "image", type: "image", content: { ...picture, title: mark } },
      { id: "gallery", type: "gallery", content: { images: [picture] } },
      { id: "grid", type: "product_grid", content: { query: { search: mark, limit: 4 } } },
      { id: "banner", type: "banner", content: { title: mark, text: mark, href: `/${mark}` } },
      { id: "voices", type: "testimonials", content: { items: [{ author: mark, text: mark }] } },
    ],
    layout: mark,
    seo: { title: mark, description: mark, keywords: [mark], og_tags: { "og:title": mark } },
    localizations: {
      de: {
        content: text,
        seo: { title: mark },
        blocks: [{ id: "banner", content: { title: mark } }],
      },
    },
  };
}

/** The body of a template, with the mark in every text. */
export function templateOf({ mark, marketplace, component }: TenantRecords): Row {
  const shown = { component_id: component.id, props: { title: mark } };
  return {
    ...{ name: mark, type: "homepage", marketplace_id: marketplace.id, is_default: true },
    content: {
      sections: [
        {
          name: mark,
          blocks: [
            { type: "static_content", content: mark },
            { type: "component", content: shown },
          ],
        },
      ],
      variables: [{ name: "headline", type: "string", default_value: mark }],
      bindings: [{ variable: "greeting", source: { type: "static", value: mark } }],
    },
    caching: { strategy: "memory", duration: 60, invalidation: [mark.slice(0, 100)] },
  };
}

/** The path of a piece of content. */
function contentPath({ type, id }: Row): string {
  return `/api/content/${type}/${id}`;
}

/** The body of a service's calendar. */
export function calendarOf({ mark }: Pick<Tenant, "mark">): Row {
  return {
    time_zone: "UTC",
    duration_minutes: 60,
    capacity: 100,
    location: { street: mark },
    hours: [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, opens: "00:00", closes: "24:00" })),
    exceptions: [{ date: "2030-01-01", hours: [{ opens: "08:00", closes: "09:00" }] }],
  };
}

/** The headers that the webhook's receiver gets. */
export function headersOf({ mark }: Pick<Tenant, "mark">): Record<string, string> {
  return { Authorization: `Bearer ${mark}` };
}

/** Opens a tenant, creates a record of each kind in it, and sells, pays, ships and returns an order of everything. */
export async function openTenantRecords(name: string, time_zone = "UTC"): Promise<TenantRecords> {
  const mark = `${name}-${randomUUID()}`;
  const [admin, receiver] = await Promise.all([register({ tenant_name: mark }), openReceiver()]);
  const { tenantId } = admin;
  await must("PATCH", "/api/tenant", { as: admin, body: { time_zone } });
  const [supplier, customer, client] = await Promise.all([
    register({ tenant_id: tenantId, role: "supplier" }),
    register({ tenant_id: tenantId }),
    registerClient(tenantId),
  ]);
  const [{ supplier_id }, { customer_id }] = await Promise.all([
    must("GET", "/auth/me", { as: supplier }),
    must("GET", "/auth/me", { as: customer }),
  ]);
  const people = { admin, client, supplier, customer } as Record<Role, Person>;
  const ids = { supplierId: supplier_id, customerId: customer_id };
  const of = { tenantId, mark, people, receiver, ...ids } as TenantRecords;
  of.webhook = await makers.webhook(of);
  of.auditEntry = await makers.auditEntry(of);
  const draft = await makers.marketplace(of);
  of.marketplace = await must("PUT", `/api/marketplaces/${draft.id}`, {
    as: admin,
    body: { status: "active" },
  });
  people.guest = await openGuest(of.marketplace as { domain: string });
  of.category = await makers.category(of);
  of.category = await makers.category(of);
  of.synonyms = await makers.synonyms(of);
  of.dashboard = await makers.dashboard(of);
  of.sellersDashboard = await makers.sellersDashboard(of);
  for (const thing of [
    "folder",
    "asset",
    "product",
    "application",
    "awaiting",
    "digital",
    "file",
    "key",
    "service",
    "invitation",
    "apiKey",
    "address",
    "taxRate",
    "discount",
    "checkout",
  ] as const) {
    of[thing] = await makers[thing](of);
  }
  // One more file, which is a private asset.
  const book = await upload(supplier, Buffer.from(`%PDF ${mark}`), TYPES.pdf, { private: true });
  const sold = { name: mark, asset_id: book.id };
  await must("POST", `/api/products/${of.digital.id}/files`, { as: supplier, body: sold });
  await configure(of, `/categories/${of.category.id}`, { basePrice: 1 });
  await configure(of, "/settings", { auction_log_share: 1 });
  of.campaign = await makers.campaign(of);
  of.proposal = await makers.proposal(of);
  of.auction = await makers.auction(of);
  of.organisation = { id: supplier_id };
  of.buyer = { id: customer_id };
  of.member = { id: customer.id };
  of.rate = await makers.rate(of);
  of.order = await sell(of);
  of.session = await makers.session(of);
  of.collected = of.order;
  of.shipped = of.order;
  of.shipment = await sentOf(of, of.order);
  of.delivered = of.order;
  of.returnRequest = await returningOf(of, of.order);
  of.approvedReturn = of.returnRequest;
  await must("PUT", "/api/commission-rates", {
    as: admin,
    body: { supplier_id, commission_percent: 10 },
  });
  for (const thing of ["adjustment", "payout", "ledgerLine"] as const) {
    of[thing] = await makers[thing](of);
  }
  of.hold = await post(of, "/api/payout-holds", holdOf(of));
  // One more key, so that one is available.
  of.key = await makers.key(of);
  await settle(of);
  of.export = await makers.export(of);
  of.schedule = await makers.schedule(of);
  of.delivery = await makers.delivery(of);
  for (const thing of [
    "contentType",
    "entry",
    "page",
    "planned",
    "section",
    "description",
    "reviewed",
    "branch",
    "component",
    "template",
    "emailTemplate",
    "mail",
    "suppression",
  ] as const) {
    of[thing] = await makers[thing](of);
  }
  of.approved = of.reviewed;
  of.published = of.reviewed;
  of.archived = of.reviewed;
  of.event = await makers.event(of);
  await settle(of);
  return of;
}

/**
 * An order of everything, in every state: paid, annotated, shipped, and partly refunded, cancelled and returned.
 */
export async function sell(of: TenantRecords): Promise<Row> {
  const { id, items } = await post(of, "/api/orders", await orderOfAll(of));
  const path = `/api/orders/${id}`;
  const session = await post(of, `${path}/payment-sessions`, { provider: "manual" });
  await post(of, `/api/payment-sessions/${session.id}/capture`, { reference: of.mark });
  await post(of, `${path}/refunds`, { amount: 0.01, reason: of.mark });
  await post(of, `${path}/notes`, { text: of.mark, visibility: "customer" });
  const some = (quantity: number) => [{ item_id: items[0].id, quantity }];
  await post(of, `${path}/cancellations`, { items: some(1), reason: of.mark });
  const sent = await post(of, `${path}/shipments`, { items: some(2), note: of.mark });
  await must("PATCH", `${path}/shipments/${sent.id}`, {
    as: of.people.admin,
    body: { status: "delivered" },
  });
  await moved(of, id, "shipped");
  await post(of, `${path}/returns`, { items: some(1), note: of.mark });
  await post(of, `${path}/return-requests`, { items: some(1), reason: of.mark });
  return await must("GET", path, { as: of.people.admin });
}

/** Waits until all background work is done, so that later changes are caused by tests. */
export async function settle({ people }: TenantRecords): Promise<void> {
  await eventuallyNone(async () => {
    const db = supabaseAs(people.admin);
    const [deliveries, mails] = await Promise.all([
      db.from("webhook_deliveries").select("status").neq("status", "success").throwOnError(),
      db.from("mails").select("status").in("status", ["pending", "retrying"]).throwOnError(),
    ]);
    return deliveries.data.length + mails.data.length;
  });
}

function post({ people }: Pick<Tenant, "people">, path: string, body: Row): Promise<Row> {
  return must("POST", path, { as: people.admin, body });
}

function listed(of: TenantRecords, overrides: Row): Promise<Row> {
  return must("POST", "/api/products", {
    as: of.people.supplier,
    body: { name: of.mark, price: 5, marketplace_id: of.marketplace.id, ...overrides },
  });
}

function written(of: TenantRecords, as: Person, type: string, overrides: Row): Promise<Row> {
  const slug = `${of.mark.toLowerCase()}-${randomUUID()}`;
  const body = { ...documentOf(of), slug, comment: of.mark, ...overrides };
  return must("POST", `/api/content/${type}`, { as, body });
}

/** Executes moves of content as the admin, and returns its record. */
async function stepped(of: TenantRecords, content: Row, ...moves: string[]): Promise<Row> {
  let moved = content;
  for (const move of moves) {
    moved = await post(of, `${contentPath(content)}/${move}`, { comment: of.mark });
  }
  return moved;
}

function configure({ people }: Tenant, path: string, body: Row): Promise<Row> {
  return must("PUT", `/api/v1/top-placement${path}`, { as: people.admin, body });
}

/** A campaign for a new product of the supplier. */
async function promoted(of: TenantRecords, as: Person): Promise<Row> {
  const { id } = await listed(of, { category_id: of.category.id });
  const campaign = await must("POST", "/api/v1/top-placement/campaigns", {
    as,
    body: promotionOf({ ...of, product: { id } }),
  });
  const stood = { tenant_id: of.tenantId, campaign_id: campaign.id, held: 1, won: 1 };
  await supabaseAsService()
    .from("campaign_auctions")
    .insert({ ...stood, date: "2026-01-01" })
    .throwOnError();
  return campaign;
}

async function askedOf(of: TenantRecords, { id, items }: Row): Promise<Row> {
  const body = { items: [{ item_id: items[0].id, quantity: 1 }], reason: of.mark };
  const asked = await post(of, `/api/orders/${id}/return-requests`, body);
  return { ...asked, id, request_id: asked.id };
}

async function returningOf({ people }: Tenant, { id }: Row): Promise<Row> {
  const path = `/api/orders/${id}/return-requests`;
  const { return_requests } = await must("GET", path, { as: people.admin });
  return { ...return_requests[0], id, request_id: return_requests[0].id };
}

async function sentOf({ people }: Tenant, { id }: Row): Promise<Row> {
  const { shipments } = await must("GET", `/api/orders/${id}/shipments`, { as: people.admin });
  const last = shipments.at(-1);
  return { ...last, id, shipment_id: last.id };
}

function moved({ people, mark }: Tenant, id: string, status: string): Promise<Row> {
  const body = { status, note: mark };
  return must("PATCH", `/api/orders/${id}/status`, { as: people.admin, body });
}
