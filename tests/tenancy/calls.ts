import { randomUUID } from "node:crypto";
import { marketplaceFields } from "../souk.js";
import {
  adjustmentOf,
  appliedOf,
  calendarOf,
  checkoutOf,
  discountOf,
  holdOf,
  orderOf,
  pastOrder,
  type Row,
  type TenantRecords,
  taxRateOf,
} from "./tenant-records.js";

// Arguments for each function of the REST interface that try to reach another tenant's records.

/** The filters of a figure, with another tenant's ids. */
const scopes = ({ marketplace, category, supplierId }: TenantRecords): Row[] => [
  {},
  { marketplace_id: marketplace.id },
  { category: category.id },
  { supplier_id: supplierId },
];
/** A published page and a draft, by type and id. */
const pieces = ({ page, description }: TenantRecords): Row[] =>
  [page, description].map(({ type, id }) => ({ type, id }));

const translations = (theirs: TenantRecords): Row[] =>
  pieces(theirs).map((piece) => ({ ...piece, language: "de" }));

/** The arguments of a page, with another tenant's ids. */
const pages = ({ template, marketplace, product, category, asset }: TenantRecords): Row[] => [
  { id_or_type: template.id },
  { id_or_type: template.id, options: { version: 1 } },
  { id_or_type: template.id, options: { preview: "guessed" } },
  { id_or_type: "homepage", options: { marketplace_id: marketplace.id } },
  { id_or_type: "homepage", options: { asset_ids: [asset.id] } },
  { id_or_type: "product", options: { product_id: product.id } },
  { id_or_type: "category", options: { category_id: category.id } },
];

/** `{ "create_product": […] }`: the arguments for each function. Null: the function is not for users. */
export const calls: Record<string, ((theirs: TenantRecords, ours: TenantRecords) => Row[]) | null> =
  {
    accept_invitation: () => [{ invitation: "guessed" }],
    activate_template_version: ({ template }) =>
      [1, 2].map((version_number) => ({ template_id: template.id, version_number })),
    add_licence_keys: ({ digital }) => [{ product_id: digital.id, codes: ["guessed"] }],
    add_order_note: ({ order }) => [{ order_id: order.id, text: "Mine" }],
    add_product_file: ({ digital, asset }, ours) => [
      { product_id: digital.id, name: "Mine", url: "https://example.com" },
      { product_id: ours.digital.id, name: "Mine", asset_id: asset.id },
    ],
    admit_guest: null,
    analytics_cohorts: scopes,
    analytics_dashboard: ({ dashboard, sellersDashboard }) =>
      [dashboard, sellersDashboard].map(({ id }) => ({ dashboard_id: id })),
    analytics_funnel: scopes,
    analytics_overview: scopes,
    analytics_revenue: scopes,
    analytics_sales: scopes,
    analytics_segment_customers: scopes,
    analytics_segments: scopes,
    analytics_top_products: scopes,
    approve_product: ({ awaiting, product }) => [
      { product_id: awaiting.id },
      { product_id: product.id, reason: "Mine" },
    ],
    approve_supplier_application: ({ application }) => [{ application_id: application.id }],
    approve_campaign: ({ proposal }) => [{ campaign_id: proposal.id }],
    branches_to_merge: (theirs) =>
      pieces(theirs).map((piece) => ({ ...piece, from: "new", into: "main" })),
    campaign_report: ({ campaign }) => [{ campaign_id: campaign.id }],
    approve_return: ({ returnRequest: { id, request_id } }, { returnRequest: ours }) => [
      { order_id: id, request_id },
      { order_id: ours.id, request_id },
    ],
    begin_guest_registration: null,
    begin_payment: ({ order, session }) => [
      { order_id: order.id, provider: "manual" },
      { order_id: session.order_id, provider: "manual" },
      { order_id: session.order_id, provider: "stripe", return_url: "https://example.com" },
    ],
    booked_orders: () => [{}],
    cancel_checkout: ({ checkout }) => [
      { checkout_id: checkout.id },
      { checkout_id: checkout.id, token: "guessed" },
    ],
    cancel_content_schedule: pieces,
    cancel_order_items: ({ order }) => [
      { order_id: order.id },
      { order_id: order.id, items: [{ item_id: order.items[0].id, quantity: 1 }] },
    ],
    cancel_return: ({ returnRequest: { id, request_id } }, { returnRequest: ours }) => [
      { order_id: id, request_id },
      { order_id: ours.id, request_id },
    ],
    cancel_unpaid_orders: null,
    capture_payment: ({ session }) => [{ session_id: session.id }],
    change_campaign: ({ campaign }) => [
      { campaign_id: campaign.id, changes: { status: "cancelled" } },
      { campaign_id: campaign.id, changes: { bid_amount: 9 } },
    ],
    change_inventory: ({ product }) => [
      { product_id: product.id, quantity: 0, operation: "set" },
      { product_id: product.id, quantity: 1, operation: "add", variant_id: product.variants[0].id },
    ],
    change_marketplace: ({ marketplace }) => [
      { marketplace_id: marketplace.id, changes: { name: "Mine" } },
    ],
    change_order_status: ({ order }) => [
      { order_id: order.id, status: "delivered" },
      { order_id: order.id, status: "returned" },
    ],
    change_webhook: ({ webhook }) => [
      { webhook_id: webhook.id, changes: { url: "https://example.com", active: false } },
    ],
    compare_content: (theirs) =>
      pieces(theirs).map((piece) => ({ ...piece, from_version: 1, to_version: 1 })),
    compare_sales: null,
    compare_visitors: null,
    count_visitors: null,
    compare_template_versions: ({ template }) => [
      { template_id: template.id, from_version: 1, to_version: 1 },
    ],
    complete_checkout: ({ checkout }) => [
      { checkout_id: checkout.id, total: 5 },
      { checkout_id: checkout.id, total: 5, token: "guessed" },
    ],
    content_to_merge: (theirs) => pieces(theirs).map((piece) => ({ ...piece, version_number: 1 })),
    count_requests: null,
    create_adjustment: (theirs, ours) => {
      const mine = adjustmentOf({ mark: "Mine" });
      return [
        { ...mine, supplier_id: theirs.supplierId },
        { ...mine, supplier_id: theirs.supplierId, order_id: theirs.order.id },
        { ...mine, supplier_id: ours.supplierId, order_id: theirs.order.id },
      ];
    },
    create_campaign: (theirs, ours) =>
      [
        [theirs, theirs],
        [theirs, ours],
        [ours, theirs],
      ].map(([seller, owner]) => ({
        product_id: (seller as TenantRecords).product.id,
        category_id: (owner as TenantRecords).category.id,
        duration: 1,
        bid_amount: 9,
      })),
    create_category: ({ category }) => [{ name: "Mine", parent_id: category.id }],
    create_checkout: (theirs, ours) => [
      { request: checkoutOf(theirs) },
      { request: { ...checkoutOf(ours), marketplace_id: theirs.marketplace.id } },
      { request: { ...checkoutOf(ours), items: checkoutOf(theirs).items } },
      { request: { ...checkoutOf(ours), customer_id: theirs.customerId } },
      { request: { ...checkoutOf(ours), replaces: theirs.order.id } },
    ],
    create_content: ({ contentType, marketplace, product, category, asset }) => {
      const document = { title: { en: "Mine" } };
      return [
        { type: contentType.key, document },
        { type: "static_pages", document, marketplace_id: marketplace.id },
        { type: "products", document, subject_id: product.id },
        { type: "categories", document, subject_id: category.id },
        {
          type: "static_pages",
          document: {
            ...document,
            blocks: [{ type: "image", content: { asset_id: asset.id } }],
          },
        },
      ];
    },
    create_content_branch: (theirs) => pieces(theirs).map((piece) => ({ ...piece, name: "mine" })),
    create_content_preview: pieces,
    create_content_type: ({ contentType }) => [{ key: contentType.key, name: "Mine" }],
    create_customer: () => [{ name: "Mine" }],
    create_customer_address: () => [{ address: { street: "Mine", city: "Fez" } }],
    get_customer_address: ({ address }) => [{ address_id: address.id }],
    list_customer_addresses: () => [{}],
    remove_customer_address: ({ address }) => [{ address_id: address.id }],
    update_customer: ({ buyer }) => [{ customer_id: buyer.id, changes: { name: "Mine" } }],
    update_customer_address: ({ address }) => [
      { address_id: address.id, changes: { city: "Mine" } },
    ],
    create_dashboard: ({ marketplace, supplierId }) =>
      ["", `?marketplace_id=${marketplace.id}`, `?supplier_id=${supplierId}`].map((query) => ({
        name: "Mine",
        widgets: [{ type: "table", title: "Mine", query: `/api/analytics/sales${query}` }],
      })),
    create_discount: (theirs, ours) => {
      const mine = discountOf({ ...ours, mark: "Mine" });
      return [
        discountOf({ ...theirs, mark: "Mine" }),
        { ...mine, category_ids: [theirs.category.id] },
        { ...mine, product_ids: [theirs.product.id] },
        { ...mine, supplier_ids: [theirs.supplierId] },
      ];
    },
    create_export: ({ marketplace, category, supplierId }) => [
      { type: "orders", format: "csv", marketplace_id: marketplace.id },
      { type: "products", format: "csv", category: category.id },
      { type: "products", format: "csv", supplier_id: supplierId },
    ],
    create_export_schedule: ({ marketplace, category, supplierId }) => [
      { type: "orders", format: "csv", every: "month", marketplace_id: marketplace.id },
      { type: "products", format: "csv", every: "month", category: category.id },
      { type: "products", format: "csv", every: "month", supplier_id: supplierId },
    ],
    create_api_key: ({ supplierId }) => [
      { name: "Mine", role: "supplier", supplier_id: supplierId },
    ],
    create_invitation: ({ supplierId }) => [
      { email: `${randomUUID()}@example.com`, role: "supplier", supplier_id: supplierId },
    ],
    create_marketplace: () => [marketplaceFields()],
    create_media_asset: ({ folder }) => [
      { filename: "mine.png", size: 1, content_type: "image/png", folder_id: folder.id },
    ],
    create_media_folder: ({ folder }) => [{ name: "Mine", parent_id: folder.id }],
    create_payout_hold: (theirs, ours) => {
      const mine = holdOf({ ...theirs, mark: "Mine" });
      return [
        mine,
        { ...mine, order_id: null },
        { ...mine, supplier_id: ours.supplierId },
        { ...mine, order_id: ours.order.id },
      ];
    },
    create_payouts: ({ supplierId }) => [
      { supplier_id: supplierId },
      { supplier_id: supplierId, until: "2026-01-01" },
    ],
    create_product: ({ marketplace, category, supplierId }) => [
      { name: "Mine", price: 1, marketplace_id: marketplace.id },
      { name: "Mine", price: 1, category_id: category.id },
      { name: "Mine", price: 1, supplier_id: supplierId },
    ],
    create_email_template: () => [
      { key: "mine", name: "Mine", subject: "Mine", html_content: "<p>Mine</p>" },
    ],
    create_refund: ({ order, collected }, ours) => [
      { order_id: order.id, amount: 1 },
      { order_id: collected.id, amount: 1, reason: "Mine" },
      {
        ...{ order_id: ours.collected.id, amount: 1 },
        items: [{ item_id: collected.items[0].id, amount: 1 }],
      },
    ],
    create_search_synonyms: () => [{ terms: ["mine", "my own"] }],
    create_shipment: ({ order }, ours) => [
      { order_id: order.id },
      { order_id: ours.order.id, items: [{ item_id: order.items[0].id, quantity: 1 }] },
    ],
    create_supplier: () => [{ name: "Mine" }],
    create_supplier_application: () => [appliedOf({ mark: "Mine" })],
    create_tax_rate: (theirs, ours) =>
      [theirs, ours].map((of) => ({ ...taxRateOf({ ...of, mark: "Mine" }), region: "Mine" })),
    create_template: ({ template, component, marketplace }) => {
      const block = { type: "component", content: { component_id: component.id } };
      const fields = { name: "Mine", type: "homepage" };
      return [
        { ...fields, content: { inheritance: { parent_id: template.id } } },
        { ...fields, content: { sections: [{ blocks: [block] }] } },
        { ...fields, content: {}, marketplace_id: marketplace.id },
      ];
    },
    create_template_component: () => [{ name: "Mine", category: "form", content: "" }],
    create_template_preview: ({ template }) => [{ template_id: template.id }],
    create_webhook: ({ marketplace }) => [
      { url: "https://example.com", events: ["order.created"] },
      {
        url: "https://example.com",
        events: ["order.created"],
        filter: { marketplace_ids: [marketplace.id], statuses: null },
      },
    ],
    delete_content: pieces,
    delete_content_branch: (theirs) => pieces(theirs).map((piece) => ({ ...piece, name: "new" })),
    delete_content_preview: pieces,
    delete_content_type: ({ contentType }) => [{ key: contentType.key }],
    delete_media_asset: ({ asset }) => [{ asset_id: asset.id }],
    delete_media_folder: ({ folder }) => [{ folder_id: folder.id }],
    delete_product: ({ product, service }) => [
      { product_id: product.id },
      { product_id: service.id },
    ],
    delete_template: ({ template }) => [{ template_id: template.id }],
    delete_template_component: ({ component }) => [{ component_id: component.id }],
    delete_template_preview: ({ template }) => [{ template_id: template.id }],
    export_files_to_remove: null,
    export_products: ({ marketplace, category, supplierId }) => [
      {},
      { marketplace_id: marketplace.id },
      { category: category.id },
      { supplier_id: supplierId },
    ],
    erase_personal_data: ({ buyer }) => [{ customer_id: buyer.id }],
    read_personal_data: ({ buyer }) => [{ customer_id: buyer.id }],
    end_guest_registration: null,
    end_session_of_spent: null,
    health: null,
    deliver_due_shipments: null,
    deliver_ended_bookings: null,
    email_template_preview: ({ emailTemplate, marketplace }, ours) => [
      { template_id: emailTemplate.id },
      { template_id: ours.emailTemplate.id, marketplace_id: marketplace.id },
    ],
    embedding_status: null,
    store_mail_contents: null,
    fail_media_cleaning: null,
    finish_media_cleaning: null,
    finish_media_upload: null,
    functions_key: null,
    get_auction: ({ auction }) => [{ auction_id: auction.id }],
    get_campaign_auctions: ({ campaign }) => [{ campaign_id: campaign.id }],
    found_customers: ({ mark }) => [{ search: mark }],
    found_orders: ({ order }) => [
      { search: String(order.number) },
      { search: order.contact?.email ?? "example.com" },
    ],
    get_category: ({ category }) => [{ category_id: category.id }],
    get_checkout: ({ checkout }) => [
      { checkout_id: checkout.id },
      { checkout_id: checkout.id, token: "guessed" },
    ],
    get_dashboard: ({ dashboard, sellersDashboard }) =>
      [dashboard, sellersDashboard].map(({ id }) => ({ dashboard_id: id })),
    get_content: (theirs) => [
      ...pieces(theirs),
      ...pieces(theirs).map((piece) => ({ ...piece, version: 1 })),
      { type: "products", id: theirs.product.id },
      { type: "static_pages", id: theirs.page.slug },
      { type: theirs.contentType.key, id: theirs.entry.id },
    ],
    get_content_version: (theirs) =>
      pieces(theirs).map((piece) => ({ ...piece, version_number: 1 })),
    get_delivery: ({ webhook, delivery }) => [{ webhook_id: webhook.id, delivery_id: delivery.id }],
    get_inventory: ({ product }) => [{ product_id: product.id }],
    get_localization: translations,
    get_media: ({ asset }) => [{ asset_id: asset.id }],
    get_placement_category: ({ category }) => [{ category_id: category.id }],
    get_placement_settings: () => [{}],
    get_product: ({ product }) => [{ product_id: product.id }],
    get_product_by_slug: ({ product, marketplace }) => [
      { slug: product.slug },
      { slug: product.slug, marketplace_id: marketplace.id },
    ],
    get_service_calendar: ({ service }) => [{ product_id: service.id }],
    get_template: ({ template, marketplace }) => [
      { id_or_type: template.id },
      { id_or_type: template.id, version: 1 },
      { id_or_type: "homepage", marketplace_id: marketplace.id },
    ],
    get_template_localization: ({ template }) => [{ template_id: template.id, language: "de" }],
    import_orders: (theirs, ours) => [
      { lines: [pastOrder(theirs)], marketplace_id: theirs.marketplace.id },
      { lines: [pastOrder(theirs)], marketplace_id: ours.marketplace.id },
      { lines: [{ ...pastOrder(ours), marketplace_id: theirs.marketplace.id }] },
    ],
    import_products: ({ marketplace, product }) => [
      { lines: [{ name: "Mine", price: 1 }], marketplace_id: marketplace.id },
      { lines: [{ id: product.id, name: "Mine", price: 1 }] },
    ],
    // Anybody may join a tenant as a customer, so this uses one that does not exist.
    join_tenant: () => [{ tenant_id: randomUUID() }],
    leave_export: null,
    limit_rest: null,
    list_auctions: ({ category, campaign }) => [
      {},
      { category_id: category.id },
      { campaign_id: campaign.id },
    ],
    list_categories: () => [{}],
    list_commissions: ({ marketplace, supplierId }) => [
      {},
      { marketplace_id: marketplace.id },
      { supplier_id: supplierId },
    ],
    list_dashboards: () => [{}],
    list_content: ({ contentType, mark }) => [
      ...["static_pages", "products", "categories"].flatMap((type) => [
        { type },
        { type, search: mark },
      ]),
      { type: contentType.key },
    ],
    list_countries: () => [{}],
    list_delivery_methods: ({ marketplace }) => [{ marketplace_id: marketplace.id }],
    list_payment_methods: ({ marketplace }) => [{ marketplace_id: marketplace.id }],
    list_content_branches: pieces,
    list_content_moves: pieces,
    list_content_versions: pieces,
    list_events: ({ event }) => [{}, { name: event.event }, { since: event.timestamp }],
    list_inventory: ({ product, marketplace }) => [
      {},
      { product_id: product.id },
      { marketplace_id: marketplace.id },
    ],
    list_inventory_movements: ({ product, order }) => [
      {},
      { product_id: product.id },
      { order_id: order.id },
    ],
    list_ledger: ({ supplierId, marketplace, order, payout }) => [
      {},
      { supplier_id: supplierId },
      { marketplace_id: marketplace.id },
      { order_id: order.id },
      { payout_id: payout.id },
    ],
    list_licence_keys: ({ digital }) => [{ product_id: digital.id }],
    list_media: ({ folder, mark }) => [{}, { search: mark }, { folder_id: folder.id }],
    list_media_folders: () => [{}],
    list_placement_slots: ({ category }) => [{ category_id: category.id }],
    list_product_files: ({ digital }) => [{ product_id: digital.id }],
    list_products: ({ mark, marketplace, category, supplierId }) => [
      {},
      { search: mark },
      { brand: [mark] },
      { attributes: { brand: [mark] }, facets: ["brand"] },
      { marketplace_id: marketplace.id },
      { category: [category.id] },
      { supplier_id: supplierId },
    ],
    list_return_requests: ({ order }) => [{ order_id: order.id }],
    list_service_slots: ({ service }) => [{ product_id: service.id }],
    list_shipments: ({ order }) => [{ order_id: order.id }],
    list_template_localizations: ({ template }) => [{ template_id: template.id }],
    list_template_versions: ({ template }) => [{ template_id: template.id }],
    list_templates: ({ marketplace, mark }) => [
      {},
      { marketplace_id: marketplace.id },
      { search: mark },
    ],
    me: () => [{}],
    media_advice: null,
    media_upload: ({ asset }) => [{ asset_id: asset.id }],
    merge_content: (theirs) =>
      pieces(theirs).map((piece) => ({
        ...piece,
        ...{ from: "new", into: "main", from_version: 1, into_version: 1, document: {} },
      })),
    move_content: (theirs) =>
      pieces(theirs).flatMap((piece) =>
        ["submit", "unpublish", "archive"].map((move) => ({ ...piece, move })),
      ),
    my_tenants: () => [{}],
    open_tenant: () => [{ tenant_name: "Mine" }],
    order_downloads: ({ order }) => [{ order_id: order.id }],
    page_assets: null,
    payout_statement: ({ payout }) => [{ payout_id: payout.id }],
    payout_statement_lines: ({ payout, ledgerLine }, ours) => [
      { payout_id: payout.id },
      { payout_id: ours.payout.id, after: ledgerLine.id },
    ],
    period_bounds: () => [{ from: "2026-01-01", to: "2026-01-31" }],
    perform_once: (theirs, ours) =>
      Object.entries(calls).flatMap(([operation, attempts]) =>
        operation === "perform_once"
          ? []
          : (attempts?.(theirs, ours) ?? []).map((sent) => ({
              key: randomUUID(),
              operation,
              arguments: sent,
            })),
      ),
    place_order: (theirs, ours) => [
      orderOf(theirs),
      orderOf({ ...theirs, customerId: ours.customerId }),
      orderOf({ ...theirs, marketplace: ours.marketplace, customerId: ours.customerId }),
      orderOf({ ...ours, customerId: theirs.customerId }),
      { ...orderOf(ours), replaces: theirs.order.id },
    ],
    placement_report: () => [{}, { from: "2026-01-01" }],
    read_export_rows: null,
    preview_content: null,
    publish_content: (theirs) =>
      pieces(theirs).flatMap((piece) => [
        piece,
        { ...piece, at: "2100-01-01T00:00:00Z" },
        { ...piece, languages: ["de"] },
      ]),
    read_lesson: null,
    receive_return: ({ returnRequest: { id, request_id } }, { returnRequest: ours }) => [
      { order_id: id, request_id },
      { order_id: ours.id, request_id },
    ],
    record_lesson: null,
    record_mail: null,
    record_payment_reports: null,
    record_payment_session: null,
    record_refund: null,
    record_placement_events: ({ campaign, order, customerId }, ours) => [
      {
        events: [
          ...["impression", "click"].map((type) => ({
            type,
            campaign_id: campaign.id,
            visitor_id: customerId,
          })),
          { type: "conversion", order_id: order.id, visitor_id: ours.customerId },
        ],
      },
    ],
    record_storefront_events: ({ product, marketplace, people }) => [
      {
        events: [
          { type: "product_view", product_id: product.id, visitor_id: people.customer.id },
          { type: "visit", marketplace_id: marketplace.id, visitor_id: people.customer.id },
        ],
      },
    ],
    recover_webhook: ({ webhook }) => [{ webhook_id: webhook.id, since: "2026-01-01T00:00:00Z" }],
    refund_placement_clicks: ({ campaign }) => [
      { campaign_id: campaign.id, visitor_id: "nobody" },
      { campaign_id: campaign.id, click_ids: [randomUUID()] },
    ],
    refuse_media_upload: null,
    register_media: ({ asset, tenantId }) => [
      { bucket: "uploads", path: `${tenantId}/${asset.id}` },
      { bucket: "media", path: `${tenantId}/${asset.id}.png` },
    ],
    reject_product: ({ awaiting }) => [{ product_id: awaiting.id, reason: "Mine" }],
    reject_supplier_application: ({ application }) => [{ application_id: application.id }],
    reject_campaign: ({ proposal }) => [{ campaign_id: proposal.id, note: "Mine" }],
    reject_return: ({ returnRequest: { id, request_id } }, { returnRequest: ours }) => [
      { order_id: id, request_id },
      { order_id: ours.id, request_id },
    ],
    remove_api_key: ({ apiKey }) => [{ api_key_id: apiKey.id }],
    remove_licence_key: ({ digital, key }) => [{ product_id: digital.id, licence_key_id: key.id }],
    replace_media_asset: ({ asset }) => [
      { asset_id: asset.id, filename: "mine.png", size: 1, content_type: "image/png" },
    ],
    report_export: null,
    report_mail: null,
    report_payment: ({ order }) => [
      { order_id: order.id, status: "refunded", amount: 1, reference: "Mine" },
      { order_id: order.id, status: "payment_reversed", reference: "Mine" },
    ],
    resume_mail: null,
    retry_mail: ({ mail }) => [{ mail_id: mail.id }],
    request_return: ({ order }, ours) => [
      { order_id: order.id, items: [{ item_id: order.items[0].id, quantity: 1 }] },
      { order_id: ours.order.id, items: [{ item_id: order.items[0].id, quantity: 1 }] },
    ],
    retry_delivery: ({ webhook, delivery }, ours) => [
      { webhook_id: webhook.id, delivery_id: delivery.id },
      { webhook_id: ours.webhook.id, delivery_id: delivery.id },
      { webhook_id: webhook.id, delivery_id: ours.delivery.id },
    ],
    replace_checkout: (theirs, ours) => [
      { checkout_id: theirs.checkout.id, request: checkoutOf(ours) },
      { checkout_id: ours.checkout.id, request: checkoutOf(theirs) },
    ],
    return_order_items: ({ order }) => [
      { order_id: order.id, items: [{ item_id: order.items[0].id, quantity: 1 }] },
    ],
    roll_up_sales: null,
    rollback_content: (theirs) => pieces(theirs).map((piece) => ({ ...piece, to_version: 1 })),
    rotate_webhook_secret: ({ webhook }) => [
      { webhook_id: webhook.id },
      { webhook_id: webhook.id, secret: "a secret of somebody else's" },
    ],
    save_content: (theirs) =>
      pieces(theirs).map((piece) => ({
        ...piece,
        ...{ version_number: 1, changes: { title: { en: "Mine" } } },
      })),
    save_localization: (theirs) =>
      translations(theirs).map((translation) => ({
        ...translation,
        ...{ version_number: 1, changes: { title: "Meins" } },
      })),
    save_template: ({ template }) => [
      { template_id: template.id, version_number: 1, changes: { name: "Mine" } },
    ],
    save_template_component: ({ component }) => [
      { component_id: component.id, version_number: 1, changes: { name: "Mine" } },
    ],
    save_template_localization: ({ template }) =>
      ["de", "fr"].map((language) => ({
        ...{ template_id: template.id, language, version_number: 1 },
        changes: { translations: [] },
      })),
    search_by_meaning: ({ mark, marketplace, category, supplierId }) => [
      { query: mark },
      { query: "ours theirs", brand: [mark] },
      { query: "ours theirs", marketplace_id: marketplace.id },
      { query: "ours theirs", category: [category.id] },
      { query: "ours theirs", supplier_id: supplierId },
    ],
    set_commission_rate: ({ supplierId, rate }) => [
      { supplier_id: supplierId, commission_percent: 1 },
      { category_id: rate.category_id, commission_percent: 1 },
    ],
    set_event_retention: null,
    set_image_transformations: null,
    set_storage_address: null,
    set_localization_status: (theirs) =>
      translations(theirs).map((translation) => ({ ...translation, status: "in_progress" })),
    set_placement_category: ({ category }) => [
      { category_id: category.id, changes: { forbidden: true } },
    ],
    set_placement_settings: () => [{ changes: { auction_log_share: 1 } }],
    set_cap: null,
    set_mail_status: null,
    set_mails_per_day: null,
    set_rate_limit: null,
    set_signing_key: null,
    sign_address: null,
    set_service_calendar: ({ service, ...theirs }) => [
      { product_id: service.id, ...calendarOf(theirs) },
    ],
    similar_products: ({ product }) => [{ product_id: product.id }],
    spend_refresh_token: null,
    storefront: () => [{ domain: "nowhere.example.com" }],
    switch_tenant: ({ tenantId }) => [{ tenant_id: tenantId }],
    take_back_request: null,
    lease_embedding_jobs: null,
    lease_export: null,
    lease_refunds: null,
    take_lesson: null,
    lease_mails: null,
    take_media_cleanings: null,
    take_media_sweeps: null,
    lease_webhook_deliveries: null,
    template_inputs: pages,
    test_email_template: ({ emailTemplate }) => [{ template_id: emailTemplate.id, variables: {} }],
    unsubscribe: null,
    template_key: pages,
    top_sales: ({ marketplace, category }) => [
      {},
      { marketplace_id: marketplace.id },
      { category: category.id },
    ],
    unpublish_content: (theirs) =>
      pieces(theirs).flatMap((piece) => [piece, { ...piece, languages: ["de"] }]),
    update_category: ({ category }) => [{ category_id: category.id, changes: { name: "Mine" } }],
    update_content_type: ({ contentType }) => [
      { key: contentType.key, changes: { name: "Mine" } },
      { key: contentType.key, changes: { workflow: [] } },
    ],
    update_dashboard: ({ dashboard, sellersDashboard }) =>
      [dashboard, sellersDashboard].map(({ id }) => ({
        dashboard_id: id,
        changes: { name: "Mine" },
      })),
    update_media_asset: ({ asset }) => [{ asset_id: asset.id, changes: { alt_text: "Mine" } }],
    update_media_folder: ({ folder }) => [{ folder_id: folder.id, changes: { name: "Mine" } }],
    update_payout: ({ payout }) => [
      { payout_id: payout.id, status: "paid", reference: "Mine" },
      { payout_id: payout.id, status: "failed", reason: "Mine" },
    ],
    update_product: ({ product }) => [{ product_id: product.id, changes: { name: "Mine" } }],
    update_shipment: ({ shipment: { id, shipment_id } }, { shipment: ours }) => [
      { order_id: id, shipment_id, changes: { carrier: "Mine" } },
      { order_id: ours.id, shipment_id, changes: { status: "lost" } },
    ],
    update_supplier: ({ supplierId }) => [{ supplier_id: supplierId, changes: { name: "Mine" } }],
    remove_tenant: ({ mark }) => [{ name: mark }],
    update_tax_rate: ({ taxRate }, { category }) => [
      { tax_rate_id: taxRate.id, changes: { name: "Mine" } },
      { tax_rate_id: taxRate.id, changes: { category_id: category.id } },
    ],
    update_discount: (theirs, ours) => [
      { discount_id: theirs.discount.id, changes: { status: "paused" } },
      { discount_id: ours.discount.id, changes: { product_ids: [theirs.product.id] } },
      { discount_id: ours.discount.id, changes: { marketplace_id: theirs.marketplace.id } },
    ],
    update_tenant: () => [{ changes: { name: "Mine" } }],
    wake_export_dispatch: null,
    wake_is_over: null,
    webhook_body: null,
    webhook_target: null,
    zone_offsets: null,
  };
