-- What a visitor may read, the events that it may report, and its checkouts: the whole list. A visitor has the project's
-- public key and names an active marketplace; without one, every rule here is false.

-- functions ------------------------------------------------------------------------------------

create function private.sells_here(supplier_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select
    from public.products p
    where p.tenant_id = private.tenant_id() and p.supplier_id = sells_here.supplier_id
      and p.marketplace_id = private.marketplace_id() and p.status in ('active', 'out_of_stock')
  );
end
$$;
comment on function private.sells_here is 'Whether a supplier has products for sale or sold out on the marketplace that a visitor visits.';

-- policies -------------------------------------------------------------------------------------

create policy "Visitors see the categories" on public.categories
  for select to anon
  using (tenant_id = (select private.tenant_id()));

create policy "Visitors see the suppliers who sell on their marketplace" on public.suppliers
  for select to anon
  using (tenant_id = (select private.tenant_id()) and private.sells_here(id));

create policy "Visitors see what is for sale on their marketplace" on public.products
  for select to anon
  using (
    tenant_id = (select private.tenant_id()) and marketplace_id = (select private.marketplace_id()) and status = 'active'
  );

create policy "Visitors who see a product see its variants" on public.product_variants
  for select to anon
  using (tenant_id = (select private.tenant_id()) and (select true from public.products p where p.id = product_id));

create policy "Visitors who see a product see its stock" on public.inventory
  for select to anon
  using (tenant_id = (select private.tenant_id()) and (select true from public.products p where p.id = product_id));

create policy "Visitors who see a product see its calendar" on public.service_calendars
  for select to anon
  using (tenant_id = (select private.tenant_id()) and (select true from public.products p where p.id = product_id));

create policy "Visitors see what is published for everybody on their marketplace" on public.published_content
  for select to anon
  using (
    tenant_id = (select private.tenant_id()) and marketplace_id = (select private.marketplace_id()) and visibility = 'public'
  );

-- grants ---------------------------------------------------------------------------------------

grant select on
  public.categories, public.suppliers, public.products, public.product_variants, public.inventory,
  public.service_calendars, public.published_content, public.product_details
to anon;
grant execute on function public.sort_name(public.suppliers) to anon;

-- What visitors call.
grant execute on function
  public.list_products, public.get_product, public.get_product_by_slug, public.similar_products, public.top_sales, public.search_by_meaning,
  public.list_categories, public.list_countries, public.list_delivery_methods, public.list_payment_methods, public.get_category,
  public.list_service_slots, public.get_service_calendar,
  public.list_content, public.get_content, public.get_media, public.template_key, public.template_inputs,
  public.record_storefront_events, public.record_placement_events,
  public.create_checkout, public.get_checkout, public.replace_checkout, public.cancel_checkout
to anon;

-- What these functions and policies call.
grant select on
  private.product_records, private.product_rows, private.product_suppliers, private.all_variants, private.product_stocks
to anon;
grant execute on function
  private.asked_texts, private.attribute_path, private.best_sellers, private.bookable_product,
  private.calendar_record, private.cancel_checkout, private.catalog_counts, private.catalog_page, private.category_branch,
  private.category_branches, private.category_tree, private.check_meaning_search, private.check_one_currency,
  private.check_rest_request, private.contenders_in, private.content_roles, private.content_type_of,
  private.delivery_methods, private.payment_methods, private.count_catalog, private.count_facets, private.count_filters, private.count_values,
  private.create_checkout, private.currencies_in_use, private.find_products, private.get_checkout, private.grids_in, private.has_short_numbers,
  private.hold_auction, private.is_in_stock, private.is_language, private.is_more_than_spaces,
  private.is_visit, private.link_targets, private.links_in, private.list_countries, private.list_drafts, private.list_published,
  private.local_text, private.lowest_price_30d, private.marketplace_id, private.marketplaces_asked, private.media_record,
  private.members_only, private.nfc(jsonb), private.nfc(text), private.page_category, private.page_key, private.page_languages,
  private.page_localizations, private.page_marketplace, private.page_product, private.page_sources,
  private.page_template, private.page_versions, private.product_filters, private.product_list, private.product_page,
  private.products_found, private.products_like, private.products_meant, private.products_near,
  private.products_with_slug,
  private.promoted_first, private.promoted_page, private.promoted_products, private.promotion_of,
  private.promotion_seal, private.promotion_token, private.read_content, private.record_placement_events,
  private.record_storefront_events, private.refusal, private.refuse, private.refuse_stranger, private.replace_checkout,
  private.requested_languages, private.requested_page, private.resolved_grid, private.searched, private.seen_media,
  private.selected_attributes, private.sells_here, private.sells_in_several_currencies,
  private.service_slots, private.shown_record, private.shown_value, private.sort_name,
  private.supplier_id(), private.supplier_id(text), private.template_blocks,
  private.tenant_id(), private.time_zone_of, private.uuids_in, private.visited_storefront,
  private.with_products
to anon;

-- settings -------------------------------------------------------------------------------------

-- A visitor waits for a lock no longer than a member.
alter role anon set lock_timeout = '2s';
