-- The tables whose changes are in the audit log, each with the columns that only the database sets. A test compares the list
-- with the catalog: other tables of a tenant have derived rows, or logs and queues of their own.
--
-- They are triggers of statements, so that an import writes the log once for all its rows. The triggers of members do not ask
-- private.is_audited(): whether the caller is a member is what their statements change.

-- triggers: tenancy ----------------------------------------------------------------------------

create trigger _audit_changed after update on public.tenants referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.suppliers referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.suppliers referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.suppliers referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.supplier_applications referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.supplier_applications
  referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id', 'decided_by', 'decided_at');

create trigger _audit_created after insert on public.product_approvals referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('product_id');
create trigger _audit_changed after update on public.product_approvals
  referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited())
  execute function private.record_audit('product_id', 'is_released', 'decided_by', 'decided_at', 'requested_at');

create trigger _audit_created after insert on public.customers referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.customers referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.customers referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.members referencing new table as new_rows
  for each statement when (current_setting('request.jwt.claims', true) <> '')
  execute function private.record_audit('user_id');
create trigger _audit_changed after update on public.members referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('request.jwt.claims', true) <> '')
  execute function private.record_audit('user_id');
create trigger _audit_deleted after delete on public.members referencing old table as old_rows
  for each statement when (current_setting('request.jwt.claims', true) <> '')
  execute function private.record_audit('user_id');

-- triggers: accounts ---------------------------------------------------------------------------

create trigger _audit_created after insert on public.invitations referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.invitations referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.invitations referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.api_keys referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.api_keys referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id', 'last_used_at');
create trigger _audit_deleted after delete on public.api_keys referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

-- triggers: marketplaces and catalog -----------------------------------------------------------

create trigger _audit_created after insert on public.marketplaces referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.marketplaces referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.marketplaces referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.categories referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.categories referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.categories referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.products referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.products referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited())
  execute function private.record_audit('id', 'brand', 'attribute_values', 'lowest_price', 'highest_price');
create trigger _audit_deleted after delete on public.products referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.product_variants referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.product_variants
  referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id', 'sku_is_unique');
create trigger _audit_deleted after delete on public.product_variants referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.search_synonyms referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.search_synonyms referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.search_synonyms referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_changed after update on public.inventory referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('product_id,id', 'reserved');

create trigger _audit_created after insert on public.product_files referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.product_files referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.product_files referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.licence_keys referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('product_id,id');
create trigger _audit_changed after update on public.licence_keys referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited())
  execute function private.record_audit('product_id,id', 'order_id', 'order_item_id', 'in_stock', 'handed_out_at');
create trigger _audit_deleted after delete on public.licence_keys referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('product_id,id');

create trigger _audit_created after insert on public.service_calendars referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('product_id');
create trigger _audit_changed after update on public.service_calendars
  referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('product_id');
create trigger _audit_deleted after delete on public.service_calendars referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('product_id');

create trigger _audit_created after insert on public.service_hours referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('product_id,id');
create trigger _audit_deleted after delete on public.service_hours referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('product_id,id');

create trigger _audit_created after insert on public.service_exceptions referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('product_id,id');
create trigger _audit_deleted after delete on public.service_exceptions referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('product_id,id');

-- triggers: orders -----------------------------------------------------------------------------

create trigger _audit_created after insert on public.orders referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.orders referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.orders referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_changed after update on public.order_parts referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('order_id,supplier_id');

create trigger _audit_created after insert on public.order_notes referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.order_notes referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.order_notes referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.shipments referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.shipments referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.shipments referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.order_cancellations referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.order_returns referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.return_requests referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.return_requests referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.payments referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.payouts referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.payouts referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id', 'paid_at', 'failed_at', 'reversed_at');

create trigger _audit_created after insert on public.ledger_adjustments referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.payout_holds referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.payout_holds referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.commission_rates referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.commission_rates
  referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.commission_rates referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.tax_rates referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.tax_rates referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.tax_rates referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.discounts referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.discounts referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id', 'uses');
create trigger _audit_deleted after delete on public.discounts referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

-- triggers: promotions -------------------------------------------------------------------------

create trigger _audit_created after insert on public.campaigns referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.campaigns referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.campaigns referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.placement_categories referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('category_id');
create trigger _audit_changed after update on public.placement_categories
  referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('category_id');
create trigger _audit_deleted after delete on public.placement_categories referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('category_id');

create trigger _audit_created after insert on public.placement_settings referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('tenant_id');
create trigger _audit_changed after update on public.placement_settings
  referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('tenant_id');
create trigger _audit_deleted after delete on public.placement_settings referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('tenant_id');

-- triggers: webhooks, exports and dashboards ---------------------------------------------------

create trigger _audit_created after insert on public.webhooks referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.webhooks referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited())
  execute function private.record_audit('id', 'failing_since', 'secret', 'headers');
create trigger _audit_deleted after delete on public.webhooks referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_changed after update on private.webhook_secrets
  referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited())
  execute function private.record_audit('webhook_id', 'previous_secret', 'previous_until');

create trigger _audit_created after insert on public.exports referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.exports referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.export_schedules referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.export_schedules
  referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited())
  execute function private.record_audit('id', 'next_at', 'delayed_from', 'last_at', 'last_error');
create trigger _audit_deleted after delete on public.export_schedules referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.dashboards referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.dashboards referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.dashboards referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

-- triggers: media and content ------------------------------------------------------------------

create trigger _audit_created after insert on public.media_folders referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.media_folders referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.media_folders referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.media_assets referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.media_assets referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited())
  execute function private.record_audit('id', 'status', 'bucket', 'path', 'cleaned', 'resizable', 'width', 'height');
create trigger _audit_deleted after delete on public.media_assets referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on private.media_uploads referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('asset_id');

create trigger _audit_created after insert on public.content_types referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.content_types referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.content_types referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.content referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.content referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited())
  execute function private.record_audit('id', 'last_version_number', 'original_version_number', 'published_at');
create trigger _audit_deleted after delete on public.content referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.content_localizations referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.content_localizations
  referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id', 'last_updated');
create trigger _audit_deleted after delete on public.content_localizations referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on private.content_branches referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('content_id,name');
create trigger _audit_changed after update on private.content_branches
  referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('content_id,name');
create trigger _audit_deleted after delete on private.content_branches referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('content_id,name');

create trigger _audit_created after insert on private.content_previews referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('content_id');
create trigger _audit_deleted after delete on private.content_previews referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('content_id');

-- triggers: templates and mail -----------------------------------------------------------------

create trigger _audit_created after insert on public.templates referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.templates referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.templates referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.template_components referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.template_components
  referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.template_components referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on public.template_localizations referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.template_localizations
  referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.template_localizations referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_created after insert on private.template_previews referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('template_id');
create trigger _audit_deleted after delete on private.template_previews referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('template_id');

create trigger _audit_created after insert on public.email_templates referencing new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_changed after update on public.email_templates referencing old table as old_rows new table as new_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
create trigger _audit_deleted after delete on public.email_templates referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');

create trigger _audit_deleted after delete on public.mail_suppressions referencing old table as old_rows
  for each statement when (private.is_audited()) execute function private.record_audit('id');
