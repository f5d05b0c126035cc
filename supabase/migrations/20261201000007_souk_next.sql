-- Made from supabase/schemas and supabase/reference by `npm run db -- migration`. Do not edit.

-- supabase/by_hand/before.sql

-- Statements that the migration since the last release runs first, while the tables are still the old ones: they keep rows
-- for after.sql, which also drops what they made.

-- The queues of capabilities become rows of private.jobs: see after.sql.
create table private.waiting_jobs as
select 'mails' as queue, q.tenant_id, q.mail_id as subject_id, q.due_at, q.tries as attempts, q.is_counted
from private.mail_queue q
union all
select case when j.large then 'large_exports' else 'small_exports' end, j.tenant_id, j.export_id, j.due_at, j.failures, false
from private.export_jobs j
union all
select 'export_files', r.tenant_id, r.export_id, r.due_at, 0, false from private.export_removals r
union all
select 'media_cleanings', c.tenant_id, c.asset_id, c.due_at, c.attempts, false from private.media_cleanings c;

-- supabase/by_hand/changes.sql

-- Statements that the migration since the last release runs between before.sql and the difference, which begins where they
-- end: renames and other changes that a difference would take for a removal and an addition.

-- Jobs have subjects with a uuid.
alter table private.media_sweeps drop column id;
alter table private.media_sweeps add column id uuid not null default gen_random_uuid();
alter table private.media_sweeps add constraint media_sweeps_pkey primary key (tenant_id, id);

alter table private.letters rename to mail_kinds;
alter table private.mail_kinds rename constraint letters_pkey to mail_kinds_pkey;
alter table private.mail_kinds rename constraint letters_event_fkey to mail_kinds_event_fkey;

-- A trigger on auth.users, which only Supabase may drop, calls it.
alter function private.take_over_confirmed() rename to claim_confirmed_customer;

-- Postgres prints the condition of its trigger otherwise than it was written.
alter function private.note_catalog_change() rename to record_catalog_change;

-- Postgres 15 adds no column to a table whose row type a function uses. The difference creates the function again.
drop function public.sort_name(public.members);
alter table public.members add column is_key boolean not null default false;

-- The same of customers.
drop function public.sort_name(public.customers);
alter table public.customers add column erased_at timestamptz, add column phone text;

-- The same of suppliers.
drop function public.sort_name(public.suppliers);
create type public.supplier_status as enum ('active', 'paused', 'suspended');
alter table public.suppliers
  add column status public.supplier_status not null default 'active',
  add column marketplace_ids uuid[],
  add column slug text not null default '',
  add column description text not null default '',
  add column logo text;

-- The same of e-mail templates.
drop function public.sort_name(public.email_templates);
create type public.mail_audience as enum ('buyer', 'supplier', 'admins');
alter table public.email_templates add column "to" public.mail_audience;

alter type private.new_mail add attribute is_for_members boolean, add attribute order_id uuid;
SET local check_function_bodies = off;

COMMENT ON FUNCTION "private"."export_files_to_remove"() IS NULL;

DROP POLICY "Admins and clients see their tenant's attempts" ON "private"."earlier_attempts";

DROP POLICY "Admins and clients see all bookings, customers their own, suppl" ON "public"."bookings";

DROP POLICY "Admins and clients see all statistics, suppliers those of their" ON "public"."campaign_statistics";

DROP POLICY "Admins and clients see all campaigns, suppliers their own" ON "public"."campaigns";

DROP POLICY "Admins change categories" ON "public"."categories";

DROP POLICY "Admins create categories" ON "public"."categories";

DROP POLICY "Admins delete categories" ON "public"."categories";

DROP POLICY "Admins and clients see all rates, suppliers their own and those" ON "public"."commission_rates";

DROP POLICY "Admins change rates" ON "public"."commission_rates";

DROP POLICY "Admins make rates" ON "public"."commission_rates";

DROP POLICY "Admins remove rates" ON "public"."commission_rates";

DROP POLICY "Content roles see all content, suppliers that of their products" ON "public"."content";

DROP POLICY "Admins and clients make customers" ON "public"."customers";

DROP POLICY "Admins and clients see all listed customers, customers themselv" ON "public"."customers";

DROP POLICY "Admins and clients change the tenant's dashboards, suppliers th" ON "public"."dashboards";

DROP POLICY "Admins and clients create the tenant's dashboards, suppliers th" ON "public"."dashboards";

DROP POLICY "Admins and clients delete the tenant's dashboards, suppliers th" ON "public"."dashboards";

DROP POLICY "Admins and clients see the tenant's dashboards, suppliers their" ON "public"."dashboards";

DROP POLICY "Admins and clients see their tenant's e-mail templates" ON "public"."email_templates";

DROP POLICY "Admins change e-mail templates" ON "public"."email_templates";

DROP POLICY "Admins create e-mail templates" ON "public"."email_templates";

DROP POLICY "Admins delete e-mail templates" ON "public"."email_templates";

DROP POLICY "Admins and clients see their tenant's events" ON "public"."events";

DROP POLICY "Admins see all schedules, clients and suppliers their own" ON "public"."export_schedules";

DROP POLICY "Members delete the schedules that they see" ON "public"."export_schedules";

DROP POLICY "Admins see all exports, clients and suppliers those they asked " ON "public"."exports";

DROP POLICY "Members delete the exports that they see" ON "public"."exports";

DROP POLICY "Admins count the stock of any product, suppliers of their own" ON "public"."inventory";

DROP POLICY "Admins and clients read the ledger, suppliers that of their pro" ON "public"."inventory_movements";

DROP POLICY "Admins and clients see their tenant's invitations" ON "public"."invitations";

DROP POLICY "Admins withdraw invitations" ON "public"."invitations";

DROP POLICY "Admins and clients see all licence keys, suppliers those of the" ON "public"."licence_keys";

DROP POLICY "Admins end suppressions" ON "public"."mail_suppressions";

DROP POLICY "Admins see their tenant's suppressions" ON "public"."mail_suppressions";

DROP POLICY "Admins see their tenant's mails" ON "public"."mails";

DROP POLICY "Admins change marketplaces" ON "public"."marketplaces";

DROP POLICY "Admins create marketplaces" ON "public"."marketplaces";

DROP POLICY "Admins, clients and suppliers see all marketplaces, customers t" ON "public"."marketplaces";

DROP POLICY "Editors change all media, suppliers their own" ON "public"."media_assets";

DROP POLICY "Editors delete all media, suppliers their own" ON "public"."media_assets";

DROP POLICY "Admins and clients see all members, others themselves" ON "public"."members";

DROP POLICY "Admins change members" ON "public"."members";

DROP POLICY "Admins remove members" ON "public"."members";

DROP POLICY "Members who see an item see its cancellations" ON "public"."order_cancellation_items";

DROP POLICY "Members who see an order see its cancellations, suppliers those" ON "public"."order_cancellations";

DROP POLICY "Admins and clients see all commissions, suppliers their own" ON "public"."order_commissions";

DROP POLICY "Admins and clients see all rates of items, suppliers their own" ON "public"."order_item_commissions";

DROP POLICY "Members who see an order see its items, suppliers their own" ON "public"."order_items";

DROP POLICY "Admins and clients see all notes, customers those for them, sup" ON "public"."order_notes";

DROP POLICY "Admins and clients see all parts, customers those of their orde" ON "public"."order_parts";

DROP POLICY "Members who see an item see its returns" ON "public"."order_return_items";

DROP POLICY "Members who see an order see its returns, suppliers those of th" ON "public"."order_returns";

DROP POLICY "Members who see an order see its history" ON "public"."order_status_changes";

DROP POLICY "Admins and clients see all orders, customers their own, supplie" ON "public"."orders";

DROP POLICY "Admins and clients see all payments, customers those of their o" ON "public"."payments";

DROP POLICY "Admins, clients and suppliers see what placement costs" ON "public"."placement_categories";

DROP POLICY "Admins and clients see all charges, suppliers those of their ca" ON "public"."placement_charges";

DROP POLICY "Admins and clients see the settings of placement" ON "public"."placement_settings";

DROP POLICY "Admins add files to any product, suppliers to their own" ON "public"."product_files";

DROP POLICY "Admins and clients see all files, suppliers those of their prod" ON "public"."product_files";

DROP POLICY "Admins remove files of any product, suppliers of their own" ON "public"."product_files";

DROP POLICY "Admins change variants of any product, suppliers of their own" ON "public"."product_variants";

DROP POLICY "Admins make variants of any product, suppliers of their own" ON "public"."product_variants";

DROP POLICY "Admins remove variants of any product, suppliers of their own" ON "public"."product_variants";

DROP POLICY "Admins and clients see all products, suppliers their own, custo" ON "public"."products";

DROP POLICY "Admins change any product, suppliers their own" ON "public"."products";

DROP POLICY "Admins delete any product, suppliers their own" ON "public"."products";

DROP POLICY "Admins list any product, suppliers their own" ON "public"."products";

DROP POLICY "Everybody who sees a return request sees its items" ON "public"."return_request_items";

DROP POLICY "Admins and clients see all return requests, customers those of " ON "public"."return_requests";

DROP POLICY "Admins change synonyms" ON "public"."search_synonyms";

DROP POLICY "Admins create synonyms" ON "public"."search_synonyms";

DROP POLICY "Admins delete synonyms" ON "public"."search_synonyms";

DROP POLICY "Everybody who sees a shipment sees its items" ON "public"."shipment_items";

DROP POLICY "Admins and clients see all shipments, customers those of their " ON "public"."shipments";

DROP POLICY "Admins change any supplier, suppliers their own" ON "public"."suppliers";

DROP POLICY "Admins open suppliers" ON "public"."suppliers";

DROP POLICY "Content roles see all templates, others the active ones of mark" ON "public"."templates";

DROP POLICY "Admins change their tenant" ON "public"."tenants";

DROP POLICY "Admins and clients see their tenant's deliveries" ON "public"."webhook_deliveries";

DROP POLICY "Admins and clients change webhooks" ON "public"."webhooks";

DROP POLICY "Admins and clients register webhooks" ON "public"."webhooks";

DROP POLICY "Admins and clients remove webhooks" ON "public"."webhooks";

DROP POLICY "Admins and clients see their tenant's webhooks" ON "public"."webhooks";

DROP TRIGGER "export_jobs_wake_the_dispatcher" ON "private"."export_jobs";

DROP TRIGGER "media_sweeps_wake_the_worker" ON "private"."media_sweeps";

DROP TRIGGER "storefront_events_draw_visitor_days" ON "private"."storefront_events";

DROP TRIGGER "campaigns_keep_status" ON "public"."campaigns";

DROP TRIGGER "categories_are_changed_by_admins" ON "public"."categories";

DROP TRIGGER "commission_rates_are_changed_by_admins" ON "public"."commission_rates";

DROP TRIGGER "content_forget_shown_assets" ON "public"."content";

DROP TRIGGER "customers_are_made_by_admins_and_clients" ON "public"."customers";

DROP TRIGGER "customers_take_over_past_customer" ON "public"."customers";

DROP TRIGGER "dashboards_are_changed_by_who_sees_figures" ON "public"."dashboards";

DROP TRIGGER "email_templates_are_changed_by_admins" ON "public"."email_templates";

DROP TRIGGER "inventory_is_changed_by_admins_and_suppliers" ON "public"."inventory";

DROP TRIGGER "inventory_keep_licence_key_stock" ON "public"."inventory";

DROP TRIGGER "inventory_movements_are_never_deleted" ON "public"."inventory_movements";

DROP TRIGGER "inventory_movements_never_change" ON "public"."inventory_movements";

DROP TRIGGER "invitations_are_made_by_admins" ON "public"."invitations";

DROP TRIGGER "mail_suppressions_are_ended_by_admins" ON "public"."mail_suppressions";

DROP TRIGGER "marketplaces_are_changed_by_admins" ON "public"."marketplaces";

DROP TRIGGER "media_assets_stay_while_shown" ON "public"."media_assets";

DROP TRIGGER "members_are_changed_by_admins" ON "public"."members";

DROP TRIGGER "members_keep_an_admin_who_changes" ON "public"."members";

DROP TRIGGER "members_keep_an_admin_who_goes" ON "public"."members";

DROP TRIGGER "order_items_note_visitor" ON "public"."order_items";

DROP TRIGGER "orders_take_number" ON "public"."orders";

DROP TRIGGER "product_files_are_changed_by_admins_and_suppliers" ON "public"."product_files";

DROP TRIGGER "product_files_forget_sold_asset" ON "public"."product_files";

DROP TRIGGER "product_files_note_sold_asset" ON "public"."product_files";

DROP TRIGGER "product_variants_are_changed_by_admins_and_suppliers" ON "public"."product_variants";

DROP TRIGGER "product_variants_check_price" ON "public"."product_variants";

DROP TRIGGER "product_variants_weigh_when_changed" ON "public"."product_variants";

DROP TRIGGER "products_are_changed_by_admins_and_suppliers" ON "public"."products";

DROP TRIGGER "products_check_details" ON "public"."products";

DROP TRIGGER "products_check_price" ON "public"."products";

DROP TRIGGER "products_forget_shown_assets" ON "public"."products";

DROP TRIGGER "products_keep_what_is_sold" ON "public"."products";

DROP TRIGGER "products_note_new" ON "public"."products";

DROP TRIGGER "products_note_shown_assets_when_changed" ON "public"."products";

DROP TRIGGER "products_note_shown_assets_when_listed" ON "public"."products";

DROP TRIGGER "products_stay_discontinued" ON "public"."products";

DROP TRIGGER "products_stay_when_ordered" ON "public"."products";

DROP TRIGGER "products_stay_when_promoted" ON "public"."products";

DROP TRIGGER "search_synonyms_are_changed_by_admins" ON "public"."search_synonyms";

DROP TRIGGER "shipments_note_moves" ON "public"."shipments";

DROP TRIGGER "shipments_note_new" ON "public"."shipments";

DROP TRIGGER "suppliers_are_changed_by_admins_and_suppliers" ON "public"."suppliers";

DROP TRIGGER "suppliers_are_opened_by_admins" ON "public"."suppliers";

DROP TRIGGER "suppliers_check_supplier" ON "public"."suppliers";

DROP TRIGGER "template_components_note_assets" ON "public"."template_components";

DROP TRIGGER "templates_forget_assets" ON "public"."templates";

DROP TRIGGER "tenants_are_changed_by_admins" ON "public"."tenants";

DROP TRIGGER "webhook_deliveries_keep_attempt" ON "public"."webhook_deliveries";

DROP TRIGGER "webhooks_are_changed_by_admins_and_clients" ON "public"."webhooks";

DROP TRIGGER "webhooks_keep_secrets" ON "public"."webhooks";

DROP INDEX "private"."export_jobs_tenant_id_idx";

DROP INDEX "private"."media_sweeps_due_at_idx";

DROP INDEX "public"."customers_names_idx";

DROP VIEW "public"."invitation_details";

DROP VIEW "public"."ranked_products";

ALTER TABLE "private"."export_jobs"
  DROP CONSTRAINT "export_jobs_lease_is_set_with_its_end";

ALTER TABLE "private"."mail_queue"
  DROP CONSTRAINT "mail_queue_mail_id_fkey";

ALTER TABLE "private"."media_cleanings"
  DROP CONSTRAINT "media_cleanings_asset_id_fkey";

ALTER TABLE "public"."categories"
  DROP CONSTRAINT "categories_parent_id_fkey";

DROP FUNCTION "private"."check_destination"(jsonb, text, jsonb, jsonb);

DROP FUNCTION "private"."clean_media"();

DROP FUNCTION "private"."create_invitation"(text, public.member_role, uuid);

DROP FUNCTION "private"."delivery_methods"(uuid);

DROP FUNCTION "private"."draw_new_visitor_days"();

DROP FUNCTION "private"."draw_visitor_days"(private.storefront_events[]);

DROP FUNCTION "private"."draw_visitor_product_days"(private.storefront_events[]);

DROP FUNCTION "private"."end_mail_leases"();

DROP FUNCTION "private"."exported_customers"(private.export_query);

DROP FUNCTION "private"."exported_products"(private.export_query);

DROP VIEW "public"."product_details";

DROP VIEW "private"."product_records";

DROP VIEW "private"."all_variants";

DROP FUNCTION "private"."exports_to_write"();

DROP FUNCTION "private"."fault_of_placement_event"(jsonb, jsonb, text, text, uuid, uuid, text, timestamp WITH time zone, timestamp WITH time zone, public.member_role, uuid);

DROP FUNCTION "private"."forget_counts"();

DROP FUNCTION "private"."forget_deliveries"(timestamp WITH time zone);

DROP FUNCTION "private"."forget_events"();

DROP FUNCTION "private"."forget_guests"(integer);

DROP FUNCTION "private"."forget_search_words"(uuid);

DROP FUNCTION "private"."forget_shown_content"();

DROP FUNCTION "private"."forget_storefront_events"();

DROP FUNCTION "private"."forget_template_assets"();

DROP FUNCTION "private"."forget_version"(uuid, integer);

DROP FUNCTION "private"."hold_export"(uuid);

DROP FUNCTION "private"."is_own_letter"(public.mails);

DROP FUNCTION "private"."is_shown_to"(public.member_role, uuid, uuid[], uuid, uuid, public.product_status);

DROP FUNCTION "private"."join_as"(uuid, uuid, public.member_role, uuid, text);

DROP FUNCTION "private"."keep_an_admin"();

DROP FUNCTION "private"."keep_attempt"();

DROP FUNCTION "private"."keep_campaign_status"();

DROP FUNCTION "private"."keep_counts"(bytea, private.product_count[], json, pg_snapshot);

DROP FUNCTION "private"."keep_discontinued_product"();

DROP FUNCTION "private"."keep_guest"(uuid, uuid, jsonb, jsonb);

DROP FUNCTION "private"."keep_letters"(jsonb);

DROP FUNCTION "private"."keep_licence_key_stock"();

DROP FUNCTION "private"."keep_ordered_product"();

DROP FUNCTION "private"."keep_outcome"(text, bytea, jsonb);

DROP FUNCTION "private"."keep_promoted_product"();

DROP FUNCTION "private"."keep_shown_media"();

DROP FUNCTION "private"."keep_the_ledger"();

DROP FUNCTION "private"."keep_webhook_secrets"();

DROP FUNCTION "private"."keep_what_is_sold"();

DROP FUNCTION "private"."kick_mail_dispatch"();

DROP FUNCTION "private"."letter_items"(jsonb, jsonb);

DROP FUNCTION "private"."letter_marketplace"(public.marketplaces);

DROP FUNCTION "private"."letter_order"(jsonb);

DROP FUNCTION "private"."letter_pieces"(jsonb, integer);

DROP FUNCTION "private"."letter_to_send"(public.mails, uuid);

DROP FUNCTION "private"."letter_variables"(public.mails);

DROP FUNCTION "private"."letters_on"(uuid, text, text);

DROP FUNCTION "private"."mails_in_turn"(integer);

DROP FUNCTION "private"."mails_of_today"(uuid);

DROP FUNCTION "private"."managed_product"(uuid, boolean);

DROP FUNCTION "private"."may_still_export"(private.export_jobs);

DROP FUNCTION "private"."miss_mail"(uuid, text, boolean);

DROP FUNCTION "private"."note_attempts"(uuid, boolean, boolean, bigint);

DROP FUNCTION "private"."note_clicks"(uuid, private.placement_event[], public.placement_settings, bytea, boolean);

DROP FUNCTION "private"."note_component_assets"();

DROP FUNCTION "private"."note_content_assets"(public.content);

DROP FUNCTION "private"."note_conversions"(uuid, private.placement_event[]);

DROP FUNCTION "private"."note_failures"(uuid, bigint);

DROP FUNCTION "private"."note_impressions"(uuid, private.placement_event[]);

DROP FUNCTION "private"."note_move"(public.content, text, public.content_status, text, integer);

DROP FUNCTION "private"."note_moved_shipments"();

DROP FUNCTION "private"."note_new_products"();

DROP FUNCTION "private"."note_ordering_visitor"();

DROP FUNCTION "private"."note_shown_assets"();

DROP FUNCTION "private"."note_sold_asset"();

DROP FUNCTION "private"."note_storefront_events"(uuid, private.storefront_event[]);

DROP FUNCTION "private"."note_template_assets"(public.templates);

DROP FUNCTION "private"."only_for"();

DROP FUNCTION "private"."past_customer"(uuid, uuid, text);

DROP FUNCTION "private"."reads_all"();

DROP FUNCTION "private"."recipients_of"(uuid, jsonb);

DROP FUNCTION "private"."shows_export"(public.member_role, uuid, uuid, uuid, uuid);

DROP FUNCTION "private"."reads_all"(public.member_role);

DROP FUNCTION "private"."take_export"();

DROP FUNCTION "private"."take_import_turn"(uuid);

DROP FUNCTION "private"."take_invitation"(text, uuid);

DROP FUNCTION "private"."take_mails"(integer);

DROP FUNCTION "private"."take_order_number"();

DROP FUNCTION "private"."take_over_past_customer"();

DROP FUNCTION "private"."take_webhook_deliveries"(uuid, jsonb, integer, bigint, boolean);

DROP FUNCTION "private"."tell_differences"(uuid, private.sales_difference[]);

DROP FUNCTION "private"."tell_placement_answers"(uuid, private.placement_event[], private.placement_answer[], jsonb);

DROP FUNCTION "private"."unused_own_letter"(public.mails);

DROP FUNCTION "private"."wake_export_dispatch"();

DROP FUNCTION "private"."wake_media_sweep"();

DROP FUNCTION "private"."write_mail"(text, uuid, uuid, private.recipient[], jsonb, boolean);

DROP FUNCTION "public"."create_customer"(text, text);

DROP FUNCTION "public"."create_email_template"(text, text, jsonb, jsonb, jsonb, text[], text[]);

DROP FUNCTION "public"."create_invitation"(text, public.member_role, uuid);

DROP FUNCTION
  "public"."create_product"(text, numeric, text, text, uuid, uuid, uuid, text, public.product_kind, boolean, public.product_status, jsonb, jsonb, jsonb, uuid, jsonb, jsonb, text,
  text);

DROP FUNCTION "public"."found_customers"(text);

DROP FUNCTION "public"."keep_letters"(jsonb);

DROP FUNCTION "public"."list_delivery_methods"(uuid);

DROP FUNCTION "public"."sort_name"(public.customer_details);

DROP VIEW "public"."customer_details";

DROP FUNCTION "public"."take_export"();

DROP FUNCTION "public"."take_mails"(integer);

DROP FUNCTION "public"."take_media_cleanings"(integer);

DROP FUNCTION "public"."take_media_sweeps"(jsonb, integer);

DROP FUNCTION "public"."take_webhook_deliveries"(uuid, jsonb, integer, bigint, boolean);

ALTER TABLE "private"."export_jobs"
  DROP COLUMN "asked_at";

ALTER TABLE "private"."export_jobs"
  DROP COLUMN "due_at";

ALTER TABLE "private"."export_jobs"
  DROP COLUMN "failures";

ALTER TABLE "private"."export_jobs"
  DROP COLUMN "large";

ALTER TABLE "private"."export_jobs"
  DROP COLUMN "leased_until";

ALTER TABLE "private"."export_jobs"
  DROP COLUMN "lease";

ALTER TABLE "private"."export_jobs"
  DROP COLUMN "started_at";

ALTER TABLE "private"."media_sweeps"
  DROP COLUMN "leased_until";

DROP TABLE "private"."export_removals";

DROP FUNCTION "private"."wake_for_exports"();

DROP TABLE "private"."mail_queue";

DROP TABLE "private"."mail_schedule";

DROP TABLE "private"."media_cleanings";

CREATE TABLE "private"."customer_addresses" (
  "id"          uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "tenant_id"   uuid                     NOT NULL,
  "customer_id" uuid                     NOT NULL,
  "address"     jsonb                    NOT NULL,
  "is_default"  boolean                  NOT NULL DEFAULT false,
  "created_at"  timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  "updated_at"  timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "customer_addresses_address_is_at_most_8_kb" CHECK ((octet_length((address)::text) <= 8192)),
  CONSTRAINT "customer_addresses_pkey" PRIMARY KEY (tenant_id, id),
  CONSTRAINT "customer_addresses_address_is_without_numbers_of_over_30_digits" CHECK (private.has_short_numbers(address))
);

ALTER TABLE "private"."customer_addresses"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."customer_claims" (
  "tenant_id"   uuid                     NOT NULL,
  "customer_id" uuid                     NOT NULL,
  "due_at"      timestamp with time zone NOT NULL,
  CONSTRAINT "customer_claims_pkey" PRIMARY KEY (tenant_id, customer_id)
);

ALTER TABLE "private"."customer_claims"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."jobs" (
  "tenant_id"    uuid                     NOT NULL,
  "queue"        text                     NOT NULL,
  "subject_id"   uuid                     NOT NULL,
  "queued_at"    timestamp with time zone NOT NULL DEFAULT now(),
  "due_at"       timestamp with time zone DEFAULT clock_timestamp(),
  "attempts"     integer                  NOT NULL DEFAULT 0,
  "lease"        uuid,
  "leased_until" timestamp with time zone,
  "is_counted"   boolean                  NOT NULL DEFAULT false,
  "error"        text,
  CONSTRAINT "jobs_lease_is_set_with_its_end" CHECK (((lease IS NULL) = (leased_until IS NULL))),
  CONSTRAINT "jobs_pkey" PRIMARY KEY (queue, subject_id, tenant_id)
);

ALTER TABLE "private"."jobs"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."jobs"
  SET (autovacuum_vacuum_scale_factor=0.05, fillfactor=70);

CREATE TABLE "private"."permissions" (
  "permission" text               NOT NULL,
  "role"       public.member_role NOT NULL,
  CONSTRAINT "permissions_permission_is_resource_action" CHECK ((permission ~ '^[a-z_]+\.[a-z_]+$'::text)),
  CONSTRAINT "permissions_pkey" PRIMARY KEY (permission, ROLE)
);

ALTER TABLE "private"."permissions"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."personal_data" (
  "table_name"  text  NOT NULL,
  "column_name" text  NOT NULL,
  "found_by"    jsonb NOT NULL,
  CONSTRAINT "personal_data_pkey" PRIMARY KEY (table_name, column_name)
);

ALTER TABLE "private"."personal_data"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."product_prices" (
  "tenant_id"  uuid                     NOT NULL,
  "product_id" uuid                     NOT NULL,
  "variant_id" uuid,
  "price"      numeric,
  "began_at"   timestamp with time zone NOT NULL,
  CONSTRAINT "product_prices_price_is_null_only_for_variants" CHECK (((price IS NOT NULL) OR (variant_id IS NOT NULL)))
);

ALTER TABLE "private"."product_prices"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."product_prices"
  REPLICA IDENTITY FULL;

CREATE TABLE "private"."queues" (
  "queue"    text       NOT NULL,
  "worker"   text       NOT NULL,
  "lease"    interval   NOT NULL,
  "waits"    interval[] NOT NULL,
  "gives_up" boolean    NOT NULL DEFAULT true,
  "in_order" boolean    NOT NULL DEFAULT false,
  CONSTRAINT "queues_pkey" PRIMARY KEY (queue)
);

ALTER TABLE "private"."queues"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."tenant_removals" (
  "tenant_id" uuid                     NOT NULL,
  "asked_at"  timestamp with time zone NOT NULL DEFAULT now(),
  "tried_at"  timestamp with time zone NOT NULL DEFAULT now(),
  "error"     text,
  CONSTRAINT "tenant_removals_pkey" PRIMARY KEY (tenant_id)
);

ALTER TABLE "private"."tenant_removals"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."unsettled_suppliers" (
  "tenant_id"   uuid                     NOT NULL,
  "supplier_id" uuid                     NOT NULL,
  "tried_at"    timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp WITH time zone,
  "changed_at"  timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "unsettled_suppliers_pkey" PRIMARY KEY (tenant_id, supplier_id)
);

ALTER TABLE "private"."unsettled_suppliers"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."withheld_products" (
  "product_id"  uuid NOT NULL,
  "tenant_id"   uuid NOT NULL,
  "supplier_id" uuid NOT NULL,
  CONSTRAINT "withheld_products_pkey" PRIMARY KEY (product_id, tenant_id)
);

ALTER TABLE "private"."withheld_products"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."api_keys" (
  "id"           uuid                     NOT NULL,
  "tenant_id"    uuid                     NOT NULL,
  "client_id"    text                     NOT NULL,
  "name"         text                     NOT NULL,
  "role"         public.member_role       NOT NULL,
  "supplier_id"  uuid,
  "scopes"       text[],
  "created_by"   uuid,
  "created_at"   timestamp with time zone NOT NULL DEFAULT now(),
  "expires_at"   timestamp with time zone,
  "last_used_at" timestamp with time zone,
  CONSTRAINT "api_keys_name_is_1_to_200_characters" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  CONSTRAINT "api_keys_pkey" PRIMARY KEY (tenant_id, id),
  CONSTRAINT "api_keys_role_is_client_or_supplier" CHECK ((role = ANY (ARRAY['client'::public.member_role, 'supplier'::public.member_role]))),
  CONSTRAINT "api_keys_supplier_id_is_set_for_suppliers_only" CHECK (((role = 'supplier'::public.member_role) = (supplier_id IS NOT NULL))),
  CONSTRAINT "api_keys_tenant_id_client_id_key" UNIQUE (tenant_id, client_id),
  CONSTRAINT "api_keys_name_is_more_than_spaces" CHECK (private.is_more_than_spaces(name))
);

ALTER TABLE "public"."api_keys"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."api_keys" FROM "anon";

CREATE TABLE "public"."audit_log" (
  "id"          uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "tenant_id"   uuid                     NOT NULL,
  "created_at"  timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  "actor"       text                     NOT NULL,
  "actor_id"    uuid,
  "supplier_id" uuid,
  "operation"   text                     NOT NULL,
  CONSTRAINT "audit_log_actor_id_is_set_unless_it_is_a_service" CHECK (((actor = 'service'::text) = (actor_id IS NULL))),
  CONSTRAINT "audit_log_pkey" PRIMARY KEY (tenant_id, created_at, id)
);

ALTER TABLE "public"."audit_log"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."audit_log" FROM "anon";

CREATE TABLE "public"."product_approvals" (
  "product_id"  uuid NOT NULL,
  "tenant_id"   uuid NOT NULL,
  "supplier_id" uuid NOT NULL,
  CONSTRAINT "product_approvals_pkey" PRIMARY KEY (product_id, tenant_id)
);

ALTER TABLE "public"."product_approvals"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."product_approvals" FROM "anon";

CREATE TABLE "public"."supplier_applications" (
  "id"        uuid NOT NULL DEFAULT gen_random_uuid(),
  "tenant_id" uuid NOT NULL,
  CONSTRAINT "supplier_applications_pkey" PRIMARY KEY (tenant_id, id)
);

ALTER TABLE "public"."supplier_applications"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."supplier_applications" FROM "anon";

CREATE TABLE "public"."tax_rates" (
  "id"          uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "country"     text                     NOT NULL,
  "region"      text,
  "category_id" uuid,
  "rate"        numeric                  NOT NULL,
  "name"        text                     NOT NULL,
  "valid_from"  date,
  "valid_to"    date,
  "created_at"  timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at"  timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "tax_rates_name_is_1_to_100_characters" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  CONSTRAINT "tax_rates_rate_is_from_0_to_100" CHECK (((rate >= (0)::numeric) AND (rate <= (100)::numeric))),
  CONSTRAINT "tax_rates_rate_is_of_at_most_4_decimals" CHECK ((scale(rate) <= 4)),
  CONSTRAINT "tax_rates_region_is_1_to_200_characters" CHECK (((char_length(region) >= 1) AND (char_length(region) <= 200))),
  CONSTRAINT "tax_rates_valid_from_is_in_the_years_1_to_9999" CHECK (((valid_from >= '0001-01-01'::date) AND (valid_from <= '9999-12-31'::date))),
  CONSTRAINT "tax_rates_valid_to_is_in_the_years_1_to_9999" CHECK (((valid_to >= '0001-01-01'::date) AND (valid_to <= '9999-12-31'::date))),
  CONSTRAINT "tax_rates_valid_to_is_on_or_after_valid_from" CHECK ((valid_to >= valid_from)),
  "tenant_id"   uuid                     NOT NULL DEFAULT private.tenant_id(),
  CONSTRAINT "tax_rates_pkey" PRIMARY KEY (tenant_id, id),
  CONSTRAINT "tax_rates_name_is_more_than_spaces" CHECK (private.is_more_than_spaces(name)),
  CONSTRAINT "tax_rates_region_is_more_than_spaces" CHECK (private.is_more_than_spaces(region))
);

ALTER TABLE "public"."tax_rates"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."tax_rates" FROM "anon";

ALTER TABLE "private"."mail_kinds"
  ADD COLUMN "to" public.mail_audience;

ALTER TABLE "private"."mail_senders"
  ADD COLUMN "mails_to_members" bigint NOT NULL DEFAULT 0;

ALTER TABLE "public"."invitations"
  ADD COLUMN "verified" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."mails"
  ADD COLUMN "is_for_members" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."mails"
  ADD COLUMN "order_id" uuid;

ALTER TABLE "public"."product_variants"
  ADD COLUMN "compare_at_price" numeric;

ALTER TABLE "public"."products"
  ADD COLUMN "compare_at_price" numeric;

ALTER TABLE "public"."products"
  ADD COLUMN "safety" jsonb;

CREATE TYPE "private"."audit_source" AS (
  "tenant_id"   uuid,
  "actor"       text,
  "actor_id"    uuid,
  "supplier_id" uuid,
  "operation"   text,
  "address"     text
);

CREATE TYPE "private"."audited_record" AS (
  "tenant_id" uuid,
  "record_id" text,
  "fields"    text[]
);

CREATE TYPE "private"."erasure" AS ENUM (
  'null',
  'text',
  'address',
  'identifiers',
  'row',
  'cascade',
  'kept'
);

ALTER TABLE "private"."personal_data"
  ADD COLUMN "erasure" private.erasure NOT NULL;

ALTER TABLE "private"."personal_data"
  ADD COLUMN "replacement" text;

CREATE TYPE "private"."permission_scope" AS ENUM (
  'own',
  'all'
);

ALTER TABLE "private"."permissions"
  ADD COLUMN "scope" private.permission_scope NOT NULL;

ALTER TABLE "private"."personal_data"
  ADD COLUMN "shown_to" private.permission_scope;

CREATE TYPE "public"."approval_status" AS ENUM (
  'pending',
  'approved',
  'rejected'
);

ALTER TABLE "public"."product_approvals"
  ADD COLUMN "status" public.approval_status NOT NULL;

ALTER TABLE "public"."product_approvals"
  ADD COLUMN "pending_changes" jsonb;

ALTER TABLE "public"."product_approvals"
  ADD COLUMN "reason" text;

ALTER TABLE "public"."product_approvals"
  ADD COLUMN "is_released" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."product_approvals"
  ADD COLUMN "requested_at" timestamp WITH time zone NOT NULL DEFAULT now();

ALTER TABLE "public"."product_approvals"
  ADD COLUMN "decided_by" uuid;

ALTER TABLE "public"."product_approvals"
  ADD COLUMN "decided_at" timestamp WITH time zone;

ALTER TABLE "public"."supplier_applications"
  ADD COLUMN "status" public.approval_status NOT NULL DEFAULT 'pending'::public.approval_status;

ALTER TABLE "public"."supplier_applications"
  ADD COLUMN "name" text NOT NULL;

ALTER TABLE "public"."supplier_applications"
  ADD COLUMN "email" text COLLATE pg_catalog."C" NOT NULL;

ALTER TABLE "public"."supplier_applications"
  ADD COLUMN "country" text NOT NULL;

ALTER TABLE "public"."supplier_applications"
  ADD COLUMN "legal" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."supplier_applications"
  ADD COLUMN "message" text NOT NULL DEFAULT ''::text;

ALTER TABLE "public"."supplier_applications"
  ADD COLUMN "user_id" uuid;

ALTER TABLE "public"."supplier_applications"
  ADD COLUMN "supplier_id" uuid;

ALTER TABLE "public"."supplier_applications"
  ADD COLUMN "reason" text;

ALTER TABLE "public"."supplier_applications"
  ADD COLUMN "decided_by" uuid;

ALTER TABLE "public"."supplier_applications"
  ADD COLUMN "decided_at" timestamp WITH time zone;

ALTER TABLE "public"."supplier_applications"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE TYPE "public"."audit_action" AS ENUM (
  'created',
  'changed',
  'deleted'
);

ALTER TABLE "public"."audit_log"
  ADD COLUMN "action" public.audit_action NOT NULL;

ALTER TABLE "public"."audit_log"
  ADD COLUMN "record_type" text NOT NULL;

ALTER TABLE "public"."audit_log"
  ADD COLUMN "record_id" text NOT NULL;

ALTER TABLE "public"."audit_log"
  ADD COLUMN "fields" text[] NOT NULL DEFAULT '{}'::text[];

ALTER TABLE "public"."audit_log"
  ADD COLUMN "address" text;

ALTER TYPE "public"."export_type" ADD VALUE 'audit_log' AFTER 'commissions';


SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.access_token_hook (
  event jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  account uuid := (event ->> 'user_id')::uuid;
  session uuid := (event -> 'claims' ->> 'session_id')::uuid;
  member public.members;
  key constant jsonb := private.claims_of_key(account);
begin
  if key ? 'error' then
    return key;
  end if;
  select m.* into member
  from public.members m
  where m.user_id = account and m.status = 'active'
  order by
    m.tenant_id = (select s.tenant_id from private.session_tenants s where s.session_id = session) desc nulls last,
    m.tenant_id = (
      select s.tenant_id
      from private.session_tenants s
      where s.user_id = account
      order by s.chosen_at desc
      limit 1
    ) desc nulls last,
    m.created_at, m.tenant_id
  limit 1;
  if member.tenant_id is null then
    return event;
  end if;

  -- A session stays in its tenant, whatever other sessions of the user choose.
  if session is not null then
    insert into private.session_tenants (session_id, user_id, tenant_id)
    values (session, account, member.tenant_id)
    on conflict do nothing;
  end if;
  return jsonb_set(
    event,
    '{claims}',
    (event -> 'claims') || jsonb_build_object('tenant_id', member.tenant_id, 'tenant_role', member.role) || key
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.activate (
  template public.templates,
  number   integer
)
  RETURNS public.templates
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.insist_on_content_role('publisher');
  if template.is_default and template.active_version is null then
    perform private.replace_default(template);
  end if;
  update public.templates t set active_version = number, updated_at = now() where t.id = template.id returning * into template;
  perform private.check_template_graph(template);
  perform private.record_template_assets(template);
  return template;
end
$function$;

CREATE OR REPLACE FUNCTION private.add_licence_keys (
  product_id uuid,
  codes      text[],
  variant_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  product public.products := private.managed_product(add_licence_keys.product_id, 'digital_goods.write');
  bad integer;
  repeated jsonb;
begin
  perform private.lock_licence_keys(product.id, add_licence_keys.variant_id);
  if not private.sells_licence_keys(product.id) then
    perform private.refuse(
      'VALIDATION_ERROR', 'Only digital products with track_inventory can have licence keys.',
      'product_id', to_jsonb(product.id)
    );
  elsif add_licence_keys.variant_id is not null and not exists (
    select 1
    from public.product_variants v
    where v.tenant_id = product.tenant_id and v.product_id = product.id and v.id = add_licence_keys.variant_id
  ) then
    perform private.refuse(
      'NOT_FOUND', 'There is no such variant.', 'variant_id', to_jsonb(add_licence_keys.variant_id)
    );
  elsif add_licence_keys.variant_id is null and exists (
    select 1 from public.product_variants v where v.tenant_id = product.tenant_id and v.product_id = product.id
  ) then
    perform private.refuse(
      'VALIDATION_ERROR', 'variant_id is required, because the product has variants.', 'variant_id', 'null'
    );
  elsif coalesce(cardinality(codes), 0) not between 1 and 1000 then
    perform private.refuse('VALIDATION_ERROR', 'codes must have 1 to 1000 entries.', 'codes');
  end if;
  -- Refusals name the position of a code and never the code, which is secret.
  select min(sent.position) into bad
  from unnest(codes) with ordinality as sent (code, position)
  where sent.code is null or char_length(btrim(sent.code)) not between 4 and 500 or sent.code ~ '[[:cntrl:]]';
  if bad is not null then
    perform private.refuse(
      'VALIDATION_ERROR', 'A code must have 4 to 500 characters, without line breaks.', format('codes[%s]', bad - 1)
    );
  end if;

  with sent as (
    select gen_random_uuid() as id, btrim(s.code) as code, s.position - 1 as index
    from unnest(codes) with ordinality as s (code, position)
  ),
  stored as (
    insert into private.licence_codes (tenant_id, product_id, licence_key_id, code)
    select product.tenant_id, product.id, sent.id, sent.code from sent order by sent.index
    on conflict (product_id, code) do nothing
    returning licence_key_id, code
  ),
  added as (
    insert into public.licence_keys (id, tenant_id, product_id, variant_id, masked_code)
    select
      stored.licence_key_id, product.tenant_id, product.id, add_licence_keys.variant_id,
      '••••' || right(stored.code, least(4, char_length(stored.code) / 2))
    from stored
  )
  select coalesce(jsonb_agg(sent.index order by sent.index), '[]') into repeated
  from sent
  where not exists (select 1 from stored where stored.licence_key_id = sent.id);

  return jsonb_build_object(
    'product_id', product.id,
    'variant_id', add_licence_keys.variant_id,
    'added', cardinality(codes) - jsonb_array_length(repeated),
    'duplicates', repeated,
    'counts', private.licence_key_counts(product.tenant_id, product.id)
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.add_order_note (
  order_id   uuid,
  text       text,
  visibility public.note_visibility
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  by_buyer boolean := private.reach('order_notes.write') = 'customer';
  added uuid;
begin
  perform private.seen_order(add_order_note.order_id);
  perform private.require_permission('order_notes.write', 'Your role may not add notes to orders.');
  if by_buyer and add_order_note.visibility = 'internal' then
    perform private.refuse(
      'FORBIDDEN', 'visibility must be customer for a note of a customer.', 'visibility', '"internal"'
    );
  elsif add_order_note.text is null then
    perform private.refuse('VALIDATION_ERROR', 'text is required.', 'text', 'null');
  end if;
  -- Lists of orders return all notes, so their number is limited. The lock lets parallel requests count each other's
  -- notes.
  perform 1 from public.orders o where o.id = add_order_note.order_id for no key update;
  if (
    select count(*) from public.order_notes n where n.tenant_id = tenant and n.order_id = add_order_note.order_id
  ) >= 200 then
    perform private.refuse('VALIDATION_ERROR', 'An order can have at most 200 notes.');
  end if;
  perform private.bound_record(
    (
      select coalesce(sum(octet_length(to_json(n.text)::text)), 0)
      from public.order_notes n
      where n.tenant_id = tenant and n.order_id = add_order_note.order_id
    ) + octet_length(to_json(add_order_note.text)::text),
    0.25, 'The notes of this order are too long together. Shorten this note.', 'text'
  );

  insert into public.order_notes (tenant_id, order_id, text, visibility, supplier_id, author_id)
  values (
    tenant, add_order_note.order_id, add_order_note.text,
    coalesce(
      add_order_note.visibility,
      case when by_buyer then 'customer' else 'internal' end::public.note_visibility
    ),
    private.supplier_id(), auth.uid()
  )
  returning id into added;
  return added;
end
$function$;

CREATE OR REPLACE FUNCTION private.add_queue (
  queue    text,
  worker   text,
  lease    interval,
  waits    interval[],
  gives_up boolean    DEFAULT true,
  in_order boolean    DEFAULT false
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into private.queues (queue, worker, lease, waits, gives_up, in_order)
  values (add_queue.queue, add_queue.worker, add_queue.lease, add_queue.waits, add_queue.gives_up, add_queue.in_order)
  on conflict on constraint queues_pkey do update
    set worker = excluded.worker, lease = excluded.lease, waits = excluded.waits, gives_up = excluded.gives_up,
        in_order = excluded.in_order
$function$;

CREATE OR REPLACE FUNCTION private.address_of_customer (
  customer public.customers
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Anybody can type any address. One that is not confirmed may be another person's.
  select (customer).email
  where (customer).user_id is null
    or exists (select from auth.users u where u.id = (customer).user_id and u.email_confirmed_at is not null)
$function$;

CREATE OR REPLACE FUNCTION private.address_record (
  kept private.customer_addresses
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select (kept).address || jsonb_build_object(
    'id', (kept).id, 'is_default', (kept).is_default, 'created_at', (kept).created_at, 'updated_at', (kept).updated_at
  )
$function$;

CREATE OR REPLACE FUNCTION private.adds_media()
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not (private.edits_media() or private.scope('media.write') is not null) then
    perform private.refuse('FORBIDDEN', 'Only suppliers, content editors and admins may upload media.');
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.admit_mail (
  mail public.mails
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  exceeded text;
begin
  if (select j.is_counted from private.jobs j where j.queue = 'mails' and j.subject_id = mail.id) then
    return null;
  end if;
  exceeded := private.exceeded_mail_bound(mail);
  if exceeded is null then
    perform private.count_as_sent(mail);
  end if;
  return exceeded;
end
$function$;

CREATE OR REPLACE FUNCTION private.analytics_scope (
  marketplace_id uuid,
  supplier_id    uuid,
  category       uuid
)
  RETURNS private.analytics_scope
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  scope private.analytics_scope;
begin
  perform private.require_permission('analytics.read', 'Your role may not read analytics.');
  scope.tenant_id := private.tenant_id();
  if private.scope('analytics.read') = 'own' then
    scope.supplier_id := private.supplier_id();
    if analytics_scope.supplier_id <> scope.supplier_id then
      perform private.refuse(
        'FORBIDDEN', 'Suppliers may only read analytics of their own sales.',
        'supplier_id', to_jsonb(analytics_scope.supplier_id)
      );
    end if;
  elsif analytics_scope.supplier_id is not null then
    select s.id into scope.supplier_id
    from public.suppliers s
    where s.tenant_id = scope.tenant_id and s.id = analytics_scope.supplier_id;
    if not found then
      perform private.refuse(
        'NOT_FOUND', 'There is no such supplier.', 'supplier_id', to_jsonb(analytics_scope.supplier_id)
      );
    end if;
  end if;
  if analytics_scope.marketplace_id is not null then
    select m.id into scope.marketplace_id
    from public.marketplaces m
    where m.tenant_id = scope.tenant_id and m.id = analytics_scope.marketplace_id;
    if not found then
      perform private.refuse(
        'NOT_FOUND', 'There is no such marketplace.', 'marketplace_id', to_jsonb(analytics_scope.marketplace_id)
      );
    end if;
  end if;
  if category is not null then
    if not exists (select from public.categories c where c.tenant_id = scope.tenant_id and c.id = category) then
      perform private.refuse('NOT_FOUND', 'There is no such category.', 'category', to_jsonb(category));
    end if;
    scope.categories := private.category_branch(scope.tenant_id, category);
  end if;
  scope.time_zone := private.time_zone_of(scope.tenant_id);
  return scope;
end
$function$;

CREATE OR REPLACE FUNCTION private.application_facts (
  application public.supplier_applications
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'application', jsonb_build_object(
      'id', application.id, 'status', application.status, 'name', application.name, 'email', application.email,
      'country', application.country, 'message', application.message, 'reason', application.reason
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.approve_product (
  product_id uuid,
  reason     text,
  updated_at timestamp with time zone
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  approval constant public.product_approvals := private.pending_approval(product_id, updated_at);
begin
  if approval.pending_changes is null then
    perform private.insist_on_safety(p) from public.products p where p.id = approval.product_id;
  end if;
  perform private.carry_out_approval(approval, reason);
  perform private.write_mail_of_review(p, 'approved', reason) from public.products p where p.id = product_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.approve_supplier_application (
  application_id uuid,
  reason         text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  application public.supplier_applications := private.pending_application(application_id);
  invitation jsonb;
begin
  insert into public.suppliers (tenant_id, name, legal)
  values (application.tenant_id, application.name, application.legal)
  returning id into application.supplier_id;
  -- A customer who applied with the address of its account needs no invitation.
  update public.members m
  set role = 'supplier', supplier_id = application.supplier_id
  where m.tenant_id = application.tenant_id and m.user_id = application.user_id and m.role = 'customer'
    and m.email = application.email and m.status = 'active';
  if found then
    update public.suppliers s
    set verified = true
    where s.tenant_id = application.tenant_id and s.id = application.supplier_id;
  else
    invitation := private.create_invitation(application.email, 'supplier', application.supplier_id, true);
  end if;
  update public.supplier_applications a
  set status = 'approved', supplier_id = application.supplier_id, reason = approve_supplier_application.reason,
      decided_by = auth.uid(), decided_at = now()
  where a.tenant_id = application.tenant_id and a.id = application.id
  returning * into application;
  return to_jsonb(application) || jsonb_build_object('invitation', invitation);
end
$function$;

CREATE OR REPLACE FUNCTION private.audit_act (
  tenant_id   uuid,
  record_type text,
  record_id   uuid,
  fields      text[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if private.is_audited() then
    perform private.write_audit(
      private.audit_source(), 'changed', record_type, array[row(tenant_id, record_id::text, fields)::private.audited_record]
    );
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.audit_source()
  RETURNS private.audit_source
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  source private.audit_source;
begin
  select c.actor, c.supplier_id into source.actor, source.supplier_id from private.audited_caller() c;
  if source.actor is distinct from 'service' then
    source.tenant_id := (auth.jwt() ->> 'tenant_id')::uuid;
    source.actor_id := auth.uid();
  end if;
  source.operation := private.request_operation();
  source.address := private.request_address();
  return source;
end
$function$;

CREATE OR REPLACE FUNCTION private.audited_caller (
  OUT actor text,
  OUT supplier_id uuid
)
  RETURNS record
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  request constant text := nullif(current_setting('request.jwt.claims', true), '');
  claims jsonb;
  known text[];
begin
  if request is null then
    return;
  elsif current_setting('souk.audited_request', true) = request then
    known := string_to_array(current_setting('souk.audited_caller'), ' ');
    actor := known[1];
    supplier_id := known[2]::uuid;
    return;
  end if;
  -- Every statement of an order or import asks, so it is looked up once per transaction.
  claims := request::jsonb;
  if claims ->> 'role' = 'service_role' then
    actor := 'service';
  else
    select
      case when m.is_key then 'key' when m.role = 'customer' then 'editor' else m.role::text end, m.supplier_id
    into actor, supplier_id
    from public.members m
    where m.tenant_id = (claims ->> 'tenant_id')::uuid and m.user_id = (claims ->> 'sub')::uuid
      and m.status = 'active' and (m.role <> 'customer' or m.content_roles <> '{}');
  end if;
  perform set_config('souk.audited_caller', concat_ws(' ', actor, supplier_id), true),
    set_config('souk.audited_request', request, true);
end
$function$;

CREATE OR REPLACE FUNCTION private.audited_fields (
  before  jsonb,
  after   jsonb,
  ignored text[]
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return array(
    select a.key
    from jsonb_each(after) as a
    where a.key <> 'settings' and a.key <> all (ignored) and before -> a.key is distinct from a.value
    union all
    select 'settings.' || g.key
    from jsonb_object_keys((before -> 'settings') || (after -> 'settings')) as g (key)
    where before -> 'settings' -> g.key is distinct from after -> 'settings' -> g.key
    order by 1
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.become_account (
  past    public.customers,
  account uuid,
  name    text,
  email   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.customers c
  set user_id = account, name = become_account.name, email = become_account.email, contact_email = null,
      is_guest = false, is_listed = true
  where c.id = past.id;
  if past.is_guest then
    delete from auth.users u where u.id = past.user_id and u.is_anonymous;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.best_sellers (
  marketplace_id uuid,
  branch         uuid[],
  days           integer,
  wanted         integer
)
  RETURNS TABLE (
    id          uuid,
    sales_count bigint
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  since date := (now() at time zone 'UTC')::date - days + 1;
  -- Revenues in several currencies cannot be compared.
  by_revenue boolean := best_sellers.marketplace_id is not null or cardinality(private.currencies_in_use()) < 2;
begin
  return query
    select best.product_id, best.quantity
    from (
      select sold.product_id, sum(sold.quantity)::bigint as quantity,
        sum(case when by_revenue then sold.revenue end) as revenue
      from (
        select s.product_id, s.quantity, s.revenue
        from private.product_sales s
        where s.tenant_id = tenant and s.date >= since
        union all
        select n.product_id, n.quantity, n.revenue
        from private.new_sales n
        where n.tenant_id = tenant and n.date >= since
      ) as sold
      group by sold.product_id
      having sum(sold.quantity) > 0
      order by quantity desc, revenue desc, product_id
    ) as best
    -- Looked up one by one, best first, until there are enough.
    cross join lateral (
      select p.track_inventory
      from public.products p
      where p.id = best.product_id
        and p.tenant_id = tenant
        and p.status = 'active'
        and (best_sellers.marketplace_id is null or p.marketplace_id = best_sellers.marketplace_id)
        and (branch is null or p.category_id = any (branch))
        and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
      limit 1
    ) as p
    where private.is_in_stock(best.product_id, p.track_inventory)
    order by best.quantity desc, best.revenue desc, best.product_id
    limit wanted;
end
$function$;

CREATE OR REPLACE FUNCTION private.bound_products (
  ids uuid[]
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  AS $function$
begin
  -- A record is the product's row and at most 200 variants of at most 3,050 bytes (455 characters of six bytes each, as
  -- JSON writes control characters, and the rest of the variant). Variants are measured only if the row leaves less space.
  perform private.bound_record(
    -- Its supplier has a name and a slug of at most 200 characters.
    octet_length(o.opening) + coalesce(octet_length(to_json(p.description_html)::text), 0)
      + coalesce(octet_length(p.safety::text), 0) + v.bytes + 1600,
    1,
    'The product is too large. Shorten its description, images, attributes or variants.'
  )
  from public.products p
  join private.product_openings o on o.product_id = p.id and o.tenant_id = p.tenant_id
  cross join lateral (
    select coalesce(
      sum(octet_length(to_json(v.name)::text) + coalesce(octet_length(to_json(v.sku)::text), 4) + 320), 0
    ) as bytes
    from public.product_variants v
    where v.tenant_id = o.tenant_id and v.product_id = o.product_id
  ) as v
  where p.id = any (ids)
    -- Reduced HTML has no control characters, and so at most two bytes of JSON for one.
    and octet_length(o.opening) + 2 * coalesce(octet_length(p.description_html), 0) + coalesce(octet_length(p.safety::text), 0)
      > private.cap('record_bytes') - 1600 - 200 * 3050;
end
$function$;

CREATE OR REPLACE FUNCTION private.bound_variants()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  AS $function$
declare
  affected uuid[] := array(select distinct c.product_id from changed c);
  compared uuid[];
begin
  if exists (
    select 1
    from public.product_variants v
    where v.product_id = any (affected) and v.tenant_id = any (array(select c.tenant_id from changed c))
    group by v.product_id
    having count(*) > 200
  ) then
    perform private.refuse('VALIDATION_ERROR', 'A product must have at most 200 variants.', 'variants');
  end if;
  if tg_op = 'INSERT' then
    compared := array(select c.id from changed c where c.compare_at_price is not null);
  else
    -- Without those whose prices this statement keeps: the product's price may have risen just before, and theirs may follow.
    compared := array(
      select d.id
      from (
        select c.id, c.price, c.compare_at_price from changed c where c.compare_at_price is not null
        except
        select f.id, f.price, f.compare_at_price from former f
      ) as d
    );
  end if;
  if compared <> '{}' then
    perform private.check_compared_prices(compared);
  end if;
  perform private.bound_products(affected);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.caller_address()
  RETURNS bytea
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  signed text[] := string_to_array(private.request_header('x-souk-address'), ' ');
  address text;
begin
  if cardinality(signed) = 3 and signed[2] ~ '^\d{1,12}$'
    and to_timestamp(signed[2]::bigint) > now() - interval '2 hours'
    and signed[3] = private.address_signature(private.viewer_id(), signed[1], signed[2])
  then
    address := signed[1];
  else
    address := private.proxy_address();
  end if;
  return private.signed('promotions', 'network ' || private.network_of(address));
end
$function$;

CREATE OR REPLACE FUNCTION private.campaign_to_change (
  campaign_id uuid
)
  RETURNS public.campaigns
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  target public.campaigns;
begin
  select * into target
  from public.campaigns c
  where c.tenant_id = private.tenant_id()
    and c.id = campaign_to_change.campaign_id
    and (private.scope('campaigns.write') = 'all' or c.supplier_id = private.supplier_id());
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such campaign.');
  end if;
  -- The job may be behind, so the campaign is first brought up to date.
  perform private.run_campaign(target.id);
  perform private.lock_campaigns(target.category_id);
  select * into target from public.campaigns c where c.id = target.id for no key update;
  return target;
end
$function$;

CREATE OR REPLACE FUNCTION private.cancel_order_items (
  order_id uuid,
  items    jsonb,
  reason   text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  by_buyer boolean := private.reach('orders.cancel') = 'customer';
  target public.orders := private.seen_order(cancel_order_items.order_id);
  there private.piece[];
  pieces private.piece[];
  cancelled uuid;
begin
  perform private.require_permission('orders.cancel', 'Your role may not cancel items.');
  -- Access to an order never changes. Its status may change until the row is locked.
  select * into target from public.orders o where o.id = target.id for update;
  there := array(select p from private.cancellable_pieces(target) as p);
  pieces := case
    when items is null then array(select p from unnest(there) as p where p.quantity > 0)
    else private.wanted_pieces(items, there, 'Only %s of them are open.')
  end;
  if cardinality(pieces) = 0 then
    perform private.refuse('VALIDATION_ERROR', 'This order has no open items.');
  elsif by_buyer and exists (
    select 1
    from unnest(pieces) as p
    join public.order_parts part
      on part.tenant_id = target.tenant_id and part.order_id = target.id
      and part.supplier_id is not distinct from p.supplier_id
    where not private.is_untouched(part.status)
  ) then
    perform private.refuse(
      'FORBIDDEN', 'The supplier has started to process these items, so you can no longer cancel them. Ask the shop.',
      'items', items
    );
  elsif by_buyer and exists (select from unnest(pieces) as p where p.item_id = any (private.late_slots(target))) then
    perform private.refuse(
      'FORBIDDEN', 'It is too late to cancel this booking yourself: see its cancellable_until. Ask the shop.', 'items', items
    );
  end if;
  if items is not null then
    perform private.bound_cancellations(target, cardinality(pieces), cancel_order_items.reason);
  end if;
  cancelled := private.cancel_pieces(target, pieces, cancel_order_items.reason);
  perform private.follow_pieces(target, case when private.has_one_seller(target) then cancel_order_items.reason end);
  return cancelled;
end
$function$;

CREATE OR REPLACE FUNCTION private.carry_out_approval (
  approval public.product_approvals,
  reason   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.product_approvals a
  set status = 'approved', pending_changes = null, reason = carry_out_approval.reason, is_released = false,
      decided_by = auth.uid(), decided_at = now()
  where a.product_id = approval.product_id and a.tenant_id = approval.tenant_id;
  update public.products p
  set (name, description, description_html, category_id, images) = (
    select r.name, r.description, r.description_html, r.category_id, r.images
    from jsonb_populate_record(p, approval.pending_changes) as r
  )
  where approval.pending_changes is not null and p.id = approval.product_id;
  update public.products p
  set status = 'active'
  where approval.pending_changes is null and p.id = approval.product_id and p.status in ('draft', 'inactive')
    -- Such a product stays as it is, until its seller puts it up for sale with its manufacturer.
    and not private.needs_safety(p);
end
$function$;

CREATE OR REPLACE FUNCTION private.catalog_counts (
  filters private.product_filters,
  facets  text[],
  OUT     counts private.product_count[],
  OUT     attributes json
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  question bytea := private.counts_question(filters, facets);
  kept private.kept_counts := private.find_kept_counts(question);
begin
  if kept.tenant_id is not null then
    counts := kept.counts;
    attributes := kept.attributes;
    return;
  elsif facets is null then
    counts := array(select c from private.count_catalog(filters) as c);
  else
    select f.counts, f.attributes into counts, attributes
    from private.count_facets(facets, null, null, filters, null, null) as f;
  end if;
  if question is not null then
    perform private.store_counts(question, counts, attributes, pg_current_snapshot());
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.catalog_page (
  filters       private.product_filters,
  sort          text,
  "order"       text,
  size          integer,
  skipped       bigint,
  promotable    uuid[],
  promotable_in uuid[],
  is_whole      boolean,
  region        text
)
  RETURNS private.product_block
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
#variable_conflict use_variable
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  key text := case sort
    when 'price' then case "order" when 'asc' then 'p.lowest_price' else 'p.highest_price' end
    when 'name' then 'private.sort_name(p.name) collate "C"'
    when 'updated_at' then 'p.updated_at'
    else 'p.created_at'
  end;
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  among uuid[];
  seal text;
  promoted uuid[] := '{}'::uuid[];
  promotions jsonb[];
  rest uuid[];
begin
  if promotable <> '{}' then
    seal := private.promotion_seal('category');
    if not is_whole then
      among := array(
        select p.id
        from public.products p
        where p.tenant_id = tenant
          and p.id = any (promotable)
          and p.status <> 'discontinued'
          and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
          and (promotable_in is null or p.marketplace_id = any (promotable_in))
          and private.is_wanted(p, filters)
      );
    end if;
    select
      coalesce(array_agg(h.product_id order by h.place), '{}'),
      array_agg(private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place, seal) order by h.place)
    into promoted, promotions
    from private.hold_auction('category', null, among, size, region) as h
    where among is null or among <> '{}';
  end if;

  -- An index returns the page in its order.
  execute format(
    'select array(
      select p.id
      from public.products p
      where p.tenant_id = $1
        and p.status <> ''discontinued''
        and private.is_shown_to($6, $7, $8, p.supplier_id, p.marketplace_id, p.status)
        and private.is_wanted(p, $2)
        and p.id <> all ($5)
      order by %s %s, p.id
      limit $3 offset $4
    )',
    key, direction
  )
  into rest
  using
    tenant, filters, size - case skipped when 0 then cardinality(promoted) else 0 end,
    greatest(skipped - cardinality(promoted), 0), promoted, viewer, own_supplier, active_marketplaces;
  return case skipped
    when 0 then row(promoted || rest, null, promotions)::private.product_block
    else row(rest, null, null)::private.product_block
  end;
end
$function$;

CREATE OR REPLACE FUNCTION private.change_order_status (
  order_id uuid,
  status   public.order_status,
  note     text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  reach text := private.reach('orders.move');
  target public.orders := private.seen_order(change_order_status.order_id);
  may boolean;
  is_late boolean;
begin
  -- Access to an order never changes. Its status may change until the row is locked.
  select * into target from public.orders o where o.id = target.id for update;
  is_late := private.is_late_to_cancel(target);

  may := case reach
    when 'all' then true
    when 'customer' then change_order_status.status = 'cancelled'
    when 'supplier' then
      not private.is_void(change_order_status.status)
      and not exists (
        select 1 from public.order_items i
        where i.tenant_id = target.tenant_id
          and i.order_id = target.id
          and i.supplier_id is distinct from private.supplier_id()
      )
    else false
  end;
  if not may then
    perform private.refuse(
      'FORBIDDEN', 'Your role may not move this order to this status.', 'status', to_jsonb(change_order_status.status)
    );
  end if;

  perform private.move_order(target, change_order_status.status, change_order_status.note);

  if reach = 'customer' and is_late then
    perform private.refuse(
      'FORBIDDEN', 'You can no longer cancel this order yourself. Ask the shop.', 'status', to_jsonb(change_order_status.status)
    );
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.changed_fields (
  line    jsonb,
  current jsonb
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return (
    select coalesce(array_agg(sent.key), '{}')
    from jsonb_each(line) as sent
    where sent.key <> 'line'
      -- Null means no change, except in fields that may be null.
      and (sent.value <> 'null' or sent.key in ('category_id', 'physical', 'safety', 'compare_at_price'))
      and case sent.key
        -- Stock moves a product between active and out_of_stock, so both count as active here.
        when 'status' then
          (case line ->> 'status' when 'out_of_stock' then 'active' else line ->> 'status' end)
            <> (case current ->> 'status' when 'out_of_stock' then 'active' else current ->> 'status' end)
        -- As in a change of one product: the field that differs counts, and of two description_html. The description may be
        -- HTML itself. Spreadsheets change its ends of lines.
        when 'description' then
          coalesce(nullif(line -> 'description_html', 'null') = current -> 'description_html', true)
          and replace(sent.value #>> '{}', E'\r\n', E'\n') <> replace(current ->> 'description', E'\r\n', E'\n') and (
            select settled.html is null or settled.html is distinct from current ->> 'description_html'
            from private.settle_html(sent.value #>> '{}', null, 'description') as settled
          )
        -- HTML that is too long is refused when its line is imported.
        when 'description_html' then char_length(sent.value #>> '{}') > 200000 or (
          select settled.html is distinct from current ->> 'description_html'
          from private.settle_html(null, sent.value #>> '{}', 'description_html') as settled
        )
        when 'attributes' then
          jsonb_typeof(sent.value) <> 'array'
          or jsonb_array_length(sent.value) <> jsonb_array_length(current -> 'attributes')
          or exists (
            select 1 from jsonb_array_elements(sent.value) as attribute
            where not (current -> 'attributes') @> jsonb_build_array(attribute.value)
          )
        when 'images' then
          jsonb_typeof(sent.value) <> 'array'
          or (
            select coalesce(jsonb_agg(
              case
                when jsonb_typeof(image.value) <> 'object' then image.value
                when image.value ? 'asset_id' then jsonb_build_object(
                  'asset_id', image.value -> 'asset_id',
                  'alt', coalesce(image.value -> 'alt', current -> 'images' -> (image.position::integer - 1) -> 'alt')
                )
                else '{"alt": ""}' || image.value
              end
              order by image.position
            ), '[]')
            from jsonb_array_elements(sent.value) with ordinality as image (value, position)
          ) <> current -> 'images'
        when 'physical' then
          jsonb_strip_nulls(sent.value) <> jsonb_strip_nulls(current -> 'physical')
        when 'safety' then
          jsonb_strip_nulls(sent.value) <> jsonb_strip_nulls(current -> 'safety')
        when 'variants' then
          jsonb_typeof(sent.value) <> 'array'
          -- Duplicates count as a change, even if the product has them, so that import_variants refuses them.
          or (
            select count(variant.value ->> 'name') > count(distinct variant.value ->> 'name')
            from jsonb_array_elements(sent.value) as variant
          )
          or exists (
            select 1 from jsonb_array_elements(sent.value) as variant
            where not (current -> 'variants') @> jsonb_build_array(
              case when jsonb_typeof(variant.value) = 'object'
                then jsonb_strip_nulls(variant.value)
                  || case when variant.value -> 'price' = 'null' then jsonb '{"price": null}' else '{}' end
                  || case when variant.value -> 'compare_at_price' = 'null' then jsonb '{"compare_at_price": null}' else '{}' end
                else variant.value
              end
            )
          )
        else sent.value is distinct from current -> sent.key
      end
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.changes_media (
  asset public.media_assets
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return asset.tenant_id = private.tenant_id()
    and (private.edits_media() or coalesce(asset.supplier_id = private.supplier_id('media.write'), false));
end
$function$;

CREATE OR REPLACE FUNCTION private.check_address()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'UPDATE' and (new.shipping_address, new.billing_address) is not distinct from
    (private.erased_address(old.shipping_address), private.erased_address(old.billing_address))
  then
    return new;
  end if;
  if new.shipping_address is not null then
    new.shipping_address := private.checked_address(new.shipping_address, null);
  end if;
  if new.billing_address is not null then
    new.billing_address := private.checked_address(new.billing_address, null, 'billing_address');
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_audit_export (
  request public.exports
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not exists (
    select
    from public.members m
    where m.tenant_id = request.tenant_id and m.user_id = coalesce(request.asked_by, auth.uid()) and m.status = 'active'
      and private.scope_of('audit_log.read', m.role) = 'all'
  ) then
    perform private.refuse('FORBIDDEN', 'Only admins may export the audit log.', 'type', to_jsonb(request.type));
  end if;
  perform private.insist(
    request.marketplace_id is null, 'marketplace_id', 'left out for the audit log', to_jsonb(request.marketplace_id)
  );
  perform private.insist(request.category is null, 'category', 'left out for the audit log', to_jsonb(request.category));
end
$function$;

CREATE OR REPLACE FUNCTION private.check_business (
  business jsonb,
  currency text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist_on_keys(
    business, 'settings.business',
    array[
      'commission_percent', 'payment_methods', 'payment_deadline_minutes', 'delivery', 'guest_checkout', 'ship_unpaid',
      'delivered_after_days', 'return_days', 'payout_delay_days', 'commission_on_delivery', 'max_unpaid_orders',
      'max_unpaid_pieces', 'reply_to', 'country', 'require_safety'
    ]
  );
  for entry in select e.key, e.value, 'settings.business.' || e.key as field from jsonb_each(business) as e loop
    begin
      case entry.key
        when 'commission_percent' then
          perform private.insist(
            case
              when jsonb_typeof(entry.value) = 'number' then
                (entry.value #>> '{}')::numeric between 0 and 100
                and scale(trim_scale((entry.value #>> '{}')::numeric)) <= 4
            end,
            entry.field, 'a number from 0 to 100 with at most 4 decimals', entry.value
          );
        when 'payment_deadline_minutes' then
          perform private.insist_on_whole_number(entry.value, entry.field, 5, 43200);
        when 'delivered_after_days', 'return_days' then
          perform private.insist_on_whole_number(entry.value, entry.field, 1, 365);
        when 'payout_delay_days' then
          perform private.insist_on_whole_number(entry.value, entry.field, 0, 365);
        when 'max_unpaid_orders', 'max_unpaid_pieces' then
          perform private.insist_on_whole_number(entry.value, entry.field, 1, 1000000);
        when 'reply_to' then
          perform private.insist(
            jsonb_typeof(entry.value) = 'string' and private.is_email(entry.value #>> '{}'),
            entry.field, 'an e-mail address in lower case', entry.value
          );
        when 'country' then
          perform private.insist(
            private.is_country(entry.value), entry.field, 'the code of a country by ISO 3166-1, such as DE', entry.value
          );
        when 'payment_methods' then
          perform private.check_list(entry.value, entry.field, 50);
        when 'delivery' then
          perform private.check_delivery(entry.value, currency);
        when 'guest_checkout', 'ship_unpaid', 'commission_on_delivery', 'require_safety' then
          perform private.insist(jsonb_typeof(entry.value) = 'boolean', entry.field, 'true or false', entry.value);
      end case;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
end
$function$;

CREATE OR REPLACE FUNCTION private.check_campaign_changes (
  changes jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.require_permission('campaigns.write', 'Your role may not change campaigns.');
  perform private.known_only(changes, '{status,bid_amount,max_bid,daily_budget}');
  perform private.insist(
    not changes ? 'status' or coalesce(changes ->> 'status' in ('active', 'paused', 'cancelled'), false),
    'status', 'active, paused or cancelled', changes -> 'status'
  );
  perform private.insist(changes -> 'bid_amount' <> 'null', 'bid_amount', 'an amount', 'null')
  where changes ? 'bid_amount';
end
$function$;

CREATE OR REPLACE FUNCTION private.check_category_is_empty()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  reason text := case
    when exists (
      select 1 from public.categories c where c.tenant_id = old.tenant_id and c.parent_id = old.id
    ) then 'The category has categories below it. Move or delete them first.'
    when exists (
      select 1 from public.products p
      where p.tenant_id = old.tenant_id and p.category_id = old.id and p.status <> 'discontinued'
    ) then 'The category has products. Move them first.'
  end;
begin
  -- If the tenant itself is deleted, all its rows are deleted.
  if reason is not null and private.is_tenant_kept(old.tenant_id) then
    perform private.refuse('CONFLICT', reason);
  end if;
  return old;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_category_runs_no_campaign()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if exists (
      select 1
      from public.campaigns c
      where c.tenant_id = old.tenant_id
        and c.category_id = old.id
        and c.status in ('pending_review', 'scheduled', 'active', 'paused', 'exhausted')
    )
    and private.is_tenant_kept(old.tenant_id)
  then
    perform private.refuse('CONFLICT', 'Products are promoted in this category. Cancel their campaigns first.');
  end if;
  return old;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_click_refund (
  campaign_id uuid,
  visitor_id  text,
  click_ids   uuid[]
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  stranger uuid;
begin
  perform private.require_permission('campaigns.refund', 'Your role may not refund clicks.');
  if not exists (
    select 1 from public.campaigns c where c.tenant_id = tenant and c.id = check_click_refund.campaign_id
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such campaign.');
  elsif (check_click_refund.visitor_id is null) = (check_click_refund.click_ids is null) then
    perform private.refuse(
      'VALIDATION_ERROR', 'Send either visitor_id or click_ids.',
      'visitor_id', to_jsonb(check_click_refund.visitor_id)
    );
  elsif cardinality(click_ids) > 1000 then
    perform private.refuse(
      'VALIDATION_ERROR', 'click_ids must have at most 1000 entries.', 'click_ids', to_jsonb(cardinality(click_ids))
    );
  end if;

  select wanted.id into stranger
  from unnest(check_click_refund.click_ids) as wanted (id)
  where not exists (
    select 1
    from private.placement_clicks k
    where k.tenant_id = tenant and k.id = wanted.id and k.campaign_id = check_click_refund.campaign_id
  ) and not exists (
    select 1
    from public.placement_charges p
    where p.tenant_id = tenant and p.click_id = wanted.id and p.campaign_id = check_click_refund.campaign_id
  )
  limit 1;
  if found then
    perform private.refuse('NOT_FOUND', 'The campaign has no such click.', 'click_ids', to_jsonb(stranger));
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_colleague_invitation (
  tenant       uuid,
  organisation uuid,
  address      text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- It does not say whether the address is a member's: suppliers do not know the tenant's customers.
  if exists (
    select
    from public.invitations i
    where i.tenant_id = tenant and i.email = address and i.accepted_at is null and i.expires_at > now()
      and i.supplier_id is distinct from organisation
  ) then
    perform private.refuse(
      'CONFLICT', 'This address has an invitation of the tenant. It can be accepted or withdrawn first.', 'email', to_jsonb(address)
    );
  end if;
  -- The lock lets parallel transactions count each other's invitations.
  perform private.hold('cap', 'invitations of ' || organisation);
  if (
    select count(*)
    from public.invitations i
    where i.tenant_id = tenant and i.supplier_id = organisation and i.accepted_at is null and i.email <> address
  ) >= private.cap('invitations_per_supplier') then
    perform private.refuse_beyond(
      'invitations_per_supplier', 'The supplier has the maximum number of open invitations. Withdraw one first.'
    );
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_compared_prices (
  variant_ids uuid[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  faults constant jsonb := (
    select coalesce(
      jsonb_agg(
        private.fault(
          format('compare_at_price of the variant %s must be greater than its price.', v.name),
          -- Variants that were not listed by the API may all have the position 0.
          format('variants[%s].compare_at_price', greatest(v.position - 1, 0)), to_jsonb(v.compare_at_price)
        )
        order by v.position, v.id
      ),
      '[]'
    )
    from public.product_variants v
    join public.products p on p.tenant_id = v.tenant_id and p.id = v.product_id
    where v.id = any (variant_ids) and v.compare_at_price <= coalesce(v.price, p.price)
  );
begin
  perform private.refuse_all(faults);
end
$function$;

CREATE OR REPLACE FUNCTION private.check_delivery (
  delivery jsonb,
  currency text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  methods constant jsonb := coalesce(delivery -> 'methods', '[]');
  method record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist_on_keys(delivery, 'settings.business.delivery', array['methods', 'recipient']);
  perform private.insist(
    not delivery ? 'recipient' or delivery ->> 'recipient' = any (enum_range(null::public.delivery_recipient)::text[]),
    'settings.business.delivery.recipient', 'operator or supplier', delivery -> 'recipient'
  );
  perform private.insist(
    case when jsonb_typeof(methods) = 'array' then jsonb_array_length(methods) <= 100 end,
    'settings.business.delivery.methods', 'a list of at most 100', methods
  );
  for method in
    select e.value, format('settings.business.delivery.methods[%s]', e.position - 1) as field
    from jsonb_array_elements(methods) with ordinality as e (value, position)
  loop
    faults := faults || private.faults_of_method(method.value, method.field, currency);
  end loop;
  perform private.refuse_all(faults);
  perform private.insist(
    (select count(distinct m.value ->> 'key') = count(*) from jsonb_array_elements(methods) as m (value)),
    'settings.business.delivery.methods', 'a list in which every key is different', methods
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.check_destination (
  settings         jsonb,
  offered          jsonb,
  shipping_address jsonb,
  lines            jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  methods constant jsonb := coalesce(settings #> '{business,delivery,methods}', '[]');
  possible jsonb;
begin
  if not lines @> '[{"is_physical": true}]' then
    return;
  elsif offered is null and methods <> '[]' then
    perform private.refuse(
      'VALIDATION_ERROR', 'delivery_method is required: name one of the marketplace''s methods.', 'delivery_method', 'null'
    );
  elsif shipping_address is null then
    perform private.checked_address(shipping_address, null);
  elsif offered is not null and not private.delivers(offered, shipping_address, lines) then
    select coalesce(jsonb_agg(m.method -> 'key' order by m.position), '[]') into possible
    from jsonb_array_elements(methods) with ordinality as m (method, position)
    where private.delivers(m.method, shipping_address, lines);
    perform private.refuse(
      'VALIDATION_ERROR',
      'This delivery method does not serve this address and weight. Those in details.delivery_methods do.',
      'delivery_method', offered -> 'key', jsonb_build_object('delivery_methods', possible)
    );
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_discontinued_product()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Triggers may still change it: its category may be deleted, and orders may return stock. Users may not.
  if current_user in ('anon', 'authenticated') then
    perform private.refuse(
      'INVALID_TRANSITION', 'A discontinued product cannot change.', 'status', to_jsonb(new.status)
    );
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_email_template()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  unknown text;
begin
  perform private.check_localized(new.subject, 'subject', 1000);
  perform private.check_localized(new.html_content, 'html_content', 100000);
  if new.text_content is not null then
    perform private.check_localized(new.text_content, 'text_content', 100000);
  end if;
  perform private.bound_record(
    octet_length(new.subject::text) + octet_length(new.html_content::text)
      + coalesce(octet_length(new.text_content::text), 0),
    0.75, 'The texts of an e-mail template together are too long.', 'html_content'
  );
  if exists (select from unnest(new.variables) as v (name) where (char_length(v.name) between 1 and 100) is not true) then
    perform private.refuse(
      'VALIDATION_ERROR', 'The name of a variable must have 1 to 100 characters.', 'variables', null
    );
  end if;
  unknown := (
    select e.name
    from unnest(new.trigger_events) as e (name)
    where not exists (select from private.event_types t where t.name = e.name)
    limit 1
  );
  if unknown is not null then
    perform private.refuse('VALIDATION_ERROR', 'There is no such event.', 'trigger_events', to_jsonb(unknown));
  elsif new.trigger_events <> '{}' and exists (select from private.mail_kinds l where l.key = new.key) then
    perform private.refuse(
      'VALIDATION_ERROR', 'The events of a built-in letter cannot be changed: leave trigger_events out.',
      'trigger_events', to_jsonb(new.trigger_events)
    );
  elsif new."to" is not null and exists (select from private.mail_kinds l where l.key = new.key) then
    perform private.refuse(
      'VALIDATION_ERROR', 'A built-in mail has the receivers of its kind: leave to out.', 'to', to_jsonb(new."to")
    );
  end if;
  unknown := (
    select e.name
    from unnest(new.trigger_events) as e (name)
    where new."to" = 'buyer' and e.name !~ '^(order|shipment|return|payment)[.]'
      or new."to" = 'supplier' and e.name !~ '^(order|shipment|return|payment|product)[.]'
    limit 1
  );
  if unknown is not null then
    perform private.refuse(
      'VALIDATION_ERROR', format('The event %s has no %s: choose other receivers or events.', unknown, new."to"), 'to',
      to_jsonb(new."to")
    );
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_export (
  request public.exports
)
  RETURNS public.exports
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if request."by" is not null then
    perform private.insist(request.type = 'revenue', 'by', 'left out, except for revenue', to_jsonb(request."by"));
    perform private.insist_on_by(request."by");
  end if;
  if request.type = 'audit_log' then
    perform private.check_audit_export(request);
  end if;
  request.currency := private.checked_currency(request.currency);
  request.email := lower(request.email);
  if request.email is not null and not exists (
    select from public.members m
    where m.tenant_id = request.tenant_id and m.email = request.email and m.status = 'active'
  ) then
    perform private.refuse(
      'VALIDATION_ERROR', 'email must be the address of an active member of the tenant.',
      'email', to_jsonb(request.email)
    );
  end if;
  return request;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_folder_is_empty()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if (
      exists (select from public.media_assets a where a.tenant_id = old.tenant_id and a.folder_id = old.id)
      or exists (select from public.media_folders f where f.tenant_id = old.tenant_id and f.parent_id = old.id)
    )
    and private.is_tenant_kept(old.tenant_id)
  then
    perform private.refuse('CONFLICT', 'This folder is not empty. Move or delete its content first.');
  end if;
  return old;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_key_scopes (
  scopes text[],
  role   public.member_role
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  unknown text;
begin
  perform private.insist(
    cardinality(scopes) between 1 and 100, 'scopes', '1 to 100 permissions, or null for all of the role', to_jsonb(scopes)
  )
  where scopes is not null;
  select s.name into unknown
  from unnest(scopes) as s (name)
  where s.name is null or private.scope_of(s.name, check_key_scopes.role) is null
  limit 1;
  if found then
    perform private.refuse(
      'VALIDATION_ERROR', format('A %s has no permission %s. docs/roles.md lists them.', role, coalesce(unknown, 'null')), 'scopes',
      to_jsonb(scopes)
    );
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_last_admin()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Two admins may leave at the same time. The lock makes the second count after the first has committed.
  perform 1
  from public.tenants t
  where t.id = old.tenant_id
    and not exists (select from private.tenant_removals r where r.tenant_id = t.id)
  for no key update;
  -- If the tenant is gone or is being removed, its members go with it.
  if found and not exists (
    select 1
    from public.members m
    where m.tenant_id = old.tenant_id and m.role = 'admin' and m.status = 'active'
  ) then
    perform private.refuse(
      'LAST_ADMIN', 'A tenant must have an active admin. Appoint another one first.'
    );
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_legal (
  legal jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.insist_on_keys(
    legal, 'legal', array['name', 'address', 'email', 'phone', 'register_number', 'tax_id', 'self_certified']
  );
  perform private.insist(
    private.is_name(legal -> known.key, known.longest),
    'legal.' || known.key, format('a text of 1 to %s characters, one of them visible', known.longest),
    legal -> known.key
  )
  from (
    values ('name', 200), ('address', 1000), ('email', 254), ('phone', 50), ('register_number', 50), ('tax_id', 50)
  ) as known (key, longest)
  where legal ? known.key;
  perform private.insist(
    private.is_email(lower(legal ->> 'email')), 'legal.email', 'an e-mail address', legal -> 'email'
  )
  where legal ? 'email';
  perform private.insist(
    jsonb_typeof(legal -> 'self_certified') = 'boolean', 'legal.self_certified', 'true or false', legal -> 'self_certified'
  )
  where legal ? 'self_certified';
end
$function$;

CREATE OR REPLACE FUNCTION private.check_may_test_mails()
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  perform private.require_permission('email_templates.write', 'Only admins may send test mails.');
end
$function$;

CREATE OR REPLACE FUNCTION private.check_media_is_unused()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  -- The row is locked: a transaction that begins to use the asset has ended before this.
  uses jsonb := private.media_uses_of(old);
begin
  -- With its tenant, an asset is deleted in any case.
  if uses <> '[]' and private.is_tenant_kept(old.tenant_id) then
    perform private.refuse(
      'CONFLICT', 'This asset is used. Remove it from the records that use it first.', null, null,
      jsonb_build_object('used_by', uses)
    );
  end if;
  return old;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_price()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  exponent smallint;
begin
  if tg_table_name = 'products' then
    select c.exponent into exponent from private.currencies c where c.code = new.currency;
  else
    select c.exponent into exponent
    from public.products p
    join private.currencies c on c.code = p.currency
    where p.id = new.product_id;
  end if;
  new.price := private.checked_price(new.price, exponent, 'price');
  if new.compare_at_price is not null then
    new.compare_at_price := private.checked_price(new.compare_at_price, exponent, 'compare_at_price');
    -- That of a variant is compared after the statement, because a variant may have the product's price.
    if tg_table_name = 'products' then
      perform private.insist(
        new.compare_at_price > new.price, 'compare_at_price', 'greater than the price', to_jsonb(new.compare_at_price)
      );
    end if;
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_product_details()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' or new.attributes is distinct from old.attributes or new.category_id is distinct from old.category_id then
    -- A discontinued product loses a deleted category, so its attributes are not checked.
    if new.status <> 'discontinued' then
      new.attributes := private.checked_attributes(new.tenant_id, new.category_id, new.attributes);
      new.brand := private.brand(new.attributes);
      new.attribute_values := private.attribute_values(new.attributes);
    end if;
  end if;
  if tg_op = 'INSERT' or new.images is distinct from old.images then
    new.images := private.checked_images(
      new.tenant_id, new.supplier_id, new.images,
      -- A discontinued product shows no asset.
      case when tg_op = 'UPDATE' and old.status <> 'discontinued' then old.images else '[]' end
    );
  end if;
  if new.physical is not null and (tg_op = 'INSERT' or new.physical is distinct from old.physical) then
    new.physical := private.checked_physical(new.tenant_id, new.marketplace_id, new.physical);
  end if;
  if new.safety is not null and (tg_op = 'INSERT' or new.safety is distinct from old.safety) then
    new.safety := private.checked_safety(new.safety);
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_raised_price()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
begin
  perform private.check_compared_prices(array(
    select v.id
    from public.product_variants v
    where v.tenant_id = new.tenant_id and v.product_id = new.id and v.compare_at_price is not null
  ));
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_rest_request()
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  place text := private.request_header('x-souk-marketplace');
  tenant text := private.request_header('x-souk-tenant');
begin
  -- The text of the headers, because a header may be sent twice, and the value of the JSON is only one of them.
  if current_setting('role', true) is distinct from 'service_role'
    and current_setting('request.headers', true) ~ '"prefer": *"([^"\\]|\\.)*count *= *(planned|estimated)'
  then
    perform private.refuse(
      'VALIDATION_ERROR', 'Prefer must not ask for a planned or estimated count. Ask for count=exact.', 'Prefer'
    );
  end if;
  if place is not null and private.is_visit() and private.marketplace_id() is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no active marketplace with this id or domain.', 'x-souk-marketplace', to_jsonb(place)
    );
  end if;
  if tenant is not null and auth.uid() is not null and lower(tenant) is distinct from auth.jwt() ->> 'tenant_id' then
    perform private.refuse(
      'CONFLICT',
      'Your session is in another tenant now. Switch back with POST /auth/switch, or go on without x-souk-tenant.',
      'x-souk-tenant', to_jsonb(tenant)
    );
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_review_of_media (
  asset public.media_assets
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if private.is_seller() and private.is_reviewed(asset) then
    perform private.refuse(
      'CONFLICT', 'A reviewed product shows this file. Upload another one and show that: the change is reviewed then.',
      'asset_id', to_jsonb(asset.id)
    );
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_reviewed_media()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.check_review_of_media(old);
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_seller_settings()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.insist_on_keys(new.settings -> 'sellers', 'settings.sellers', array['signup', 'product_review']);
  perform private.insist(
    s.value is null or jsonb_typeof(s.value) = 'string' and s.value #>> '{}' = any (s.known),
    'settings.sellers.' || s.key, array_to_string(s.known[:2], ', ') || ' or ' || s.known[3], s.value
  )
  from (values
    ('signup', new.settings #> '{sellers,signup}', array['invitation', 'application', 'open']),
    ('product_review', new.settings #> '{sellers,product_review}', array['all', 'unverified', 'none'])
  ) as s (key, value, known);
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_settings()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist(
    exists (select 1 from private.currencies c where c.code = new.currency), 'currency', 'an ISO 4217 code',
    to_jsonb(new.currency)
  );
  -- The rest of the record is a description, at most 60 kB as JSON, and short texts.
  perform private.bound_record(octet_length(new.settings::text), 0.9, 'These settings are too large.', 'settings');
  perform private.insist_on_keys(new.settings, 'settings', array['branding', 'seo', 'business', 'tax']);
  for entry in select e.key, e.value from jsonb_each(new.settings) as e order by e.key loop
    begin
      case entry.key
        when 'branding' then perform private.check_branding(entry.value);
        when 'business' then perform private.check_business(entry.value, new.currency);
        when 'tax' then perform private.check_tax(entry.value);
        else
          perform private.check_seo(
            entry.value, 'settings.seo',
            array['title', 'description', 'keywords', 'canonical_url', 'meta_tags', 'og_tags']
          );
      end case;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_supplier()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if current_user = 'authenticated' and private.scope('suppliers.verify') is null then
    if new.verified <> old.verified then
      perform private.refuse('FORBIDDEN', 'Only admins can verify suppliers.', 'verified', to_jsonb(new.verified));
    elsif new.status <> old.status and 'suspended' in (new.status, old.status) then
      perform private.refuse('FORBIDDEN', 'Only admins can suspend suppliers, and end that.', 'status', to_jsonb(new.status));
    elsif new.marketplace_ids is distinct from old.marketplace_ids then
      perform private.refuse(
        'FORBIDDEN', 'Only admins can say where suppliers sell.', 'marketplace_ids', to_jsonb(new.marketplace_ids)
      );
    end if;
    -- The old name was verified.
    new.verified := new.verified and new.name = old.name;
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_supplier_legal()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.check_legal(new.legal);
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_supplier_logo()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.insist(private.is_address(to_jsonb(new.logo)), 'logo', 'an address (https://…)', to_jsonb(new.logo));
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_supplier_marketplaces()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  unknown uuid;
begin
  perform private.insist(
    cardinality(new.marketplace_ids) between 0 and 1000, 'marketplace_ids', 'a list of at most 1000, or null for all',
    to_jsonb(new.marketplace_ids)
  );
  select sent.id into unknown
  from unnest(new.marketplace_ids) as sent (id)
  where not exists (select from public.marketplaces m where m.tenant_id = new.tenant_id and m.id = sent.id)
  limit 1;
  if found then
    perform private.refuse('NOT_FOUND', 'There is no such marketplace.', 'marketplace_ids', to_jsonb(unknown));
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_tax (
  tax jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.insist_on_keys(
    tax, 'settings.tax', array['prices_include_tax', 'country', 'collected_by', 'commission_on_tax']
  );
  perform private.refuse_all(
    private.fault_unless(
      not tax ? 'prices_include_tax' or jsonb_typeof(tax -> 'prices_include_tax') = 'boolean',
      'settings.tax.prices_include_tax', 'true or false', tax -> 'prices_include_tax'
    ) || private.fault_unless(
      not tax ? 'country' or private.is_country(tax -> 'country'),
      'settings.tax.country', 'the code of a country by ISO 3166-1, such as DE', tax -> 'country'
    ) || private.fault_unless(
      not tax ? 'collected_by' or tax ->> 'collected_by' in ('supplier', 'operator'),
      'settings.tax.collected_by', 'supplier or operator', tax -> 'collected_by'
    ) || private.fault_unless(
      not tax ? 'commission_on_tax' or jsonb_typeof(tax -> 'commission_on_tax') = 'boolean',
      'settings.tax.commission_on_tax', 'true or false', tax -> 'commission_on_tax'
    )
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.check_tax_rate()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.insist(
    private.is_country(to_jsonb(new.country)), 'country', 'the code of a country by ISO 3166-1, such as DE', to_jsonb(new.country)
  );
  -- Writers of a tenant's rates run one after the other: each counts the earlier ones, and two that overlap cannot wait for
  -- each other in the exclusion constraint.
  perform private.hold('cap', 'tax rates of ' || new.tenant_id);
  if tg_op = 'INSERT' and (
    select count(*) from public.tax_rates r where r.tenant_id = new.tenant_id
  ) >= private.cap('tax_rates_per_tenant') then
    perform private.refuse_beyond('tax_rates_per_tenant', 'The tenant has the maximum number of tax rates. Delete one first.');
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_tenant_settings()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if jsonb_typeof(new.settings) is distinct from 'object' then
    perform private.refuse('VALIDATION_ERROR', 'settings must be an object.', 'settings', new.settings);
  end if;
  -- A capability with settings adds its name here.
  perform private.known_only(new.settings, array['analytics', 'catalog', 'content', 'media', 'sellers'], 'settings.');
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_that_webhook_is_on (
  webhook_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  active boolean := (
    select w.active
    from public.webhooks w
    where w.tenant_id = private.tenant_id() and w.id = check_that_webhook_is_on.webhook_id
  );
begin
  perform private.require_permission('webhooks.write', 'Only admins and clients may send deliveries again.');
  if active is null then
    perform private.refuse('NOT_FOUND', 'There is no such webhook.');
  end if;
  if not active then
    perform private.refuse('CONFLICT', 'The webhook is switched off. Switch it on first.', 'active', to_jsonb(false));
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_variants (
  product  public.products,
  variants jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  decimals smallint := (select c.exponent from private.currencies c where c.code = product.currency);
  faults jsonb;
begin
  if jsonb_typeof(variants) is distinct from 'array' or jsonb_array_length(variants) > 200 then
    perform private.refuse('VALIDATION_ERROR', 'variants must be a list of at most 200.', 'variants', variants);
  end if;

  select coalesce(jsonb_agg(private.fault(
    fault.message, format('variants[%s].%s', sent.position - 1, array_to_string(fault.path, '.')), sent.value #> fault.path
  ) order by sent.position), '[]')
  into faults
  from jsonb_array_elements(variants) with ordinality as sent (value, position)
  cross join lateral (
    select f.path, f.message
    from (values
      (1, not private.is_name(sent.value -> 'name', 200),
        array['name'], 'The name of a variant must have 1 to 200 characters, one of which is visible.'),
      (2, not private.is_text(nullif(sent.value -> 'sku', 'null'), 1, 255),
        array['sku'], 'A sku must have 1 to 255 characters.'),
      (3, scale(trim_scale((sent.value ->> 'price')::numeric)) > decimals,
        array['price'], format('A price in this currency has at most %s decimals.', decimals)),
      (4, scale(trim_scale((sent.value ->> 'own_price')::numeric)) > decimals,
        array['own_price'], format('A price in this currency has at most %s decimals.', decimals)),
      (5, scale(trim_scale((sent.value ->> 'compare_at_price')::numeric)) > decimals,
        array['compare_at_price'], format('A price in this currency has at most %s decimals.', decimals)),
      -- The stock of an existing variant is ignored.
      (6, not product.track_inventory
          and (sent.value #>> '{inventory,quantity}')::integer > 0
          and not exists (
            select 1 from public.product_variants v
            where v.tenant_id = product.tenant_id and v.product_id = product.id and v.id = (sent.value ->> 'id')::uuid
          ),
        array['inventory', 'quantity'], 'inventory must be left out: this product has no stock.')
    ) as f (rank, applies, path, message)
    where f.applies
    order by f.rank
    limit 1
  ) as fault;
  perform private.refuse_all(faults);
end
$function$;

CREATE OR REPLACE FUNCTION private.check_what_is_sold()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  field text := case when old.kind <> new.kind then 'kind' else 'track_inventory' end;
begin
  -- Orders and new keys lock these rows, so what is read below stays true.
  perform 1
  from public.inventory i
  where i.tenant_id = old.tenant_id and i.product_id = old.id
  order by i.id
  for update;
  if exists (
      select 1 from public.order_items i where i.tenant_id = old.tenant_id and i.product_id = old.id
    )
    or exists (
      select 1 from public.licence_keys k where k.tenant_id = old.tenant_id and k.product_id = old.id
    )
    or exists (
      select 1
      from public.inventory i
      where i.tenant_id = old.tenant_id and i.product_id = old.id and i.quantity <> 0
    )
  then
    perform private.refuse(
      'VALIDATION_ERROR', 'kind and track_inventory cannot change, because the product was ordered or has stock.', field,
      to_jsonb(new) -> field
    );
  elsif new.kind <> 'digital' and exists (
    select 1 from public.product_files f where f.tenant_id = old.tenant_id and f.product_id = old.id
  ) then
    perform private.refuse('VALIDATION_ERROR', 'Only digital products can have files.', field, to_jsonb(new) -> field);
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.checked_price (
  price    numeric,
  exponent smallint,
  field    text
)
  RETURNS numeric
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if scale(trim_scale(price)) > exponent then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s must have at most %s decimals in this currency.', field, exponent),
      field, to_jsonb(price)
    );
  end if;
  -- `numeric` keeps trailing zeros, so the price is rounded. An unknown currency is refused by the foreign key.
  return round(price, coalesce(exponent, 4));
end
$function$;

CREATE OR REPLACE FUNCTION private.checked_safety (
  safety jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  trader record;
begin
  perform private.insist_on_keys(safety, 'safety', '{manufacturer,responsible_person,warnings}');
  for trader in
    select t.key, t.value, 'safety.' || t.key as field
    from jsonb_each(safety) as t
    where t.key <> 'warnings' and t.value <> 'null'
    order by t.key
  loop
    perform private.insist_on_keys(trader.value, trader.field, '{name,address,email}');
    perform private.insist(
      private.is_name(trader.value -> 'name', 200), trader.field || '.name', 'a text of 1 to 200 characters', trader.value -> 'name'
    );
    perform private.insist(
      coalesce(trader.value -> 'address', 'null') = 'null' or private.is_text(trader.value -> 'address', 1, 500),
      trader.field || '.address', 'a text of 1 to 500 characters', trader.value -> 'address'
    );
    perform private.insist(
      coalesce(trader.value -> 'email', 'null') = 'null' or private.is_email(trader.value ->> 'email'), trader.field || '.email',
      'an e-mail address in lower case', trader.value -> 'email'
    );
  end loop;
  perform private.insist(
    coalesce(safety -> 'warnings', 'null') = 'null' or private.is_text(safety -> 'warnings', 1, 5000), 'safety.warnings',
    'a text of 1 to 5000 characters', safety -> 'warnings'
  );
  return jsonb_strip_nulls(safety);
end
$function$;

CREATE OR REPLACE FUNCTION private.checked_scope (
  asked private.analytics_scope
)
  RETURNS private.analytics_scope
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- A job has no caller: its scope was checked when it was requested.
  if auth.uid() is not null and (
    asked.tenant_id = private.tenant_id() and (private.scope('analytics.read') = 'all' or asked.supplier_id = private.supplier_id())
  ) is not true then
    perform private.refuse('FORBIDDEN', 'Your role may not read these analytics.');
  end if;
  return asked;
end
$function$;

CREATE OR REPLACE FUNCTION private.checkout_marketplace (
  marketplace_id uuid
)
  RETURNS public.marketplaces
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  wanted constant uuid := coalesce(marketplace_id, private.sole_marketplace_id());
  site public.marketplaces;
begin
  if wanted is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'marketplace_id is required: the tenant has several marketplaces.', 'marketplace_id', 'null'
    );
  end if;
  select m.* into site
  from public.marketplaces m
  where m.tenant_id = private.tenant_id() and m.id = wanted and private.is_of_visit(m.id)
    and (m.status = 'active' or private.scope('marketplaces.read') = 'all');
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such marketplace.', 'marketplace_id', to_jsonb(wanted));
  end if;
  return site;
end
$function$;

CREATE OR REPLACE FUNCTION private.claim_confirmed_customer()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  own public.customers;
begin
  for own in select * from public.customers c where c.user_id = new.id loop
    -- The customer of a guest who registers has no address yet.
    own.email := lower(new.email);
    perform private.claim_customers(own);
  end loop;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.claim_customers (
  own public.customers
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  kept public.customers := own;
  past public.customers;
  is_new boolean;
begin
  is_new := not exists (select from public.orders o where o.tenant_id = own.tenant_id and o.customer_id = own.id);
  for past in select * from private.unclaimed_customers(own.tenant_id, own.email, own.id) loop
    if is_new then
      is_new := false;
      kept := past;
      perform private.forget_typed(past);
      perform private.join_customers(past, own);
      perform private.become_account(past, own.user_id, own.name, own.email);
    else
      perform private.join_customers(kept, past);
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.claim_due_customers (
  most integer
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET lock_timeout TO '500ms'
  AS $function$
declare
  due private.customer_claims[] := array(
    select k
    from private.customer_claims k
    where k.due_at <= now()
    order by k.due_at
    limit most
    for update skip locked
  );
  own public.customers;
begin
  for own in
    select distinct on (a.id) a.*
    from unnest(due) as k
    join public.customers c on c.tenant_id = k.tenant_id and c.id = k.customer_id
    join public.customers a
      on a.tenant_id = c.tenant_id and a.email = coalesce(c.email, c.contact_email) and a.user_id is not null
    where (c.user_id is null or c.is_guest) and private.has_confirmed(a.user_id, a.email)
    order by a.id
  loop
    perform private.claim_customers(own);
  end loop;
  delete from private.customer_claims k
  using unnest(due) as d
  where k.tenant_id = d.tenant_id and k.customer_id = d.customer_id;
  return case when cardinality(due) = most then 'more' end;
end
$function$;

CREATE OR REPLACE FUNCTION private.claim_past_customer()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  past public.customers;
  kept public.customers;
begin
  -- A user who is a customer already stays that customer.
  if not private.has_confirmed(new.user_id, new.email) or exists (
    select from public.customers c where c.tenant_id = new.tenant_id and c.user_id = new.user_id
  ) then
    return new;
  end if;
  for past in select * from private.unclaimed_customers(new.tenant_id, new.email) loop
    if kept.id is null then
      kept := past;
      perform private.forget_typed(past);
      perform private.become_account(past, new.user_id, new.name, new.email);
    else
      perform private.join_customers(kept, past);
    end if;
  end loop;
  if kept.id is null then
    return new;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.claims_of_key (
  account uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  key public.api_keys;
begin
  update public.api_keys k
  set last_used_at = now()
  where k.id = account and (k.expires_at > now()) is not false
  returning * into key;
  if found then
    return case when key.scopes is null then '{}' else jsonb_build_object('scopes', key.scopes) end;
  elsif exists (select from public.api_keys k where k.id = account) then
    return jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'The API key has expired.'));
  end if;
  return '{}'::jsonb;
end
$function$;

CREATE OR REPLACE FUNCTION private.close_branch (
  content public.content,
  name    text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if name = 'main' then
    perform private.refuse('CONFLICT', 'The branch main cannot be deleted.');
  end if;
  delete from private.content_branches b
  where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = close_branch.name;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such branch.', 'name', to_jsonb(name));
  end if;
  perform private.record_content_assets(content);
end
$function$;

CREATE OR REPLACE FUNCTION private.collect_moved_shipments()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    insert into private.moved_shipments (event, order_id, status, ids)
    select 'shipment.created', m.order_id, m.status, array_agg(m.id order by m.created_at)
    from moved m
    group by m.order_id, m.status;
  else
    insert into private.moved_shipments (event, order_id, status, ids)
    select 'shipment.' || m.status, m.order_id, m.status, array_agg(m.id order by m.created_at)
    from moved m
    join before b on b.id = m.id and b.status <> m.status
    where m.status in ('delivered', 'lost')
    group by m.order_id, m.status;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.collect_new_products()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.new_products (ids) select array_agg(a.id) from added a having count(*) > 0;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.compare_sales (
  tenant_id uuid
)
  RETURNS integer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := compare_sales.tenant_id;
begin
  return private.emit_differences(
    tenant,
    array(
      select d from private.differences_from_orders(tenant) as d
      union all
      select d from private.differences_from_book(tenant) as d
      union all
      select d from private.differences_of_customers(tenant) as d
      union all
      select d from private.differences_of_gaps(tenant) as d
    )
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.compare_visitors (
  tenant_id uuid
)
  RETURNS integer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return private.emit_differences(
    compare_visitors.tenant_id, array(select d from private.differences_of_visitors(compare_visitors.tenant_id) as d)
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.compute_new_visitor_days()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  events private.storefront_events[] := array(select t::private.storefront_events from added t);
  days date[];
begin
  if events <> '{}' then
    days := private.compute_visitor_days(events);
    days := days || private.compute_visitor_product_days(events);
    perform private.restate_days((events[1]).tenant_id, days);
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.compute_visitor_days (
  events private.storefront_events[]
)
  RETURNS date[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  AS $function$
#variable_conflict use_column
declare
  changed date[];
begin
  with drawn as (
    insert into private.visitor_days as d (tenant_id, day, visitor, marketplace_id, stage)
    select n.tenant_id, n.day, n.visitor, n.marketplace_id, n.stage
    from (
      select
        e.tenant_id, (e.occurred_at at time zone t.time_zone)::date as day, e.visitor, e.marketplace_id,
        max(e.stage) as stage
      from unnest(events) as e
      join public.tenants t on t.id = e.tenant_id
      group by 1, 2, 3, 4
    ) as n
    left join private.visitor_days known
      on known.tenant_id = n.tenant_id and known.day = n.day and known.visitor = n.visitor
      and known.marketplace_id = n.marketplace_id
    -- Most events change nothing: then no row is written or locked.
    where known.stage is null or known.stage < n.stage
    order by n.tenant_id, n.day, n.visitor, n.marketplace_id
    on conflict on constraint visitor_days_pkey do update set stage = excluded.stage where d.stage < excluded.stage
    returning d.day
  )
  select array_agg(distinct d.day) into changed from drawn d;
  return coalesce(changed, '{}');
end
$function$;

CREATE OR REPLACE FUNCTION private.compute_visitor_product_days (
  events private.storefront_events[]
)
  RETURNS date[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  AS $function$
#variable_conflict use_column
declare
  changed date[];
begin
  with drawn as (
    insert into private.visitor_product_days as d (tenant_id, day, visitor, marketplace_id, supplier_id, category_id, stage)
    select n.tenant_id, n.day, n.visitor, n.marketplace_id, n.supplier_id, n.category_id, n.stage
    from (
      select
        e.tenant_id, (e.occurred_at at time zone t.time_zone)::date as day, e.visitor, e.marketplace_id, e.supplier_id,
        e.category_id, max(e.stage) as stage
      from unnest(events) as e
      join public.tenants t on t.id = e.tenant_id
      where e.product_id is not null
      group by 1, 2, 3, 4, 5, 6
    ) as n
    left join private.visitor_product_days known
      on known.tenant_id = n.tenant_id and known.day = n.day and known.visitor = n.visitor
      and known.marketplace_id = n.marketplace_id and known.supplier_id is not distinct from n.supplier_id
      and known.category_id is not distinct from n.category_id
    where known.stage is null or known.stage < n.stage
    order by n.tenant_id, n.day, n.visitor, n.marketplace_id, n.supplier_id, n.category_id
    on conflict on constraint visitor_product_days_key do update set stage = excluded.stage where d.stage < excluded.stage
    returning d.day
  )
  select array_agg(distinct d.day) into changed from drawn d;
  return coalesce(changed, '{}');
end
$function$;

CREATE OR REPLACE FUNCTION private.condition_of_person (
  found_by jsonb
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select string_agg(
    case kind
      when 'words' then format(
        'private.mentions(t.%I::text, array(select jsonb_array_elements_text($2 -> ''words'')))', key
      )
      else format(
        't.%I = any (array(select jsonb_array_elements_text($2 -> %L))::%s[])', key, kind,
        case kind when 'addresses' then 'text' else 'uuid' end
      )
    end,
    ' or ' order by key
  )
  from jsonb_each_text(found_by) as f (key, kind)
$function$;

CREATE OR REPLACE FUNCTION private.content_roles()
  RETURNS text[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return coalesce((
    select case
      when private.scope_of('content.manage', m.role) = 'all' or 'admin' = any (m.content_roles) then array['editor', 'reviewer', 'publisher', 'admin']
      else m.content_roles
    end
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
      and not private.reads_as_customer()
  ), '{}');
end
$function$;

CREATE OR REPLACE FUNCTION private.continue_numbers (
  tenant_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET lock_timeout TO '2s'
  AS $function$
declare
  numbered record;
  highest bigint;
  last bigint;
begin
  for numbered in
    select format('%I.%I', n.nspname, c.relname) as name, a.attname as column
    from pg_catalog.pg_attribute a
    join pg_catalog.pg_class c on c.oid = a.attrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_attribute t on t.attrelid = c.oid and t.attname = 'tenant_id'
    where a.attidentity <> '' and not a.attisdropped and n.nspname in ('public', 'private')
    order by name
  loop
    execute format('select max(%I) from %s where tenant_id = $1', numbered.column, numbered.name)
    into highest using continue_numbers.tenant_id;
    execute format('select last_value from %s', pg_get_serial_sequence(numbered.name, numbered.column)) into last;
    if highest > last then
      -- No number is taken until the transaction ends.
      execute format('lock table %s in share row exclusive mode', numbered.name);
      perform setval(pg_get_serial_sequence(numbered.name, numbered.column), highest);
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.count_as_sent (
  mail public.mails
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  today constant date := (now() at time zone 'utc')::date;
  unpaid constant bytea := private.mail_subject('unpaid', mail."to");
begin
  update private.mail_senders s
  set mails = private.mails_of_today(mail.tenant_id, false) + (not mail.is_for_members)::integer,
      mails_to_members = private.mails_of_today(mail.tenant_id, true) + mail.is_for_members::integer,
      day = today
  where s.tenant_id = mail.tenant_id;
  perform private.count_mail(private.mail_subject(mail), null);
  if mail.is_unpaid
    and not exists (select from private.mail_counts c where c.subject = unpaid and c.cause_id = mail.cause_id)
  then
    perform private.count_mail(unpaid, mail.cause_id);
  end if;
  update private.jobs j set is_counted = true where j.queue = 'mails' and j.subject_id = mail.id;
end
$function$;

CREATE OR REPLACE FUNCTION private.count_catalog (
  filters private.product_filters
)
  RETURNS SETOF private.product_count
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_custom_plan'
  SET enable_seqscan TO 'off'
  AS $function$
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
begin
  return query
    select p.marketplace_id, p.category_id, p.brand, count(*)::integer, min(p.lowest_price), max(p.highest_price)
    from public.products p
    where p.tenant_id = tenant
      and p.status <> 'discontinued'
      and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
      and private.is_wanted(p, filters)
    group by p.marketplace_id, p.category_id, p.brand;
end
$function$;

CREATE OR REPLACE FUNCTION private.count_content()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  content public.content := case when tg_op = 'DELETE' then old else new end;
begin
  insert into private.content_counts (tenant_id, type, marketplace_id, status, pieces)
  select content.tenant_id, content.type, content.marketplace_id, c.status, c.pieces
  from unnest(
    array[case when tg_op <> 'INSERT' then old.status end, case when tg_op <> 'DELETE' then new.status end], array[-1, 1]
  ) as c (status, pieces)
  -- Nothing is counted while the tenant itself is deleted.
  where c.status is not null and private.is_tenant_kept(content.tenant_id);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.count_published_content()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op <> 'INSERT' and private.is_tenant_kept(old.tenant_id) then
    insert into private.content_counts (tenant_id, type, marketplace_id, visibility, visible_to, pieces)
    values (old.tenant_id, old.type, old.marketplace_id, old.visibility, old.visible_to, -1);
  end if;
  if tg_op <> 'DELETE' then
    insert into private.content_counts (tenant_id, type, marketplace_id, visibility, visible_to, pieces)
    values (new.tenant_id, new.type, new.marketplace_id, new.visibility, new.visible_to, 1);
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.count_values (
  names         text[],
  filters       private.product_filters,
  branch        uuid[],
  among         uuid[],
  with_products boolean,
  OUT           facets private.value_count[],
  OUT           products private.product_count[]
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET work_mem TO '64MB'
  AS $function$
begin
  -- Grouped once for each name in one reading of an index. Products without the attribute are in the group of null.
  execute (
    select format(
      'with grouped as materialized (
        select
          case %s end as place, coalesce(%s) as value, p.marketplace_id, p.category_id, p.brand,
          count(*) as count, min(p.lowest_price) as cheapest, max(p.highest_price) as dearest
        from (
          select
            case when $9 then p.marketplace_id end as marketplace_id, case when $9 then p.category_id end as category_id,
            case when $9 then p.brand end as brand, p.lowest_price, p.highest_price, %s
          from (
            select
              p.marketplace_id, p.category_id, p.brand, p.lowest_price, p.highest_price,
              coalesce(p.attribute_values, private.values_of_large(p.id)) as by_name
            from public.products p
            where p.tenant_id = $2
              and p.status <> ''discontinued''
              and private.is_shown_to($3, $4, $5, p.supplier_id, p.marketplace_id, p.status)
              and private.is_wanted(p, $6)
              and ($7 is null or p.category_id = any ($7))
              and ($8 is null or p.id = any ($8))
          ) as p
        ) as p
        group by grouping sets ((p.marketplace_id, p.category_id, p.brand), %s)
      )
      select
        array(
          select row(($1)[r.place], r.value, r.count)::private.value_count
          from (
            select
              g.place, g.value, g.count,
              row_number() over (partition by g.place order by g.count desc, g.value collate "C") as rank
            from grouped g
            where g.value is not null
          ) as r
          where r.rank <= 100
        ),
        array(
          select row(g.marketplace_id, g.category_id, g.brand, g.count, g.cheapest, g.dearest)::private.product_count
          from grouped g
          where g.place is null and $9
        )',
      string_agg(format('when grouping(value_%s) = 0 then %s', n.place, n.place), ' '),
      string_agg(format('value_%s', n.place), ', '),
      string_agg(format('p.by_name ->> %L as value_%s', n.name, n.place), ', '),
      string_agg(format('(value_%s)', n.place), ', ')
    )
    from unnest(names) with ordinality as n (name, place)
  )
  into facets, products
  using
    names, private.tenant_id(), private.reach('products.read'), private.supplier_id(), private.active_marketplace_ids(), filters,
    branch, among, with_products;
end
$function$;

CREATE OR REPLACE FUNCTION private.counts_question (
  filters private.product_filters,
  facets  text[]
)
  RETURNS bytea
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  -- A change of a variant's price may leave the product as it is, and change which products have a price in a range.
  if filters.price_min is not null or filters.price_max is not null or filters.ids is not null then
    return null;
  end if;
  return sha256(
    convert_to(
      row(
        private.reach('products.read'), private.supplier_id(), private.active_marketplace_ids(), filters, facets
      )::text,
      'UTF8'
    )
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.create_api_key (
  name        text,
  role        public.member_role,
  supplier_id uuid,
  scopes      text[],
  expires_at  timestamp with time zone
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  tenant constant uuid := private.tenant_id();
  is_own constant boolean := private.scope('api_keys.write') = 'own';
  account constant uuid := gen_random_uuid();
  secret constant text := 'sks_' || encode(extensions.gen_random_bytes(32), 'hex');
  created public.api_keys;
begin
  perform private.require_permission('api_keys.write', 'Only admins and suppliers may create API keys.');
  perform private.people_only('create keys');
  if is_own and (create_api_key.role <> 'supplier' or create_api_key.supplier_id <> private.supplier_id()) then
    perform private.refuse('FORBIDDEN', 'Suppliers create keys with the role supplier, for themselves.', 'role', to_jsonb(role));
  end if;
  created.role := coalesce(create_api_key.role, case when is_own then 'supplier' else 'client' end::public.member_role);
  created.supplier_id := coalesce(create_api_key.supplier_id, case when is_own then private.supplier_id() end);
  perform private.insist(created.role in ('client', 'supplier'), 'role', 'client or supplier', to_jsonb(role));
  perform private.insist(
    (created.role = 'supplier') = (created.supplier_id is not null), 'supplier_id', 'set for the role supplier, and for no other',
    to_jsonb(supplier_id)
  );
  perform private.insist(
    (create_api_key.expires_at > now()) is not false, 'expires_at', 'a time in the future', to_jsonb(create_api_key.expires_at)
  );
  perform private.check_key_scopes(create_api_key.scopes, created.role);
  -- The lock lets parallel transactions count each other's keys.
  perform private.hold('cap', 'API keys of ' || tenant);
  if (select count(*) from public.api_keys k where k.tenant_id = tenant) >= private.cap('api_keys_per_tenant') then
    perform private.refuse_beyond('api_keys_per_tenant', 'The tenant has the maximum number of API keys. Remove one first.');
  end if;

  created.client_id := 'key_' || replace(account::text, '-', '');
  perform private.create_key_account(account, created.client_id || '@keys.invalid', create_api_key.name, secret);
  insert into public.api_keys (id, tenant_id, client_id, name, role, supplier_id, scopes, created_by, expires_at)
  values (
    account, tenant, created.client_id, create_api_key.name, created.role, created.supplier_id, create_api_key.scopes,
    auth.uid(), create_api_key.expires_at
  )
  returning * into created;
  insert into public.members (tenant_id, user_id, role, supplier_id, is_key)
  values (tenant, account, created.role, created.supplier_id, true);
  return to_jsonb(created) - 'tenant_id' || jsonb_build_object('client_secret', secret);
end
$function$;

CREATE OR REPLACE FUNCTION private.create_campaign (
  product_id    uuid,
  category_id   uuid,
  duration      numeric,
  bid_amount    numeric,
  pricing_model public.pricing_model,
  daily_budget  numeric,
  start_date    timestamp with time zone,
  max_bid       numeric,
  regions       text[],
  labels        text[],
  highlighted   boolean,
  pinned        boolean
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  model public.pricing_model := coalesce(create_campaign.pricing_model, 'auction');
  starts timestamptz := greatest(coalesce(create_campaign.start_date, now()), now());
  promoted public.products := private.product_to_promote(create_campaign.product_id, create_campaign.category_id);
  bid numeric := private.checked_amount(create_campaign.bid_amount, 'bid_amount', promoted.currency);
  budget numeric := private.checked_amount(create_campaign.daily_budget, 'daily_budget', promoted.currency);
  most numeric := private.checked_amount(create_campaign.max_bid, 'max_bid', promoted.currency);
  terms public.placement_categories := private.terms_of_promotion(promoted, create_campaign.category_id);
  day_fee numeric;
  trusted boolean;
  created uuid;
begin
  perform private.check_campaign_time(model, create_campaign.duration, create_campaign.start_date);
  select o.bid, o.budget, o.day_fee into bid, budget, day_fee
  from private.check_offer(model, terms, most, bid, budget) as o;
  perform private.check_list(to_jsonb(create_campaign.regions), 'regions', 64)
  where create_campaign.regions is not null;

  trusted := private.scope('campaigns.review') is not null or promoted.supplier_id is null or exists (
    select 1
    from public.suppliers s
    where s.tenant_id = promoted.tenant_id and s.id = promoted.supplier_id and s.verified
  );
  perform private.lock_campaigns(create_campaign.category_id);
  begin
    insert into public.campaigns (
      tenant_id, supplier_id, marketplace_id, currency, product_id, category_id, pricing_model, start_date, end_date,
      daily_budget, bid_amount, max_bid, fee, regions, labels, highlighted, pinned, status
    )
    values (
      promoted.tenant_id, promoted.supplier_id, promoted.marketplace_id, promoted.currency, promoted.id,
      create_campaign.category_id,
      model, starts, starts + create_campaign.duration * interval '24 hours', budget, bid, most,
      day_fee * create_campaign.duration, nullif(create_campaign.regions, '{}'),
      coalesce((select array_agg(distinct l.label) from unnest(create_campaign.labels) as l (label)), '{Promoted}'),
      coalesce(create_campaign.highlighted, false), coalesce(create_campaign.pinned, false),
      case when trusted then private.reviewed_status(starts) else 'pending_review' end
    )
    returning id into created;
  exception
    when exclusion_violation then
      perform private.refuse(
        'CONFLICT', 'The product already has a campaign in this category at that time.', 'product_id', to_jsonb(promoted.id)
      );
  end;
  perform private.raise_bids(promoted.tenant_id, create_campaign.category_id);
  perform private.run_campaign(created);
  return created;
end
$function$;

CREATE OR REPLACE FUNCTION private.create_content (
  type           public.content_types,
  document       jsonb,
  marketplace_id uuid,
  subject_id     uuid,
  comment        text
)
  RETURNS public.content
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  subject record := private.subject_of(type.key, subject_id);
  place public.marketplaces;
  created public.content;
  whole jsonb;
begin
  if not 'editor' = any (private.content_roles())
    and not coalesce(subject.supplier_id = private.supplier_id('content.write'), false)
  then
    perform private.refuse(
      'FORBIDDEN', 'Only editors and admins may create content. Suppliers may describe their own products.'
    );
  end if;
  select * into place
  from public.marketplaces m
  where m.tenant_id = private.tenant_id()
    and m.id = coalesce(create_content.marketplace_id, subject.marketplace_id, private.sole_marketplace_id());
  perform private.insist(place.id is not null, 'marketplace_id', 'the id of a marketplace of your tenant', to_jsonb(create_content.marketplace_id));
  perform private.insist(
    place.id = coalesce(subject.marketplace_id, place.id), 'marketplace_id', 'the marketplace of the product', to_jsonb(place.id)
  );
  if private.cap('content_per_tenant') <= private.number_of_drafts() then
    perform private.refuse_beyond('content_per_tenant', 'The tenant has the maximum number of pieces of content.');
  end if;
  perform private.known_only(document, private.document_keys());
  perform private.check_move_comment(comment);
  whole := private.whole_document(document, type, place.language);
  perform private.check_document(type, place.language, whole, null);
  insert into public.content (
    tenant_id, type, marketplace_id, product_id, category_id, supplier_id, language, slug, title, author_id
  )
  values (
    place.tenant_id, type.key, place.id, subject.product_id, subject.category_id, subject.supplier_id, place.language,
    whole ->> 'slug', whole -> 'title', auth.uid()
  )
  returning * into created;
  perform private.check_references(created, whole, null);
  insert into private.content_branches (tenant_id, content_id, name, version_number, document)
  values (created.tenant_id, created.id, 'main', 1, whole);
  perform private.store_version(created, 1, '{}', 'main', whole, '{}', comment, false);
  perform private.follow_translations(created, whole, '{}');
  perform private.record_content_assets(created);
  return created;
end
$function$;

CREATE OR REPLACE FUNCTION private.create_customer_address (
  address    jsonb,
  is_default boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  own constant public.customers := private.own_customer('addresses.write');
  kept bigint;
  created private.customer_addresses;
begin
  select count(*) into kept
  from private.customer_addresses a
  where a.tenant_id = own.tenant_id and a.customer_id = own.id;
  if kept >= private.cap('addresses_per_customer') then
    perform private.refuse_beyond('addresses_per_customer', 'You have the maximum number of addresses. Remove one first.');
  end if;
  insert into private.customer_addresses (tenant_id, customer_id, address)
  values (own.tenant_id, own.id, private.checked_address(create_customer_address.address, null, 'address'))
  returning * into created;
  if kept = 0 or create_customer_address.is_default then
    perform private.make_default(created);
  end if;
  return (
    select private.address_record(a)
    from private.customer_addresses a
    where a.tenant_id = created.tenant_id and a.id = created.id
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.create_export (
  request public.exports,
  period  text,
  "from"  date,
  "to"    date
)
  RETURNS public.exports
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  scope private.analytics_scope := private.analytics_scope(request.marketplace_id, request.supplier_id, request.category);
begin
  request.tenant_id := scope.tenant_id;
  request.asked_by := auth.uid();
  perform private.require_export_permission(request.type, scope.supplier_id);
  return private.enqueue_export(
    private.check_export(request), scope,
    private.export_period(request.type, scope.time_zone, create_export.period, "from", "to")
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.create_export_schedule (
  request public.exports,
  period  text,
  every   public.export_frequency
)
  RETURNS public.export_schedules
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  scope private.analytics_scope := private.analytics_scope(request.marketplace_id, request.supplier_id, request.category);
  made public.export_schedules;
begin
  request.tenant_id := scope.tenant_id;
  perform private.require_export_permission(request.type, scope.supplier_id);
  request := private.check_export(request);
  if period = 'custom' then
    perform private.refuse(
      'VALIDATION_ERROR',
      'period must be today, yesterday, 7d, 30d, 90d, 1y, last_week, last_month or last_quarter: it ends before the day of each export.',
      'period', to_jsonb(period)
    );
  end if;
  if every = 'month' then
    -- Months do not have 30 days each, so days would be missing from these files, or in two of them.
    perform private.insist(
      period is distinct from '30d', 'period', 'last_month for a monthly schedule, and not 30d', to_jsonb(period)
    );
    if period is null and not private.is_stock_of_records(request.type) then
      period := 'last_month';
    end if;
  end if;
  perform private.export_period(request.type, scope.time_zone, create_export_schedule.period, null, null);
  perform private.hold('exports', scope.tenant_id::text);
  if (select count(*) from public.export_schedules s where s.tenant_id = scope.tenant_id)
    >= private.cap('export_schedules_per_tenant')
  then
    perform private.refuse_beyond(
      'export_schedules_per_tenant', 'The tenant has the maximum number of schedules. Delete one first.'
    );
  end if;
  insert into public.export_schedules (
    tenant_id, asked_by, type, period, marketplace_id, supplier_id, category, currency, "by", format, bom, email, every,
    next_at
  )
  values (
    scope.tenant_id, auth.uid(), request.type, create_export_schedule.period, request.marketplace_id, scope.supplier_id,
    request.category, request.currency, request."by", request.format, request.bom, request.email, create_export_schedule.every,
    private.next_export_at(create_export_schedule.every, scope.time_zone)
  )
  returning * into made;
  return made;
end
$function$;

CREATE OR REPLACE FUNCTION private.create_invitation (
  email       text,
  role        public.member_role,
  supplier_id uuid,
  verified    boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  address text := lower(create_invitation.email);
  is_admin constant boolean := private.scope('invitations.write') = 'all';
  organisation constant uuid := coalesce(create_invitation.supplier_id, case when not is_admin then private.supplier_id() end);
  token text;
  created public.invitations;
begin
  perform private.require_permission('invitations.write', 'Only admins and suppliers may invite members.');
  perform private.people_only('invite members');
  if not is_admin and (
    create_invitation.role <> 'supplier' or organisation <> private.supplier_id() or coalesce(create_invitation.verified, false)
  ) then
    perform private.refuse('FORBIDDEN', 'Suppliers invite colleagues into their own organisation, with the role supplier.', 'role', to_jsonb(role));
  end if;
  if is_admin and exists (select 1 from public.members m where m.tenant_id = tenant and m.email = address) then
    perform private.refuse(
      'CONFLICT', 'There is already a member with this address.', 'email', to_jsonb(create_invitation.email)
    );
  elsif not is_admin then
    perform private.check_colleague_invitation(tenant, organisation, address);
  end if;
  -- Only the latest token for an address is valid.
  delete from public.invitations i
  where i.tenant_id = tenant and i.email = address and i.accepted_at is null;
  insert into public.invitations (tenant_id, email, role, supplier_id, verified, invited_by)
  values (
    tenant, address, create_invitation.role, organisation,
    coalesce(create_invitation.verified, is_admin and create_invitation.role = 'supplier'), auth.uid()
  )
  returning * into created;
  token := private.invitation_token(created.id);
  insert into private.invitation_tokens (token_hash, tenant_id, invitation_id)
  values (private.token_hash(token), created.tenant_id, created.id);
  return to_jsonb(created) || jsonb_build_object('status', 'pending', 'token', token);
end
$function$;

CREATE OR REPLACE FUNCTION private.create_key_account (
  id      uuid,
  address text,
  name    text,
  secret  text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Supabase Auth reads these texts, and fails where they are null.
  insert into auth.users (
    instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data,
    created_at, updated_at, confirmation_token, recovery_token, email_change, email_change_token_new
  )
  values (
    '00000000-0000-0000-0000-000000000000', id, 'authenticated', 'authenticated', address,
    extensions.crypt(secret, extensions.gen_salt('bf', 10)), now(), '{"provider": "email", "providers": ["email"]}',
    jsonb_build_object('name', name), now(), now(), '', '', '', ''
  )
$function$;

CREATE OR REPLACE FUNCTION private.create_shipment (
  order_id        uuid,
  items           jsonb,
  carrier         text,
  tracking_number text,
  tracking_url    text,
  note            text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  target public.orders;
  there private.piece[];
  pieces private.piece[];
  suppliers uuid[];
  details public.shipments;
  made uuid;
begin
  perform private.require_permission('shipments.write', 'Your role may not create shipments.');
  -- Access to an order never changes. Its status may change until the row is locked.
  target := private.seen_order(create_shipment.order_id);
  select * into target from public.orders o where o.id = target.id for update;

  there := array(select p from private.pieces_in(target, 'open') as p where not p.is_digital);
  pieces := case
    when create_shipment.items is null then array(select p from unnest(there) as p where p.quantity > 0)
    else private.wanted_pieces(create_shipment.items, there, 'Only %s of them are left to ship.')
  end;
  suppliers := array(select distinct p.supplier_id from unnest(pieces) as p);
  if cardinality(pieces) = 0 then
    perform private.refuse('VALIDATION_ERROR', 'This order has no items left to ship.');
  elsif cardinality(suppliers) > 1 then
    perform private.refuse(
      'VALIDATION_ERROR', 'A shipment must have items of one supplier. Name them in items.', 'items', items
    );
  end if;
  perform private.insist_on_payment(target);

  details.carrier := create_shipment.carrier;
  details.tracking_number := create_shipment.tracking_number;
  details.tracking_url := create_shipment.tracking_url;
  details.note := create_shipment.note;
  made := (private.ship_pieces(target, pieces, details))[1];
  perform private.follow_pieces(target, case when private.has_one_seller(target) then create_shipment.note end);
  return made;
end
$function$;

CREATE OR REPLACE FUNCTION private.create_supplier_application (
  name    text,
  email   text,
  country text,
  legal   jsonb,
  message text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  tenant constant uuid := private.tenant_id();
  created public.supplier_applications;
begin
  if tenant is null then
    perform private.refuse_stranger();
  end if;
  perform private.require_permission('supplier_applications.create', 'Only visitors, customers and admins enter applications.');
  if private.seller_setting(tenant, 'signup') = 'invitation' then
    perform private.refuse('FORBIDDEN', 'Suppliers join this tenant by an invitation only. Ask its admins for one.');
  end if;
  perform private.insist(private.is_email(lower(email)), 'email', 'an e-mail address', to_jsonb(email));
  perform private.insist(private.is_country(to_jsonb(country)), 'country', 'a country of two letters, such as DE', to_jsonb(country));
  perform private.check_legal(legal);
  -- The lock lets parallel transactions count each other's applications.
  perform private.hold('cap', 'supplier applications of ' || tenant);
  if (
    select count(*) from public.supplier_applications a where a.tenant_id = tenant and a.status = 'pending'
  ) >= private.cap('supplier_applications_per_tenant') then
    perform private.refuse_beyond(
      'supplier_applications_per_tenant', 'Too many applications wait for a decision. Try again later.'
    );
  end if;
  insert into public.supplier_applications (tenant_id, name, email, country, legal, message, user_id)
  values (
    tenant, create_supplier_application.name, lower(create_supplier_application.email), create_supplier_application.country,
    create_supplier_application.legal, create_supplier_application.message, auth.uid()
  )
  returning * into created;
  return to_jsonb(created);
end
$function$;

CREATE OR REPLACE FUNCTION private.create_template (
  template public.templates,
  content  jsonb
)
  RETURNS public.templates
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  made public.templates;
begin
  perform private.insist_on_content_role('editor');
  template.tenant_id := private.tenant_id();
  perform private.hold('templates', template.tenant_id::text);
  if private.cap('templates_per_tenant') <= (select count(*) from public.templates t where t.tenant_id = template.tenant_id) then
    perform private.refuse_beyond('templates_per_tenant', 'The tenant has the maximum number of templates.');
  end if;
  perform private.check_caching(template.caching);
  content := private.whole_template(content);
  perform private.check_template_content(content);
  perform private.check_template_targets(template, content);
  insert into public.templates (tenant_id, marketplace_id, name, type, is_default, caching)
  values (
    template.tenant_id, template.marketplace_id, template.name, template.type, coalesce(template.is_default, false),
    nullif(template.caching, 'null')
  )
  returning * into made;
  perform private.store_template_version(made, 1, content, '{}');
  -- A template with inactive references stays inactive, until somebody activates it.
  if array['publisher', 'admin'] && private.content_roles() and private.inactive_targets(made, 1) = '[]' then
    return private.activate(made, 1);
  end if;
  perform private.check_template_graph(made);
  perform private.record_template_assets(made);
  return made;
end
$function$;

CREATE OR REPLACE FUNCTION private.customer_of_address (
  email text
)
  RETURNS uuid
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return (
    select c.id
    from public.customers c
    where c.tenant_id = private.tenant_id() and c.email = customer_of_address.email and c.user_id is not null
      and private.scope('customers.write') = 'all' and private.has_confirmed(c.user_id, c.email)
    limit 1
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.customers_by_name (
  tenant uuid,
  parts  text[],
  wanted bigint[]
)
  RETURNS TABLE (
    customer_id uuid
  )
  LANGUAGE sql
  STABLE
BEGIN ATOMIC
 SELECT c.id
    FROM public.customers c
   WHERE ((customers_by_name.wanted <> '{}'::bigint[]) AND ((c.name <> ''::text) OR (c.email IS NOT NULL) OR (c.contact_email IS NOT NULL) OR (c.phone IS
     NOT NULL)) AND (private.grams(c.tenant_id, private.name_text(VARIADIC ARRAY[c.name, c.email, c.contact_email, c.phone])) @> customers_by_name.wanted) AND
     (c.tenant_id = customers_by_name.tenant) AND private.contains_all(private.name_text(VARIADIC ARRAY[c.name, c.email, c.contact_email, c.phone]), customers_by_name.parts));
END;

CREATE OR REPLACE FUNCTION private.delete_content_media_uses()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from private.media_uses u where u.tenant_id = old.tenant_id and u.type = 'content' and u.id = old.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.delete_jobs()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from private.jobs j
  using deleted d
  where j.queue = any (tg_argv) and j.subject_id = d.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.delete_key_account()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from auth.users u where u.id = old.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.delete_old_audit_entries (
  keep  interval,
  batch integer
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  deleted integer;
begin
  delete from public.audit_log a
  where a.ctid = any (array(
    select o.ctid from public.audit_log o where o.created_at < now() - keep order by o.created_at limit batch
  ));
  get diagnostics deleted = row_count;
  return case when deleted = batch then 'more' end;
end
$function$;

CREATE OR REPLACE FUNCTION private.delete_old_counts()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from private.kept_counts k
  where (k.tenant_id, k.question) in (
    select o.tenant_id, o.question
    from private.kept_counts o
    where o.kept_at < now() - interval '1 hour'
      or o.epoch <> private.present_epoch()
    for update skip locked
  );
  -- Counts hold for an hour, in a snapshot that was at most a minute old when they were kept. So a transaction that ended
  -- 70 minutes ago is in the snapshots of all of them. Rows of an earlier epoch may name transactions that are still to
  -- come here.
  delete from private.catalog_changes c
  where c.finished_at < now() - interval '70 minutes' or c.xact_id >= pg_snapshot_xmax(pg_current_snapshot());
  update private.catalog_changes c
  set finished_at = clock_timestamp()
  where c.finished_at is null and c.xact_id < pg_snapshot_xmin(pg_current_snapshot());
end
$function$;

CREATE OR REPLACE FUNCTION private.delete_old_deliveries (
  before timestamp with time zone
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  webhook uuid;
begin
  -- One webhook at a time, so that this needs no index of its own.
  for webhook in select w.id from public.webhooks w loop
    delete from public.webhook_deliveries d
    where d.webhook_id = webhook and d.event_at < delete_old_deliveries.before;
  end loop;
  delete from private.skipped_deliveries s where s.event_at < delete_old_deliveries.before;
end
$function$;

CREATE OR REPLACE FUNCTION private.delete_old_events()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET lock_timeout TO '500ms'
  AS $function$
declare
  before timestamptz := date_trunc('day', now() - (select r.keep from private.event_retention r), 'utc');
  partitions text[] := array(
    select c.relname
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.events'::regclass
      and c.relname ~ '^events_[0-9]{8}$'
      and c.relname < private.event_partition((before at time zone 'utc')::date)
  );
  partition text;
begin
  if partitions = '{}' and not exists (select from private.events_default e where e.created_at < before) then
    return;
  end if;
  perform private.delete_old_deliveries(before);
  delete from private.events_default e where e.created_at < before;
  -- Last, because other transactions wait from here on.
  foreach partition in array partitions loop
    execute format('drop table private.%I', partition);
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.delete_old_guests (
  most integer
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET lock_timeout TO '500ms'
  AS $function$
declare
  due uuid[] := array(
    select g.user_id
    from private.guest_checks g
    where g.due_at <= now()
    order by g.due_at
    limit most
    for update skip locked
  );
  -- An order locks its customer, so the customers that are locked here get no order before the transaction ends.
  free uuid[] := array(
    select c.user_id from public.customers c where c.user_id = any (due) for update skip locked
  );
  gone uuid[];
begin
  -- A guest with another role, which an admin may have given it, stays.
  gone := array(
    select u.id
    from auth.users u
    where u.id = any (free) and u.is_anonymous
      and not exists (select from public.members m where m.user_id = u.id and m.role <> 'customer')
      and private.last_seen(u.id) <= now() - interval '30 days'
      and not private.has_ordered(u.id)
  );
  delete from public.customers c where c.user_id = any (gone);
  delete from auth.users u where u.id = any (gone);

  delete from private.guest_checks g
  using auth.users u
  where g.user_id = any (due) and u.id = g.user_id and (not u.is_anonymous or private.has_ordered(u.id));
  update private.guest_checks g
  set due_at = greatest(private.last_seen(g.user_id) + interval '30 days', now() + interval '1 hour')
  where g.user_id = any (due);
  return case when cardinality(due) = most then 'more' end;
end
$function$;

CREATE OR REPLACE FUNCTION private.delete_old_search_words (
  tenant_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  used text[];
  used_in_descriptions text[];
begin
  select array_agg(u.word) filter (where not u.described), array_agg(u.word) filter (where u.described)
  into used, used_in_descriptions
  from (
    select entry.word, bool_and(entry.is_description_only) as described
    from private.texts_of(
      array(select p.id from public.products p where p.tenant_id = delete_old_search_words.tenant_id)
    ) t
    cross join lateral private.dictionary_words(t.named, t.described, t.placed, t.description) as entry
    group by entry.word
  ) as u;
  -- Adds words that were marked as unused while another product got them.
  insert into private.search_words (tenant_id, word, described)
  select delete_old_search_words.tenant_id, u.word, u.described
  from (
    select n.word, false as described from unnest(used) as n (word)
    union all
    select d.word, true from unnest(used_in_descriptions) as d (word)
  ) as u
  where (
    select true
    from private.search_words s
    where s.word = u.word and s.tenant_id = delete_old_search_words.tenant_id and s.unused_since is null
      and s.described = u.described
    limit 1
  ) is null;
  -- Writers insert a word again if it is marked. So no transaction needs a word that was marked a day ago, not even one
  -- that was running then.
  delete from private.search_words s
  where s.tenant_id = delete_old_search_words.tenant_id and s.unused_since < now() - interval '1 day';
  delete from private.search_words s
  using private.search_words other
  where s.tenant_id = delete_old_search_words.tenant_id and other.tenant_id = s.tenant_id and other.word = s.word
    and other.described = s.described and other.ctid < s.ctid and other.unused_since is null;
  update private.search_words s
  set unused_since = now()
  where s.tenant_id = delete_old_search_words.tenant_id and s.unused_since is null
    and not exists (select from unnest(used) as u (word) where u.word = s.word and not s.described)
    and not exists (select from unnest(used_in_descriptions) as u (word) where u.word = s.word and s.described);
end
$function$;

CREATE OR REPLACE FUNCTION private.delete_old_storefront_events()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET lock_timeout TO '500ms'
  AS $function$
declare
  before date := (now() at time zone 'utc')::date - 90;
  partition text;
begin
  delete from private.storefront_events_default e where e.received_on < before;
  for partition in
    select c.relname
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'private.storefront_events'::regclass
      and c.relname ~ '^storefront_events_[0-9]{8}$'
      and c.relname < private.storefront_partition(before)
    order by c.relname
  loop
    execute format('drop table private.%I', partition);
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.delete_rows_of_tenant (
  tenant  uuid,
  rows_of regclass,
  OUT     deleted bigint,
  OUT     error text
)
  RETURNS record
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  execute format(
    'delete from only %1$s t where t.ctid = any (array(select r.ctid from only %1$s r where r.tenant_id = $1 limit 100))',
    rows_of
  ) using tenant;
  get diagnostics deleted = row_count;
  set constraints all immediate;
exception
  -- Other rows still refer to these. If nothing else can be deleted either, the caller reports the error.
  when others then
    deleted := 0;
    error := format('%s: %s', rows_of, sqlerrm);
end
$function$;

CREATE OR REPLACE FUNCTION private.delete_tables_of_tenant (
  tenant uuid,
  until  timestamp with time zone
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  relation regclass;
  outcome record;
  has_deleted boolean := false;
  failure text;
begin
  for relation in select private.tables_of_tenants() loop
    loop
      outcome := private.delete_rows_of_tenant(tenant, relation);
      has_deleted := has_deleted or outcome.deleted > 0;
      failure := coalesce(outcome.error, failure);
      if has_deleted and clock_timestamp() > until then
        return true;
      end if;
      exit when outcome.deleted = 0;
    end loop;
  end loop;
  if failure is not null and not has_deleted then
    raise exception '%', failure;
  end if;
  return has_deleted;
end
$function$;

CREATE OR REPLACE FUNCTION private.delete_template_media_uses()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from private.media_uses u where u.tenant_id = old.tenant_id and u.type = 'template' and u.id = old.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.delivers (
  method  jsonb,
  address jsonb,
  lines   jsonb
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select private.serves(method, address ->> 'country', address ->> 'region') and not exists (
    select
    from jsonb_to_recordset(lines) as line (supplier_id uuid, is_physical boolean, grams numeric, delivery jsonb)
    where line.is_physical
    group by case when (method ->> 'per_supplier')::boolean then line.supplier_id end
    having private.delivery_price(method, coalesce(sum(line.grams), 0), null) is null
      or bool_or(not line.delivery ? (method ->> 'key'))
  )
$function$;

CREATE OR REPLACE FUNCTION private.delivery_methods (
  marketplace_id uuid,
  country        text,
  region         text,
  weight_grams   bigint,
  subtotal       numeric
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  site constant public.marketplaces := private.checkout_marketplace(marketplace_id);
begin
  perform private.insist(
    country is null or private.is_country(to_jsonb(country)), 'country', 'the code of a country by ISO 3166-1, such as DE',
    to_jsonb(country)
  );
  return jsonb_build_object(
    'delivery_methods',
    (
      select coalesce(jsonb_agg(m.method || jsonb_build_object('price', p.price) order by m.position), '[]')
      from jsonb_array_elements(site.settings #> '{business,delivery,methods}') with ordinality as m (method, position)
      cross join private.delivery_price(m.method, coalesce(weight_grams, 0), subtotal) as p (price)
      where p.price is not null and (country is null or private.serves(m.method, country, region))
    )
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.delivery_price (
  method   jsonb,
  grams    numeric,
  subtotal numeric
)
  RETURNS numeric
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case when subtotal >= (method ->> 'free_from')::numeric then 0 else trim_scale(p.price) end
  from (
    select case
      when not method ? 'rates' then (method ->> 'price')::numeric
      else (
        select (r.rate ->> 'price')::numeric
        from jsonb_array_elements(method -> 'rates') as r (rate)
        where (r.rate ->> 'up_to_grams')::numeric >= grams
        order by (r.rate ->> 'up_to_grams')::numeric
        limit 1
      )
    end as price
  ) as p
  where p.price is not null
$function$;

CREATE OR REPLACE FUNCTION private.discontinue_ordered_product()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The row is locked, so no order can be placed in between. If the tenant is deleted, its products are deleted too.
  if exists (
      select 1 from public.order_items i where i.tenant_id = old.tenant_id and i.product_id = old.id
    )
    and private.is_tenant_kept(old.tenant_id)
  then
    update public.products p
    set status = 'discontinued'
    where p.id = old.id and p.status <> 'discontinued';
    return null;
  end if;
  return old;
end
$function$;

CREATE OR REPLACE FUNCTION private.discontinue_promoted_product()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if exists (
      select 1 from public.campaigns c where c.tenant_id = old.tenant_id and c.product_id = old.id
    )
    and private.is_tenant_kept(old.tenant_id)
  then
    update public.products p
    set status = 'discontinued'
    where p.id = old.id and p.status <> 'discontinued';
    return null;
  end if;
  return old;
end
$function$;

CREATE OR REPLACE FUNCTION private.draft_of (
  type           text,
  id             text,
  marketplace_id uuid DEFAULT NULL::uuid
)
  RETURNS public.content
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  found_content public.content;
  matches uuid[];
  tenant uuid := private.tenant_id();
  sees_all boolean := private.content_roles() <> '{}';
  own uuid := private.supplier_id('content.write');
begin
  perform private.content_type_of(type);
  -- Nearly all callers are readers.
  if not sees_all and own is null then
    return null;
  end if;
  if private.is_uuid(id) then
    select * into found_content
    from public.content c
    where c.tenant_id = tenant and c.type = draft_of.type and c.id = draft_of.id::uuid;
    if not found then
      select * into found_content
      from public.content c
      where c.tenant_id = tenant and c.type = draft_of.type
        and (c.product_id = draft_of.id::uuid or c.category_id = draft_of.id::uuid)
        and (draft_of.marketplace_id is null or c.marketplace_id = draft_of.marketplace_id)
      order by c.created_at, c.id
      limit 1;
    end if;
  else
    matches := array(
      select c.id
      from public.content c
      where c.tenant_id = tenant and c.type = draft_of.type and c.slug = draft_of.id
        and (draft_of.marketplace_id is null or c.marketplace_id = draft_of.marketplace_id)
        and (sees_all or c.supplier_id = own)
      limit 2
    );
    if matches = '{}' then
      -- The published slug may differ from the draft's.
      matches := array(
        select c.id
        from public.published_content p
        join public.content c on c.id = p.content_id
        where p.tenant_id = tenant and p.type = draft_of.type and p.slug = draft_of.id
          and (draft_of.marketplace_id is null or p.marketplace_id = draft_of.marketplace_id)
          and (sees_all or c.supplier_id = own)
        limit 2
      );
    end if;
    perform private.insist_on_one(matches);
    select * into found_content from public.content c where c.id = matches[1];
  end if;
  if found_content.id is null or private.roles_for(found_content) = '{}' then
    return null;
  end if;
  return found_content;
end
$function$;

CREATE OR REPLACE FUNCTION private.drop_approval()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from public.product_approvals a where a.product_id = new.id and a.tenant_id = new.tenant_id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.due_jobs (
  queues text[],
  batch  integer
)
  RETURNS SETOF private.jobs
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select j.*
  from private.queues q
  cross join lateral private.due_jobs_of(q, batch, clock_timestamp()) d
  join private.jobs j on j.queue = q.queue and j.subject_id = d.subject_id and j.tenant_id = d.tenant_id
  where q.queue = any (queues)
  order by d.turn, d.due_at
  limit batch
$function$;

CREATE OR REPLACE FUNCTION private.due_jobs_of (
  source private.queues,
  batch  integer,
  moment timestamp with time zone
)
  RETURNS TABLE (
    tenant_id  uuid,
    subject_id uuid,
    due_at     timestamp with time zone,
    turn       bigint
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  AS $function$
#variable_conflict use_column
declare
  -- Random, so that every tenant is first in some batch if there are too many tenants for one.
  beginning constant uuid := gen_random_uuid();
begin
  return query
  -- Steps from each tenant to the next in the index, and from the last one to the first.
  with recursive tenants (tenant_id, due_at, has_turned, steps, found) as (
    select beginning, null::timestamptz, false, 0, 0
    union all
    select n.tenant_id, n.due_at, n.has_turned, t.steps + 1, t.found + (n.due_at <= moment)::integer
    from tenants t
    cross join lateral (
      (
        select j.tenant_id, j.due_at, t.has_turned
        from private.jobs j
        where j.queue = source.queue and j.due_at is not null and j.tenant_id > t.tenant_id
          and (j.tenant_id < beginning or not t.has_turned)
        order by j.tenant_id, j.due_at
        limit 1
      )
      union all
      (
        select j.tenant_id, j.due_at, true
        from private.jobs j
        where j.queue = source.queue and j.due_at is not null and j.tenant_id < beginning and not t.has_turned
        order by j.tenant_id, j.due_at
        limit 1
      )
      limit 1
    ) as n
    where t.steps < 5000 and t.found < 400
  )
  select t.tenant_id, d.subject_id, d.due_at, row_number() over (partition by t.tenant_id order by d.due_at)
  from tenants t
  cross join lateral (
    (
      select j.subject_id, j.due_at
      from private.jobs j
      where not source.in_order and j.queue = source.queue and j.tenant_id = t.tenant_id and j.due_at <= moment
      order by j.due_at
      limit batch
    )
    union all
    -- The first one alone, also while it is in flight or waits after a failure.
    select f.subject_id, f.due_at
    from (
      select j.subject_id, j.due_at
      from private.jobs j
      where source.in_order and j.queue = source.queue and j.tenant_id = t.tenant_id and j.due_at is not null
      order by j.queued_at, j.subject_id
      limit 1
    ) as f
    where f.due_at <= moment
  ) as d
  where t.due_at <= moment;
end
$function$;

CREATE OR REPLACE FUNCTION private.edits_media()
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return coalesce((
    select private.scope_of('media.manage', m.role) = 'all' or m.content_roles && array['editor', 'admin']
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  ), false);
end
$function$;

CREATE OR REPLACE FUNCTION private.emit_about_products (
  ids  uuid[],
  name text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  AS $function$
begin
  perform private.emit_all(array(
    select row(
      r.tenant_id, emit_about_products.name, jsonb_build_object('product', to_jsonb(r) - '{description_html,safety}'::text[]), null, r.marketplace_id, r.status
    )::private.news
    from unnest(ids) with ordinality as wanted (id, position)
    join private.product_records r on r.id = wanted.id
    order by wanted.position
  ));
end
$function$;

CREATE OR REPLACE FUNCTION private.emit_all (
  news private.news[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  -- Each event is a microsecond later than the one before, which is less than the time to write it, so that the order is kept.
  happened timestamptz := clock_timestamp();
  most_bytes bigint := private.cap('event_bytes');
  written record;
begin
  -- Nobody hears of the end of a tenant's records.
  if nullif(current_setting('souk.removed_tenant', true), '') is not null then
    return;
  end if;
  perform private.count_events(n.tenant_id, n.events)
  from (
    -- A large event counts once for every 8 kB.
    select n.tenant_id, sum(1 + pg_column_size(n.data) / 8192)::integer as events
    from unnest(news) as n
    group by n.tenant_id
    order by n.tenant_id
  ) as n;
  for written in
    with numbered as materialized (
      select n.*, gen_random_uuid() as id, happened + (n.position - 1) * interval '1 microsecond' as created_at
      from unnest(news) with ordinality as n (tenant_id, name, data, beside, marketplace_id, status, position)
    )
    insert into public.events as e (id, tenant_id, name, payload, marketplace_id, status, epoch, created_at)
    select
      t.id, t.tenant_id, t.name,
      jsonb_build_object(
        'id', t.id, 'event', t.name,
        'timestamp', to_char(t.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ) || coalesce(t.beside, '{}') || jsonb_build_object('data', t.data),
      t.marketplace_id, t.status, (select private.record_epoch()), t.created_at
    from numbered t
    order by t.position
    returning e.id, e.tenant_id, e.created_at, e.bytes
  loop
    -- The payload is written before it is measured, because measuring a copy would cost as much as writing.
    if written.bytes > most_bytes then
      update public.events e
      set payload = e.payload
        || jsonb_build_object('truncated', true, 'data', private.shortened(e.payload -> 'data'))
      where e.tenant_id = written.tenant_id and e.created_at = written.created_at and e.id = written.id;
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.emit_content_event()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  content public.content := case when tg_op = 'DELETE' then old else new end;
  data jsonb := private.content_event_data(content);
begin
  if tg_op = 'DELETE' and not private.is_tenant_kept(content.tenant_id) then
    -- No events while the tenant itself is deleted.
    return null;
  end if;
  if tg_op = 'UPDATE' and old.status <> new.status then
    perform private.emit(
      content.tenant_id, 'content.status_changed', data,
      jsonb_build_object('content_id', content.id, 'old_status', old.status, 'new_status', new.status),
      content.marketplace_id, content.status::text
    );
  end if;
  if tg_op <> 'UPDATE' or old.deleted_at is null and new.deleted_at is not null then
    perform private.emit(
      content.tenant_id, case when tg_op = 'INSERT' then 'content.created' else 'content.deleted' end, data,
      marketplace_id => content.marketplace_id, status => content.status::text
    );
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.emit_differences (
  tenant_id   uuid,
  differences private.sales_difference[]
)
  RETURNS integer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  events integer := 0;
  site record;
begin
  for site in
    select d.marketplace_id, jsonb_agg(to_jsonb(d) - '{marketplace_id,position}'::text[] order by d.rule, d.day) as differences
    from (
      select f.*, row_number() over (partition by f.marketplace_id order by f.rule, f.day) as position
      from unnest(differences) as f
    ) as d
    where d.position <= 100
    group by d.marketplace_id
  loop
    perform private.emit(
      emit_differences.tenant_id, 'analytics.mismatch',
      jsonb_build_object('mismatch', jsonb_build_object(
        'id', gen_random_uuid(), 'tenant_id', emit_differences.tenant_id, 'marketplace_id', site.marketplace_id,
        'differences', site.differences
      )),
      marketplace_id => site.marketplace_id
    );
    events := events + 1;
  end loop;
  return events;
end
$function$;

CREATE OR REPLACE FUNCTION private.end_account (
  tenant  uuid,
  account uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- It may be joining another tenant at this moment, whose membership would be deleted with it.
  perform from auth.users u where u.id = account for update;
  if exists (select from public.members m where m.user_id = account and m.tenant_id <> tenant) then
    delete from private.session_tenants s where s.user_id = account and s.tenant_id = tenant;
    delete from public.members m where m.user_id = account and m.tenant_id = tenant;
  else
    delete from auth.users u where u.id = account;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.end_accounts_of_tenant (
  tenant uuid,
  until  timestamp with time zone
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  account uuid;
begin
  for account in select m.user_id from public.members m where m.tenant_id = tenant limit 1000 loop
    perform private.end_account(tenant, account);
    exit when clock_timestamp() > until;
  end loop;
  return found;
end
$function$;

CREATE OR REPLACE FUNCTION private.end_approval (
  product_id uuid,
  tenant_id  uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.product_approvals a
  set status = 'approved', decided_by = auth.uid(), decided_at = now()
  where a.product_id = end_approval.product_id and a.tenant_id = end_approval.tenant_id
    and a.status <> 'approved' and a.pending_changes is null
$function$;

CREATE OR REPLACE FUNCTION private.end_export (
  export_id uuid,
  error     text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.exports e
  set status = (case when end_export.error is null then 'ready' else 'failed' end)::public.export_status,
      progress = case when end_export.error is null then 100 else e.progress end,
      error = end_export.error,
      finished_at = now(),
      expires_at = case when end_export.error is null then now() + interval '7 days' end
  where e.id = end_export.export_id;
  delete from private.export_jobs j where j.export_id = end_export.export_id;
  perform private.end_job(q.queue, end_export.export_id) from unnest(array['small_exports', 'large_exports']) as q (queue);
  perform private.wake_export_dispatch();
end
$function$;

CREATE OR REPLACE FUNCTION private.end_job (
  queue      text,
  subject_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from private.jobs j where j.queue = end_job.queue and j.subject_id = end_job.subject_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.end_mail (
  mail_id     uuid,
  status      public.mail_status,
  error       text,
  provider_id text               DEFAULT NULL::text,
  was_tried   boolean            DEFAULT true
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.end_job('mails', end_mail.mail_id);
  -- A mail that failed keeps its content for a retry.
  delete from private.mail_contents c where c.mail_id = end_mail.mail_id and end_mail.status = 'success';
  -- One update, since each update of the status writes to all indexes.
  update public.mails m
  set status = end_mail.status,
      attempts = m.attempts + end_mail.was_tried::integer,
      error = end_mail.error,
      provider_id = coalesce(end_mail.provider_id, m.provider_id),
      next_attempt_at = null,
      sent_at = case when end_mail.status = 'success' then clock_timestamp() end
  where m.id = end_mail.mail_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.end_old_key_sessions()
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  ended integer;
begin
  delete from auth.sessions s
  where s.id in (
    select o.id
    from public.api_keys k
    join auth.sessions o on o.user_id = k.id
    where o.created_at < now() - interval '1 day'
    limit 1000
  );
  get diagnostics ended = row_count;
  return case when ended = 1000 then 'more' end;
end
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_export (
  request public.exports,
  scope   private.analytics_scope,
  period  private.analytics_period
)
  RETURNS public.exports
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  query private.export_query := row(scope, period, now(), request.currency, request."by");
  total bigint;
  made public.exports;
begin
  -- Counting takes long, so it comes before the lock, and only if there is room.
  perform private.insist_on_room_for_export(request.tenant_id);
  total := private.counted_export(request, query);
  perform private.hold('exports', request.tenant_id::text);
  perform private.insist_on_room_for_export(request.tenant_id);
  insert into public.exports (
    tenant_id, asked_by, type, period, "from", "to", marketplace_id, supplier_id, category, currency, "by", format, bom, email
  )
  values (
    request.tenant_id, request.asked_by, request.type, period.name, period.since, period.until, request.marketplace_id,
    scope.supplier_id, request.category, request.currency, request."by", request.format, request.bom, request.email
  )
  returning * into made;
  insert into private.export_jobs (export_id, tenant_id, query, total) values (made.id, made.tenant_id, query, total);
  perform private.queue_jobs(
    case when total > private.cap('export_rows_small') then 'large_exports' else 'small_exports' end,
    array[made.tenant_id], array[made.id]
  );
  return made;
end
$function$;

CREATE OR REPLACE FUNCTION private.erase_personal_data (
  customer_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  person constant public.customers := private.locked_person(erase_personal_data.customer_id, 'personal_data.erase');
  keys jsonb;
begin
  if person.erased_at is not null then
    return;
  end if;
  keys := private.keys_of_person(person);
  perform private.give_back_deliveries(array(select jsonb_array_elements_text(keys -> 'deliveries'))::uuid[]);
  perform private.expire_exports_of_customers(person.tenant_id);
  perform private.erase_places(person.tenant_id, keys);
  update public.customers c set user_id = null, erased_at = now() where c.id = person.id;
  if person.user_id is not null then
    perform private.end_account(person.tenant_id, person.user_id);
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.erase_places (
  tenant uuid,
  keys   jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  place record;
begin
  for place in
    select
      p.table_name::regclass as name, private.condition_of_person(p.found_by) as condition, p.erasure = 'row' as is_deleted,
      string_agg(format('%I = %s', p.column_name, private.erased_value(p)), ', ' order by p.column_name) as changes
    from private.personal_data p
    where p.erasure not in ('cascade', 'kept')
    group by p.table_name, p.found_by, p.erasure = 'row'
    order by p.table_name, p.found_by::text
  loop
    if place.is_deleted then
      execute format('delete from %s t where t.tenant_id = $1 and (%s)', place.name, place.condition) using tenant, keys;
    else
      execute format('update %s t set %s where t.tenant_id = $1 and (%s)', place.name, place.changes, place.condition)
      using tenant, keys;
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.erased_address (
  address jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
RETURN CASE WHEN (address IS
  NOT NULL) THEN (jsonb_build_object('street', '') || CASE WHEN (address ? 'country'::text) THEN jsonb_build_object('country', (address -> 'country'::text)) ELSE '{}'::jsonb END)
  ELSE NULL::jsonb END;

CREATE OR REPLACE FUNCTION private.erased_value (
  place private.personal_data
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case place.erasure
    when 'null' then 'null'
    when 'text' then quote_literal(place.replacement)
    when 'address' then format('private.erased_address(t.%I)', place.column_name)
    when 'identifiers' then format('private.identifiers_of(t.%I)', place.column_name)
  end
$function$;

CREATE OR REPLACE FUNCTION private.event_of_part (
  data        jsonb,
  supplier_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select (data - 'payment') || jsonb_build_object('order', p.part) || coalesce(
    (
      select jsonb_object_agg(d.key, private.items_of_part(d.value, p.part -> 'items'))
      from jsonb_each(data) as d
      where d.key in ('shipment', 'cancellation', 'return') and jsonb_typeof(d.value -> 'items') = 'array'
    ),
    '{}'
  )
  from (select private.mail_part(data -> 'order', supplier_id)) as p (part)
$function$;

CREATE OR REPLACE FUNCTION private.events_of_person (
  tenant uuid,
  orders uuid[],
  users  uuid[],
  since  timestamp with time zone
)
  RETURNS TABLE (
    id         uuid,
    created_at timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select e.id, e.created_at
  from public.events e
  where e.tenant_id = tenant and e.created_at >= since
    -- Reading a payload takes longer than reading a name.
    and split_part(e.name, '.', 1) <> all ('{product,content,campaign,webhook,analytics}')
    and (
      coalesce(e.payload #>> '{data,order,id}', e.payload ->> 'order_id')::uuid = any (orders)
      or (e.payload #>> '{data,user,id}')::uuid = any (users)
    )
$function$;

CREATE OR REPLACE FUNCTION private.exceeded_mail_bound (
  mail public.mails
)
  RETURNS text
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  unpaid constant bytea := private.mail_subject('unpaid', mail."to");
begin
  if private.mails_of_today(mail.tenant_id, mail.is_for_members) >= private.mails_per_day(mail.tenant_id) then
    return format(
      'The tenant has sent its %s mails of today, in UTC. The owner of the project can raise this number.',
      private.mails_per_day(mail.tenant_id)
    );
  elsif private.mails_of_this_hour(private.mail_subject(mail)) >= private.cap(
      case when mail.is_for_members then 'order_mails_per_member_per_hour' else 'mails_per_address_per_hour' end
    )
    or mail.is_unpaid
      and private.mails_of_this_hour(unpaid) >= private.cap('unpaid_orders_per_address_per_hour')
      and not exists (select from private.mail_counts c where c.subject = unpaid and c.cause_id = mail.cause_id)
  then
    -- One text for both: a tenant learns nothing about the orders of other tenants.
    return 'This address has had too many mails this hour.';
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.expire_exports_of_customers (
  tenant uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  types constant public.export_type[] := '{orders,order_items,customers,segments}'::public.export_type[];
begin
  update public.exports e
  set status = 'expired', files = '{}', expires_at = null
  where e.tenant_id = tenant and e.type = any (types) and e.status = 'ready';
  perform private.end_export(e.id, 'A customer''s personal data was erased meanwhile. Ask for the export again.')
  from public.exports e
  where e.tenant_id = tenant and e.type = any (types) and e.status = 'running';
end
$function$;


SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.export_fields (
  type public.export_type
)
  RETURNS TABLE (
    name   text,
    kind   text,
    place  bigint,
    source text
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with outputs as (
    select f.name, f.type, f.place, t.typrelid
    from pg_catalog.pg_proc p
    cross join lateral unnest(p.proargnames, p.proallargtypes, p.proargmodes)
      with ordinality as f (name, type, mode, place)
    join pg_catalog.pg_type t on t.oid = f.type
    where p.oid = private.export_source(export_fields.type)::oid
      and f.mode = 't' and f.name not in ('at', 'key', 'part')
  ),
  fields as (
    select o.name, o.type, o.place, 0 as place_in_record, format('r.%I', o.name) as source
    from outputs o
    where o.typrelid = 0
    union all
    -- A record has the fields that its lists have, and a product its safety.
    select a.attname::text, a.atttypid, o.place, a.attnum, format('(r.%I).%I', o.name, a.attname)
    from outputs o
    join pg_catalog.pg_attribute a on a.attrelid = o.typrelid and a.attnum > 0 and not a.attisdropped
    where a.attname not in ('tenant_id', 'description_html')
  )
  select
    f.name,
    case
      when f.type in ('json'::regtype, 'jsonb'::regtype, 'text[]'::regtype) then 'json'
      when f.type in ('integer'::regtype, 'bigint'::regtype, 'numeric'::regtype) then 'number'
      when f.type = 'boolean'::regtype then 'boolean'
      when f.type = 'date'::regtype then 'date'
      when f.type = 'timestamptz'::regtype then 'time'
      else 'text'
    end,
    row_number() over (order by f.place, f.place_in_record), f.source
  from fields f
$function$;

CREATE OR REPLACE FUNCTION private.export_files_to_remove()
  RETURNS text[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  held constant private.jobs[] := array(select j from private.hold_due_jobs('{export_files}', 20) j);
begin
  delete from private.jobs j
  using unnest(held) h
  where j.queue = h.queue and j.subject_id = h.subject_id
    and not exists (select from private.export_files(h.tenant_id, h.subject_id));
  perform private.lease_jobs(held);
  return array(
    select f.path
    from unnest(held) h
    cross join lateral private.export_files(h.tenant_id, h.subject_id) as f (path)
    order by f.path
    limit 1000
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.exported_audit_log (
  query private.export_query
)
  RETURNS TABLE (
    at          timestamp with time zone,
    key         uuid,
    part        uuid,
    id          uuid,
    created_at  timestamp with time zone,
    actor       text,
    actor_id    uuid,
    supplier_id uuid,
    operation   text,
    action      public.audit_action,
    record_type text,
    record_id   text,
    fields      text[],
    address     text
  )
  LANGUAGE sql
  STABLE
BEGIN ATOMIC
 SELECT a.created_at,
     a.id,
     NULL::uuid
  AS uuid,
     a.id,
     a.created_at,
     a.actor,
     a.actor_id,
     a.supplier_id,
     a.operation,
     a.action,
     a.record_type,
     a.record_id,
     a.fields,
     a.address
    FROM public.audit_log a
   WHERE ((a.tenant_id = (exported_audit_log.query).scope.tenant_id) AND (a.created_at >= (exported_audit_log.query).period.starts_at) AND (a.created_at < (exported_audit_log.query).period.ends_at) AND (((exported_audit_log.query).scope.supplier_id IS NULL) OR (a.supplier_id = (exported_audit_log.query).scope.supplier_id)));
END;

CREATE OR REPLACE FUNCTION private.extend_lease (
  job      private.jobs,
  attempts integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  ending constant timestamptz := clock_timestamp() + (select q.lease from private.queues q where q.queue = job.queue);
begin
  update private.jobs j
  set leased_until = ending, due_at = ending, attempts = extend_lease.attempts
  where j.queue = job.queue and j.subject_id = job.subject_id and j.tenant_id = job.tenant_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.fail_job (
  job         private.jobs,
  error       text,
  retry_after interval     DEFAULT '00:00:00'::interval
)
  RETURNS timestamp WITH time zone
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  due timestamptz;
begin
  if not private.is_last_attempt(job) then
    due := clock_timestamp() + greatest(
      -- Up to a tenth later, so that jobs that failed together are not all due together.
      private.wait_after(job) * (1 + 0.1 * random()), least(fail_job.retry_after, interval '1 hour')
    );
  end if;
  update private.jobs j
  set lease = null, leased_until = null, error = left(fail_job.error, 1000), due_at = due
  where j.queue = job.queue and j.subject_id = job.subject_id and j.tenant_id = job.tenant_id;
  return due;
end
$function$;

CREATE OR REPLACE FUNCTION private.fault_of_placement_event (
  value         jsonb,
  event         jsonb,
  kind          text,
  unknown_field text,
  event_id      uuid,
  campaign_id   uuid,
  visitor_id    text,
  occurred_at   timestamp with time zone,
  moment        timestamp with time zone,
  reach         text,
  order_id      uuid
)
  RETURNS text[]
  LANGUAGE sql
  STABLE
RETURN CASE WHEN (jsonb_typeof(VALUE) <> 'object'::text) THEN ARRAY['VALIDATION_ERROR'::text,
  ''::text,
  'An event must be an object.'::text] WHEN COALESCE((kind <> ALL (ARRAY['impression'::text, 'click'::text, 'conversion'::text])), true) THEN ARRAY['VALIDATION_ERROR'::text,
  'type'::text,
  'type must be impression, click or conversion.'::text] WHEN (unknown_field IS NOT NULL) THEN ARRAY['VALIDATION_ERROR'::text,
  unknown_field,
  (unknown_field || ' is not known here.'::text)] WHEN (((EVENT ->> 'id'::text) IS NOT NULL) AND (event_id IS NULL)) THEN ARRAY['VALIDATION_ERROR'::text,
  'id'::text,
  'id must be a UUID.'::text] WHEN ((kind <> 'conversion'::text) AND ((EVENT ->> 'campaign_id'::text) IS NULL)) THEN ARRAY['VALIDATION_ERROR'::text,
  'campaign_id'::text,
  'campaign_id is required.'::text] WHEN (((EVENT ->> 'campaign_id'::text) IS NOT NULL) AND (campaign_id IS NULL)) THEN ARRAY['NOT_FOUND'::text,
  'campaign_id'::text,
  'There is no such campaign.'::text] WHEN COALESCE(((char_length(visitor_id) < 1) OR (char_length(visitor_id) > 200)), true) THEN ARRAY['VALIDATION_ERROR'::text,
  'visitor_id'::text,
  'visitor_id must have 1 to 200 characters.'::text] WHEN
  COALESCE(((EVENT ->> 'placement'::text) <> ALL (ARRAY['search'::text, 'category'::text, 'similar'::text, 'top_sales'::text])), false) THEN ARRAY['VALIDATION_ERROR'::text,
  'placement'::text,
  'placement must be search, category, similar or top_sales.'::text] WHEN COALESCE((jsonb_typeof((EVENT -> 'token'::text)) <> 'string'::text), false) THEN
  ARRAY['VALIDATION_ERROR'::text,
  'token'::text,
  'token must be the text from the product''s promotion.'::text] WHEN (occurred_at IS NULL) THEN ARRAY['VALIDATION_ERROR'::text,
  'occurred_at'::text,
  'occurred_at must be a time such as 2026-11-21T12:00:00Z.'::text] WHEN (occurred_at < (moment - '24:00:00'::interval)) THEN ARRAY['VALIDATION_ERROR'::text,
  'occurred_at'::text,
  'occurred_at must be within the last 24 hours.'::text] WHEN (occurred_at > (moment + '00:05:00'::interval)) THEN ARRAY['VALIDATION_ERROR'::text,
  'occurred_at'::text,
  'occurred_at must not be in the future.'::text] WHEN ((kind = 'conversion'::text) AND (reach = 'supplier'::text)) THEN ARRAY['FORBIDDEN'::text,
  'type'::text,
  'Your role may not report sales.'::text] WHEN ((kind = 'conversion'::text) AND ((EVENT ->> 'order_id'::text) IS NULL)) THEN ARRAY['VALIDATION_ERROR'::text,
  'order_id'::text,
  'order_id is required.'::text] WHEN ((kind = 'conversion'::text) AND (order_id IS NULL)) THEN ARRAY['NOT_FOUND'::text,
  'order_id'::text, 'There is no such order.'::text] ELSE NULL::text[] END;

CREATE OR REPLACE FUNCTION private.faults_of_amount (
  amount   jsonb,
  field    text,
  currency text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  exponent constant smallint := (select c.exponent from private.currencies c where c.code = faults_of_amount.currency);
begin
  return private.fault_unless(
    case
      when jsonb_typeof(amount) = 'number' then
        (amount #>> '{}')::numeric between 0 and 999999999999 and scale(trim_scale((amount #>> '{}')::numeric)) <= exponent
    end,
    field, format('a number of at least 0 with at most %s decimals', exponent), amount
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.faults_of_area (
  method jsonb,
  field  text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  countries constant jsonb := method -> 'countries';
  regions constant jsonb := method -> 'regions';
  country_count constant integer := case when jsonb_typeof(countries) = 'array' then jsonb_array_length(countries) end;
begin
  return private.fault_unless(
    not method ? 'countries' or case when country_count between 1 and 250 then
      not exists (select from jsonb_array_elements(countries) as c (code) where not private.is_country(c.code))
    end,
    field || '.countries', 'a list of 1 to 250 codes of countries by ISO 3166-1, such as DE', countries
  ) || private.fault_unless(
    not method ? 'regions' or case when jsonb_typeof(regions) = 'array' then
      jsonb_array_length(regions) between 1 and 200 and not exists (
        select from jsonb_array_elements(regions) as r (name) where private.is_name(r.name, 200) is not true
      )
    end,
    field || '.regions', 'a list of 1 to 200 regions, as addresses name them', regions
  ) || private.fault_unless(
    not method ? 'regions' or country_count = 1, field || '.countries', 'one country, because regions are named', countries
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.faults_of_method (
  method   jsonb,
  field    text,
  currency text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  perform private.insist_on_keys(
    method, field, '{key,name,price,rates,per_supplier,free_from,countries,regions}'
  );
  return private.fault_unless(
    private.is_text(method -> 'key', 1, 50, '^[a-z0-9][a-z0-9_-]*$'), field || '.key',
    'up to 50 lower-case letters, digits, _ and -', method -> 'key'
  ) || private.fault_unless(
    private.is_name(method -> 'name', 200), field || '.name', 'a text of 1 to 200 characters, one of them visible',
    method -> 'name'
  ) || private.fault_unless(
    not method ? 'per_supplier' or jsonb_typeof(method -> 'per_supplier') = 'boolean',
    field || '.per_supplier', 'true or false', method -> 'per_supplier'
  ) || case
    when method ? 'price' and method ? 'rates' then
      private.fault_unless(false, field || '.rates', 'left out where there is a price', method -> 'rates')
    when method ? 'rates' then private.faults_of_rates(method -> 'rates', field || '.rates', currency)
    else private.faults_of_amount(method -> 'price', field || '.price', currency)
  end || case
    when method ? 'free_from' then private.faults_of_amount(method -> 'free_from', field || '.free_from', currency)
    else '[]'
  end || private.faults_of_area(method, field);
end
$function$;

CREATE OR REPLACE FUNCTION private.faults_of_rates (
  rates    jsonb,
  field    text,
  currency text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  faults jsonb := private.fault_unless(
    case when jsonb_typeof(rates) = 'array' then jsonb_array_length(rates) between 1 and 50 end,
    field, 'a list of 1 to 50', rates
  );
  rate record;
  heaviest numeric := 0;
begin
  if faults <> '[]' then
    return faults;
  end if;
  for rate in
    select r.value, r.value -> 'up_to_grams' as up_to, format('%s[%s]', faults_of_rates.field, r.position - 1) as field
    from jsonb_array_elements(rates) with ordinality as r (value, position)
    order by r.position
  loop
    perform private.insist_on_keys(rate.value, rate.field, '{up_to_grams,price}');
    faults := faults || private.fault_unless(
      case
        when jsonb_typeof(rate.up_to) = 'number' then
          (rate.up_to #>> '{}')::numeric between heaviest + 1 and 999999999999
          and scale(trim_scale((rate.up_to #>> '{}')::numeric)) = 0
      end,
      rate.field || '.up_to_grams', format('a whole number of grams above %s', heaviest), rate.up_to
    ) || private.faults_of_amount(rate.value -> 'price', rate.field || '.price', currency);
    if jsonb_typeof(rate.up_to) = 'number' then
      heaviest := greatest(heaviest, trunc((rate.up_to #>> '{}')::numeric));
    end if;
  end loop;
  return faults;
end
$function$;

CREATE OR REPLACE FUNCTION private.find_products (
  search     text,
  branch     uuid[],
  promotable uuid[],
  filters    private.product_filters,
  sort       text,
  direction  integer,
  size       bigint,
  skipped    bigint,
  with_ids   boolean
)
  RETURNS private.found_products
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  AS $function$
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  unfiltered boolean := filters is null;
  found_products private.found_products;
begin
  with wanted as materialized (
    select
      p.id, p.marketplace_id, p.category_id, p.brand, p.lowest_price, p.highest_price, p.relevance, p.has_all,
      case sort
        when 'price' then case direction when 1 then p.lowest_price else -p.highest_price end::double precision
        when 'created_at' then direction * date_part('epoch', p.created_at)
        when 'updated_at' then direction * date_part('epoch', p.updated_at)
        when 'relevance' then -p.relevance
      end as rank,
      -- The newer one of two products with the same relevance comes first.
      case sort when 'relevance' then -date_part('epoch', p.created_at) end as age,
      case sort when 'name' then (select private.sort_name(n.name) collate "C" from public.products n where n.id = p.id) end as name
    from (
      select
        d.id, d.category_id, d.brand, d.lowest_price, d.highest_price, d.marketplace_id, d.created_at, d.updated_at,
        null::double precision as relevance, true as has_all
      from public.products d
      where d.tenant_id = tenant
        and d.category_id = any (branch)
        and d.status <> 'discontinued'
        and private.is_shown_to(viewer, own_supplier, active_marketplaces, d.supplier_id, d.marketplace_id, d.status)
        and (unfiltered or private.is_wanted(d, filters))
        and search is null
      union all
      select
        f.id, f.category_id, f.brand, f.lowest_price, f.highest_price, f.marketplace_id, f.created_at, f.updated_at,
        f.relevance, f.has_all
      from private.products_found(search, branch, filters) f
      where search is not null
    ) as p
  )
  select
    (
      select row(array_agg(r.id), array_agg(r.relevance), null)::private.product_block
      from (
        select w.id, w.relevance
        from wanted w
        order by w.rank, w.age, case direction when 1 then w.name end, case direction when -1 then w.name end desc, w.id
        limit size offset skipped
      ) as r
    ),
    (
      select row(array_agg(w.id), array_agg(w.relevance), null)::private.product_block
      from unnest(promotable) as m (id)
      join wanted w on w.id = m.id
      -- Products that match only some words cannot be promoted above those that match all.
      where w.has_all or not exists (select from wanted other where other.has_all)
    ),
    array(
      select row(w.marketplace_id, w.category_id, w.brand, count(*), min(w.lowest_price), max(w.highest_price))::private.product_count
      from wanted w
      group by w.marketplace_id, w.category_id, w.brand
    ),
    case when with_ids then array(select w.id from wanted w) end
  into found_products;
  return found_products;
end
$function$;

CREATE OR REPLACE FUNCTION private.follow_account()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  address text := coalesce(lower(new.email), '');
  display_name text := private.account_name(new.raw_user_meta_data, new.email);
begin
  update public.members m
  set email = address, name = display_name, is_anonymous = new.is_anonymous
  where m.user_id = new.id;
  -- A soft-deleted account has a hash instead of its address.
  update public.customers c
  set email = case when private.is_email(address) then address end,
      -- A guest without a name has the name of its last order.
      -- Otherwise a name that the customer or the staff has corrected since would be lost.
      name = case
        when new.is_anonymous and display_name = ''
          or display_name = private.account_name(old.raw_user_meta_data, old.email) then c.name
        else display_name
      end,
      contact_email = case when new.is_anonymous then c.contact_email end,
      is_guest = new.is_anonymous,
      is_listed = c.is_listed or not new.is_anonymous,
      language = case
        when private.account_language(new.raw_user_meta_data)
          is not distinct from private.account_language(old.raw_user_meta_data) then c.language
        else private.account_language(new.raw_user_meta_data)
      end
  where c.user_id = new.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.forget_typed (
  past public.customers
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Whoever typed the address of somebody else might have typed these for them, too.
  delete from private.customer_addresses a
  where past.is_guest and a.tenant_id = past.tenant_id and a.customer_id = past.id;
  update public.customers c set phone = null, language = null where past.is_guest and c.id = past.id
$function$;

CREATE OR REPLACE FUNCTION private.forget_withheld()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.keep_withheld(new.id, new.tenant_id);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.found_order_ids (
  search text
)
  RETURNS SETOF uuid
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  tenant uuid := private.tenant_id();
  sees_all boolean := private.scope('orders.read') = 'all';
  own_customer uuid := private.customer_id();
  parts text[] := private.parts_of_name(search);
  wanted bigint[] := private.grams_of_parts(tenant, parts);
  numbered text := substring(btrim(private.sort_name(search)) from '^#?([0-9]{1,18})$');
begin
  if private.searched(search) is null then
    return query select o.id from public.orders o where o.tenant_id = tenant;
    return;
  end if;
  -- A supplier reads orders with its items, and nothing of their customers' accounts. The policies of orders decide which
  -- of these orders the caller sees.
  return query
    select o.id from public.orders o where o.tenant_id = tenant and o.number = numbered::bigint
    union
    select o.id from public.orders o where o.tenant_id = tenant and o.external_id = btrim(search)
    union
    select n.order_id from private.orders_by_name(tenant, parts, wanted) n
    union
    select o.id
    from private.customers_by_name(tenant, parts, wanted) n
    join public.orders o on o.tenant_id = tenant and o.customer_id = n.customer_id
    where sees_all or n.customer_id = own_customer;
end
$function$;

CREATE OR REPLACE FUNCTION private.get_auction (
  auction_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  shown jsonb;
begin
  perform private.require_permission('auctions.read', 'Your role may not read auctions.');
  select to_jsonb(a) - '{tenant_id,counted}'::text[] into shown
  from private.auctions a
  where a.tenant_id = private.tenant_id() and a.id = auction_id;
  if shown is null then
    perform private.refuse('NOT_FOUND', 'There is no such auction.');
  end if;
  return shown;
end
$function$;

CREATE OR REPLACE FUNCTION private.get_customer_address (
  address_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return private.address_record(private.own_address(address_id, private.own_customer('addresses.read')));
end
$function$;

CREATE OR REPLACE FUNCTION private.give_back_deliveries (
  ids uuid[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- A delivery that waits is not begun before the end of the transaction. One in flight is sent again without the
  -- data, and what the receiver answers to the earlier attempt is not recorded.
  perform 1 from private.webhook_queue q where q.delivery_id = any (ids) order by q.delivery_id for update;
  update private.webhook_leases l set leased_until = '-infinity' where l.delivery_id = any (ids);
end
$function$;

CREATE OR REPLACE FUNCTION private.give_up_export (
  export_id uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.end_export(export_id, 'The export could not be written, several times in a row. Ask for it again.')
$function$;

CREATE OR REPLACE FUNCTION private.has_confirmed (
  user_id uuid,
  email   text
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (
    select
    from auth.users u
    where u.id = has_confirmed.user_id and lower(u.email) = has_confirmed.email and u.email_confirmed_at is not null
  )
$function$;

CREATE OR REPLACE FUNCTION private.held_export()
  RETURNS private.jobs
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  candidate private.jobs;
  job private.jobs;
begin
  for candidate in select j.* from private.due_jobs('{small_exports,large_exports}', 20) j loop
    -- Exports are locked before their jobs. Skips one that is being deleted.
    perform from public.exports e where e.id = candidate.subject_id for no key update skip locked;
    if found then
      select j.* into job from private.hold_jobs(array[candidate], 1) j;
      exit when found;
    end if;
  end loop;
  return job;
end
$function$;

CREATE OR REPLACE FUNCTION private.hold_changes()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  changes jsonb;
begin
  if current_user not in ('anon', 'authenticated')
    or private.seller_setting(new.tenant_id, 'product_review') <> 'all'
    -- What was for sale before all were reviewed counts as approved.
    or not (
      old.status in ('active', 'out_of_stock') or private.is_withheld(new.id, new.tenant_id)
      or private.was_approved(new.id, new.tenant_id)
    )
    or not private.is_seller()
  then
    return new;
  end if;
  select jsonb_object_agg(n.key, n.value) into changes
  from jsonb_each(private.reviewed_fields(new)) as n
  join jsonb_each(private.reviewed_fields(old)) as o using (key)
  where n.value <> o.value;
  if changes is not null then
    perform private.request_approval(new.id, new.tenant_id, new.supplier_id, changes);
    new.name := old.name;
    new.description := old.description;
    new.description_html := old.description_html;
    new.category_id := old.category_id;
    new.images := old.images;
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.hold_due_jobs (
  queues text[],
  batch  integer
)
  RETURNS SETOF private.jobs
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- More than batch, since other workers may take some at this moment.
  select j.* from private.hold_jobs(array(select d from private.due_jobs(queues, 2 * batch) d), batch) j
$function$;

CREATE OR REPLACE FUNCTION private.hold_due_mails (
  batch integer
)
  RETURNS SETOF public.mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  job private.jobs;
  mail public.mails;
  refusal private.mail_refusal;
begin
  for job in select j.* from private.hold_due_jobs('{mails}', hold_due_mails.batch) j loop
    select m.* into mail from public.mails m where m.tenant_id = job.tenant_id and m.id = job.subject_id;
    refusal := private.refused_mail(mail);
    if job.lease is not null then
      -- The dispatcher may have crashed because of this mail.
      perform private.record_failed_mail(job, 'The dispatcher ended before it recorded the result.');
    elsif refusal.status is not null then
      perform private.end_mail(mail.id, refusal.status, refusal.error, was_tried => false);
    else
      return next mail;
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.hold_for_approval()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Functions of the database run as other users: they put up for sale what was approved.
  if current_user not in ('anon', 'authenticated') or tg_op = 'UPDATE' and private.was_approved(new.id, new.tenant_id) then
    return new;
  elsif private.needs_review(new.tenant_id, new.supplier_id) and private.is_seller() then
    new.status := case when tg_op = 'UPDATE' then old.status else 'draft' end;
    perform private.request_approval(new.id, new.tenant_id, new.supplier_id, null);
  elsif tg_op = 'UPDATE' then
    perform private.end_approval(new.id, new.tenant_id);
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.hold_jobs (
  jobs  private.jobs[],
  batch integer
)
  RETURNS SETOF private.jobs
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select j.*
  from unnest(jobs) with ordinality as d
  join private.jobs j on j.queue = d.queue and j.subject_id = d.subject_id and j.tenant_id = d.tenant_id
  where j.due_at <= clock_timestamp()
  order by d.ordinality
  limit batch
  for update of j skip locked
$function$;

CREATE OR REPLACE FUNCTION private.hold_mail_counts (
  mails public.mails[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  senders constant uuid[] := array(select distinct m.tenant_id from unnest(mails) m order by m.tenant_id);
begin
  -- All transactions lock tenants before addresses, each in this order, which prevents deadlocks.
  insert into private.mail_senders (tenant_id)
  select s.id from unnest(senders) as s (id)
  on conflict on constraint mail_senders_pkey do nothing;
  perform from private.mail_senders s where s.tenant_id = any (senders) order by s.tenant_id for no key update;
  insert into private.mail_counts (subject)
  select distinct h.subject
  from unnest(mails) m
  cross join lateral (values (private.mail_subject(m), true), (private.mail_subject('unpaid', m."to"), m.is_unpaid)) as h (subject, counts)
  where h.counts
    -- Mails beyond the bound of their tenant take no space.
    and private.mails_of_today(m.tenant_id, m.is_for_members) < private.mails_per_day(m.tenant_id)
  order by h.subject
  on conflict on constraint mail_counts_pkey do update set counted_at = now();
end
$function$;

CREATE OR REPLACE FUNCTION private.identifiers_of (
  value jsonb,
  key   text  DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  case jsonb_typeof(value)
    when 'object' then
      return (
        select coalesce(jsonb_object_agg(f.key, k.kept), '{}')
        from jsonb_each(value) as f
        cross join lateral (select private.identifiers_of(f.value, f.key) offset 0) as k (kept)
        -- Further fields of an address may be numbers.
        where f.key !~ 'address|contact' and k.kept is not null
      );
    when 'array' then
      return (
        select coalesce(jsonb_agg(k.kept order by f.position), '[]')
        from jsonb_array_elements(value) with ordinality as f (element, position)
        cross join lateral (select private.identifiers_of(f.element, key) offset 0) as k (kept)
        where k.kept is not null
      );
    when 'string' then
      return case
        when key in ('event', 'status', 'old_status', 'new_status', 'payment_status', 'currency', 'role')
          or private.is_uuid(value #>> '{}') or (value #>> '{}') ~ '^\d{4}-\d\d-\d\dT[0-9:.]+([+-]\d\d:\d\d|Z)$'
          then value
      end;
    else
      return value;
  end case;
end
$function$;

CREATE OR REPLACE FUNCTION private.import_lines (
  batch private.import_line[],
  OUT   imported integer,
  OUT   updated integer
)
  RETURNS record
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- The price of a product may rise before what its variants are compared with.
  set constraints public.products_check_compared_prices deferred;
  perform private.check_import_lines(batch);
  if exists (select from unnest(batch) as b where b.current is not null) then
    batch := private.change_imported(batch);
  end if;
  if exists (select from unnest(batch) as b where b.current is null) then
    batch := private.list_imported(batch);
  end if;
  perform private.list_variants(batch);
  perform private.import_stock(batch);
  set constraints public.products_check_compared_prices immediate;
  select count(*) filter (where b.current is null), count(*) filter (where b.current is not null and b.changed <> '{}')
  into imported, updated
  from unnest(batch) as b;
end
$function$;

CREATE OR REPLACE FUNCTION private.import_orders (
  lines                jsonb,
  marketplace_id       uuid,
  dry_run              boolean,
  accept_changed_codes boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  tenant uuid := private.tenant_id();
  imported record;
begin
  perform private.require_permission('orders.import', 'Only admins may import orders.');
  if jsonb_typeof(lines) is distinct from 'array' or jsonb_array_length(lines) > 1000 then
    perform private.refuse('VALIDATION_ERROR', 'Send a list of at most 1000 lines.', 'lines', 'null');
  end if;
  if lines <> '[]' then
    perform private.lock_import_turn(tenant);
    perform private.refresh_statistics(
      array[
        'public.orders', 'public.order_parts', 'public.order_items', 'public.order_status_changes', 'public.order_returns',
        'public.order_return_items', 'public.payments', 'public.customers'
      ]::regclass[]
    );
  end if;
  imported := private.imported_orders(
    tenant, lines, coalesce(import_orders.marketplace_id, private.sole_marketplace_id()), dry_run, accept_changed_codes
  );
  return (
    select jsonb_build_object(
      'imported', count(*) filter (where b.error is null and b.is_new), 'updated', 0,
      'unchanged', count(*) filter (where b.error is null and not b.is_new), 'failed', count(b.error),
      'errors', coalesce(
        jsonb_agg(
          jsonb_build_object('line', coalesce(b.line -> 'line', to_jsonb(b.position))) || b.error order by b.position
        ) filter (where b.error is not null),
        '[]'
      )
    ) || private.remarks_of(imported.questions)
    from unnest(imported.batch) as b
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.import_variants (
  product_id uuid,
  variants   jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  product public.products;
  pairs jsonb;
  pair record;
begin
  select p.* into product from public.products p where p.id = import_variants.product_id;
  perform private.check_variants(product, variants);
  perform private.refuse_repeated_variants(product, variants);
  select coalesce(jsonb_agg(p.variant || jsonb_build_object('id', p.variant_id, 'index', p.index) order by p.index), '[]')
  into pairs
  from private.paired_variants(product.id, variants) as p;

  -- Variants may swap their names one by one.
  set constraints public.name_is_unique_in_product_variants deferred;
  begin
    for pair in
      select
        (p.value ->> 'index')::bigint as index, (p.value ->> 'id')::uuid as id, p.value ->> 'name' as name,
        p.value ->> 'sku' as sku, (p.value ->> 'price')::numeric as price, p.value ? 'price' as has_price,
        (p.value ->> 'compare_at_price')::numeric as compare_at_price, p.value ? 'compare_at_price' as has_compare_at_price,
        (p.value ->> 'quantity')::integer as quantity
      from jsonb_array_elements(pairs) as p (value)
    loop
      if pair.id is null then
        pair.id := gen_random_uuid();
        insert into public.product_variants (id, product_id, name, sku, price, compare_at_price, position)
        values (pair.id, product.id, pair.name, pair.sku, pair.price, pair.compare_at_price, pair.index + 1);
      else
        update public.product_variants v
        set name = coalesce(pair.name, v.name),
            sku = coalesce(pair.sku, v.sku),
            price = case when pair.has_price then pair.price else v.price end,
            compare_at_price = case when pair.has_compare_at_price then pair.compare_at_price else v.compare_at_price end
        where v.id = pair.id
          and (
            v.name <> pair.name
            or v.sku is distinct from coalesce(pair.sku, v.sku)
            or pair.has_price and v.price is distinct from pair.price
            or pair.has_compare_at_price and v.compare_at_price is distinct from pair.compare_at_price
          );
      end if;
      if pair.quantity is not null then
        perform private.import_variant_stock(product, pair.id, pair.quantity, pair.index);
      end if;
    end loop;
    set constraints public.name_is_unique_in_product_variants immediate;
  exception
    when unique_violation then
      perform private.refuse_taken_sku(product, pairs);
      raise;
    when exclusion_violation then
      perform private.refuse(
        'VALIDATION_ERROR', 'Variants of a product must have different names. Upper and lower case count as equal.',
        'variants', variants
      );
  end;
end
$function$;

CREATE OR REPLACE FUNCTION private.insist_on_event_batch (
  events jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  if private.tenant_id() is null then
    perform private.refuse_stranger();
  end if;
  perform private.require_permission('shop_events.write', 'Your role may not report events.');
  if private.is_visit() and private.visitor_id() is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'Send the visitor''s id, a random uuid that the shop made after consent.', 'x-souk-visitor',
      to_jsonb(private.request_header('x-souk-visitor'))
    );
  elsif jsonb_typeof(events) is distinct from 'array' then
    perform private.refuse('VALIDATION_ERROR', 'events must be a list.', 'events', events);
  elsif jsonb_array_length(events) > 1000 then
    perform private.refuse(
      'VALIDATION_ERROR', 'A batch has at most 1000 events. Send several batches.', 'events',
      to_jsonb(jsonb_array_length(events))
    );
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.insist_on_safety (
  product public.products
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if private.needs_safety(product) then
    perform private.refuse(
      'VALIDATION_ERROR', 'This marketplace requires safety.manufacturer before a product is active.', 'safety.manufacturer',
      null
    );
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.invitation_problem (
  token text,
  email text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  invitation public.invitations := private.invitation_of(token);
begin
  return case
    when invitation.id is null or not private.is_tenant_kept(invitation.tenant_id)
      then private.problem(404, 'invitation', 'There is no such invitation.')
    when invitation.email <> lower(coalesce(invitation_problem.email, ''))
      then private.problem(422, 'invitation', 'The invitation is for another e-mail address.')
    when invitation.accepted_at is not null
      then private.problem(422, 'invitation', 'The invitation has already been accepted.')
    when invitation.expires_at <= now()
      then private.problem(422, 'invitation', 'The invitation has expired. Ask for a new one.')
  end;
end
$function$;

CREATE OR REPLACE FUNCTION private.is_audited()
  RETURNS boolean
  LANGUAGE sql
RETURN CASE WHEN (current_setting('request.jwt.claims'::text, true) = current_setting('souk.audited_request'::text, true)) THEN
  (current_setting('souk.audited_caller'::text, true) <> ''::text) ELSE ((private.audited_caller()).actor IS NOT NULL) END;

CREATE OR REPLACE FUNCTION private.is_in_token (
  permission text
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
RETURN CASE WHEN (current_setting('request.jwt.claims'::text, true) ~~ '%"scopes"%'::text) THEN COALESCE(((auth.jwt() -> 'scopes'::text) ? permission), true) ELSE true END;

CREATE OR REPLACE FUNCTION private.is_key()
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (select from public.api_keys k where k.id = auth.uid())
$function$;

CREATE OR REPLACE FUNCTION private.is_last_attempt (
  job private.jobs
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select q.gives_up and job.attempts > cardinality(q.waits) from private.queues q where q.queue = job.queue
$function$;

CREATE OR REPLACE FUNCTION private.is_mail_due (
  template  text,
  tenant_id uuid,
  data      jsonb
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  this_order constant uuid := (data #>> '{order,id}')::uuid;
begin
  return case template
    when 'shipment_sent' then exists (
      select
      from public.shipments s
      where s.tenant_id = is_mail_due.tenant_id and s.order_id = this_order
        and s.id = (data #>> '{shipment,id}')::uuid and coalesce(s.tracking_number, s.tracking_url) is not null
    )
    -- The mail about the last shipment tells it, with the tracking number, unless another one had none to tell.
    when 'order_shipped' then not exists (
      select
      from public.shipments s
      where s.tenant_id = is_mail_due.tenant_id and s.order_id = this_order
        and s.created_at >= now() and coalesce(s.tracking_number, s.tracking_url) is not null
    ) or exists (
      select
      from public.shipments s
      where s.tenant_id = is_mail_due.tenant_id and s.order_id = this_order
        and s.status <> 'void' and coalesce(s.tracking_number, s.tracking_url) is null
    )
    -- The mail about the cancelled order lists all its items.
    when 'items_cancelled' then data #>> '{order,status}' <> 'cancelled'
    else true
  end;
end
$function$;

CREATE OR REPLACE FUNCTION private.is_orderable (
  product public.products
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return product.status in ('active', 'out_of_stock') and (
    -- Until a job has withheld all products of a supplier, those that are left cannot be ordered either.
    not exists (
      select
      from private.unsettled_suppliers u
      where u.tenant_id = product.tenant_id and u.supplier_id = product.supplier_id
    )
    or private.may_sell(product.tenant_id, product.supplier_id, product.marketplace_id)
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.is_reviewed (
  asset public.media_assets
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return private.seller_setting(asset.tenant_id, 'product_review') = 'all' and (
    exists (
      select
      from private.media_uses u
      join public.products p on p.id = u.id
      where u.tenant_id = asset.tenant_id and u.asset_id = asset.id and u.type = 'product'
        and (
          p.status in ('active', 'out_of_stock') or private.is_withheld(p.id, p.tenant_id)
          or private.was_approved(p.id, p.tenant_id)
        )
    )
    or exists (
      select
      from public.product_approvals a
      where a.tenant_id = asset.tenant_id and a.supplier_id = asset.supplier_id and a.status = 'pending'
        and a.pending_changes -> 'images' @> jsonb_build_array(jsonb_build_object('asset_id', asset.id))
    )
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.is_seller()
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant text := coalesce(auth.uid()::text, '');
  known text[] := string_to_array(current_setting('souk.is_seller', true), ' ');
begin
  -- An import writes products one by one, so it is looked up once per transaction.
  if known[1] is distinct from caller then
    known := array[caller, (private.scope('products.write') = 'own')::text];
    perform set_config('souk.is_seller', concat_ws(' ', known[1], coalesce(known[2], 'false')), true);
  end if;
  return coalesce(known[2]::boolean, false);
end
$function$;

CREATE OR REPLACE FUNCTION private.is_shown_to (
  viewer              text,
  own_supplier        uuid,
  active_marketplaces uuid[],
  supplier_id         uuid,
  marketplace_id      uuid,
  status              public.product_status
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
RETURN CASE viewer WHEN 'customer'::text THEN ((status = 'active'::public.product_status) AND (marketplace_id = ANY (active_marketplaces))) WHEN 'supplier'::text THEN
  (supplier_id = own_supplier) WHEN 'all'::text THEN true ELSE false END;

CREATE OR REPLACE FUNCTION private.is_tenant_kept (
  tenant_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (select from public.tenants t where t.id = is_tenant_kept.tenant_id)
    and not exists (select from private.tenant_removals r where r.tenant_id = is_tenant_kept.tenant_id)
$function$;

CREATE OR REPLACE FUNCTION private.is_withheld (
  product_id uuid,
  tenant_id  uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return exists (
    select
    from private.withheld_products w
    where w.product_id = is_withheld.product_id and w.tenant_id = is_withheld.tenant_id
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.items_of_part (
  thing       jsonb,
  order_items jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select thing || jsonb_build_object('items', coalesce(jsonb_agg(i.value order by i.position), '[]'))
    || case
      when thing ? 'amount' then jsonb_build_object('amount', coalesce(sum((i.value ->> 'amount')::numeric), 0))
      else '{}'
    end
  from jsonb_array_elements(thing -> 'items') with ordinality as i (value, position)
  where exists (
    select from jsonb_array_elements(order_items) as o (value) where o.value ->> 'id' = i.value ->> 'item_id'
  )
$function$;

CREATE OR REPLACE FUNCTION private.join_as (
  tenant       uuid,
  account      uuid,
  role         public.member_role,
  supplier     uuid,
  display_name text,
  verified     boolean            DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if join_as.role = 'supplier' and supplier is null then
    insert into public.suppliers (tenant_id, name, verified)
    values (tenant, display_name, join_as.verified)
    returning id into supplier;
  elsif join_as.verified then
    update public.suppliers s
    set verified = true
    where s.tenant_id = tenant and s.id = supplier and not s.verified;
  end if;
  insert into public.members (tenant_id, user_id, role, supplier_id)
  values (tenant, account, join_as.role, supplier)
  on conflict do nothing;
  if not found then
    perform private.refuse('CONFLICT', 'You are already a member of this tenant.');
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.join_by_request (
  request jsonb,
  account uuid
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  address text;
  display_name text;
  problem jsonb;
  invitation public.invitations;
  tenant uuid;
begin
  select u.email, coalesce(nullif(private.account_name(u.raw_user_meta_data, u.email), ''), 'Nameless')
  into address, display_name
  from auth.users u
  where u.id = account;
  problem := private.join_problem(request, address);
  if problem is not null then
    -- A refusal never contains a token.
    perform private.refuse_problem(problem, coalesce((request - 'invitation') -> (problem ->> 'field'), 'null'));
  end if;

  if request ->> 'tenant_name' is not null then
    insert into public.tenants (name) values (request ->> 'tenant_name') returning id into tenant;
    perform private.join_as(tenant, account, 'admin', null, display_name);
  elsif request ->> 'tenant_id' is not null then
    tenant := (request ->> 'tenant_id')::uuid;
    perform private.join_as(
      tenant, account, coalesce(request ->> 'role', 'customer')::public.member_role, null, display_name
    );
  elsif request ->> 'invitation' is not null then
    invitation := private.use_invitation(request ->> 'invitation', account);
    tenant := invitation.tenant_id;
    perform private.join_as(tenant, account, invitation.role, invitation.supplier_id, display_name, invitation.verified);
  end if;
  return tenant;
end
$function$;

CREATE OR REPLACE FUNCTION private.join_customers (
  kept public.customers,
  gone public.customers
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.move_orders(kept.tenant_id, gone.id, kept.id);
  perform private.forget_typed(gone);
  if gone.is_guest then
    gone.phone := null;
    gone.language := null;
  end if;
  update private.customer_addresses a
  set customer_id = kept.id,
      is_default = a.is_default and not exists (
        select from private.customer_addresses d
        where d.tenant_id = kept.tenant_id and d.customer_id = kept.id and d.is_default
      )
  where a.tenant_id = gone.tenant_id and a.customer_id = gone.id;
  delete from public.customers c where c.id = gone.id;
  if gone.is_guest then
    delete from auth.users u where u.id = gone.user_id and u.is_anonymous;
  end if;
  update public.customers c
  set external_id = coalesce(c.external_id, gone.external_id), phone = coalesce(c.phone, gone.phone),
      language = coalesce(c.language, gone.language)
  where c.id = kept.id;
end
$function$;

CREATE OR REPLACE FUNCTION private.join_one_more (
  request jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  tenant uuid;
begin
  if (select u.is_anonymous from auth.users u where u.id = auth.uid()) then
    perform private.refuse('FORBIDDEN', 'A guest is a customer of one tenant. Register first.');
  elsif private.is_key() then
    perform private.refuse('FORBIDDEN', 'An API key belongs to one tenant.');
  end if;
  -- A statement of its own, so that the next statement sees the membership.
  tenant := private.join_by_request(request, auth.uid());
  return private.my_tenant(tenant);
end
$function$;

CREATE OR REPLACE FUNCTION private.join_problem (
  request jsonb,
  email   text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return case
    when num_nonnulls(request ->> 'tenant_name', request ->> 'tenant_id', request ->> 'invitation') > 1
      then private.problem(422, 'tenant_name', 'Send one of tenant_name, tenant_id and invitation.')
    when request ->> 'invitation' is not null
      then private.invitation_problem(request ->> 'invitation', email)
    when char_length(request ->> 'tenant_name') not between 1 and 200
        or not private.is_more_than_spaces(request ->> 'tenant_name')
      then private.problem(422, 'tenant_name', 'tenant_name must have 1 to 200 characters, one of them visible.')
    when request ->> 'tenant_id' is null then null
    -- A text that is not a UUID matches nothing. The cast must not fail.
    when not private.is_tenant_kept(
      (case when private.is_uuid(request ->> 'tenant_id') then request ->> 'tenant_id' end)::uuid
    )
      then private.problem(404, 'tenant_id', 'No tenant has this id.')
    when coalesce(request ->> 'role', 'customer') not in ('customer', 'supplier')
      then private.problem(422, 'role', 'role must be customer or supplier.')
    when request ->> 'role' = 'supplier' then private.seller_signup_problem((request ->> 'tenant_id')::uuid)
  end;
end
$function$;

CREATE OR REPLACE FUNCTION private.keep_key_account()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if exists (select from public.api_keys k where k.id = old.id) then
    perform private.refuse('FORBIDDEN', 'An API key does not change. Create another one, and remove this one.');
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.keep_safety()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if current_user = 'authenticated' and (new.status = 'out_of_stock' or private.is_withheld(new.id, new.tenant_id)) then
    perform private.insist_on_safety(new);
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.keep_withheld (
  product_id uuid,
  tenant_id  uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  delete from private.withheld_products w where w.product_id = keep_withheld.product_id and w.tenant_id = keep_withheld.tenant_id
$function$;

CREATE OR REPLACE FUNCTION private.keys_of_person (
  customer public.customers
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  address constant text := private.address_of_customer(customer);
  users constant uuid[] := array_remove(array[customer.user_id], null);
  orders uuid[];
  since timestamptz;
  events uuid[];
  times timestamptz[];
  deliveries uuid[];
  applications uuid[];
begin
  select coalesce(array_agg(a.id), '{}') into applications
  from public.supplier_applications a
  where a.tenant_id = customer.tenant_id and (a.user_id = any (users) or a.email = address);
  select coalesce(array_agg(o.id), '{}'), least(min(o.created_at), customer.created_at) into orders, since
  from public.orders o
  where o.tenant_id = customer.tenant_id and o.customer_id = customer.id;
  select coalesce(array_agg(e.id), '{}'), array_agg(e.created_at) into events, times
  from private.events_of_person(customer.tenant_id, orders, users, since) e;
  select coalesce(array_agg(d.id), '{}') into deliveries
  from unnest(events, times) as e (id, created_at)
  join public.webhooks w on w.tenant_id = customer.tenant_id
  join public.webhook_deliveries d on d.webhook_id = w.id and d.event_at = e.created_at and d.event_id = e.id;
  return jsonb_build_object(
    'customers', jsonb_build_array(customer.id), 'users', to_jsonb(users), 'orders', to_jsonb(orders),
    'addresses', to_jsonb(array_remove(array[address], null)), 'events', to_jsonb(events),
    'deliveries', to_jsonb(deliveries), 'applications', to_jsonb(applications),
    -- An order's record has its customer, but records of its parts, parcels and notes only have the order.
    'words', to_jsonb(array_remove(array[customer.id::text, address], null) || orders::text[])
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.lease_batch_of_mails (
  batch integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  most_bytes constant bigint := private.cap('dispatch_bytes') / 2;
  due constant public.mails[] := array(select m from private.hold_due_mails(lease_batch_of_mails.batch) m);
  taken uuid[] := '{}'::uuid[];
  mails jsonb := jsonb_build_array();
  bytes bigint := 0;
  exceeded text;
  content jsonb;
  mail public.mails;
  lease uuid;
begin
  perform private.hold_mail_counts(due);
  foreach mail in array due loop
    exceeded := private.admit_mail(mail);
    if exceeded is not null then
      perform private.end_mail(mail.id, 'suppressed', exceeded, was_tried => false);
      continue;
    end if;
    content := private.mail_to_send(mail);
    bytes := bytes + octet_length(content::text);
    exit when bytes > most_bytes and taken <> '{}';
    mails := mails || content;
    taken := taken || mail.id;
  end loop;
  lease := private.lease_jobs(array(select j from private.jobs j where j.queue = 'mails' and j.subject_id = any (taken)));
  return (
    select jsonb_agg(m.mail || jsonb_build_object('lease', lease) order by m.position)
    from jsonb_array_elements(mails) with ordinality as m (mail, position)
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.lease_export()
  RETURNS private.jobs
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  job private.jobs;
begin
  loop
    job := private.held_export();
    exit when job.subject_id is null;
    if not private.may_still_export(job.subject_id) then
      perform private.end_export(job.subject_id, 'The member who asked for the export may no longer see these rows.');
    elsif private.is_last_attempt(job) then
      perform private.give_up_export(job.subject_id);
    else
      job.lease := private.lease_jobs(array[job]);
      update public.exports e set status = 'running' where e.id = job.subject_id and e.status = 'queued';
      return job;
    end if;
  end loop;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.lease_jobs (
  held private.jobs[]
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  new_lease constant uuid := gen_random_uuid();
  moment constant timestamptz := clock_timestamp();
begin
  update private.jobs j
  set lease = new_lease, leased_until = moment + q.lease, due_at = moment + q.lease, attempts = j.attempts + 1
  from unnest(held) h
  join private.queues q on q.queue = h.queue
  where j.queue = h.queue and j.subject_id = h.subject_id and j.tenant_id = h.tenant_id;
  return new_lease;
end
$function$;

CREATE OR REPLACE FUNCTION private.lease_mails (
  batch integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  taken jsonb;
begin
  if lease_mails.batch > 0 then
    -- The dispatcher stops at an empty list, which mails that have ended do not mean.
    for round in 1..10 loop
      taken := private.lease_batch_of_mails(lease_mails.batch);
      if taken is not null then
        return taken;
      end if;
      exit when not exists (select from private.due_jobs('{mails}', 1));
    end loop;
  end if;
  perform private.wake_for_jobs('{mails}');
  return '[]'::jsonb;
end
$function$;

CREATE OR REPLACE FUNCTION private.lease_webhook_deliveries (
  dispatcher  uuid,
  done        jsonb,
  batch       integer,
  room        bigint  DEFAULT NULL::bigint,
  with_bodies boolean DEFAULT true
)
  RETURNS TABLE (
    id           uuid,
    webhook_id   uuid,
    url          text,
    event        text,
    body         text,
    bytes        integer,
    secrets      text[],
    headers      jsonb,
    leased_until timestamp with time zone
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
#variable_conflict use_column
declare
  shares private.shares := private.shares_of(batch, room);
  ahead jsonb := private.ahead_of(lease_webhook_deliveries.done);
  held uuid[];
  moment timestamptz;
begin
  perform private.record_attempts(lease_webhook_deliveries.done);
  if lease_webhook_deliveries.batch < 1 then
    perform private.sweep_webhook_deliveries();
    return;
  end if;
  perform private.end_leases();
  if shares.bytes < 1 then
    return;
  end if;
  held := private.hold_webhooks(shares, ahead, batch);
  if held = '{}' then
    return;
  end if;

  moment := clock_timestamp();
  return query
  with fitting as materialized (
    select f.*
    from private.deliveries_that_fit(held, lease_webhook_deliveries.dispatcher, batch, shares, ahead, moment) f
  ),
  taken as (
    -- Deleted by row address, which is valid within this statement and reads nothing else, however old the statistics.
    delete from private.webhook_queue q
    where q.ctid = any (array(select f.place_in_queue from fitting f))
    returning q.delivery_id
  ),
  leased as (
    insert into private.webhook_leases (tenant_id, webhook_id, delivery_id, dispatcher, leased_until, bytes)
    select
      f.tenant_id, f.webhook_id, f.id, lease_webhook_deliveries.dispatcher, moment + interval '1 minute', f.bytes
    from fitting f
    -- A hashed lookup. Without `is true` Postgres might plan a join that compares each row with each.
    where (f.id in (select t.delivery_id from taken t)) is true
    -- A delivery that was sent again by hand while it is in flight has a lease already.
    on conflict do nothing
    returning delivery_id
  ),
  receivers as materialized (
    select w.id, w.url, s.secrets, s.headers
    from public.webhooks w
    cross join lateral private.webhook_signing(w.id) s
    where w.id = any (held)
  )
  select
    f.id, f.webhook_id, r.url, f.event,
    case
      when lease_webhook_deliveries.with_bodies
        then (
          select e.payload::text
          from public.events e
          where e.tenant_id = f.tenant_id and e.created_at = f.event_at and e.id = f.event_id
        )
    end,
    f.bytes, r.secrets, r.headers, moment + interval '1 minute'
  from fitting f
  join receivers r on r.id = f.webhook_id
  where (f.id in (select l.delivery_id from leased l)) is true;
end
$function$;

CREATE OR REPLACE FUNCTION private.leased_export (
  export_id uuid,
  lease     uuid
)
  RETURNS private.jobs
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  job private.jobs;
begin
  -- The export comes before its job, as when it is deleted: the other order could deadlock.
  perform from public.exports e where e.id = leased_export.export_id for no key update;
  job := private.leased_job('small_exports', leased_export.export_id, leased_export.lease);
  if job.lease is null then
    job := private.leased_job('large_exports', leased_export.export_id, leased_export.lease);
  end if;
  return job;
end
$function$;

CREATE OR REPLACE FUNCTION private.leased_job (
  queue      text,
  subject_id uuid,
  lease      uuid
)
  RETURNS private.jobs
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  job private.jobs;
begin
  select j.* into job
  from private.jobs j
  where j.queue = leased_job.queue and j.subject_id = leased_job.subject_id and j.lease = leased_job.lease
  for update;
  return job;
end
$function$;

CREATE OR REPLACE FUNCTION private.list_auctions (
  category_id uuid,
  placement   text,
  campaign_id uuid,
  "order"     text,
  size        integer,
  skipped     bigint
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_custom_plan'
  AS $function$
declare
  tenant constant uuid := private.tenant_id();
begin
  perform private.require_permission('auctions.read', 'Your role may not read auctions.');
  return (
    with wanted as not materialized (
      select a.id, a.placement, a.category_id, a.region, a.held_at, a.size, a.candidates
      from private.auctions a
      where a.tenant_id = tenant
        and (list_auctions.category_id is null or a.category_id = list_auctions.category_id)
        and (list_auctions.placement is null or a.placement = list_auctions.placement)
        and (
          list_auctions.campaign_id is null
          or a.candidates @> jsonb_build_array(jsonb_build_object('campaign_id', list_auctions.campaign_id))
        )
    )
    select jsonb_build_object(
      'auctions', (
        select coalesce(
          jsonb_agg(
            to_jsonb(w) - '{candidates,position}'::text[] || jsonb_build_object(
              'candidate_count', jsonb_array_length(w.candidates),
              'placed_count', jsonb_array_length(
                jsonb_path_query_array(w.candidates, '$[*] ? (@.position != null)')
              )
            )
            order by w.position
          ),
          '[]'
        )
        from (
          select w.*, row_number() over () as position
          from (
            select *
            from wanted
            -- The plan is made for the actual arguments: one of the two expressions is a constant, and an index has the
            -- other.
            order by
              case "order" when 'asc' then held_at end, case "order" when 'desc' then held_at end desc, id
            limit list_auctions.size offset skipped
          ) as w
        ) as w
      ),
      'total', (select count(*) from wanted)
    )
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.list_customer_addresses()
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  own constant public.customers := private.own_customer('addresses.read');
begin
  return jsonb_build_object(
    'addresses', coalesce(
      (
        select jsonb_agg(private.address_record(a) order by a.is_default desc, a.created_at, a.id)
        from private.customer_addresses a
        where a.tenant_id = own.tenant_id and a.customer_id = own.id
      ),
      '[]'
    )
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.list_drafts (
  type           text,
  status         public.content_status,
  marketplace_id uuid,
  search         text,
  language       text,
  "order"        text,
  size           integer,
  skipped        bigint
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  condition text := 'c.tenant_id = $1 and c.type = $2'
    || case when private.content_roles() = '{}' then ' and c.supplier_id = $3' else '' end
    || case when status is null then '' else ' and c.status = $4' end
    || case when marketplace_id is null then '' else ' and c.marketplace_id = $5' end
    || case when search is null then '' else ' and (c.slug like $6 or lower(c.title::text) like $6)' end;
  -- Search results and the content of a supplier are few, so they are counted row by row.
  is_counted boolean := search is null and private.content_roles() <> '{}';
  ids uuid[];
  total bigint;
begin
  execute format(
    $query$
      select
        array(select c.id from public.content c where %1$s order by c.updated_at %2$s, c.id offset $7 limit $8),
        %3$s
    $query$,
    condition, case "order" when 'asc' then 'asc' else 'desc' end,
    case when is_counted then 'private.number_of_drafts($2, $4, $5)'
      else format('(select count(*) from public.content c where %s)', condition)
    end
  )
  into ids, total
  using
    private.tenant_id(), type, private.supplier_id('content.write'), status, marketplace_id, private.part_pattern(search), skipped, size;
  perform private.bound_content_page((
    select sum(v.bytes)
    from public.content c
    join private.content_versions v on v.content_id = c.id and v.version_number = c.version_number
    where c.id = any (ids)
  ));
  return jsonb_build_object('total', total, 'content', (
    select coalesce(jsonb_agg(private.draft_record(c, language => list_drafts.language) order by shown.position), '[]')
    from unnest(ids) with ordinality as shown (id, position)
    join public.content c on c.id = shown.id
  ));
end
$function$;

CREATE OR REPLACE FUNCTION private.list_licence_keys (
  product_id uuid,
  variant_id uuid,
  status     text,
  "order"    text,
  page       integer,
  "limit"    integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  product public.products := private.managed_product(list_licence_keys.product_id, 'digital_goods.read');
  size integer := least(greatest("limit", 1), 1000);
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  condition text := 'k.tenant_id = $1 and k.product_id = $2'
    || case when list_licence_keys.variant_id is null then '' else ' and k.variant_id = $3' end
    || case list_licence_keys.status
         when 'available' then ' and k.order_item_id is null'
         when 'handed_out' then ' and k.order_item_id is not null and k.revoked_at is null'
         when 'revoked' then ' and k.revoked_at is not null'
         else ''
       end;
  answer jsonb;
begin
  if list_licence_keys.status not in ('available', 'handed_out', 'revoked') then
    perform private.refuse(
      'VALIDATION_ERROR', 'status must be available, handed_out or revoked.', 'status', to_jsonb(list_licence_keys.status)
    );
  end if;
  execute $query$
    with shown as (
      select k.* from public.licence_keys k
      where $query$ || condition || $query$
      order by k.created_at $query$ || direction || $query$, k.id
      offset $4 limit $5
    )
    select jsonb_build_object(
      'licence_keys', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'id', k.id, 'product_id', k.product_id, 'variant_id', k.variant_id, 'code', k.masked_code,
              'status', case
                when k.order_item_id is null then 'available'
                when k.revoked_at is null then 'handed_out'
                else 'revoked'
              end,
              'order_id', k.order_id, 'item_id', k.order_item_id,
              'handed_out_at', k.handed_out_at, 'revoked_at', k.revoked_at, 'created_at', k.created_at
            )
            order by k.created_at $query$ || direction || $query$, k.id
          ),
          '[]'
        )
        from shown k
      ),
      'total', (select count(*) from public.licence_keys k where $query$ || condition || $query$)
    )
  $query$
  into answer
  using product.tenant_id, product.id, list_licence_keys.variant_id, (greatest(page, 1)::bigint - 1) * size, size;
  return answer || jsonb_build_object('counts', private.licence_key_counts(product.tenant_id, product.id));
end
$function$;

CREATE OR REPLACE FUNCTION private.list_templates (
  type           public.page_type,
  marketplace_id uuid,
  search         text,
  "order"        text,
  size           integer,
  skipped        bigint
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  is_writer boolean := private.content_roles() <> '{}';
  shown_marketplaces uuid[] := case private.scope('templates.read') when 'own' then private.active_marketplace_ids() end;
  condition text := 't.tenant_id = $1'
    || case
      when is_writer then ''
      when not private.reads_templates_of(null) then ' and false'
      else ' and t.active_version is not null and ($7 is null or t.marketplace_id is null or t.marketplace_id = any ($7))'
    end
    || case when type is null then '' else ' and t.type = $2' end
    || case when marketplace_id is null then '' else ' and t.marketplace_id = $3' end
    || case when search is null then '' else ' and lower(t.name) like $4' end;
  ids uuid[];
  total bigint;
begin
  execute format(
    $query$
      select
        array(select t.id from public.templates t where %1$s order by t.updated_at %2$s, t.id offset $5 limit $6),
        (select count(*) from public.templates t where %1$s)
    $query$,
    condition, case "order" when 'asc' then 'asc' else 'desc' end
  )
  into ids, total
  using private.tenant_id(), type, marketplace_id, private.part_pattern(search), skipped, size, shown_marketplaces;
  perform private.bound_content_page((
    select sum(v.bytes)
    from public.templates t
    join private.template_versions v
      on v.tenant_id = t.tenant_id and v.template_id = t.id
        and v.version_number = case when is_writer then t.version_number else t.active_version end
    where t.id = any (ids)
  ));
  return jsonb_build_object('total', total, 'templates', (
    select coalesce(jsonb_agg(private.template_record(t) order by shown.position), '[]')
    from unnest(ids) with ordinality as shown (id, position)
    join public.templates t on t.id = shown.id
  ));
end
$function$;

CREATE OR REPLACE FUNCTION private.list_variants (
  batch private.import_line[]
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  together private.import_line[];
  one private.import_line;
begin
  -- Valid variants of new products are created together. A line that is alone in its batch goes the other way, because
  -- it may have been refused among others, and its error has to name the field.
  together := array(
    select b
    from unnest(batch) as b
    where cardinality(batch) > 1
      and 'variants' = any (b.changed) and b.current is null and b.tracked
      and jsonb_typeof(b.line -> 'variants') = 'array'
      and (
        select count(distinct private.folded_name(v.value ->> 'name')) = count(*)
          and count(distinct v.value ->> 'sku') = count(v.value ->> 'sku')
        from jsonb_array_elements(b.line -> 'variants') as v (value)
      )
    order by b.position
  );
  if together <> '{}' then
    execute $query$
      insert into public.product_variants (id, product_id, name, sku, price, compare_at_price, position)
      select
        gen_random_uuid(), b.product_id, v.value ->> 'name', v.value ->> 'sku', (v.value ->> 'price')::numeric,
        (v.value ->> 'compare_at_price')::numeric, v.position
      from unnest($1) as b
      cross join lateral jsonb_array_elements(b.line -> 'variants') with ordinality as v (value, position)
      order by b.position, v.position
    $query$
    using together;
    execute $query$
      update public.inventory i
      set quantity = (w.value ->> 'quantity')::integer
      from unnest($1) as b
      cross join lateral jsonb_array_elements(b.line -> 'variants') with ordinality as w (value, position)
      join public.product_variants v
        on v.tenant_id = $2 and v.product_id = b.product_id and v.position = w.position
      where i.tenant_id = $2 and i.product_id = v.product_id and i.variant_id = v.id
        and i.quantity <> (w.value ->> 'quantity')::integer
    $query$
    using together, private.tenant_id();
  end if;
  for one in
    select b.*
    from unnest(batch) as b
    where 'variants' = any (b.changed)
      and b.position <> all (array(select t.position from unnest(together) as t))
    order by b.position
  loop
    perform private.import_variants(one.product_id, one.line -> 'variants');
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.lock_for_order (
  buyer    uuid,
  items    jsonb,
  replaces uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  tenant uuid := private.tenant_id();
begin
  if private.scope('orders.place') = 'own' then
    -- Parallel checkouts of a customer wait for each other, because each counts what the others reserve.
    perform private.hold('reservations', format('%s %s', tenant, buyer));
  end if;
  if replaces is null then
    perform private.lock_stock(tenant, items);
  else
    perform private.free_replaced(private.replaced_order(replaces, buyer), items);
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.lock_import_turn (
  tenant uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Imports of a tenant run one at a time, because two imports of the same records could deadlock. The second one is
  -- refused at once: while it waited, it would hold a connection that other tenants need.
  if not private.try_hold('import', tenant::text) then
    perform private.refuse_for_now('Another import of this tenant is running. Try again when it has finished.');
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.locked_person (
  customer_id uuid,
  permission  text
)
  RETURNS public.customers
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  customer public.customers;
begin
  if private.scope(permission) is null then
    perform private.refuse('FORBIDDEN', 'Your role may not do this with customers.');
  end if;
  select c.* into customer
  from public.customers c
  where c.tenant_id = private.tenant_id() and c.id = locked_person.customer_id
    and case private.scope(permission)
      when 'all' then c.is_listed
      when 'own' then c.id = private.customer_id()
    end
  -- An order locks its customer, so none is placed meanwhile.
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such customer.');
  end if;
  return customer;
end
$function$;

CREATE OR REPLACE FUNCTION private.locked_return_request (
  order_id   uuid,
  request_id uuid,
  answered   boolean
)
  RETURNS public.return_requests
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  locked public.return_requests;
begin
  if answered then
    perform private.require_permission('returns.answer', 'Only its supplier and admins may answer a return request.');
  else
    perform private.require_permission(
      'returns.request', 'Only the customer, clients and admins may cancel a return request.'
    );
  end if;
  perform private.seen_order(locked_return_request.order_id);
  perform 1 from public.orders o where o.id = locked_return_request.order_id for update;
  select * into locked
  from public.return_requests r
  where r.tenant_id = private.tenant_id()
    and r.order_id = locked_return_request.order_id
    and r.id = locked_return_request.request_id
    and (not answered or private.scope('returns.answer') = 'all' or r.supplier_id = private.supplier_id());
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such return request.');
  end if;
  return locked;
end
$function$;

CREATE OR REPLACE FUNCTION private.lowest_price_30d (
  product_id uuid,
  price      numeric,
  variant_id uuid    DEFAULT NULL::uuid,
  own_price  numeric DEFAULT NULL::numeric
)
  RETURNS numeric
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  present constant numeric := coalesce(own_price, price);
begin
  return (
    with period as materialized (
      select p.price, p.began_at, p.ended_at
      from private.price_periods(product_id, variant_id, variant_id is not null and own_price is null) as p
    ),
    -- A variant's own price and the product's may be the same, one after the other: the present price began when the last other
    -- price ended.
    beginning as (
      select max(p.ended_at) as at from period p where p.price <> present
    )
    select min(p.price)
    from period p
    cross join beginning b
    -- In hours, because the length of a day depends on the time zone of the session.
    where p.began_at < b.at and p.ended_at > b.at - interval '720 hours'
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.mail_items (
  items       jsonb,
  order_items jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select jsonb_agg(
    jsonb_build_object(
      'name', o.value -> 'name', 'price', o.value -> 'price',
      'amount', (o.value ->> 'price')::numeric * (i.value ->> 'quantity')::integer
    ) || i.value
    order by i.position
  )
  from jsonb_array_elements(items) with ordinality as i (value, position)
  left join jsonb_array_elements(order_items) as o (value) on o.value ->> 'id' = i.value ->> 'item_id'
$function$;

CREATE OR REPLACE FUNCTION private.mail_kinds_on (
  tenant_id uuid,
  event     text,
  status    text
)
  RETURNS TABLE (
    template text,
    is_own   boolean,
    audience public.mail_audience
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select l.key, false, l."to"
  from private.mail_kinds l
  where l.event = mail_kinds_on.event and (l.status is null or l.status = mail_kinds_on.status)
  union all
  select t.key, true, t."to"
  from public.email_templates t
  where t.tenant_id = mail_kinds_on.tenant_id and t.trigger_events <> '{}' and mail_kinds_on.event = any (t.trigger_events)
$function$;

CREATE OR REPLACE FUNCTION private.mail_marketplace (
  shop public.marketplaces
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'id', shop.id, 'name', shop.name, 'domain', shop.domain, 'currency', shop.currency, 'language', shop.language,
    'settings', jsonb_build_object('branding', shop.settings -> 'branding'),
    'reply_to', shop.settings #>> '{business,reply_to}'
  )
$function$;

CREATE OR REPLACE FUNCTION private.mail_order (
  details jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  with item as materialized (
    select
      i.value as item, i.position, (i.value ->> 'price')::numeric as price,
      n.shipped_quantity - n.delivered_quantity - n.lost_quantity as sent,
      n.cancelled_quantity as cancelled, n.returned_quantity as returned, n.lost_quantity as lost,
      n.quantity - n.cancelled_quantity - n.returned_quantity - n.lost_quantity as kept
    from jsonb_array_elements(details -> 'items') with ordinality as i (value, position)
    cross join lateral jsonb_to_record(i.value) as n (
      quantity integer, shipped_quantity integer, delivered_quantity integer, cancelled_quantity integer,
      returned_quantity integer, lost_quantity integer
    )
  ),
  delivery as (
    select
      coalesce(sum(p.delivery_amount) filter (where p.delivery_owed), 0) as owed,
      coalesce(sum(p.delivery_amount) filter (where p.status = 'cancelled'), 0) as cancelled
    from jsonb_to_recordset(details -> 'parts') as p (status text, delivery_owed boolean, delivery_amount numeric)
  )
  select details || jsonb_build_object(
    'sent_items',
      coalesce(jsonb_agg(private.mail_pieces(i.item, i.sent) order by i.position) filter (where i.sent > 0), '[]'),
    'cancelled_items',
      coalesce(jsonb_agg(private.mail_pieces(i.item, i.cancelled) order by i.position) filter (where i.cancelled > 0), '[]'),
    'returned_items',
      coalesce(jsonb_agg(private.mail_pieces(i.item, i.returned) order by i.position) filter (where i.returned > 0), '[]'),
    'lost_items',
      coalesce(jsonb_agg(private.mail_pieces(i.item, i.lost) order by i.position) filter (where i.lost > 0), '[]'),
    'cancelled_amount', sum(i.price * i.cancelled) + min(d.cancelled), 'cancelled_delivery', min(d.cancelled),
    'returned_amount', sum(i.price * i.returned), 'lost_amount', sum(i.price * i.lost),
    'owed_amount', sum(i.price * i.kept) + min(d.owed), 'owed_delivery', min(d.owed)
  )
  from item i
  cross join delivery d
$function$;

CREATE OR REPLACE FUNCTION private.mail_part (
  details     jsonb,
  supplier_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  with part as (
    select p.value as part
    from jsonb_array_elements(details -> 'parts') as p (value)
    where p.value ->> 'supplier_id' = supplier_id::text
  )
  select (
    -- Named one by one: a new field of orders is not shown to a supplier by mistake.
    select coalesce(jsonb_object_agg(f.key, f.value), '{}')
    from jsonb_each(details) as f
    where f.key in (
      'id', 'marketplace_id', 'number', 'payment_status', 'currency', 'delivery_method', 'shipping_address', 'contact',
      'language', 'created_at', 'created_at_local'
    )
  ) || jsonb_build_object(
    'status', (select part.part -> 'status' from part),
    'subtotal_amount', (select part.part -> 'subtotal' from part),
    'delivery_amount', (select part.part -> 'delivery_amount' from part),
    'total_amount', (
      select (part.part ->> 'subtotal')::numeric + (part.part ->> 'delivery_amount')::numeric from part
    ),
    'parts', (select coalesce(jsonb_agg(part.part), '[]') from part),
    'items', (
      select coalesce(jsonb_agg(i.value order by i.position), '[]')
      from jsonb_array_elements(details -> 'items') with ordinality as i (value, position)
      where i.value ->> 'supplier_id' = supplier_id::text
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.mail_pieces (
  item   jsonb,
  pieces integer
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
RETURN (item || jsonb_build_object('quantity', pieces, 'amount', (((item ->> 'price'::text))::numeric * (pieces)::numeric)));

CREATE OR REPLACE FUNCTION private.mail_subject (
  mail public.mails
)
  RETURNS bytea
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.mail_subject(case when mail.is_for_members then 'member' else 'address' end, mail."to")
$function$;

CREATE OR REPLACE FUNCTION private.mail_to_send (
  mail public.mails
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return (
    select jsonb_build_object(
      'id', mail.id, 'to', mail."to", 'name', mail.name, 'template', mail.template,
      'is_test', mail.is_test,
      'languages', mail.languages,
      'content', (
        select jsonb_build_object('subject', c.subject, 'html', c.html, 'text', c.text)
        from private.mail_contents c
        where c.mail_id = mail.id
      ),
      'own', (
        select jsonb_build_object('subject', t.subject, 'html_content', t.html_content, 'text_content', t.text_content)
        from public.email_templates t
        where t.tenant_id = mail.tenant_id and t.key = mail.template and n.mail_status = 'approved'
      ),
      'tenant', jsonb_build_object('name', n.name),
      'time_zone', n.time_zone,
      'marketplace', (
        select private.mail_marketplace(m)
        from public.marketplaces m
        where m.tenant_id = mail.tenant_id and m.id = mail.marketplace_id
      ),
      'variables', private.mail_variables(mail),
      'files', case
        when mail.template = 'export_ready' then (
          select to_jsonb(e.files)
          from public.exports e
          where e.tenant_id = mail.tenant_id and e.id = mail.cause_id
        )
      end,
      -- The mails of a tenant are optional, too.
      'unsubscribe_token', case
        when not exists (select from private.mail_kinds l where l.key = mail.template and not l.is_optional)
          then private.unsubscribe_token(mail.tenant_id, mail.template, mail."to")
      end
    )
    from public.tenants n
    where n.id = mail.tenant_id
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.mail_variables (
  mail public.mails
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  event_data jsonb := coalesce(
    (
      select e.payload -> 'data' || jsonb_strip_nulls(jsonb_build_object(
        'old_status', e.payload -> 'old_status', 'new_status', e.payload -> 'new_status'
      ))
      from public.events e
      where e.tenant_id = mail.tenant_id and e.created_at = mail.event_at and e.id = mail.event_id
    ),
    '{}'
  );
begin
  if event_data ? 'order' then
    if mail.is_for_members and mail.variables ? 'supplier' then
      event_data := private.event_of_part(event_data, (mail.variables #>> '{supplier,id}')::uuid);
    end if;
    -- The commissions of suppliers and the notes of members are not for buyers.
    event_data := jsonb_set(
      event_data, '{order}',
      private.mail_order(event_data -> 'order') - '{commissions,notes,history}'::text[]
        || jsonb_build_object('note', event_data #> '{order,history,-1,note}')
    ) || (
      select coalesce(
        jsonb_object_agg(
          d.key,
          d.value || jsonb_build_object(
            'items', private.mail_items(d.value -> 'items', event_data #> '{order,items}')
          )
        ),
        '{}'
      )
      from jsonb_each(event_data) as d
      where d.key in ('shipment', 'cancellation', 'return', 'payment') and jsonb_typeof(d.value -> 'items') = 'array'
    );
  end if;
  return event_data || mail.variables
    || coalesce(
      -- Found by the cause of the mail, not by its variables, which an admin chooses for a test.
      (
        select jsonb_build_object(
          'invitation',
          mail.variables -> 'invitation' || jsonb_build_object('token', private.invitation_token(i.id))
        )
        from public.invitations i
        where i.tenant_id = mail.tenant_id and i.id = mail.cause_id and i.email = mail."to"
          and mail.template = 'invitation'
      ),
      '{}'
    )
    || case
      when not event_data ? 'order' then '{}'
      when mail.is_for_members then
        jsonb_build_object('customer', jsonb_build_object('name', event_data #> '{order,contact,name}'))
      else jsonb_build_object('customer', jsonb_build_object('name', mail.name, 'email', mail."to"))
    end;
end
$function$;

CREATE OR REPLACE FUNCTION private.mails_of_today (
  tenant_id  uuid,
  to_members boolean
)
  RETURNS bigint
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(
    (
      select case when to_members then s.mails_to_members else s.mails end
      from private.mail_senders s
      where s.tenant_id = mails_of_today.tenant_id and s.day = (now() at time zone 'utc')::date
    ),
    0
  )
$function$;

CREATE OR REPLACE FUNCTION private.make_default (
  chosen private.customer_addresses
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update private.customer_addresses a
  set is_default = false
  where a.tenant_id = chosen.tenant_id and a.customer_id = chosen.customer_id and a.is_default and a.id <> chosen.id;
  update private.customer_addresses a
  set is_default = true
  where a.tenant_id = chosen.tenant_id and a.id = chosen.id and not a.is_default;
end
$function$;

CREATE OR REPLACE FUNCTION private.managed_product (
  product_id uuid,
  permission text
)
  RETURNS public.products
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  managed public.products;
begin
  select * into managed
  from public.products p
  where p.tenant_id = private.tenant_id()
    and p.id = managed_product.product_id
    and private.is_shown_to(
      (select private.reach('products.read')), (select private.supplier_id()), (select private.active_marketplace_ids()),
      p.supplier_id, p.marketplace_id, p.status
    );
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such product.');
  elsif private.scope(permission) is null then
    perform private.refuse('FORBIDDEN', 'Only the supplier of the product and admins may do this.');
  end if;
  return managed;
end
$function$;

CREATE OR REPLACE FUNCTION private.may_sell (
  tenant_id      uuid,
  supplier_id    uuid,
  marketplace_id uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return supplier_id is null or exists (
    select
    from public.suppliers s
    where s.tenant_id = may_sell.tenant_id and s.id = may_sell.supplier_id and s.status = 'active'
      and (s.marketplace_ids is null or may_sell.marketplace_id = any (s.marketplace_ids))
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.may_still_export (
  export_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (
    select
    from public.exports e
    join private.export_jobs j on j.export_id = e.id
    join public.members m on m.tenant_id = e.tenant_id and m.user_id = e.asked_by
    where e.id = may_still_export.export_id and m.status = 'active'
      and case private.scope_of('analytics.read', m.role) when 'all' then true when 'own' then m.supplier_id = (j.query).scope.supplier_id end
      and (e.type::text <> 'audit_log' or private.scope_of('audit_log.read', m.role) = 'all')
  )
$function$;

CREATE OR REPLACE FUNCTION private.may_upload (
  name text
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  tenant uuid := private.tenant_id();
begin
  return tenant is not null
    and (private.edits_media() or private.scope('media.write') is not null)
    and name ~ ('^' || tenant || '/[A-Za-z0-9][A-Za-z0-9 _.()-]{0,254}(/[A-Za-z0-9][A-Za-z0-9 _.()-]{0,254}){0,9}$')
    and private.uploads_waiting(tenant) < private.media_bytes_left(tenant);
end
$function$;

CREATE OR REPLACE FUNCTION private.media_upload (
  asset_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.media_assets := private.changed_media(media_upload.asset_id);
begin
  -- A review may have come after the announcement of the new file.
  if asset.status = 'ready' and exists (
    select from private.media_uploads u where u.tenant_id = asset.tenant_id and u.asset_id = asset.id
  ) then
    perform private.check_review_of_media(asset);
  end if;
  return jsonb_build_object(
    'asset', private.media_record(asset),
    'upload', (
      select jsonb_build_object(
        'id', u.id, 'path', u.path, 'size', u.size, 'content_type', u.content_type,
        'accepts', (
          select jsonb_object_agg(other.content_type, other.extension)
          from private.media_types other
          where other.type = t.type
        ),
        'copy_to', case when asset.private then 'documents' else 'media' end,
        -- Private files are saved, and sold, as they were sent.
        'keep_metadata', asset.private or (
          select private.keeps_metadata(n.settings) from public.tenants n where n.id = asset.tenant_id
        ),
        'transformations', s.transformations
      )
      from private.media_uploads u
      join private.media_types t on t.content_type = u.content_type
      cross join private.media_settings s
      where u.tenant_id = asset.tenant_id and u.asset_id = asset.id
    )
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.members_to_notify (
  tenant_id      uuid,
  supplier_id    uuid,
  marketplace_id uuid
)
  RETURNS SETOF private.recipient
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return query
  select r.*
  from (
    select m.email, m.name, private.account_language(u.raw_user_meta_data) as language
    from public.members m
    join auth.users u on u.id = m.user_id
    where m.tenant_id = members_to_notify.tenant_id
      and m.status = 'active'
      and not m.is_key
      and case
        when members_to_notify.supplier_id is null then m.role = 'admin'
        else m.role = 'supplier' and m.supplier_id = members_to_notify.supplier_id
      end
      and private.is_email(m.email)
    order by m.created_at, m.user_id
    limit private.cap('mail_recipients')
  ) m
  cross join lateral private.recipient(
    members_to_notify.tenant_id, m.email, m.name, m.language, members_to_notify.marketplace_id
  ) r;
end
$function$;

CREATE OR REPLACE FUNCTION private.mend_search (
  progress text
)
  RETURNS text
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  started timestamptz := coalesce((progress::jsonb ->> 'started')::timestamptz, now());
  tenant uuid := (progress::jsonb ->> 'tenant_id')::uuid;
  last uuid := (progress::jsonb ->> 'product_id')::uuid;
begin
  if last is null then
    -- The order differs each day, so that no tenant is always left out.
    tenant := (
      select t.id
      from public.tenants t
      where now() < started + interval '10 minutes'
        and (tenant is null or md5(t.id::text || started) > md5(tenant::text || started))
      order by md5(t.id::text || started)
      limit 1
    );
    if tenant is null then
      return null;
    end if;
    perform private.delete_old_search_words(tenant);
    last := '00000000-0000-0000-0000-000000000000';
  else
    last := private.find_outdated_texts(tenant, last);
  end if;
  return jsonb_build_object('started', started, 'tenant_id', tenant, 'product_id', last)::text;
end
$function$;

CREATE OR REPLACE FUNCTION private.mentions (
  value text,
  words text[]
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Cut into words once, because there may be many to look for. a@b.example is not in aa@b.example, nor in a@b.example.com;
  -- but it is in 'a@b.example'! and <a@b.example>.
  select array(
    select unnest(array[cut.word, ltrim(cut.word, '*/=''`{|~')])
    from regexp_matches(lower(value), '[[:alnum:].!#$%&''*+/=?^_`{|}~@-]+', 'g') as m (word)
    cross join rtrim(m.word[1], '.!#$%&''*+/=?^_`{|}~-') as cut (word)
  ) && words
$function$;

CREATE OR REPLACE FUNCTION private.move_content (
  content public.content,
  move    text,
  comment text
)
  RETURNS public.content
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  before public.content_status := content.status;
  rule private.content_move_rules;
begin
  select * into rule
  from private.content_move_rules r
  where r.move = move_content.move
    -- The draft may have changed since the publication that is archived.
    and (r.from_status = content.status or r.move = 'archive' and content.published_version_number is not null);
  if not found then
    perform private.refuse(
      'INVALID_TRANSITION', format('Content that is %s has no move %s.', content.status, move), 'move', to_jsonb(move)
    );
  end if;
  perform private.insist_on_mover(content, move);
  perform private.check_move_comment(comment);
  if move in ('submit', 'approve', 'publish') then
    perform private.check_required_fields(content);
  end if;
  if move = 'approve' then
    perform private.insist_on_four_eyes(content);
  end if;
  update public.content c
  set status = rule.to_status, updated_at = now(), deleted_at = case move when 'restore' then null else c.deleted_at end
  where c.id = content.id
  returning * into content;
  perform private.record_move(content, move, before, comment);
  return case move
    when 'publish' then private.publish_draft(content)
    when 'archive' then private.withdraw(content)
    when 'reject' then private.unscheduled(content)
    else content
  end;
end
$function$;

CREATE OR REPLACE FUNCTION private.move_orders (
  tenant_id uuid,
  from_id   uuid,
  to_id     uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant constant uuid := move_orders.tenant_id;
  moved constant uuid[] := array(
    select o.id from public.orders o where o.tenant_id = move_orders.tenant_id and o.customer_id = from_id
  );
begin
  if moved = '{}' then
    return;
  end if;
  update public.orders o set customer_id = to_id where o.tenant_id = tenant and o.id = any (moved);
  update public.order_parts p set customer_id = to_id where p.tenant_id = tenant and p.order_id = any (moved);
  update public.shipments s set customer_id = to_id where s.tenant_id = tenant and s.order_id = any (moved);
  update public.return_requests r set customer_id = to_id where r.tenant_id = tenant and r.order_id = any (moved);
  update public.bookings b set customer_id = to_id where b.tenant_id = tenant and b.order_id = any (moved);
  update private.sales s set customer_id = to_id where s.tenant_id = tenant and s.order_id = any (moved);
  perform private.redraw_sales_of_moved(tenant);
end
$function$;

CREATE OR REPLACE FUNCTION private.move_translation (
  content  public.content,
  language text,
  status   public.translation_status
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  localization public.content_localizations := private.localization_of(content, language);
  states constant public.translation_status[] := enum_range(null::public.translation_status);
  step integer := array_position(states, status) - array_position(states, localization.status);
begin
  if (step in (1, -1) or step < 0 and status = 'draft') is not true then
    perform private.refuse(
      'INVALID_TRANSITION', format('A translation cannot go from %s to %s.', localization.status, status),
      'status', to_jsonb(status)
    );
  end if;
  perform private.insist_on_role(content, 'move this translation', private.role_for_translation(localization.status, status));
  if status = 'approved' and step > 0 then
    perform private.insist_on_other_translator(content, localization);
  end if;
  update public.content_localizations l
  set status = move_translation.status, last_updated = now(),
      published_version_number = case
        when move_translation.status = 'published' then content.version_number
        when localization.status = 'published' then null
        else l.published_version_number
      end,
      -- Who sends it to review, or approves it, confirms it for the original of now.
      original_version_number = case when step > 0 and move_translation.status in ('review', 'approved')
        then content.original_version_number else l.original_version_number
      end,
      -- Once it was moved back, or published by itself, it does not return with the original.
      withdrawn_version_number = case when step > 0 and move_translation.status <> 'published' then l.withdrawn_version_number end
  where l.id = localization.id;
  if 'published' in (status, localization.status) then
    content := private.unscheduled(content, array[language]);
  end if;
  if content.published_version_number is not null and (status = 'published' or localization.status = 'published') then
    update public.published_content p set published_at = now() where p.content_id = content.id and status = 'published';
    perform private.write_published_texts(content);
  end if;
  perform private.record_content_assets(content);
end
$function$;

CREATE OR REPLACE FUNCTION private.needs_own_template (
  mail public.mails
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select mail.is_test or not exists (select from private.mail_kinds l where l.key = mail.template)
$function$;

CREATE OR REPLACE FUNCTION private.needs_review (
  tenant_id   uuid,
  supplier_id uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return case private.seller_setting(tenant_id, 'product_review')
    when 'none' then false
    when 'all' then supplier_id is not null
    else exists (
      select
      from public.suppliers s
      where s.tenant_id = needs_review.tenant_id and s.id = needs_review.supplier_id and not s.verified
    )
  end;
end
$function$;

CREATE OR REPLACE FUNCTION private.needs_safety (
  product public.products
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return product.kind = 'physical' and product.safety -> 'manufacturer' is null and exists (
    select
    from public.marketplaces m
    where m.tenant_id = product.tenant_id and m.id = product.marketplace_id
      and m.settings -> 'business' -> 'require_safety' = 'true'
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.next_order_number()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Orders of one marketplace wait for each other from here to their commit, which is the price of numbers without
  -- gaps. Their stock is reserved before.
  insert into private.order_numbers as n (tenant_id, marketplace_id, last_number)
  values (new.tenant_id, new.marketplace_id, 1)
  on conflict (tenant_id, marketplace_id) do update set last_number = n.last_number + 1
  returning n.last_number into new.number;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.order_downloads (
  order_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  target public.orders := private.seen_order(order_downloads.order_id);
begin
  perform private.require_permission('downloads.read', 'Only the customer of an order, clients and admins may read its downloads.');

  if private.is_void(target.status)
    or target.payment_status = 'refunded'
    -- A reversed payment also ends access to goods that were delivered. A payment that never arrived does not.
    or target.payment_reversed_at is not null
    or target.payment_status <> 'paid' and not private.is_sent(target.status)
  then
    return '{"files": [], "licence_keys": []}'::jsonb;
  end if;
  return jsonb_build_object(
    'files', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'id', f.id, 'item_id', i.id, 'product_id', f.product_id, 'name', f.name, 'url', f.url,
            'path', private.file_path(f), 'size_bytes', f.size_bytes, 'sha256', f.sha256
          )
          order by i.position, f.created_at, f.id
        ),
        '[]'
      )
      from public.order_items i
      join public.product_files f on f.tenant_id = i.tenant_id and f.product_id = i.product_id
      where i.tenant_id = target.tenant_id and i.order_id = target.id and i.sold_quantity > 0
    ),
    'licence_keys', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'item_id', i.id, 'product_id', k.product_id, 'variant_id', k.variant_id, 'code', c.code
          )
          order by i.position, k.created_at, k.id
        ),
        '[]'
      )
      from public.order_items i
      join public.licence_keys k
        on k.tenant_id = i.tenant_id and k.order_id = i.order_id and k.order_item_id = i.id and k.revoked_at is null
      join private.licence_codes c
        on c.tenant_id = k.tenant_id and c.product_id = k.product_id and c.licence_key_id = k.id
      where i.tenant_id = target.tenant_id and i.order_id = target.id
    )
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.order_lines (
  tenant          uuid,
  marketplace_id  uuid,
  items           jsonb,
  delivery_method text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  lines jsonb;
begin
  with sent as (
    select
      sent.position, sent.value,
      (sent.value ->> 'product_id')::uuid as product_id, (sent.value ->> 'variant_id')::uuid as variant_id,
      (sent.value ->> 'quantity')::integer as quantity, (sent.value ->> 'price')::numeric as price,
      (sent.value ->> 'starts_at')::timestamptz as starts_at
    from jsonb_array_elements(items) with ordinality as sent (value, position)
  ),
  -- Looked up by id alone. With a condition on the marketplace, Postgres might read all its products.
  named as materialized (
    select
      p.id, p.tenant_id, p.marketplace_id, private.is_orderable(p) as is_orderable, p.supplier_id, p.name, p.price, p.track_inventory,
      p.kind = 'physical' as is_physical, nullif(p.physical -> 'delivery', 'null') as delivery, (p.physical ->> 'weight_grams')::numeric as grams
    from public.products p
    where p.id = any (array(select sent.product_id from sent))
  ),
  product as materialized (
    select
      p.id, p.supplier_id, p.name, p.price, p.track_inventory, p.is_physical, p.delivery, p.grams,
      exists (
        select 1 from public.product_variants v where v.tenant_id = tenant and v.product_id = p.id
      ) as has_variants
    from named p
    where p.tenant_id = tenant and p.marketplace_id = order_lines.marketplace_id and p.is_orderable
  ),
  variant as materialized (
    select v.id, v.product_id, v.name, v.price
    from public.product_variants v
    where v.tenant_id = tenant and v.product_id = any (array(select p.id from product p where p.has_variants))
  ),
  stock as materialized (
    select i.product_id, i.variant_id, i.quantity - i.reserved as available
    from public.inventory i
    where i.tenant_id = tenant and i.product_id = any (array(select p.id from product p))
  ),
  line as (
    select
      sent.position, sent.value, sent.quantity, sent.price, sent.starts_at,
      p.id as product_id, v.id as variant_id, p.supplier_id, p.is_physical, p.delivery, p.grams * sent.quantity as grams,
      p.name || coalesce(' – ' || v.name, '') as name,
      coalesce(v.price, p.price) as current_price,
      stock.available,
      case
        when p.id is null then 'product_id'
        when v.id is null and (sent.variant_id is not null or p.has_variants) then 'variant_id'
        when sent.quantity is null or sent.quantity <= 0 then 'quantity'
        when sent.price is distinct from coalesce(v.price, p.price) then 'price'
        when not p.delivery ? order_lines.delivery_method then 'delivery'
        when p.track_inventory and stock.available < sum(sent.quantity) over (
          partition by p.id, v.id order by sent.position
        ) then 'inventory'
      end as fault
    from sent
    left join product p on p.id = sent.product_id
    left join variant v on v.product_id = p.id and v.id = sent.variant_id
    left join stock on stock.product_id = p.id and stock.variant_id is not distinct from v.id
  )
  select
    jsonb_agg(
      jsonb_build_object(
        'position', line.position, 'product_id', line.product_id, 'variant_id', line.variant_id,
        'supplier_id', line.supplier_id, 'is_physical', line.is_physical, 'name', line.name, 'quantity', line.quantity,
        -- The current price of the product, which equals the sent one but may be written differently.
        'starts_at', line.starts_at, 'price', line.current_price,
        'fault', line.fault, 'sent', line.value, 'available', line.available
      ) || jsonb_strip_nulls(jsonb_build_object('grams', line.grams, 'delivery', line.delivery))
      order by line.position
    )
  into lines
  from line;
  return lines;
end
$function$;

CREATE OR REPLACE FUNCTION private.ordering_customer (
  customer_id uuid
)
  RETURNS uuid
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  scope private.permission_scope := private.scope('orders.place');
begin
  if scope = 'own' then
    if customer_id is not null and customer_id <> private.customer_id() then
      perform private.refuse(
        'FORBIDDEN', 'customer_id must be your own, or left out.', 'customer_id', to_jsonb(customer_id)
      );
    end if;
    return private.customer_id();
  elsif scope = 'all' then
    if customer_id is null then
      perform private.refuse('VALIDATION_ERROR', 'customer_id is required.', 'customer_id', 'null');
    elsif not exists (
      select 1 from public.customers c
      where c.tenant_id = private.tenant_id() and c.id = ordering_customer.customer_id and c.erased_at is null
    ) then
      perform private.refuse('NOT_FOUND', 'There is no such customer.', 'customer_id', to_jsonb(customer_id));
    end if;
    return customer_id;
  end if;
  perform private.refuse('FORBIDDEN', 'Your role may not place orders.');
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.ordering_marketplace (
  marketplace_id uuid,
  currency       text
)
  RETURNS public.marketplaces
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  site public.marketplaces;
begin
  select * into site
  from public.marketplaces m
  where m.tenant_id = private.tenant_id() and m.id = ordering_marketplace.marketplace_id;
  if site.id is null or (site.status <> 'active' and private.scope('orders.place') = 'own') then
    perform private.refuse(
      'NOT_FOUND', 'There is no such marketplace.', 'marketplace_id', to_jsonb(ordering_marketplace.marketplace_id)
    );
  elsif site.status <> 'active' then
    perform private.refuse(
      'MARKETPLACE_NOT_ACTIVE', 'The marketplace is not open. Activate it first.',
      'marketplace_id', to_jsonb(ordering_marketplace.marketplace_id)
    );
  elsif ordering_marketplace.currency <> site.currency then
    perform private.refuse(
      'VALIDATION_ERROR', format('The marketplace sells in %s. Send that currency, or leave it out.', site.currency),
      'currency', to_jsonb(ordering_marketplace.currency)
    );
  end if;
  return site;
end
$function$;

CREATE OR REPLACE FUNCTION private.own_address (
  address_id uuid,
  customer   public.customers
)
  RETURNS private.customer_addresses
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  own private.customer_addresses;
begin
  select a.* into own
  from private.customer_addresses a
  where a.tenant_id = customer.tenant_id and a.customer_id = customer.id and a.id = own_address.address_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such address.');
  end if;
  return own;
end
$function$;

CREATE OR REPLACE FUNCTION private.own_customer (
  permission text
)
  RETURNS public.customers
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  own public.customers;
begin
  select c.* into own
  from public.customers c
  where c.tenant_id = private.tenant_id() and c.id = private.customer_id() and private.scope(permission) = 'own'
  for update;
  if not found then
    perform private.refuse('FORBIDDEN', 'Only customers keep addresses.');
  end if;
  return own;
end
$function$;

CREATE OR REPLACE FUNCTION private.pending_application (
  application_id uuid
)
  RETURNS public.supplier_applications
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  application public.supplier_applications;
begin
  perform private.require_permission('supplier_applications.decide', 'Only admins may decide on applications.');
  select * into application
  from public.supplier_applications a
  where a.tenant_id = private.tenant_id() and a.id = application_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such application.');
  elsif application.status <> 'pending' then
    perform private.refuse(
      'INVALID_TRANSITION', format('This application is already %s.', application.status), 'status', to_jsonb(application.status)
    );
  end if;
  return application;
end
$function$;

CREATE OR REPLACE FUNCTION private.pending_approval (
  product_id uuid,
  updated_at timestamp with time zone
)
  RETURNS public.product_approvals
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  product public.products;
  approval public.product_approvals;
begin
  perform private.require_permission('products.approve', 'Only admins may review products.');
  select * into product
  from public.products p
  where p.tenant_id = private.tenant_id() and p.id = pending_approval.product_id and p.status <> 'discontinued'
  for no key update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such product.');
  elsif product.updated_at <> pending_approval.updated_at then
    perform private.refuse_outdated('product', jsonb_build_object('updated_at', pending_approval.updated_at));
  end if;
  select * into approval
  from public.product_approvals a
  where a.product_id = product.id and a.tenant_id = product.tenant_id and a.status = 'pending'
  for update;
  if not found then
    perform private.refuse('INVALID_TRANSITION', 'This product does not await a review.');
  end if;
  return approval;
end
$function$;

CREATE OR REPLACE FUNCTION private.people_only (
  act text
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  if private.is_key() then
    perform private.refuse('FORBIDDEN', format('An API key cannot %s. Sign in as an admin or a supplier.', act));
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.permitted_only()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Definer functions and the service role run as other users. They make their own checks.
  if current_user in ('anon', 'authenticated') and private.scope(tg_argv[0]) is null then
    perform private.refuse('FORBIDDEN', 'Your role may not change ' || tg_table_name || '.');
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.place_order (
  marketplace_id   uuid,
  items            jsonb,
  shipping_address jsonb,
  customer_id      uuid,
  delivery_method  text,
  payment_method   text,
  contact          jsonb,
  language         text,
  replaces         uuid,
  currency         text,
  billing_address  jsonb,
  tax_id           text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  for_itself boolean := private.scope('orders.place') = 'own';
  buyer uuid := private.ordering_customer(place_order.customer_id);
  site public.marketplaces := private.ordering_marketplace(place_order.marketplace_id, place_order.currency);
  address jsonb := private.order_address(site.settings, place_order.shipping_address, 'shipping_address');
  billing jsonb := private.order_address(site.settings, place_order.billing_address, 'billing_address');
  offered jsonb;
  lines jsonb;
  shares private.order_share[];
  total numeric;
  placed uuid := gen_random_uuid();
begin
  contact := private.order_contact(site.settings, contact);
  perform private.check_order_items(items);
  offered := private.offered_delivery(site.settings, place_order.delivery_method);
  perform private.check_payment_method(site.settings, place_order.payment_method);
  perform private.check_tax_id(to_jsonb(place_order.tax_id));

  -- Data that is read after these locks does not change before the commit.
  perform private.lock_for_order(buyer, items, place_order.replaces);

  lines := private.order_lines(tenant, site.id, items, place_order.delivery_method);
  perform private.refuse_faulty_line(lines, place_order.delivery_method);
  perform private.check_destination(site.settings, offered, address, lines);

  -- Each list in the record of an order has a limit, as a share of its maximum size. Items and parts together: 3/8,
  -- which is 780 bytes for each of 500 items, or 200 items of 200 suppliers with the longest legal identity (1.4 kB).
  -- Notes: 1/4. Returns: 0.06. Cancellations: 1/32. Reports on the payment: 172 kB, for 200 of them with references of
  -- 200 characters and their items. The other 126 kB are for two addresses of 8 kB, the history, and the commissions of
  -- 500 suppliers (117 kB).
  perform private.bound_record(octet_length(lines::text), 0.375, 'The order is too large. Split it into several orders.', 'items');

  shares := private.shares_of_order(site.settings, offered, lines);
  total := (select sum(s.subtotal + s.delivery_amount) from unnest(shares) as s);
  if total > private.dearest_order(site.currency) then
    perform private.refuse(
      'VALIDATION_ERROR', 'The total of the order is too high. Split it into several orders.', 'items', items
    );
  elsif total > 0 and for_itself then
    perform private.bound_reservations(site, buyer, lines);
  end if;

  perform private.take_stock(tenant, placed, 'reserve', lines);
  -- Before the order, whose foreign key locks the customer too: a guest who registers meanwhile cannot cause a deadlock.
  perform private.record_guest(tenant, buyer, contact, address);

  insert into public.orders (
    id, tenant_id, marketplace_id, customer_id, currency, delivery_method, payment_method, payment_due_at,
    shipping_address, billing_address, tax_id, contact, language
  )
  values (
    placed, tenant, site.id, buyer, site.currency, place_order.delivery_method, place_order.payment_method,
    case when total > 0 then private.payment_deadline(site.settings -> 'business') end,
    address, billing, place_order.tax_id, place_order.contact,
    coalesce(place_order.language, (select c.language from public.customers c where c.tenant_id = tenant and c.id = buyer))
  );

  perform private.write_order_lines(tenant, placed, buyer, shares, lines);

  -- An order with a total of 0 counts as paid, for example so that its digital goods are delivered.
  if total = 0 then
    update public.orders o set payment_status = 'paid' where o.id = placed;
  end if;

  -- Read without the policies, because whoever may place an order may read all of it, except that customers do not see
  -- commissions.
  return private.placed_record(placed) || case when for_itself then '{"commissions": []}' else '{}' end::jsonb;
end
$function$;

CREATE OR REPLACE FUNCTION private.placement_report (
  "from" date,
  "to"   date
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  tenant uuid := private.tenant_id();
  last_date date := coalesce("to", private.today(tenant));
  first_date date := coalesce("from", last_date - 29);
  sums private.placement_sum[];
begin
  perform private.require_permission('placement_revenue.read', 'Your role may not read the revenue of placement.');

  sums := array(select s from private.placement_sums(tenant, first_date, last_date) as s);
  return jsonb_build_object(
    'from', first_date,
    'to', last_date,
    'totals', private.placement_totals(sums),
    'categories', private.placement_by_category(tenant, sums),
    'suppliers', private.placement_by_supplier(tenant, sums),
    'daily', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'date', s.date,
            'currency', s.currency,
            'revenue', s.spend,
            'impressions', s.impressions,
            'clicks', s.clicks,
            'sales_count', s.sales_count,
            'sales_amount', s.sales_amount
          )
          order by s.date, s.currency
        ),
        '[]'
      )
      from unnest(sums) as s
      where s.date is not null
    )
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.placement_results (
  tenant_id uuid,
  events    private.placement_event[],
  answers   private.placement_answer[],
  charged   jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  -- Visitors do not see what a click costs.
  tells_prices boolean := private.scope('campaigns.read') = 'all';
  paid_before integer[] := array(
    select e.position
    from unnest(events) as e
    join unnest(answers) as a on a.position = e.position and a.status = 'repeated'
    where exists (
      select 1
      from private.placement_clicks k
      join public.placement_charges p on p.tenant_id = k.tenant_id and p.click_id = k.id and p.kind = 'click'
      where k.tenant_id = placement_results.tenant_id and k.visitor_id = e.visitor_id
        and k.hour = date_trunc('hour', e.occurred_at at time zone 'UTC') and k.campaign_id = e.campaign_id
        and k.refusal is distinct from 'repeated'
      -- Looked up by index for each of them, because there are few.
      offset 0
    )
  );
  words jsonb;
begin
  select coalesce(
    jsonb_agg(
      jsonb_strip_nulls(
        jsonb_build_object(
          'index', e.position,
          'id', case when e.has_id or a.status in ('valid', 'repeated') then e.key end,
          'status', result.status,
          'reason', result.reason,
          'price', case when tells_prices and result.status = 'charged' then charged -> e.key::text end,
          'sales', a.sales
        )
      ) || case when e.fault is null then '{}' else jsonb_build_object('error', e.fault) end
      order by e.position
    ),
    '[]'
  )
  into words
  from unnest(events) as e
  left join unnest(answers) as a on a.position = e.position
  left join public.campaigns c on c.id = e.campaign_id
  cross join lateral (
    select
      case
        when e.fault is not null then 'invalid'
        when a.status = 'repeated' then case when e.position = any (paid_before) then 'not_charged' else 'duplicate' end
        when a.status <> 'valid' then a.status
        when charged ? e.key::text then 'charged'
        when c.pricing_model = 'fixed' then 'accepted'
        else 'not_charged'
      end as status,
      case
        when e.fault is not null then null
        when a.status = 'repeated' then case when e.position = any (paid_before) then 'already_charged' end
        when a.status = 'valid' and not charged ? e.key::text and c.pricing_model <> 'fixed' then 'budget'
        else a.reason
      end as reason
  ) as result;
  return words;
end
$function$;

CREATE OR REPLACE FUNCTION private.plan_customer_claim()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.customer_claims as k (tenant_id, customer_id, due_at)
  values (new.tenant_id, new.id, now() + case when new.is_guest then interval '1 hour' else interval '0' end)
  on conflict on constraint customer_claims_pkey do update set due_at = excluded.due_at;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.price_periods (
  product_id   uuid,
  variant_id   uuid,
  is_inherited boolean
)
  RETURNS TABLE (
    price    numeric,
    began_at timestamp with time zone,
    ended_at timestamp with time zone
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  ROWS 5
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
#variable_conflict use_column
begin
  return query
  with own as (
    select p.price, p.began_at, lead(p.began_at, 1, 'infinity') over (order by p.began_at) as ended_at
    from private.product_prices p
    where p.product_id = price_periods.product_id
      and coalesce(p.variant_id, p.product_id) = coalesce(price_periods.variant_id, price_periods.product_id)
  ),
  shared as (
    select p.price, p.began_at, lead(p.began_at, 1, 'infinity') over (order by p.began_at) as ended_at
    from private.product_prices p
    where price_periods.is_inherited
      and p.product_id = price_periods.product_id
      and coalesce(p.variant_id, p.product_id) = price_periods.product_id
  ),
  -- A variant that never had a price of its own has no rows.
  inherited as (
    select coalesce(
      max(o.began_at) filter (where o.price is null), case count(*) when 0 then '-infinity'::timestamptz end
    ) as since
    from own o
  )
  select o.price, o.began_at, o.ended_at
  from own o
  where o.price is not null
  union all
  select s.price, greatest(s.began_at, i.since), s.ended_at
  from shared s
  cross join inherited i
  where s.ended_at > i.since;
end
$function$;

CREATE OR REPLACE FUNCTION private.product_lines (
  ids uuid[]
)
  RETURNS TABLE (
    id   uuid,
    line jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
begin
  return query
  select
    p.id,
    to_jsonb(p) - array['tenant_id', 'brand', 'template_id', 'created_at', 'updated_at'] || jsonb_build_object(
      'quantity', case when p.track_inventory and v.variants is null then (
        select i.quantity from public.inventory i where i.product_id = p.id and i.variant_id is null
      ) end,
      'description_html', (select d.description_html from public.products d where d.id = p.id),
      'safety', (select d.safety from public.products d where d.id = p.id),
      'compare_at_price', (select d.compare_at_price from public.products d where d.id = p.id),
      'images', private.sent_images(p.images), 'variants', coalesce(v.variants, '[]')
    )
  from private.product_rows p
  cross join lateral (
    select jsonb_agg(
      jsonb_build_object(
        'name', v.name, 'sku', v.sku, 'price', v.price, 'compare_at_price', v.compare_at_price,
        'quantity', case when p.track_inventory then (
          select i.quantity from public.inventory i where i.product_id = p.id and i.variant_id = v.id
        ) end
      )
      order by v.position, v.id
    ) as variants
    from public.product_variants v
    where v.tenant_id = p.tenant_id and v.product_id = p.id
  ) as v
  where p.tenant_id = private.tenant_id() and p.id = any (ids);
end
$function$;

CREATE OR REPLACE FUNCTION private.product_page (
  ids              uuid[],
  relevance_scores double precision[],
  promotions       jsonb[]
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  AS $function$
declare
  tenant uuid := private.tenant_id();
begin
  -- The sizes of large texts are stored beside the row, so no text is read for this.
  if private.cap('list_bytes') < (
    select sum(octet_length(o.opening))
    from private.product_openings o
    where o.product_id = any (ids) and o.tenant_id = tenant
  ) then
    perform private.refuse_beyond(
      'list_bytes', 'The products of this page are too large together. Send a smaller limit.', 'limit'
    );
  end if;
  return (
    select
      concat(
        '[',
        string_agg(
          concat(
            o.opening,
            ',"variants":', case
              when s.has_variants then (select r.variants from private.product_records r where r.id = o.product_id)
              else '[]'
            end,
            ',"inventory":{"quantity":', s.quantity, ',"reserved":', s.reserved,
            '},"supplier":', coalesce(offer.supplier::text, 'null'),
            ',"compare_at_price":', coalesce(offer.compare_at_price::text, 'null'),
            ',"lowest_price_30d":', coalesce(offer.lowest_price_30d::text, 'null'),
            ',"relevance_score":', coalesce(shown.relevance_score::text, 'null'),
            ',"promotion":', coalesce(shown.promotion::text, 'null'),
            '}'
          ),
          ',' order by shown.position
        ),
        ']'
      )::json
    from unnest(ids, relevance_scores, promotions) with ordinality as shown (id, relevance_score, promotion, position)
    join private.product_openings o on o.product_id = shown.id and o.tenant_id = tenant
    cross join lateral (
      select s.has_variants, s.quantity, s.reserved
      from private.product_stocks s
      where s.tenant_id = o.tenant_id and s.product_id = o.product_id
      -- `limit` makes Postgres look up the stock of each product, instead of reading the whole tenant's.
      limit 1
    ) as s
    cross join lateral (
      select
        p.compare_at_price,
        case when p.compare_at_price is not null then private.lowest_price_30d(p.id, p.price) end as lowest_price_30d,
        (
          select json_build_object('id', w.id, 'name', w.name, 'slug', w.slug)
          from public.suppliers w
          where w.tenant_id = p.tenant_id and w.id = p.supplier_id
        ) as supplier
      from public.products p
      where p.id = o.product_id
      limit 1
    ) as offer
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.product_to_promote (
  product_id  uuid,
  category_id uuid
)
  RETURNS public.products
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  promoted public.products;
begin
  perform private.require_permission('campaigns.write', 'Your role may not create campaigns.');
  -- Discontinuing a product cancels its campaigns. The lock makes sure that it also cancels this one, or that this one
  -- is refused.
  select * into promoted
  from public.products p
  where p.tenant_id = private.tenant_id()
    and p.id = product_to_promote.product_id
    and (private.scope('campaigns.write') = 'all' or p.supplier_id = private.supplier_id())
  for share;
  if not found then
    perform private.refuse(
      'NOT_FOUND', 'There is no such product.', 'product_id', to_jsonb(product_to_promote.product_id)
    );
  elsif not exists (
    select 1
    from public.categories c
    where c.tenant_id = promoted.tenant_id and c.id = product_to_promote.category_id
  ) then
    perform private.refuse(
      'NOT_FOUND', 'There is no such category.', 'category_id', to_jsonb(product_to_promote.category_id)
    );
  end if;
  return promoted;
end
$function$;

CREATE OR REPLACE FUNCTION private.products_found (
  search  text,
  branch  uuid[],
  filters private.product_filters
)
  RETURNS SETOF private.found_product
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  AS $function$
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  unfiltered boolean := filters is null;
  readings private.search_terms[] := private.search_query(tenant, search, filters.marketplaces);
  terms private.search_terms := readings[1];
  -- The reading with words that hyphens join as one; null if there are none. The better one of both readings counts.
  joined private.search_terms := readings[2];
  wide tsquery := case when joined.wide is null then terms.wide else terms.wide || joined.wide end;
  besides tsquery;
  words integer := terms.words;
  exact tsquery := terms.exact;
  exact_lexemes integer := terms.exact_lexemes;
  near tsquery := terms.near;
  near_lexemes integer := terms.near_lexemes;
  guessed tsquery := terms.guessed;
  guessed_lexemes integer := terms.guessed_lexemes;
  slight tsquery := terms.slight;
  slight_lexemes integer := terms.slight_lexemes;
  some_parts text;
  rows_found integer;
begin
  -- First products that match all parts. If these are less than ten (for two parts, if there are none), products that
  -- match some parts follow.
  loop
    return query
      select
        p.id, p.category_id, p.brand, p.lowest_price, p.highest_price, p.marketplace_id, p.created_at, p.updated_at,
        greatest(
          private.fitness(
            t.document, words, exact, exact_lexemes, near, near_lexemes, guessed, guessed_lexemes, slight, slight_lexemes
          ),
          private.fitness(
            t.document, joined.words, joined.exact, joined.exact_lexemes, joined.near, joined.near_lexemes,
            joined.guessed, joined.guessed_lexemes, joined.slight, joined.slight_lexemes
          )
        ) * case when besides is null then 1 else 0.2 end,
        besides is null
      from private.product_texts t
      join public.products p on p.id = t.product_id
      where t.document @@ wide
        and (t.document @@ besides) is not true
        -- With `=`, Postgres might use the tenant's index and read all its rows.
        and t.tenant_id is not distinct from tenant
        and p.tenant_id is not distinct from tenant
        and p.status <> 'discontinued'
        and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
        and (branch is null or p.category_id = any (branch))
        and (unfiltered or private.is_wanted(p, filters));
    get diagnostics rows_found = row_count;
    exit when besides is not null
      or rows_found >= case cardinality(terms.parts) when 2 then 1 else 10 end
      or coalesce(cardinality(terms.parts), 0) < 2;
    besides := wide;
    -- For long searches, the first eight words are enough.
    some_parts := case cardinality(terms.parts)
      when 2 then array_to_string(terms.parts, ' | ')
      else private.two_of(terms.parts[:8])
    end;
    wide := array_to_string(terms.numbers || format('(%s)', some_parts), ' & ')::tsquery;
  end loop;

  -- One or two letters or signs match anywhere in a name.
  if terms.words is null or terms.words = terms.short_words or terms.short_words > 0 and rows_found = 0 then
    return query select * from private.products_named(lower(btrim(left(search, 200))), wide, branch, filters);
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.products_like (
  product_id uuid,
  wanted     integer
)
  RETURNS TABLE (
    id       uuid,
    likeness double precision
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  origin public.products;
  branch uuid[];
  words record;
begin
  select p.* into origin
  from public.products p
  where p.id = products_like.product_id
    and p.tenant_id = tenant
    and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status);
  branch := private.category_branch(tenant, origin.category_id);

  words := private.words_of_name(origin.id);

  return query
    with candidate as materialized (
      select c.id from private.candidates_like(origin, branch, words.singles, words.pairs) as c (id)
    )
    select best.id, best.likeness
    from (
      select
        c.id, p.track_inventory,
        0.5 * extensions.similarity(p.name, origin.name)
          + case when p.category_id = origin.category_id then 0.3 when p.category_id = any (branch) then 0.15 else 0 end
          + case
              when greatest(p.lowest_price, origin.lowest_price) = 0 then 0.2
              else 0.2 * (least(p.lowest_price, origin.lowest_price) / greatest(p.lowest_price, origin.lowest_price))::double precision
            end as likeness
      from candidate c
      cross join lateral (
        select p.name, p.category_id, p.lowest_price, p.track_inventory
        from public.products p
        where p.id = c.id
          -- With `=`, a plan from when the table was small would read the whole marketplace.
          and p.tenant_id is not distinct from tenant
          and p.status = 'active'
          and p.marketplace_id = origin.marketplace_id
          and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
        limit 1
      ) as p
      where c.id <> origin.id
      order by likeness desc, c.id
      -- Stock is read afterwards, most similar products first, until there are enough.
      offset 0
    ) as best
    where private.is_in_stock(best.id, best.track_inventory)
    order by best.likeness desc, best.id
    limit wanted;
end
$function$;

CREATE OR REPLACE FUNCTION private.products_named (
  part    text,
  besides tsquery,
  branch  uuid[],
  filters private.product_filters
)
  RETURNS SETOF private.found_product
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  AS $function$
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  unfiltered boolean := filters is null;
begin
  return query
    select
      p.id, p.category_id, p.brand, p.lowest_price, p.highest_price, p.marketplace_id, p.created_at, p.updated_at,
      0.05::double precision, true
    from public.products p
    join private.product_texts t on t.product_id = p.id and t.tenant_id = p.tenant_id
    where p.tenant_id = tenant
      and strpos(lower(p.name), part) > 0
      and (t.document @@ besides) is not true
      and p.status <> 'discontinued'
      and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
      and (branch is null or p.category_id = any (branch))
      and (unfiltered or private.is_wanted(p, filters));
end
$function$;

CREATE OR REPLACE FUNCTION private.protect_licence_key_stock()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  why jsonb;
  leaving integer;
begin
  if not private.sells_licence_keys(new.product_id) then
    return new;
  end if;
  why := nullif(current_setting('souk.stock_change', true), '')::jsonb;
  case why ->> 'reason'
    when 'licence_keys', 'reserve' then
      null;
    when 'ship', 'release' then
      update public.licence_keys k
      set in_stock = false
      where k.tenant_id = new.tenant_id
        and k.order_id = (why ->> 'order_id')::uuid
        and k.product_id = new.product_id
        and k.variant_id is not distinct from new.variant_id
        and k.in_stock;
      get diagnostics leaving = row_count;
      new.quantity := old.quantity - leaving;
    when 'return' then
      new.quantity := old.quantity;
    else
      if new.quantity <> old.quantity then
        perform private.refuse(
          'VALIDATION_ERROR', 'The stock of this product is the number of its licence keys. Add or remove keys instead.',
          'quantity', to_jsonb(new.quantity)
        );
      end if;
  end case;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.proxy_address()
  RETURNS text
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  -- On hosted Supabase the edge always sets the first header. In the second one, the last address is the one that the
  -- nearest proxy saw.
  return coalesce(
    private.request_header('cf-connecting-ip'), regexp_replace(private.request_header('x-forwarded-for'), '^.*,', ''), ''
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.prune_version (
  content_id     uuid,
  version_number integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Versions that are stored against it are stored whole from now on.
  update private.content_versions v
  set body = private.version_bytes(v.content_id, v.version_number), base_number = null, head_bytes = 0, tail_bytes = 0, steps = 0
  where v.content_id = prune_version.content_id and v.base_number = prune_version.version_number;
  update private.content_versions v
  set body = null, base_number = null, head_bytes = 0, tail_bytes = 0, steps = 0
  where v.content_id = prune_version.content_id and v.version_number = prune_version.version_number;
end
$function$;

CREATE OR REPLACE FUNCTION private.prune_versions (
  content public.content
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  most bigint := coalesce(
    (select (t.settings #>> '{content,keep_versions}')::bigint from public.tenants t where t.id = content.tenant_id),
    private.cap('versions_per_content')
  );
begin
  if content.last_version_number <= most then
    return;
  end if;
  perform private.prune_version(content.id, v.version_number)
  from private.content_versions v
  where v.content_id = content.id
    and v.body is not null
    and v.version_number <= (
      select min(kept.version_number)
      from (
        select k.version_number from private.content_versions k
        where k.content_id = content.id and k.body is not null
        order by k.version_number desc
        limit most
      ) as kept
    ) - 1
    and v.version_number not in (select k from private.kept_versions(content) as k);
end
$function$;

CREATE OR REPLACE FUNCTION private.publish_scheduled (
  content public.content
)
  RETURNS public.content
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  before public.content_status := content.status;
  languages text[] := content.scheduled_languages;
  number integer := content.scheduled_version_number;
begin
  update public.content c
  set scheduled_at = null, scheduled_version_number = null, scheduled_languages = null,
      -- A version that was saved since needs its own review.
      status = case
        when c.status = 'approved' and c.version_number = number and (languages is null or c.language = any (languages))
          then 'published'
        else c.status
      end
  where c.id = content.id
  returning * into content;
  if languages is null or content.language = any (languages) then
    if languages is not null then
      perform private.leave_withdrawn(content);
    end if;
    content := private.publish_version(content, number);
    perform private.record_move(content, 'publish', before, null, number);
  end if;
  update public.content_localizations l
  set status = private.status_when_published(l, number), published_version_number = number, withdrawn_version_number = null,
      last_updated = now()
  where l.content_id = content.id and l.language = any (languages);
  if found then
    if content.published_version_number is not null then
      update public.published_content p set published_at = now() where p.content_id = content.id;
      perform private.write_published_texts(content);
    end if;
    perform private.record_content_assets(content);
  end if;
  return content;
end
$function$;

CREATE OR REPLACE FUNCTION private.publish_version (
  content public.content,
  number  integer
)
  RETURNS public.content
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  document jsonb := private.version_document(content.id, number);
  slug_before text := (select p.slug from public.published_content p where p.content_id = content.id);
begin
  insert into public.published_content as p (
    content_id, tenant_id, type, marketplace_id, product_id, category_id, slug, language, languages, title, visibility,
    visible_to, version_number, author_id, created_at
  )
  values (
    content.id, content.tenant_id, content.type, content.marketplace_id, content.product_id, content.category_id,
    document ->> 'slug', content.language, array[content.language], '{}',
    (document ->> 'visibility')::public.content_visibility,
    array(select jsonb_array_elements_text(document -> 'visible_to')::public.member_role), number, content.author_id,
    content.created_at
  )
  on conflict (content_id) do update
  set slug = excluded.slug, visibility = excluded.visibility, visible_to = excluded.visible_to,
      version_number = excluded.version_number, published_at = now();
  delete from private.former_slugs f
  where f.tenant_id = content.tenant_id and f.marketplace_id = content.marketplace_id and f.type = content.type
    and f.slug = document ->> 'slug';
  if slug_before <> document ->> 'slug' then
    insert into private.former_slugs (tenant_id, marketplace_id, type, slug, content_id)
    values (content.tenant_id, content.marketplace_id, content.type, slug_before, content.id)
    on conflict on constraint former_slugs_pkey do update set content_id = excluded.content_id;
  end if;
  update public.content c
  set published_version_number = number, published_at = now()
  where c.id = content.id
  returning * into content;
  perform private.return_translations(content);
  perform private.write_published_texts(content);
  perform private.record_content_assets(content);
  return content;
end
$function$;

CREATE OR REPLACE FUNCTION private.queue_export_removal()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.queue_jobs(
    'export_files', array[old.tenant_id], array[old.id],
    -- A part that is in flight arrives within the time of a lease.
    array[now() + case old.status when 'running' then interval '10 minutes' else interval '0' end]
  );
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.queue_jobs (
  queue      text,
  tenants    uuid[],
  subjects   uuid[],
  due_at     timestamp with time zone[] DEFAULT NULL::timestamp WITH time zone[],
  is_changed boolean                    DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  worker text;
begin
  select q.worker into strict worker from private.queues q where q.queue = queue_jobs.queue;
  insert into private.jobs as j (queue, tenant_id, subject_id, due_at)
  select queue_jobs.queue, s.tenant_id, s.subject_id, coalesce(s.due_at, clock_timestamp())
  from unnest(queue_jobs.tenants, queue_jobs.subjects, queue_jobs.due_at) as s (tenant_id, subject_id, due_at)
  -- In one order, which prevents deadlocks.
  order by s.subject_id
  on conflict on constraint jobs_pkey do update
    set queued_at = excluded.queued_at, due_at = excluded.due_at, attempts = 0, lease = null, leased_until = null,
        is_counted = false, error = null
    where queue_jobs.is_changed;
  if found then
    perform private.wake(worker);
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.queue_mails()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.queue_jobs('mails', array_agg(w.tenant_id), array_agg(w.id), array_agg(w.next_attempt_at))
  from written w
  where w.next_attempt_at is not null;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.queue_media_cleanings()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if private.keeps_metadata(old.settings) and not private.keeps_metadata(new.settings) then
    perform private.queue_jobs('media_cleanings', array_agg(a.tenant_id), array_agg(a.id))
    from public.media_assets a
    where a.tenant_id = new.id and private.has_metadata(a.type, a.status, a.private, a.cleaned);
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.queue_media_sweeps()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.queue_jobs(
    'media_sweeps', array_agg(w.tenant_id), array_agg(w.id), array_agg(w.due_at), is_changed => true
  )
  from written w;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.reach (
  permission text
)
  RETURNS text
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return (
    select case p.scope when 'all' then 'all' else p.role::text end
    from private.permissions p
    where p.permission = reach.permission and p.role = private.tenant_role() and private.is_in_token(reach.permission)
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.read_personal_data (
  customer_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  person constant public.customers := private.locked_person(read_personal_data.customer_id, 'personal_data.read');
  keys constant jsonb := private.keys_of_person(person);
  reads_all constant boolean := private.scope('personal_data.read') = 'all';
  shown jsonb := '{}'::jsonb;
  place record;
  rows_found jsonb;
begin
  for place in
    select
      p.table_name::regclass as name, private.condition_of_person(p.found_by) as condition,
      array_agg(p.column_name) || '{id,order_id,created_at}' as columns
    from private.personal_data p
    where p.shown_to = 'own' or p.shown_to = 'all' and reads_all
    group by p.table_name, p.found_by
    order by p.table_name, p.found_by::text
  loop
    execute format(
      $query$
        select jsonb_agg((select jsonb_object_agg(f.key, f.value) from jsonb_each(to_jsonb(t)) as f where f.key = any ($3)))
        from %s t
        where t.tenant_id = $1 and (%s)
          -- Mails that tell suppliers and admins of the customer's orders are theirs.
          and to_jsonb(t) -> 'is_for_members' is distinct from 'true'
      $query$,
      place.name, place.condition
    )
    into rows_found
    using person.tenant_id, keys, place.columns;
    if rows_found is not null then
      shown := shown || jsonb_build_object(
        split_part(place.name::text, '.', 2), coalesce(shown -> split_part(place.name::text, '.', 2), '[]') || rows_found
      );
    end if;
  end loop;
  return jsonb_build_object('customer_id', person.id, 'read_at', now(), 'records', shown);
end
$function$;

CREATE OR REPLACE FUNCTION private.read_placement_events (
  events jsonb,
  moment timestamp with time zone
)
  RETURNS SETOF private.placement_event
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  reach text := private.reach('shop_events.write');
  trusted boolean := coalesce(reach = 'all', false);
  buyer uuid := case reach when 'customer' then private.customer_id() end;
  viewer constant uuid := private.viewer_id();
begin
  return query
  with typed as materialized (select t.* from private.typed_placement_events(events, moment, trusted) t),
  -- Looked up by id alone. With a condition on the tenant, Postgres might read the whole tenant.
  campaign as materialized (
    select
      c.id, c.tenant_id, c.product_id, c.supplier_id, c.status, c.start_date, c.end_date,
      private.forbidden_times(c) as forbidden
    from public.campaigns c
    where c.id = any (array(select distinct t.campaign_id from typed t))
      and private.is_of_visit(c.marketplace_id)
  ),
  bought as materialized (
    select o.id, o.tenant_id, o.customer_id
    from public.orders o
    where o.id = any (array(select distinct t.order_id from typed t))
  ),
  member as materialized (
    select m.user_id, m.tenant_id, m.role, m.supplier_id
    from public.members m
    where m.user_id = any (array(select distinct t.user_id from typed t))
  ),
  judged as (
    select
      t.*, c.id as known_campaign, c.product_id,
      coalesce(past.status, c.status) in ('active', 'exhausted')
        and t.occurred_at >= c.start_date and t.occurred_at < c.end_date and not t.occurred_at <@ c.forbidden as runs,
      case when c.supplier_id is null then m.role = 'admin' else m.supplier_id = c.supplier_id end as is_own,
      m.role <> 'customer' as sells,
      case when not trusted
        and private.is_promotion_token(t.event ->> 'token', c.id, viewer, moment)
        and coalesce(t.event ->> 'placement', t.shown_in) = t.shown_in
        then right(t.event ->> 'token', 32)::uuid
      end as token,
      md5(
        concat_ws(' ', t.campaign_id, to_char(least(t.occurred_at, moment) at time zone 'UTC', 'YYYYMMDDHH24MI'), t.visitor_id)
      )::uuid as visit,
      private.fault_of_placement_event(
        t.value, t.event, t.kind, t.unknown_field, t.id, c.id, t.visitor_id, t.occurred_at, moment, reach, o.id
      ) as fault
    from typed t
    left join campaign c on c.id = t.campaign_id and c.tenant_id = tenant
    left join lateral (
      select s.status
      from private.campaign_statuses s
      where s.tenant_id = c.tenant_id and s.campaign_id = c.id and s.until > t.occurred_at
      order by s.until limit 1
    ) as past on true
    left join bought o on o.id = t.order_id and o.tenant_id = tenant
      and case reach when 'customer' then o.customer_id = buyer else trusted end
    left join member m on m.user_id::text = t.visitor_id and m.tenant_id = tenant
  )
  select
    j.position, j.kind,
    case
      when j.id is not null then j.id
      -- A click is recognized by its visitor, campaign and hour. Its id, which the ledger shows, must not reveal them.
      when j.kind = 'click' then gen_random_uuid()
      else j.visit
    end,
    j.id is not null, j.known_campaign, j.product_id, coalesce(j.runs, false), coalesce(j.is_own, false),
    coalesce(j.sells, false), j.token, case when not trusted then j.visit end,
    j.visitor_id, coalesce(j.event ->> 'placement', case when j.token is not null then j.shown_in end),
    least(j.occurred_at, moment), (least(j.occurred_at, moment) at time zone (select private.time_zone_of(tenant)))::date, j.order_id,
    case when j.fault is not null then private.event_error(j.fault, j.position, j.value) end
  from judged j
  order by j.position;
end
$function$;

CREATE OR REPLACE FUNCTION private.read_storefront_events (
  events     jsonb,
  user_agent text,
  bots       integer[],
  moment     timestamp with time zone
)
  RETURNS SETOF private.storefront_event
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  itself uuid := case when private.scope('shop_events.write') is distinct from 'all' then private.viewer_id() end;
  only_site uuid := private.sole_marketplace_id();
  -- A visitor reports what it does there, and learns nothing about other marketplaces.
  visited constant uuid := private.marketplace_id();
  left_out_agents text[] := private.ignored(tenant, 'user_agents');
  left_out_visitors text[] := private.ignored(tenant, 'visitors');
begin
  return query
  with sent as materialized (select s.* from private.sent_storefront_events(events, user_agent, itself, moment) as s),
  -- Looked up by id alone: with a condition on the tenant Postgres may read all of the tenant's rows.
  product as materialized (
    select p.id, p.tenant_id, p.marketplace_id, p.supplier_id, p.category_id
    from public.products p
    where p.id = any (array(select distinct t.product_id from sent t))
      and (visited is null or p.marketplace_id = visited)
  ),
  site as materialized (
    select m.id from public.marketplaces m where m.tenant_id = tenant and (visited is null or m.id = visited)
  ),
  member as materialized (
    select m.user_id
    from public.members m
    where m.user_id = any (array(select distinct t.visitor from sent t)) and m.tenant_id = tenant and m.role <> 'customer'
  ),
  judged as (
    select
      t.*, s.id as site_id, p.id as known_product, p.supplier_id, p.category_id, m.user_id is not null as is_member,
      private.fault_of_storefront_event(
        t, t.event - array['id', 'type', 'marketplace_id', 'product_id', 'visitor_id', 'user_agent', 'occurred_at'],
        s.id is not null, p.id is not null, moment
      ) as fault
    from sent t
    left join product p on p.id = t.product_id and p.tenant_id = tenant
      and p.marketplace_id = coalesce(t.marketplace_id, p.marketplace_id)
    left join site s
      on s.id = case when t.event ->> 'marketplace_id' is null then coalesce(p.marketplace_id, only_site) else t.marketplace_id end
    left join member m on m.user_id = t.visitor
  )
  select
    j.place, coalesce(j.id, gen_random_uuid()), j.id is not null,
    case
      when j.fault is not null then null
      when j.place = any (bots) then 'bot'
      else j.type::private.visitor_stage
    end,
    j.visitor, j.site_id, j.known_product, j.supplier_id, j.category_id, least(j.occurred_at, moment),
    case
      when j.fault is not null then null
      when j.is_member then 'member'
      when lower(j.visitor_id) = any (left_out_visitors)
        or exists (select from unnest(left_out_agents) as rule where strpos(j.user_agent, rule) > 0) then 'ignored'
    end,
    case when j.fault is not null then private.event_error(j.fault, j.place, j.value) end
  from judged j
  order by j.place;
end
$function$;

CREATE OR REPLACE FUNCTION private.reader_of_order (
  audience  public.mail_audience,
  data      jsonb,
  recipient private.recipient,
  supplier  public.suppliers
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when audience <> 'buyer' and data ? 'order' then jsonb_strip_nulls(jsonb_build_object(
      'user', jsonb_build_object('name', recipient.name, 'email', recipient.address),
      'supplier', case when supplier.id is not null then jsonb_build_object('id', supplier.id, 'name', supplier.name) end
    ))
    else '{}'
  end
$function$;

CREATE OR REPLACE FUNCTION private.reads_private_media()
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return coalesce((
    select (private.scope_of('private_media.read', m.role) = 'all' or m.content_roles <> '{}') and not private.reads_as_customer()
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  ), false);
end
$function$;

CREATE OR REPLACE FUNCTION private.reads_templates_of (
  marketplace_id uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return case private.scope('templates.read')
    when 'own' then marketplace_id is null or marketplace_id = any (private.active_marketplace_ids())
    when 'all' then true
    else private.content_roles() <> '{}'
  end;
end
$function$;

CREATE OR REPLACE FUNCTION private.recipients_of (
  tenant_id uuid,
  data      jsonb,
  audience  public.mail_audience
)
  RETURNS TABLE (
    recipient   private.recipient,
    supplier_id uuid,
    place       bigint
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
begin
  if audience = 'buyer' then
    return query
    select b, null::uuid, 1::bigint
    from private.buyer_of(recipients_of.tenant_id, (data #>> '{order,id}')::uuid) b;
  elsif audience = 'supplier' then
    return query
    select m, s.id, row_number() over (partition by s.id)
    from unnest(private.suppliers_concerned(recipients_of.tenant_id, data)) as s (id)
    cross join lateral private.members_to_notify(
      recipients_of.tenant_id, s.id, (coalesce(data -> 'order', data -> 'product') ->> 'marketplace_id')::uuid
    ) m;
  elsif audience = 'admins' then
    return query
    select m, null::uuid, row_number() over ()
    from private.members_to_notify(recipients_of.tenant_id, null, (data #>> '{order,marketplace_id}')::uuid) m;
  else
    return query
    select r, null::uuid, 1::bigint
    from private.recipient(
      recipients_of.tenant_id, data #>> '{user,email}', data #>> '{user,name}',
      (
        select private.account_language(u.raw_user_meta_data)
        from auth.users u
        where u.id = (data #>> '{user,id}')::uuid
      ),
      null
    ) r
    where private.is_email(lower(data #>> '{user,email}'));
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_attempts (
  done jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  AS $function$
#variable_conflict use_column
declare
  webhook record;
begin
  perform private.lock_webhooks_of(record_attempts.done);

  for webhook in
    with made as materialized (
      select a.*, missed.gone, missed.next_attempt_at
      from private.end_own_leases(record_attempts.done) a
      left join lateral (
        select
          missed.gone,
          case
            when not missed.gone and missed.active
              then private.next_attempt_at(missed.attempt + 1, a.response_code, a.retry_after_seconds)
          end as next_attempt_at
        from (
          select
            -- A 410 of an address that the webhook no longer has does not count.
            coalesce(a.response_code = 410 and a.url = w.url, false) as gone,
            w.active,
            d.attempts - d.attempts_before + 1 as attempt
          from public.webhook_deliveries d
          join public.webhooks w on w.id = d.webhook_id
          where d.id = a.id and a.error is not null
          -- Read for failed attempts only.
          offset 0
        ) as missed
      ) as missed on true
    ),
    recorded as (
      update public.webhook_deliveries d
      set attempts = d.attempts + 1,
          status = case
            when m.error is null then 'success'
            when m.next_attempt_at is null then 'failed'
            else 'retrying'
          end::public.delivery_status,
          next_attempt_at = m.next_attempt_at,
          attempted_at = m.started_at,
          duration_ms = m.duration_ms,
          response_code = m.response_code,
          response_body = left(m.response_body, 1024),
          error = m.error,
          updated_at = now()
      from made m
      where d.id = m.id
      returning d.webhook_id, d.error, m.gone
    )
    select r.webhook_id as id, r.reached, r.gone, r.failures
    from (
      select
        r.webhook_id,
        bool_or(r.error is null) as reached,
        bool_or(r.gone) as gone,
        count(r.error) as failures
      from recorded r
      group by r.webhook_id
    ) as r
    join public.webhooks w on w.id = r.webhook_id
    where r.failures > 0 or w.failing_since is not null
    order by r.webhook_id
  loop
    perform private.update_webhook_state(webhook.id, webhook.reached, webhook.gone, webhook.failures);
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_audit()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  -- The columns that tell rows apart, first the one that the log shows.
  keys constant text[] := string_to_array(tg_argv[0], ',');
  ignored constant text[] := '{updated_at}'::text[] || coalesce(tg_argv[1:], '{}');
  source private.audit_source;
  records private.audited_record[];
begin
  if tg_table_name = 'members' then
    -- private.audited_caller() looks again: the caller may have become a member, or be one no more.
    perform set_config('souk.audited_request', '', true);
  end if;
  source := private.audit_source();
  -- An admin who leaves the tenant, or gives up the role, is no admin any more when the statement has ended.
  if source.actor is null and tg_table_name = 'members' and tg_op <> 'INSERT' then
    select case when o.is_key then 'key' else o.role::text end, o.supplier_id
    into source.actor, source.supplier_id
    from old_rows o
    where o.tenant_id = source.tenant_id and o.user_id = source.actor_id and o.status = 'active' and o.role <> 'customer';
  end if;
  if source.actor is null then
    return null;
  elsif tg_op = 'INSERT' then
    records := array(
      select distinct
        row(coalesce(n.row ->> 'tenant_id', n.row ->> 'id')::uuid, n.row ->> keys[1], '{}')::private.audited_record
      from (select to_jsonb(c) as row from new_rows c) n
    );
  elsif tg_op = 'DELETE' then
    records := array(
      select distinct
        row(coalesce(o.row ->> 'tenant_id', o.row ->> 'id')::uuid, o.row ->> keys[1], '{}')::private.audited_record
      from (select to_jsonb(c) as row from old_rows c) o
    );
  else
    records := array(
      select distinct row(c.tenant_id, c.record_id, c.fields)::private.audited_record
      from (
        select
          coalesce(g.after ->> 'tenant_id', g.after ->> 'id')::uuid as tenant_id, g.after ->> keys[1] as record_id,
          private.audited_fields(g.before, g.after, ignored) as fields
        -- Grouped, not joined: a join would be planned for few rows, and be quadratic for many.
        from (
          select
            (array_agg(p.row) filter (where not p.is_new))[1] as before,
            (array_agg(p.row) filter (where p.is_new))[1] as after
          from (
            select to_jsonb(c) as row, true as is_new from new_rows c
            union all
            select to_jsonb(c), false from old_rows c
          ) p
          group by p.row ->> 'tenant_id', p.row ->> keys[1], p.row ->> keys[2]
        ) g
      ) c
      where c.fields <> '{}'
    );
  end if;
  if records <> '{}' then
    perform private.write_audit(
      source, case tg_op when 'INSERT' then 'created' when 'DELETE' then 'deleted' else 'changed' end::public.audit_action,
      tg_table_name, records
    );
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_campaign_status()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.campaign_statuses (tenant_id, campaign_id, status)
  values (old.tenant_id, old.id, old.status)
  -- If a status changes several times at one moment, the first change has the status before it.
  on conflict on constraint campaign_statuses_pkey do nothing;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_changed_price()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_table_name = 'products' then
    perform private.record_price(
      row(new.tenant_id, new.id, null, new.price, now())::private.product_prices, old.price, new.created_at
    );
  else
    perform private.record_price(
      row(new.tenant_id, new.product_id, new.id, new.price, now())::private.product_prices, old.price, new.created_at
    );
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_clicks (
  tenant_id uuid,
  events    private.placement_event[],
  settings  public.placement_settings,
  address   bytea,
  is_new    boolean
)
  RETURNS SETOF private.placement_answer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
#variable_conflict use_column
begin
  perform private.lock_click_visitors(record_clicks.tenant_id, events);
  return query
  with refused as materialized (
    select j.*
    from private.judge_clicks(
      record_clicks.tenant_id, events, settings.clicks_per_visitor_and_hour, record_clicks.is_new
    ) as j
  ),
  -- A click that a customer reports counts for its address and uses its token. All callers lock these in one order.
  from_address as (
    insert into private.placement_addresses as a (tenant_id, campaign_id, address, hour, clicks)
    select record_clicks.tenant_id, r.campaign_id, record_clicks.address, r.hour, count(*)
    from refused r
    where r.refusal is null and record_clicks.address is not null
    group by r.campaign_id, r.hour
    order by r.campaign_id, r.hour
    on conflict on constraint placement_addresses_pkey do update set clicks = a.clicks + excluded.clicks
    returning a.campaign_id, a.hour, a.clicks > settings.clicks_per_address_and_hour as is_flood
  ),
  spent as (
    insert into private.placement_tokens (tenant_id, token, spent_at)
    select record_clicks.tenant_id, r.token, min(r.occurred_at)
    from refused r
    left join from_address a on a.campaign_id = r.campaign_id and a.hour = r.hour
    where r.refusal is null and r.token is not null and a.is_flood is not true
    group by r.token
    order by r.token
    on conflict do nothing
    returning token
  ),
  settled as (
    select
      r.position, r.key, r.campaign_id, r.product_id, r.visitor_id, r.occurred_at, r.date, r.is_flood,
      case
        when r.refusal is not null then r.refusal
        when a.is_flood then 'flood'
        -- Another request has used the same token first.
        when r.token is not null and r.token not in (select s.token from spent s) then 'repeated'
      end as refusal
    from refused r
    left join from_address a on a.campaign_id = r.campaign_id and a.hour = r.hour
  ),
  noted as (
    insert into private.placement_clicks (tenant_id, id, campaign_id, product_id, visitor_id, clicked_at, date, refusal)
    select record_clicks.tenant_id, r.key, r.campaign_id, r.product_id, r.visitor_id, r.occurred_at, r.date, r.refusal
    from settled r
    order by r.key
    on conflict do nothing
    returning id
  )
  select
    c.position,
    case
      when n.id is null then 'duplicate'
      when r.refusal is null then 'valid'
      when r.refusal = 'repeated' and not r.is_flood then 'repeated'
      else 'not_charged'
    end,
    case when n.id is not null then case when r.is_flood then 'flood' else nullif(r.refusal, 'repeated') end end,
    null::integer
  from unnest(events) as c
  left join settled r on r.position = c.position
  left join noted n on n.id = r.key
  where c.kind = 'click';
end
$function$;

CREATE OR REPLACE FUNCTION private.record_component_assets()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from private.media_uses u
  where u.tenant_id = old.tenant_id and u.type = 'component' and u.id = old.id
    and (tg_op = 'DELETE' or u.asset_id <> all (new.asset_ids));
  if tg_op <> 'DELETE' then
    insert into private.media_uses (tenant_id, asset_id, type, id)
    select a.tenant_id, a.id, 'component', new.id
    from public.media_assets a
    where a.tenant_id = new.tenant_id and a.id = any (new.asset_ids)
    order by a.id
    for key share of a
    on conflict on constraint media_uses_pkey do nothing;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_content_assets (
  content public.content
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  shown uuid[] := array(
    select distinct a.id
    from private.content_versions v
    cross join lateral unnest(v.asset_ids) as a (id)
    where v.content_id = content.id and v.version_number in (select s from private.shown_versions(content) as s)
  );
begin
  delete from private.media_uses u
  where u.tenant_id = content.tenant_id and u.type = 'content' and u.id = content.id and u.asset_id <> all (shown);
  -- An older version may name an asset that was deleted since.
  insert into private.media_uses (tenant_id, asset_id, type, id)
  select content.tenant_id, a.id, 'content', content.id
  from public.media_assets a
  where a.tenant_id = content.tenant_id and a.id = any (shown)
  order by a.id
  for key share of a
  on conflict on constraint media_uses_pkey do nothing;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_conversions (
  tenant_id uuid,
  events    private.placement_event[]
)
  RETURNS SETOF private.placement_answer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  conversions private.placement_event[] := array(
    select e from unnest(events) as e where e.kind = 'conversion' order by e.position
  );
  order_ids uuid[] := array(select e.order_id from unnest(conversions) with ordinality as e order by e.ordinality);
  sold_before uuid[] := array(
    select distinct s.order_id
    from private.placement_sales s
    where s.tenant_id = record_conversions.tenant_id and s.order_id = any (order_ids)
  );
begin
  return query
  with noted as (
    select e.position, e.order_id, b.sales
    from unnest(conversions) with ordinality as e
    left join private.attribute_sales(
      order_ids,
      array(select e.visitor_id from unnest(conversions) with ordinality as e order by e.ordinality)
    ) as b on b.place = e.ordinality
  )
  select
    n.position,
    case
      when n.sales is null and (
        n.order_id = any (sold_before)
        or max(n.sales) over (partition by n.order_id order by n.position) > 0
      ) then 'duplicate'
      else 'accepted'
    end,
    null,
    coalesce(n.sales, 0)::integer
  from noted n;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_failed_mail (
  job      private.jobs,
  error    text,
  is_final boolean      DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  due constant timestamptz := case when not is_final then private.fail_job(job, record_failed_mail.error) end;
begin
  if due is null then
    perform private.end_mail(job.subject_id, 'failed', record_failed_mail.error);
    return;
  end if;
  update public.mails m
  set status = 'retrying', attempts = m.attempts + 1, error = record_failed_mail.error, next_attempt_at = due
  where m.id = job.subject_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_failures (
  webhook_id uuid,
  failures   bigint
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  webhook public.webhooks := (select w from public.webhooks w where w.id = record_failures.webhook_id and w.active);
  noted private.webhook_failures;
  lasted interval := coalesce(now() - webhook.failing_since, '0');
  -- One warning each after 6, 12 and 18 hours.
  deserved integer := least(3, floor(extract(epoch from lasted) / 21600));
begin
  if webhook.id is null then
    return;
  end if;
  if webhook.failing_since is null then
    update public.webhooks w set failing_since = now() where w.id = webhook.id;
    delete from private.webhook_failures f where f.webhook_id = webhook.id;
  end if;
  insert into private.webhook_failures as f (tenant_id, webhook_id, attempts)
  values (webhook.tenant_id, webhook.id, record_failures.failures)
  on conflict (webhook_id, tenant_id) do update set attempts = f.attempts + excluded.attempts
  returning * into noted;

  if lasted >= interval '24 hours' and noted.attempts >= 10 then
    perform private.switch_webhook_off(webhook.id, 'failing');
    return;
  end if;
  if deserved > noted.warnings then
    update private.webhook_failures f set warnings = deserved where f.webhook_id = webhook.id;
    perform private.emit(d.tenant_id, 'webhook.failing', jsonb_build_object('webhook', to_jsonb(d)))
    from public.webhook_details d
    where d.id = webhook.id;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_guest (
  tenant   uuid,
  customer uuid,
  contact  jsonb,
  address  jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  given_email text := contact ->> 'email';
  given_name text := coalesce(
    contact ->> 'name', case when private.is_name(address -> 'name', 200) then address ->> 'name' end
  );
begin
  update public.customers c
  set is_listed = true, name = coalesce(given_name, c.name), contact_email = coalesce(given_email, c.contact_email)
  where c.tenant_id = tenant and c.id = customer and c.is_guest
    and (not c.is_listed or c.name <> given_name or c.contact_email is distinct from coalesce(given_email, c.contact_email));
end
$function$;

CREATE OR REPLACE FUNCTION private.record_impressions (
  tenant_id uuid,
  events    private.placement_event[]
)
  RETURNS SETOF private.placement_answer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
begin
  return query
  with seen as (
    select
      e.position, e.runs, e.occurred_at, e.key, coalesce(e.visit, e.key) as visit, e.token,
      row_number() over (partition by e.key order by e.position) = 1
        and row_number() over (partition by coalesce(e.visit, e.key) order by e.position) = 1
        and row_number() over (partition by coalesce(e.token, e.key) order by e.position) = 1 as is_first
    from unnest(events) as e
    where e.kind = 'impression'
  ),
  noted as (
    insert into private.placement_impressions (tenant_id, key, seen_at)
    select record_impressions.tenant_id, known.by, min(s.occurred_at)
    from seen s
    -- A token stands for one view, which counts once.
    cross join lateral (values (s.key), (s.visit), (s.token)) as known (by)
    where s.is_first and known.by is not null
    group by known.by
    order by known.by
    on conflict do nothing
    returning key
  )
  select
    s.position,
    case when not impression.is_new then 'duplicate' when s.runs then 'accepted' else 'not_charged' end,
    case when impression.is_new and not s.runs then 'not_running' end,
    null::integer
  from seen s
  cross join lateral (
    select
      s.is_first and s.key in (select n.key from noted n) and s.visit in (select n.key from noted n)
      and coalesce(s.token, s.key) in (select n.key from noted n) as is_new
  ) as impression;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_mail (
  id                  uuid,
  lease               uuid,
  outcome             text,
  provider_id         text,
  error               text,
  retry_after_seconds integer,
  address_gone        boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  job private.jobs;
  mail public.mails;
begin
  -- A report with a lease that has ended changes nothing, unless the mail was sent.
  select j.* into job
  from private.jobs j
  where j.queue = 'mails' and j.subject_id = record_mail.id
    and (j.lease = record_mail.lease or record_mail.outcome = 'sent')
  for update;
  if not found then
    return;
  end if;
  select m.* into mail from public.mails m where m.tenant_id = job.tenant_id and m.id = job.subject_id;
  case record_mail.outcome
    when 'sent' then
      -- The error of a tenant's template, which the built-in mail has replaced, is kept.
      perform private.end_mail(mail.id, 'success', case when mail.status = 'pending' then mail.error end, record_mail.provider_id);
    when 'untried', 'throttled' then
      update public.mails m
      set next_attempt_at = private.release_job(
        job, make_interval(secs => least(greatest(coalesce(retry_after_seconds, 0), 0), 3600))
      )
      where m.id = mail.id;
    else
      if record_mail.address_gone then
        perform private.record_mail_report(mail, 'bounce');
      end if;
      perform private.record_failed_mail(job, left(record_mail.error, 1000), record_mail.outcome = 'permanent');
  end case;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_move (
  content public.content,
  move    text,
  before  public.content_status,
  comment text,
  version integer               DEFAULT NULL::integer
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into public.content_moves (tenant_id, content_id, move, from_status, to_status, version_number, actor_id, comment)
  values (
    content.tenant_id, content.id, move, before, content.status, coalesce(version, content.version_number), auth.uid(),
    nullif(comment, '')
  )
$function$;

CREATE OR REPLACE FUNCTION private.record_ordering_visitor()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  AS $function$
begin
  -- Orders of admins and clients and imported orders have no visitor.
  if private.scope('orders.place') is distinct from 'own' then
    return null;
  end if;
  insert into private.storefront_events (
    tenant_id, id, occurred_at, stage, visitor, marketplace_id, product_id, supplier_id, category_id
  )
  select
    i.tenant_id, i.id, o.created_at, 'order',
    -- A guest's earlier events may be those of a visitor.
    case when private.is_guest() then coalesce(private.sent_visitor_id(), c.user_id) else c.user_id end,
    o.marketplace_id, i.product_id, i.supplier_id, p.category_id
  from new_items i
  join public.orders o on o.id = i.order_id
  join public.customers c on c.id = o.customer_id
  join public.products p on p.id = i.product_id
  where c.user_id = auth.uid()
  order by i.id
  on conflict do nothing;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_placement_events (
  events jsonb,
  moment timestamp with time zone DEFAULT now()
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  trusted boolean := coalesce(private.scope('shop_events.write') = 'all', false);
  settings public.placement_settings := private.placement_settings(tenant);
  sent private.placement_event[];
  good private.placement_event[];
  valid private.placement_event[];
  answers private.placement_answer[];
  ended uuid[];
  charged jsonb;
begin
  perform private.insist_on_event_batch(events);

  sent := array(select e from private.read_placement_events(events, moment) as e);
  good := array(
    select e from unnest(sent) as e
    where e.fault is null and (trusted or e.kind = 'conversion' or e.token is not null)
  );

  -- Until this commits, the orders of conversions cannot be cancelled, and their items not returned.
  perform 1
  from public.orders o
  where o.id = any (array(select e.order_id from unnest(good) as e where e.kind = 'conversion'))
  order by o.id
  for share;

  answers := array(select a from private.record_impressions(tenant, good) as a)
    || array(
      select a
      from private.record_clicks(
        tenant, good, settings,
        case when not trusted then private.caller_address() end,
        -- A visitor has no account whose age could count.
        not trusted and not private.is_visit() and private.is_new_account(settings.click_account_age_minutes)
      ) as a
    )
    || array(
      select row(e.position, 'not_charged', 'no_token', null)::private.placement_answer
      from unnest(sent) as e
      where e.fault is null and not (trusted or e.kind = 'conversion' or e.token is not null)
    );
  ended := private.end_floods(tenant, good, settings.clicks_per_visitor_and_hour);
  answers := answers || array(select a from private.record_conversions(tenant, good) as a);
  if ended <> '{}' then
    perform private.pass_on_sales(tenant, ended);
  end if;
  valid := array(
    select e
    from unnest(good) as e
    join unnest(answers) as a on a.position = e.position
    where e.kind = 'click' and a.status = 'valid'
  );

  perform private.count_placement_events(tenant, good, answers, ended);
  if ended <> '{}' then
    perform private.refund_clicks(tenant, ended, 'flood');
  end if;
  select jsonb_object_agg(c.click_id, c.price) into charged from private.charge_clicks(valid) as c;
  perform private.count_sales();

  return jsonb_build_object('results', private.placement_results(tenant, sent, answers, coalesce(charged, '{}')));
end
$function$;

CREATE OR REPLACE FUNCTION private.record_price (
  present   private.product_prices,
  former    numeric,
  listed_at timestamp with time zone
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  priced constant uuid := coalesce(present.variant_id, present.product_id);
begin
  if former is null then
    -- The variant had the product's prices. They are copied, because the product's own rows are deleted without regard to it.
    insert into private.product_prices (tenant_id, product_id, price, began_at)
    select p.tenant_id, p.id, p.price, p.created_at
    from public.products p
    where p.id = present.product_id
      and not exists (
        select from private.product_prices o where o.product_id = p.id and coalesce(o.variant_id, o.product_id) = p.id
      );
    insert into private.product_prices (tenant_id, product_id, variant_id, price, began_at)
    select present.tenant_id, present.product_id, present.variant_id, p.price, greatest(p.began_at, listed_at)
    from private.price_periods(present.product_id, present.variant_id, true) as p
    where p.ended_at > listed_at
    on conflict (product_id, coalesce(variant_id, product_id), began_at) do update set price = excluded.price;
  end if;

  -- The first change records the price before it as well. Products of earlier releases have no rows either: when their price
  -- began is unknown, so the time of their listing stands for it.
  insert into private.product_prices (tenant_id, product_id, variant_id, price, began_at)
  select present.tenant_id, present.product_id, present.variant_id, former, least(listed_at, present.began_at)
  where not exists (
    select
    from private.product_prices p
    where p.product_id = present.product_id and coalesce(p.variant_id, p.product_id) = priced
  );
  -- A transaction that changes a price several times leaves one row.
  insert into private.product_prices (tenant_id, product_id, variant_id, price, began_at)
  values (present.tenant_id, present.product_id, present.variant_id, present.price, present.began_at)
  on conflict (product_id, coalesce(variant_id, product_id), began_at) do update set price = excluded.price;

  -- Prices that ended 30 days before the former one began are not needed again: a later question is about a price that begins
  -- now or later, or about the former one, if the new one is the same. Of more than 1,000 the oldest go, so that nobody fills
  -- the table by changing a price again and again.
  with kept as (
    select p.began_at, row_number() over (order by p.began_at desc) as nth
    from private.product_prices p
    where p.product_id = present.product_id and coalesce(p.variant_id, p.product_id) = priced
  )
  delete from private.product_prices p
  where p.product_id = present.product_id
    and coalesce(p.variant_id, p.product_id) = priced
    and p.began_at < (
      select max(k.began_at)
      from kept k
      where k.nth >= 1000
        or k.began_at <= (select f.began_at - interval '720 hours' from kept f where f.nth = 2)
    );
end
$function$;

CREATE OR REPLACE FUNCTION private.record_shown_assets()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  shown uuid[] := case
    when tg_op <> 'DELETE' and new.status <> 'discontinued' then
      array(select distinct (i ->> 'asset_id')::uuid from jsonb_path_query(new.images, '$[*] ? (exists (@.asset_id))') as i)
    else '{}'
  end;
  most bigint := private.cap('products_per_image');
begin
  delete from private.media_uses u
  where u.tenant_id = old.tenant_id and u.type = 'product' and u.id = old.id and u.asset_id <> all (shown);
  insert into private.media_uses (tenant_id, asset_id, type, id)
  select new.tenant_id, s.asset_id, 'product', new.id
  from unnest(shown) as s (asset_id)
  order by s.asset_id
  on conflict on constraint media_uses_pkey do nothing;
  -- A change of an image writes all products that show it.
  if exists (
    select from unnest(shown) as s (asset_id)
    where (
      select count(*) > most
      from (
        select from private.media_uses u
        where u.tenant_id = new.tenant_id and u.asset_id = s.asset_id and u.type = 'product'
        limit most + 1
      ) as uses
    )
  ) then
    perform private.refuse_beyond(
      'products_per_image', format('At most %s products may show the same image.', most), 'images'
    );
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_sold_asset()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    insert into private.media_uses (tenant_id, asset_id, type, id) values (new.tenant_id, new.asset_id, 'file', new.id);
  else
    delete from private.media_uses u
    where u.tenant_id = old.tenant_id and u.asset_id = old.asset_id and u.type = 'file' and u.id = old.id;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_storefront_events (
  events     jsonb,
  user_agent text,
  bots       integer[],
  moment     timestamp with time zone DEFAULT now()
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  trusted boolean := coalesce(private.scope('shop_events.write') = 'all', false);
  sent private.storefront_event[];
  counting private.storefront_event[];
  room integer;
  address uuid;
begin
  perform private.insist_on_event_batch(events);

  sent := array(select e from private.read_storefront_events(events, user_agent, bots, moment) as e);
  counting := array(select e from unnest(sent) as e where e.fault is null and e.reason is null order by e.place);
  if not trusted and counting <> '{}' then
    -- Anybody can make any number of visitors' ids. Those of an address that is used up get no rows.
    address := case when private.is_visit() then md5(private.caller_address())::uuid end;
    room := case when private.has_visitor_events_left(tenant, address) then private.admit_visitor_events(
      tenant, private.viewer_id(), cardinality(counting), private.cap('visitor_events_per_day')
    ) else 0 end;
    if address is not null and room > 0 then
      room := least(room, private.admit_visitor_events(tenant, address, room, private.cap('address_events_per_day')));
    end if;
    if room < cardinality(counting) then
      sent := array(
        select row(
          e.place, e.id, e.has_id, e.stage, e.visitor, e.marketplace_id, e.product_id, e.supplier_id, e.category_id,
          e.occurred_at, case when e.place = any (array(select c.place from unnest(counting[room + 1:]) as c)) then 'flood' else e.reason end,
          e.fault
        )::private.storefront_event
        from unnest(sent) as e
      );
      counting := counting[:room];
    end if;
  end if;
  return jsonb_build_object(
    'results', private.storefront_results(sent, private.store_storefront_events(tenant, counting))
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.record_template_assets (
  template public.templates
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  shown uuid[] := array(
    select distinct a.id
    from private.template_versions v
    cross join lateral unnest(v.asset_ids) as a (id)
    where v.tenant_id = template.tenant_id and v.template_id = template.id
      and v.version_number in (template.version_number, template.active_version)
  );
begin
  delete from private.media_uses u
  where u.tenant_id = template.tenant_id and u.type = 'template' and u.id = template.id and u.asset_id <> all (shown);
  insert into private.media_uses (tenant_id, asset_id, type, id)
  select template.tenant_id, a.id, 'template', template.id
  from public.media_assets a
  where a.tenant_id = template.tenant_id and a.id = any (shown)
  order by a.id
  for key share of a
  on conflict on constraint media_uses_pkey do nothing;
end
$function$;

CREATE OR REPLACE FUNCTION private.recover_webhook (
  webhook_id uuid,
  since      timestamp with time zone
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  most constant bigint := private.cap('deliveries_recovered');
  failed uuid[];
begin
  perform private.check_that_webhook_is_on(recover_webhook.webhook_id);
  failed := array(
    select d.id
    from public.webhook_deliveries d
    where d.tenant_id = private.tenant_id() and d.webhook_id = recover_webhook.webhook_id
      and d.status = 'failed' and d.error is not null
      -- Equal to event_at, and in the index.
      and d.created_at >= recover_webhook.since
      and (
        select true
        from public.events e
        where e.tenant_id = d.tenant_id and e.created_at = d.event_at and e.id = d.event_id
      )
    order by d.created_at, d.id desc
    limit most
    for update
  );
  perform private.send_again(failed);
  perform private.audit_act(private.tenant_id(), 'webhooks', recover_webhook.webhook_id, '{deliveries}');
  return jsonb_build_object('recovered', cardinality(failed), 'more', cardinality(failed) = most);
end
$function$;

CREATE OR REPLACE FUNCTION private.redraw_sales_of_moved (
  tenant_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
begin
  insert into private.sales_redraws as r (tenant_id)
  values (redraw_sales_of_moved.tenant_id)
  on conflict (tenant_id) do update
  set is_cleared = false, drawn_to = '-infinity', drawn_id = 0;
  perform private.restate(redraw_sales_of_moved.tenant_id, '-infinity');
end
$function$;

CREATE OR REPLACE FUNCTION private.redraw_visitor_day (
  redraw private.visitor_redraws,
  OUT    is_changed boolean
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if redraw.is_cleared then
    -- Rows that were written again while the day was deleted may be missing in the queue.
    insert into private.uncounted_visitor_days (tenant_id, day, visitor, marketplace_id)
    select d.tenant_id, d.day, d.visitor, d.marketplace_id
    from private.visitor_days d
    where d.tenant_id = redraw.tenant_id and d.day = redraw.day
      and private.counted_as(d.stage) is distinct from d.counted;
  elsif private.uncount_visitor_day(redraw.tenant_id, redraw.day) then
    delete from private.visitor_days d where d.tenant_id = redraw.tenant_id and d.day = redraw.day;
  else
    return;
  end if;
  select coalesce(bool_or(private.compute_visitor_days(e.events) <> '{}'), false)
  into is_changed
  from private.events_of_day(redraw.tenant_id, redraw.day) as e;
  is_changed := is_changed or not redraw.is_cleared;
end
$function$;

CREATE OR REPLACE FUNCTION private.redraw_visitor_days()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  redraw private.visitor_redraws;
  redrawn private.visitor_redraws[] := '{}'::private.visitor_redraws[];
  restated private.visitor_redraws[] := '{}'::private.visitor_redraws[];
  is_changed boolean;
begin
  -- Locks are taken in the order of compute_visitor_days.
  for redraw in
    select w.*
    from (
      select r.*
      from private.visitor_redraws r
      where r.due_at <= now()
      order by r.due_at, r.day desc
      limit 100
      for update skip locked
    ) as w
    order by w.tenant_id, w.day
  loop
    -- The rest follows a minute later.
    exit when clock_timestamp() > now() + interval '10 seconds';
    is_changed := private.redraw_visitor_day(redraw);
    continue when is_changed is null;
    redrawn := redrawn || redraw;
    if is_changed then
      restated := restated || redraw;
    end if;
  end loop;
  foreach redraw in array redrawn loop
    if private.redraw_visitor_product_day(redraw) then
      restated := restated || redraw;
    end if;
  end loop;
  perform private.restate(r.tenant_id, r.day)
  from (select distinct d.tenant_id, d.day from unnest(restated) as d order by d.tenant_id, d.day) as r;
  foreach redraw in array redrawn loop
    if redraw.is_cleared then
      delete from private.visitor_redraws r where r.tenant_id = redraw.tenant_id and r.day = redraw.day;
    else
      update private.visitor_redraws r
      set is_cleared = true, due_at = now() + interval '1 minute'
      where r.tenant_id = redraw.tenant_id and r.day = redraw.day;
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.redraw_visitor_product_day (
  redraw private.visitor_redraws,
  OUT    is_changed boolean
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not redraw.is_cleared then
    delete from private.visitor_product_days d
    where d.ctid = any (array(
      select o.ctid
      from private.visitor_product_days o
      where o.tenant_id = redraw.tenant_id and o.day = redraw.day
      order by o.visitor, o.marketplace_id, o.supplier_id, o.category_id
      for update
    ));
  end if;
  select coalesce(bool_or(private.compute_visitor_product_days(e.events) <> '{}'), false)
  into is_changed
  from private.events_of_day(redraw.tenant_id, redraw.day) as e;
end
$function$;

CREATE OR REPLACE FUNCTION private.refund_placement_clicks (
  campaign_id uuid,
  visitor_id  text,
  click_ids   uuid[],
  since       timestamp with time zone,
  note        text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  found_clicks uuid[];
  ended uuid[];
  lost integer;
  answer jsonb;
begin
  perform private.check_click_refund(
    refund_placement_clicks.campaign_id, refund_placement_clicks.visitor_id, refund_placement_clicks.click_ids
  );
  found_clicks := private.clicks_to_refund(
    refund_placement_clicks.campaign_id, refund_placement_clicks.visitor_id, refund_placement_clicks.click_ids,
    refund_placement_clicks.since
  );

  select array_agg(k.id) into ended
  from (
    select k.id
    from private.placement_clicks k
    where k.tenant_id = tenant and k.id = any (found_clicks) and k.refusal is null
    order by k.id
    for update
  ) as k;
  update private.placement_clicks k
  set refusal = 'refunded'
  where k.tenant_id = tenant and k.id = any (ended);
  perform private.pass_on_sales(tenant, found_clicks);

  perform private.lock_statistics(array_agg(d.campaign_id), array_agg(d.date))
  from (
    select k.campaign_id, k.date
    from private.placement_clicks k
    where k.tenant_id = tenant and k.id = any (ended)
    union
    select p.campaign_id, p.date
    from public.placement_charges p
    where p.tenant_id = tenant and p.click_id = any (found_clicks)
    union
    select s.campaign_id, s.date
    from private.open_sales() as s
  ) as d;

  lost := private.uncount_clicks(refund_placement_clicks.campaign_id, found_clicks, ended);

  select jsonb_build_object(
    'campaign_id', refund_placement_clicks.campaign_id, 'clicks', lost,
    'refunded', count(*), 'amount', coalesce(sum(r.amount), 0)
  )
  into answer
  from private.refund_clicks(tenant, found_clicks, 'invalid', refund_placement_clicks.note) as r;
  perform private.count_sales();
  perform private.audit_act(tenant, 'campaigns', refund_placement_clicks.campaign_id, '{charges}');
  return answer;
end
$function$;

CREATE OR REPLACE FUNCTION private.refuse_ledger_change()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.refuse('FORBIDDEN', 'The ledger cannot change. Correct the stock instead, which adds a movement.');
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.refuse_order_of_erased()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The lock waits for an erasure that is being carried out, and sees its result.
  perform 1
  from public.customers c
  where c.tenant_id = new.tenant_id and c.id = new.customer_id and c.erased_at is null
  for key share;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such customer.', 'customer_id', to_jsonb(new.customer_id));
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.refuse_overlapping_tax_rate (
  valid_from jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.refuse(
    'CONFLICT',
    'Another rate of this country, region and category is valid on some of these days. Change its valid_from or valid_to first.',
    'valid_from', valid_from
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.refuse_problem (
  problem jsonb,
  value   jsonb DEFAULT 'null'::jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.refuse(
    case problem ->> 'http_code' when '404' then 'NOT_FOUND' when '403' then 'FORBIDDEN' else 'VALIDATION_ERROR' end,
    problem ->> 'message', problem ->> 'field', value
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.refused_mail (
  mail public.mails
)
  RETURNS private.mail_refusal
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  is_paused constant boolean := (select t.mail_paused_at is not null from public.tenants t where t.id = mail.tenant_id);
  refusal private.mail_refusal;
begin
  if private.is_suppressed(mail.tenant_id, mail."to", mail.template) then
    refusal.status := 'suppressed';
    refusal.error := 'The address is suppressed: it has unsubscribed, complained or bounced.';
  elsif mail.attempts = 0 and mail.created_at < now() - interval '1 day' then
    refusal.status := 'failed';
    refusal.error := 'No dispatcher could send it within a day: check MAIL_URL and MAIL_FROM.';
  elsif is_paused then
    refusal.status := 'failed';
    refusal.error := 'The mail of the tenant is paused, because too many of its mails bounced or were complained about. '
      || 'The owner of the project can resume it.';
  elsif private.needs_own_template(mail) and private.unused_own_template(mail) is not null then
    refusal.status := 'suppressed';
    refusal.error := private.unused_own_template(mail);
  end if;
  return refusal;
end
$function$;

CREATE OR REPLACE FUNCTION private.reject_product (
  product_id uuid,
  reason     text,
  updated_at timestamp with time zone
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  approval constant public.product_approvals := private.pending_approval(product_id, updated_at);
begin
  update public.product_approvals a
  set status = case when a.pending_changes is null then 'rejected' else 'approved' end::public.approval_status,
      pending_changes = null, reason = reject_product.reason, is_released = false, decided_by = auth.uid(), decided_at = now()
  where a.product_id = approval.product_id and a.tenant_id = approval.tenant_id;
  perform private.write_mail_of_review(p, 'rejected', reason) from public.products p where p.id = approval.product_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.reject_supplier_application (
  application_id uuid,
  reason         text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  application public.supplier_applications := private.pending_application(application_id);
begin
  update public.supplier_applications a
  set status = 'rejected', reason = reject_supplier_application.reason, decided_by = auth.uid(), decided_at = now()
  where a.tenant_id = application.tenant_id and a.id = application.id
  returning * into application;
  return to_jsonb(application);
end
$function$;

CREATE OR REPLACE FUNCTION private.release_job (
  job  private.jobs,
  wait interval     DEFAULT '00:00:00'::interval
)
  RETURNS timestamp WITH time zone
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  due timestamptz;
begin
  update private.jobs j
  set lease = null, leased_until = null, due_at = clock_timestamp() + release_job.wait, attempts = greatest(j.attempts - 1, 0)
  where j.queue = job.queue and j.subject_id = job.subject_id and j.tenant_id = job.tenant_id
  returning j.due_at into due;
  return due;
end
$function$;

CREATE OR REPLACE FUNCTION private.release_products (
  tenant_id uuid,
  most      integer
)
  RETURNS integer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  approval public.product_approvals;
  released integer := 0;
begin
  for approval in
    select a.*
    from public.product_approvals a
    where a.tenant_id = release_products.tenant_id and a.is_released and a.status = 'pending'
    order by a.requested_at, a.product_id
    limit most
    for update skip locked
  loop
    perform private.carry_out_approval(approval, null);
    released := released + 1;
  end loop;
  return released;
end
$function$;

CREATE OR REPLACE FUNCTION private.release_products_of_supplier()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not private.needs_review(new.tenant_id, new.id) then
    update public.product_approvals a
    set is_released = true
    where a.tenant_id = new.tenant_id and a.supplier_id = new.id and a.status = 'pending';
    perform private.release_products(new.tenant_id, 200);
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.release_products_of_tenant()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.product_approvals a
  set is_released = true
  where a.tenant_id = new.id and a.status = 'pending' and not private.needs_review(new.id, a.supplier_id);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.release_waiting_products()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.release_products(t.tenant_id, 200)
  from (select distinct a.tenant_id from public.product_approvals a where a.is_released and a.status = 'pending') as t;
end
$function$;

CREATE OR REPLACE FUNCTION private.remove_api_key (
  api_key_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  scope constant private.permission_scope := private.scope('api_keys.write');
begin
  perform private.require_permission('api_keys.write', 'Only admins and suppliers may remove API keys.');
  perform private.people_only('remove keys');
  delete from public.api_keys k
  where k.tenant_id = private.tenant_id() and k.id = remove_api_key.api_key_id
    and (scope = 'all' or k.supplier_id = private.supplier_id());
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such API key.');
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.remove_content (
  content public.content
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  was_published boolean := content.published_version_number is not null or exists (
    select from public.content_moves m where m.content_id = content.id and m.move = 'publish'
  );
  before public.content_status := content.status;
begin
  if not was_published then
    perform private.insist_on_role(content, 'delete', 'editor');
    delete from public.content c where c.id = content.id;
    return;
  end if;
  perform private.insist_on_role(content, 'delete', 'publisher');
  if content.deleted_at is not null then
    return;
  end if;
  update public.content c
  set status = 'archived', deleted_at = now(), updated_at = now()
  where c.id = content.id
  returning * into content;
  perform private.record_move(content, 'delete', before, null);
  perform private.withdraw(content);
end
$function$;

CREATE OR REPLACE FUNCTION private.remove_customer_address (
  address_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  own constant public.customers := private.own_customer('addresses.write');
  gone constant private.customer_addresses := private.own_address(address_id, own);
begin
  delete from private.customer_addresses a where a.tenant_id = gone.tenant_id and a.id = gone.id;
  if gone.is_default then
    perform private.make_default(a)
    from private.customer_addresses a
    where a.tenant_id = own.tenant_id and a.customer_id = own.id
    order by a.created_at, a.id
    limit 1;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.remove_licence_key (
  product_id     uuid,
  licence_key_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  product public.products := private.managed_product(remove_licence_key.product_id, 'digital_goods.write');
  key public.licence_keys;
  stock public.inventory;
begin
  select * into key
  from public.licence_keys k
  where k.tenant_id = product.tenant_id and k.product_id = product.id and k.id = remove_licence_key.licence_key_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such licence key.');
  end if;
  stock := private.lock_licence_keys(key.product_id, key.variant_id);
  -- Another transaction may have handed the key out or removed it before the lock.
  select * into key from public.licence_keys k where k.id = key.id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such licence key.');
  elsif key.order_item_id is not null then
    perform private.refuse('CONFLICT', 'This licence key was handed out. It stays with its order.');
  elsif stock.quantity - stock.reserved < 1 then
    perform private.refuse('INSUFFICIENT_INVENTORY', 'Orders have reserved all licence keys that are left.');
  end if;
  delete from public.licence_keys k where k.id = key.id;
end
$function$;

CREATE OR REPLACE FUNCTION private.remove_part_of_tenant (
  tenant uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  until constant timestamptz := clock_timestamp() + interval '1 second';
begin
  if not private.end_accounts_of_tenant(tenant, until)
    and not private.delete_tables_of_tenant(tenant, until)
    and not private.sweep_files_of_tenant(tenant)
  then
    -- Nobody completes an upload any more, so that its bytes need not wait.
    update private.media_sweeps s set due_at = now() where s.tenant_id = tenant and s.due_at > now();
    delete from public.tenants t where t.id = tenant;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.remove_tenant (
  name text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  tenant public.tenants;
  removal private.tenant_removals;
begin
  perform private.require_permission('tenant.remove', 'Only an admin may remove its tenant.');
  select t.* into tenant from public.tenants t where t.id = private.tenant_id() for update;
  if remove_tenant.name is distinct from tenant.name then
    perform private.refuse(
      'VALIDATION_ERROR', 'name must be the name of the tenant, exactly as it is: it is removed for ever.', 'name',
      to_jsonb(remove_tenant.name)
    );
  end if;
  -- A second admin may have asked meanwhile.
  insert into private.tenant_removals as r (tenant_id) values (tenant.id)
  on conflict on constraint tenant_removals_pkey do update set asked_at = r.asked_at
  returning * into removal;
  -- Its customers have nothing left to visit, and lose their accounts within minutes. They may be many.
  update public.marketplaces m set status = 'inactive' where m.tenant_id = tenant.id and m.status = 'active';
  update public.members m
  set status = 'suspended'
  where m.tenant_id = tenant.id and (m.role <> 'customer' or m.content_roles <> '{}');
  return jsonb_build_object('tenant_id', removal.tenant_id, 'asked_at', removal.asked_at);
end
$function$;

CREATE OR REPLACE FUNCTION private.remove_tenants()
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  removal private.tenant_removals;
  failure text;
begin
  select r.* into removal
  from private.tenant_removals r
  where r.error is null or r.tried_at < now() - interval '5 minutes'
  order by r.tried_at
  limit 1
  for update skip locked;
  if removal.tenant_id is null then
    return null;
  end if;
  begin
    perform set_config('souk.removed_tenant', removal.tenant_id::text, true);
    perform private.remove_part_of_tenant(removal.tenant_id);
    set constraints all immediate;
  exception when query_canceled or others then
    failure := sqlerrm;
    raise warning 'tenant % cannot be removed: %', removal.tenant_id, failure;
  end;
  update private.tenant_removals r set tried_at = clock_timestamp(), error = failure
  where r.tenant_id = removal.tenant_id;
  return removal.tenant_id::text;
end
$function$;

CREATE OR REPLACE FUNCTION private.replace_media_asset (
  asset_id     uuid,
  filename     text,
  size         bigint,
  content_type text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.media_assets := private.changed_media(replace_media_asset.asset_id);
begin
  if asset.status <> 'ready' then
    perform private.refuse(
      'INVALID_TRANSITION', 'This asset is not complete. Complete its upload first.', 'status', to_jsonb(asset.status)
    );
  elsif (private.announced_type(replace_media_asset.content_type)).type <> asset.type then
    perform private.refuse(
      'VALIDATION_ERROR', format('The new file must be of the same type, %s.', asset.type), 'content_type',
      to_jsonb(content_type)
    );
  end if;
  perform private.check_review_of_media(asset);
  return private.with_upload(
    asset,
    private.announce_upload(
      asset, replace_media_asset.filename, replace_media_asset.size, replace_media_asset.content_type
    )
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.report_payment (
  order_id        uuid,
  status          public.payment_report,
  reference       text,
  amount          numeric,
  items           jsonb,
  delivery_amount numeric,
  borne_by        public.refund_bearer
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  target public.orders;
  earlier public.payments;
  reported uuid;
begin
  perform private.require_permission('payments.write', 'Your role may not report payments.');
  select * into target
  from public.orders o
  where o.tenant_id = private.tenant_id() and o.id = report_payment.order_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such order.');
  elsif report_payment.amount is null and report_payment.status in ('paid', 'failed', 'refunded') then
    perform private.refuse(
      'VALIDATION_ERROR', format('amount is required for a report of %s.', status), 'amount', 'null'
    );
  end if;

  select * into earlier
  from public.payments p
  where p.tenant_id = target.tenant_id
    and p.order_id = target.id
    and p.status = report_payment.status
    and p.reference = report_payment.reference
    -- Reports that undo another one are refused when they are repeated.
    and p.status not in ('refund_failed', 'payment_reversed');
  if not found then
    insert into public.payments (
      tenant_id, order_id, status, amount, currency, reference, items, delivery_amount, borne_by, actor_id
    )
    values (
      target.tenant_id, target.id, report_payment.status, report_payment.amount, target.currency,
      report_payment.reference, report_payment.items, report_payment.delivery_amount, report_payment.borne_by, auth.uid()
    )
    returning id into reported;
    return reported;
  elsif earlier.amount <> report_payment.amount then
    perform private.refuse(
      'CONFLICT', format('%s was reported with another amount.', earlier.reference),
      'reference', to_jsonb(earlier.reference)
    );
  end if;
  return earlier.id;
end
$function$;

CREATE OR REPLACE FUNCTION private.request_address()
  RETURNS text
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return nullif(
    private.network_of(
      coalesce(
        case when private.is_counted() then private.request_header('x-souk-caller-address') end,
        private.proxy_address()
      )
    ),
    'unknown'
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.request_approval (
  product_id  uuid,
  tenant_id   uuid,
  supplier_id uuid,
  changes     jsonb
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into public.product_approvals as a (product_id, tenant_id, supplier_id, status, pending_changes)
  values (product_id, tenant_id, supplier_id, 'pending', changes)
  on conflict on constraint product_approvals_pkey do update
  set status = 'pending',
      pending_changes = case when excluded.pending_changes is null then null else coalesce(a.pending_changes, '{}') || excluded.pending_changes end,
      reason = null, is_released = false, decided_by = null, decided_at = null,
      requested_at = case when a.status = 'pending' then a.requested_at else now() end
$function$;

CREATE OR REPLACE FUNCTION private.request_operation()
  RETURNS text
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return left(
    coalesce(
      case when private.is_counted() then private.request_header('x-souk-operation') end,
      nullif(
        concat_ws(
          ' ', nullif(current_setting('request.method', true), ''),
          nullif(split_part(current_setting('request.path', true), '?', 1), '')
        ),
        ''
      ),
      'unknown'
    ),
    200
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.request_return (
  order_id uuid,
  items    jsonb,
  reason   text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  target public.orders;
  pieces private.piece[];
  suppliers uuid[];
  asked uuid;
begin
  perform private.require_permission('returns.request', 'Only the customer, clients and admins may request a return.');
  -- Access to an order never changes. Its status may change until the row is locked.
  target := private.seen_order(request_return.order_id);
  select * into target from public.orders o where o.id = target.id for update;

  pieces := private.wanted_pieces(
    items, array(select p from private.returnable_pieces(target) as p), 'Only %s of them can be returned now.'
  );
  suppliers := array(select distinct p.supplier_id from unnest(pieces) as p);
  if cardinality(suppliers) > 1 then
    perform private.refuse(
      'VALIDATION_ERROR', 'A return request must have items of one supplier. Send one request for each supplier.',
      'items', items
    );
  elsif (
    select count(*) from public.return_requests r where r.tenant_id = target.tenant_id and r.order_id = target.id
  ) >= 100 then
    perform private.refuse('VALIDATION_ERROR', 'An order has at most 100 return requests.');
  end if;
  insert into public.return_requests (tenant_id, order_id, supplier_id, customer_id, reason, actor_id)
  values (target.tenant_id, target.id, suppliers[1], target.customer_id, request_return.reason, auth.uid())
  returning id into asked;
  insert into public.return_request_items (tenant_id, order_id, request_id, item_id, quantity)
  select target.tenant_id, target.id, asked, p.item_id, p.quantity from unnest(pieces) as p;
  perform private.assign_returned_pieces(target, pieces, asked);
  return asked;
end
$function$;

CREATE OR REPLACE FUNCTION private.require_export_permission (
  type        public.export_type,
  supplier_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  needed constant text := case type
    when 'orders' then 'orders.read'
    when 'order_items' then 'orders.read'
    when 'products' then 'products.read'
    when 'inventory' then 'inventory.read'
    when 'campaigns' then 'campaigns.read'
    when 'commissions' then 'commissions.read'
    -- Those of a supplier have no names and addresses.
    when 'customers' then case when supplier_id is null then 'customers.read' end
    when 'audit_log' then 'audit_log.read'
  end;
begin
  perform private.require_permission('exports.read', 'You may not read exports.');
  if needed is not null then
    perform private.require_permission(needed, format('Without the permission %s you may not export %s.', needed, type));
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.require_permission (
  permission text,
  refusal    text
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  if private.scope(permission) is null then
    perform private.refuse('FORBIDDEN', refusal);
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.require_safety()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Only of those who put a product up for sale: stock that comes back, and sellers who may sell again, go on.
  if current_user = 'authenticated' then
    perform private.insist_on_safety(new);
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.retry_delivery (
  webhook_id  uuid,
  delivery_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  delivery public.webhook_deliveries;
begin
  perform private.check_that_webhook_is_on(retry_delivery.webhook_id);
  -- An attempt whose lease has ended is recorded before the new ones.
  perform private.end_leases();
  select d.* into delivery
  from public.webhook_deliveries d
  where d.webhook_id = retry_delivery.webhook_id and d.id = retry_delivery.delivery_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such delivery.');
  end if;
  if not exists (
    select
    from public.events e
    where e.tenant_id = delivery.tenant_id and e.created_at = delivery.event_at and e.id = delivery.event_id
  ) then
    perform private.refuse('CONFLICT', 'The event of this delivery was deleted after its retention period.');
  end if;
  -- A delivery in flight is being sent already.
  if not exists (
    select 1
    from private.webhook_leases l
    where l.webhook_id = delivery.webhook_id and l.delivery_id = delivery.id and l.leased_until > now()
  ) then
    perform private.send_again(array[delivery.id]);
    select d.* into delivery from public.webhook_deliveries d where d.id = delivery.id;
  end if;
  perform private.audit_act(delivery.tenant_id, 'webhook_deliveries', delivery.id, '{status}');
  return to_jsonb(delivery);
end
$function$;

CREATE OR REPLACE FUNCTION private.retry_mail (
  mail_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  mail public.mails;
begin
  select m.* into mail
  from public.mails m
  where m.tenant_id = private.tenant_id() and m.id = retry_mail.mail_id and private.scope('mails.write') = 'all'
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such mail.');
  elsif mail.status <> 'failed' then
    perform private.refuse(
      'CONFLICT', 'Only a mail that has failed can be sent again.',
      'status', to_jsonb(mail.status)
    );
  end if;
  update public.mails m
  set status = (case when m.attempts = 0 then 'pending' else 'retrying' end)::public.mail_status, next_attempt_at = now()
  where m.id = mail.id
  returning m.* into mail;
  perform private.queue_jobs('mails', array[mail.tenant_id], array[mail.id]);
  perform private.audit_act(mail.tenant_id, 'mails', mail.id, '{status}');
  return to_jsonb(mail);
end
$function$;

CREATE OR REPLACE FUNCTION private.return_order_items (
  order_id uuid,
  items    jsonb,
  note     text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  target public.orders;
  outside private.piece[];
  pieces private.piece[];
  returned uuid;
begin
  perform private.require_permission('returns.record', 'Your role may not record returns.');
  select * into target
  from public.orders o
  where o.tenant_id = private.tenant_id() and o.id = return_order_items.order_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such order.');
  end if;
  outside := array(select p from private.pieces_in(target, 'shipped', 'delivered') as p);
  if not exists (select from unnest(outside) as p where p.quantity > 0) then
    perform private.refuse(
      'INVALID_TRANSITION', format('The order is %s. Only shipped and delivered items can be returned.', target.status)
    );
  end if;
  pieces := private.wanted_pieces(items, outside, 'Only %s of them can still be returned.');
  perform private.bound_returns(target, cardinality(pieces), return_order_items.note);
  perform private.assign_returned_pieces(target, pieces, null);
  returned := private.take_back(target, pieces, return_order_items.note);
  perform private.follow_pieces(target, return_order_items.note);
  return returned;
end
$function$;

CREATE OR REPLACE FUNCTION private.review_campaign (
  campaign_id uuid,
  approved    boolean,
  note        text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  target public.campaigns;
  begins timestamptz;
  days integer;
begin
  perform private.require_permission('campaigns.review', 'Only admins may review campaigns.');
  perform private.insist(
    char_length(review_campaign.note) <= 2000, 'note', 'at most 2000 characters', to_jsonb(review_campaign.note)
  )
  where review_campaign.note is not null;
  target := private.campaign_to_change(review_campaign.campaign_id);
  if target.status <> 'pending_review' then
    perform private.refuse(
      'INVALID_TRANSITION', format('The campaign is %s and does not wait for a review.', target.status)
    );
  elsif not approved then
    update public.campaigns c
    set status = 'rejected', note = review_campaign.note
    where c.id = target.id;
    return;
  end if;

  -- The time before the approval is neither promoted nor charged.
  begins := greatest(target.start_date, now());
  days := greatest(ceil(extract(epoch from target.end_date - begins) / 86400), 0);
  update public.campaigns c
  set status = case
        when target.end_date <= now() then 'completed' else private.reviewed_status(begins)
      end,
      start_date = case when target.end_date <= now() then target.start_date else begins end,
      fee = private.fee_until(target, days),
      note = review_campaign.note
  where c.id = target.id;
  perform private.raise_bids(target.tenant_id, target.category_id);
  perform private.run_campaign(target.id);
end
$function$;

CREATE OR REPLACE FUNCTION private.review_of (
  product_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  approval public.product_approvals;
begin
  -- Looked up first: most products have no review, and most callers are buyers.
  select * into approval from public.product_approvals a where a.product_id = review_of.product_id;
  if found and (
    private.scope('product_approvals.read') = 'all'
    or private.scope('product_approvals.read') = 'own' and approval.supplier_id = private.supplier_id()
  ) then
    return jsonb_strip_nulls(jsonb_build_object('review_status', approval.status, 'review_reason', approval.reason))
      || case when approval.pending_changes is null then '{}' else jsonb_build_object('pending_changes', approval.pending_changes) end;
  end if;
  return '{}'::jsonb;
end
$function$;

CREATE OR REPLACE FUNCTION private.reviewed_fields (
  product public.products
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'name', product.name, 'description', product.description, 'description_html', product.description_html,
    'category_id', product.category_id, 'images', product.images
  )
$function$;

CREATE OR REPLACE FUNCTION private.right_to_left_tags()
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
RETURN '^(ar|arc|ckb|dv|fa|he|iw|ks|ku-arab|ps|sd|ug|ur|yi)(-|$)|-(arab|hebr|thaa|syrc|nkoo)(-|$)'::text;

CREATE OR REPLACE FUNCTION private.is_written_from_right (
  language text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
RETURN (LANGUAGE ~* private.right_to_left_tags());

CREATE OR REPLACE FUNCTION private.roles_for (
  content public.content
)
  RETURNS text[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  roles text[] := private.content_roles();
begin
  if content.tenant_id is distinct from private.tenant_id() then
    return array[]::text[];
  end if;
  -- Suppliers write about their own products. They do not review or publish.
  return case
    when content.supplier_id = private.supplier_id('content.write') and not 'editor' = any (roles)
      then array_append(roles, 'editor')
    else roles
  end;
end
$function$;

CREATE OR REPLACE FUNCTION private.rotate_webhook_secret (
  webhook_id uuid,
  secret     text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  shown text := coalesce(rotate_webhook_secret.secret, private.new_webhook_secret());
begin
  perform private.require_permission('webhooks.write', 'Only admins and clients may rotate secrets.');
  update public.webhooks w
  set secret = shown
  where w.tenant_id = private.tenant_id() and w.id = rotate_webhook_secret.webhook_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such webhook.');
  end if;
  return (
    select to_jsonb(d) || jsonb_build_object('secret', shown, 'previous_secret_until', s.previous_until)
    from public.webhook_details d
    join private.webhook_secrets s on s.tenant_id = d.tenant_id and s.webhook_id = d.id
    where d.id = rotate_webhook_secret.webhook_id
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.run_content_schedule()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  due public.content;
begin
  -- Row by row: a concurrent run takes other rows, and a failure stops no other row.
  for due in
    select c.* from public.content c where c.scheduled_at <= now()
    order by c.scheduled_at, c.id
    limit 1000
    for update skip locked
  loop
    begin
      perform private.publish_scheduled(due);
    exception
      when deadlock_detected or lock_not_available or serialization_failure then
        -- It stays due, and the next run publishes it.
        null;
      when others then
        perform private.unscheduled(due);
        perform private.record_move(
          due, 'schedule_failed', due.status,
          case sqlstate when '23505' then 'Other content is published under this slug.' else sqlerrm end
        );
    end;
  end loop;
  for due in
    select c.* from public.content c where c.unpublish_at <= now()
    order by c.unpublish_at, c.id
    limit 1000
    for update skip locked
  loop
    if due.published_version_number is null then
      update public.content c set unpublish_at = null where c.id = due.id;
    else
      perform private.unpublish_original(due, null);
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.save_draft (
  content     public.content,
  branch      text,
  base        integer,
  document    jsonb,
  comment     text,
  autosave    boolean        DEFAULT false,
  merged_from integer        DEFAULT NULL::integer
)
  RETURNS public.content
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  head private.content_branches := private.head_of(content, branch, base);
  replaced private.content_versions;
  changed text[];
  line integer[];
  number integer := content.last_version_number + 1;
begin
  perform private.check_move_comment(comment);
  changed := private.changed_paths(head.document, document);
  if changed = '{}' and merged_from is null then
    return content;
  end if;
  line := array[head.version_number] || merged_from;
  if autosave then
    replaced := private.replaced_autosave(content, head);
    if replaced.content_id is not null then
      line := replaced.parents;
    end if;
  end if;
  perform private.store_version(
    content, number, array_remove(line, null), branch, document,
    case when replaced.content_id is null then changed
      else private.changed_paths(private.version_document(content.id, line[1]), document)
    end,
    comment, autosave
  );
  delete from private.content_versions v where v.content_id = content.id and v.version_number = replaced.version_number;
  update private.content_branches b
  set version_number = number, document = save_draft.document
  where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = branch;
  update public.content c set last_version_number = number, updated_at = now() where c.id = content.id returning * into content;
  if branch = 'main' then
    content := private.advance_main(
      content, number, document, private.changed_by_hand(head.document, document, changed)
    );
  end if;
  perform private.record_content_assets(content);
  perform private.prune_versions(content);
  return content;
end
$function$;

CREATE OR REPLACE FUNCTION private.save_template (
  template_id    uuid,
  version_number integer,
  changes        jsonb
)
  RETURNS public.templates
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  was public.templates := private.edited_template(template_id, 'editor');
  before jsonb := (
    select v.content
    from private.template_versions v
    where v.tenant_id = was.tenant_id and v.template_id = was.id and v.version_number = was.version_number
  );
  after jsonb := before;
  changed public.templates := was;
  paths text[];
begin
  if was.version_number is distinct from save_template.version_number then
    perform private.refuse_stale(save_template.version_number, was.version_number);
  end if;
  changed := private.changed_template(was, changes);
  if changes ? 'content' then
    after := private.whole_template(changes -> 'content');
    perform private.check_template_content(after);
    perform private.check_template_targets(was, after);
  end if;
  paths := private.changed_template_paths(before, after)
    || case when changed.name <> was.name then array['name'] end
    || case when changed.is_default <> was.is_default then array['is_default'] end
    || case when changed.caching is distinct from was.caching then array['caching'] end;
  if paths = '{}' then
    return was;
  end if;
  if changed.is_default and not was.is_default and was.active_version is not null then
    perform private.replace_default(was);
  end if;
  perform private.store_template_version(was, was.version_number + 1, after, paths);
  update public.templates t
  set name = changed.name, is_default = changed.is_default, caching = changed.caching,
      version_number = was.version_number + 1, updated_at = now(),
      -- If the content is the same, readers see the same page: the latest version stays the active one.
      active_version = case when was.active_version = was.version_number and before = after then was.version_number + 1 else t.active_version end
  where t.id = was.id
  returning * into changed;
  perform private.check_template_graph(changed);
  perform private.record_template_assets(changed);
  return changed;
end
$function$;

CREATE OR REPLACE FUNCTION private.schedule_content (
  content   public.content,
  at        timestamp with time zone,
  languages text[],
  comment   text
)
  RETURNS public.content
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  language text;
  others text[] := array(
    select s.language
    from unnest(coalesce(content.scheduled_languages, array[content.language])) as s (language)
    where content.scheduled_at is not null and s.language <> all (coalesce(languages, array[content.language]))
  );
begin
  perform private.insist_on_mover(content, 'publish');
  if (languages is null or content.language = any (languages)) and content.status <> 'approved'
    and (languages is null or content.status <> 'published')
  then
    perform private.refuse(
      'INVALID_TRANSITION', format('Content that is %s cannot be published.', content.status), 'move', '"publish"'
    );
  end if;
  foreach language in array coalesce(array_remove(languages, content.language), '{}') loop
    if (private.localization_of(content, language)).status not in ('approved', 'published') then
      perform private.refuse(
        'INVALID_TRANSITION', format('The translation into %s is not approved.', language), 'languages', to_jsonb(languages)
      );
    end if;
  end loop;
  if others <> '{}' then
    perform private.refuse(
      'CONFLICT',
      format('%s is scheduled already. Name it too, or cancel its schedule first.', array_to_string(others, ', ')),
      'languages', to_jsonb(languages)
    );
  end if;
  perform private.check_required_fields(content);
  perform private.check_move_comment(comment);
  update public.content c
  set scheduled_at = at, scheduled_version_number = c.version_number, scheduled_languages = languages, updated_at = now()
  where c.id = content.id
  returning * into content;
  perform private.record_content_assets(content);
  perform private.record_move(content, 'schedule', content.status, comment);
  return content;
end
$function$;

CREATE OR REPLACE FUNCTION private.scheduled_scope (
  schedule public.export_schedules
)
  RETURNS private.analytics_scope
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select row(
    schedule.tenant_id, private.time_zone_of(schedule.tenant_id), schedule.marketplace_id, schedule.supplier_id,
    case when schedule.category is not null then private.category_branch(schedule.tenant_id, schedule.category) end
  )::private.analytics_scope
  from public.members m
  where m.tenant_id = schedule.tenant_id and m.user_id = schedule.asked_by and m.status = 'active'
    and case private.scope_of('analytics.read', m.role) when 'all' then true when 'own' then m.supplier_id = schedule.supplier_id end
$function$;

CREATE OR REPLACE FUNCTION private.scope (
  permission text
)
  RETURNS private.permission_scope
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return (
    select p.scope
    from private.permissions p
    where p.permission = scope.permission and p.role = private.tenant_role() and private.is_in_token(scope.permission)
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.scope_of (
  permission text,
  role       public.member_role
)
  RETURNS private.permission_scope
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return (
    select p.scope from private.permissions p where p.permission = scope_of.permission and p.role = scope_of.role
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.seen_order (
  order_id uuid
)
  RETURNS public.orders
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  seen public.orders;
begin
  select * into seen
  from public.orders o
  where o.tenant_id = private.tenant_id()
    and o.id = seen_order.order_id
    and case private.reach('orders.read')
      when 'customer' then o.customer_id = private.customer_id()
      when 'supplier' then exists (
        select 1 from public.order_parts p where p.order_id = o.id and p.supplier_id = private.supplier_id()
      )
      when 'all' then true
    end;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such order.');
  end if;
  return seen;
end
$function$;

CREATE OR REPLACE FUNCTION private.segment_customers_report (
  asked    private.analytics_scope,
  segment  text,
  currency text,
  page     integer,
  "limit"  integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  period private.analytics_period := private.analytics_period(scope.time_zone, '1y', null, null);
  report_currency text := private.segment_currency(scope, period, segment_customers_report.currency);
  size integer := least(greatest("limit", 1), 1000);
  -- Suppliers see no names and addresses.
  sees_people boolean := private.scope('customers.read') = 'all';
  listed jsonb;
begin
  if not exists (select from private.segments() as s where s.name = segment_customers_report.segment) then
    perform private.refuse(
      'NOT_FOUND', 'There is no such segment.', 'name', to_jsonb(segment_customers_report.segment)
    );
  end if;
  with found as materialized (
    select s.customer_id, s.orders, s.revenue, s.first_ordered_at, s.last_ordered_at
    from private.segmented_customers(scope, report_currency) as s
    where s.segment = segment_customers_report.segment
    union all
    select p.customer_id, 0, 0, null, null
    from private.prospects(scope) as p (customer_id)
    where segment_customers_report.segment = 'prospects'
  )
  select jsonb_build_object(
    'customers', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'id', c.id, 'name', case when sees_people then c.name end,
            'email', case when sees_people then coalesce(c.email, c.contact_email) end,
            'created_at', c.created_at, 'orders', f.orders, 'revenue', f.revenue,
            'first_ordered_at', f.first_ordered_at, 'last_ordered_at', f.last_ordered_at
          )
          order by f.revenue desc, f.customer_id
        ),
        '[]'
      )
      from (
        select * from found order by revenue desc, customer_id limit size offset (greatest(page, 1)::bigint - 1) * size
      ) as f
      join public.customers c on c.tenant_id = scope.tenant_id and c.id = f.customer_id
    ),
    'total', (select count(*) from found)
  )
  into listed;
  return private.report_heading(scope, period)
    || jsonb_build_object('name', segment_customers_report.segment, 'currency', report_currency) || listed;
end
$function$;

CREATE OR REPLACE FUNCTION private.seller_setting (
  tenant_id uuid,
  name      text
)
  RETURNS text
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return coalesce(
    (select t.settings -> 'sellers' ->> seller_setting.name from public.tenants t where t.id = seller_setting.tenant_id),
    case seller_setting.name when 'signup' then 'invitation' when 'product_review' then 'unverified' end
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.seller_signup_problem (
  tenant_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return case private.seller_setting(tenant_id, 'signup')
    when 'open' then null
    when 'application'
      then private.problem(403, 'role', 'Suppliers apply to this tenant first: POST /api/supplier-applications.')
    else private.problem(403, 'role', 'Suppliers join this tenant by an invitation only. Ask its admins for one.')
  end;
end
$function$;

CREATE OR REPLACE FUNCTION private.serves (
  method  jsonb,
  country text,
  region  text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(not method ? 'countries' or method -> 'countries' ? country, false) and (
    not method ? 'regions' or exists (
      select
      from jsonb_array_elements_text(method -> 'regions') as r (name)
      where lower(private.trimmed(r.name)) = lower(private.trimmed(region))
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.set_permission (
  permission text,
  all_of     public.member_role[],
  own_of     public.member_role[] DEFAULT '{}'::public.member_role[]
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  delete from private.permissions p where p.permission = set_permission.permission;
  insert into private.permissions (permission, role, scope)
  select set_permission.permission, unnest(all_of), 'all';
  insert into private.permissions (permission, role, scope)
  select set_permission.permission, unnest(own_of), 'own';
end
$function$;

CREATE OR REPLACE FUNCTION private.set_placement_category (
  category_id uuid,
  changes     jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  line uuid[];
  main_price jsonb;
begin
  perform private.require_permission('placement_settings.write', 'Only admins may configure placement.');
  perform private.known_only(
    changes,
    '{category_id,name,base_price,max_slots,auction_enabled,min_bid,prices,forbidden,rotation_minutes,display_priority,min_quality}'
  );
  perform private.checked_amount((changes ->> 'base_price')::numeric, 'base_price', private.main_currency(tenant));
  perform private.checked_amount((changes ->> 'min_bid')::numeric, 'min_bid', private.main_currency(tenant));
  main_price := private.checked_main_price(tenant, set_placement_category.category_id, changes);

  -- A category's terms also apply to its products that are promoted in its ancestors. Campaigns are locked before any
  -- rows and in the order of ids, as everywhere.
  line := array(
    select l.id from unnest(private.category_line(tenant, set_placement_category.category_id)) as l (id) order by l.id
  );
  perform private.lock_campaigns(l.id) from unnest(line) as l (id);

  update public.categories c
  set name = coalesce(changes ->> 'name', c.name)
  where c.tenant_id = tenant and c.id = set_placement_category.category_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such category.');
  end if;
  perform private.insist(
    coalesce((changes ->> 'category_id')::uuid, set_placement_category.category_id) = set_placement_category.category_id,
    'category_id', 'the id in the path', changes -> 'category_id'
  );

  insert into public.placement_categories (tenant_id, category_id)
  values (tenant, set_placement_category.category_id)
  on conflict on constraint placement_categories_pkey do nothing;
  update public.placement_categories c
  set base_price = coalesce(
        nullif((main_price ->> 'base_price')::numeric, c.base_price), (changes ->> 'base_price')::numeric, c.base_price
      ),
      max_slots = coalesce((changes ->> 'max_slots')::integer, c.max_slots),
      auction_enabled = coalesce((changes ->> 'auction_enabled')::boolean, c.auction_enabled),
      min_bid = coalesce(
        nullif((main_price ->> 'min_bid')::numeric, c.min_bid), (changes ->> 'min_bid')::numeric, c.min_bid
      ),
      other_prices = case
        when changes -> 'prices' <> 'null' then (
          select coalesce(jsonb_agg(e.value order by e.value ->> 'currency'), '[]')
          from jsonb_array_elements(changes -> 'prices') as e (value)
          where e.value is distinct from main_price
        )
        else c.other_prices
      end,
      forbidden = coalesce((changes ->> 'forbidden')::boolean, c.forbidden),
      rotation_minutes = coalesce((changes ->> 'rotation_minutes')::integer, c.rotation_minutes),
      display_priority = coalesce(changes ->> 'display_priority', c.display_priority),
      min_quality = coalesce(trim_scale((changes ->> 'min_quality')::numeric), c.min_quality)
  where c.tenant_id = tenant and c.category_id = set_placement_category.category_id;

  perform private.raise_bids(tenant, l.id) from unnest(line) as l (id);
end
$function$;

CREATE OR REPLACE FUNCTION private.set_placement_settings (
  changes jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.require_permission('placement_settings.write', 'Only admins may configure placement.');
  perform private.known_only(
    changes,
    '{auction_log_share,clicks_per_visitor_and_hour,clicks_per_address_and_hour,click_account_age_minutes}'
  );
  insert into public.placement_settings (tenant_id)
  values (private.tenant_id())
  on conflict (tenant_id) do nothing;
  update public.placement_settings s
  set auction_log_share = coalesce(trim_scale((changes ->> 'auction_log_share')::numeric), s.auction_log_share),
      clicks_per_visitor_and_hour =
        coalesce((changes ->> 'clicks_per_visitor_and_hour')::integer, s.clicks_per_visitor_and_hour),
      clicks_per_address_and_hour =
        coalesce((changes ->> 'clicks_per_address_and_hour')::integer, s.clicks_per_address_and_hour),
      click_account_age_minutes =
        coalesce((changes ->> 'click_account_age_minutes')::integer, s.click_account_age_minutes)
  where s.tenant_id = private.tenant_id();
end
$function$;

CREATE OR REPLACE FUNCTION private.set_service_calendar (
  product_id           uuid,
  time_zone            text,
  duration_minutes     integer,
  capacity             integer,
  lead_minutes         integer,
  location             jsonb,
  hours                jsonb,
  exceptions           jsonb,
  cancellation_minutes integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  product public.products := private.managed_product(set_service_calendar.product_id, 'calendars.write');
  day record;
  kept jsonb;
begin
  perform private.check_hours(hours, 'hours', 200);
  if exists (
    select 1
    from jsonb_array_elements(hours) as h
    where (h ->> 'weekday')::integer not between 1 and 7 or h ->> 'weekday' is null
  ) then
    perform private.refuse('VALIDATION_ERROR', 'weekday must be a number from 1 (Monday) to 7.', 'hours', hours);
  elsif jsonb_typeof(exceptions) is distinct from 'array' then
    perform private.refuse('VALIDATION_ERROR', 'exceptions must be a list of {date, hours}.', 'exceptions', exceptions);
  elsif jsonb_array_length(exceptions) > 1000 then
    perform private.refuse('VALIDATION_ERROR', 'exceptions must have at most 1000 entries.', 'exceptions');
  end if;
  for day in
    select
      e.position - 1 as index, e.value, e.value -> 'hours' as hours,
      ((e.value ->> 'date')::date between '0001-01-01' and '9999-12-31') is not true
        or count(*) over (partition by (e.value ->> 'date')::date order by e.position) > 1 as wrong
    from jsonb_array_elements(exceptions) with ordinality as e (value, position)
    order by e.position
  loop
    if day.wrong then
      perform private.refuse(
        'VALIDATION_ERROR', 'Each exception must have a different date, in the years 1 to 9999.',
        format('exceptions[%s].date', day.index),
        day.value -> 'date'
      );
    end if;
    perform private.check_hours(day.hours, format('exceptions[%s].hours', day.index), 50);
  end loop;

  insert into public.service_calendars as c
    (tenant_id, product_id, time_zone, duration_minutes, capacity, lead_minutes, cancellation_minutes, location)
  values (
    product.tenant_id, product.id, set_service_calendar.time_zone, set_service_calendar.duration_minutes,
    set_service_calendar.capacity, set_service_calendar.lead_minutes, set_service_calendar.cancellation_minutes,
    set_service_calendar.location
  )
  on conflict (tenant_id, product_id) do update
    set time_zone = excluded.time_zone,
        duration_minutes = excluded.duration_minutes,
        capacity = excluded.capacity,
        lead_minutes = excluded.lead_minutes,
        cancellation_minutes = excluded.cancellation_minutes,
        location = excluded.location;

  delete from public.service_hours h where h.tenant_id = product.tenant_id and h.product_id = product.id;
  insert into public.service_hours (tenant_id, product_id, weekday, opens, closes)
  select product.tenant_id, product.id, h.weekday, h.opens, h.closes
  from jsonb_to_recordset(hours) as h (weekday smallint, opens time, closes time);

  delete from public.service_exceptions e where e.tenant_id = product.tenant_id and e.product_id = product.id;
  insert into public.service_exceptions (tenant_id, product_id, date, opens, closes)
  select product.tenant_id, product.id, e.date, h.opens, h.closes
  from jsonb_to_recordset(exceptions) as e (date date, hours jsonb)
  left join lateral jsonb_to_recordset(e.hours) as h (opens time, closes time) on true;

  kept := private.calendar_record(product.tenant_id, product.id);
  perform private.bound_record(
    octet_length(kept::text), 1, 'The calendar is too large. Remove exceptions.', 'exceptions'
  );
  return kept;
end
$function$;

CREATE OR REPLACE FUNCTION private.set_unique_skus (
  wanted boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if wanted is not null and wanted <> private.has_unique_skus(private.tenant_id()) then
    if private.scope('tenant.write') is null then
      perform private.refuse('FORBIDDEN', 'Only admins may change whether skus are unique.', 'unique_skus', to_jsonb(wanted));
    end if;
    perform public.update_tenant(
      jsonb_build_object('settings', jsonb_build_object('catalog', jsonb_build_object('unique_skus', wanted)))
    );
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.settle_products (
  tenant_id   uuid,
  supplier_id uuid,
  most        integer
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  affected uuid[];
  withheld uuid[];
begin
  affected := array(
    select p.id
    from public.products p
    where p.tenant_id = settle_products.tenant_id and p.supplier_id = settle_products.supplier_id and p.status = 'active'
      and not private.may_sell(p.tenant_id, p.supplier_id, p.marketplace_id)
    order by p.id
    limit most
    for no key update
  );
  -- The trigger makes them inactive and records it.
  update public.products p set status = 'active' where p.id = any (affected);
  -- Each product is looked up by its id: a join would be planned for few rows, and be quadratic for many.
  withheld := array(
    select w.product_id
    from private.withheld_products w
    where w.tenant_id = settle_products.tenant_id and w.supplier_id = settle_products.supplier_id
      and private.may_sell(
        w.tenant_id, w.supplier_id, (select p.marketplace_id from public.products p where p.id = w.product_id)
      )
    order by w.product_id
    limit most - cardinality(affected)
  );
  delete from private.withheld_products w where w.product_id = any (withheld) and w.tenant_id = settle_products.tenant_id;
  update public.products p set status = 'active' where p.id = any (withheld) and p.status = 'inactive';
  return cardinality(affected) + cardinality(withheld) < most;
end
$function$;

CREATE OR REPLACE FUNCTION private.settle_supplier()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.settle_products(new.tenant_id, new.id, 500);
  insert into private.unsettled_suppliers (tenant_id, supplier_id)
  values (new.tenant_id, new.id)
  on conflict on constraint unsettled_suppliers_pkey do update
  set tried_at = excluded.tried_at, changed_at = excluded.changed_at;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.settle_supplier_slug()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  base text;
  number integer := 1;
begin
  if new.slug = '' then
    base := coalesce(private.slug_of(new.name), 'supplier-' || left(new.id::text, 8));
    base := case when private.is_uuid(base) then 'supplier-' || base else base end;
    new.slug := base;
    -- Two suppliers of one name may join at the same time. The lock makes the second see the slug of the first.
    perform private.hold('cap', 'slugs of suppliers of ' || new.tenant_id);
    while exists (
      select from public.suppliers s where s.tenant_id = new.tenant_id and s.slug = new.slug and s.id <> new.id
    ) loop
      number := number + 1;
      new.slug := private.numbered_slug(base, number);
    end loop;
  end if;
  perform private.insist(
    new.slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(new.slug) <= 200 and not private.is_uuid(new.slug), 'slug',
    'small letters, digits and hyphens, at most 200, and no id', to_jsonb(new.slug)
  );
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.settle_suppliers()
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  due private.unsettled_suppliers;
begin
  select u.* into due
  from private.unsettled_suppliers u
  where u.tried_at < clock_timestamp() - interval '30 seconds'
  order by u.tried_at
  limit 1
  for update skip locked;
  if due.supplier_id is null then
    return null;
  end if;
  if not private.settle_products(due.tenant_id, due.supplier_id, 1000) then
    -- After the others that are due.
    due.tried_at := clock_timestamp() - interval '31 seconds';
  elsif due.changed_at > clock_timestamp() - interval '2 minutes' then
    due.tried_at := clock_timestamp();
  else
    -- A transaction that was adding a product for sale at the change has ended, and the product was found.
    delete from private.unsettled_suppliers u where u.tenant_id = due.tenant_id and u.supplier_id = due.supplier_id;
    return due.supplier_id::text;
  end if;
  update private.unsettled_suppliers u
  set tried_at = due.tried_at
  where u.tenant_id = due.tenant_id and u.supplier_id = due.supplier_id;
  return due.supplier_id::text;
end
$function$;

CREATE OR REPLACE FUNCTION private.shares_of_order (
  settings jsonb,
  offered  jsonb,
  lines    jsonb
)
  RETURNS private.order_share[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  recipient public.delivery_recipient :=
    coalesce((settings #>> '{business,delivery,recipient}')::public.delivery_recipient, 'operator');
  per_supplier boolean := coalesce((offered ->> 'per_supplier')::boolean, false);
begin
  return array(
    with share as (
      select
        line.supplier_id, sum(line.price * line.quantity) as subtotal, bool_or(line.is_physical) as has_physical,
        coalesce(sum(line.grams) filter (where line.is_physical), 0) as grams
      from jsonb_to_recordset(lines) as line (
        supplier_id uuid, quantity integer, price numeric, is_physical boolean, grams numeric
      )
      group by line.supplier_id
    ),
    charged as (
      select
        s.supplier_id, s.subtotal,
        case when per_supplier and s.has_physical then private.delivery_price(offered, s.grams, s.subtotal) else 0 end
          as delivery_amount,
        false as delivers_all
      from share s
      union all
      -- Delivery that is charged once belongs to the operator's part, even if the operator sells nothing in the order.
      select null, 0, private.delivery_price(offered, sum(s.grams), sum(s.subtotal)), true
      from share s
      where not per_supplier
      having bool_or(s.has_physical) and private.delivery_price(offered, sum(s.grams), sum(s.subtotal)) > 0
    )
    select
      row(
        c.supplier_id, sum(c.subtotal), sum(c.delivery_amount),
        case when per_supplier and c.supplier_id is not null then recipient else 'operator' end, bool_or(c.delivers_all)
      )::private.order_share
    from charged c
    group by c.supplier_id
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.shares_order (
  order_id uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return coalesce(private.reach('orders.read') = 'supplier', false) and exists (
    select 1
    from public.order_parts p
    where p.order_id = shares_order.order_id and p.supplier_id <> private.supplier_id()
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.shown_slots (
  category_id uuid,
  placement   text,
  size        integer,
  region      text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant constant uuid := private.tenant_id();
  sees_all constant boolean := coalesce(private.scope('campaigns.read') = 'all', false);
  own_supplier constant uuid := private.supplier_id();
  seal constant text := private.promotion_seal(placement);
  branch constant uuid[] := private.category_branch(tenant, shown_slots.category_id);
  -- The same rule as in lists of the category.
  among constant uuid[] := case
    when private.sells_in_several_currencies(branch) then array(
      select p.id
      from public.products p
      where p.id = any (private.promoted_products(branch))
        and p.marketplace_id = any (private.marketplaces_asked(null, (private.currencies_in_use())[1]))
    )
  end;
begin
  if not exists (
    select 1 from public.categories c where c.tenant_id = tenant and c.id = shown_slots.category_id
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such category.', 'category_id', to_jsonb(shown_slots.category_id));
  end if;
  return (
    select coalesce(
      jsonb_agg(
        private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place, seal) || jsonb_build_object(
          'product_id', h.product_id, 'product_name', p.name,
          'bid_amount', case when own.is_shown then h.bid end, 'price', case when own.is_shown then h.price end
        )
        order by h.place
      ),
      '[]'
    )
    from private.places(
      tenant, branch, among, shown_slots.size, shown_slots.region, true
    ) as h
    join public.products p on p.tenant_id = tenant and p.id = h.product_id
    cross join lateral (select sees_all or coalesce(h.supplier_id = own_supplier, false) as is_shown) as own
    where h.place is not null
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.shows_export (
  scope        private.permission_scope,
  viewer_id    uuid,
  own_supplier uuid,
  asked_by     uuid,
  supplier_id  uuid
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
RETURN CASE scope WHEN 'all'::private.permission_scope THEN true WHEN 'own'::private.permission_scope THEN
  ((asked_by = viewer_id) AND (NOT (supplier_id IS DISTINCT FROM COALESCE(own_supplier, supplier_id)))) ELSE NULL::boolean END;

CREATE OR REPLACE FUNCTION private.store_counts (
  question   bytea,
  counts     private.product_count[],
  attributes json,
  snapshot   pg_snapshot
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  tenant uuid := private.tenant_id();
begin
  if pg_column_size(counts) + coalesce(octet_length(attributes::text), 0) > 262144
    or current_setting('transaction_read_only') = 'on' or current_setting('transaction_isolation') <> 'read committed'
    -- The snapshot of a long transaction may be older than catalog_changes.
    or now() < clock_timestamp() - interval '1 minute'
    or not private.try_hold('kept_counts', tenant::text)
    or exists (
      select
      from private.kept_counts k
      where k.tenant_id = tenant and k.kept_at > clock_timestamp() - interval '1 second'
    )
    -- Fewer are counted faster than an answer is kept.
    or not exists (select from public.products p where p.tenant_id = tenant offset 999)
  then
    return;
  end if;
  delete from private.kept_counts k
  where k.tenant_id = tenant
    and (
      k.question = store_counts.question
      or k.question in (
        select o.question
        from private.kept_counts o
        where o.tenant_id = tenant
        order by o.kept_at desc
        offset 19
      )
    );
  insert into private.kept_counts (tenant_id, question, counts, attributes, snapshot)
  values (tenant, store_counts.question, store_counts.counts, store_counts.attributes, store_counts.snapshot);
end
$function$;

CREATE OR REPLACE FUNCTION private.store_earlier_attempt()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.earlier_attempts (
    tenant_id, webhook_id, delivery_id, attempt, started_at, duration_ms, response_code, response_body, error
  )
  values (
    old.tenant_id, old.webhook_id, old.id, old.attempts,
    old.attempted_at, old.duration_ms, old.response_code, old.response_body, old.error
  );
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.store_mail_contents (
  contents jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  content record;
begin
  for content in
    select l.*, j as job
    from jsonb_to_recordset(contents) as l (id uuid, lease uuid, subject text, html text, text text, error text)
    join private.jobs j on j.queue = 'mails' and j.subject_id = l.id and j.lease = l.lease
  loop
    if content.html is null then
      -- Each attempt would fail.
      perform private.record_failed_mail(content.job, content.error, is_final => true);
    else
      insert into private.mail_contents (mail_id, tenant_id, subject, html, text)
      values (content.id, (content.job).tenant_id, content.subject, content.html, content.text)
      on conflict on constraint mail_contents_pkey do nothing;
      update public.mails m
      set subject = content.subject, error = coalesce(content.error, private.unused_own_template(m))
      where m.id = content.id;
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.store_outcome (
  key         text,
  fingerprint bytea,
  outcome     jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.idempotency_keys (user_id, tenant_id, key, fingerprint, outcome)
  values (auth.uid(), private.tenant_id(), store_outcome.key, store_outcome.fingerprint, store_outcome.outcome)
  -- The row of a key may be older than 24 hours and not deleted yet.
  on conflict on constraint key_is_unique_in_idempotency_keys do update
  set fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = excluded.created_at;
end
$function$;

CREATE OR REPLACE FUNCTION private.store_storefront_events (
  tenant_id uuid,
  events    private.storefront_event[]
)
  RETURNS integer[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  AS $function$
#variable_conflict use_column
declare
  today constant date := (now() at time zone 'utc')::date;
  known uuid[] := array(
    select k.id
    from private.storefront_events k
    where k.tenant_id = store_storefront_events.tenant_id
      and k.id = any (array(select e.id from unnest(events) as e where e.has_id))
      and k.received_on between today - 1 and today
  );
  places integer[];
begin
  with fresh as (
    select distinct on (e.id) e.*
    from unnest(events) as e
    where e.id <> all (known)
    order by e.id, e.place
  ),
  -- Another batch may insert the same event now. Around midnight both may be kept; the visitor's stage is the same.
  noted as (
    insert into private.storefront_events (
      tenant_id, id, received_on, occurred_at, stage, visitor, marketplace_id, product_id, supplier_id, category_id
    )
    select
      store_storefront_events.tenant_id, f.id, today, f.occurred_at, f.stage, f.visitor, f.marketplace_id, f.product_id,
      f.supplier_id, f.category_id
    from fresh f
    order by f.id
    on conflict do nothing
    returning id
  )
  select array_agg(f.place) into places
  from fresh f
  join noted n on n.id = f.id;
  return coalesce(places, '{}');
end
$function$;

CREATE OR REPLACE FUNCTION private.store_webhook_secrets()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    new.secret := coalesce(new.secret, private.new_webhook_secret());
    new.headers := coalesce(new.headers, '{}');
  end if;
  if new.secret is not null then
    perform private.check_webhook_secret(new.secret);
  end if;
  if new.headers is not null then
    perform private.check_webhook_headers(new.headers);
    new.header_names := array(select jsonb_object_keys(new.headers) order by 1);
  end if;

  if tg_op = 'INSERT' then
    insert into private.webhook_secrets (tenant_id, webhook_id, secret, headers)
    values (new.tenant_id, new.id, new.secret, new.headers)
    -- An upsert fires this trigger before it finds that the webhook exists.
    on conflict (webhook_id, tenant_id) do nothing;
  else
    update private.webhook_secrets s
    set headers = new.headers
    where s.webhook_id = new.id and new.headers is not null;
    update private.webhook_secrets s
    set previous_secret = s.secret, previous_until = now() + interval '24 hours', secret = new.secret
    -- Setting the same secret again keeps the previous one.
    where s.webhook_id = new.id and s.secret <> new.secret;
  end if;
  new.secret := null;
  new.headers := null;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.supplier_id (
  permission text
)
  RETURNS uuid
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return case when private.scope(permission) is not null then private.supplier_id() end;
end
$function$;

CREATE OR REPLACE FUNCTION private.suppliers_concerned (
  tenant_id uuid,
  data      jsonb
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  this_order constant uuid := (data #>> '{order,id}')::uuid;
begin
  if data ?| '{product,shipment,return}' then
    return array[coalesce(data -> 'shipment', data -> 'return', data -> 'product') ->> 'supplier_id']::uuid[];
  elsif data ? 'cancellation' then
    return array(
      select distinct i.supplier_id
      from public.order_cancellation_items c
      join public.order_items i on i.tenant_id = c.tenant_id and i.order_id = c.order_id and i.id = c.item_id
      where c.tenant_id = suppliers_concerned.tenant_id and c.order_id = this_order
        and c.cancellation_id = (data #>> '{cancellation,id}')::uuid
    );
  end if;
  return array(
    select p.supplier_id
    from public.order_parts p
    where p.tenant_id = suppliers_concerned.tenant_id and p.order_id = this_order
      and p.supplier_id is not null
    order by p.supplier_id
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.suspend_expired_keys()
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.members m
  set status = 'suspended'
  from public.api_keys k
  where k.expires_at <= now() and m.tenant_id = k.tenant_id and m.user_id = k.id and m.status = 'active'
$function$;

CREATE OR REPLACE FUNCTION private.sweep_exports()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.exports e
  set status = 'expired', files = '{}', expires_at = null
  where e.id in (select d.id from public.exports d where d.expires_at <= now() limit 1000);
  delete from public.exports e
  where e.id in (
    select d.id from public.exports d where d.finished_at <= now() - interval '90 days' limit 1000
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.sweep_files_of_tenant (
  tenant uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.media_sweeps (tenant_id, bucket, path)
  select tenant, o.bucket_id, o.name
  from storage.objects o
  where o.bucket_id in ('uploads', 'media', 'documents')
    and o.name collate "C" >= tenant || '/' and o.name collate "C" < tenant || '0'
    and not exists (select from private.media_sweeps s where s.bucket = o.bucket_id and s.path = o.name)
  limit 1000
  on conflict on constraint path_is_unique_in_media_sweeps do nothing;
  return found;
end
$function$;

CREATE OR REPLACE FUNCTION private.sweep_mails()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from public.mails m
  where m.id in (select d.id from public.mails d where d.created_at < now() - interval '90 days' limit 10000);
  delete from private.mail_counts c
  where c.subject in (
    select d.subject
    from private.mail_counts d
    where d.counted_at < now() - interval '1 hour'
    limit 10000
    for update skip locked
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.sweep_media()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from public.media_assets a
  using private.media_uploads u
  where u.created_at < now() - interval '1 day' and a.tenant_id = u.tenant_id and a.id = u.asset_id
    and a.status = 'uploading';
  delete from private.media_uploads u where u.created_at < now() - interval '1 day';

  -- Objects that were uploaded and never registered.
  insert into private.media_sweeps (tenant_id, bucket, path)
  select case when o.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/' then left(o.name, 36)::uuid else gen_random_uuid() end,
    'uploads', o.name
  from storage.objects o
  where o.bucket_id = 'uploads' and o.created_at < now() - interval '26 hours'
    and not exists (select from private.media_uploads u where u.path = o.name)
  limit 1000
  on conflict on constraint path_is_unique_in_media_sweeps do nothing;
end
$function$;

CREATE OR REPLACE FUNCTION private.tables_of_tenants()
  RETURNS SETOF regclass
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select c.oid::regclass
  from pg_catalog.pg_class c
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
    -- Jobs and paths of files outlast their tenant: the workers delete them when they have deleted the files.
    and c.oid <> all ('{private.tenant_removals,private.jobs,private.media_sweeps}'::regclass[])
    -- Rows of other tables go with the rows that they belong to: searching for them would read those of all tenants.
    and exists (
      select
      from pg_catalog.pg_index i
      where i.indrelid = c.oid and i.indkey[0] = a.attnum and i.indpred is null and i.indisvalid
    )
  -- Orders first and whole, after the movements that name them: nothing may be deleted from an order alone. Then what refers to
  -- others, which is newer, so that no statement deletes more than its rows.
  order by
    c.oid = 'public.inventory_movements'::regclass desc, c.oid = 'public.orders'::regclass desc, c.oid desc
$function$;

CREATE OR REPLACE FUNCTION private.tax_rate_of (
  tenant_id   uuid,
  country     text,
  region      text,
  category_id uuid,
  day         date
)
  RETURNS public.tax_rates
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return (
    with recursive line (id, parent_id, depth) as (
      select c.id, c.parent_id, 1
      from public.categories c
      where c.tenant_id = tax_rate_of.tenant_id and c.id = tax_rate_of.category_id
      union all
      select c.id, c.parent_id, l.depth + 1
      from line l
      join public.categories c on c.tenant_id = tax_rate_of.tenant_id and c.id = l.parent_id
    )
    select r
    from public.tax_rates r
    left join line l on l.id = r.category_id
    where r.tenant_id = tax_rate_of.tenant_id
      and r.country = tax_rate_of.country
      -- As in tax_rates_place_idx, which has '' for a whole country.
      and coalesce(private.folded_name(r.region), '') in ('', private.folded_name(tax_rate_of.region))
      and (r.category_id is null or l.id is not null)
      and daterange(r.valid_from, r.valid_to, '[]') @> tax_rate_of.day
    -- A rate for all products has no depth, and is last.
    order by r.region is null, l.depth
    limit 1
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.template_preview (
  id    text,
  token text
)
  RETURNS private.template_previews
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  preview private.template_previews;
begin
  select p.* into preview
  from private.template_previews p
  join public.members m on m.tenant_id = p.tenant_id and m.user_id = p.made_by and m.status = 'active'
    and (private.scope_of('content.manage', m.role) = 'all' or m.content_roles <> '{}')
  where p.token_sha256 = sha256(convert_to(token, 'utf8')) and p.expires_at > now() and p.template_id::text = lower(id);
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such preview, or it has ended.');
  end if;
  return preview;
end
$function$;

CREATE OR REPLACE FUNCTION private.unclaimed_customers (
  tenant_id uuid,
  email     text,
  but       uuid DEFAULT NULL::uuid
)
  RETURNS SETOF public.customers
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return query
  select c.*
  from public.customers c
  where c.tenant_id = unclaimed_customers.tenant_id
    and (
      c.email = unclaimed_customers.email and c.user_id is null
      or c.contact_email = unclaimed_customers.email and c.is_guest and c.is_listed
        -- An admin may have given a guest another role.
        and not exists (select from public.members m where m.user_id = c.user_id and m.role <> 'customer')
    )
    and c.id is distinct from but
  order by c.created_at, c.id
  for update of c;
end
$function$;

CREATE OR REPLACE FUNCTION private.uncount_order()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- If the tenant is deleted, all these rows are deleted too.
  if private.is_tenant_kept(old.tenant_id) then
    insert into private.new_sales (tenant_id, date, product_id, quantity, revenue)
    select
      i.tenant_id, (old.created_at at time zone 'UTC')::date, i.product_id, -sum(i.sold_quantity),
      -sum(i.price * i.sold_quantity)
    from public.order_items i
    where i.tenant_id = old.tenant_id and i.order_id = old.id
    group by i.tenant_id, i.product_id
    having sum(i.sold_quantity) <> 0;
  end if;
  return old;
end
$function$;

CREATE OR REPLACE FUNCTION private.unpublish_original (
  content public.content,
  comment text
)
  RETURNS public.content
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  before public.content_status := content.status;
begin
  if content.published_version_number is null then
    perform private.refuse('INVALID_TRANSITION', 'This content is not published.', 'move', '"unpublish"');
  end if;
  update public.content c
  -- Content that was changed since is a draft already.
  set status = case c.status when 'published' then 'draft' else c.status end, updated_at = now()
  where c.id = content.id
  returning * into content;
  perform private.record_move(content, 'unpublish', before, comment);
  return private.withdraw(content);
end
$function$;

CREATE OR REPLACE FUNCTION private.unscheduled (
  content   public.content,
  languages text[]         DEFAULT NULL::text[]
)
  RETURNS public.content
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  others text[] := array(
    select s.language
    from unnest(coalesce(content.scheduled_languages, array[content.language])) as s (language)
    where s.language <> all (languages)
  );
begin
  if content.scheduled_at is null then
    return content;
  end if;
  update public.content c
  set scheduled_languages = nullif(others, '{}'),
      scheduled_at = case when others <> '{}' then c.scheduled_at end,
      scheduled_version_number = case when others <> '{}' then c.scheduled_version_number end
  where c.id = content.id
  returning * into content;
  perform private.drop_unused_translations(content);
  perform private.record_content_assets(content);
  return content;
end
$function$;

CREATE OR REPLACE FUNCTION private.unused_own_template (
  mail public.mails
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select 'Your own letter is sent once the owner of the project has approved your mail.'
  from public.tenants t
  where t.id = mail.tenant_id and t.mail_status <> 'approved'
    and (
      private.needs_own_template(mail)
      or exists (select from public.email_templates e where e.tenant_id = mail.tenant_id and e.key = mail.template)
    )
$function$;

CREATE OR REPLACE FUNCTION private.update_customer (
  customer_id uuid,
  changes     jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  person constant public.customers := private.locked_person(update_customer.customer_id, 'customers.change');
begin
  perform private.known_only(changes, array['name', 'email', 'phone', 'language']);
  if person.erased_at is not null then
    perform private.refuse('CONFLICT', 'The personal data of this customer was erased.');
  elsif changes ? 'email' and private.scope('customers.change') <> 'all' then
    perform private.refuse('FORBIDDEN', 'You change the address of your account with Supabase Auth.', 'email', changes -> 'email');
  elsif changes ? 'email' and person.user_id is not null and not person.is_guest then
    perform private.refuse(
      'VALIDATION_ERROR', 'email must not be sent: the customer has an account, and changes its address there.', 'email',
      changes -> 'email'
    );
  end if;
  update public.customers c
  set name = case when changes ? 'name' then coalesce(changes ->> 'name', '') else c.name end,
      phone = case when changes ? 'phone' then changes ->> 'phone' else c.phone end,
      language = case when changes ? 'language' then changes ->> 'language' else c.language end,
      email = case when changes ? 'email' and not c.is_guest then lower(changes ->> 'email') else c.email end,
      contact_email = case when changes ? 'email' and c.is_guest then lower(changes ->> 'email') else c.contact_email end
  where c.id = person.id;
end
$function$;

CREATE OR REPLACE FUNCTION private.update_customer_address (
  address_id uuid,
  changes    jsonb,
  is_default boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  own constant public.customers := private.own_customer('addresses.write');
  kept constant private.customer_addresses := private.own_address(address_id, own);
begin
  if kept.is_default and not update_customer_address.is_default then
    perform private.refuse(
      'VALIDATION_ERROR', 'is_default must be true: make another address the default instead.', 'is_default', 'false'
    );
  end if;
  update private.customer_addresses a
  set address = private.checked_address(jsonb_strip_nulls(kept.address || coalesce(changes, '{}')), null, 'address')
  where a.tenant_id = kept.tenant_id and a.id = kept.id and changes <> '{}';
  if update_customer_address.is_default then
    perform private.make_default(kept);
  end if;
  return (
    select private.address_record(a) from private.customer_addresses a where a.tenant_id = kept.tenant_id and a.id = kept.id
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.update_shipment (
  order_id    uuid,
  shipment_id uuid,
  changes     jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  target public.orders;
  shipment public.shipments;
  wanted public.shipment_status;
begin
  perform private.require_permission('shipments.write', 'Your role may not change shipments.');
  target := private.seen_order(update_shipment.order_id);
  select * into target from public.orders o where o.id = target.id for update;
  select * into shipment
  from public.shipments s
  where s.tenant_id = target.tenant_id and s.order_id = target.id and s.id = update_shipment.shipment_id
    and (private.scope('shipments.write') = 'all' or s.supplier_id = private.supplier_id());
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such shipment.');
  end if;
  perform private.known_only(changes, '{carrier,tracking_number,tracking_url,note,status,resend}');

  update public.shipments s
  set carrier = case when changes ? 'carrier' then changes ->> 'carrier' else s.carrier end,
      tracking_number = case when changes ? 'tracking_number' then changes ->> 'tracking_number' else s.tracking_number end,
      tracking_url = case when changes ? 'tracking_url' then changes ->> 'tracking_url' else s.tracking_url end,
      note = case when changes ? 'note' then changes ->> 'note' else s.note end
  where s.id = shipment.id
  returning * into shipment;

  wanted := (changes ->> 'status')::public.shipment_status;
  if wanted is null then
    perform private.insist(not changes ? 'resend', 'resend', 'left out unless the status is lost', changes -> 'resend');
    return;
  end if;
  perform private.insist(
    not changes ? 'resend' or wanted = 'lost' and jsonb_typeof(changes -> 'resend') = 'boolean',
    'resend', 'true or false, and left out unless the status is lost', changes -> 'resend'
  );
  if wanted = shipment.status then
    perform private.refuse(
      'INVALID_TRANSITION', format('The shipment is %s already.', shipment.status), 'status', to_jsonb(wanted)
    );
  elsif wanted = 'void' and private.scope('shipments.void') is null and shipment.actor_id is distinct from auth.uid() then
    perform private.refuse(
      'FORBIDDEN', 'Only the user who created a shipment and admins may void it.', 'status', '"void"'
    );
  end if;
  perform private.end_shipment(target, shipment, wanted, coalesce((changes ->> 'resend')::boolean, false));
end
$function$;

CREATE OR REPLACE FUNCTION private.update_webhook_state (
  webhook_id uuid,
  reached    boolean,
  gone       boolean,
  failures   bigint
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
begin
  if update_webhook_state.gone then
    perform private.switch_webhook_off(update_webhook_state.webhook_id, 'gone');
  elsif update_webhook_state.reached then
    update public.webhooks w
    set failing_since = null
    where w.id = update_webhook_state.webhook_id and w.failing_since is not null;
    delete from private.webhook_failures f where f.webhook_id = update_webhook_state.webhook_id;
  else
    perform private.record_failures(update_webhook_state.webhook_id, update_webhook_state.failures);
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.use_invitation (
  token   text,
  account uuid
)
  RETURNS public.invitations
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  taken public.invitations;
begin
  -- If several requests use the same token at the same time, one of them succeeds.
  update public.invitations i
  set accepted_at = now(), accepted_by = account
  where i.id = (private.invitation_of(token)).id and i.accepted_at is null
  returning i.* into taken;
  if taken.id is null then
    perform private.refuse('VALIDATION_ERROR', 'The invitation has already been accepted.', 'invitation', 'null');
  end if;
  return taken;
end
$function$;

CREATE OR REPLACE FUNCTION private.usual_audience (
  data jsonb
)
  RETURNS public.mail_audience
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when data ? 'order' then 'buyer'
    when data ? 'user' then null
    when data ? 'product' then 'supplier'
    else 'admins'
  end::public.mail_audience
$function$;

CREATE OR REPLACE FUNCTION private.wait_after (
  job private.jobs
)
  RETURNS interval
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select q.waits[least(greatest(job.attempts, 1), cardinality(q.waits))] from private.queues q where q.queue = job.queue
$function$;

CREATE OR REPLACE FUNCTION private.wake_export_dispatch()
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$ select private.wake_for_jobs('{small_exports,large_exports,export_files}') $function$;

CREATE OR REPLACE FUNCTION private.wake_for_jobs (
  queues text[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  waiting private.queues;
begin
  for waiting in select q.* from private.queues q where q.queue = any (queues) order by q.queue loop
    if exists (select from private.due_jobs_of(waiting, 1, clock_timestamp())) then
      perform private.wake(waiting.worker);
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.wake_workers()
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$ select private.wake_for_jobs(array(select q.queue from private.queues q)) $function$;

CREATE OR REPLACE FUNCTION private.was_approved (
  product_id uuid,
  tenant_id  uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return exists (
    select
    from public.product_approvals a
    where a.product_id = was_approved.product_id and a.tenant_id = was_approved.tenant_id
      and (a.status = 'approved' or a.pending_changes is not null)
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.withdraw (
  content public.content
)
  RETURNS public.content
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from public.published_content p where p.content_id = content.id;
  update public.content_localizations l
  set status = case l.status when 'published' then 'approved' else l.status end,
      withdrawn_version_number = l.published_version_number, published_version_number = null
  where l.content_id = content.id and l.published_version_number is not null;
  update public.content c
  set published_version_number = null, published_at = null, unpublish_at = null
  where c.id = content.id
  returning * into content;
  content := private.unscheduled(content);
  perform private.record_content_assets(content);
  return content;
end
$function$;

CREATE OR REPLACE FUNCTION private.withdraw_translation (
  content  public.content,
  language text
)
  RETURNS public.content
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  localization public.content_localizations := private.localization_of(content, language);
begin
  if localization.published_version_number is null then
    perform private.refuse(
      'INVALID_TRANSITION', format('The translation into %s is not published.', language),
      'languages', to_jsonb(array[language])
    );
  end if;
  update public.content_localizations l
  -- Content that was changed since is a draft already.
  set published_version_number = null, last_updated = now(),
      status = case l.status when 'published' then 'approved' else l.status end
  where l.id = localization.id;
  if content.published_version_number is not null then
    perform private.write_published_texts(content);
  end if;
  content := private.unscheduled(content, array[language]);
  perform private.drop_unused_translations(content);
  perform private.record_content_assets(content);
  return content;
end
$function$;

CREATE OR REPLACE FUNCTION private.withhold_product()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not private.may_sell(new.tenant_id, new.supplier_id, new.marketplace_id) then
    new.status := 'inactive';
    insert into private.withheld_products (product_id, tenant_id, supplier_id)
    values (new.id, new.tenant_id, new.supplier_id)
    on conflict on constraint withheld_products_pkey do nothing;
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.without_secret (
  outcome jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when jsonb_typeof(outcome #> '{answer,secret}') = 'string' then
      jsonb_set(
        outcome, '{answer}',
        (outcome -> 'answer') || jsonb_build_object(
          'secret', null,
          'secret_sha256', encode(sha256(convert_to(outcome #>> '{answer,secret}', 'utf8')), 'hex')
        )
      )
    when jsonb_typeof(outcome #> '{answer,token}') = 'string' then jsonb_set(outcome, '{answer,token}', 'null')
    when jsonb_typeof(outcome #> '{answer,client_secret}') = 'string'
      then jsonb_set(outcome, '{answer,client_secret}', 'null')
    when jsonb_typeof(outcome #> '{answer,invitation,token}') = 'string'
      then jsonb_set(outcome, '{answer,invitation,token}', 'null')
    else outcome
  end
$function$;

CREATE OR REPLACE FUNCTION private.write_audit (
  source      private.audit_source,
  action      public.audit_action,
  record_type text,
  records     private.audited_record[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into public.audit_log (
    tenant_id, actor, actor_id, supplier_id, operation, action, record_type, record_id, fields, address
  )
  select
    r.tenant_id, source.actor, source.actor_id, source.supplier_id, source.operation, write_audit.action,
    write_audit.record_type, r.record_id, r.fields, source.address
  from unnest(records) as r
  -- The records of a tenant that is being removed have no log any more.
  where exists (select from public.tenants t where t.id = r.tenant_id)
    and (source.actor = 'service' or r.tenant_id = source.tenant_id);
end
$function$;

CREATE OR REPLACE FUNCTION private.write_mail (
  template       text,
  cause_id       uuid,
  tenant_id      uuid,
  recipients     private.recipient[],
  variables      jsonb,
  is_test        boolean             DEFAULT false,
  is_for_members boolean             DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.write_mails(array(
    select row(
      write_mail.tenant_id, write_mail.template, write_mail.cause_id, null, null, r, write_mail.variables,
      write_mail.is_test, false, write_mail.is_for_members, null
    )::private.new_mail
    from unnest(recipients) as r
  ));
end
$function$;

CREATE OR REPLACE FUNCTION private.write_mail_of_application()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.write_mail(
    'application_received', new.id, new.tenant_id,
    array(select r from private.members_to_notify(new.tenant_id, null, null) r), private.application_facts(new),
    is_for_members => true
  );
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.write_mail_of_decision()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.write_mail(
    'application_decided', new.id, new.tenant_id,
    array[private.recipient(new.tenant_id, new.email, new.name, null, null)], private.application_facts(new)
  );
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.write_mail_of_invitation()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The mail gets the token when it is rendered, so that this table never contains it.
  perform private.write_mail(
    'invitation', new.id, new.tenant_id,
    array[private.recipient(new.tenant_id, new.email, '', null, null)],
    jsonb_build_object('invitation', jsonb_build_object('id', new.id, 'role', new.role, 'expires_at', new.expires_at))
  );
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.write_mail_of_review (
  product  public.products,
  decision public.approval_status,
  reason   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.write_mail(
    'product_decided', gen_random_uuid(), product.tenant_id,
    array(select r from private.members_to_notify(product.tenant_id, product.supplier_id, product.marketplace_id) r),
    jsonb_build_object(
      'product', jsonb_build_object('id', product.id, 'name', product.name),
      'review', jsonb_build_object('decision', decision, 'reason', reason)
    )
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.write_mails (
  mails private.new_mail[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into public.mails (
    tenant_id, template, cause_id, event_id, event_at, marketplace_id, "to", name, languages, variables, is_test,
    is_unpaid, is_for_members, order_id, status, next_attempt_at, error
  )
  select
    m.tenant_id, m.template, m.cause_id, m.event_id, m.event_at, (m.recipient).marketplace_id, (m.recipient).address,
    (m.recipient).name, (m.recipient).languages, m.variables, m.is_test, m.is_unpaid,
    m.is_for_members, m.order_id,
    case when m.number > m.most then 'suppressed' else 'pending' end::public.mail_status,
    case when m.number <= m.most then now() end,
    case when m.number > m.most then format('This would be more than the %s mails of one event.', m.most) end
  from (
    select
      w.*,
      b.most,
      row_number() over (partition by w.tenant_id, w.cause_id, w.is_for_members order by w.position) + (
        select count(*)
        from (
          select from public.mails m
          where m.tenant_id = w.tenant_id and m.cause_id = w.cause_id and m.is_for_members = w.is_for_members
          limit b.most
        ) as before
      ) as number
    from unnest(write_mails.mails) with ordinality as w (
      tenant_id, template, cause_id, event_id, event_at, recipient, variables, is_test, is_unpaid, is_for_members,
      order_id, position
    )
    cross join lateral private.cap(case when w.is_for_members then 'order_mails_per_event' else 'mails_per_event' end) as b (most)
    where private.is_email((w.recipient).address)
    order by w.position
  ) m
  on conflict on constraint cause_id_is_unique_in_mails do nothing;
end
$function$;

CREATE OR REPLACE FUNCTION private.write_mails_of_events()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.write_mails(array(
    select row(
      e.tenant_id, w.template, e.id, e.id, e.created_at, r.recipient,
      private.reader_of_order(w.audience, e.payload -> 'data', r.recipient, s),
      -- Members hear of every order, also of those that are not paid yet.
      false, u.is_unpaid and not w.is_for_members, w.is_for_members and e.payload -> 'data' ? 'order',
      (e.payload #>> '{data,order,id}')::uuid
    )::private.new_mail
    from (
      -- Looked up once for each kind of event: an import writes thousands of events in one statement.
      select k.*, l.*, coalesce(l.audience <> 'buyer', false) as is_for_members
      from (select distinct e.tenant_id, e.name, e.status from new_events e) k
      cross join lateral private.mail_kinds_on(k.tenant_id, k.name, k.status) as l
    ) w
    join new_events e
      on e.tenant_id = w.tenant_id and e.name = w.name and e.status is not distinct from w.status
    cross join lateral private.recipients_of(
      e.tenant_id, e.payload -> 'data', coalesce(w.audience, private.usual_audience(e.payload -> 'data'))
    ) r
    left join public.suppliers s on s.tenant_id = e.tenant_id and s.id = r.supplier_id
    cross join lateral private.is_unpaid_by_buyer(e.tenant_id, e.name, e.payload -> 'data') as u (is_unpaid)
    where private.is_mail_due(w.template, e.tenant_id, e.payload -> 'data')
    -- Within the bound of an event, the built-in mails come first, and of them one for each supplier.
    order by e.created_at, w.is_own, r.place, w.audience nulls first
  ));
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.write_order_lines (
  tenant   uuid,
  order_id uuid,
  buyer    uuid,
  shares   private.order_share[],
  lines    jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
begin
  insert into public.order_parts (
    tenant_id, order_id, supplier_id, customer_id, subtotal, delivery_amount, delivery_recipient, delivers_all, legal
  )
  select
    tenant, write_order_lines.order_id, share.supplier_id, buyer, share.subtotal, share.delivery_amount,
    share.delivery_recipient, share.delivers_all,
    -- A copy, so that later changes of the supplier do not change the order.
    coalesce(
      (
        select s.legal - '{email,phone,register_number,self_certified}'::text[]
        from public.suppliers s
        where s.tenant_id = tenant and s.id = share.supplier_id
      ),
      '{}'
    )
  from unnest(shares) as share;

  insert into public.order_items
    (tenant_id, order_id, position, product_id, variant_id, supplier_id, name, quantity, starts_at, price)
  select
    tenant, write_order_lines.order_id, line.position, line.product_id, line.variant_id, line.supplier_id, line.name,
    line.quantity, line.starts_at, line.price
  from jsonb_to_recordset(lines) as line (
    position integer, product_id uuid, variant_id uuid, supplier_id uuid, name text, quantity integer,
    starts_at timestamptz, price numeric
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.write_variants (
  product public.products,
  listed  jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Two variants may swap their skus, so a sku that changes is removed first.
  update public.product_variants v
  set sku = null
  from jsonb_to_recordset(listed) as l (id uuid, sku text)
  where v.tenant_id = product.tenant_id
    and v.product_id = product.id
    and v.id = l.id
    and v.sku <> l.sku;

  begin
    update public.product_variants v
    set name = wanted.name, sku = wanted.sku, price = wanted.price, compare_at_price = wanted.compare_at_price,
        position = wanted.position
    from (
      select
        v.id,
        l.value ->> 'name' as name,
        case when l.value ? 'sku' then l.value ->> 'sku' else v.sku end as sku,
        private.wanted_price(l.value, v.price, product.price, false) as price,
        case when l.value ? 'compare_at_price' then (l.value ->> 'compare_at_price')::numeric else v.compare_at_price end
          as compare_at_price,
        (l.value ->> 'position')::integer as position
      from jsonb_array_elements(listed) as l (value)
      join public.product_variants v
        on v.tenant_id = product.tenant_id and v.product_id = product.id and v.id = (l.value ->> 'id')::uuid
    ) as wanted
    where v.id = wanted.id
      and (v.name, v.sku, v.price, v.compare_at_price, v.position)
        is distinct from (wanted.name, wanted.sku, wanted.price, wanted.compare_at_price, wanted.position);

    insert into public.product_variants (id, product_id, name, sku, price, compare_at_price, position)
    select
      (l.value ->> 'id')::uuid, product.id, l.value ->> 'name', l.value ->> 'sku',
      private.wanted_price(l.value, null, product.price, true), (l.value ->> 'compare_at_price')::numeric,
      (l.value ->> 'position')::integer
    from jsonb_array_elements(listed) as l (value)
    where (l.value ->> 'is_new')::boolean;
  exception
    when unique_violation then
      perform private.refuse_taken_sku(product, listed);
      raise;
  end;
end
$function$;

CREATE OR REPLACE FUNCTION public.approve_product (
  product_id uuid,
  reason     text                     DEFAULT NULL::text,
  updated_at timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.approve_product(product_id, reason, updated_at);
  return (select private.shown_record(to_jsonb(r)) || private.review_of(r.id) from private.product_records r where r.id = product_id);
end
$function$;

REVOKE ALL ON FUNCTION "public"."approve_product"(uuid, text, timestamp WITH time zone) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.approve_supplier_application (
  application_id uuid,
  reason         text DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.approve_supplier_application(application_id, reason);
end
$function$;

REVOKE ALL ON FUNCTION "public"."approve_supplier_application"(uuid, text) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.campaign_report (
  campaign_id uuid,
  "from"      date DEFAULT NULL::date,
  "to"        date DEFAULT NULL::date
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  answer jsonb;
begin
  perform private.require_permission('campaigns.read', 'Your role may not read reports of campaigns.');
  if not exists (select 1 from public.campaigns c where c.id = campaign_report.campaign_id) then
    perform private.refuse('NOT_FOUND', 'There is no such campaign.');
  end if;

  select jsonb_build_object(
    'campaign_id', campaign_report.campaign_id,
    'currency', (
      select m.currency
      from public.campaigns c
      join public.marketplaces m on m.id = c.marketplace_id
      where c.id = campaign_report.campaign_id
    ),
    'totals', private.placement_ratios(
      coalesce(sum(s.impressions), 0), coalesce(sum(s.clicks), 0), coalesce(sum(s.spend), 0),
      coalesce(sum(s.sales_count), 0), coalesce(sum(s.sales_amount), 0)
    ),
    'daily', coalesce(jsonb_agg(to_jsonb(s) - 'tenant_id' order by s.date), '[]')
  )
  into answer
  from public.campaign_statistics s
  where s.campaign_id = campaign_report.campaign_id
    and s.date >= coalesce("from", '-infinity') and s.date <= coalesce("to", 'infinity');
  return answer;
end
$function$;

CREATE OR REPLACE FUNCTION public.change_inventory (
  product_id          uuid,
  quantity            integer DEFAULT NULL::integer,
  operation           text    DEFAULT NULL::text,
  variant_id          uuid    DEFAULT NULL::uuid,
  note                text    DEFAULT NULL::text,
  low_stock_threshold integer DEFAULT NULL::integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  changed public.inventory;
begin
  perform private.require_permission('inventory.write', 'Your role may not change inventory.');

  perform private.check_stock_change(
    change_inventory.product_id, change_inventory.quantity, change_inventory.operation, change_inventory.variant_id,
    change_inventory.low_stock_threshold
  );

  perform private.explain_stock_change(coalesce(change_inventory.operation, 'set'), change_inventory.note);
  begin
    update public.inventory i
    set quantity = case
          when change_inventory.quantity is null then i.quantity
          when change_inventory.operation = 'add' then i.quantity + change_inventory.quantity
          when change_inventory.operation = 'subtract' then i.quantity - change_inventory.quantity
          else change_inventory.quantity
        end,
        low_stock_threshold = coalesce(change_inventory.low_stock_threshold, i.low_stock_threshold)
    where i.product_id = change_inventory.product_id
      and i.variant_id is not distinct from change_inventory.variant_id
    returning * into changed;
  exception
    when numeric_value_out_of_range then
      perform private.refuse(
        'VALIDATION_ERROR', 'The stock must be at most 2147483647 pieces.',
        'quantity', to_jsonb(change_inventory.quantity)
      );
  end;
  if changed.id is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no such variant.', 'variant_id', to_jsonb(change_inventory.variant_id)
    );
  end if;

  return jsonb_build_object(
    'product_id', changed.product_id, 'variant_id', changed.variant_id, 'quantity', changed.quantity,
    'reserved', changed.reserved, 'available', changed.quantity - changed.reserved,
    'low_stock_threshold', changed.low_stock_threshold
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.create_api_key (
  name        text,
  role        public.member_role       DEFAULT NULL::public.member_role,
  supplier_id uuid                     DEFAULT NULL::uuid,
  scopes      text[]                   DEFAULT NULL::text[],
  expires_at  timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.create_api_key(name, role, supplier_id, scopes, expires_at);
end
$function$;

REVOKE ALL ON FUNCTION "public"."create_api_key"(text, public.member_role, uuid, text[], timestamp WITH time zone) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.create_customer (
  name     text,
  email    text DEFAULT NULL::text,
  phone    text DEFAULT NULL::text,
  language text DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  created uuid := private.customer_of_address(lower(create_customer.email));
begin
  if created is null then
    insert into public.customers (name, email, phone, language)
    values (create_customer.name, lower(create_customer.email), create_customer.phone, create_customer.language)
    returning id into created;
  end if;
  return (select to_jsonb(d) from public.customer_details d where d.id = created);
end
$function$;

REVOKE ALL ON FUNCTION "public"."create_customer"(text, text, text, text) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.create_customer_address (
  address    jsonb,
  is_default boolean DEFAULT false
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.create_customer_address(private.nfc(address), is_default);
end
$function$;

REVOKE ALL ON FUNCTION "public"."create_customer_address"(jsonb, boolean) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.create_email_template (
  key            text,
  name           text,
  subject        jsonb,
  html_content   jsonb,
  text_content   jsonb                DEFAULT NULL::jsonb,
  variables      text[]               DEFAULT '{}'::text[],
  trigger_events text[]               DEFAULT '{}'::text[],
  "to"           public.mail_audience DEFAULT NULL::public.mail_audience
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  created public.email_templates;
begin
  insert into public.email_templates (key, name, subject, html_content, text_content, variables, trigger_events, "to")
  values (
    create_email_template.key, create_email_template.name, create_email_template.subject,
    create_email_template.html_content, create_email_template.text_content, create_email_template.variables,
    create_email_template.trigger_events, create_email_template."to"
  )
  returning * into created;
  return to_jsonb(created);
end
$function$;

REVOKE ALL ON FUNCTION "public"."create_email_template"(text, text, jsonb, jsonb, jsonb, text[], text[], public.mail_audience) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.create_invitation (
  email       text,
  role        public.member_role,
  supplier_id uuid               DEFAULT NULL::uuid,
  verified    boolean            DEFAULT NULL::boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.create_invitation(email, role, supplier_id, verified);
end
$function$;

REVOKE ALL ON FUNCTION "public"."create_invitation"(text, public.member_role, uuid, boolean) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.create_product (
  name             text,
  price            numeric,
  description      text                  DEFAULT ''::text,
  currency         text                  DEFAULT NULL::text,
  marketplace_id   uuid                  DEFAULT NULL::uuid,
  supplier_id      uuid                  DEFAULT NULL::uuid,
  category_id      uuid                  DEFAULT NULL::uuid,
  external_id      text                  DEFAULT NULL::text,
  kind             public.product_kind   DEFAULT 'physical'::public.product_kind,
  track_inventory  boolean               DEFAULT NULL::boolean,
  status           public.product_status DEFAULT 'active'::public.product_status,
  images           jsonb                 DEFAULT '[]'::jsonb,
  attributes       jsonb                 DEFAULT '[]'::jsonb,
  physical         jsonb                 DEFAULT NULL::jsonb,
  template_id      uuid                  DEFAULT NULL::uuid,
  variants         jsonb                 DEFAULT '[]'::jsonb,
  inventory        jsonb                 DEFAULT '{}'::jsonb,
  slug             text                  DEFAULT NULL::text,
  description_html text                  DEFAULT NULL::text,
  safety           jsonb                 DEFAULT NULL::jsonb,
  compare_at_price numeric               DEFAULT NULL::numeric
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  created public.products;
  listed jsonb;
begin
  insert into public.products
    (name, price, compare_at_price, description, description_html, currency, marketplace_id, supplier_id, category_id,
     external_id, kind, track_inventory, status, images, attributes, physical, safety, template_id, slug)
  values (
    create_product.name, create_product.price, create_product.compare_at_price, create_product.description,
    create_product.description_html, create_product.currency,
    coalesce(create_product.marketplace_id, private.sole_marketplace_id()),
    coalesce(create_product.supplier_id, private.supplier_id()),
    create_product.category_id, create_product.external_id, create_product.kind,
    coalesce(create_product.track_inventory, create_product.kind = 'physical'), create_product.status,
    create_product.images, create_product.attributes, create_product.physical, create_product.safety,
    create_product.template_id, create_product.slug
  )
  returning * into created;
  if not created.track_inventory and (create_product.inventory ->> 'quantity')::integer > 0 then
    perform private.refuse(
      'VALIDATION_ERROR', 'inventory must be left out: this product has no stock.', 'inventory.quantity',
      create_product.inventory -> 'quantity'
    );
  end if;
  perform private.check_variants(created, create_product.variants);
  perform private.refuse_repeated_variants(created, create_product.variants);

  select coalesce(jsonb_agg(sent.value || jsonb_build_object('id', gen_random_uuid(), 'position', sent.position)), '[]')
  into listed
  from jsonb_array_elements(create_product.variants) with ordinality as sent (value, position);

  if listed <> '[]' then
    begin
      insert into public.product_variants (id, product_id, name, sku, price, compare_at_price, position)
      select
        (v.value ->> 'id')::uuid, created.id, v.value ->> 'name', v.value ->> 'sku',
        private.wanted_price(v.value, null, created.price, true), (v.value ->> 'compare_at_price')::numeric,
        (v.value ->> 'position')::integer
      from jsonb_array_elements(listed) as v (value);
    exception
      when unique_violation then
        perform private.refuse_taken_sku(created, listed);
        raise;
    end;
  end if;

  perform private.write_opening_stock(created.id, create_product.inventory, listed);
  return (select private.shown_record(to_jsonb(r)) || private.review_of(r.id) from private.product_records r where r.id = created.id);
end
$function$;

REVOKE ALL
  ON FUNCTION
    "public"."create_product"(text, numeric, text, text, uuid, uuid, uuid, text, public.product_kind, boolean, public.product_status, jsonb, jsonb, jsonb, uuid, jsonb, jsonb, text,
    text, jsonb, numeric)
  FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.create_supplier_application (
  name    text,
  email   text,
  country text,
  legal   jsonb DEFAULT '{}'::jsonb,
  message text  DEFAULT ''::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.create_supplier_application(name, email, country, legal, message);
end
$function$;

CREATE OR REPLACE FUNCTION public.create_tax_rate (
  country     text,
  rate        numeric,
  name        text,
  region      text    DEFAULT NULL::text,
  category_id uuid    DEFAULT NULL::uuid,
  valid_from  date    DEFAULT NULL::date,
  valid_to    date    DEFAULT NULL::date
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  created public.tax_rates;
begin
  insert into public.tax_rates (country, region, category_id, rate, name, valid_from, valid_to)
  values (
    create_tax_rate.country, create_tax_rate.region, create_tax_rate.category_id, trim_scale(create_tax_rate.rate),
    create_tax_rate.name, create_tax_rate.valid_from, create_tax_rate.valid_to
  )
  returning * into created;
  return to_jsonb(created);
exception
  when exclusion_violation then
    perform private.refuse_overlapping_tax_rate(to_jsonb(create_tax_rate.valid_from));
    return null;
end
$function$;

REVOKE ALL ON FUNCTION "public"."create_tax_rate"(text, numeric, text, text, uuid, date, date) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.email_template_preview (
  template_id    uuid,
  marketplace_id uuid    DEFAULT NULL::uuid,
  is_test        boolean DEFAULT false
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  template public.email_templates;
begin
  if is_test then
    perform private.check_may_test_mails();
  end if;
  select t.* into template from public.email_templates t where t.id = email_template_preview.template_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such e-mail template.');
  end if;
  return (
    select jsonb_build_object(
      'key', template.key,
      'own', jsonb_build_object(
        'subject', template.subject, 'html_content', template.html_content, 'text_content', template.text_content
      ),
      'tenant', jsonb_build_object('name', n.name),
      'time_zone', n.time_zone,
      'marketplace', (
        select private.mail_marketplace(m)
        from public.marketplaces m
        where m.tenant_id = template.tenant_id
          and (email_template_preview.marketplace_id is null or m.id = email_template_preview.marketplace_id)
        order by m.status = 'active' desc, m.created_at, m.id
        limit 1
      )
    )
    from public.tenants n
    where n.id = template.tenant_id
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.erase_personal_data (
  customer_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.erase_personal_data(customer_id);
end
$function$;

REVOKE ALL ON FUNCTION "public"."erase_personal_data"(uuid) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.export_products (
  after          uuid                  DEFAULT NULL::uuid,
  "limit"        integer               DEFAULT 500,
  marketplace_id uuid                  DEFAULT NULL::uuid,
  supplier_id    uuid                  DEFAULT NULL::uuid,
  category       uuid                  DEFAULT NULL::uuid,
  status         public.product_status DEFAULT NULL::public.product_status
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  answer jsonb;
begin
  perform private.require_permission('products.export', 'Your role may not export products.');
  execute $query$
    with recursive branch (id) as (
      select c.id from public.categories c where c.id = $6
      union
      select c.id from branch b join public.categories c on c.parent_id = b.id
    ),
    page as materialized (
      select p.id
      from public.products p
      where p.tenant_id = $1 and p.status <> 'discontinued'
    $query$
    || case when after is null then '' else ' and p.id > $2' end
    || case when export_products.marketplace_id is null then '' else ' and p.marketplace_id = $4' end
    || case when export_products.supplier_id is null then '' else ' and p.supplier_id = $5' end
    || case when category is null then '' else ' and p.category_id in (select b.id from branch b)' end
    || case when export_products.status is null then '' else ' and p.status = $7' end
    || $query$
      order by p.tenant_id, p.id
      limit $3
    )
    select coalesce(jsonb_agg(l.line order by l.id), '[]')
    from private.product_lines((select array_agg(page.id) from page)) as l
  $query$
  into answer
  using
    private.tenant_id(), after, least(greatest("limit", 1), 1000), export_products.marketplace_id,
    export_products.supplier_id, category, export_products.status;
  return answer;
end
$function$;

CREATE OR REPLACE FUNCTION public.fail_media_cleaning (
  asset_id uuid,
  lease    uuid,
  error    text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.fail_job(private.leased_job('media_cleanings', asset_id, lease), error)
$function$;

REVOKE ALL ON FUNCTION "public"."fail_media_cleaning"(uuid, uuid, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.finish_media_cleaning (
  asset_id  uuid,
  path      text,
  size      bigint,
  resizable boolean,
  width     integer DEFAULT NULL::integer,
  height    integer DEFAULT NULL::integer
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  is_same boolean;
begin
  -- The asset before the row that refers to it, as when it is deleted: the other order could deadlock.
  update public.media_assets a
  set size = finish_media_cleaning.size, cleaned = true,
      -- A WebP loses its rotation. What Storage cannot decode stays as it is.
      resizable = finish_media_cleaning.resizable and (a.resizable or a.content_type = 'image/webp'),
      width = coalesce(finish_media_cleaning.width, a.width), height = coalesce(finish_media_cleaning.height, a.height)
  where a.id = finish_media_cleaning.asset_id and a.bucket = 'media' and a.path = finish_media_cleaning.path;
  is_same := found;
  perform private.end_job('media_cleanings', finish_media_cleaning.asset_id);
  return is_same;
end
$function$;

CREATE OR REPLACE FUNCTION public.get_customer_address (
  address_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.get_customer_address(address_id);
end
$function$;

REVOKE ALL ON FUNCTION "public"."get_customer_address"(uuid) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.get_inventory (
  product_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  answer jsonb;
begin
  perform private.require_permission('inventory.read', 'Your role may not read inventory.');

  select jsonb_build_object(
    'product_id', p.id,
    'quantity', s.quantity,
    'reserved', s.reserved,
    'available', s.quantity - s.reserved,
    'stock', jsonb_agg(
      jsonb_build_object(
        'variant_id', i.variant_id, 'variant_name', v.name, 'sku', v.sku, 'quantity', i.quantity,
        'reserved', i.reserved, 'available', i.quantity - i.reserved,
        'low_stock_threshold', i.low_stock_threshold,
        'low_stock', i.low_stock_threshold > 0 and i.quantity - i.reserved <= i.low_stock_threshold,
        'updated_at', i.updated_at
      )
      order by v.position nulls first, v.id
    ),
    -- The ledger has the pieces that an order has reserved and neither released nor shipped.
    'reservations', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'order_id', r.order_id, 'variant_id', r.variant_id, 'quantity', r.quantity, 'since', r.since
          )
          order by r.since, r.order_id
        ),
        '[]'
      )
      from (
        select m.order_id, m.variant_id, sum(m.reserved_change) as quantity, min(m.created_at) as since
        from public.inventory_movements m
        where m.tenant_id = p.tenant_id and m.product_id = p.id and m.order_id is not null
        group by m.order_id, m.variant_id
        having sum(m.reserved_change) > 0
        order by since, m.order_id
        limit 1000
      ) as r
    )
  )
  into answer
  from public.products p
  join private.product_stocks s on s.tenant_id = p.tenant_id and s.product_id = p.id
  join public.inventory i on i.tenant_id = p.tenant_id and i.product_id = p.id
  left join public.product_variants v on v.tenant_id = i.tenant_id and v.product_id = i.product_id and v.id = i.variant_id
  where p.id = get_inventory.product_id and p.status <> 'discontinued'
  group by p.tenant_id, p.id, s.quantity, s.reserved;
  if answer is null then
    perform private.refuse('NOT_FOUND', 'There is no such product.');
  end if;
  return answer;
end
$function$;

CREATE OR REPLACE FUNCTION public.get_placement_category (
  category_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  category public.categories;
  configured public.placement_categories;
begin
  perform private.require_permission('placement_prices.read', 'Your role may not read the prices of placement.');
  select * into category from public.categories c where c.id = get_placement_category.category_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such category.');
  end if;
  configured := private.placement_category(category.tenant_id, category.id);
  return jsonb_build_object('name', category.name)
    || to_jsonb(configured) - '{tenant_id,other_prices,created_at,updated_at}'::text[]
    || jsonb_build_object(
      'prices', (select coalesce(jsonb_agg(to_jsonb(p)), '[]') from private.placement_prices(configured) as p)
    );
end
$function$;

CREATE OR REPLACE FUNCTION public.get_placement_settings()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  perform private.require_permission('placement_settings.read', 'Your role may not read the settings of placement.');
  return to_jsonb(private.placement_settings(private.tenant_id())) - '{tenant_id,created_at,updated_at}'::text[];
end
$function$;

CREATE OR REPLACE FUNCTION public.get_product (
  product_id uuid
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return (
    select (private.shown_record(to_jsonb(d)) || private.review_of(d.id))::json from public.product_details d where d.id = product_id
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.get_product_by_slug (
  slug           text,
  marketplace_id uuid DEFAULT NULL::uuid
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  former boolean;
  ids uuid[];
  shown json[];
begin
  -- A product that has the slug comes before one that had it in another marketplace.
  foreach former in array array[false, true] loop
    ids := private.products_with_slug(get_product_by_slug.slug, get_product_by_slug.marketplace_id, former);
    shown := array(
      select (
        private.shown_record(to_jsonb(d)) || private.review_of(d.id)
        || case when former then jsonb_build_object('moved_to', d.slug) else '{}' end
      )::json
      from public.product_details d
      where d.id = any (ids)
      limit 2
    );
    if cardinality(shown) > 1 then
      perform private.refuse(
        'VALIDATION_ERROR', 'Several marketplaces have a product with this slug. Send marketplace_id.', 'marketplace_id', 'null'
      );
    elsif cardinality(shown) = 1 then
      return shown[1];
    end if;
  end loop;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.import_products (
  lines                jsonb,
  marketplace_id       uuid    DEFAULT NULL::uuid,
  dry_run              boolean DEFAULT false,
  unique_skus          boolean DEFAULT NULL::boolean,
  accept_changed_codes boolean DEFAULT false
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET statement_timeout TO '30s'
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  compared private.import_line[];
  batch private.import_line[];
  questions jsonb := jsonb_build_array();
  refused jsonb := jsonb_build_array();
  tried record;
  remarks jsonb;
begin
  perform private.require_permission('products.write', 'Your role may not import products.');
  if jsonb_typeof(lines) is distinct from 'array' or jsonb_array_length(lines) > 1000 then
    perform private.refuse('VALIDATION_ERROR', 'Send a list of at most 1000 lines.', 'lines', 'null');
  end if;
  if lines = '[]' then
    return jsonb_build_object('imported', 0, 'updated', 0, 'unchanged', 0, 'failed', 0, 'errors', jsonb '[]');
  end if;
  lines := private.nfc(lines);
  perform private.lock_import_turn(tenant);
  perform private.explain_stock_change('import');
  perform private.refresh_statistics(array['public.products', 'public.product_variants', 'public.inventory']::regclass[]);

  begin
    perform private.set_unique_skus(unique_skus);
    compared := private.compared_lines(
      lines, tenant, coalesce(import_products.marketplace_id, private.sole_marketplace_id()), private.supplier_id()
    );
    questions := private.questioned_lines(compared);
    if accept_changed_codes is not true then
      refused := private.refused_questions(questions);
    end if;
    batch := array(
      select c
      from unnest(compared) as c
      where c.changed is distinct from '{}'
        and (
          accept_changed_codes is true
          or c.position <> all (array(select (q.value -> 'position')::bigint from jsonb_array_elements(questions) as q))
        )
      order by c.position
    );
    perform private.lock_stock_of_products(array(select c.product_id from unnest(batch) as c where c.current is not null));
    tried := private.import_in_parts(batch);
    if dry_run then
      raise exception using errcode = 'SOUK0';
    end if;
  exception
    when sqlstate 'SOUK0' then
      null; -- Everything is rolled back; the counts and errors remain.
  end;

  refused := refused || tried.errors;
  select coalesce(jsonb_agg(r.value), '[]') into remarks
  from jsonb_array_elements(private.stock_remarks(lines, compared)) as r
  where not refused @> jsonb_build_array(jsonb_build_object('line', r.value -> 'line'));
  return jsonb_build_object(
    'imported', tried.imported, 'updated', tried.updated,
    'unchanged', jsonb_array_length(lines) - tried.imported - tried.updated - jsonb_array_length(refused),
    'failed', jsonb_array_length(refused), 'errors', refused
  ) || private.remarks_of(questions, remarks);
end
$function$;

CREATE OR REPLACE FUNCTION public.lease_export()
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  job private.jobs := private.lease_export();
begin
  return (
    select jsonb_build_object(
      'id', e.id, 'tenant_id', e.tenant_id, 'type', e.type, 'format', e.format, 'bom', e.bom,
      'lease', job.lease, 'checkpoint', w.checkpoint, 'upcoming', w.upcoming,
      'fields', (
        select jsonb_agg(jsonb_build_object('name', f.name, 'kind', f.kind) order by f.place)
        from private.export_fields(e.type) f
      ),
      'file_bytes', private.cap('export_file_bytes')
    )
    from public.exports e
    join private.export_jobs w on w.export_id = e.id
    where e.id = job.subject_id
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."lease_export"() FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.lease_mails (
  batch integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.lease_mails(batch);
end
$function$;

REVOKE ALL ON FUNCTION "public"."lease_mails"(integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.lease_webhook_deliveries (
  dispatcher  uuid,
  done        jsonb,
  batch       integer,
  room        bigint  DEFAULT NULL::bigint,
  with_bodies boolean DEFAULT true
)
  RETURNS TABLE (
    id           uuid,
    webhook_id   uuid,
    url          text,
    event        text,
    body         text,
    bytes        integer,
    secrets      text[],
    headers      jsonb,
    leased_until timestamp with time zone
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return query
    select
      t.id, t.webhook_id, t.url, t.event, t.body, t.bytes, t.secrets, t.headers, t.leased_until
    from private.lease_webhook_deliveries(
      lease_webhook_deliveries.dispatcher, lease_webhook_deliveries.done, lease_webhook_deliveries.batch,
      lease_webhook_deliveries.room, lease_webhook_deliveries.with_bodies
    ) t;
end
$function$;

REVOKE ALL ON FUNCTION "public"."lease_webhook_deliveries"(uuid, jsonb, integer, bigint, boolean) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.leave_export (
  export_id uuid,
  lease     uuid,
  arrived   boolean DEFAULT false,
  failed    boolean DEFAULT false,
  error     text    DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  job constant private.jobs := private.leased_export(leave_export.export_id, leave_export.lease);
begin
  if job.lease is not null then
    update private.export_jobs w
    set checkpoint = case when arrived then w.upcoming - 'part' else w.checkpoint end,
        upcoming = case when not arrived then w.upcoming end
    where w.export_id = job.subject_id;
    if leave_export.error is not null then
      perform private.end_export(job.subject_id, leave_export.error);
    elsif not failed then
      perform private.release_job(job);
    elsif private.fail_job(job, 'writing has failed') is null then
      perform private.give_up_export(job.subject_id);
    end if;
  end if;
  perform private.wake_export_dispatch();
end
$function$;

CREATE OR REPLACE FUNCTION public.list_content (
  type                text,
  status              public.content_status DEFAULT NULL::public.content_status,
  marketplace_id      uuid                  DEFAULT NULL::uuid,
  search              text                  DEFAULT NULL::text,
  language            text                  DEFAULT NULL::text,
  preferred_languages text[]                DEFAULT NULL::text[],
  "order"             text                  DEFAULT 'desc'::text,
  page                integer               DEFAULT 1,
  "limit"             integer               DEFAULT 100
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  size integer := least(greatest("limit", 1), 1000);
  skipped bigint := (greatest(page, 1)::bigint - 1) * size;
begin
  perform private.members_only();
  perform private.content_type_of(type);
  search := private.searched(search);
  if private.content_roles() <> '{}' or type = 'products' and private.supplier_id('content.write') is not null then
    return private.list_drafts(type, status, marketplace_id, search, language, "order", size, skipped);
  elsif status is distinct from 'published' and status is not null then
    return jsonb_build_object('content', jsonb '[]', 'total', 0);
  end if;
  return private.list_published(
    type, marketplace_id, search, private.requested_languages(language, preferred_languages), "order", size, skipped
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.list_customer_addresses()
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.list_customer_addresses();
end
$function$;

REVOKE ALL ON FUNCTION "public"."list_customer_addresses"() FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.list_delivery_methods (
  marketplace_id uuid    DEFAULT NULL::uuid,
  country        text    DEFAULT NULL::text,
  region         text    DEFAULT NULL::text,
  weight_grams   bigint  DEFAULT NULL::bigint,
  subtotal       numeric DEFAULT NULL::numeric
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  perform private.members_only();
  return private.delivery_methods(marketplace_id, country, region, weight_grams, subtotal);
end
$function$;

CREATE OR REPLACE FUNCTION public.list_events (
  after   text    DEFAULT NULL::text,
  name    text    DEFAULT NULL::text,
  since   text    DEFAULT NULL::text,
  "limit" integer DEFAULT 100
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  size integer := least(greatest(coalesce("limit", 100), 1), 1000);
  most_bytes bigint := private.cap('event_page_bytes');
  horizon private.event_place;
  earliest timestamptz := coalesce(private.moment_of(since, 'since'), '-infinity');
  done private.event_place;
  last private.event_place;
  page jsonb;
  next text;
  more boolean := false;
begin
  perform private.require_permission('events.read', 'Your role may not read events.');
  horizon := private.event_horizon();
  done := private.read_event_cursor(after);
  if list_events.name is not null then
    last := private.last_event_to_search(done, horizon, earliest);
    more := last.id is not null;
  end if;
  if not more then
    last := horizon;
  end if;

  select
    coalesce(jsonb_agg(jsonb_build_object('id', p.id) || p.payload order by p.position), '[]'),
    max(private.event_cursor(p.epoch, p.xact_id, p.created_at, p.id))
      filter (where p.position = size or p.next_total > most_bytes)
  into page, next
  from (
    -- Chosen by size, so that no payload is read that the page has no room for.
    select t.*, lead(t.total) over (order by t.position) as next_total
    from (
      select
        e.id, e.payload, e.epoch, e.xact_id, e.created_at,
        row_number() over in_sequence as position, sum(e.bytes) over in_sequence as total
      from public.events e
      where (e.epoch, e.xact_id, e.created_at, e.id) > (done.epoch, done.xact_id, done.created_at, done.id)
        and (e.epoch, e.xact_id, e.created_at, e.id) <= (last.epoch, last.xact_id, last.created_at, last.id)
        and (list_events.name is null or e.name = list_events.name)
        and e.created_at >= earliest
      window in_sequence as (order by e.epoch, e.xact_id, e.created_at, e.id)
      order by e.epoch, e.xact_id, e.created_at, e.id
      limit size
    ) t
  ) p
  where p.position = 1 or p.total <= most_bytes;
  return jsonb_build_object(
    'events', page,
    'next', case
      when next is null and more then private.event_cursor(last.epoch, last.xact_id, last.created_at, last.id)
      -- The last page continues after the newest event below the horizon, even if a filter leaves that event out. It
      -- does not continue at the horizon, because after a crash the ids of transactions without changes are assigned
      -- again.
      else coalesce(next, private.newest_event(done, horizon), after, '1')
    end,
    'more', more or next is not null
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.list_inventory (
  product_id     uuid    DEFAULT NULL::uuid,
  marketplace_id uuid    DEFAULT NULL::uuid,
  low_stock      boolean DEFAULT NULL::boolean,
  sort           text    DEFAULT 'updated_at'::text,
  "order"        text    DEFAULT 'desc'::text,
  page           integer DEFAULT 1,
  "limit"        integer DEFAULT 100
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  size integer := least(greatest("limit", 1), 1000);
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  key text := case sort
    when 'available' then 'i.quantity - i.reserved'
    when 'quantity' then 'i.quantity'
    when 'name' then 'private.sort_name(p.name) collate "C"'
    else 'i.updated_at'
  end;
  answer jsonb;
begin
  perform private.require_permission('inventory.read', 'Your role may not read inventory.');

  execute private.inventory_query(
    key, direction,
    case when list_inventory.product_id is null then '' else ' and i.product_id = $2' end
    || case when list_inventory.marketplace_id is null then '' else ' and p.marketplace_id = $3' end
    || case list_inventory.low_stock
         when true then ' and i.low_stock_threshold > 0 and i.quantity - i.reserved <= i.low_stock_threshold'
         when false then ' and (i.low_stock_threshold = 0 or i.quantity - i.reserved > i.low_stock_threshold)'
         else ''
       end
  )
  into answer
  using
    private.tenant_id(), list_inventory.product_id, list_inventory.marketplace_id,
    (greatest(page, 1)::bigint - 1) * size, size;
  return answer;
end
$function$;

CREATE OR REPLACE FUNCTION public.list_inventory_movements (
  product_id uuid                    DEFAULT NULL::uuid,
  variant_id uuid                    DEFAULT NULL::uuid,
  order_id   uuid                    DEFAULT NULL::uuid,
  reason     public.inventory_reason DEFAULT NULL::public.inventory_reason,
  since      text                    DEFAULT NULL::text,
  "order"    text                    DEFAULT 'desc'::text,
  page       integer                 DEFAULT 1,
  "limit"    integer                 DEFAULT 100
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  size integer := least(greatest("limit", 1), 1000);
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  condition text := 'm.tenant_id = $1'
    || case when list_inventory_movements.product_id is null then '' else ' and m.product_id = $2' end
    || case when list_inventory_movements.variant_id is null then '' else ' and m.variant_id = $3' end
    || case when list_inventory_movements.order_id is null then '' else ' and m.order_id = $4' end
    || case when list_inventory_movements.reason is null then '' else ' and m.reason = $5' end
    || case when list_inventory_movements.since is null then '' else ' and m.created_at >= $6' end;
  answer jsonb;
begin
  perform private.require_permission('inventory.read', 'Your role may not read inventory.');

  execute $query$
    with shown as (
      select m.* from public.inventory_movements m
      where $query$ || condition || $query$
      order by m.id $query$ || direction || $query$
      offset $7 limit $8
    )
    select jsonb_build_object(
      'movements', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'id', m.id, 'product_id', m.product_id, 'variant_id', m.variant_id, 'product_name', p.name,
              'variant_name', v.name, 'sku', v.sku, 'reason', m.reason, 'quantity_change', m.quantity_change,
              'reserved_change', m.reserved_change, 'quantity', m.quantity, 'reserved', m.reserved,
              'note', m.note, 'order_id', m.order_id, 'actor_id', m.actor_id, 'created_at', m.created_at
            )
            order by m.id $query$ || direction || $query$
          ),
          '[]'
        )
        from shown m
        join public.products p on p.tenant_id = m.tenant_id and p.id = m.product_id
        left join public.product_variants v on v.tenant_id = m.tenant_id and v.product_id = m.product_id and v.id = m.variant_id
      ),
      'total', (select count(*) from public.inventory_movements m where $query$ || condition || $query$)
    )
  $query$
  into answer
  using
    private.tenant_id(), list_inventory_movements.product_id, list_inventory_movements.variant_id,
    list_inventory_movements.order_id, list_inventory_movements.reason,
    private.moment_of(list_inventory_movements.since, 'since'),
    (greatest(page, 1)::bigint - 1) * size, size;
  return answer;
end
$function$;

CREATE OR REPLACE FUNCTION public.list_product_files (
  product_id uuid,
  "order"    text    DEFAULT 'asc'::text,
  page       integer DEFAULT 1,
  "limit"    integer DEFAULT 100
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  size integer := least(greatest("limit", 1), 1000);
  skipped bigint := (greatest(page, 1)::bigint - 1) * size;
begin
  perform private.managed_product(product_id, 'digital_goods.read');
  return (
    with found as (
      select
        f.*, private.file_path(f) as path,
        row_number() over (
          order by case "order" when 'desc' then f.created_at end desc, case "order" when 'desc' then null else f.created_at end, f.id
        ) as position
      from public.product_files f
      where f.tenant_id = (select private.tenant_id()) and f.product_id = list_product_files.product_id
    )
    select jsonb_build_object(
      'files', coalesce(
        jsonb_agg(to_jsonb(f) - 'position' order by f.position)
          filter (where f.position > skipped and f.position <= skipped + size),
        '[]'
      ),
      'total', count(*)
    )
    from found f
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.perform_once (
  key       text,
  operation text,
  arguments jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET statement_timeout TO '30s'
  AS $function$
declare
  fingerprint bytea := sha256(convert_to(jsonb_build_array(operation, arguments)::text, 'utf8'));
  outcome jsonb;
begin
  if perform_once.key is null or perform_once.key collate "C" !~ '^[ -~]{1,255}$' then
    perform private.refuse(
      'INVALID_REQUEST', 'Idempotency-Key must have 1 to 255 printable ASCII characters.',
      'Idempotency-Key', to_jsonb(perform_once.key)
    );
  end if;
  outcome := private.kept_outcome(perform_once.key, fingerprint);
  if outcome is not null then
    return private.with_token(operation, outcome) || jsonb_build_object('replayed', true);
  end if;

  declare
    call text := private.call_of(operation, arguments);
    answer jsonb;
    state text;
    code text;
    details text;
    hint text;
  begin
    execute call into answer using arguments;
    outcome := jsonb_build_object('answer', answer);
  exception
    when others then
      get stacked diagnostics
        state = returned_sqlstate, code = message_text, details = pg_exception_detail, hint = pg_exception_hint;
      -- Our refusals are stored. Other errors may not occur again, so they are not, nor those of private.refuse_for_now.
      if state !~ '^PT4' or state = 'PT429' or details like '%"retry": true%' then
        raise;
      end if;
      outcome := jsonb_build_object(
        'refusal', jsonb_build_object('code', state, 'message', code, 'details', details, 'hint', hint)
      );
  end;
  perform private.store_outcome(perform_once.key, fingerprint, private.without_secret(outcome));
  return outcome || jsonb_build_object('replayed', false);
end
$function$;

CREATE OR REPLACE FUNCTION public.preview_content (
  type     text,
  id       text,
  token    text,
  language text DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  content public.content;
  preview private.content_previews;
  answer jsonb;
begin
  select p.* into preview
  from private.content_previews p
  join public.content c on c.id = p.content_id
  join public.members m on m.tenant_id = p.tenant_id and m.user_id = p.made_by and m.status = 'active'
    -- The same as private.roles_for(), of somebody else.
    and (private.scope_of('content.manage', m.role) = 'all' or m.content_roles <> '{}' or m.supplier_id = c.supplier_id)
  where p.token_sha256 = sha256(convert_to(token, 'utf8')) and p.expires_at > now();
  select c.* into content
  from public.content c
  where c.id = preview.content_id and c.type = preview_content.type
    and preview_content.id in (c.id::text, c.slug, c.product_id::text, c.category_id::text);
  if content.id is null then
    perform private.refuse('NOT_FOUND', 'There is no such preview, or it has expired.');
  end if;
  answer := private.draft_record(content, preview.branch, null, language);
  return answer || jsonb_build_object('links', private.public_links(private.links_in(answer), content));
end
$function$;

CREATE OR REPLACE FUNCTION public.read_export_rows (
  export_id uuid,
  lease     uuid,
  after     jsonb,
  bytes     integer
)
  RETURNS json
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return (
    select private.export_rows(e.type, w.query, e.format = 'json', read_export_rows.after, read_export_rows.bytes)
    from private.jobs j
    join private.export_jobs w on w.export_id = j.subject_id
    join public.exports e on e.id = j.subject_id
    where j.queue in ('small_exports', 'large_exports') and j.subject_id = read_export_rows.export_id
      and j.lease = read_export_rows.lease
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.read_personal_data (
  customer_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.read_personal_data(customer_id);
end
$function$;

REVOKE ALL ON FUNCTION "public"."read_personal_data"(uuid) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.reject_product (
  product_id uuid,
  reason     text                     DEFAULT NULL::text,
  updated_at timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.reject_product(product_id, reason, updated_at);
  return (select private.shown_record(to_jsonb(r)) || private.review_of(r.id) from private.product_records r where r.id = product_id);
end
$function$;

REVOKE ALL ON FUNCTION "public"."reject_product"(uuid, text, timestamp WITH time zone) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.reject_supplier_application (
  application_id uuid,
  reason         text DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.reject_supplier_application(application_id, reason);
end
$function$;

REVOKE ALL ON FUNCTION "public"."reject_supplier_application"(uuid, text) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.remove_api_key (
  api_key_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.remove_api_key(api_key_id);
end
$function$;

REVOKE ALL ON FUNCTION "public"."remove_api_key"(uuid) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.remove_customer_address (
  address_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.remove_customer_address(address_id);
end
$function$;

REVOKE ALL ON FUNCTION "public"."remove_customer_address"(uuid) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.remove_tenant (
  name text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.remove_tenant(name);
end
$function$;

REVOKE ALL ON FUNCTION "public"."remove_tenant"(text) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.report_export (
  export_id  uuid,
  lease      uuid,
  checkpoint jsonb DEFAULT NULL::jsonb,
  upcoming   jsonb DEFAULT NULL::jsonb
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  job constant private.jobs := private.leased_export(report_export.export_id, report_export.lease);
  before private.export_jobs;
  work private.export_jobs;
begin
  if job.lease is null then
    return false;
  end if;
  select w.* into before from private.export_jobs w where w.export_id = job.subject_id;
  update private.export_jobs w
  set checkpoint = coalesce(report_export.checkpoint, w.upcoming - 'part'), upcoming = report_export.upcoming
  where w.export_id = job.subject_id
  returning * into work;
  perform private.extend_lease(
    job,
    -- Without a part that has arrived since, the next failure is one in a row.
    case
      when (work.checkpoint ->> 'bytes')::bigint > coalesce((before.checkpoint ->> 'bytes')::bigint, 0) then 1
      else job.attempts
    end
  );
  update public.exports e
  set rows = (work.checkpoint ->> 'rows')::bigint,
      bytes = (work.checkpoint ->> 'bytes')::bigint,
      progress = least(99, (work.checkpoint ->> 'rows')::bigint * 100 / greatest(work.total, 1)),
      files = case
        when (work.checkpoint ->> 'ended')::boolean then array(select jsonb_array_elements_text(work.checkpoint -> 'files'))
        else e.files
      end
  where e.id = job.subject_id;
  if (work.checkpoint ->> 'ended')::boolean then
    perform private.end_export(job.subject_id);
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION public.retry_mail (
  mail_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.require_permission('mails.write', 'Only admins may retry mails.');
  return private.retry_mail(mail_id);
end
$function$;

CREATE OR REPLACE FUNCTION public.sort_name (
  customer public.customers
)
  RETURNS private.sort_text
  LANGUAGE sql
  IMMUTABLE
RETURN private.sort_name((customer).name);

REVOKE ALL ON FUNCTION "public"."sort_name"(public.customers) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.sort_name (
  template public.email_templates
)
  RETURNS private.sort_text
  LANGUAGE sql
  IMMUTABLE
RETURN private.sort_name((template).name);

REVOKE ALL ON FUNCTION "public"."sort_name"(public.email_templates) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.sort_name (
  member public.members
)
  RETURNS private.sort_text
  LANGUAGE sql
  IMMUTABLE
RETURN private.sort_name((member).name);

REVOKE ALL ON FUNCTION "public"."sort_name"(public.members) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.sort_name (
  supplier public.suppliers
)
  RETURNS private.sort_text
  LANGUAGE sql
  IMMUTABLE
RETURN private.sort_name((supplier).name);

CREATE OR REPLACE FUNCTION public.store_mail_contents (
  contents jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.store_mail_contents(contents);
end
$function$;

REVOKE ALL ON FUNCTION "public"."store_mail_contents"(jsonb) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.take_media_cleanings (
  batch integer
)
  RETURNS TABLE (
    asset_id     uuid,
    lease        uuid,
    content_type text,
    path         text
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  held constant private.jobs[] := array(select j from private.hold_due_jobs('{media_cleanings}', batch) j);
begin
  perform private.end_job(h.queue, h.subject_id)
  from unnest(held) h
  join public.media_assets a on a.tenant_id = h.tenant_id and a.id = h.subject_id
  join public.tenants t on t.id = h.tenant_id
  where not private.has_metadata(a.type, a.status, a.private, a.cleaned) or private.keeps_metadata(t.settings);
  lease := private.lease_jobs(held);
  return query
    select a.id, j.lease, a.content_type, a.path
    from unnest(held) h
    join private.jobs j on j.queue = h.queue and j.subject_id = h.subject_id
    join public.media_assets a on a.tenant_id = h.tenant_id and a.id = h.subject_id;
end
$function$;

REVOKE ALL ON FUNCTION "public"."take_media_cleanings"(integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.take_media_sweeps (
  done  jsonb,
  batch integer
)
  RETURNS TABLE (
    id     uuid,
    lease  uuid,
    bucket text,
    names  text[]
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  held private.jobs[];
begin
  delete from private.media_sweeps s
  using jsonb_to_recordset(done) as d (id uuid, lease uuid)
  join private.jobs j on j.queue = 'media_sweeps' and j.subject_id = d.id and j.lease = d.lease
  where s.tenant_id = j.tenant_id and s.id = d.id
    -- A path may stand for more names than one batch deletes.
    and private.names_below(s.bucket, s.path) = '{}';
  held := array(select j from private.hold_due_jobs('{media_sweeps}', batch) j);
  lease := private.lease_jobs(held);
  return query
    select s.id, take_media_sweeps.lease, s.bucket, private.names_below(s.bucket, s.path)
    from unnest(held) h
    join private.media_sweeps s on s.tenant_id = h.tenant_id and s.id = h.subject_id;
end
$function$;

REVOKE ALL ON FUNCTION "public"."take_media_sweeps"(jsonb, integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.update_customer (
  customer_id uuid,
  changes     jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.update_customer(customer_id, changes);
  return (select to_jsonb(d) from public.customer_details d where d.id = update_customer.customer_id);
end
$function$;

REVOKE ALL ON FUNCTION "public"."update_customer"(uuid, jsonb) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.update_customer_address (
  address_id uuid,
  changes    jsonb   DEFAULT '{}'::jsonb,
  is_default boolean DEFAULT NULL::boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.update_customer_address(address_id, private.nfc(changes), is_default);
end
$function$;

REVOKE ALL ON FUNCTION "public"."update_customer_address"(uuid, jsonb, boolean) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.update_product (
  product_id uuid,
  changes    jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  was public.products;
  changed public.products;
  fixed text;
begin
  perform private.require_permission('products.write', 'Your role may not change products.');

  select p.* into was
  from public.products p
  where p.id = product_id
  for no key update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such product.');
  elsif not private.is_unchanged(was.updated_at, changes) then
    perform private.refuse_outdated('product', changes);
  end if;

  changed := jsonb_populate_record(was, changes - 'updated_at');
  select min(f.name) into fixed
  from unnest(array['marketplace_id', 'supplier_id', 'currency', 'kind']) as f (name)
  where to_jsonb(changed) -> f.name is distinct from to_jsonb(was) -> f.name;
  if fixed is not null then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s of a product cannot change.', fixed), fixed, changes -> fixed
    );
  end if;

  -- It may be inactive already, only because its supplier may not sell now. A record that is sent back says nothing new.
  if changes - 'updated_at' = '{"status": "inactive"}' then
    perform private.keep_withheld(was.id, was.tenant_id);
  end if;
  if changes ? 'variants' then
    -- Its price may rise before what its variants are compared with.
    set constraints public.products_check_compared_prices deferred;
  end if;
  -- Triggers refuse changes of a discontinued product, also if only its variants would change.
  if changed is distinct from was or was.status = 'discontinued' then
    execute format(
      'update public.products p set (%1$s) = (select %1$s from (select ($1).*) as c) where p.id = $2',
      private.product_columns('update')
    )
    using changed, was.id;
  end if;
  if changes ? 'variants' then
    perform private.check_variants(changed, changes -> 'variants');
    perform private.replace_variants(was, changes -> 'variants');
    set constraints public.products_check_compared_prices immediate;
  end if;
  return (select private.shown_record(to_jsonb(r)) || private.review_of(r.id) from private.product_records r where r.id = product_id);
end
$function$;

CREATE OR REPLACE FUNCTION public.update_supplier (
  supplier_id uuid,
  changes     jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  changed public.suppliers;
begin
  perform private.known_only(changes, array['name', 'verified', 'status', 'marketplace_ids', 'slug', 'description', 'logo', 'legal', 'updated_at']);
  update public.suppliers s
  set name = case when changes ? 'name' then changes ->> 'name' else s.name end,
      verified = case when changes ? 'verified' then (changes ->> 'verified')::boolean else s.verified end,
      status = case when changes ? 'status' then (changes ->> 'status')::public.supplier_status else s.status end,
      marketplace_ids = case
        when not changes ? 'marketplace_ids' then s.marketplace_ids
        when changes -> 'marketplace_ids' <> 'null' then array(select jsonb_array_elements_text(changes -> 'marketplace_ids')::uuid)
      end,
      slug = case when changes ? 'slug' then coalesce(changes ->> 'slug', '') else s.slug end,
      description = case when changes ? 'description' then changes ->> 'description' else s.description end,
      logo = case when changes ? 'logo' then changes ->> 'logo' else s.logo end,
      legal = case when changes ? 'legal' then changes -> 'legal' else s.legal end
  where s.id = update_supplier.supplier_id and private.is_unchanged(s.updated_at, changes)
  returning * into changed;
  if changed.id is null then
    if exists (select 1 from public.suppliers s where s.id = update_supplier.supplier_id) then
      perform private.refuse_outdated('supplier', changes);
    end if;
    perform private.refuse('NOT_FOUND', 'There is no such supplier.');
  end if;
  return to_jsonb(changed);
end
$function$;

CREATE OR REPLACE FUNCTION public.update_tax_rate (
  tax_rate_id uuid,
  changes     jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  changed public.tax_rates;
begin
  perform private.known_only(
    changes, array['country', 'region', 'category_id', 'rate', 'name', 'valid_from', 'valid_to', 'updated_at']
  );
  update public.tax_rates r
  set country = case when changes ? 'country' then changes ->> 'country' else r.country end,
      region = case when changes ? 'region' then changes ->> 'region' else r.region end,
      category_id = case when changes ? 'category_id' then (changes ->> 'category_id')::uuid else r.category_id end,
      rate = case when changes ? 'rate' then trim_scale((changes ->> 'rate')::numeric) else r.rate end,
      name = case when changes ? 'name' then changes ->> 'name' else r.name end,
      valid_from = case when changes ? 'valid_from' then (changes ->> 'valid_from')::date else r.valid_from end,
      valid_to = case when changes ? 'valid_to' then (changes ->> 'valid_to')::date else r.valid_to end
  where r.id = update_tax_rate.tax_rate_id and private.is_unchanged(r.updated_at, changes)
  returning r.* into changed;
  if changed.id is null then
    if exists (select from public.tax_rates r where r.id = update_tax_rate.tax_rate_id) then
      perform private.refuse_outdated('tax rate', changes);
    end if;
    perform private.refuse('NOT_FOUND', 'There is no such tax rate.');
  end if;
  return to_jsonb(changed);
exception
  when exclusion_violation then
    perform private.refuse_overlapping_tax_rate(changes -> 'valid_from');
    return null;
end
$function$;

REVOKE ALL ON FUNCTION "public"."update_tax_rate"(uuid, jsonb) FROM PUBLIC, "anon";

ALTER TABLE "private"."customer_addresses"
  ADD CONSTRAINT "customer_addresses_customer_id_fkey" FOREIGN KEY (tenant_id, customer_id) REFERENCES public.customers(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE "private"."customer_claims"
  ADD CONSTRAINT "customer_claims_customer_id_fkey" FOREIGN KEY (tenant_id, customer_id) REFERENCES public.customers(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE "private"."personal_data"
  ADD CONSTRAINT "personal_data_replacement_is_for_texts" CHECK (((replacement IS NOT NULL) = (erasure = 'text'::private.erasure)));

ALTER TABLE "private"."product_prices"
  ADD CONSTRAINT "product_prices_product_id_fkey" FOREIGN KEY (tenant_id, product_id) REFERENCES public.products(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE "private"."product_prices"
  ADD CONSTRAINT "product_prices_variant_id_fkey" FOREIGN KEY (tenant_id, product_id, variant_id) REFERENCES public.product_variants(tenant_id, product_id, id) ON DELETE CASCADE;

ALTER TABLE "private"."tenant_removals"
  ADD CONSTRAINT "tenant_removals_tenant_id_fkey" FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;

ALTER TABLE "private"."unsettled_suppliers"
  ADD CONSTRAINT "unsettled_suppliers_supplier_id_fkey" FOREIGN KEY (tenant_id, supplier_id) REFERENCES public.suppliers(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE "private"."withheld_products"
  ADD CONSTRAINT "withheld_products_product_id_fkey" FOREIGN KEY (tenant_id, product_id) REFERENCES public.products(tenant_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "public"."api_keys"
  ADD CONSTRAINT "api_keys_created_by_fkey" FOREIGN KEY (created_by) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."api_keys"
  ADD CONSTRAINT "api_keys_id_fkey" FOREIGN KEY (id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."api_keys"
  ADD CONSTRAINT "api_keys_supplier_id_fkey" FOREIGN KEY (tenant_id, supplier_id) REFERENCES public.suppliers(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."api_keys"
  ADD CONSTRAINT "api_keys_tenant_id_fkey" FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;

ALTER TABLE "public"."audit_log"
  ADD CONSTRAINT "audit_log_tenant_id_fkey" FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;

ALTER TABLE "public"."categories"
  ADD CONSTRAINT "categories_parent_id_fkey" FOREIGN KEY (tenant_id, parent_id) REFERENCES public.categories(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."customers"
  ADD CONSTRAINT "customers_is_anonymous_once_it_is_erased"
    CHECK (((erased_at IS NULL) OR ((name = ''::text) AND (num_nulls(user_id, email, contact_email, phone, language, external_id) = 6))));

ALTER TABLE "public"."customers"
  ADD CONSTRAINT "customers_phone_is_1_to_50_characters" CHECK (((char_length(phone) >= 1) AND (char_length(phone) <= 50)));

ALTER TABLE "public"."invitations"
  ADD CONSTRAINT "invitations_verified_is_for_suppliers_only" CHECK (((role = 'supplier'::public.member_role) OR (NOT verified)));

ALTER TABLE "public"."product_approvals"
  ADD CONSTRAINT "product_approvals_decided_by_fkey" FOREIGN KEY (decided_by) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."product_approvals"
  ADD CONSTRAINT "product_approvals_pending_changes_is_for_pending_ones" CHECK (((status = 'pending'::public.approval_status) OR (pending_changes IS NULL)));

ALTER TABLE "public"."product_approvals"
  ADD CONSTRAINT "product_approvals_product_id_fkey" FOREIGN KEY (tenant_id, product_id) REFERENCES public.products(tenant_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "public"."product_approvals"
  ADD CONSTRAINT "product_approvals_reason_is_at_most_1000_characters" CHECK ((char_length(reason) <= 1000));

ALTER TABLE "public"."product_approvals"
  ADD CONSTRAINT "product_approvals_supplier_id_fkey" FOREIGN KEY (tenant_id, supplier_id) REFERENCES public.suppliers(tenant_id, id);

ALTER TABLE "public"."product_variants"
  ADD CONSTRAINT "product_variants_compare_at_price_is_below_1e12" CHECK ((compare_at_price < '1000000000000'::numeric));

ALTER TABLE "public"."product_variants"
  ADD CONSTRAINT "product_variants_compare_at_price_is_of_at_most_4_decimals" CHECK ((scale(compare_at_price) <= 4));

ALTER TABLE "public"."products"
  ADD CONSTRAINT "products_compare_at_price_is_below_1e12" CHECK ((compare_at_price < '1000000000000'::numeric));

ALTER TABLE "public"."products"
  ADD CONSTRAINT "products_compare_at_price_is_of_at_most_4_decimals" CHECK ((scale(compare_at_price) <= 4));

ALTER TABLE "public"."supplier_applications"
  ADD CONSTRAINT "supplier_applications_decided_by_fkey" FOREIGN KEY (decided_by) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."supplier_applications"
  ADD CONSTRAINT "supplier_applications_message_is_at_most_5000_characters" CHECK ((char_length(message) <= 5000));

ALTER TABLE "public"."supplier_applications"
  ADD CONSTRAINT "supplier_applications_name_is_1_to_200_characters" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200)));

ALTER TABLE "public"."supplier_applications"
  ADD CONSTRAINT "supplier_applications_reason_is_at_most_1000_characters" CHECK ((char_length(reason) <= 1000));

ALTER TABLE "public"."supplier_applications"
  ADD CONSTRAINT "supplier_applications_supplier_id_fkey" FOREIGN KEY (tenant_id, supplier_id) REFERENCES public.suppliers(tenant_id, id) ON DELETE SET NULL (supplier_id);

ALTER TABLE "public"."supplier_applications"
  ADD CONSTRAINT "supplier_applications_tenant_id_fkey" FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;

ALTER TABLE "public"."supplier_applications"
  ADD CONSTRAINT "supplier_applications_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."suppliers"
  ADD CONSTRAINT "suppliers_description_is_at_most_5000_characters" CHECK ((char_length(description) <= 5000));

CREATE VIEW "private"."all_variants" AS  SELECT v.tenant_id,
    v.product_id,
    v.id,
    v.name,
    v.sku,
    v.price,
    v."position",
    i.quantity,
    i.reserved,
    v.compare_at_price
   FROM (public.product_variants v
     JOIN public.inventory i ON (((i.tenant_id = v.tenant_id) AND (i.product_id = v.product_id) AND (i.variant_id = v.id))));

CREATE VIEW "private"."product_suppliers" AS  SELECT p.id AS product_id,
    s.id,
    s.name,
    s.slug
   FROM (public.products p
     JOIN public.suppliers s ON (((s.tenant_id = p.tenant_id) AND (s.id = p.supplier_id))));

CREATE VIEW "private"."product_records" WITH (security_invoker=true) AS  SELECT id,
    tenant_id,
    marketplace_id,
    supplier_id,
    category_id,
    external_id,
    kind,
    track_inventory,
    name,
    slug,
    description,
    price,
    currency,
    images,
    attributes,
    brand,
    physical,
    template_id,
    status,
    created_at,
    updated_at,
    ( SELECT p.description_html
           FROM public.products p
          WHERE (p.id = r.id)) AS description_html,
    ( SELECT COALESCE(json_agg(json_build_object('id', v.id, 'name', v.name, 'sku', v.sku, 'price', COALESCE(v.price, r.price), 'own_price', v.price, 'compare_at_price', v.compare_at_price, 'lowest_price_30d',
                CASE
                    WHEN (v.compare_at_price IS NOT NULL) THEN private.lowest_price_30d(r.id, r.price, v.id, v.price)
                    ELSE NULL::numeric
                END, 'inventory', json_build_object('quantity', v.quantity, 'reserved', v.reserved)) ORDER BY v."position", v.id), '[]'::json) AS "coalesce"
           FROM private.all_variants v
          WHERE ((v.tenant_id = r.tenant_id) AND (v.product_id = r.id))) AS variants,
    ( SELECT json_build_object('quantity', s.quantity, 'reserved', s.reserved) AS json_build_object
           FROM private.product_stocks s
          WHERE ((s.tenant_id = r.tenant_id) AND (s.product_id = r.id))) AS inventory,
    ( SELECT json_build_object('id', s.id, 'name', s.name, 'slug', s.slug) AS json_build_object
           FROM private.product_suppliers s
          WHERE (s.product_id = r.id)) AS supplier,
    ( SELECT p.safety
           FROM public.products p
          WHERE (p.id = r.id)) AS safety,
    ( SELECT p.compare_at_price
           FROM public.products p
          WHERE (p.id = r.id)) AS compare_at_price,
    ( SELECT private.lowest_price_30d(p.id, p.price) AS lowest_price_30d
           FROM public.products p
          WHERE ((p.id = r.id) AND (p.compare_at_price IS NOT NULL))) AS lowest_price_30d
   FROM private.product_rows r;

CREATE VIEW "public"."customer_details" WITH (security_invoker=true) AS  SELECT id,
    tenant_id,
    user_id,
    name,
    COALESCE(email, contact_email) AS email,
    is_guest,
    language,
    external_id,
    ( SELECT count(*) AS count
           FROM public.orders o
          WHERE ((o.tenant_id = c.tenant_id) AND (o.customer_id = c.id))) AS orders,
    ( SELECT o.created_at
           FROM public.orders o
          WHERE ((o.tenant_id = c.tenant_id) AND (o.customer_id = c.id))
          ORDER BY o.created_at DESC, o.id
         LIMIT 1) AS last_ordered_at,
    created_at,
    erased_at,
    phone
   FROM public.customers c;

CREATE OR REPLACE FUNCTION private.exported_customers (
  query private.export_query
)
  RETURNS TABLE (
    at              timestamp with time zone,
    key             uuid,
    part            uuid,
    id              uuid,
    user_id         uuid,
    name            text,
    email           text,
    phone           text,
    is_guest        boolean,
    language        text,
    external_id     text,
    orders          bigint,
    last_ordered_at timestamp with time zone,
    created_at      timestamp with time zone,
    erased_at       timestamp with time zone
  )
  LANGUAGE sql
  STABLE
BEGIN ATOMIC
 SELECT c.created_at,
     c.id,
     NULL::uuid
  AS uuid,
     c.id,
         CASE
             WHEN ((exported_customers.query).scope.supplier_id IS NULL) THEN c.user_id
             ELSE NULL::uuid
         END AS "case",
         CASE
             WHEN ((exported_customers.query).scope.supplier_id IS NULL) THEN c.name
             ELSE NULL::text
         END AS "case",
         CASE
             WHEN ((exported_customers.query).scope.supplier_id IS NULL) THEN c.email
             ELSE NULL::text
         END AS "case",
         CASE
             WHEN ((exported_customers.query).scope.supplier_id IS NULL) THEN c.phone
             ELSE NULL::text
         END AS "case",
         CASE
             WHEN ((exported_customers.query).scope.supplier_id IS NULL) THEN c.is_guest
             ELSE NULL::boolean
         END AS "case",
         CASE
             WHEN ((exported_customers.query).scope.supplier_id IS NULL) THEN c.language
             ELSE NULL::text
         END AS "case",
         CASE
             WHEN ((exported_customers.query).scope.supplier_id IS NULL) THEN c.external_id
             ELSE NULL::text
         END AS "case",
         CASE
             WHEN ((exported_customers.query).scope.supplier_id IS NULL) THEN c.orders
             ELSE NULL::bigint
         END AS "case",
         CASE
             WHEN ((exported_customers.query).scope.supplier_id IS NULL) THEN c.last_ordered_at
             ELSE NULL::timestamp with time zone
         END AS "case",
     c.created_at,
         CASE
             WHEN ((exported_customers.query).scope.supplier_id IS NULL) THEN c.erased_at
             ELSE NULL::timestamp with time zone
         END AS "case"
    FROM public.customer_details c
   WHERE ((c.tenant_id = (exported_customers.query).scope.tenant_id) AND ((NOT c.is_guest) OR (c.last_ordered_at IS NOT NULL)) AND (c.created_at >= (exported_customers.query).period.starts_at) AND (c.created_at < (exported_customers.query).period.ends_at) AND (((exported_customers.query).scope.marketplace_id IS NULL) OR (EXISTS ( SELECT
            FROM public.orders o
           WHERE ((o.tenant_id = c.tenant_id) AND (o.customer_id = c.id) AND (o.marketplace_id = (exported_customers.query).scope.marketplace_id))))) AND (((exported_customers.query).scope.supplier_id IS NULL) OR (EXISTS ( SELECT
            FROM public.order_parts p
           WHERE ((p.tenant_id = c.tenant_id) AND (p.customer_id = c.id) AND (p.supplier_id = (exported_customers.query).scope.supplier_id))))) AND (((exported_customers.query).scope.categories IS NULL) OR (EXISTS ( SELECT
            FROM ((public.orders o
              JOIN public.order_items i ON (((i.tenant_id = o.tenant_id) AND (i.order_id = o.id))))
              JOIN public.products s ON (((s.tenant_id = i.tenant_id) AND (s.id = i.product_id))))
           WHERE ((o.tenant_id = c.tenant_id) AND (o.customer_id = c.id) AND (s.category_id = ANY ((exported_customers.query).scope.categories)))))));
END;

CREATE OR REPLACE FUNCTION public.found_customers (
  search text DEFAULT NULL::text
)
  RETURNS SETOF public.customer_details
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select d.*
  from public.customer_details d
  where d.id in (select private.found_customer_ids(search))
$function$;

REVOKE ALL ON FUNCTION "public"."found_customers"(text) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.sort_name (
  customer public.customer_details
)
  RETURNS private.sort_text
  LANGUAGE sql
  IMMUTABLE
RETURN private.sort_name((customer).name);

REVOKE ALL ON FUNCTION "public"."sort_name"(public.customer_details) FROM PUBLIC, "anon";

REVOKE ALL ON TABLE "public"."customer_details" FROM "anon";

CREATE VIEW "public"."invitation_details" WITH (security_invoker=true) AS  SELECT id,
    tenant_id,
    email,
    role,
    supplier_id,
    verified,
    invited_by,
    expires_at,
    accepted_at,
    accepted_by,
    created_at,
    (
        CASE
            WHEN (accepted_at IS NOT NULL) THEN 'accepted'::text
            WHEN (expires_at <= now()) THEN 'expired'::text
            ELSE 'pending'::text
        END)::public.invitation_status AS status
   FROM public.invitations i;

REVOKE ALL ON TABLE "public"."invitation_details" FROM "anon";

CREATE VIEW "public"."product_details" WITH (security_invoker=true) AS  SELECT id,
    tenant_id,
    marketplace_id,
    supplier_id,
    category_id,
    external_id,
    kind,
    track_inventory,
    name,
    slug,
    description,
    price,
    currency,
    images,
    attributes,
    brand,
    physical,
    template_id,
    status,
    created_at,
    updated_at,
    description_html,
    variants,
    inventory,
    supplier,
    safety,
    compare_at_price,
    lowest_price_30d
   FROM private.product_records r
  WHERE (status <> 'discontinued'::public.product_status);

CREATE OR REPLACE FUNCTION private.exported_products (
  query private.export_query
)
  RETURNS TABLE (
    at     timestamp with time zone,
    key    uuid,
    part   uuid,
    record public.product_details
  )
  LANGUAGE sql
  STABLE
BEGIN ATOMIC
 SELECT d.created_at,
     d.id,
     NULL::uuid
  AS uuid,
     d.*::public.product_details AS d
    FROM public.product_details d
   WHERE ((d.tenant_id = (exported_products.query).scope.tenant_id) AND (d.created_at >= (exported_products.query).period.starts_at) AND (d.created_at < (exported_products.query).period.ends_at) AND (((exported_products.query).scope.marketplace_id IS NULL) OR (d.marketplace_id = (exported_products.query).scope.marketplace_id)) AND (((exported_products.query).scope.supplier_id IS NULL) OR (d.supplier_id = (exported_products.query).scope.supplier_id)) AND (((exported_products.query).scope.categories IS NULL) OR (d.category_id = ANY ((exported_products.query).scope.categories))));
END;

CREATE VIEW "public"."ranked_products" WITH (security_invoker=true) AS  SELECT d.id,
    d.tenant_id,
    d.marketplace_id,
    d.supplier_id,
    d.category_id,
    d.external_id,
    d.kind,
    d.track_inventory,
    d.name,
    d.slug,
    d.description,
    d.price,
    d.currency,
    d.images,
    d.attributes,
    d.brand,
    d.physical,
    d.template_id,
    d.status,
    d.created_at,
    d.updated_at,
    d.description_html,
    d.variants,
    d.inventory,
    d.supplier,
    d.safety,
    d.compare_at_price,
    d.lowest_price_30d,
    m.promotion,
    COALESCE((m.place)::numeric, (('253402300800000'::bigint)::numeric - (EXTRACT(epoch FROM d.created_at) * (1000)::numeric))) AS rank
   FROM (public.product_details d
     LEFT JOIN private.promoted_places() m(category_id, product_id, place, promotion) ON (((m.category_id = d.category_id) AND (m.product_id = d.id))))
  WHERE (d.status = 'active'::public.product_status);

REVOKE ALL ON TABLE "public"."ranked_products" FROM "anon";

CREATE UNIQUE INDEX began_at_is_unique_in_product_prices ON private.product_prices USING btree (product_id, COALESCE(variant_id, product_id), began_at);

CREATE INDEX customer_addresses_customer_idx ON private.customer_addresses USING btree (tenant_id, customer_id, created_at, id);

CREATE UNIQUE INDEX customer_addresses_default_idx ON private.customer_addresses USING btree (tenant_id, customer_id)
  WHERE is_default;

CREATE INDEX customer_claims_due_at_idx ON private.customer_claims USING btree (due_at);

CREATE INDEX export_jobs_tenant_id_idx ON private.export_jobs USING btree (tenant_id, export_id);

CREATE INDEX jobs_due_idx ON private.jobs USING btree (queue, tenant_id, due_at)
  WHERE (due_at IS NOT NULL);

CREATE INDEX withheld_products_supplier_idx ON private.withheld_products USING btree (tenant_id, supplier_id, product_id);

CREATE INDEX api_keys_created_by_idx ON public.api_keys USING btree (created_by);

CREATE INDEX api_keys_expires_at_idx ON public.api_keys USING btree (expires_at);

CREATE INDEX api_keys_id_idx ON public.api_keys USING btree (id);

CREATE INDEX api_keys_supplier_idx ON public.api_keys USING btree (tenant_id, supplier_id);

CREATE INDEX api_keys_tenant_id_created_at_idx ON public.api_keys USING btree (tenant_id, created_at DESC, id);

CREATE INDEX audit_log_actor_idx ON public.audit_log USING btree (tenant_id, actor_id, created_at DESC);

CREATE INDEX audit_log_created_at_idx ON public.audit_log USING btree (created_at);

CREATE INDEX audit_log_record_idx ON public.audit_log USING btree (tenant_id, record_id, created_at DESC);

CREATE INDEX customers_contact_email_idx ON public.customers USING btree (tenant_id, contact_email)
  WHERE (contact_email IS NOT NULL);

CREATE UNIQUE INDEX email_is_unique_in_supplier_applications ON public.supplier_applications USING btree (tenant_id, email)
  WHERE (status = 'pending'::public.approval_status);

CREATE INDEX mails_order_idx ON public.mails USING btree (tenant_id, order_id)
  WHERE (order_id IS NOT NULL);

CREATE INDEX product_approvals_decided_by_idx ON public.product_approvals USING btree (decided_by);

CREATE INDEX product_approvals_released_idx ON public.product_approvals USING btree (tenant_id, requested_at, product_id)
  WHERE (is_released AND (status = 'pending'::public.approval_status));

CREATE INDEX product_approvals_requested_at_idx ON public.product_approvals USING btree (tenant_id, requested_at DESC, product_id);

CREATE INDEX product_approvals_supplier_idx ON public.product_approvals USING btree (tenant_id, supplier_id, requested_at);

CREATE INDEX product_approvals_tenant_id_status_idx ON public.product_approvals USING btree (tenant_id, status, requested_at, product_id);

CREATE UNIQUE INDEX slug_is_unique_in_suppliers ON public.suppliers USING btree (tenant_id, slug)
  WHERE (slug <> ''::text);

CREATE INDEX supplier_applications_decided_by_idx ON public.supplier_applications USING btree (decided_by);

CREATE INDEX supplier_applications_id_idx ON public.supplier_applications USING btree (id);

CREATE INDEX supplier_applications_supplier_idx ON public.supplier_applications USING btree (tenant_id, supplier_id);

CREATE INDEX supplier_applications_tenant_id_created_at_idx ON public.supplier_applications USING btree (tenant_id, created_at DESC, id);

CREATE INDEX supplier_applications_tenant_id_status_idx ON public.supplier_applications USING btree (tenant_id, status, created_at DESC, id);

CREATE INDEX supplier_applications_user_id_idx ON public.supplier_applications USING btree (user_id);

CREATE TRIGGER customers_take_over_changed
  AFTER UPDATE OF email ON auth.users
  FOR EACH ROW
  WHEN (((old.email_confirmed_at IS NOT NULL) AND (lower((old.email)::text) <> lower((new.email)::text))))
  EXECUTE FUNCTION private.claim_confirmed_customer();

CREATE TRIGGER users_keep_key_account
  BEFORE UPDATE OF encrypted_password, email, phone ON auth.users
  FOR EACH ROW
  WHEN
    ((((old.encrypted_password)::text IS DISTINCT FROM (new.encrypted_password)::text) OR ((old.email)::text IS DISTINCT FROM (new.email)::text) OR (old.phone IS DISTINCT FROM
    new.phone)))
  EXECUTE FUNCTION private.keep_key_account();

CREATE TRIGGER _audit_changed AFTER UPDATE ON private.content_branches REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('content_id,name');

CREATE TRIGGER _audit_created AFTER INSERT ON private.content_branches REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('content_id,name');

CREATE TRIGGER _audit_deleted AFTER DELETE ON private.content_branches REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('content_id,name');

CREATE TRIGGER _audit_created AFTER INSERT ON private.content_previews REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('content_id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON private.content_previews REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('content_id');

CREATE TRIGGER _keep_nfc
  BEFORE INSERT OR UPDATE ON private.customer_addresses
  FOR EACH ROW
  EXECUTE FUNCTION private.keep_nfc();

CREATE TRIGGER customer_addresses_touch
  BEFORE UPDATE ON private.customer_addresses
  FOR EACH ROW
  EXECUTE FUNCTION private.touch();

CREATE TRIGGER media_sweeps_delete_jobs AFTER DELETE ON private.media_sweeps REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION private.delete_jobs (
  'media_sweeps'
);

CREATE TRIGGER media_sweeps_queue_changed
  AFTER UPDATE ON private.media_sweeps REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.queue_media_sweeps();

CREATE TRIGGER media_sweeps_queue_new
  AFTER INSERT ON private.media_sweeps REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.queue_media_sweeps();

CREATE TRIGGER _audit_created AFTER INSERT ON private.media_uploads REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('asset_id');

CREATE TRIGGER storefront_events_draw_visitor_days
  AFTER INSERT ON private.storefront_events REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.compute_new_visitor_days();

CREATE TRIGGER _audit_created AFTER INSERT ON private.template_previews REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('template_id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON private.template_previews REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('template_id');

CREATE TRIGGER _audit_changed AFTER UPDATE ON private.webhook_secrets REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('webhook_id', 'previous_secret', 'previous_until');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.api_keys REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id', 'last_used_at');

CREATE TRIGGER _audit_created AFTER INSERT ON public.api_keys REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.api_keys REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _keep_nfc
  BEFORE INSERT OR UPDATE ON public.api_keys
  FOR EACH ROW
  EXECUTE FUNCTION private.keep_nfc();

CREATE TRIGGER api_keys_delete_account
  AFTER DELETE ON public.api_keys
  FOR EACH ROW
  EXECUTE FUNCTION private.delete_key_account();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.campaigns REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.campaigns REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.campaigns REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER campaigns_keep_status
  AFTER UPDATE OF status ON public.campaigns
  FOR EACH ROW
  WHEN ((new.status <> old.status))
  EXECUTE FUNCTION private.record_campaign_status();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.categories REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.categories REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.categories REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER categories_are_changed_by_admins
  BEFORE INSERT OR DELETE OR UPDATE ON public.categories
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('categories.write');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.commission_rates REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.commission_rates REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.commission_rates REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER commission_rates_are_changed_by_admins
  BEFORE INSERT OR DELETE OR UPDATE ON public.commission_rates
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('commission_rates.write');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.content REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id', 'last_version_number', 'original_version_number', 'published_at');

CREATE TRIGGER _audit_created AFTER INSERT ON public.content REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.content REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER content_forget_shown_assets
  AFTER DELETE ON public.content
  FOR EACH ROW
  EXECUTE FUNCTION private.delete_content_media_uses();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.content_localizations REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id', 'last_updated');

CREATE TRIGGER _audit_created AFTER INSERT ON public.content_localizations REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.content_localizations REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.content_types REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.content_types REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.content_types REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.customers REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.customers REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.customers REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER customers_are_made_by_admins_and_clients
  BEFORE INSERT OR DELETE OR UPDATE ON public.customers
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('customers.write');

CREATE TRIGGER customers_plan_claim_of_new
  AFTER INSERT ON public.customers
  FOR EACH ROW
  WHEN (((new.user_id IS NULL) AND (new.email IS NOT NULL)))
  EXECUTE FUNCTION private.plan_customer_claim();

CREATE TRIGGER customers_plan_claim
  AFTER UPDATE OF email, contact_email ON public.customers
  FOR EACH ROW
  WHEN ((((new.user_id IS NULL) OR new.is_guest) AND (COALESCE(new.email, new.contact_email) IS
    NOT NULL) AND ((old.email IS DISTINCT FROM new.email) OR (old.contact_email IS DISTINCT FROM new.contact_email))))
  EXECUTE FUNCTION private.plan_customer_claim();

CREATE TRIGGER customers_take_over_past_customer
  BEFORE INSERT ON public.customers
  FOR EACH ROW
  WHEN (((new.user_id IS NOT NULL) AND (new.email IS NOT NULL)))
  EXECUTE FUNCTION private.claim_past_customer();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.dashboards REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.dashboards REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.dashboards REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER dashboards_are_changed_by_who_sees_figures
  BEFORE INSERT OR DELETE OR UPDATE ON public.dashboards
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('dashboards.write');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.email_templates REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.email_templates REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.email_templates REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER email_templates_are_changed_by_admins
  BEFORE INSERT OR DELETE OR UPDATE ON public.email_templates
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('email_templates.write');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.export_schedules REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id', 'next_at', 'delayed_from', 'last_at', 'last_error');

CREATE TRIGGER _audit_created AFTER INSERT ON public.export_schedules REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.export_schedules REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.exports REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.exports REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER exports_delete_jobs AFTER DELETE ON public.exports REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION private.delete_jobs (
  'small_exports',
  'large_exports'
);

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.inventory REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('product_id,id', 'reserved');

CREATE TRIGGER inventory_is_changed_by_admins_and_suppliers
  BEFORE INSERT OR DELETE OR UPDATE ON public.inventory
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('inventory.write');

CREATE TRIGGER inventory_keep_licence_key_stock
  BEFORE UPDATE OF quantity, reserved ON public.inventory
  FOR EACH ROW
  WHEN (((new.quantity <> old.quantity) OR (new.reserved < old.reserved)))
  EXECUTE FUNCTION private.protect_licence_key_stock();

CREATE TRIGGER inventory_movements_are_never_deleted
  BEFORE DELETE ON public.inventory_movements
  FOR EACH ROW
  WHEN (((pg_trigger_depth() = 0) AND (COALESCE(current_setting('souk.removed_tenant'::text, true), ''::text) = ''::text)))
  EXECUTE FUNCTION private.refuse_ledger_change();

CREATE TRIGGER inventory_movements_never_change
  BEFORE UPDATE OR TRUNCATE ON public.inventory_movements
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_ledger_change();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.invitations REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.invitations REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.invitations REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER invitations_are_made_by_admins
  BEFORE INSERT OR DELETE OR UPDATE ON public.invitations
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('invitations.write');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.licence_keys REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('product_id,id', 'order_id', 'order_item_id', 'in_stock', 'handed_out_at');

CREATE TRIGGER _audit_created AFTER INSERT ON public.licence_keys REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('product_id,id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.licence_keys REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('product_id,id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.mail_suppressions REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER mail_suppressions_are_ended_by_admins
  BEFORE DELETE ON public.mail_suppressions
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('mails.write');

CREATE TRIGGER mails_delete_jobs AFTER DELETE ON public.mails REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION private.delete_jobs (
  'mails'
);

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.marketplaces REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.marketplaces REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.marketplaces REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER marketplaces_are_changed_by_admins
  BEFORE INSERT OR DELETE OR UPDATE ON public.marketplaces
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('marketplaces.write');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.media_assets REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id', 'status', 'bucket', 'path', 'cleaned', 'resizable', 'width', 'height');

CREATE TRIGGER _audit_created AFTER INSERT ON public.media_assets REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.media_assets REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER media_assets_check_review
  BEFORE UPDATE OF alt_text ON public.media_assets
  FOR EACH ROW
  WHEN ((old.alt_text <> new.alt_text))
  EXECUTE FUNCTION private.check_reviewed_media();

CREATE TRIGGER media_assets_delete_jobs AFTER DELETE ON public.media_assets REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION private.delete_jobs (
  'media_cleanings'
);

CREATE TRIGGER media_assets_stay_while_shown
  BEFORE DELETE ON public.media_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.check_media_is_unused();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.media_folders REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.media_folders REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.media_folders REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.members REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  (current_setting('request.jwt.claims'::text, true) <> ''::text)
) EXECUTE FUNCTION private.record_audit('user_id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.members REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  (current_setting('request.jwt.claims'::text, true) <> ''::text)
) EXECUTE FUNCTION private.record_audit('user_id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.members REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  (current_setting('request.jwt.claims'::text, true) <> ''::text)
) EXECUTE FUNCTION private.record_audit('user_id');

CREATE TRIGGER members_are_changed_by_admins
  BEFORE INSERT OR DELETE OR UPDATE ON public.members
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('members.write');

CREATE TRIGGER members_keep_an_admin_who_changes
  AFTER UPDATE OF ROLE, status ON public.members
  FOR EACH ROW
  WHEN
    (((old.role = 'admin'::public.member_role) AND (old.status = 'active'::public.member_status) AND (NOT ((new.role = 'admin'::public.member_role) AND (new.status =
    'active'::public.member_status)))))
  EXECUTE FUNCTION private.check_last_admin();

CREATE TRIGGER members_keep_an_admin_who_goes
  AFTER DELETE ON public.members
  FOR EACH ROW
  WHEN (((old.role = 'admin'::public.member_role) AND (old.status = 'active'::public.member_status)))
  EXECUTE FUNCTION private.check_last_admin();

CREATE TRIGGER _audit_created AFTER INSERT ON public.order_cancellations REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER order_items_note_visitor
  AFTER INSERT ON public.order_items REFERENCING NEW TABLE AS new_items
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.record_ordering_visitor();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.order_notes REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.order_notes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.order_notes REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.order_parts REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('order_id,supplier_id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.order_returns REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.orders REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.orders REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.orders REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER orders_need_a_known_customer
  BEFORE INSERT ON public.orders
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_order_of_erased();

CREATE TRIGGER orders_take_number
  BEFORE INSERT ON public.orders
  FOR EACH ROW
  EXECUTE FUNCTION private.next_order_number();

CREATE TRIGGER _audit_created AFTER INSERT ON public.payments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.placement_categories REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('category_id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.placement_categories REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('category_id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.placement_categories REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('category_id');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.placement_settings REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('tenant_id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.placement_settings REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('tenant_id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.placement_settings REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('tenant_id');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.product_approvals REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('product_id', 'is_released', 'decided_by', 'decided_at', 'requested_at');

CREATE TRIGGER _audit_created AFTER INSERT ON public.product_approvals REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('product_id');

CREATE TRIGGER _keep_nfc
  BEFORE INSERT OR UPDATE ON public.product_approvals
  FOR EACH ROW
  EXECUTE FUNCTION private.keep_nfc();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.product_files REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.product_files REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.product_files REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER product_files_are_changed_by_admins_and_suppliers
  BEFORE INSERT OR DELETE OR UPDATE ON public.product_files
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('digital_goods.write');

CREATE TRIGGER product_files_forget_sold_asset
  AFTER DELETE ON public.product_files
  FOR EACH ROW
  WHEN ((old.asset_id IS NOT NULL))
  EXECUTE FUNCTION private.record_sold_asset();

CREATE TRIGGER product_files_note_sold_asset
  AFTER INSERT ON public.product_files
  FOR EACH ROW
  WHEN ((new.asset_id IS NOT NULL))
  EXECUTE FUNCTION private.record_sold_asset();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.product_variants REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id', 'sku_is_unique');

CREATE TRIGGER _audit_created AFTER INSERT ON public.product_variants REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.product_variants REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER product_variants_are_changed_by_admins_and_suppliers
  BEFORE INSERT OR DELETE OR UPDATE ON public.product_variants
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('products.write');

CREATE TRIGGER product_variants_check_price
  BEFORE INSERT OR UPDATE OF price, compare_at_price ON public.product_variants
  FOR EACH ROW
  WHEN (((new.price IS NOT NULL) OR (new.compare_at_price IS NOT NULL)))
  EXECUTE FUNCTION private.check_price();

CREATE TRIGGER product_variants_record_price
  AFTER UPDATE OF price ON public.product_variants
  FOR EACH ROW
  WHEN ((new.price IS DISTINCT FROM old.price))
  EXECUTE FUNCTION private.record_changed_price();

CREATE TRIGGER product_variants_weigh_when_changed
  AFTER UPDATE ON public.product_variants REFERENCING OLD TABLE AS former NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.bound_variants();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.products REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id', 'brand', 'attribute_values', 'lowest_price', 'highest_price');

CREATE TRIGGER _audit_created AFTER INSERT ON public.products REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.products REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER products_are_changed_by_admins_and_suppliers
  BEFORE INSERT OR DELETE OR UPDATE ON public.products
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('products.write');

CREATE CONSTRAINT TRIGGER products_check_compared_prices
  AFTER UPDATE OF price ON public.products DEFERRABLE INITIALLY IMMEDIATE
  FOR EACH ROW
  WHEN ((new.price > old.price))
  EXECUTE FUNCTION private.check_raised_price();

CREATE TRIGGER products_check_details
  BEFORE INSERT OR UPDATE OF attributes, category_id, images, physical, safety ON public.products
  FOR EACH ROW
  EXECUTE FUNCTION private.check_product_details();

CREATE TRIGGER products_check_price
  BEFORE INSERT OR UPDATE OF price, compare_at_price, currency ON public.products
  FOR EACH ROW
  EXECUTE FUNCTION private.check_price();

CREATE TRIGGER products_check_safety
  BEFORE INSERT OR UPDATE OF status, safety ON public.products
  FOR EACH ROW
  WHEN ((new.status = 'active'::public.product_status))
  EXECUTE FUNCTION private.require_safety();

CREATE TRIGGER products_drop_approval
  AFTER UPDATE OF status ON public.products
  FOR EACH ROW
  WHEN (((new.status = 'discontinued'::public.product_status) AND (old.status <> 'discontinued'::public.product_status)))
  EXECUTE FUNCTION private.drop_approval();

CREATE TRIGGER products_forget_shown_assets
  AFTER DELETE ON public.products
  FOR EACH ROW
  WHEN (private.shows_assets(old.images))
  EXECUTE FUNCTION private.record_shown_assets();

CREATE TRIGGER products_forget_withheld
  AFTER UPDATE OF status ON public.products
  FOR EACH ROW
  WHEN (((new.supplier_id IS NOT NULL) AND (old.status <> new.status) AND (new.status = 'discontinued'::public.product_status)))
  EXECUTE FUNCTION private.forget_withheld();

CREATE TRIGGER products_hold_for_approval_when_listed
  BEFORE INSERT ON public.products
  FOR EACH ROW
  WHEN ((new.status = 'active'::public.product_status))
  EXECUTE FUNCTION private.hold_for_approval();

CREATE TRIGGER products_hold_for_approval
  BEFORE UPDATE OF status ON public.products
  FOR EACH ROW
  WHEN (((new.status = 'active'::public.product_status) AND (old.status = ANY (ARRAY['draft'::public.product_status, 'inactive'::public.product_status]))))
  EXECUTE FUNCTION private.hold_for_approval();

CREATE TRIGGER products_keep_safety
  BEFORE UPDATE OF safety ON public.products
  FOR EACH ROW
  WHEN (((new.status = ANY (ARRAY['out_of_stock'::public.product_status, 'inactive'::public.product_status])) AND (new.safety IS DISTINCT FROM old.safety)))
  EXECUTE FUNCTION private.keep_safety();

CREATE TRIGGER products_keep_what_is_sold
  BEFORE UPDATE OF kind, track_inventory ON public.products
  FOR EACH ROW
  WHEN ((((old.kind <> new.kind) OR (old.track_inventory <> new.track_inventory)) AND ((old.kind = 'digital'::public.product_kind) OR (new.kind = 'digital'::public.product_kind))))
  EXECUTE FUNCTION private.check_what_is_sold();

CREATE TRIGGER products_note_new
  AFTER INSERT ON public.products REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.collect_new_products();

CREATE TRIGGER products_note_shown_assets_when_changed
  AFTER UPDATE OF images, status ON public.products
  FOR EACH ROW
  WHEN ((((old.images IS DISTINCT FROM new.images) OR (old.status <> new.status)) AND (private.shows_assets(old.images) OR private.shows_assets(new.images))))
  EXECUTE FUNCTION private.record_shown_assets();

CREATE TRIGGER products_note_shown_assets_when_listed
  AFTER INSERT ON public.products
  FOR EACH ROW
  WHEN (private.shows_assets(new.images))
  EXECUTE FUNCTION private.record_shown_assets();

CREATE TRIGGER products_record_price
  AFTER UPDATE OF price ON public.products
  FOR EACH ROW
  WHEN ((new.price <> old.price))
  EXECUTE FUNCTION private.record_changed_price();

CREATE TRIGGER products_stay_discontinued
  BEFORE UPDATE ON public.products
  FOR EACH ROW
  WHEN (((old.status = 'discontinued'::public.product_status) AND (new.status = 'discontinued'::public.product_status)))
  EXECUTE FUNCTION private.check_discontinued_product();

CREATE TRIGGER products_stay_when_ordered
  BEFORE DELETE ON public.products
  FOR EACH ROW
  EXECUTE FUNCTION private.discontinue_ordered_product();

CREATE TRIGGER products_stay_when_promoted
  BEFORE DELETE ON public.products
  FOR EACH ROW
  EXECUTE FUNCTION private.discontinue_promoted_product();

CREATE TRIGGER products_wait_with_changes
  BEFORE UPDATE OF name, description, description_html, category_id, images ON public.products
  FOR EACH ROW
  EXECUTE FUNCTION private.hold_changes();

CREATE TRIGGER products_withhold_when_listed
  BEFORE INSERT ON public.products
  FOR EACH ROW
  WHEN (((new.status = 'active'::public.product_status) AND (new.supplier_id IS NOT NULL)))
  EXECUTE FUNCTION private.withhold_product();

CREATE TRIGGER products_withhold
  BEFORE UPDATE OF status, track_inventory ON public.products
  FOR EACH ROW
  WHEN (((new.status = 'active'::public.product_status) AND (new.supplier_id IS NOT NULL)))
  EXECUTE FUNCTION private.withhold_product();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.return_requests REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.return_requests REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.search_synonyms REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.search_synonyms REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.search_synonyms REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER search_synonyms_are_changed_by_admins
  BEFORE INSERT OR DELETE OR UPDATE ON public.search_synonyms
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('synonyms.write');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.service_calendars REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('product_id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.service_calendars REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('product_id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.service_calendars REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('product_id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.service_exceptions REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('product_id,id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.service_exceptions REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('product_id,id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.service_hours REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('product_id,id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.service_hours REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('product_id,id');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.shipments REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.shipments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.shipments REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER shipments_note_moves
  AFTER UPDATE ON public.shipments REFERENCING OLD TABLE AS
  BEFORE NEW TABLE AS moved
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.collect_moved_shipments();

CREATE TRIGGER shipments_note_new
  AFTER INSERT ON public.shipments REFERENCING NEW TABLE AS moved
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.collect_moved_shipments();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.supplier_applications REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id', 'decided_by', 'decided_at');

CREATE TRIGGER _audit_created AFTER INSERT ON public.supplier_applications REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _keep_nfc
  BEFORE INSERT OR UPDATE ON public.supplier_applications
  FOR EACH ROW
  EXECUTE FUNCTION private.keep_nfc();

CREATE TRIGGER supplier_applications_write_mail_of_decision
  AFTER UPDATE OF status ON public.supplier_applications
  FOR EACH ROW
  WHEN (((old.status = 'pending'::public.approval_status) AND (new.status <> 'pending'::public.approval_status)))
  EXECUTE FUNCTION private.write_mail_of_decision();

CREATE TRIGGER supplier_applications_write_mail
  AFTER INSERT ON public.supplier_applications
  FOR EACH ROW
  WHEN ((new.status = 'pending'::public.approval_status))
  EXECUTE FUNCTION private.write_mail_of_application();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.suppliers REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.suppliers REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.suppliers REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER suppliers_are_changed_by_admins_and_suppliers
  BEFORE UPDATE ON public.suppliers
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('suppliers.write');

CREATE TRIGGER suppliers_are_opened_by_admins
  BEFORE INSERT OR DELETE ON public.suppliers
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('suppliers.create');

CREATE TRIGGER suppliers_check_logo
  BEFORE INSERT OR UPDATE OF logo ON public.suppliers
  FOR EACH ROW
  WHEN ((new.logo IS NOT NULL))
  EXECUTE FUNCTION private.check_supplier_logo();

CREATE TRIGGER suppliers_check_marketplaces
  BEFORE INSERT OR UPDATE OF marketplace_ids ON public.suppliers
  FOR EACH ROW
  WHEN ((new.marketplace_ids IS NOT NULL))
  EXECUTE FUNCTION private.check_supplier_marketplaces();

CREATE TRIGGER suppliers_check_supplier
  BEFORE UPDATE OF name, verified, status, marketplace_ids ON public.suppliers
  FOR EACH ROW
  EXECUTE FUNCTION private.check_supplier();

CREATE TRIGGER suppliers_release_products
  AFTER UPDATE OF verified ON public.suppliers
  FOR EACH ROW
  WHEN ((new.verified AND (NOT old.verified)))
  EXECUTE FUNCTION private.release_products_of_supplier();

CREATE TRIGGER suppliers_settle_slug
  BEFORE INSERT OR UPDATE OF slug ON public.suppliers
  FOR EACH ROW
  EXECUTE FUNCTION private.settle_supplier_slug();

CREATE TRIGGER suppliers_settle
  AFTER UPDATE OF status, marketplace_ids ON public.suppliers
  FOR EACH ROW
  WHEN (((old.status <> new.status) OR (old.marketplace_ids IS DISTINCT FROM new.marketplace_ids)))
  EXECUTE FUNCTION private.settle_supplier();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.tax_rates REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.tax_rates REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.tax_rates REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _keep_nfc
  BEFORE INSERT OR UPDATE ON public.tax_rates
  FOR EACH ROW
  EXECUTE FUNCTION private.keep_nfc();

CREATE TRIGGER tax_rates_are_changed_by_admins
  BEFORE INSERT OR DELETE OR UPDATE ON public.tax_rates
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('tax_rates.write');

CREATE TRIGGER tax_rates_check
  BEFORE INSERT OR UPDATE ON public.tax_rates
  FOR EACH ROW
  EXECUTE FUNCTION private.check_tax_rate();

CREATE TRIGGER tax_rates_touch
  BEFORE UPDATE ON public.tax_rates
  FOR EACH ROW
  EXECUTE FUNCTION private.touch();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.template_components REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.template_components REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.template_components REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER template_components_note_assets
  AFTER INSERT OR DELETE OR UPDATE ON public.template_components
  FOR EACH ROW
  EXECUTE FUNCTION private.record_component_assets();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.template_localizations REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.template_localizations REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.template_localizations REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.templates REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_created AFTER INSERT ON public.templates REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.templates REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER templates_forget_assets
  AFTER DELETE ON public.templates
  FOR EACH ROW
  EXECUTE FUNCTION private.delete_template_media_uses();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.tenants REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER tenants_are_changed_by_admins
  BEFORE INSERT OR DELETE OR UPDATE ON public.tenants
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('tenant.write');

CREATE TRIGGER tenants_check_seller_settings
  BEFORE INSERT OR UPDATE OF settings ON public.tenants
  FOR EACH ROW
  WHEN ((new.settings ? 'sellers'::text))
  EXECUTE FUNCTION private.check_seller_settings();

CREATE TRIGGER tenants_release_products
  AFTER UPDATE OF settings ON public.tenants
  FOR EACH ROW
  WHEN (((new.settings #> '{sellers,product_review}'::text[]) IS DISTINCT FROM (old.settings #> '{sellers,product_review}'::text[])))
  EXECUTE FUNCTION private.release_products_of_tenant();

CREATE TRIGGER webhook_deliveries_keep_attempt
  AFTER UPDATE ON public.webhook_deliveries
  FOR EACH ROW
  WHEN (((old.attempted_at IS NOT NULL) AND ((new.attempted_at IS NULL) OR (new.attempts > old.attempts))))
  EXECUTE FUNCTION private.store_earlier_attempt();

CREATE TRIGGER _audit_changed AFTER UPDATE ON public.webhooks REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id', 'failing_since', 'secret', 'headers');

CREATE TRIGGER _audit_created AFTER INSERT ON public.webhooks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER _audit_deleted AFTER DELETE ON public.webhooks REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN (
  private .is_audited()
) EXECUTE FUNCTION private.record_audit('id');

CREATE TRIGGER webhooks_are_changed_by_admins_and_clients
  BEFORE INSERT OR DELETE OR UPDATE ON public.webhooks
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.permitted_only('webhooks.write');

CREATE TRIGGER webhooks_keep_secrets
  BEFORE INSERT OR UPDATE OF secret, headers ON public.webhooks
  FOR EACH ROW
  EXECUTE FUNCTION private.store_webhook_secrets();

CREATE POLICY "Admins and clients see their tenant's attempts" ON "private"."earlier_attempts"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('webhooks.read'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins see all keys, suppliers their own" ON "public"."api_keys"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('api_keys.read'::text) AS scope)
    WHEN 'all'::private.permission_scope THEN true
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    ELSE NULL::boolean
END));

CREATE POLICY "Admins see the audit log of their tenant" ON "public"."audit_log"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('audit_log.read'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins and clients see all bookings, customers their own, suppl" ON "public"."bookings"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.reach('bookings.read'::text) AS reach)
    WHEN 'customer'::text THEN (customer_id = ( SELECT private.customer_id() AS customer_id))
    WHEN 'supplier'::text THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    WHEN 'all'::text THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients see all statistics, suppliers those of their" ON "public"."campaign_statistics"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('campaigns.read'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN (campaign_id IN ( SELECT c.id
       FROM public.campaigns c
      WHERE (c.supplier_id = ( SELECT private.supplier_id() AS supplier_id))))
    WHEN 'all'::private.permission_scope THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients see all campaigns, suppliers their own" ON "public"."campaigns"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('campaigns.read'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    WHEN 'all'::private.permission_scope THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins change categories" ON "public"."categories"
  FOR UPDATE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('categories.write'::text) AS scope) = 'all'::private.permission_scope)))
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('categories.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins create categories" ON "public"."categories"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('categories.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins delete categories" ON "public"."categories"
  FOR DELETE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('categories.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins and clients see all rates, suppliers their own and those" ON "public"."commission_rates"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('commission_rates.read'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN ((supplier_id IS NULL) OR (supplier_id = ( SELECT private.supplier_id() AS supplier_id)))
    WHEN 'all'::private.permission_scope THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins change rates" ON "public"."commission_rates"
  FOR UPDATE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('commission_rates.write'::text) AS scope) = 'all'::private.permission_scope)))
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('commission_rates.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins make rates" ON "public"."commission_rates"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('commission_rates.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins remove rates" ON "public"."commission_rates"
  FOR DELETE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('commission_rates.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Content roles see all content, suppliers that of their products" ON "public"."content"
  FOR SELECT
  TO "authenticated"
  USING
    (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ((cardinality(( SELECT private.content_roles() AS content_roles)) > 0) OR (supplier_id = ( SELECT
    private.supplier_id('content.write'::text) AS supplier_id)))));

CREATE POLICY "Admins and clients make customers" ON "public"."customers"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('customers.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins and clients see all listed customers, customers themselv" ON "public"."customers"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('customers.read'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN (id = ( SELECT private.customer_id() AS customer_id))
    WHEN 'all'::private.permission_scope THEN is_listed
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients change the tenant's dashboards, suppliers th" ON "public"."dashboards"
  FOR UPDATE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('dashboards.write'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    WHEN 'all'::private.permission_scope THEN (supplier_id IS NULL)
    ELSE NULL::boolean
END))
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('dashboards.write'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    WHEN 'all'::private.permission_scope THEN (supplier_id IS NULL)
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients create the tenant's dashboards, suppliers th" ON "public"."dashboards"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('dashboards.write'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    WHEN 'all'::private.permission_scope THEN (supplier_id IS NULL)
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients delete the tenant's dashboards, suppliers th" ON "public"."dashboards"
  FOR DELETE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('dashboards.write'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    WHEN 'all'::private.permission_scope THEN (supplier_id IS NULL)
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients see the tenant's dashboards, suppliers their" ON "public"."dashboards"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('dashboards.read'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    WHEN 'all'::private.permission_scope THEN (supplier_id IS NULL)
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients see their tenant's e-mail templates" ON "public"."email_templates"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('email_templates.read'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins change e-mail templates" ON "public"."email_templates"
  FOR UPDATE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('email_templates.write'::text) AS scope) = 'all'::private.permission_scope)))
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('email_templates.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins create e-mail templates" ON "public"."email_templates"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('email_templates.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins delete e-mail templates" ON "public"."email_templates"
  FOR DELETE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('email_templates.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins and clients see their tenant's events" ON "public"."events"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('events.read'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins see all schedules, clients and suppliers their own" ON "public"."export_schedules"
  FOR SELECT
  TO "authenticated"
  USING
    (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND private.shows_export(( SELECT private.scope('exports.read'::text) AS scope), ( SELECT auth.uid() AS uid), (
    SELECT private.supplier_id() AS supplier_id), asked_by, supplier_id)));

CREATE POLICY "Members delete the schedules that they see" ON "public"."export_schedules"
  FOR DELETE
  TO "authenticated"
  USING
    (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND private.shows_export(( SELECT private.scope('exports.read'::text) AS scope), ( SELECT auth.uid() AS uid), (
    SELECT private.supplier_id() AS supplier_id), asked_by, supplier_id)));

CREATE POLICY "Admins see all exports, clients and suppliers those they asked " ON "public"."exports"
  FOR SELECT
  TO "authenticated"
  USING
    (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND private.shows_export(( SELECT private.scope('exports.read'::text) AS scope), ( SELECT auth.uid() AS uid), (
    SELECT private.supplier_id() AS supplier_id),
    asked_by, supplier_id) AND (((TYPE)::text <> 'audit_log'::text) OR (( SELECT private.scope('audit_log.read'::text) AS scope) = 'all'::private.permission_scope))));

CREATE POLICY "Members delete the exports that they see" ON "public"."exports"
  FOR DELETE
  TO "authenticated"
  USING
    (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND private.shows_export(( SELECT private.scope('exports.read'::text) AS scope), ( SELECT auth.uid() AS uid), (
    SELECT private.supplier_id() AS supplier_id), asked_by, supplier_id)));

CREATE POLICY "Admins count the stock of any product, suppliers of their own" ON "public"."inventory"
  FOR UPDATE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('inventory.write'::text) AS scope) IS NOT NULL) AND ( SELECT true
   FROM public.products p
  WHERE (p.id = inventory.product_id))))
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('inventory.write'::text) AS scope) IS NOT NULL) AND ( SELECT true
   FROM public.products p
  WHERE (p.id = inventory.product_id))));

CREATE POLICY "Admins and clients read the ledger, suppliers that of their pro" ON "public"."inventory_movements"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('inventory.read'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN ( SELECT true
       FROM public.products p
      WHERE (p.id = inventory_movements.product_id))
    WHEN 'all'::private.permission_scope THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients see all invitations, suppliers those into th" ON "public"."invitations"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('invitations.read'::text) AS scope)
    WHEN 'all'::private.permission_scope THEN true
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    ELSE NULL::boolean
END));

CREATE POLICY "Admins withdraw any invitation, suppliers those into their orga" ON "public"."invitations"
  FOR DELETE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('invitations.write'::text) AS scope)
    WHEN 'all'::private.permission_scope THEN true
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    ELSE false
END));

CREATE POLICY "Admins and clients see all licence keys, suppliers those of the" ON "public"."licence_keys"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('digital_goods.read'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN ( SELECT true
       FROM public.products p
      WHERE (p.id = licence_keys.product_id))
    WHEN 'all'::private.permission_scope THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins end suppressions" ON "public"."mail_suppressions"
  FOR DELETE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('mails.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins see their tenant's suppressions" ON "public"."mail_suppressions"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('mails.read'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins see their tenant's mails" ON "public"."mails"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('mails.read'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins change marketplaces" ON "public"."marketplaces"
  FOR UPDATE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('marketplaces.write'::text) AS scope) = 'all'::private.permission_scope)))
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('marketplaces.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins create marketplaces" ON "public"."marketplaces"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('marketplaces.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins, clients and suppliers see all marketplaces, customers t" ON "public"."marketplaces"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('marketplaces.read'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN (status = 'active'::public.marketplace_status)
    WHEN 'all'::private.permission_scope THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Editors change all media, suppliers their own" ON "public"."media_assets"
  FOR UPDATE
  TO "authenticated"
  USING
    (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.edits_media() AS edits_media) OR (supplier_id = ( SELECT
    private.supplier_id('media.write'::text) AS supplier_id)))))
  WITH
    CHECK
    (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.edits_media() AS edits_media) OR (supplier_id = ( SELECT
    private.supplier_id('media.write'::text) AS supplier_id)))));

CREATE POLICY "Editors delete all media, suppliers their own" ON "public"."media_assets"
  FOR DELETE
  TO "authenticated"
  USING
    (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.edits_media() AS edits_media) OR (supplier_id = ( SELECT
    private.supplier_id('media.write'::text) AS supplier_id)))));

CREATE POLICY "Admins and clients see all members, others themselves" ON "public"."members"
  FOR SELECT
  TO "authenticated"
  USING
    (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (((( SELECT private.scope('members.read'::text) AS scope) = 'all'::private.permission_scope) AND (NOT is_key)) OR
    (user_id = ( SELECT auth.uid() AS uid)))));

CREATE POLICY "Admins change members" ON "public"."members"
  FOR UPDATE
  TO "authenticated"
  USING
    (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('members.write'::text) AS scope) = 'all'::private.permission_scope) AND (NOT is_key)))
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('members.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins remove members" ON "public"."members"
  FOR DELETE
  TO "authenticated"
  USING
    (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('members.write'::text) AS scope) = 'all'::private.permission_scope) AND (NOT is_key)));

CREATE POLICY "Members who see an item see its cancellations" ON "public"."order_cancellation_items"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE
    WHEN (( SELECT private.scope('orders.read'::text) AS scope) = 'all'::private.permission_scope) THEN true
    ELSE ( SELECT true
       FROM public.order_items i
      WHERE (i.id = order_cancellation_items.item_id))
END));

CREATE POLICY "Members who see an order see its cancellations, suppliers those" ON "public"."order_cancellations"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.reach('orders.read'::text) AS reach)
    WHEN 'customer'::text THEN ( SELECT true
       FROM public.orders o
      WHERE (o.id = order_cancellations.order_id))
    WHEN 'supplier'::text THEN ( SELECT true
       FROM public.order_cancellation_items i
      WHERE ((i.tenant_id = order_cancellations.tenant_id) AND (i.order_id = order_cancellations.order_id) AND (i.cancellation_id = order_cancellations.id))
     LIMIT 1)
    WHEN 'all'::text THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients see all commissions, suppliers their own" ON "public"."order_commissions"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('commissions.read'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    WHEN 'all'::private.permission_scope THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients see all rates of items, suppliers their own" ON "public"."order_item_commissions"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('commissions.read'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    WHEN 'all'::private.permission_scope THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Members who see an order see its items, suppliers their own" ON "public"."order_items"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.reach('orders.read'::text) AS reach)
    WHEN 'customer'::text THEN ( SELECT true
       FROM public.orders o
      WHERE (o.id = order_items.order_id))
    WHEN 'supplier'::text THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    WHEN 'all'::text THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients see all notes, customers those for them, sup" ON "public"."order_notes"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.reach('orders.read'::text) AS reach)
    WHEN 'customer'::text THEN ((visibility = 'customer'::public.note_visibility) AND ( SELECT true
       FROM public.orders o
      WHERE (o.id = order_notes.order_id)))
    WHEN 'supplier'::text THEN
      ((((visibility = 'customer'::public.note_visibility) AND (supplier_id IS NULL)) OR (supplier_id = ( SELECT private.supplier_id() AS supplier_id))) AND ( SELECT true
       FROM public.orders o
      WHERE (o.id = order_notes.order_id)))
    WHEN 'all'::text THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients see all parts, customers those of their orde" ON "public"."order_parts"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.reach('orders.read'::text) AS reach)
    WHEN 'customer'::text THEN (customer_id = ( SELECT private.customer_id() AS customer_id))
    WHEN 'supplier'::text THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    WHEN 'all'::text THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Members who see an item see its returns" ON "public"."order_return_items"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE
    WHEN (( SELECT private.scope('orders.read'::text) AS scope) = 'all'::private.permission_scope) THEN true
    ELSE ( SELECT true
       FROM public.order_items i
      WHERE (i.id = order_return_items.item_id))
END));

CREATE POLICY "Members who see an order see its returns, suppliers those of th" ON "public"."order_returns"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.reach('orders.read'::text) AS reach)
    WHEN 'customer'::text THEN ( SELECT true
       FROM public.orders o
      WHERE (o.id = order_returns.order_id))
    WHEN 'supplier'::text THEN ( SELECT true
       FROM public.order_return_items i
      WHERE ((i.tenant_id = order_returns.tenant_id) AND (i.order_id = order_returns.order_id) AND (i.return_id = order_returns.id))
     LIMIT 1)
    WHEN 'all'::text THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Members who see an order see its history" ON "public"."order_status_changes"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE
    WHEN (( SELECT private.scope('orders.read'::text) AS scope) = 'all'::private.permission_scope) THEN true
    ELSE ( SELECT true
       FROM public.orders o
      WHERE (o.id = order_status_changes.order_id))
END));

CREATE POLICY "Admins and clients see all orders, customers their own, supplie" ON "public"."orders"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.reach('orders.read'::text) AS reach)
    WHEN 'customer'::text THEN (customer_id = ( SELECT private.customer_id() AS customer_id))
    WHEN 'supplier'::text THEN (EXISTS ( SELECT 1
       FROM public.order_parts p
      WHERE ((p.order_id = orders.id) AND (p.supplier_id = ( SELECT private.supplier_id() AS supplier_id)))))
    WHEN 'all'::text THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients see all payments, customers those of their o" ON "public"."payments"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('payments.read'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN ( SELECT true
       FROM public.orders o
      WHERE (o.id = payments.order_id))
    WHEN 'all'::private.permission_scope THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins, clients and suppliers see what placement costs" ON "public"."placement_categories"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('placement_prices.read'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins and clients see all charges, suppliers those of their ca" ON "public"."placement_charges"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('campaigns.read'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN (campaign_id IN ( SELECT c.id
       FROM public.campaigns c
      WHERE (c.supplier_id = ( SELECT private.supplier_id() AS supplier_id))))
    WHEN 'all'::private.permission_scope THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients see the settings of placement" ON "public"."placement_settings"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('placement_settings.read'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins and clients see all reviews, suppliers those of their pr" ON "public"."product_approvals"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('product_approvals.read'::text) AS scope)
    WHEN 'all'::private.permission_scope THEN true
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    ELSE NULL::boolean
END));

CREATE POLICY "Admins add files to any product, suppliers to their own" ON "public"."product_files"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('digital_goods.write'::text) AS scope) IS NOT NULL) AND ( SELECT true
   FROM public.products p
  WHERE (p.id = product_files.product_id))));

CREATE POLICY "Admins and clients see all files, suppliers those of their prod" ON "public"."product_files"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('digital_goods.read'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN ( SELECT true
       FROM public.products p
      WHERE (p.id = product_files.product_id))
    WHEN 'all'::private.permission_scope THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins remove files of any product, suppliers of their own" ON "public"."product_files"
  FOR DELETE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('digital_goods.write'::text) AS scope) IS NOT NULL) AND ( SELECT true
   FROM public.products p
  WHERE (p.id = product_files.product_id))));

CREATE POLICY "Admins change variants of any product, suppliers of their own" ON "public"."product_variants"
  FOR UPDATE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('products.write'::text) AS scope) IS NOT NULL) AND ( SELECT true
   FROM public.products p
  WHERE (p.id = product_variants.product_id))))
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('products.write'::text) AS scope) IS NOT NULL) AND ( SELECT true
   FROM public.products p
  WHERE (p.id = product_variants.product_id))));

CREATE POLICY "Admins make variants of any product, suppliers of their own" ON "public"."product_variants"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('products.write'::text) AS scope) IS NOT NULL) AND ( SELECT true
   FROM public.products p
  WHERE (p.id = product_variants.product_id))));

CREATE POLICY "Admins remove variants of any product, suppliers of their own" ON "public"."product_variants"
  FOR DELETE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('products.write'::text) AS scope) IS NOT NULL) AND ( SELECT true
   FROM public.products p
  WHERE (p.id = product_variants.product_id))));

CREATE POLICY "Admins and clients see all products, suppliers their own, custo" ON "public"."products"
  FOR SELECT
  TO "authenticated"
  USING
    (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND private.is_shown_to(( SELECT private.reach('products.read'::text) AS reach), ( SELECT private.supplier_id() AS
    supplier_id), ( SELECT private.active_marketplace_ids() AS active_marketplace_ids), supplier_id, marketplace_id, status)));

CREATE POLICY "Admins change any product, suppliers their own" ON "public"."products"
  FOR UPDATE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('products.write'::text) AS scope)
    WHEN 'all'::private.permission_scope THEN true
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    ELSE false
END))
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('products.write'::text) AS scope)
    WHEN 'all'::private.permission_scope THEN true
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    ELSE false
END));

CREATE POLICY "Admins delete any product, suppliers their own" ON "public"."products"
  FOR DELETE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('products.write'::text) AS scope)
    WHEN 'all'::private.permission_scope THEN true
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    ELSE false
END));

CREATE POLICY "Admins list any product, suppliers their own" ON "public"."products"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('products.write'::text) AS scope)
    WHEN 'all'::private.permission_scope THEN true
    WHEN 'own'::private.permission_scope THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    ELSE false
END));

CREATE POLICY "Everybody who sees a return request sees its items" ON "public"."return_request_items"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE
    WHEN (( SELECT private.scope('orders.read'::text) AS scope) = 'all'::private.permission_scope) THEN true
    ELSE ( SELECT true
       FROM public.return_requests r
      WHERE (r.id = return_request_items.request_id))
END));

CREATE POLICY "Admins and clients see all return requests, customers those of " ON "public"."return_requests"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.reach('orders.read'::text) AS reach)
    WHEN 'customer'::text THEN (customer_id = ( SELECT private.customer_id() AS customer_id))
    WHEN 'supplier'::text THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    WHEN 'all'::text THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins change synonyms" ON "public"."search_synonyms"
  FOR UPDATE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('synonyms.write'::text) AS scope) = 'all'::private.permission_scope)))
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('synonyms.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins create synonyms" ON "public"."search_synonyms"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('synonyms.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins delete synonyms" ON "public"."search_synonyms"
  FOR DELETE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('synonyms.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Everybody who sees a shipment sees its items" ON "public"."shipment_items"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE
    WHEN (( SELECT private.scope('orders.read'::text) AS scope) = 'all'::private.permission_scope) THEN true
    ELSE ( SELECT true
       FROM public.shipments s
      WHERE (s.id = shipment_items.shipment_id))
END));

CREATE POLICY "Admins and clients see all shipments, customers those of their " ON "public"."shipments"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.reach('orders.read'::text) AS reach)
    WHEN 'customer'::text THEN (customer_id = ( SELECT private.customer_id() AS customer_id))
    WHEN 'supplier'::text THEN (supplier_id = ( SELECT private.supplier_id() AS supplier_id))
    WHEN 'all'::text THEN true
    ELSE NULL::boolean
END));

CREATE POLICY "Admins and clients see all applications, customers their own" ON "public"."supplier_applications"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('supplier_applications.read'::text) AS scope)
    WHEN 'all'::private.permission_scope THEN true
    WHEN 'own'::private.permission_scope THEN (user_id = ( SELECT auth.uid() AS uid))
    ELSE NULL::boolean
END));

CREATE POLICY "Admins change any supplier, suppliers their own" ON "public"."suppliers"
  FOR UPDATE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('suppliers.write'::text) AS scope) IS NOT NULL)))
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND
CASE ( SELECT private.scope('suppliers.write'::text) AS scope)
    WHEN 'all'::private.permission_scope THEN true
    WHEN 'own'::private.permission_scope THEN (id = ( SELECT private.supplier_id() AS supplier_id))
    ELSE false
END));

CREATE POLICY "Admins open suppliers" ON "public"."suppliers"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('suppliers.create'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Content roles see all templates, others the active ones of mark" ON "public"."templates"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ((cardinality(( SELECT private.content_roles() AS content_roles)) > 0) OR ((active_version IS NOT NULL) AND
CASE ( SELECT private.scope('templates.read'::text) AS scope)
    WHEN 'own'::private.permission_scope THEN ((marketplace_id IS NULL) OR (marketplace_id = ANY (( SELECT private.active_marketplace_ids() AS active_marketplace_ids)::uuid[])))
    WHEN 'all'::private.permission_scope THEN true
    ELSE NULL::boolean
END))));

CREATE POLICY "Admins change their tenant" ON "public"."tenants"
  FOR UPDATE
  TO "authenticated"
  USING (((id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('tenant.write'::text) AS scope) = 'all'::private.permission_scope)))
  WITH CHECK (((id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('tenant.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins and clients see their tenant's deliveries" ON "public"."webhook_deliveries"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('webhooks.read'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins and clients change webhooks" ON "public"."webhooks"
  FOR UPDATE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('webhooks.write'::text) AS scope) = 'all'::private.permission_scope)))
  WITH
    CHECK
    (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('webhooks.write'::text) AS scope) = 'all'::private.permission_scope) AND (( SELECT
    private.scope('events.read'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins and clients register webhooks" ON "public"."webhooks"
  FOR INSERT
  TO "authenticated"
  WITH
    CHECK
    (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('webhooks.write'::text) AS scope) = 'all'::private.permission_scope) AND (( SELECT
    private.scope('events.read'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins and clients remove webhooks" ON "public"."webhooks"
  FOR DELETE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('webhooks.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins and clients see their tenant's webhooks" ON "public"."webhooks"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('webhooks.read'::text) AS scope) = 'all'::private.permission_scope)));

COMMENT ON COLUMN "private"."jobs"."attempts" IS 'Attempts that have begun since the job was queued. One that was given back untried does not count.';

COMMENT ON COLUMN "private"."jobs"."due_at" IS 'When the next attempt is made. Null: the job is given up.';

COMMENT ON COLUMN "private"."jobs"."error" IS 'The error of the last attempt that failed.';

COMMENT ON COLUMN "private"."jobs"."is_counted" IS 'Whether the subject counts against a bound of its tenant, which counts it once.';

COMMENT ON COLUMN "private"."jobs"."subject_id" IS 'What the job is about: the id of a mail, product, export, …';

COMMENT ON COLUMN "private"."queues"."gives_up" IS 'Whether a job is given up after the attempt that follows the last wait. If not, the last wait repeats.';

COMMENT ON COLUMN "private"."queues"."in_order" IS 'Whether a tenant''s jobs are done one at a time, in the order in which they were queued.';

COMMENT ON COLUMN "private"."queues"."lease" IS 'The time in which a worker reports.';

COMMENT ON COLUMN "private"."queues"."waits" IS 'The wait after each failed attempt, up to a tenth longer.';

COMMENT ON COLUMN "private"."queues"."worker" IS 'The edge function that is woken.';

COMMENT ON COLUMN "public"."tenants"."mail_status" IS 'Whether the owner of the project lets the tenant send mails of its own: new or approved.';

COMMENT ON FUNCTION "private"."access_token_hook"(jsonb) IS 'Auth hook: puts tenant_id and tenant_role into the access token: those of the session''s tenant while the user is an active member of it, else those of another tenant of the user. And scopes, for an API key that does not have all permissions of its role; refused if it has expired.';

COMMENT ON FUNCTION "private"."add_queue"(text, text, interval, interval[], boolean, boolean) IS 'Adds a queue, or changes the one with this name.';

COMMENT ON FUNCTION "private"."address_of_customer"(public.customers) IS 'The e-mail address that certainly belongs to a customer: confirmed, or given by the staff. Otherwise null.';

COMMENT ON FUNCTION "private"."address_record"(private.customer_addresses) IS 'The record of a kept address: its fields, and id, is_default and times.';

COMMENT ON FUNCTION "private"."application_facts"(public.supplier_applications) IS 'The variables of the mails about an application.';

COMMENT ON FUNCTION "private"."approve_product"(uuid, text, timestamp with time zone) IS 'See public.approve_product.';

COMMENT ON FUNCTION "private"."approve_supplier_application"(uuid, text) IS 'See public.approve_supplier_application.';

COMMENT ON FUNCTION "private"."audit_act"(uuid, text, uuid, text[]) IS 'Writes a change to the audit log. For acts whose tables have no trigger, because services write to them all the time.';

COMMENT ON FUNCTION "private"."audit_source"() IS 'What the audit log says about this request. actor is null unless private.is_audited().';

COMMENT ON FUNCTION "private"."audited_caller"() IS 'Who makes the changes of this request, as the audit log names it; nulls unless private.is_audited().';

COMMENT ON FUNCTION "private"."audited_fields"(jsonb, jsonb, text[]) IS 'The names of the fields that differ between two versions of a row, in alphabetical order; of settings the groups, such as settings.catalog.';

COMMENT ON FUNCTION "private"."become_account"(public.customers, uuid, text, text) IS 'Makes a customer without an account, or a guest, that of an account.';

COMMENT ON FUNCTION "private"."bound_variants"() IS 'Statement trigger: refuses more than 200 variants of a product, those that are compared with a price that is not greater, and products whose records exceed the cap record_bytes.';

COMMENT ON FUNCTION "private"."carry_out_approval"(public.product_approvals, text) IS 'Approves a product: its waiting changes apply, or it is put up for sale. Granted to nobody.';

COMMENT ON FUNCTION "private"."check_address"() IS 'Row trigger: checks the addresses with private.checked_address, unless an update erases both. Refuses with VALIDATION_ERROR.';

COMMENT ON FUNCTION "private"."check_audit_export"(public.exports) IS 'Checks a request for the audit log. Refuses with FORBIDDEN if the member who asks may not read it, and with VALIDATION_ERROR filters that it does not have.';

COMMENT ON FUNCTION "private"."check_colleague_invitation"(uuid, uuid, text) IS 'Refuses the invitation of a supplier for an address that the tenant has invited otherwise (CONFLICT), and more than the cap invitations_per_supplier (LIMIT_REACHED).';

COMMENT ON FUNCTION "private"."check_compared_prices"(uuid[]) IS 'Refuses with VALIDATION_ERROR variants whose compare_at_price is not greater than their price, which may be the product''s.';

COMMENT ON FUNCTION "private"."check_destination"(jsonb, jsonb, jsonb, jsonb) IS 'Refuses with VALIDATION_ERROR an order with physical items and no address, no delivery method although the marketplace has some, or one that does not deliver them; details.delivery_methods are those that do. offered: the chosen method; null for none.';

COMMENT ON FUNCTION "private"."check_discontinued_product"() IS 'Row trigger: refuses changes of a discontinued product by users.';

COMMENT ON FUNCTION "private"."check_export"(public.exports) IS 'Checks a request, and returns it with the address in lower case. Refuses with VALIDATION_ERROR an address of no active member, an unknown currency, and a dimension that the type does not have; with FORBIDDEN the audit log, except for admins.';

COMMENT ON FUNCTION "private"."check_key_scopes"(text[], public.member_role) IS 'Refuses with VALIDATION_ERROR scopes that are no permissions of the role.';

COMMENT ON FUNCTION "private"."check_last_admin"() IS 'Row trigger: refuses with LAST_ADMIN if the last active admin of a tenant would be removed, suspended or demoted.';

COMMENT ON FUNCTION "private"."check_legal"(jsonb) IS 'Refuses with VALIDATION_ERROR an invalid legal identity; it must be {name, address, email, phone, register_number, tax_id, self_certified}, each of them optional. Names the field.';

COMMENT ON FUNCTION "private"."check_media_is_unused"() IS 'Row trigger: refuses with CONFLICT to delete an asset that is used. The details name the records.';

COMMENT ON FUNCTION "private"."check_price"() IS 'Row trigger: refuses a price or a compare_at_price with more decimals than its currency has, and stores them with exactly that number of decimals. Refuses a compare_at_price of a product that is not greater than its price.';

COMMENT ON FUNCTION "private"."check_product_details"() IS 'Row trigger: checks attributes when they or the category change, and images, physical details and safety when they change.';

COMMENT ON FUNCTION "private"."check_raised_price"() IS 'Row trigger: refuses with VALIDATION_ERROR a price that reaches what a variant without its own is compared with.';

COMMENT ON FUNCTION "private"."check_rest_request"() IS 'Runs before each request to /rest/v1. Refuses with VALIDATION_ERROR a planned or estimated count, which tells the planner''s estimate for rows that row-level security hides; with NOT_FOUND a visit to a marketplace that is not there; with CONFLICT a request that names another tenant than its session''s.';

COMMENT ON FUNCTION "private"."check_review_of_media"(public.media_assets) IS 'Refuses with CONFLICT that a supplier changes a file that a reviewed product shows.';

COMMENT ON FUNCTION "private"."check_reviewed_media"() IS 'Row trigger: refuses with CONFLICT that a supplier changes the alternative text that a reviewed product shows.';

COMMENT ON FUNCTION "private"."check_seller_settings"() IS 'Row trigger: refuses settings for sellers that are not known.';

COMMENT ON FUNCTION "private"."check_supplier"() IS 'Row trigger: only admins can verify and suspend suppliers, and choose their marketplaces. A supplier that changes its own name is no longer verified.';

COMMENT ON FUNCTION "private"."check_supplier_legal"() IS 'Row trigger: refuses an invalid legal identity.';

COMMENT ON FUNCTION "private"."check_supplier_logo"() IS 'Row trigger: refuses a logo that is no address.';

COMMENT ON FUNCTION "private"."check_supplier_marketplaces"() IS 'Row trigger: refuses marketplaces of a supplier that the tenant does not have.';

COMMENT ON FUNCTION "private"."check_tax"(jsonb) IS 'Refuses invalid tax settings. Names the fields.';

COMMENT ON FUNCTION "private"."check_tax_rate"() IS 'Row trigger: refuses an unknown country with VALIDATION_ERROR, and a rate above the cap tax_rates_per_tenant with LIMIT_REACHED.';

COMMENT ON FUNCTION "private"."check_variants"(public.products, jsonb) IS 'Refuses an invalid list of variants: too many, an invalid name or sku, a price or compare_at_price with too many decimals, or a quantity for a product without a stock. Names the variant.';

COMMENT ON FUNCTION "private"."check_what_is_sold"() IS 'Row trigger: kind and track_inventory of a product cannot change once it was ordered or has stock or licence keys, and only digital products have files.';

COMMENT ON FUNCTION "private"."checked_price"(numeric, smallint, text) IS 'A price with exactly the decimals of its currency (exponent). Refuses with VALIDATION_ERROR a price with more.';

COMMENT ON FUNCTION "private"."checked_safety"(jsonb) IS 'Who answers for a product: its manufacturer and the responsible person, each with name, address and email, and warnings. Without nulls. Refuses with VALIDATION_ERROR.';

COMMENT ON FUNCTION "private"."claim_confirmed_customer"() IS 'Row trigger: a user who confirms an address, the first or a new one, gets the orders of customers without an account that have it, in every tenant of the user.';

COMMENT ON FUNCTION "private"."claim_customers"(public.customers) IS 'Gives the customer of an account with a confirmed address the orders of customers without an account that have it. A customer who has not ordered becomes the oldest of them.';

COMMENT ON FUNCTION "private"."claim_due_customers"(integer) IS 'For a job: gives the accounts that have the address of a customer whose claim is due the customer''s orders. At most this many; returns null if there are no more.';

COMMENT ON FUNCTION "private"."claim_past_customer"() IS 'Row trigger: a user who joins with the confirmed address of customers without an account becomes the oldest of them, instead of a new one, and gets the orders of the others.';

COMMENT ON FUNCTION "private"."claims_of_key"(uuid) IS 'What the access token of an account says beside its tenant: the scopes of an API key, whose use is recorded. An error of an Auth hook for a key that has expired. Empty for people.';

COMMENT ON FUNCTION "private"."collect_moved_shipments"() IS 'Statement trigger: collects the shipments of each order that a statement made or moved, so that one trigger at commit writes their events.';

COMMENT ON FUNCTION "private"."collect_new_products"() IS 'Statement trigger: collects the products that a statement added, so that one trigger at commit writes their events.';

COMMENT ON FUNCTION "private"."compute_new_visitor_days"() IS 'Statement trigger: adds new events, all of one tenant, to the days of their visitors, and restates days that were over.';

COMMENT ON FUNCTION "private"."compute_visitor_days"(private.storefront_events[]) IS 'Adds a tenant''s events to the days of their visitors, where they reach a later stage. Returns the changed days.';

COMMENT ON FUNCTION "private"."compute_visitor_product_days"(private.storefront_events[]) IS 'The same for the products of each supplier and category.';

COMMENT ON FUNCTION "private"."condition_of_person"(jsonb) IS 'The condition, on the table t, that finds the rows of a person, whose keys are $2. found_by: as in private.personal_data.';

COMMENT ON FUNCTION "private"."create_api_key"(text, public.member_role, uuid, text[], timestamp with time zone) IS 'See public.create_api_key.';

COMMENT ON FUNCTION "private"."create_customer_address"(jsonb, boolean) IS 'See public.create_customer_address.';

COMMENT ON FUNCTION "private"."create_invitation"(text, public.member_role, uuid, boolean) IS 'Creates an invitation and its token. Refuses with FORBIDDEN, CONFLICT, NOT_FOUND (the supplier), VALIDATION_ERROR.';

COMMENT ON FUNCTION "private"."create_key_account"(uuid, text, text, text) IS 'Creates the account of an API key, with an address that gets no mail. Granted to nobody.';

COMMENT ON FUNCTION "private"."create_supplier_application"(text, text, text, jsonb, text) IS 'See public.create_supplier_application.';

COMMENT ON FUNCTION "private"."customer_of_address"(text) IS 'For those who may create customers: the customer whose account has confirmed an e-mail address; null if there is none.';

COMMENT ON FUNCTION "private"."customers_by_name"(uuid, text[], bigint[]) IS 'The customers of a tenant whose name, e-mail addresses and phone number have all parts. wanted: their grams; without any, no customer is found.';

COMMENT ON FUNCTION "private"."delete_content_media_uses"() IS 'Row trigger: deleted content uses no assets.';

COMMENT ON FUNCTION "private"."delete_jobs"() IS 'Statement trigger with the names of queues: deletes the jobs of deleted subjects.';

COMMENT ON FUNCTION "private"."delete_key_account"() IS 'Row trigger: deletes the account of an API key that was removed, and with it the membership and the sessions.';

COMMENT ON FUNCTION "private"."delete_old_audit_entries"(interval, integer) IS 'For a job: deletes a batch of the oldest rows of the audit log, and returns whether there may be more.';

COMMENT ON FUNCTION "private"."delete_old_counts"() IS 'For a job: deletes counts that were kept more than an hour ago, and the changes that no counts can depend on, 70 to 90 minutes after their transactions ended.';

COMMENT ON FUNCTION "private"."delete_old_deliveries"(timestamp with time zone) IS 'Deletes the deliveries of events before this time, with their attempts.';

COMMENT ON FUNCTION "private"."delete_old_events"() IS 'Deletes events that are older than the retention period, after their deliveries. Whole days are deleted by dropping their partition.';

COMMENT ON FUNCTION "private"."delete_old_guests"(integer) IS 'Checks guests that are due, at most this many, and deletes those without an order that were last seen 30 days ago. Returns null if there are no more.';

COMMENT ON FUNCTION "private"."delete_old_search_words"(uuid) IS 'Marks the words that none of a tenant''s products has any more, and deletes those that were marked a day ago.';

COMMENT ON FUNCTION "private"."delete_old_storefront_events"() IS 'Drops the events of days that are more than 90 days ago.';

COMMENT ON FUNCTION "private"."delete_rows_of_tenant"(uuid, regclass) IS 'Deletes at most 100 rows of a tenant from a table. error: why it could not.';

COMMENT ON FUNCTION "private"."delete_tables_of_tenant"(uuid, timestamp with time zone) IS 'Deletes rows of a tenant until a time, at least one. Returns whether there were any; raises an error if there are some and none can be deleted.';

COMMENT ON FUNCTION "private"."delete_template_media_uses"() IS 'Row trigger: deletes the rows of private.media_uses of a deleted template.';

COMMENT ON FUNCTION "private"."delivers"(jsonb, jsonb, jsonb) IS 'Whether a delivery method takes all physical items of an order, with their weight, to an address.';

COMMENT ON FUNCTION "private"."delivery_methods"(uuid, text, text, bigint, numeric) IS 'See public.list_delivery_methods.';

COMMENT ON FUNCTION "private"."delivery_price"(jsonb, numeric, numeric) IS 'What a delivery method costs for a weight in grams and a subtotal: 0 from its free_from on. Null if it does not carry the weight.';

COMMENT ON FUNCTION "private"."discontinue_ordered_product"() IS 'Row trigger: discontinues a product that was ever ordered instead of deleting it.';

COMMENT ON FUNCTION "private"."discontinue_promoted_product"() IS 'Row trigger: discontinues a product that was ever promoted instead of deleting it, because its charges stay.';

COMMENT ON FUNCTION "private"."drop_approval"() IS 'Row trigger: a discontinued product awaits no review.';

COMMENT ON FUNCTION "private"."due_jobs"(text[], integer) IS 'Up to batch jobs of some queues that are due: the first one of each tenant, then the second ones, and so on.';

COMMENT ON FUNCTION "private"."due_jobs_of"(private.queues, integer, timestamp with time zone) IS 'Jobs of a queue that are due: of up to 400 tenants, at most batch each. turn: the place among those of its tenant.';

COMMENT ON FUNCTION "private"."emit_differences"(uuid, private.sales_difference[]) IS 'Writes an analytics.mismatch event for each marketplace, with at most 100 differences. Returns how many events.';

COMMENT ON FUNCTION "private"."end_account"(uuid, uuid) IS 'Deletes an account; if it has memberships in other tenants, only the membership in this one. Refuses with LAST_ADMIN.';

COMMENT ON FUNCTION "private"."end_accounts_of_tenant"(uuid, timestamp with time zone) IS 'Ends memberships of a tenant, at most 1000 and until a time, with the accounts that have no other. Returns whether there were any.';

COMMENT ON FUNCTION "private"."end_approval"(uuid, uuid) IS 'Records that a product was put up for sale without a review, which approves it.';

COMMENT ON FUNCTION "private"."end_job"(text, uuid) IS 'Removes the job of a subject, which is done or cannot be done.';

COMMENT ON FUNCTION "private"."end_old_key_sessions"() IS 'A batch of a job: deletes sessions of API keys of more than a day ago, whose tokens have long expired. Each request for a token leaves one.';

COMMENT ON FUNCTION "private"."erase_personal_data"(uuid) IS 'See public.erase_personal_data.';

COMMENT ON FUNCTION "private"."erase_places"(uuid, jsonb) IS 'Erases the personal data of the person with these keys at every place of private.personal_data.';

COMMENT ON FUNCTION "private"."erased_address"(jsonb) IS 'What is kept of an address when personal data is erased: its country, which the books need. The street is an empty text, because records of addresses always have one.';

COMMENT ON FUNCTION "private"."erased_value"(private.personal_data) IS 'The expression that replaces a column of the table t.';

COMMENT ON FUNCTION "private"."event_of_part"(jsonb, uuid) IS 'The data of an event about an order as a supplier sees it in a mail: its own part, and what happened to its own items.';

COMMENT ON FUNCTION "private"."events_of_person"(uuid, uuid[], uuid[], timestamp with time zone) IS 'The events about orders or an account, since a time. It reads all of the tenant''s events of that time.';

COMMENT ON FUNCTION "private"."expire_exports_of_customers"(uuid) IS 'Removes the files of exports that contain data of customers, and ends those that are being written.';

COMMENT ON FUNCTION "private"."exported_audit_log"(private.export_query) IS 'Rows of the audit log in the period, for admins alone; with a supplier, its changes.';

COMMENT ON FUNCTION "private"."exported_customers"(private.export_query) IS 'Customers who registered, or as guests first came, in the period, without guests who have not ordered; with a marketplace, supplier or category, those who have ordered there at any time. For a supplier without names, addresses and orders elsewhere, which suppliers may not see.';

COMMENT ON FUNCTION "private"."exported_products"(private.export_query) IS 'Products listed in the period, without discontinued ones.';

COMMENT ON FUNCTION "private"."extend_lease"(private.jobs, integer) IS 'Lets the lease of a job begin anew. attempts: those that have begun since the job last made progress.';

COMMENT ON FUNCTION "private"."fail_job"(private.jobs, text, interval) IS 'Ends an attempt that has failed. Returns when the next one is made: not before retry_after, which is at most an hour. Null if the job is given up.';

COMMENT ON FUNCTION "private"."fault_of_placement_event"(jsonb, jsonb, text, text, uuid, uuid, text, timestamp with time zone, timestamp
  with time zone, text, uuid) IS 'The error of an event, as code, field and message; null if it is valid. value: as sent; event: the value, or an empty object. event_id, campaign_id, order_id: null if missing or unknown.';

COMMENT ON FUNCTION "private"."faults_of_amount"(jsonb, text, text) IS 'For refuse_all: the fault of an amount of money, if any.';

COMMENT ON FUNCTION "private"."faults_of_area"(jsonb, text) IS 'For refuse_all: the faults of the countries and regions of a delivery method.';

COMMENT ON FUNCTION "private"."faults_of_method"(jsonb, text, text) IS 'For refuse_all: the faults of a delivery method in a currency. Refuses one that is no object, or has unknown fields.';

COMMENT ON FUNCTION "private"."faults_of_rates"(jsonb, text, text) IS 'For refuse_all: the faults of the rates of a delivery method, whose weights must grow. Refuses a rate that is no object.';

COMMENT ON FUNCTION "private"."forget_typed"(public.customers) IS 'Removes from the record of a guest what nobody has confirmed, before an account gets it: addresses, phone and language. Its orders stay. Does nothing with another customer.';

COMMENT ON FUNCTION "private"."forget_withheld"() IS 'Row trigger: a product that its seller takes down or discontinues is not put up for sale again by itself.';

COMMENT ON FUNCTION "private"."found_customer_ids"(text) IS 'The customers of the caller''s tenant whose name, e-mail address or phone number, or an order''s contact or address, a search finds; all for a search without a visible character.';

COMMENT ON FUNCTION "private"."get_customer_address"(uuid) IS 'See public.get_customer_address.';

COMMENT ON FUNCTION "private"."give_back_deliveries"(uuid[]) IS 'Ends the leases of deliveries, and keeps waiting ones from being leased until the end of the transaction.';

COMMENT ON FUNCTION "private"."give_up_export"(uuid) IS 'Ends an export whose attempts have failed.';

COMMENT ON FUNCTION "private"."has_confirmed"(uuid, text) IS 'Whether an account has confirmed this e-mail address.';

COMMENT ON FUNCTION "private"."held_export"() IS 'The job of the export that is next, of all tenants in turn, locked with its export until the end of the transaction; null if none is due.';

COMMENT ON FUNCTION "private"."hold_changes"() IS 'Row trigger: where the settings review all products, a supplier''s change of an approved product waits for a review in pending_changes.';

COMMENT ON FUNCTION "private"."hold_due_jobs"(text[], integer) IS 'As private.due_jobs, locked until the end of the transaction. A job with a lease is one whose worker has not reported in time.';

COMMENT ON FUNCTION "private"."hold_due_mails"(integer) IS 'Up to batch mails that are due and may be sent, until the end of the transaction. Ends those that may not.';

COMMENT ON FUNCTION "private"."hold_for_approval"() IS 'Row trigger: a product that its supplier puts up for sale keeps its status, or is a draft if it is new, while it awaits a review.';

COMMENT ON FUNCTION "private"."hold_jobs"(private.jobs[], integer) IS 'Locks up to batch of these jobs until the end of the transaction, and returns them. Leaves out those that another worker has taken meanwhile.';

COMMENT ON FUNCTION "private"."identifiers_of"(jsonb, text) IS 'What is kept of JSON when personal data is erased: ids, times, numbers, statuses and currencies, but nothing of addresses and contacts. Null for another text.';

COMMENT ON FUNCTION "private"."insist_on_safety"(public.products) IS 'Refuses with VALIDATION_ERROR a product that lacks the manufacturer that its marketplace requires.';

COMMENT ON FUNCTION "private"."is_audited"() IS 'Whether the audit log has the changes of this request: those of active members except for customers without content roles, and of services. Not true for timers and Supabase Auth, whose requests have no claims.';

COMMENT ON FUNCTION "private"."is_in_token"(text) IS 'Whether the caller''s token has a permission: all have every permission of their role, but those of API keys with scopes.';

COMMENT ON FUNCTION "private"."is_key"() IS 'Whether the caller is a machine with an API key.';

COMMENT ON FUNCTION "private"."is_last_attempt"(private.jobs) IS 'Whether no attempt follows the one that has begun last.';

COMMENT ON FUNCTION "private"."is_mail_due"(text, uuid, jsonb) IS 'Whether an event sends a kind of mail: shipments with tracking have one of their own, and what a cancelled or shipped order tells is not sent twice.';

COMMENT ON FUNCTION "private"."is_orderable"(public.products) IS 'Whether a product is for sale, or sold out, by a supplier who may sell it.';

COMMENT ON FUNCTION "private"."is_reviewed"(public.media_assets) IS 'Whether a review has approved what an asset shows, as an image of a product, or decides on it now.';

COMMENT ON FUNCTION "private"."is_seller"() IS 'Whether the caller writes products of its own organisation only: a supplier.';

COMMENT ON FUNCTION "private"."is_shown_to"(text, uuid, uuid[], uuid, uuid, public.product_status) IS 'Whether a member sees a product of its tenant. viewer: private.reach(''products.read''). Customers'' own are the active ones.';

COMMENT ON FUNCTION "private"."is_suppressed"(uuid, text, text) IS 'Whether an address gets no mails of this kind.';

COMMENT ON FUNCTION "private"."is_tenant_kept"(uuid) IS 'Whether a tenant exists and is not being removed. Of any other all rows are deleted, whatever uses them.';

COMMENT ON FUNCTION "private"."is_withheld"(uuid, uuid) IS 'Whether a product is inactive only because its supplier may not sell now, so that it is put up for sale again by itself.';

COMMENT ON FUNCTION "private"."items_of_part"(jsonb, jsonb) IS 'A shipment, cancellation or return as a supplier sees it: with its own items of the order, and their amount.';

COMMENT ON FUNCTION "private"."join_as"(uuid, uuid, public.member_role, uuid, text, boolean) IS 'Creates a membership. A supplier without an organisation gets a new one with its own name. verified: whether the organisation becomes verified. Refuses members with CONFLICT.';

COMMENT ON FUNCTION "private"."join_customers"(public.customers, public.customers) IS 'Gives one customer all that another one has, and deletes that one, and its account if it is a guest.';

COMMENT ON FUNCTION "private"."join_one_more"(jsonb) IS 'Makes the caller a member of a further tenant, and returns the membership. Refuses with FORBIDDEN (guests and API keys), NOT_FOUND, VALIDATION_ERROR, CONFLICT.';

COMMENT ON FUNCTION "private"."judge_clicks"(uuid, private.placement_event[], integer, boolean) IS 'Adds the new clicks of a batch to the counts of their visitors, and judges each. most: clicks of a visitor in an hour; with more, all of them are a flood. is_new: the caller''s account is too new to be charged for. Runs with the planner settings of record_clicks.';

COMMENT ON FUNCTION "private"."keep_key_account"() IS 'Row trigger: refuses another secret or address for an API key, which its access token alone could ask of Supabase Auth.';

COMMENT ON FUNCTION "private"."keep_safety"() IS 'Row trigger: refuses with VALIDATION_ERROR to remove the manufacturer from goods that are put up for sale again by themselves.';

COMMENT ON FUNCTION "private"."keep_withheld"(uuid, uuid) IS 'Has a withheld product stay inactive when its supplier may sell again, because its seller takes it down.';

COMMENT ON FUNCTION "private"."keys_of_person"(public.customers) IS 'What leads to a customer''s data: lists of ids of customers, users, orders, events, deliveries of webhooks and applications; its e-mail addresses; and words that a text or JSON about the customer has.';

COMMENT ON FUNCTION "private"."lease_batch_of_mails"(integer) IS 'Leases up to batch mails that are due, with what rendering them requires. Null if none is left to send.';

COMMENT ON FUNCTION "private"."lease_export"() IS 'Leases the next export; null if there is none. Ends exports whose member may no longer see their rows, and exports that were not written in six attempts.';

COMMENT ON FUNCTION "private"."lease_jobs"(private.jobs[]) IS 'Begins an attempt at jobs that are held. Returns its lease.';

COMMENT ON FUNCTION "private"."lease_mails"(integer) IS 'As public.lease_mails.';

COMMENT ON FUNCTION "private"."lease_webhook_deliveries"(uuid, jsonb, integer, bigint, boolean) IS 'As public.lease_webhook_deliveries.';

COMMENT ON FUNCTION "private"."leased_export"(uuid, uuid) IS 'The job of an export that is leased, locked with its export until the end of the transaction; null if the lease is lost.';

COMMENT ON FUNCTION "private"."leased_job"(text, uuid, uuid) IS 'The job of a lease, locked until the end of the transaction; null if the lease is lost.';

COMMENT ON FUNCTION "private"."list_customer_addresses"() IS 'See public.list_customer_addresses.';

COMMENT ON FUNCTION "private"."lock_import_turn"(uuid) IS 'Takes the tenant''s lock for imports until the end of the transaction, or refuses with CONFLICT.';

COMMENT ON FUNCTION "private"."locked_person"(uuid, text) IS 'A customer for whom the caller has a permission, locked. Refuses with FORBIDDEN, NOT_FOUND.';

COMMENT ON FUNCTION "private"."lowest_price_30d"(uuid, numeric, uuid, numeric) IS 'The lowest price of a product, or of one of its variants, in the 30 days before its present price began; null if none is known. price: the product''s; own_price: the variant''s own, null if it has the product''s.';

COMMENT ON FUNCTION "private"."mail_items"(jsonb, jsonb) IS 'The items of a shipment, cancellation, return or refund for a mail: with the name and price of the order''s item, and their amount.';

COMMENT ON FUNCTION "private"."mail_kinds_on"(uuid, text, text) IS 'The kinds of mail that an event sends: built-in ones, and those of the tenant.';

COMMENT ON FUNCTION "private"."mail_marketplace"(public.marketplaces) IS 'The variable marketplace of a mail, and reply_to for its headers.';

COMMENT ON FUNCTION "private"."mail_order"(jsonb) IS 'The order of an event for a mail, with its pieces in each state as lists and sums: sent_items (on their way), cancelled_items, returned_items, lost_items. owed_amount: its price then, as private.owed_amount. All are empty if the event is truncated.';

COMMENT ON FUNCTION "private"."mail_part"(jsonb, uuid) IS 'The order of an event as a supplier sees it in a mail: its items, its part and their price, and nothing of others.';

COMMENT ON FUNCTION "private"."mail_pieces"(jsonb, integer) IS 'Some pieces of an item of an order, with their price as amount.';

COMMENT ON FUNCTION "private"."mail_subject"(public.mails) IS 'The keyed hash by which a mail is counted for its address: orders never crowd out a member''s other mails.';

COMMENT ON FUNCTION "private"."mail_subject"(text, text) IS 'The keyed hash by which mails to an address are counted. kind: member for mails that tell members of orders, address for all others, unpaid for those of them about unpaid orders. Granted to nobody.';

COMMENT ON FUNCTION "private"."mail_to_send"(public.mails) IS 'A mail with everything that rendering and sending it requires.';

COMMENT ON FUNCTION "private"."mail_variables"(public.mails) IS 'The variables of a mail: the data of its event that its recipient may see, and the mail''s own.';

COMMENT ON FUNCTION "private"."mails_of_today"(uuid, boolean) IS 'How many mails a tenant has sent today, in UTC: those that tell members of orders, or all others.';

COMMENT ON FUNCTION "private"."make_default"(private.customer_addresses) IS 'Makes an address the default of its customer, in place of the one before.';

COMMENT ON FUNCTION "private"."managed_product"(uuid, text) IS 'A product that the caller manages: its supplier and admins, for reading also clients. Refuses with NOT_FOUND, FORBIDDEN.';

COMMENT ON FUNCTION "private"."may_sell"(uuid, uuid, uuid) IS 'Whether a supplier may sell on a marketplace now. The operator (supplier_id null) always may.';

COMMENT ON FUNCTION "private"."may_still_export"(uuid) IS 'Whether the member who requested an export may still see its rows.';

COMMENT ON FUNCTION "private"."mentions"(text, text[]) IS 'Whether a text has one of these ids and addresses, in lower case, as a whole.';

COMMENT ON FUNCTION "private"."move_orders"(uuid, uuid, uuid) IS 'Moves the orders of a customer, with their parts, shipments, returns, bookings and sales, to another one.';

COMMENT ON FUNCTION "private"."needs_own_template"(public.mails) IS 'Whether a mail needs the template of its tenant, which no built-in one can replace.';

COMMENT ON FUNCTION "private"."needs_review"(uuid, uuid) IS 'Whether the products of a supplier are reviewed before buyers see them.';

COMMENT ON FUNCTION "private"."needs_safety"(public.products) IS 'Whether a product lacks a manufacturer that its marketplace requires of goods before they are for sale.';

COMMENT ON FUNCTION "private"."new_clicks"(uuid, private.placement_event[]) IS 'The clicks of a batch whose id is not known yet, each with its hour (UTC). is_repeated: the visitor has clicked on the campaign in that hour before, or has used the token. Runs with the planner settings of record_clicks.';

COMMENT ON FUNCTION "private"."next_order_number"() IS 'Row trigger: numbers the orders of each marketplace 1, 2, 3, without gaps.';

COMMENT ON FUNCTION "private"."own_address"(uuid, public.customers) IS 'An address of a customer. Refuses with NOT_FOUND.';

COMMENT ON FUNCTION "private"."own_customer"(text) IS 'The caller''s customer record, locked, so that its addresses are counted and chosen one after the other. Refuses with FORBIDDEN.';

COMMENT ON FUNCTION "private"."pending_application"(uuid) IS 'An application of the caller''s tenant that waits, locked. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION.';

COMMENT ON FUNCTION "private"."pending_approval"(uuid, timestamp with time zone) IS 'The review that a product of the caller''s tenant awaits, locked. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, CONFLICT.';

COMMENT ON FUNCTION "private"."people_only"(text) IS 'Refuses with FORBIDDEN a machine with an API key: whoever has got hold of one gets no further with it.';

COMMENT ON FUNCTION "private"."permitted_only"() IS 'Statement trigger: refuses with FORBIDDEN, even where no row matches, unless the caller has the named permission.';

COMMENT ON FUNCTION "private"."placement_results"(uuid, private.placement_event[], private.placement_answer[], jsonb) IS 'The results of a batch''s events, as the API returns them.';

COMMENT ON FUNCTION "private"."plan_customer_claim"() IS 'Row trigger: plans the search for an account with the new address of a customer without an account; of a guest after an hour.';

COMMENT ON FUNCTION "private"."price_periods"(uuid, uuid, boolean) IS 'The recorded prices of a product (variant_id null) or of a variant, each with its time. The present one ends at infinity. is_inherited: whether the variant has the product''s price.';

COMMENT ON FUNCTION "private"."protect_licence_key_stock"() IS 'Row trigger: the stock of licence keys cannot be set by hand, and keys that were handed out never come back into stock.';

COMMENT ON FUNCTION "private"."proxy_address"() IS 'The address of the request that the API''s proxies saw; empty if none. It is an edge function''s where one made the request.';

COMMENT ON FUNCTION "private"."prune_version"(uuid, integer) IS 'Prunes a version: removes its document and keeps its place in the graph.';

COMMENT ON FUNCTION "private"."queue_jobs"(text, uuid[], uuid[], timestamp with time zone[], boolean) IS 'Queues a job for each subject, due now unless due_at has another time, and wakes the worker of the queue. A job that exists stays as it is; with is_changed it begins again, and a worker that has it loses its lease.';

COMMENT ON FUNCTION "private"."queue_media_sweeps"() IS 'Statement trigger: queues the deletion of paths.';

COMMENT ON FUNCTION "private"."reach"(text) IS 'Like private.scope, where records belong to customers and to suppliers: all, or the role whose own records they are (customer, supplier), or null.';

COMMENT ON FUNCTION "private"."read_personal_data"(uuid) IS 'See public.read_personal_data.';

COMMENT ON FUNCTION "private"."read_unsubscribe_token"(text) IS 'The tenant, kind of mail and address of a token; nulls if the token is not valid.';

COMMENT ON FUNCTION "private"."reader_of_order"(public.mail_audience, jsonb, private.recipient, public.suppliers) IS 'The variables of a mail about an order to somebody else than the buyer: user, and the supplier that it acts for, whose part of the order is all that the mail shows.';

COMMENT ON FUNCTION "private"."recipients_of"(uuid, jsonb, public.mail_audience) IS 'The recipients of a mail about an event: an audience, or without one the user of the event. supplier_id: the supplier that a recipient acts for; null also for the admins, who act for the operator. place: among the recipients of one supplier.';

COMMENT ON FUNCTION "private"."record_audit"() IS 'Statement trigger with new_rows, old_rows or both: writes the records that a statement created, changed or deleted to the audit log, as the request that changed them. Its arguments: the columns that tell rows apart, separated by commas, first the one that the log shows; then the columns that only the database sets, whose changes are not in the log.';

COMMENT ON FUNCTION "private"."record_campaign_status"() IS 'Row trigger: records the status that a campaign had until now.';

COMMENT ON FUNCTION "private"."record_changed_price"() IS 'Row trigger: records the new price of a product, or the new own price of a variant.';

COMMENT ON FUNCTION "private"."record_clicks"(uuid, private.placement_event[], public.placement_settings, bytea, boolean) IS 'Stores the new clicks of a batch, and returns the result of each click. More clicks of a visitor per hour than the settings allow are a flood, and so are the clicks of an address above its limit. address: the hashed address of a caller who reports for itself. is_new: the account of this caller is too new for its clicks to be charged.';

COMMENT ON FUNCTION "private"."record_component_assets"() IS 'Row trigger: keeps the rows of private.media_uses for a component, so that its assets cannot be deleted.';

COMMENT ON FUNCTION "private"."record_content_assets"(public.content) IS 'Records the assets that the versions in use show. They cannot be deleted until then.';

COMMENT ON FUNCTION "private"."record_conversions"(uuid, private.placement_event[]) IS 'Attributes the orders of a batch''s conversions to the clicks of their visitors, and returns the number of lines of each.';

COMMENT ON FUNCTION "private"."record_failed_mail"(private.jobs, text, boolean) IS 'Records a failed attempt and plans the next one; ends the mail if it was the last one, or is_final.';

COMMENT ON FUNCTION "private"."record_failures"(uuid, bigint) IS 'Counts the failed attempts of a webhook since its last success, warns its tenant, and finally switches it off.';

COMMENT ON FUNCTION "private"."record_guest"(uuid, uuid, jsonb, jsonb) IS 'Makes a guest who orders a customer that the staff sees, with the name and the e-mail address of the order. Changes nothing of other customers, and nothing that is so already.';

COMMENT ON FUNCTION "private"."record_impressions"(uuid, private.placement_event[]) IS 'Stores the new impressions of a batch, and returns the result of each impression.';

COMMENT ON FUNCTION "private"."record_move"(public.content, text, public.content_status, text, integer) IS 'Records a move of the caller. version: the version that was moved, if not the draft''s.';

COMMENT ON FUNCTION "private"."record_ordering_visitor"() IS 'Statement trigger: records that a customer who orders for itself is a visitor at the stage order.';

COMMENT ON FUNCTION "private"."record_price"(private.product_prices, numeric, timestamp with time zone) IS 'Records that a price begins (present), and the one before it if it is the first change. former: the price before, null if a variant had the product''s. listed_at: when the product or the variant was listed. Deletes what no later question needs, and the oldest of more than 1,000.';

COMMENT ON FUNCTION "private"."record_shown_assets"() IS 'Row trigger: keeps the rows of media_uses of a product. A discontinued product uses no asset.';

COMMENT ON FUNCTION "private"."record_sold_asset"() IS 'Row trigger: keeps the row of media_uses of a file that is an asset.';

COMMENT ON FUNCTION "private"."record_template_assets"(public.templates) IS 'Keeps the rows of private.media_uses for the latest and the active version of a template, so that its assets cannot be deleted.';

COMMENT ON FUNCTION "private"."redraw_sales_of_moved"(uuid) IS 'Has the rollups of a tenant made again, because sales have moved to another customer.';

COMMENT ON FUNCTION "private"."refuse_ledger_change"() IS 'Trigger: refuses every change, for all roles.';

COMMENT ON FUNCTION "private"."refuse_order_of_erased"() IS 'Row trigger: refuses an order of a customer whose data is erased with NOT_FOUND.';

COMMENT ON FUNCTION "private"."refuse_overlapping_tax_rate"(jsonb) IS 'Refuses with CONFLICT a rate that is valid on a day of another one of the same country, region and category.';

COMMENT ON FUNCTION "private"."refuse_problem"(jsonb, jsonb) IS 'Ends the transaction with a problem: NOT_FOUND, FORBIDDEN or VALIDATION_ERROR, with its field and the value that was sent.';

COMMENT ON FUNCTION "private"."reject_product"(uuid, text, timestamp with time zone) IS 'See public.reject_product.';

COMMENT ON FUNCTION "private"."reject_supplier_application"(uuid, text) IS 'See public.reject_supplier_application.';

COMMENT ON FUNCTION "private"."release_job"(private.jobs, interval) IS 'Gives back a job that was not tried. Returns when it is due again: after wait.';

COMMENT ON FUNCTION "private"."release_products"(uuid, integer) IS 'Approves products of a tenant that need no review any more, at most so many. Returns their number.';

COMMENT ON FUNCTION "private"."release_products_of_supplier"() IS 'Row trigger: puts up for sale the products of a supplier that awaited its verification, 200 of them at once.';

COMMENT ON FUNCTION "private"."release_products_of_tenant"() IS 'Row trigger: where the settings review fewer products now, a job approves those that wait.';

COMMENT ON FUNCTION "private"."release_waiting_products"() IS 'For a job: approves products that need no review any more and were too many for the transaction that released them, 200 of each tenant.';

COMMENT ON FUNCTION "private"."remove_api_key"(uuid) IS 'See public.remove_api_key.';

COMMENT ON FUNCTION "private"."remove_customer_address"(uuid) IS 'See public.remove_customer_address.';

COMMENT ON FUNCTION "private"."remove_part_of_tenant"(uuid) IS 'Deletes about a second''s worth of a tenant: accounts, then rows, then files, and at last the tenant.';

COMMENT ON FUNCTION "private"."remove_tenant"(text) IS 'See public.remove_tenant.';

COMMENT ON FUNCTION "private"."remove_tenants"() IS 'A batch of a job: removes a part of the tenant that has waited longest. One that fails is tried again after five minutes, and stops no other. Null: none waits.';

COMMENT ON FUNCTION "private"."request_address"() IS 'The IP address of the caller, for IPv6 its /64 network: the one that an edge function sent with its key, else the one that the API''s proxies saw. Null if unknown.';

COMMENT ON FUNCTION "private"."request_approval"(uuid, uuid, uuid, jsonb) IS 'Records that a product awaits a review: the whole product, or changes of it (null for the whole).';

COMMENT ON FUNCTION "private"."request_operation"() IS 'The operation of the request: the operationId that an edge function sent with its key, else the method and path of the request to the REST interface.';

COMMENT ON FUNCTION "private"."require_export_permission"(public.export_type, uuid) IS 'Refuses with FORBIDDEN a caller who may not read what an export of this type has. supplier_id: the only supplier whose rows it has, or null.';

COMMENT ON FUNCTION "private"."require_permission"(text, text) IS 'Refuses with FORBIDDEN a caller who has not this permission, not even for its own records.';

COMMENT ON FUNCTION "private"."require_safety"() IS 'Row trigger: refuses with VALIDATION_ERROR to put goods up for sale without the manufacturer that the marketplace requires.';

COMMENT ON FUNCTION "private"."review_of"(uuid) IS 'The fields of a product''s record about its review, for its supplier and the tenant''s staff: review_status, review_reason and pending_changes. Empty for others. The caller sees the product.';

COMMENT ON FUNCTION "private"."reviewed_fields"(public.products) IS 'The fields of an approved product whose changes are reviewed.';

COMMENT ON FUNCTION "private"."right_to_left_tags"() IS 'A regular expression for the tags of languages that are usually written from right to left, regardless of case. `npm run types` writes it for the functions and the client, too.';

COMMENT ON FUNCTION "private"."scope"(text) IS 'The records of the tenant for which the caller has a permission: all, own or, without the permission, null.';

COMMENT ON FUNCTION "private"."scope_of"(text, public.member_role) IS 'The records of its tenant for which a role has a permission: all, own or, without the permission, null.';

COMMENT ON FUNCTION "private"."seller_setting"(uuid, text) IS 'A setting of a tenant for its sellers, or its default. signup: invitation (default), application or open. product_review: all, unverified (default) or none.';

COMMENT ON FUNCTION "private"."seller_signup_problem"(uuid) IS 'The reason why nobody can join a tenant as a supplier without an invitation; null if anybody can.';

COMMENT ON FUNCTION "private"."serves"(jsonb, text, text) IS 'Whether a delivery method serves a country and a region there. Null for an address that names none, which only a method for all countries serves. Regions are compared without regard to case and outer spaces.';

COMMENT ON FUNCTION "private"."set_permission"(text, public.member_role[], public.member_role[]) IS 'Sets which roles have a permission, for all records of their tenant (all_of) or for their own (own_of). For migrations.';

COMMENT ON FUNCTION "private"."settle_products"(uuid, uuid, integer) IS 'Withholds the products that a supplier may not sell now, and puts up for sale those that it may sell again, at most so many. Returns whether that were all.';

COMMENT ON FUNCTION "private"."settle_supplier"() IS 'Row trigger: withholds the products that a supplier may not sell any more, or puts them up for sale again; 500 at once.';

COMMENT ON FUNCTION "private"."settle_supplier_slug"() IS 'Row trigger: makes the slug of a supplier that has none from its name, with the next number if another supplier of the tenant has it. Refuses what cannot be a slug.';

COMMENT ON FUNCTION "private"."settle_suppliers"() IS 'A batch of a job: goes on with up to 1000 products of the supplier that has waited longest since it may sell elsewhere, or no more. Null: none is due.';

COMMENT ON FUNCTION "private"."shop_of"(uuid, uuid) IS 'The marketplace that a mail comes from: the one it is about, or else the tenant''s oldest active one. Null if there is none.';

COMMENT ON FUNCTION "private"."shows_export"(private.permission_scope, uuid, uuid, uuid, uuid) IS 'Whether a member sees an export or a schedule. scope: private.scope(''exports.read''). Its own are those that it requested, and as a supplier those of its organisation among them.';

COMMENT ON FUNCTION "private"."store_counts"(bytea, private.product_count[], json, pg_snapshot) IS 'Keeps counts of a tenant with at least 1,000 products, if they have at most 256 kB, at most once a second for a tenant. The 20 newest of a tenant are kept. snapshot: the one in which they were counted. Never waits.';

COMMENT ON FUNCTION "private"."store_earlier_attempt"() IS 'Row trigger: moves the last attempt of a delivery to earlier_attempts when another one replaces it.';

COMMENT ON FUNCTION "private"."store_mail_contents"(jsonb) IS 'As public.store_mail_contents.';

COMMENT ON FUNCTION "private"."store_outcome"(text, bytea, jsonb) IS 'Stores the outcome of a request of the caller.';

COMMENT ON FUNCTION "private"."store_storefront_events"(uuid, private.storefront_event[]) IS 'Inserts the events that are not there yet, and returns their positions in the batch.';

COMMENT ON FUNCTION "private"."store_webhook_secrets"() IS 'Row trigger: moves the secret and the headers to webhook_secrets, and generates a secret if none is sent.';

COMMENT ON FUNCTION "private"."supplier_id"(text) IS 'The caller''s organisation, if the caller has this permission; otherwise null.';

COMMENT ON FUNCTION "private"."suppliers_concerned"(uuid, jsonb) IS 'The suppliers that an event is about: that of its product, shipment or return, those of its cancelled items, or all of its order. Null stands for the operator, where the event is about what it sells itself.';

COMMENT ON FUNCTION "private"."suppress"(uuid, text, text, public.suppression_reason) IS 'Suppresses a kind of mail for an address; all mails if template is null.';

COMMENT ON FUNCTION "private"."suspend_expired_keys"() IS 'For a job: ends the sessions of API keys that have expired. /auth/token refuses them at once.';

COMMENT ON FUNCTION "private"."sweep_exports"() IS 'Expires exports after 7 days, and deletes them after 90.';

COMMENT ON FUNCTION "private"."sweep_files_of_tenant"(uuid) IS 'Queues the deletion of files below the tenant''s id that no row points at, at most 1000. Returns whether there were any.';

COMMENT ON FUNCTION "private"."sweep_mails"() IS 'Deletes mails after 90 days and counts of addresses after an hour.';

COMMENT ON FUNCTION "private"."sweep_media"() IS 'Deletes uploads that were announced a day ago and not completed, and the bytes of those that were never registered.';

COMMENT ON FUNCTION "private"."tables_of_tenants"() IS 'The tables from which the rows of a tenant are deleted, with partitions in place of their tables.';

COMMENT ON FUNCTION "private"."tax_rate_of"(uuid, text, text, uuid, date) IS 'The tax rate of a category at a place on a day; null if there is none. The rate of the region comes before that of its country; among several of one place, that of the category, then of its nearest ancestor, then that of all products.';

COMMENT ON FUNCTION "private"."unclaimed_customers"(uuid, text, uuid) IS 'The customers without an account that have an e-mail address, and the guests who gave it in their last order; locked, the oldest first. but: one that is left out.';

COMMENT ON FUNCTION "private"."unsubscribe_token"(uuid, text, text) IS 'The token that unsubscribes an address from a kind of mail. It is not stored and does not expire. Granted to nobody.';

COMMENT ON FUNCTION "private"."unused_own_template"(public.mails) IS 'Why a mail is not made with the tenant''s own template; null if it has, or if there is none.';

COMMENT ON FUNCTION "private"."update_customer"(uuid, jsonb) IS 'See public.update_customer.';

COMMENT ON FUNCTION "private"."update_customer_address"(uuid, jsonb, boolean) IS 'See public.update_customer_address.';

COMMENT ON FUNCTION "private"."update_webhook_state"(uuid, boolean, boolean, bigint) IS 'Updates the state of a webhook after attempts: switched off when its receiver is gone, working when one was delivered, else failing.';

COMMENT ON FUNCTION "private"."use_invitation"(text, uuid) IS 'Marks a valid invitation as accepted. The calling function creates the membership.';

COMMENT ON FUNCTION "private"."usual_audience"(jsonb) IS 'Who gets the mails about an event unless their kind says otherwise: the buyer of its order, the supplier of its product, or else the admins. Null: its user.';

COMMENT ON FUNCTION "private"."wait_after"(private.jobs) IS 'The wait after the attempt that has begun last, if it fails.';

COMMENT ON FUNCTION "private"."wake_export_dispatch"() IS 'Wakes the dispatcher if an export is to be written or files are to be deleted.';

COMMENT ON FUNCTION "private"."wake_for_jobs"(text[]) IS 'Wakes the workers of those of these queues that have a job due.';

COMMENT ON FUNCTION "private"."wake_workers"() IS 'For a job each minute: wakes the worker of each queue with a job that is due, such as a retry or one of a crashed worker.';

COMMENT ON FUNCTION "private"."was_approved"(uuid, uuid) IS 'Whether a review has approved a product, whose changes may wait.';

COMMENT ON FUNCTION "private"."withhold_product"() IS 'Row trigger: a product whose supplier may not sell now is inactive in place of active.';

COMMENT ON FUNCTION "private"."without_secret"(jsonb) IS 'An outcome in which the secret of a webhook is replaced by its digest, because secrets are stored in one place only; and without a token or the secret of an API key, which are not stored.';

COMMENT ON FUNCTION "private"."write_audit"(private.audit_source, public.audit_action, text, private.audited_record[]) IS 'Writes a row of the audit log for each record, if the request may change records of its tenant.';

COMMENT ON FUNCTION "private"."write_mail"(text, uuid, uuid, private.recipient[], jsonb, boolean, boolean) IS 'Writes the mails of a kind that is not sent on an event.';

COMMENT ON FUNCTION "private"."write_mail_of_application"() IS 'Row trigger: writes a mail to the admins about a new application of a supplier.';

COMMENT ON FUNCTION "private"."write_mail_of_decision"() IS 'Row trigger: writes a mail to the applicant about the decision.';

COMMENT ON FUNCTION "private"."write_mail_of_review"(public.products, public.approval_status, text) IS 'Writes a mail to the members of a supplier about an admin''s decision on its product, or on a change of it.';

COMMENT ON FUNCTION "private"."write_mails"(private.new_mail[]) IS 'Writes mails that are not written yet. Mails of an event beyond the cap mails_per_event are suppressed, those that tell members of an order beyond order_mails_per_event. A recipient whose address is not valid is left out: no event fails because of its mails.';

COMMENT ON FUNCTION "private"."write_mails_of_events"() IS 'Statement trigger: writes a mail for each event, kind and recipient.';

COMMENT ON FUNCTION "public"."approve_product"(uuid, text, timestamp with time zone) IS 'For admins: approves a product that awaits a review, which is put up for sale, or its waiting changes, which apply. Returns the whole record. updated_at: that of the product as it was reviewed; refuses with CONFLICT if it has changed since. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION.';

COMMENT ON FUNCTION "public"."approve_supplier_application"(uuid, text) IS 'For admins: approves an application that waits. Makes the supplier with its name and legal identity, and invites the address; the supplier is verified when the invitation is accepted. A customer who applied with the address of its account becomes the supplier''s member at once, and invitation is null. Returns the application with the invitation and its token. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, CONFLICT (a member has the address).';

COMMENT ON FUNCTION "public"."change_marketplace"(uuid, jsonb) IS 'For admins: changes the fields that are sent, and of settings the fields of groups (branding, seo, business, tax) that are sent, where null removes one, and returns the whole record. Refuses with CONFLICT if updated_at is sent and differs from the marketplace''s, and with INVALID_TRANSITION, CONFLICT, VALIDATION_ERROR, NOT_FOUND.';

COMMENT ON FUNCTION "public"."count_requests"(jsonb) IS 'For the functions: counts requests, a list of {kind: user, user_id, tenant_id, cost} and {kind: address | applicant | login | visitor, id, cost}, in one statement. cost: the number of requests that it counts as, 1 if left out; 0 only reads the count. Returns for each, in the same order: the minute, the seconds left in it, the limit, the count including this request, and whether the user is an active member of the tenant. A user''s limit is the limit of its current role.';

COMMENT ON FUNCTION "public"."create_api_key"(text, public.member_role, uuid, text[], timestamp with time zone) IS 'For admins, and suppliers for themselves: creates an API key and returns it with its client_secret, which is not shown again. role: client (the default of admins) or supplier, which needs supplier_id of admins. scopes: permissions of the role; null: all. Refuses with FORBIDDEN, VALIDATION_ERROR, NOT_FOUND (a supplier), LIMIT_REACHED.';

COMMENT ON FUNCTION "public"."create_customer"(text, text, text, text) IS 'For admins and clients: creates a customer without an account, for whom they can order; or finds the one whose account has confirmed this address. Returns the whole record.';

COMMENT ON FUNCTION "public"."create_customer_address"(jsonb, boolean) IS 'For customers: keeps an address, checked as that of an order, and returns its record. The first one is the default. Refuses with FORBIDDEN, VALIDATION_ERROR, LIMIT_REACHED.';

COMMENT ON FUNCTION "public"."create_email_template"(text, text, jsonb, jsonb, jsonb, text[], text[], public.mail_audience) IS 'For admins: creates an e-mail template. Returns the whole record. Refuses with FORBIDDEN, CONFLICT (the key), VALIDATION_ERROR, LIMIT_REACHED.';

COMMENT ON FUNCTION "public"."create_invitation"(text, public.member_role, uuid, boolean) IS 'For admins, and suppliers for their own organisation: invites an e-mail address, and replaces its earlier invitation. verified: whether the organisation of a supplier is verified when the invitation is accepted; true by default for admins, never for suppliers. Returns the whole record with the token, which is shown only once.';

COMMENT ON FUNCTION
  "public"."create_product"(text, numeric, text, text, uuid, uuid, uuid, text, public.product_kind, boolean, public.product_status, jsonb, jsonb, jsonb, uuid, jsonb, jsonb, text,
  text, jsonb, numeric) IS 'Creates a product with its variants and their stock in one transaction, and returns its whole record.';

COMMENT ON FUNCTION "public"."create_supplier_application"(text, text, text, jsonb, text) IS 'For visitors, guests and customers, and for admins on behalf of others: applies to become a supplier, and returns the application. country: two letters. legal: as of a supplier. Refuses with FORBIDDEN (members of other roles, or a tenant without applications), VALIDATION_ERROR, CONFLICT (an application of this address waits), LIMIT_REACHED.';

COMMENT ON FUNCTION "public"."create_tax_rate"(text, numeric, text, text, uuid, date, date) IS 'For admins: creates a tax rate in percent, and returns its record. Without region for the whole country, without category_id for all products, without valid_from or valid_to without that bound. Refuses with FORBIDDEN, VALIDATION_ERROR, NOT_FOUND (the category), CONFLICT (another rate is valid on one of its days), LIMIT_REACHED.';

COMMENT ON FUNCTION "public"."erase_personal_data"(uuid) IS 'For admins, and customers for themselves: erases the personal data of a customer for ever, and ends its account, or its membership if the account has others. Orders stay, with their items, amounts and countries. A repetition changes nothing. Refuses with FORBIDDEN, NOT_FOUND, LAST_ADMIN.';

COMMENT ON FUNCTION "public"."export_files_to_remove"() IS 'For the dispatcher: the paths of files that are to be deleted through Storage, at most 1,000. Those that are still there in two minutes are returned again.';

COMMENT ON FUNCTION "public"."fail_media_cleaning"(uuid, uuid, text) IS 'For the function media-sweep: records why an image was not cleaned. The wait for the next attempt doubles with each.';

COMMENT ON FUNCTION "public"."found_customers"(text) IS 'The customers that the caller sees whose name, e-mail address and phone number have all words of the search, in any order; or the contact and name of one of their orders; or the street, postal code and city of one. Parts of words from three letters on are found. They can be filtered and sorted like customer_details.';

COMMENT ON FUNCTION "public"."get_customer_address"(uuid) IS 'For customers: one of their addresses. Refuses with FORBIDDEN, NOT_FOUND.';

COMMENT ON FUNCTION "public"."lease_export"() IS 'For the dispatcher: leases the next export for two minutes. Returns it with its fields and checkpoints; null if there is nothing to write.';

COMMENT ON FUNCTION "public"."lease_mails"(integer) IS 'For the dispatcher: leases up to batch mails that are due for two minutes, of all tenants in turn. Returns each with everything that rendering it requires, or with its content if it is rendered. A mail that is not recorded within the lease has had a failed attempt. With batch 0 it takes none, and wakes another dispatcher if any are due.';

COMMENT ON FUNCTION "public"."lease_webhook_deliveries"(uuid, jsonb, integer, bigint, boolean) IS 'For the dispatcher: records attempts and takes up to batch deliveries that are due, under a lease of one minute, with what is needed to send them. done: a list of {id, webhook_id, leased_until and url as they were taken, started_at, duration_ms, response_code, response_body, retry_after_seconds, error}; one without started_at is returned untried. The bodies together have at most room bytes, and at most the cap dispatch_bytes, but one delivery is always taken. Without with_bodies no bodies are returned; webhook_body reads them. A delivery that is neither reported nor returned within its lease has failed. With batch 0 no delivery is taken, and another dispatcher is woken if any are left.';

COMMENT ON FUNCTION "public"."list_customer_addresses"() IS 'For customers: their addresses, {addresses}, the default first. Refuses with FORBIDDEN.';

COMMENT ON FUNCTION "public"."list_delivery_methods"(uuid, text, text, bigint, numeric) IS 'The delivery methods of a marketplace: {delivery_methods: [{key, name, price, rates, per_supplier, free_from, countries, regions}]}. marketplace_id: by default the one that a visitor visits, or the tenant''s only one. country, region: only methods that serve them; by default all. weight_grams, subtotal: price is that of this weight and subtotal, and methods that do not carry the weight are left out; by default 0. Refuses with NOT_FOUND, VALIDATION_ERROR.';

COMMENT ON FUNCTION "public"."media_upload"(uuid) IS 'An asset that the caller may change, and its upload; null without one. Refuses with NOT_FOUND, FORBIDDEN, CONFLICT.';

COMMENT ON FUNCTION "public"."read_personal_data"(uuid) IS 'For admins, and customers for themselves: the personal data of a customer, as {customer_id, read_at, records: {table: [row]}}. Refuses with FORBIDDEN, NOT_FOUND.';

COMMENT ON FUNCTION "public"."reject_product"(uuid, text, timestamp with time zone) IS 'For admins: rejects a product that awaits a review, which stays as it is, or its waiting changes, which are dropped. Returns the whole record. The supplier may put it up for sale again. Refuses as approve_product does.';

COMMENT ON FUNCTION "public"."reject_supplier_application"(uuid, text) IS 'For admins: rejects an application that waits, and returns it. The applicant may apply again. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION.';

COMMENT ON FUNCTION "public"."remove_api_key"(uuid) IS 'For admins, and suppliers for their own: removes an API key. Its sessions end at once. Refuses with FORBIDDEN, NOT_FOUND.';

COMMENT ON FUNCTION "public"."remove_customer_address"(uuid) IS 'For customers: removes one of their addresses. The oldest that is left becomes the default if it was that. Refuses with FORBIDDEN, NOT_FOUND.';

COMMENT ON FUNCTION "public"."remove_tenant"(text) IS 'For admins: removes the tenant for ever, with its accounts, records and files, in the background. name: the name of the tenant, as a confirmation. Its staff lose access and its marketplaces close at once. Returns tenant_id and asked_at. Refuses with FORBIDDEN, VALIDATION_ERROR.';

COMMENT ON FUNCTION "public"."replace_media_asset"(uuid, text, bigint, text) IS 'Announces a file that replaces an asset''s. The asset does not change until the upload is completed. Returns as create_media_asset does. Refuses with NOT_FOUND, FORBIDDEN, INVALID_TRANSITION, UNSUPPORTED_MEDIA, VALIDATION_ERROR, and with CONFLICT a supplier''s asset that a reviewed product shows.';

COMMENT ON FUNCTION "public"."set_mail_status"(uuid, public.tenant_mail_status) IS 'For the operator: approves a tenant''s mail, so that mails of its own are sent, or takes that back with new. Refuses with NOT_FOUND.';

COMMENT ON FUNCTION "public"."sort_name"(public.customer_details) IS 'The key for sorting customers by name: .order(''sort_name'').';

COMMENT ON FUNCTION "public"."sort_name"(public.customers) IS 'The key for sorting customers by name: .order(''sort_name'').';

COMMENT ON FUNCTION "public"."sort_name"(public.email_templates) IS 'The key for sorting e-mail templates by name: .order(''sort_name'').';

COMMENT ON FUNCTION "public"."sort_name"(public.members) IS 'The key for sorting members by name: .order(''sort_name'').';

COMMENT ON FUNCTION "public"."sort_name"(public.suppliers) IS 'The key for sorting suppliers by name: .order(''sort_name'').';

COMMENT ON FUNCTION "public"."store_mail_contents"(jsonb) IS 'For the dispatcher: stores rendered mails, {id, lease, subject, html, text, error}, before they are sent; one without html cannot be rendered. error: why the built-in mail replaces the tenant''s.';

COMMENT ON FUNCTION "public"."take_media_cleanings"(integer) IS 'For the function media-sweep: leases images whose metadata is to be removed, and drops those that are to keep it. Returns their paths in the bucket media.';

COMMENT ON FUNCTION "public"."take_media_sweeps"(jsonb, integer) IS 'For the function media-sweep: removes the reported paths that are empty now, and leases due paths. Returns for each the names to delete, which may be none.';

COMMENT ON FUNCTION "public"."update_customer"(uuid, jsonb) IS 'For admins and clients, and customers for themselves: changes name, phone, language and, for the staff and customers without an account, email. Returns the whole record. Fields that are not sent do not change; null removes one. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, CONFLICT (erased).';

COMMENT ON FUNCTION "public"."update_customer_address"(uuid, jsonb, boolean) IS 'For customers: changes fields of one of their addresses, where null removes one, or makes it the default. Returns its record. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

COMMENT ON FUNCTION "public"."update_supplier"(uuid, jsonb) IS 'For admins, and suppliers for themselves: changes the name, status (active or paused), slug, description, logo and legal identity and, for admins, verified, suspension and marketplace_ids, and returns the whole record. Fields that are not sent do not change. Refuses with CONFLICT if updated_at is sent and differs from the supplier''s.';

COMMENT ON FUNCTION "public"."update_tax_rate"(uuid, jsonb) IS 'For admins: changes fields of a tax rate, where null removes a region, a category or a bound, and returns the whole record. Fields that are not sent do not change. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, and with CONFLICT if another rate is valid on one of its days, or if updated_at is sent and differs from the rate''s.';

COMMENT ON FUNCTION "public"."wake_export_dispatch"() IS 'For the dispatcher: has it called again if an export is to be written or files are to be deleted.';

COMMENT ON TABLE "private"."customer_addresses" IS 'The addresses that a customer keeps for its orders. address: as in orders.shipping_address. is_default: the one that a shop proposes; every customer with addresses has one.';

COMMENT ON TABLE "private"."customer_claims" IS 'Customers without an account, and guests, whose e-mail address is new: at due_at a job looks for an account that has it.';

COMMENT ON TABLE "private"."export_jobs" IS 'What the job of an export writes, and how far it is. total: rows, counted when it was requested. checkpoint: the position up to which its files have certainly arrived in Storage. upcoming: the checkpoint that holds once the part in flight has arrived.';

COMMENT ON TABLE "private"."jobs" IS 'The jobs of all queues: at most one for each subject of a queue. It has no foreign keys; a trigger deletes the jobs of a deleted subject.';

COMMENT ON TABLE "private"."mail_counts" IS 'When addresses got mails within an hour. subject: a keyed hash of the address, for its mails, for those that tell members of orders, and for those about unpaid orders. sent_at: as many as the caps allow. cause_id: the last unpaid order''s event. Unlogged: lost in a crash.';

COMMENT ON TABLE "private"."mail_kinds" IS 'The built-in kinds of mail. event and status: what they are sent on; status is null if every event of that name sends the mail, event is null if a trigger of another table does. is_optional: whether the recipient may unsubscribe from it. to: who gets it; null: the buyer of its order, the supplier of its product, or else the admins.';

COMMENT ON TABLE "private"."mail_senders" IS 'Tenants that have sent mails. mails_per_day: the tenant''s own bound; null for the cap mails_per_tenant_per_day. mails: those of the day, in UTC; mails_to_members: those that tell members of orders, which have the same bound for themselves. reported_since: when its mail was resumed; reports of older mails do not pause it again.';

COMMENT ON TABLE "private"."media_sweeps" IS 'Paths in Storage whose bytes are deleted, from due_at on. A path that ends with a dot stands for all paths that begin with it. counts: whether the bytes count against the quota until they are deleted.';

COMMENT ON TABLE "private"."permissions" IS 'What each role may do, named resource.action. scope: all records of the tenant, or only those that belong to the caller''s organisation or customer. Without a row, a role may not. private.set_permission writes them.';

COMMENT ON TABLE "private"."personal_data" IS 'The columns with personal data of customers. found_by: how the rows of a customer are found, as {column: kind of key}, where the kinds are those of private.keys_of_person; one of several suffices. replacement: the fixed text. shown_to: who reads the column as personal data: own (the customer and admins), all (admins), or nobody.';

COMMENT ON TABLE "private"."product_prices" IS 'The prices of products, and of variants with prices of their own, each until the next one began. variant_id: null for a product. price: null from when a variant has the product''s price again. A price that never changed has no row, so most products have none: it began when the product or the variant was listed.';

COMMENT ON TABLE "private"."queues" IS 'The queues of jobs.';

COMMENT ON TABLE "private"."rate_limits" IS 'Limits per minute: requests of a user by role, requests of an IP address without a token, failed logins of an e-mail address, reads of visitors and applications of suppliers of an IP address.';

COMMENT ON TABLE "private"."tenant_removals" IS 'Tenants that are being removed. tried_at: when a part was last deleted; error: why the last part could not be.';

COMMENT ON TABLE "private"."unsettled_suppliers" IS 'The suppliers who since a moment sell elsewhere, or no more. A job goes on with products that were too many for one transaction, and with those that other transactions were adding meanwhile. changed_at: that moment.';

COMMENT ON TABLE "private"."withheld_products" IS 'The products that are inactive because their supplier may not sell them now. They are put up for sale again when it may.';

COMMENT ON TABLE "public"."api_keys" IS 'The keys of machines. id: the account that acts. scopes: the permissions of the role that the key has; null: all of them. last_used_at: when it last got a session. The secret is not stored here: Supabase Auth has its hash.';

COMMENT ON TABLE "public"."audit_log" IS 'Changes of a tenant''s records by admins, clients, suppliers, API keys and services, for 400 days. actor: who made the change: a member by its role, a customer with content roles (editor), an API key (key), or a program with the secret key (service). actor_id: the account, or the id of the API key; null for a service. supplier_id: the organisation of a supplier. operation: the operationId of the API, or the method and path of a request to /rest/v1. record_type: a table; record_id: the id of its row. fields: the names of the fields that changed; empty for created and deleted records. address: the IP address, for IPv6 its /64 network; null if unknown. Triggers alone write it.';

COMMENT ON TABLE "public"."customers" IS 'A customer of the tenant, with or without an account. It remains when the account is deleted, because its orders remain. email: the address of the account, or the one that the staff or an import gave. is_guest: whether its account is a guest''s, which has no e-mail address. contact_email: the address that a guest gave in its last order, which nobody has confirmed. is_listed: false for a guest who has not ordered, whom nobody but itself sees. language: the language of mails to it; null if unknown. external_id: its id in the system that its past orders were imported from. erased_at: when its personal data was erased, for ever; null if it was not.';

COMMENT ON TABLE "public"."email_templates" IS 'E-mail templates of a tenant. One with the key of a built-in mail replaces it; any other is sent on its trigger_events, to the given audience or the usual one of the event. subject, html_content, text_content: Liquid, one text or an object of texts by language. variables: names of variables in these texts, for editors.';

COMMENT ON TABLE "public"."invitations" IS 'Invitations to join a tenant with a role, and for suppliers an organisation. Without one, the supplier gets a new organisation. verified: whether the organisation is verified when the invitation is accepted.';

COMMENT ON TABLE "public"."mail_suppressions" IS 'Addresses that get no mails of a tenant. template: the key of the kind that is suppressed; null for all mails.';

COMMENT ON TABLE "public"."mails" IS 'A mail to an address: waiting, sent or failed. template: the key of its kind or e-mail template. languages: in the order of preference. variables: what the mail shows, in addition to the data of its event. is_test: sent by an admin to itself, with samples for variables that were not sent along. is_unpaid: about an order that was not paid, and caused by somebody other than the shop. is_for_members: tells suppliers or admins of an order or an application, which anybody can send, within a bound of their own. order_id: the order that it is about, or null. subject: as rendered at the first attempt. error: of the last attempt; if the mail was sent, why the built-in mail has replaced the tenant''s. provider_id: the mail''s id at the provider.';

COMMENT ON TABLE "public"."members" IS 'The users of each tenant with their roles. email, name and is_anonymous are copies from the account. is_anonymous: a guest, whose email is empty. is_key: an API key, which nobody but itself sees here: see api_keys.';

COMMENT ON TABLE "public"."product_approvals" IS 'The products of suppliers that await a review, or had one. pending_changes: the fields of an approved product that await it; null for a product that was never approved. reason: what the supplier is told about the decision. is_released: whether it needs no review any more, and a job approves it.';

COMMENT ON TABLE "public"."product_variants" IS 'Variants of products. A variant without a price has the price of the product. compare_at_price: what its price is compared with. marketplace_id and supplier_id are copied from the product. sku_is_unique: whether no other variant of the supplier in the marketplace may have the sku, as the tenant''s settings said when it was set.';

COMMENT ON TABLE "public"."products" IS 'Products for sale. A product without a supplier is the operator''s own. slug: its readable address, unique per marketplace; an empty one is made from the name. Its currency is the currency of its marketplace; its brand is the attribute of that name. attribute_values: its attributes'' values by name, without empty ones, so that lists can filter by them; null if they take over 1,000 bytes. description: plain text; description_html: the same as safe HTML, if the seller sent HTML. compare_at_price: what the price is compared with, always greater; null for nothing. safety: who answers for the product, {manufacturer, responsible_person, warnings}; null if unknown. template_id: the template that renders its page; null for the default. lowest_price and highest_price: of its variants, or its own price without variants; triggers maintain them.';

COMMENT ON TABLE "public"."supplier_applications" IS 'Applications to become a supplier. user_id: the guest or customer who applied; null for a visitor. supplier_id: the supplier that an approval made. reason: what the applicant is told about the decision.';

COMMENT ON TABLE "public"."suppliers" IS 'An organisation that sells on a tenant''s marketplaces. It has members. status: paused by itself or an admin, suspended by an admin; its products are then not for sale. marketplace_ids: the marketplaces that it may sell on; null for all. slug: its readable address, unique in the tenant; an empty one is made from the name. description: plain text, for buyers. logo: the address of a picture. legal: its legal identity (name, address, email, phone, register_number, tax_id and self_certified, all optional), which each order copies.';

COMMENT ON TABLE "public"."tax_rates" IS 'The rates of tax, in percent. region: as addresses name it, compared without case and outer spaces; null for the whole country. category_id: the category with all categories below it; null for all products. valid_from, valid_to: the first and the last day; null without a bound.';

COMMENT ON TYPE "private"."audit_source" IS 'What the audit log says about a request. tenant_id: the only tenant whose records it may change; null for a service.';

COMMENT ON TYPE "private"."audited_record" IS 'A record that a statement changed, and the names of its changed fields.';

COMMENT ON TYPE "private"."new_mail" IS 'A mail to write: its kind, cause, recipient and variables. is_unpaid, is_for_members, order_id: as in public.mails.';

COMMENT ON TYPE "public"."mail_audience" IS 'Who gets the mail of an event: the buyer of its order, the members of each supplier that it concerns, or the admins.';

COMMENT ON VIEW "private"."all_variants" IS 'All variants with their stock. Joined only to products that the caller sees.';

COMMENT ON VIEW "private"."product_records" IS 'The whole record of a product, whatever its status.';

COMMENT ON VIEW "private"."product_suppliers" IS 'The supplier of each product as its record shows it. Joined only to products that the caller sees.';

COMMENT ON VIEW "public"."customer_details" IS 'The whole record of a customer, as the API returns it. email: for a guest, the address that it gave in its last order. orders, last_ordered_at: its orders, cancelled ones too. erased_at: when its personal data was erased. Guests who have not ordered see themselves only, and nobody else sees them.';

COMMENT ON VIEW "public"."invitation_details" IS 'Invitations with their status.';

COMMENT ON VIEW "public"."product_details" IS 'The whole record of a product in the form of the API, with variants and stock. Without discontinued products.';

COMMENT ON VIEW "public"."ranked_products" IS 'Products that are for sale, as in product_details, with their promotion and rank. For a category without subcategories, .eq(''category_id'', …).order(''rank'').order(''id'') returns the order of GET /api/products?category=…&limit=100. Auctions held by this view are not recorded.';

REVOKE ALL ON FUNCTION "private"."add_queue"(text, text, interval, interval[], boolean, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."add_queue"(text, text, interval, interval[], boolean, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_queue"(text, text, interval, interval[], boolean, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."address_of_customer"(public.customers) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."address_of_customer"(public.customers) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."address_of_customer"(public.customers) TO "postgres";

REVOKE ALL ON FUNCTION "private"."address_record"(private.customer_addresses) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."address_record"(private.customer_addresses) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."address_record"(private.customer_addresses) TO "postgres";

REVOKE ALL ON FUNCTION "private"."application_facts"(public.supplier_applications) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."application_facts"(public.supplier_applications) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."application_facts"(public.supplier_applications) TO "postgres";

REVOKE ALL ON FUNCTION "private"."approve_product"(uuid, text, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."approve_product"(uuid, text, timestamp WITH time zone) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."approve_product"(uuid, text, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."approve_product"(uuid, text, timestamp WITH time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."approve_supplier_application"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."approve_supplier_application"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."approve_supplier_application"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."approve_supplier_application"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."audit_act"(uuid, text, uuid, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."audit_act"(uuid, text, uuid, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."audit_act"(uuid, text, uuid, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."audit_source"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."audit_source"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."audit_source"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."audited_caller"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."audited_caller"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."audited_caller"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."audited_caller"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."audited_caller"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."audited_fields"(jsonb, jsonb, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."audited_fields"(jsonb, jsonb, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."audited_fields"(jsonb, jsonb, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."become_account"(public.customers, uuid, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."become_account"(public.customers, uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."become_account"(public.customers, uuid, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."carry_out_approval"(public.product_approvals, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."carry_out_approval"(public.product_approvals, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."carry_out_approval"(public.product_approvals, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_audit_export"(public.exports) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_audit_export"(public.exports) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_audit_export"(public.exports) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_colleague_invitation"(uuid, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_colleague_invitation"(uuid, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_colleague_invitation"(uuid, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_compared_prices"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_compared_prices"(uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_compared_prices"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_destination"(jsonb, jsonb, jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_destination"(jsonb, jsonb, jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_destination"(jsonb, jsonb, jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_discontinued_product"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_discontinued_product"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_discontinued_product"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_key_scopes"(text[], public.member_role) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_key_scopes"(text[], public.member_role) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_key_scopes"(text[], public.member_role) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_last_admin"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_last_admin"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_last_admin"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_legal"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_legal"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_legal"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_media_is_unused"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_media_is_unused"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_media_is_unused"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_raised_price"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_raised_price"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_raised_price"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_review_of_media"(public.media_assets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."check_review_of_media"(public.media_assets) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."check_review_of_media"(public.media_assets) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_review_of_media"(public.media_assets) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_review_of_media"(public.media_assets) TO "service_role";

REVOKE ALL ON FUNCTION "private"."check_reviewed_media"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_reviewed_media"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_reviewed_media"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_seller_settings"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_seller_settings"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_seller_settings"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_supplier_logo"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_supplier_logo"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_supplier_logo"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_supplier_marketplaces"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_supplier_marketplaces"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_supplier_marketplaces"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_tax"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_tax"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_tax"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_tax_rate"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_tax_rate"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_tax_rate"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_what_is_sold"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_what_is_sold"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_what_is_sold"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."checked_price"(numeric, smallint, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."checked_price"(numeric, smallint, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."checked_price"(numeric, smallint, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."checked_safety"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."checked_safety"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."checked_safety"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."claim_customers"(public.customers) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claim_customers"(public.customers) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."claim_customers"(public.customers) TO "postgres";

REVOKE ALL ON FUNCTION "private"."claim_due_customers"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claim_due_customers"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."claim_due_customers"(integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."claim_past_customer"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claim_past_customer"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."claim_past_customer"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."claims_of_key"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claims_of_key"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."claims_of_key"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."collect_moved_shipments"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."collect_moved_shipments"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."collect_moved_shipments"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."collect_new_products"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."collect_new_products"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."collect_new_products"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."compute_new_visitor_days"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."compute_new_visitor_days"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."compute_new_visitor_days"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."compute_visitor_days"(private.storefront_events[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."compute_visitor_days"(private.storefront_events[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."compute_visitor_days"(private.storefront_events[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."compute_visitor_product_days"(private.storefront_events[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."compute_visitor_product_days"(private.storefront_events[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."compute_visitor_product_days"(private.storefront_events[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."condition_of_person"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."condition_of_person"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."condition_of_person"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."create_api_key"(text, public.member_role, uuid, text[], timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."create_api_key"(text, public.member_role, uuid, text[], timestamp WITH time zone) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."create_api_key"(text, public.member_role, uuid, text[], timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."create_api_key"(text, public.member_role, uuid, text[], timestamp WITH time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."create_customer_address"(jsonb, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."create_customer_address"(jsonb, boolean) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."create_customer_address"(jsonb, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."create_customer_address"(jsonb, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."create_invitation"(text, public.member_role, uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."create_invitation"(text, public.member_role, uuid, boolean) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."create_invitation"(text, public.member_role, uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."create_invitation"(text, public.member_role, uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."create_key_account"(uuid, text, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."create_key_account"(uuid, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."create_key_account"(uuid, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."create_supplier_application"(text, text, text, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."create_supplier_application"(text, text, text, jsonb, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."create_supplier_application"(text, text, text, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."create_supplier_application"(text, text, text, jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."customer_of_address"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."customer_of_address"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."customer_of_address"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."customer_of_address"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_content_media_uses"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_content_media_uses"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_content_media_uses"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_jobs"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_jobs"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_jobs"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_key_account"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_key_account"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_key_account"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_old_audit_entries"(interval, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_old_audit_entries"(interval, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_old_audit_entries"(interval, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_old_counts"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_old_counts"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_old_counts"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_old_deliveries"(timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_old_deliveries"(timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_old_deliveries"(timestamp WITH time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_old_events"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_old_events"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_old_events"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_old_guests"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_old_guests"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_old_guests"(integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_old_search_words"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_old_search_words"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_old_search_words"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_old_storefront_events"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_old_storefront_events"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_old_storefront_events"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_rows_of_tenant"(uuid, regclass) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_rows_of_tenant"(uuid, regclass) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_rows_of_tenant"(uuid, regclass) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_tables_of_tenant"(uuid, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_tables_of_tenant"(uuid, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_tables_of_tenant"(uuid, timestamp WITH time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_template_media_uses"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_template_media_uses"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_template_media_uses"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."delivers"(jsonb, jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delivers"(jsonb, jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delivers"(jsonb, jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delivery_methods"(uuid, text, text, bigint, numeric) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."delivery_methods"(uuid, text, text, bigint, numeric) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."delivery_methods"(uuid, text, text, bigint, numeric) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delivery_methods"(uuid, text, text, bigint, numeric) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delivery_price"(jsonb, numeric, numeric) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delivery_price"(jsonb, numeric, numeric) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delivery_price"(jsonb, numeric, numeric) TO "postgres";

REVOKE ALL ON FUNCTION "private"."discontinue_ordered_product"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."discontinue_ordered_product"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."discontinue_ordered_product"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."discontinue_promoted_product"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."discontinue_promoted_product"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."discontinue_promoted_product"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."drop_approval"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."drop_approval"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."drop_approval"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."due_jobs"(text[], integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."due_jobs"(text[], integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."due_jobs"(text[], integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."due_jobs_of"(private.queues, integer, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."due_jobs_of"(private.queues, integer, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."due_jobs_of"(private.queues, integer, timestamp WITH time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."emit_differences"(uuid, private.sales_difference[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."emit_differences"(uuid, private.sales_difference[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."emit_differences"(uuid, private.sales_difference[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_account"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_account"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_account"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_accounts_of_tenant"(uuid, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_accounts_of_tenant"(uuid, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_accounts_of_tenant"(uuid, timestamp WITH time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_approval"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_approval"(uuid, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."end_approval"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_approval"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_approval"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."end_job"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_job"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_job"(text, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_job"(text, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."end_old_key_sessions"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_old_key_sessions"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_old_key_sessions"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."erase_personal_data"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."erase_personal_data"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."erase_personal_data"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."erase_personal_data"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."erase_places"(uuid, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."erase_places"(uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."erase_places"(uuid, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."erased_address"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."erased_address"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."erased_address"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."erased_value"(private.personal_data) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."erased_value"(private.personal_data) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."erased_value"(private.personal_data) TO "postgres";

REVOKE ALL ON FUNCTION "private"."event_of_part"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."event_of_part"(jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."event_of_part"(jsonb, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."events_of_person"(uuid, uuid[], uuid[], timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."events_of_person"(uuid, uuid[], uuid[], timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."events_of_person"(uuid, uuid[], uuid[], timestamp WITH time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."expire_exports_of_customers"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."expire_exports_of_customers"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."expire_exports_of_customers"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."exported_audit_log"(private.export_query) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."exported_audit_log"(private.export_query) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."exported_audit_log"(private.export_query) TO "postgres";

REVOKE ALL ON FUNCTION "private"."exported_customers"(private.export_query) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."exported_customers"(private.export_query) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."exported_customers"(private.export_query) TO "postgres";

REVOKE ALL ON FUNCTION "private"."exported_products"(private.export_query) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."exported_products"(private.export_query) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."exported_products"(private.export_query) TO "postgres";

REVOKE ALL ON FUNCTION "private"."extend_lease"(private.jobs, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."extend_lease"(private.jobs, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."extend_lease"(private.jobs, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."extend_lease"(private.jobs, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."fail_job"(private.jobs, text, interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."fail_job"(private.jobs, text, interval) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."fail_job"(private.jobs, text, interval) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."fail_job"(private.jobs, text, interval) TO "service_role";

REVOKE ALL ON FUNCTION "private"."fault_of_placement_event"(jsonb, jsonb, text, text, uuid, uuid, text, timestamp WITH time zone, timestamp WITH time zone, text, uuid) FROM PUBLIC;

REVOKE ALL
  ON FUNCTION "private"."fault_of_placement_event"(jsonb, jsonb, text, text, uuid, uuid, text, timestamp WITH time zone, timestamp WITH time zone, text, uuid)
  FROM "postgres";

GRANT EXECUTE
  ON FUNCTION "private"."fault_of_placement_event"(jsonb, jsonb, text, text, uuid, uuid, text, timestamp WITH time zone, timestamp WITH time zone, text, uuid)
  TO "postgres";

REVOKE ALL ON FUNCTION "private"."faults_of_amount"(jsonb, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."faults_of_amount"(jsonb, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."faults_of_amount"(jsonb, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."faults_of_area"(jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."faults_of_area"(jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."faults_of_area"(jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."faults_of_method"(jsonb, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."faults_of_method"(jsonb, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."faults_of_method"(jsonb, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."faults_of_rates"(jsonb, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."faults_of_rates"(jsonb, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."faults_of_rates"(jsonb, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."forget_typed"(public.customers) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."forget_typed"(public.customers) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."forget_typed"(public.customers) TO "postgres";

REVOKE ALL ON FUNCTION "private"."forget_withheld"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."forget_withheld"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."forget_withheld"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."get_customer_address"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_customer_address"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."get_customer_address"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."get_customer_address"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."give_back_deliveries"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."give_back_deliveries"(uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."give_back_deliveries"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."give_up_export"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."give_up_export"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."give_up_export"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."give_up_export"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."has_confirmed"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_confirmed"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_confirmed"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."held_export"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."held_export"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."held_export"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."hold_changes"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hold_changes"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hold_changes"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."hold_due_jobs"(text[], integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hold_due_jobs"(text[], integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hold_due_jobs"(text[], integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."hold_due_jobs"(text[], integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."hold_for_approval"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hold_for_approval"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hold_for_approval"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."hold_jobs"(private.jobs[], integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hold_jobs"(private.jobs[], integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hold_jobs"(private.jobs[], integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."identifiers_of"(jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."identifiers_of"(jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."identifiers_of"(jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."insist_on_safety"(public.products) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."insist_on_safety"(public.products) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."insist_on_safety"(public.products) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."insist_on_safety"(public.products) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."insist_on_safety"(public.products) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_audited"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_audited"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_audited"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_audited"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_audited"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_in_token"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_in_token"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_in_token"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_in_token"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_in_token"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_key"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_key"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_key"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_last_attempt"(private.jobs) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_last_attempt"(private.jobs) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_last_attempt"(private.jobs) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_last_attempt"(private.jobs) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_mail_due"(text, uuid, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_mail_due"(text, uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_mail_due"(text, uuid, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_orderable"(public.products) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_orderable"(public.products) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_orderable"(public.products) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_reviewed"(public.media_assets) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_reviewed"(public.media_assets) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_reviewed"(public.media_assets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_seller"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_seller"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_seller"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_seller"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_seller"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_shown_to"(text, uuid, uuid[], uuid, uuid, public.product_status) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_shown_to"(text, uuid, uuid[], uuid, uuid, public.product_status) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_shown_to"(text, uuid, uuid[], uuid, uuid, public.product_status) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_shown_to"(text, uuid, uuid[], uuid, uuid, public.product_status) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_shown_to"(text, uuid, uuid[], uuid, uuid, public.product_status) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_tenant_kept"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_tenant_kept"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_tenant_kept"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_withheld"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_withheld"(uuid, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_withheld"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_withheld"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_withheld"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."items_of_part"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."items_of_part"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."items_of_part"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."join_as"(uuid, uuid, public.member_role, uuid, text, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."join_as"(uuid, uuid, public.member_role, uuid, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."join_as"(uuid, uuid, public.member_role, uuid, text, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."join_customers"(public.customers, public.customers) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."join_customers"(public.customers, public.customers) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."join_customers"(public.customers, public.customers) TO "postgres";

REVOKE ALL ON FUNCTION "private"."keep_key_account"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_key_account"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."keep_key_account"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."keep_safety"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_safety"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."keep_safety"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."keep_withheld"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_withheld"(uuid, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."keep_withheld"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."keep_withheld"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."keys_of_person"(public.customers) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keys_of_person"(public.customers) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."keys_of_person"(public.customers) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lease_batch_of_mails"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lease_batch_of_mails"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lease_batch_of_mails"(integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lease_export"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lease_export"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lease_export"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."lease_export"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."lease_jobs"(private.jobs[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lease_jobs"(private.jobs[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lease_jobs"(private.jobs[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."lease_jobs"(private.jobs[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lease_mails"(integer) FROM "service_role";

GRANT EXECUTE ON FUNCTION "private"."lease_mails"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lease_webhook_deliveries"(uuid, jsonb, integer, bigint, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lease_webhook_deliveries"(uuid, jsonb, integer, bigint, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lease_webhook_deliveries"(uuid, jsonb, integer, bigint, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."lease_webhook_deliveries"(uuid, jsonb, integer, bigint, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."leased_export"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."leased_export"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."leased_export"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."leased_export"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."leased_job"(text, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."leased_job"(text, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."leased_job"(text, uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."leased_job"(text, uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."list_customer_addresses"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_customer_addresses"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."list_customer_addresses"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_customer_addresses"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_import_turn"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lock_import_turn"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."lock_import_turn"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_import_turn"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."locked_person"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."locked_person"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."locked_person"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lowest_price_30d"(uuid, numeric, uuid, numeric) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lowest_price_30d"(uuid, numeric, uuid, numeric) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."lowest_price_30d"(uuid, numeric, uuid, numeric) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lowest_price_30d"(uuid, numeric, uuid, numeric) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."lowest_price_30d"(uuid, numeric, uuid, numeric) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_items"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_items"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_items"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_kinds_on"(uuid, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_kinds_on"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_kinds_on"(uuid, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_marketplace"(public.marketplaces) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_marketplace"(public.marketplaces) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."mail_marketplace"(public.marketplaces) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_marketplace"(public.marketplaces) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_order"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_order"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_order"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_part"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_part"(jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_part"(jsonb, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_pieces"(jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_pieces"(jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_pieces"(jsonb, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_subject"(public.mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_subject"(public.mails) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_subject"(public.mails) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_to_send"(public.mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_to_send"(public.mails) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_to_send"(public.mails) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_variables"(public.mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_variables"(public.mails) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_variables"(public.mails) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mails_of_today"(uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mails_of_today"(uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mails_of_today"(uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."make_default"(private.customer_addresses) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."make_default"(private.customer_addresses) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."make_default"(private.customer_addresses) TO "postgres";

REVOKE ALL ON FUNCTION "private"."managed_product"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."managed_product"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."managed_product"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."managed_product"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."may_sell"(uuid, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."may_sell"(uuid, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."may_sell"(uuid, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."may_still_export"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."may_still_export"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."may_still_export"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mentions"(text, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mentions"(text, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mentions"(text, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."move_orders"(uuid, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."move_orders"(uuid, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."move_orders"(uuid, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."needs_own_template"(public.mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."needs_own_template"(public.mails) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."needs_own_template"(public.mails) TO "postgres";

REVOKE ALL ON FUNCTION "private"."needs_review"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."needs_review"(uuid, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."needs_review"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."needs_review"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."needs_review"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."needs_safety"(public.products) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."needs_safety"(public.products) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."needs_safety"(public.products) TO "postgres";

REVOKE ALL ON FUNCTION "private"."next_order_number"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."next_order_number"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."next_order_number"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_address"(uuid, public.customers) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."own_address"(uuid, public.customers) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."own_address"(uuid, public.customers) TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_customer"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."own_customer"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."own_customer"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pending_application"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pending_application"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."pending_application"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pending_approval"(uuid, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pending_approval"(uuid, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."pending_approval"(uuid, timestamp WITH time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."people_only"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."people_only"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."people_only"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."permitted_only"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."permitted_only"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."permitted_only"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."placement_results"(uuid, private.placement_event[], private.placement_answer[], jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."placement_results"(uuid, private.placement_event[], private.placement_answer[], jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."placement_results"(uuid, private.placement_event[], private.placement_answer[], jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."plan_customer_claim"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."plan_customer_claim"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."plan_customer_claim"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."price_periods"(uuid, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."price_periods"(uuid, uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."price_periods"(uuid, uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."protect_licence_key_stock"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."protect_licence_key_stock"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."protect_licence_key_stock"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."proxy_address"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."proxy_address"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."proxy_address"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."prune_version"(uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."prune_version"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."prune_version"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."queue_jobs"(text, uuid[], uuid[], timestamp WITH time zone[], boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."queue_jobs"(text, uuid[], uuid[], timestamp WITH time zone[], boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."queue_jobs"(text, uuid[], uuid[], timestamp WITH time zone[], boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."queue_media_sweeps"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."queue_media_sweeps"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."queue_media_sweeps"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."reach"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reach"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."reach"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reach"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."reach"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."read_personal_data"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."read_personal_data"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."read_personal_data"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."read_personal_data"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reader_of_order"(public.mail_audience, jsonb, private.recipient, public.suppliers) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reader_of_order"(public.mail_audience, jsonb, private.recipient, public.suppliers) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reader_of_order"(public.mail_audience, jsonb, private.recipient, public.suppliers) TO "postgres";

REVOKE ALL ON FUNCTION "private"."recipients_of"(uuid, jsonb, public.mail_audience) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."recipients_of"(uuid, jsonb, public.mail_audience) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."recipients_of"(uuid, jsonb, public.mail_audience) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_audit"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_audit"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_audit"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_campaign_status"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_campaign_status"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_campaign_status"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_changed_price"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_changed_price"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_changed_price"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_clicks"(uuid, private.placement_event[], public.placement_settings, bytea, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_clicks"(uuid, private.placement_event[], public.placement_settings, bytea, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_clicks"(uuid, private.placement_event[], public.placement_settings, bytea, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_component_assets"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_component_assets"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_component_assets"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_content_assets"(public.content) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_content_assets"(public.content) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_content_assets"(public.content) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_conversions"(uuid, private.placement_event[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_conversions"(uuid, private.placement_event[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_conversions"(uuid, private.placement_event[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_failed_mail"(private.jobs, text, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_failed_mail"(private.jobs, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_failed_mail"(private.jobs, text, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_failures"(uuid, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_failures"(uuid, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_failures"(uuid, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_guest"(uuid, uuid, jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_guest"(uuid, uuid, jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_guest"(uuid, uuid, jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_impressions"(uuid, private.placement_event[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_impressions"(uuid, private.placement_event[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_impressions"(uuid, private.placement_event[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_move"(public.content, text, public.content_status, text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_move"(public.content, text, public.content_status, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_move"(public.content, text, public.content_status, text, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_ordering_visitor"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_ordering_visitor"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_ordering_visitor"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_price"(private.product_prices, numeric, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_price"(private.product_prices, numeric, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_price"(private.product_prices, numeric, timestamp WITH time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_shown_assets"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_shown_assets"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_shown_assets"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_sold_asset"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_sold_asset"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_sold_asset"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_template_assets"(public.templates) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_template_assets"(public.templates) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_template_assets"(public.templates) TO "postgres";

REVOKE ALL ON FUNCTION "private"."redraw_sales_of_moved"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."redraw_sales_of_moved"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."redraw_sales_of_moved"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_ledger_change"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_ledger_change"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_ledger_change"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_order_of_erased"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_order_of_erased"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_order_of_erased"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_overlapping_tax_rate"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_overlapping_tax_rate"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."refuse_overlapping_tax_rate"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_overlapping_tax_rate"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_overlapping_tax_rate"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."reject_product"(uuid, text, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reject_product"(uuid, text, timestamp WITH time zone) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."reject_product"(uuid, text, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reject_product"(uuid, text, timestamp WITH time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reject_supplier_application"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reject_supplier_application"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."reject_supplier_application"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reject_supplier_application"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."release_job"(private.jobs, interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."release_job"(private.jobs, interval) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."release_job"(private.jobs, interval) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."release_job"(private.jobs, interval) TO "service_role";

REVOKE ALL ON FUNCTION "private"."release_products"(uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."release_products"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."release_products"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."release_products_of_supplier"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."release_products_of_supplier"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."release_products_of_supplier"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."release_products_of_tenant"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."release_products_of_tenant"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."release_products_of_tenant"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."release_waiting_products"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."release_waiting_products"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."release_waiting_products"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."remove_api_key"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remove_api_key"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."remove_api_key"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."remove_api_key"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."remove_customer_address"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remove_customer_address"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."remove_customer_address"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."remove_customer_address"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."remove_part_of_tenant"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."remove_part_of_tenant"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."remove_part_of_tenant"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."remove_tenant"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remove_tenant"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."remove_tenant"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."remove_tenant"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."remove_tenants"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."remove_tenants"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."remove_tenants"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."request_address"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."request_address"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."request_address"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."request_approval"(uuid, uuid, uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."request_approval"(uuid, uuid, uuid, jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."request_approval"(uuid, uuid, uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."request_approval"(uuid, uuid, uuid, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."request_approval"(uuid, uuid, uuid, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."request_operation"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."request_operation"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."request_operation"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_export_permission"(public.export_type, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_export_permission"(public.export_type, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_export_permission"(public.export_type, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_permission"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_permission"(text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."require_permission"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_permission"(text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_permission"(text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."require_safety"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_safety"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_safety"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."review_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_of"(uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."review_of"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."review_of"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reviewed_fields"(public.products) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reviewed_fields"(public.products) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."reviewed_fields"(public.products) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reviewed_fields"(public.products) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."reviewed_fields"(public.products) TO "service_role";

REVOKE ALL ON FUNCTION "private"."right_to_left_tags"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."right_to_left_tags"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."right_to_left_tags"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."scope"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."scope"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."scope"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."scope"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."scope"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."scope_of"(text, public.member_role) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."scope_of"(text, public.member_role) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."scope_of"(text, public.member_role) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."scope_of"(text, public.member_role) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."scope_of"(text, public.member_role) TO "service_role";

REVOKE ALL ON FUNCTION "private"."seller_setting"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."seller_setting"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."seller_setting"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."seller_setting"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."seller_setting"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."seller_signup_problem"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."seller_signup_problem"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."seller_signup_problem"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."serves"(jsonb, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."serves"(jsonb, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."serves"(jsonb, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."set_permission"(text, public.member_role[], public.member_role[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_permission"(text, public.member_role[], public.member_role[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_permission"(text, public.member_role[], public.member_role[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_products"(uuid, uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."settle_products"(uuid, uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."settle_products"(uuid, uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_supplier"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."settle_supplier"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."settle_supplier"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_supplier_slug"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."settle_supplier_slug"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."settle_supplier_slug"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_suppliers"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."settle_suppliers"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."settle_suppliers"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."shows_export"(private.permission_scope, uuid, uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."shows_export"(private.permission_scope, uuid, uuid, uuid, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."shows_export"(private.permission_scope, uuid, uuid, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."shows_export"(private.permission_scope, uuid, uuid, uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."shows_export"(private.permission_scope, uuid, uuid, uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."store_counts"(bytea, private.product_count[], json, pg_snapshot) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_counts"(bytea, private.product_count[], json, pg_snapshot) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_counts"(bytea, private.product_count[], json, pg_snapshot) TO "postgres";

REVOKE ALL ON FUNCTION "private"."store_earlier_attempt"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_earlier_attempt"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_earlier_attempt"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."store_mail_contents"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_mail_contents"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_mail_contents"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_mail_contents"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."store_outcome"(text, bytea, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."store_outcome"(text, bytea, jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."store_outcome"(text, bytea, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_outcome"(text, bytea, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."store_storefront_events"(uuid, private.storefront_event[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_storefront_events"(uuid, private.storefront_event[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_storefront_events"(uuid, private.storefront_event[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."store_webhook_secrets"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_webhook_secrets"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_webhook_secrets"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."supplier_id"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."supplier_id"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."supplier_id"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."supplier_id"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."supplier_id"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."suppliers_concerned"(uuid, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."suppliers_concerned"(uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."suppliers_concerned"(uuid, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."suspend_expired_keys"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."suspend_expired_keys"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."suspend_expired_keys"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."sweep_files_of_tenant"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."sweep_files_of_tenant"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."sweep_files_of_tenant"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tables_of_tenants"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tables_of_tenants"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tables_of_tenants"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tax_rate_of"(uuid, text, text, uuid, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tax_rate_of"(uuid, text, text, uuid, date) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tax_rate_of"(uuid, text, text, uuid, date) TO "postgres";

REVOKE ALL ON FUNCTION "private"."unclaimed_customers"(uuid, text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."unclaimed_customers"(uuid, text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."unclaimed_customers"(uuid, text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."unused_own_template"(public.mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."unused_own_template"(public.mails) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."unused_own_template"(public.mails) TO "postgres";

REVOKE ALL ON FUNCTION "private"."update_customer"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."update_customer"(uuid, jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."update_customer"(uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."update_customer"(uuid, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."update_customer_address"(uuid, jsonb, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."update_customer_address"(uuid, jsonb, boolean) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."update_customer_address"(uuid, jsonb, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."update_customer_address"(uuid, jsonb, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."update_webhook_state"(uuid, boolean, boolean, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."update_webhook_state"(uuid, boolean, boolean, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."update_webhook_state"(uuid, boolean, boolean, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."use_invitation"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."use_invitation"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."use_invitation"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."usual_audience"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."usual_audience"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."usual_audience"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."wait_after"(private.jobs) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wait_after"(private.jobs) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."wait_after"(private.jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."wake_export_dispatch"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wake_export_dispatch"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."wake_export_dispatch"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."wake_export_dispatch"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."wake_for_jobs"(text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wake_for_jobs"(text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."wake_for_jobs"(text[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."wake_for_jobs"(text[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."wake_workers"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wake_workers"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."wake_workers"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."was_approved"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."was_approved"(uuid, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."was_approved"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."was_approved"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."was_approved"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."withhold_product"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."withhold_product"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."withhold_product"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."write_audit"(private.audit_source, public.audit_action, text, private.audited_record[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."write_audit"(private.audit_source, public.audit_action, text, private.audited_record[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."write_audit"(private.audit_source, public.audit_action, text, private.audited_record[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."write_mail"(text, uuid, uuid, private.recipient[], jsonb, boolean, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."write_mail"(text, uuid, uuid, private.recipient[], jsonb, boolean, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."write_mail"(text, uuid, uuid, private.recipient[], jsonb, boolean, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."write_mail_of_application"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."write_mail_of_application"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."write_mail_of_application"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."write_mail_of_decision"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."write_mail_of_decision"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."write_mail_of_decision"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."write_mail_of_review"(public.products, public.approval_status, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."write_mail_of_review"(public.products, public.approval_status, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."write_mail_of_review"(public.products, public.approval_status, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."approve_product"(uuid, text, timestamp WITH time zone) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."approve_product"(uuid, text, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."approve_product"(uuid, text, timestamp WITH time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."approve_product"(uuid, text, timestamp WITH time zone) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."approve_supplier_application"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."approve_supplier_application"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."approve_supplier_application"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."approve_supplier_application"(uuid, text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."create_api_key"(text, public.member_role, uuid, text[], timestamp WITH time zone) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."create_api_key"(text, public.member_role, uuid, text[], timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_api_key"(text, public.member_role, uuid, text[], timestamp WITH time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_api_key"(text, public.member_role, uuid, text[], timestamp WITH time zone) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."create_customer"(text, text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."create_customer"(text, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_customer"(text, text, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_customer"(text, text, text, text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."create_customer_address"(jsonb, boolean) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."create_customer_address"(jsonb, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_customer_address"(jsonb, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_customer_address"(jsonb, boolean) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."create_email_template"(text, text, jsonb, jsonb, jsonb, text[], text[], public.mail_audience) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."create_email_template"(text, text, jsonb, jsonb, jsonb, text[], text[], public.mail_audience) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_email_template"(text, text, jsonb, jsonb, jsonb, text[], text[], public.mail_audience) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_email_template"(text, text, jsonb, jsonb, jsonb, text[], text[], public.mail_audience) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."create_invitation"(text, public.member_role, uuid, boolean) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."create_invitation"(text, public.member_role, uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_invitation"(text, public.member_role, uuid, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_invitation"(text, public.member_role, uuid, boolean) TO "service_role";

GRANT EXECUTE
  ON FUNCTION
    "public"."create_product"(text, numeric, text, text, uuid, uuid, uuid, text, public.product_kind, boolean, public.product_status, jsonb, jsonb, jsonb, uuid, jsonb, jsonb, text,
    text, jsonb, numeric)
  TO "authenticated";

REVOKE ALL
  ON FUNCTION
    "public"."create_product"(text, numeric, text, text, uuid, uuid, uuid, text, public.product_kind, boolean, public.product_status, jsonb, jsonb, jsonb, uuid, jsonb, jsonb, text,
    text, jsonb, numeric)
  FROM "postgres";

GRANT EXECUTE
  ON FUNCTION
    "public"."create_product"(text, numeric, text, text, uuid, uuid, uuid, text, public.product_kind, boolean, public.product_status, jsonb, jsonb, jsonb, uuid, jsonb, jsonb, text,
    text, jsonb, numeric)
  TO "postgres";

GRANT EXECUTE
  ON FUNCTION
    "public"."create_product"(text, numeric, text, text, uuid, uuid, uuid, text, public.product_kind, boolean, public.product_status, jsonb, jsonb, jsonb, uuid, jsonb, jsonb, text,
    text, jsonb, numeric)
  TO "service_role";

REVOKE ALL ON FUNCTION "public"."create_supplier_application"(text, text, text, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_supplier_application"(text, text, text, jsonb, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."create_supplier_application"(text, text, text, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_supplier_application"(text, text, text, jsonb, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_supplier_application"(text, text, text, jsonb, text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."create_tax_rate"(text, numeric, text, text, uuid, date, date) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."create_tax_rate"(text, numeric, text, text, uuid, date, date) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_tax_rate"(text, numeric, text, text, uuid, date, date) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_tax_rate"(text, numeric, text, text, uuid, date, date) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."erase_personal_data"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."erase_personal_data"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."erase_personal_data"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."erase_personal_data"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."fail_media_cleaning"(uuid, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."fail_media_cleaning"(uuid, uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."fail_media_cleaning"(uuid, uuid, text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."found_customers"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."found_customers"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."found_customers"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."found_customers"(text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."get_customer_address"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."get_customer_address"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."get_customer_address"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."get_customer_address"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."lease_export"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."lease_export"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."lease_export"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."lease_mails"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."lease_mails"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."lease_mails"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."lease_webhook_deliveries"(uuid, jsonb, integer, bigint, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."lease_webhook_deliveries"(uuid, jsonb, integer, bigint, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."lease_webhook_deliveries"(uuid, jsonb, integer, bigint, boolean) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."list_customer_addresses"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."list_customer_addresses"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."list_customer_addresses"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."list_customer_addresses"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_delivery_methods"(uuid, text, text, bigint, numeric) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_delivery_methods"(uuid, text, text, bigint, numeric) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."list_delivery_methods"(uuid, text, text, bigint, numeric) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."list_delivery_methods"(uuid, text, text, bigint, numeric) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."list_delivery_methods"(uuid, text, text, bigint, numeric) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."read_personal_data"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."read_personal_data"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."read_personal_data"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."read_personal_data"(uuid) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."reject_product"(uuid, text, timestamp WITH time zone) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."reject_product"(uuid, text, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."reject_product"(uuid, text, timestamp WITH time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."reject_product"(uuid, text, timestamp WITH time zone) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."reject_supplier_application"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."reject_supplier_application"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."reject_supplier_application"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."reject_supplier_application"(uuid, text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."remove_api_key"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."remove_api_key"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."remove_api_key"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."remove_api_key"(uuid) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."remove_customer_address"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."remove_customer_address"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."remove_customer_address"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."remove_customer_address"(uuid) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."remove_tenant"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."remove_tenant"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."remove_tenant"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."remove_tenant"(text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.customer_details) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."sort_name"(public.customer_details) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.customer_details) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.customer_details) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.customers) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."sort_name"(public.customers) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.customers) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.customers) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.email_templates) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."sort_name"(public.email_templates) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.email_templates) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.email_templates) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.members) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."sort_name"(public.members) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.members) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.members) TO "service_role";

REVOKE ALL ON FUNCTION "public"."sort_name"(public.suppliers) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.suppliers) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."sort_name"(public.suppliers) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.suppliers) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."sort_name"(public.suppliers) TO "service_role";

REVOKE ALL ON FUNCTION "public"."store_mail_contents"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."store_mail_contents"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."store_mail_contents"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "public"."take_media_cleanings"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."take_media_cleanings"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."take_media_cleanings"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."take_media_sweeps"(jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."take_media_sweeps"(jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."take_media_sweeps"(jsonb, integer) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."update_customer"(uuid, jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."update_customer"(uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."update_customer"(uuid, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."update_customer"(uuid, jsonb) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."update_customer_address"(uuid, jsonb, boolean) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."update_customer_address"(uuid, jsonb, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."update_customer_address"(uuid, jsonb, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."update_customer_address"(uuid, jsonb, boolean) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."update_tax_rate"(uuid, jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."update_tax_rate"(uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."update_tax_rate"(uuid, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."update_tax_rate"(uuid, jsonb) TO "service_role";

REVOKE ALL ON TABLE "private"."export_jobs" FROM "service_role";

GRANT SELECT, UPDATE ON TABLE "private"."export_jobs" TO "service_role";

GRANT SELECT ON TABLE "private"."jobs" TO "service_role";

GRANT SELECT ON TABLE "private"."permissions" TO "service_role";

GRANT SELECT ON TABLE "private"."personal_data" TO "service_role";

GRANT SELECT ON TABLE "private"."queues" TO "service_role";

REVOKE ALL ON TABLE "public"."api_keys" FROM "authenticated";

GRANT SELECT ON TABLE "public"."api_keys" TO "authenticated";

REVOKE ALL ON TABLE "public"."api_keys" FROM "postgres";

GRANT ALL ON TABLE "public"."api_keys" TO "postgres";

GRANT ALL ON TABLE "public"."api_keys" TO "service_role";

REVOKE ALL ON TABLE "public"."audit_log" FROM "authenticated";

GRANT SELECT ON TABLE "public"."audit_log" TO "authenticated";

REVOKE ALL ON TABLE "public"."audit_log" FROM "postgres";

GRANT ALL ON TABLE "public"."audit_log" TO "postgres";

REVOKE ALL ON TABLE "public"."audit_log" FROM "service_role";

GRANT SELECT ON TABLE "public"."audit_log" TO "service_role";

REVOKE ALL ("language") ON TABLE "public"."customers" FROM "authenticated";

GRANT INSERT ("language") ON TABLE "public"."customers" TO "authenticated";

REVOKE ALL ("phone") ON TABLE "public"."customers" FROM "authenticated";

GRANT INSERT ("phone") ON TABLE "public"."customers" TO "authenticated";

REVOKE ALL ("to") ON TABLE "public"."email_templates" FROM "authenticated";

GRANT INSERT ("to"), UPDATE ("to") ON TABLE "public"."email_templates" TO "authenticated";

REVOKE ALL ON TABLE "public"."product_approvals" FROM "authenticated";

GRANT SELECT ON TABLE "public"."product_approvals" TO "authenticated";

REVOKE ALL ON TABLE "public"."product_approvals" FROM "postgres";

GRANT ALL ON TABLE "public"."product_approvals" TO "postgres";

GRANT ALL ON TABLE "public"."product_approvals" TO "service_role";

REVOKE ALL ("compare_at_price") ON TABLE "public"."product_variants" FROM "authenticated";

GRANT INSERT ("compare_at_price"), UPDATE ("compare_at_price") ON TABLE "public"."product_variants" TO "authenticated";

REVOKE ALL ("compare_at_price") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("compare_at_price"), UPDATE ("compare_at_price") ON TABLE "public"."products" TO "authenticated";

REVOKE ALL ("safety") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("safety"), UPDATE ("safety") ON TABLE "public"."products" TO "authenticated";

REVOKE ALL ON TABLE "public"."supplier_applications" FROM "authenticated";

GRANT SELECT ON TABLE "public"."supplier_applications" TO "authenticated";

REVOKE ALL ON TABLE "public"."supplier_applications" FROM "postgres";

GRANT ALL ON TABLE "public"."supplier_applications" TO "postgres";

GRANT ALL ON TABLE "public"."supplier_applications" TO "service_role";

REVOKE ALL ("description") ON TABLE "public"."suppliers" FROM "authenticated";

GRANT UPDATE ("description") ON TABLE "public"."suppliers" TO "authenticated";

REVOKE ALL ("logo") ON TABLE "public"."suppliers" FROM "authenticated";

GRANT UPDATE ("logo") ON TABLE "public"."suppliers" TO "authenticated";

REVOKE ALL ("marketplace_ids") ON TABLE "public"."suppliers" FROM "authenticated";

GRANT UPDATE ("marketplace_ids") ON TABLE "public"."suppliers" TO "authenticated";

REVOKE ALL ("slug") ON TABLE "public"."suppliers" FROM "authenticated";

GRANT UPDATE ("slug") ON TABLE "public"."suppliers" TO "authenticated";

REVOKE ALL ("status") ON TABLE "public"."suppliers" FROM "authenticated";

GRANT UPDATE ("status") ON TABLE "public"."suppliers" TO "authenticated";

REVOKE ALL ON TABLE "public"."tax_rates" FROM "authenticated";

REVOKE ALL ("category_id") ON TABLE "public"."tax_rates" FROM "authenticated";

GRANT INSERT ("category_id"), UPDATE ("category_id") ON TABLE "public"."tax_rates" TO "authenticated";

REVOKE ALL ("country") ON TABLE "public"."tax_rates" FROM "authenticated";

GRANT INSERT ("country"), UPDATE ("country") ON TABLE "public"."tax_rates" TO "authenticated";

REVOKE ALL ("name") ON TABLE "public"."tax_rates" FROM "authenticated";

GRANT INSERT ("name"), UPDATE ("name") ON TABLE "public"."tax_rates" TO "authenticated";

REVOKE ALL ("rate") ON TABLE "public"."tax_rates" FROM "authenticated";

GRANT INSERT ("rate"), UPDATE ("rate") ON TABLE "public"."tax_rates" TO "authenticated";

REVOKE ALL ("region") ON TABLE "public"."tax_rates" FROM "authenticated";

GRANT INSERT ("region"), UPDATE ("region") ON TABLE "public"."tax_rates" TO "authenticated";

REVOKE ALL ("valid_from") ON TABLE "public"."tax_rates" FROM "authenticated";

GRANT INSERT ("valid_from"), UPDATE ("valid_from") ON TABLE "public"."tax_rates" TO "authenticated";

REVOKE ALL ("valid_to") ON TABLE "public"."tax_rates" FROM "authenticated";

GRANT INSERT ("valid_to"), UPDATE ("valid_to") ON TABLE "public"."tax_rates" TO "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."tax_rates" TO "authenticated";

REVOKE ALL ON TABLE "public"."tax_rates" FROM "postgres";

GRANT ALL ON TABLE "public"."tax_rates" TO "postgres";

GRANT ALL ON TABLE "public"."tax_rates" TO "service_role";

GRANT SELECT ON TABLE "private"."all_variants" TO "anon", "authenticated", "service_role";

GRANT SELECT ON TABLE "private"."product_records" TO "anon", "authenticated", "service_role";

GRANT SELECT ON TABLE "private"."product_suppliers" TO "anon", "authenticated", "service_role";

REVOKE ALL ON TABLE "public"."customer_details" FROM "authenticated";

GRANT SELECT ON TABLE "public"."customer_details" TO "authenticated";

REVOKE ALL ON TABLE "public"."customer_details" FROM "postgres";

GRANT ALL ON TABLE "public"."customer_details" TO "postgres";

GRANT ALL ON TABLE "public"."customer_details" TO "service_role";

REVOKE ALL ON TABLE "public"."invitation_details" FROM "authenticated";

GRANT SELECT ON TABLE "public"."invitation_details" TO "authenticated";

REVOKE ALL ON TABLE "public"."invitation_details" FROM "postgres";

GRANT ALL ON TABLE "public"."invitation_details" TO "postgres";

GRANT ALL ON TABLE "public"."invitation_details" TO "service_role";

REVOKE ALL ON TABLE "public"."product_details" FROM "anon";

GRANT SELECT ON TABLE "public"."product_details" TO "anon";

REVOKE ALL ON TABLE "public"."product_details" FROM "authenticated";

GRANT SELECT ON TABLE "public"."product_details" TO "authenticated";

REVOKE ALL ON TABLE "public"."product_details" FROM "postgres";

GRANT ALL ON TABLE "public"."product_details" TO "postgres";

GRANT ALL ON TABLE "public"."product_details" TO "service_role";

REVOKE ALL ON TABLE "public"."ranked_products" FROM "authenticated";

GRANT SELECT ON TABLE "public"."ranked_products" TO "authenticated";

REVOKE ALL ON TABLE "public"."ranked_products" FROM "postgres";

GRANT ALL ON TABLE "public"."ranked_products" TO "postgres";

GRANT ALL ON TABLE "public"."ranked_products" TO "service_role";

ALTER TABLE "public"."tax_rates"
  ADD CONSTRAINT "tax_rates_category_id_fkey" FOREIGN KEY (tenant_id, category_id) REFERENCES public.categories(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."tax_rates"
  ADD CONSTRAINT "tax_rates_tenant_id_fkey" FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;

CREATE INDEX tax_rates_category_idx ON public.tax_rates USING btree (tenant_id, category_id);

CREATE INDEX tax_rates_tenant_id_created_at_idx ON public.tax_rates USING btree (tenant_id, created_at DESC, id);

CREATE POLICY "Admins change tax rates" ON "public"."tax_rates"
  FOR UPDATE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('tax_rates.write'::text) AS scope) = 'all'::private.permission_scope)))
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('tax_rates.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins create tax rates" ON "public"."tax_rates"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('tax_rates.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins delete tax rates" ON "public"."tax_rates"
  FOR DELETE
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('tax_rates.write'::text) AS scope) = 'all'::private.permission_scope)));

CREATE POLICY "Admins, clients and suppliers see tax rates" ON "public"."tax_rates"
  FOR SELECT
  TO "authenticated"
  USING (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.scope('tax_rates.read'::text) AS scope) = 'all'::private.permission_scope)));

ALTER TABLE "public"."customers"
  ADD CONSTRAINT "customers_phone_is_more_than_spaces" CHECK (private.is_more_than_spaces(phone));

ALTER TABLE "public"."supplier_applications"
  ADD CONSTRAINT "supplier_applications_email_is_an_address_in_lower_case" CHECK (private.is_email(email));

ALTER TABLE "public"."supplier_applications"
  ADD CONSTRAINT "supplier_applications_name_is_more_than_spaces" CHECK (private.is_more_than_spaces(name));

ALTER TABLE "public"."tax_rates"
  ADD CONSTRAINT "tax_rates_are_unique_on_a_day" EXCLUDE USING gist (tenant_id WITH =, country WITH =, COALESCE(private.folded_name(region), ''::text)
    WITH =, COALESCE(category_id, '00000000-0000-0000-0000-000000000000'::uuid) WITH =, daterange(valid_from, valid_to, '[]'::text) WITH &&);

CREATE INDEX customers_names_idx ON public.customers USING gin (private.grams(tenant_id, private.name_text(VARIADIC ARRAY[name, email, contact_email, phone])))
  WITH (fastupdate=off)
  WHERE ((name <> ''::text) OR (email IS NOT NULL) OR (contact_email IS NOT NULL) OR (phone IS NOT NULL));

CREATE INDEX tax_rates_place_idx ON public.tax_rates USING btree (tenant_id, country, COALESCE(private.folded_name(region), ''::text));

-- supabase/by_hand/after.sql

-- Statements that the migration since the last release runs behind the difference: rows that move into new columns, and
-- what the difference does not show, such as dictionaries of text search.

insert into private.jobs (queue, tenant_id, subject_id, due_at, attempts, is_counted)
select w.queue, w.tenant_id, w.subject_id, w.due_at, w.attempts, w.is_counted from private.waiting_jobs w;

drop table private.waiting_jobs;

insert into private.jobs (queue, tenant_id, subject_id, due_at)
select 'media_sweeps', s.tenant_id, s.id, s.due_at from private.media_sweeps s;

-- Servers without vectors lack these tables.
do $$
begin
  if to_regclass('private.embedding_queue') is not null then
    insert into private.jobs (queue, tenant_id, subject_id, queued_at, due_at, attempts, error)
    select 'embeddings', q.tenant_id, q.product_id, q.queued_at, q.next_attempt_at, q.attempts, q.error
    from private.embedding_queue q;
    insert into private.jobs (queue, tenant_id, subject_id)
    select 'word_lessons', l.tenant_id, l.tenant_id from private.word_lessons l where l.is_due;
  end if;
end
$$;

select private.unschedule_job('clean-media');

-- A tenant of an earlier release goes on as it was: the settings of a new tenant are stricter with sellers.
update public.tenants
set settings = settings || '{"sellers": {"signup": "open", "product_review": "none"}}'
where not settings ? 'sellers';

-- Accounts get the customers that have had their addresses before.
insert into private.customer_claims (tenant_id, customer_id, due_at)
select c.tenant_id, c.id, now()
from public.customers c
where c.user_id is null and c.email is not null or c.is_guest and c.contact_email is not null;

-- The trigger makes their slugs.
update public.suppliers set slug = '' where slug = '';

-- supabase/reference/analytics.sql

select private.schedule_job('roll-up-sales', 'select public.roll_up_sales(rounds => 50)', every => '1 minute');

insert into private.event_types (name) values ('analytics.mismatch')
on conflict do nothing;

-- Through the API, because a function's own statement_timeout has no effect when a clock calls it directly.
select private.schedule_job(
  'compare-sales', $$select private.perform_later('compare_sales', '{}')$$,
  every => '1 day', at => '03:17'
);

select private.make_storefront_partitions();

select private.schedule_job(
  'make-storefront-partitions', 'select private.make_storefront_partitions()',
  every => '1 hour', at => '00:05'
);

select private.schedule_job(
  'forget-storefront-events', 'select private.delete_old_storefront_events()',
  every => '1 hour', at => '00:37', queue => 'long'
);

insert into private.caps (name, value, unit) values
  ('visitor_events_per_day', 5000, 'events that a customer, guest or visitor reports in a day, in UTC; more are not counted'),
  ('address_events_per_day', 100000, 'events that the visitors of an address report in a day, in UTC; more are not counted')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job(
  'forget-visitor-event-counts', $$delete from private.visitor_event_counts where day < (now() at time zone 'utc')::date - 1$$,
  every => '1 hour', at => '00:39', queue => 'long'
);

select private.schedule_job(
  'forget-visitor-days',
  $$
    with days as (delete from private.visitor_days where day < (now() at time zone 'utc')::date - 401)
    delete from private.visitor_product_days where day < (now() at time zone 'utc')::date - 401
  $$,
  every => '1 hour', at => '00:43', queue => 'long'
);

select private.schedule_job('count-visitors', 'select public.count_visitors(rounds => 50)', every => '1 minute');

-- Through the API, because a function's own statement_timeout has no effect when a clock calls it directly.
select private.schedule_job(
  'compare-visitors', $$select private.perform_later('compare_visitors', '{}')$$,
  every => '1 day', at => '03:47'
);

select private.schedule_job(
  'forget-visitor-gaps', $$delete from private.visitor_gaps where day < (now() at time zone 'utc')::date - 401$$,
  every => '1 hour', at => '00:44', queue => 'long'
);

select private.schedule_job(
  'redraw-visitor-days', 'select private.redraw_visitor_days()',
  every => '1 minute', queue => 'long'
);

insert into private.caps (name, value, unit) values
  ('dashboards_per_owner', 100, 'dashboards of a tenant''s admins and clients, and of each supplier')
on conflict (name) do update set unit = excluded.unit;

insert into private.figure_reports (path, operation) values
  ('overview', 'analytics_overview'), ('sales', 'analytics_sales'), ('revenue', 'analytics_revenue'),
  ('products/top', 'analytics_top_products'), ('customers/segments', 'analytics_segments'),
  ('funnel', 'analytics_funnel'), ('cohorts', 'analytics_cohorts')
on conflict (path) do update set operation = excluded.operation;

-- supabase/reference/audit.sql

select private.schedule_job(
  'delete-old-audit-entries', $$select private.delete_old_audit_entries(keep => '400 days', batch => 10000)$$,
  every => '1 hour', at => '00:47', queue => 'long', in_batches => true
);

-- supabase/reference/auth.sql

insert into private.signing_keys (name) values ('invitations'), ('functions')
on conflict do nothing;

-- A spent token need not be kept long after the end of its session.
select private.schedule_job(
  'forget-sessions-that-are-over',
  $$
  delete from private.session_tenants t
  where t.chosen_at < now() - interval '1 year'
    and not exists (select 1 from auth.sessions s where s.id = t.session_id)
  $$,
  every => '1 day', at => '03:27', queue => 'long'
);

select private.schedule_job(
  'forget-spent-refresh-tokens', $$delete from private.spent_refresh_tokens where spent_at < now() - interval '1 year'$$,
  every => '1 day', at => '03:17', queue => 'long'
);

select private.schedule_job(
  'end-old-key-sessions', 'select private.end_old_key_sessions()', every => '1 hour', at => '00:43', queue => 'long', in_batches => true
);

select private.schedule_job('suspend-expired-keys', 'select private.suspend_expired_keys()', every => '1 minute');

-- supabase/reference/catalog.sql

insert into private.status_moves (subject, from_status, to_status) values
  ('products', 'draft', 'active'),
  ('products', 'active', 'inactive'),
  ('products', 'inactive', 'active'),
  ('products', 'active', 'out_of_stock'),
  ('products', 'out_of_stock', 'active'),
  ('products', 'draft', 'discontinued'),
  ('products', 'active', 'discontinued'),
  ('products', 'inactive', 'discontinued'),
  ('products', 'out_of_stock', 'discontinued')
on conflict do nothing;

select private.schedule_job('forget-counts', 'select private.delete_old_counts()', every => '10 minutes', queue => 'long');

-- supabase/reference/customers.sql

-- Every column with personal data of customers. tests/customers/personal-data.test.ts fails for a column of a tenant that
-- looks like personal data and is neither here nor in its list of what is not.
delete from private.personal_data;

insert into private.personal_data (table_name, column_name, found_by, erasure, replacement, shown_to)
select
  p.table_name, c.name, p.found_by::jsonb, p.erasure::private.erasure, p.replacement, p.shown_to::private.permission_scope
from (values
  ('public.customers', '{name}', '{"id": "customers"}', 'text', '', 'own'),
  ('public.customers', '{email,contact_email,phone,language,external_id}', '{"id": "customers"}', 'null', null, 'own'),
  ('public.members', '{email,name}', '{"user_id": "users"}', 'cascade', null, 'own'),
  ('public.invitations', '{email}', '{"email": "addresses", "accepted_by": "users"}', 'row', null, 'own'),
  -- The supplier that an approval has made stays, with its own name and legal identity.
  ('public.supplier_applications', '{name,email,country,legal,message,reason}', '{"email": "addresses", "user_id": "users"}', 'row', null, 'own'),

  ('private.customer_addresses', '{address}', '{"customer_id": "customers"}', 'row', null, 'own'),
  ('public.orders', '{shipping_address,billing_address}', '{"customer_id": "customers"}', 'address', null, 'own'),
  ('public.orders', '{contact,tax_id,language}', '{"customer_id": "customers"}', 'null', null, 'own'),
  ('public.orders', '{number,status,payment_status,currency,external_id}', '{"customer_id": "customers"}', 'kept', null, 'own'),
  ('public.order_items', '{name,quantity,price}', '{"order_id": "orders"}', 'kept', null, 'own'),
  -- Internal notes are among them.
  ('public.order_notes', '{text}', '{"order_id": "orders"}', 'text', '[erased]', 'all'),
  ('public.order_status_changes', '{note}', '{"order_id": "orders"}', 'null', null, 'own'),
  ('public.shipments', '{tracking_number,tracking_url,note}', '{"order_id": "orders"}', 'null', null, 'own'),
  ('public.order_cancellations', '{reason}', '{"order_id": "orders"}', 'null', null, 'own'),
  ('public.order_returns', '{note}', '{"order_id": "orders"}', 'null', null, 'own'),
  ('public.return_requests', '{reason,note}', '{"order_id": "orders"}', 'null', null, 'own'),
  ('public.payments', '{status,amount,currency,reference}', '{"order_id": "orders"}', 'kept', null, 'own'),
  ('public.bookings', '{name,starts_at,ends_at,status}', '{"customer_id": "customers"}', 'kept', null, 'own'),
  ('private.orders_as_imported', '{email_hash}', '{"order_id": "orders"}', 'null', null, null),

  ('public.events', '{payload}', '{"id": "events"}', 'identifiers', null, null),
  ('public.webhook_deliveries', '{response_body}', '{"id": "deliveries"}', 'null', null, null),
  ('private.earlier_attempts', '{response_body}', '{"delivery_id": "deliveries"}', 'null', null, null),

  ('public.mails', '{to,name,languages,variables,subject,error,provider_id}', '{"to": "addresses", "event_id": "events", "order_id": "orders", "cause_id": "applications"}', 'row', null, 'own'),
  ('private.mail_contents', '{subject,html,text}', '{}', 'cascade', null, null),
  ('public.mail_suppressions', '{email}', '{"email": "addresses"}', 'row', null, 'own'),

  ('public.exports', '{email}', '{"email": "addresses"}', 'null', null, null),
  ('public.export_schedules', '{email}', '{"email": "addresses"}', 'null', null, null),
  -- Of the customer's own requests, and of those of the staff about the customer.
  ('private.idempotency_keys', '{key,fingerprint,outcome}', '{"user_id": "users", "outcome": "words"}', 'row', null, null)
) as p (table_name, columns, found_by, erasure, replacement, shown_to)
cross join unnest(p.columns::text[]) as c (name);

select private.schedule_job(
  'claim-customers', 'select private.claim_due_customers(100)', every => '1 minute', queue => 'long', in_batches => true
);

-- supabase/reference/events.sql

insert into private.event_types (name) values
  ('order.created'), ('order.status_changed'), ('order.cancelled'), ('order.completed'), ('order.items_cancelled'),
  ('shipment.created'), ('shipment.delivered'), ('shipment.lost'),
  ('return.requested'), ('return.approved'), ('return.rejected'), ('return.received'),
  ('payment.succeeded'), ('payment.failed'), ('payment.refunded'), ('payment.refund_failed'),
  ('product.created'), ('product.updated'), ('product.out_of_stock'),
  ('user.registered'), ('user.verified'),
  ('content.created'), ('content.status_changed'), ('content.published'), ('content.deleted'),
  ('webhook.failing'), ('webhook.disabled')
on conflict do nothing;

insert into private.event_retention (keep)
select '30 days' where not exists (select from private.event_retention);

select private.make_event_partitions();

select private.schedule_job(
  'make-event-partitions', 'select private.make_event_partitions()',
  every => '1 hour', at => '00:03'
);

select private.schedule_job(
  'forget-event-counts', $$delete from private.event_counts where minute < now() - interval '2 minutes'$$,
  every => '10 minutes', queue => 'long'
);

select private.schedule_job(
  'forget-events', 'select private.delete_old_events()',
  every => '1 hour', at => '00:33', queue => 'long'
);

-- supabase/reference/exports.sql

insert into private.caps (name, value, unit) values
  ('export_rows', 5000000, 'rows of an export as csv or json'),
  ('export_rows_xlsx', 20000, 'rows of an export as xlsx'),
  ('export_rows_small', 50000, 'rows of a small export, which is written beside a larger one of its tenant'),
  ('export_file_bytes', 52428800, 'bytes of a file of an export; an export with more has several files'),
  ('exports_waiting', 20, 'exports of a tenant that wait or are being written')
on conflict (name) do update set unit = excluded.unit;

insert into private.status_moves (subject, from_status, to_status) values
  ('exports', 'queued', 'running'),
  ('exports', 'queued', 'failed'),
  ('exports', 'running', 'ready'),
  ('exports', 'running', 'failed'),
  ('exports', 'ready', 'expired')
on conflict do nothing;

insert into storage.buckets (id, name, public, allowed_mime_types)
values (
  'exports', 'exports', false,
  array['text/csv', 'application/json', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet']
)
on conflict (id) do update set public = excluded.public, allowed_mime_types = excluded.allowed_mime_types;

-- Beside a large export of a tenant, a small one is written.
select private.add_queue(
  q.name, worker => 'export-dispatch', lease => '2 minutes', waits => '{5 seconds,10 seconds,20 seconds,40 seconds,80 seconds}',
  in_order => true
)
from unnest(array['small_exports', 'large_exports']) as q (name);

select private.add_queue('export_files', worker => 'export-dispatch', lease => '2 minutes', waits => '{1 minute}', gives_up => false);

select private.schedule_job('sweep-exports', 'select private.sweep_exports()', every => '1 minute', queue => 'workers');

insert into private.caps (name, value, unit) values
  ('export_schedules_per_tenant', 100, 'schedules of exports of a tenant')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job('run-export-schedules', 'select private.run_export_schedules()', every => '5 minutes');

-- supabase/reference/jobs.sql

-- Supabase advises at most 8 cron jobs at once. These are all; capabilities add rows to jobs_due.
select cron.schedule('clock', '* * * * *', 'call private.run_due_jobs()');

select cron.schedule('clock-workers', '* * * * *', $$call private.run_due_jobs('workers')$$);

select cron.schedule('clock-long', '* * * * *', $$call private.run_due_jobs('long')$$);

select private.schedule_job(
  'delete-old-cron-runs', $$select private.delete_old_cron_runs(keep => '7 days', batch => 10000)$$,
  every => '1 hour', at => '00:51', queue => 'long', in_batches => true
);

select private.schedule_job('wake-workers', 'select private.wake_workers()', every => '1 minute', queue => 'workers');

-- supabase/reference/limits.sql

insert into private.rate_limits (kind, requests_per_minute) values
  ('customer', 100), ('supplier', 500), ('client', 1000), ('admin', 2000), ('address', 100), ('login', 10), ('visitor', 300), ('applicant', 10)
on conflict do nothing;

insert into private.caps (name, value, unit) values
  ('record_bytes', 1048576, 'bytes of a record in a response'),
  ('event_bytes', 524288, 'bytes of an event''s body'),
  ('events_per_minute', 5000, 'events of a tenant per minute, without imports'),
  ('event_page_bytes', 8388608, 'bytes of a page of events'),
  ('webhooks_per_tenant', 100, 'webhooks of a tenant'),
  ('api_keys_per_tenant', 100, 'API keys of a tenant'),
  ('invitations_per_supplier', 20, 'open invitations of a supplier'),
  ('supplier_applications_per_tenant', 1000, 'supplier applications of a tenant that wait'),
  ('addresses_per_customer', 20, 'addresses that a customer keeps'),
  ('deliveries_under_way', 100, 'deliveries of a tenant in flight'),
  ('dispatch_bytes', 8388608, 'bytes of bodies per take of a dispatcher'),
  ('deliveries_recovered', 10000, 'deliveries per recovery'),
  ('products_per_supplier', 100000, 'products of a supplier that are not discontinued'),
  ('list_bytes', 33554432, 'bytes of a page of products')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job(
  'forget-idempotency-keys', $$delete from private.idempotency_keys where created_at < now() - interval '24 hours'$$,
  every => '1 hour', at => '00:07', queue => 'long'
);

select private.schedule_job(
  'forget-request-counts', $$delete from private.request_counts where minute < now() - interval '2 minutes'$$,
  every => '10 minutes', queue => 'long'
);

select private.schedule_job(
  'forget-rest-requests', $$delete from private.rest_requests where made_at < now() - interval '2 minutes'$$,
  every => '5 minutes', queue => 'long'
);

-- supabase/reference/mail.sql

insert into private.mail_kinds (key, event, status, is_optional, "to") values
  ('order_placed', 'order.created', null, false, null),
  ('order_shipped', 'order.status_changed', 'shipped', false, null),
  ('order_returned', 'order.status_changed', 'returned', false, null),
  ('order_cancelled', 'order.cancelled', null, false, null),
  ('order_refunded', 'payment.refunded', null, false, null),
  ('supplier_order_placed', 'order.created', null, true, 'supplier'),
  ('operator_order_placed', 'order.created', null, true, 'admins'),
  ('shipment_sent', 'shipment.created', null, false, 'buyer'),
  ('items_cancelled', 'order.items_cancelled', null, false, 'buyer'),
  ('return_requested', 'return.requested', null, false, 'supplier'),
  ('payment_failed', 'payment.failed', null, false, null),
  ('welcome', 'user.registered', null, true, null),
  ('webhook_disabled', 'webhook.disabled', null, false, null),
  ('invitation', null, null, false, null),
  ('application_received', null, null, true, null),
  ('application_decided', null, null, false, null),
  ('product_decided', null, null, true, null),
  ('export_ready', null, null, false, null),
  ('campaign_approved', null, null, false, null),
  ('campaign_rejected', null, null, false, null),
  ('campaign_exhausted', null, null, false, null),
  ('low_stock', null, null, true, null)
on conflict (key) do update
  set event = excluded.event, status = excluded.status, is_optional = excluded.is_optional, "to" = excluded."to";

insert into private.caps (name, value, unit) values
  ('email_templates_per_tenant', 100, 'e-mail templates of a tenant')
on conflict (name) do update set unit = excluded.unit;

insert into private.caps (name, value, unit) values
  ('mails_per_event', 10, 'mails of one event'),
  ('order_mails_per_event', 100, 'mails of one event that tell members of an order'),
  ('mail_recipients', 10, 'members who get a mail of one event')
on conflict (name) do update set unit = excluded.unit;

insert into private.signing_keys (name) values ('mails')
on conflict do nothing;

insert into private.caps (name, value, unit) values
  ('mails_per_tenant_per_day', 50, 'mails of a tenant in a day, in UTC'),
  ('mails_per_address_per_hour', 20, 'mails of all tenants to one address in an hour'),
  ('order_mails_per_member_per_hour', 100, 'mails that tell a member of orders and applications in an hour'),
  ('unpaid_orders_per_address_per_hour', 1, 'unpaid orders about which one address gets mails in an hour'),
  ('mail_reports', 5, 'bounces and complaints among the last 100 mails of a tenant')
on conflict (name) do update set unit = excluded.unit;

select private.add_queue('mails', worker => 'mail-dispatch', lease => '2 minutes', waits => '{1 minute,5 minutes,15 minutes,1 hour}');

select private.schedule_job('sweep-mails', 'select private.sweep_mails()', every => '1 minute', queue => 'workers');

-- supabase/reference/media.sql

insert into private.media_types (content_type, type, extension) values
  ('image/jpeg', 'image', 'jpg'), ('image/png', 'image', 'png'), ('image/webp', 'image', 'webp'),
  ('image/avif', 'image', 'avif'), ('image/gif', 'image', 'gif'),
  -- A PNG that moves: `complete` makes it image/png.
  ('image/apng', 'image', 'png'),
  -- The same structure under another name: `complete` makes them video/mp4.
  ('video/x-m4v', 'video', 'mp4'), ('video/3gpp', 'video', 'mp4'), ('video/3gpp2', 'video', 'mp4'),
  ('video/mp4', 'video', 'mp4'), ('video/webm', 'video', 'webm'),
  ('application/pdf', 'document', 'pdf'), ('text/plain', 'document', 'txt'), ('text/csv', 'document', 'csv'),
  ('application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'document', 'docx'),
  ('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'document', 'xlsx'),
  ('model/gltf-binary', 'model_3d', 'glb'), ('model/gltf+json', 'model_3d', 'gltf'),
  ('model/vnd.usdz+zip', 'model_3d', 'usdz')
on conflict (content_type) do update set type = excluded.type, extension = excluded.extension;

insert into private.caps (name, value, unit) values
  ('media_file_bytes', 52428800, 'bytes of a file, unless the tenant''s settings have another limit'),
  ('media_file_bytes_at_most', 5368709120, 'bytes of a file that a tenant''s settings may allow'),
  ('media_quota_bytes', 5368709120, 'bytes of all media of a tenant, unless its settings have another limit'),
  ('media_quota_bytes_at_most', 1099511627776, 'bytes of all media that a tenant''s settings may allow'),
  ('media_assets_per_tenant', 100000, 'assets of a tenant''s media library'),
  ('media_folders_per_tenant', 1000, 'folders of a tenant''s media library'),
  ('products_per_image', 1000, 'products that show the same image of the library')
on conflict (name) do update set unit = excluded.unit;

insert into private.media_settings default values
on conflict do nothing;

insert into storage.buckets (id, name, public, allowed_mime_types)
select b.id, b.id, b.id = 'media', array(select t.content_type from private.media_types t order by t.content_type)
from unnest(array['uploads', 'media', 'documents']) as b (id)
on conflict (id) do update set public = excluded.public, allowed_mime_types = excluded.allowed_mime_types;

select private.schedule_job('sweep-media', 'select private.sweep_media()', every => '10 minutes', queue => 'workers');

select private.add_queue('media_sweeps', worker => 'media-sweep', lease => '2 minutes', waits => '{1 minute}', gives_up => false);

select private.add_queue(
  'media_cleanings', worker => 'media-sweep', lease => '5 minutes',
  waits => '{10 minutes,20 minutes,40 minutes,80 minutes,160 minutes,320 minutes,640 minutes,1280 minutes}', gives_up => false
);

-- supabase/reference/orders.sql

insert into private.piece_states (state, is_shipped, is_delivered, is_returned, is_lost, is_cancelled) values
  ('open', false, false, false, false, false),
  ('shipped', true, false, false, false, false),
  ('delivered', true, true, false, false, false),
  ('returned', true, true, true, false, false),
  ('lost', true, false, false, true, false),
  ('cancelled', false, false, false, false, true)
on conflict (state) do update set
  is_shipped = excluded.is_shipped, is_delivered = excluded.is_delivered, is_returned = excluded.is_returned,
  is_lost = excluded.is_lost, is_cancelled = excluded.is_cancelled;

insert into private.piece_moves (name, from_state, to_state, stock_reason) values
  ('cancel', 'open', 'cancelled', 'release'),
  ('ship', 'open', 'shipped', 'ship'),
  ('deliver', 'shipped', 'delivered', null),
  ('lose', 'shipped', 'lost', null),
  -- The shipment was a mistake.
  ('void', 'shipped', 'open', 'void'),
  -- It is lost, and another piece will be sent.
  ('resend', 'shipped', 'open', 'reserve'),
  ('take_back', 'delivered', 'returned', 'return'),
  -- It came back and cannot be sold again.
  ('discard', 'delivered', 'returned', null),
  -- It came back before anybody reported it delivered.
  ('turn_back', 'shipped', 'returned', 'return'),
  -- Digital goods that were handed out, when the whole order is cancelled.
  ('revoke', 'delivered', 'cancelled', null)
on conflict (name) do update set
  from_state = excluded.from_state, to_state = excluded.to_state, stock_reason = excluded.stock_reason;

-- Forward by any number of steps, in the sequence of the type; out as the traits allow.
with statuses as (select unnest(enum_range(null::public.order_status)) as status)
insert into private.status_moves (subject, from_status, to_status)
select 'orders', a.status, b.status
from statuses as a
join statuses as b on case b.status
  when 'cancelled' then private.holds_stock(a.status)
  when 'returned' then private.is_sent(a.status)
  else a.status < b.status and not private.is_void(a.status)
end
union all
-- These only follow from pieces: a shipment was void or is sent again; the last pieces came back, were lost or were
-- cancelled.
values
  ('orders', 'shipped'::public.order_status, 'processing'::public.order_status),
  ('orders', 'pending', 'returned'), ('orders', 'confirmed', 'returned'), ('orders', 'processing', 'returned')
on conflict do nothing;

insert into private.status_moves (subject, from_status, to_status) values
  ('shipments', 'shipped', 'delivered'),
  ('shipments', 'shipped', 'lost'),
  ('shipments', 'shipped', 'void')
on conflict do nothing;

-- A hundred at a time: a request that changes one of their orders waits for the lock two seconds at most.
select private.schedule_job('deliver-due-shipments', 'select public.deliver_due_shipments()', every => '1 minute');

insert into private.status_moves (subject, from_status, to_status) values
  ('return_requests', 'requested', 'approved'),
  ('return_requests', 'requested', 'rejected'),
  ('return_requests', 'requested', 'cancelled'),
  ('return_requests', 'approved', 'received'),
  ('return_requests', 'approved', 'cancelled')
on conflict do nothing;

-- A hundred at a time: a request that changes one of their orders waits for the lock two seconds at most.
select private.schedule_job('deliver-ended-bookings', 'select public.deliver_ended_bookings()', every => '1 minute');

insert into private.status_moves (subject, from_status, to_status) values
  ('orders.payment_status', 'pending', 'paid'),
  ('orders.payment_status', 'pending', 'failed'),
  ('orders.payment_status', 'failed', 'paid'),
  ('orders.payment_status', 'paid', 'failed'),
  ('orders.payment_status', 'paid', 'refunded'),
  ('orders.payment_status', 'refunded', 'paid'),
  -- The reports that are allowed in each payment status.
  ('payments', 'pending', 'paid'),
  ('payments', 'pending', 'failed'),
  ('payments', 'failed', 'paid'),
  ('payments', 'paid', 'refunded'),
  ('payments', 'paid', 'refund_failed'),
  ('payments', 'paid', 'payment_reversed'),
  ('payments', 'refunded', 'refund_failed')
on conflict do nothing;

select private.schedule_job(
  'cancel-unpaid-orders', 'select public.cancel_unpaid_orders(rounds => 50)',
  every => '1 minute'
);

select private.schedule_job(
  'forget-guests', 'select private.delete_old_guests(100)',
  every => '10 minutes', queue => 'long', in_batches => true
);

-- supabase/reference/suppliers.sql

select private.schedule_job(
  'release-waiting-products', 'select private.release_waiting_products()', every => '1 minute', queue => 'long'
);

select private.schedule_job(
  'settle-suppliers', 'select private.settle_suppliers()', every => '1 minute', queue => 'long', in_batches => true
);

-- supabase/reference/taxes.sql

insert into private.caps (name, value, unit) values
  ('tax_rates_per_tenant', 1000, 'tax rates of a tenant')
on conflict (name) do update set unit = excluded.unit;

-- supabase/reference/tenancy.sql

-- What each role may do: a permission, the roles that have it for all records of their tenant, and those that have it for
-- their own. A supplier's own are those of its organisation; a customer's own are its orders and what it may see in shops.
-- Rules of a single record, such as who may still cancel an order, are in the functions.
select private.set_permission(p.name, p.all_of::public.member_role[], p.own_of::public.member_role[])
from (values
  ('addresses.read', '{}', '{customer}'),
  ('addresses.write', '{}', '{customer}'),
  ('analytics.read', '{admin,client}', '{supplier}'),
  ('api_keys.read', '{admin}', '{supplier}'),
  ('api_keys.write', '{admin}', '{supplier}'),
  ('auctions.read', '{admin,client}', '{}'),
  ('audit_log.read', '{admin}', '{}'),
  ('bookings.read', '{admin,client}', '{supplier,customer}'),
  ('calendars.write', '{admin}', '{supplier}'),
  ('campaigns.read', '{admin,client}', '{supplier}'),
  ('campaigns.refund', '{admin}', '{}'),
  ('campaigns.review', '{admin}', '{}'),
  ('campaigns.write', '{admin}', '{supplier}'),
  ('categories.write', '{admin}', '{}'),
  ('commission_rates.read', '{admin,client}', '{supplier}'),
  ('commission_rates.write', '{admin}', '{}'),
  ('commissions.read', '{admin,client}', '{supplier}'),
  ('content.manage', '{admin}', '{}'),
  ('content.write', '{admin}', '{supplier}'),
  ('customers.change', '{admin,client}', '{customer}'),
  ('customers.read', '{admin,client}', '{customer}'),
  ('customers.write', '{admin,client}', '{}'),
  ('dashboards.read', '{admin,client}', '{supplier}'),
  ('dashboards.write', '{admin,client}', '{supplier}'),
  ('digital_goods.read', '{admin,client}', '{supplier}'),
  ('digital_goods.write', '{admin}', '{supplier}'),
  ('downloads.read', '{admin,client}', '{customer}'),
  ('email_templates.read', '{admin,client}', '{}'),
  ('email_templates.write', '{admin}', '{}'),
  ('events.read', '{admin,client}', '{}'),
  ('exports.read', '{admin}', '{client,supplier}'),
  ('inventory.read', '{admin,client}', '{supplier}'),
  ('inventory.write', '{admin}', '{supplier}'),
  ('invitations.read', '{admin,client}', '{supplier}'),
  ('invitations.write', '{admin}', '{supplier}'),
  ('mails.read', '{admin}', '{}'),
  ('mails.write', '{admin}', '{}'),
  ('marketplaces.read', '{admin,client,supplier}', '{customer}'),
  ('marketplaces.write', '{admin}', '{}'),
  ('media.manage', '{admin}', '{}'),
  ('media.write', '{admin}', '{supplier}'),
  ('members.read', '{admin,client}', '{}'),
  ('members.write', '{admin}', '{}'),
  ('order_notes.write', '{admin,client}', '{supplier,customer}'),
  ('orders.cancel', '{admin,client}', '{supplier,customer}'),
  ('orders.import', '{admin}', '{}'),
  ('orders.move', '{admin}', '{supplier,customer}'),
  ('orders.place', '{admin,client}', '{customer}'),
  ('orders.read', '{admin,client}', '{supplier,customer}'),
  ('payments.read', '{admin,client}', '{customer}'),
  ('payments.write', '{admin,client}', '{}'),
  ('personal_data.erase', '{admin}', '{customer}'),
  ('personal_data.read', '{admin}', '{customer}'),
  ('placement_prices.read', '{admin,client,supplier}', '{}'),
  ('placement_revenue.read', '{admin}', '{}'),
  ('placement_settings.read', '{admin,client}', '{}'),
  ('placement_settings.write', '{admin}', '{}'),
  ('private_media.read', '{admin}', '{}'),
  ('product_approvals.read', '{admin,client}', '{supplier}'),
  ('products.approve', '{admin}', '{}'),
  ('products.export', '{admin,client}', '{supplier}'),
  ('products.read', '{admin,client}', '{supplier,customer}'),
  ('products.write', '{admin}', '{supplier}'),
  ('returns.answer', '{admin}', '{supplier}'),
  ('returns.record', '{admin}', '{}'),
  ('returns.request', '{admin,client}', '{customer}'),
  ('shipments.void', '{admin}', '{}'),
  ('shipments.write', '{admin,client}', '{supplier}'),
  ('shop_events.write', '{admin,client}', '{supplier,customer}'),
  ('supplier_applications.create', '{admin}', '{customer}'),
  ('supplier_applications.decide', '{admin}', '{}'),
  ('supplier_applications.read', '{admin,client}', '{customer}'),
  ('suppliers.create', '{admin}', '{}'),
  ('suppliers.verify', '{admin}', '{}'),
  ('suppliers.write', '{admin}', '{supplier}'),
  ('synonyms.write', '{admin}', '{}'),
  ('tax_rates.read', '{admin,client,supplier}', '{}'),
  ('tax_rates.write', '{admin}', '{}'),
  ('templates.read', '{admin,client,supplier}', '{customer}'),
  ('tenant.remove', '{admin}', '{}'),
  ('tenant.write', '{admin}', '{}'),
  ('webhooks.read', '{admin,client}', '{}'),
  ('webhooks.write', '{admin,client}', '{}')
) as p (name, all_of, own_of);

select private.schedule_job(
  'remove-tenants', 'select private.remove_tenants()', every => '1 minute', queue => 'long', in_batches => true
);
