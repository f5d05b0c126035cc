/**
 * Columns of tenants' tables that could contain personal data by their type, and contain none of customers: by reason, and
 * then by table.
 */
const REASONS: Record<string, Record<string, string>> = {
  "what a shop sells, which is for everybody": {
    "public.categories": "name attributes",
    "public.products":
      "external_id name slug description description_html currency images attributes brand attribute_values physical safety",
    "public.product_variants": "name sku",
    "private.product_slugs": "slug",
    "public.product_files": "name url sha256",
    "private.product_texts": "document",
    "private.search_words": "word",
    "public.search_synonyms": "terms",
    "private.product_embeddings": "model",
    "private.word_vectors": "word",
    "private.kept_counts": "question attributes",
    "private.items_as_imported": "external_id sku",
    "public.licence_keys": "masked_code",
    "private.licence_codes": "code",
    "public.service_calendars": "time_zone location",
    "public.bookings": "time_zone location",
    "public.inventory_movements": "note",
  },
  "settings and texts of the staff": {
    "public.marketplaces": "name description category currency language domain settings",
    "public.tax_rates": "country region name",
    "public.email_templates": "key name subject html_content text_content variables trigger_events",
    "public.templates": "name caching",
    "private.template_versions": "content changes",
    "private.template_references": "kind",
    "public.template_components": "name content props styles variants responsive",
    "public.template_localizations": "language translations custom_styles formatting",
    "public.content_types": "key name fields workflow",
    "public.content": "type language slug title scheduled_languages",
    "private.content_branches": "name document",
    "public.published_content": "type slug language languages title",
    "private.published_texts": "language document translated links",
    "private.former_slugs": "type slug",
    "public.content_moves": "move comment",
    "public.content_localizations": "language",
    "private.content_counts": "type",
    "private.content_versions": "branch comment changes body",
    "public.dashboards": "name widgets",
    "public.media_folders": "name",
    "public.media_assets": "filename content_type alt_text alt_texts focal_point tags bucket path",
    "private.media_uploads": "path filename content_type",
    "private.media_uses": "type",
    "private.media_sweeps": "bucket path",
    "public.placement_categories": "other_prices display_priority",
    "public.campaigns": "currency regions labels note",
    "public.audit_log": "actor operation record_type record_id fields address",
    "private.auctions": "placement region candidates",
    "public.webhooks":
      "url events description statuses disabled_reason secret headers header_names",
    "private.webhook_secrets": "secret previous_secret headers",
    "public.api_keys": "client_id name scopes",
    "public.members": "content_roles",
  },
  "a supplier, and its copy in an order": {
    "public.suppliers": "name slug description logo legal",
    "public.order_parts": "legal",
    "public.product_approvals": "pending_changes reason",
  },
  "a key of a list, or a currency": {
    "public.orders": "delivery_method payment_method",
    "public.shipments": "carrier",
    "public.order_commissions": "currency",
    "private.sales": "currency",
    "private.sales_days": "currency",
    "private.customer_days": "currency",
    "public.events": "name status",
    "public.webhook_deliveries": "event",
    "private.skipped_deliveries": "event",
    "public.mail_suppressions": "template",
    "public.mails": "template",
    "private.jobs": "queue",
    "public.exports": "period currency by files",
    "public.export_schedules": "period currency by",
    "public.placement_charges": "kind explanation",
    "private.placement_clicks": "refusal",
  },
  "amounts, by the ids of items": {
    "public.payments": "items delivery_shares",
  },
  "a message of Souk about its own work": {
    "private.tenant_removals": "error",
    "private.jobs": "error",
    "public.exports": "error",
    "public.export_schedules": "last_error",
    "public.webhook_deliveries": "error",
    "private.earlier_attempts": "error",
  },
  "rows of a running export, which an erasure ends": {
    "private.export_jobs": "checkpoint upcoming",
  },
  "a hash, a token or a random id that leads to nobody": {
    "private.invitation_tokens": "token_hash",
    "private.content_previews": "token_sha256 branch",
    "private.template_previews": "token_sha256",
    "private.product_openings": "opening",
    "private.placement_addresses": "address",
  },
  "the id of a user, which leads to nobody once the account has ended": {
    "private.placement_visitors": "visitor_id",
    "private.placement_clicks": "visitor_id",
  },
};

/** The reason for each such column, by `schema.table.column`. */
export const notPersonal = new Map(
  Object.entries(REASONS).flatMap(([reason, tables]) =>
    Object.entries(tables).flatMap(([table, columns]) =>
      columns.split(" ").map((column): [string, string] => [`${table}.${column}`, reason]),
    ),
  ),
);
