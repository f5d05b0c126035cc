-- template_inputs returns everything that renders a page, in one call. template_key returns the key of the same page, which
-- changes with each of its inputs: a page that was kept under the key may be shown.

-- functions --------------------------------------------------------------------------------------

create function private.page_versions(request private.page_request) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- The templates of the page are read once, because that is the most expensive part.
  return (
    with unit as materialized (
      select u.unit_id, u.depth, v.template_id, v.version_number, v.reads_sources, v.has_grids, v.asset_ids
      from private.page_templates(request) as u
      join private.template_versions v
        on v.tenant_id = request.tenant_id and v.template_id = u.template_id and v.version_number = u.version_number
    ), component as materialized (
      select c.id, c.version_number, c.asset_ids
      from public.template_components c
      where c.tenant_id = request.tenant_id and c.id in (
        select r.target_id
        from unit u
        join private.template_references r
          on r.tenant_id = request.tenant_id and r.template_id = u.template_id and r.version_number = u.version_number
        where r.kind = 'component'
      )
    )
    select concat_ws(
      ' ',
      string_agg(format('%s:%s:%s', u.unit_id, u.template_id, u.version_number), ',' order by u.unit_id, u.depth),
      -- Sources and grids depend on the rights of the caller.
      case when bool_or(u.reads_sources) then format('user %s', auth.uid()) end,
      case when bool_or(u.has_grids or u.reads_sources) then format('supplier %s', private.supplier_id()) end,
      case when bool_or(u.has_grids) then (
        select max(p.updated_at)::text from public.products p where p.tenant_id = request.tenant_id
      ) end,
      case when bool_or(u.has_grids) then (
        select max(m.id)::text from public.inventory_movements m where m.tenant_id = request.tenant_id
      ) end,
      (select string_agg(format('%s:%s', c.id, c.version_number), ',' order by c.id) from component c),
      (
        select string_agg(format('%s:%s', l.id, l.version_number), ',' order by l.id)
        from public.template_localizations l
        where l.tenant_id = request.tenant_id and l.language = any (request.languages)
          and l.base_template_id in (select o.template_id from unit o)
      ),
      (
        select max(a.updated_at)::text || count(*)
        from public.media_assets a
        where a.tenant_id = request.tenant_id and a.id in (
          select s.id from unit o cross join lateral unnest(o.asset_ids) as s (id)
          union all
          select s.id from component c cross join lateral unnest(c.asset_ids) as s (id)
        )
      ),
      (
        select m.updated_at::text
        from public.marketplaces m
        where m.tenant_id = request.tenant_id and m.id = request.marketplace_id
      ),
      (select concat(t.updated_at, t.caching) from public.templates t where t.id = request.template_id)
    )
    from unit u
  );
end
$$;
comment on function private.page_versions is 'The versions of all records that render a page, in one text. A grid of products depends on the last change of a product and on the last movement of stock.';

create function private.page_key(request private.page_request, product jsonb, category jsonb) returns text
language plpgsql stable set search_path = ''
as $$
begin
  return encode(
    sha256(convert_to(
      concat_ws(
        e'\n', request.tenant_id, request.template_id, request.type, request.version_number, request.marketplace_id,
        request.language, request.device, array_to_string(request.languages, ','), request.role, request.sees_all,
        request.has_session, request.time_zone, private.page_versions(request), product, category
      ),
      'utf8'
    )),
    'hex'
  );
end
$$;
comment on function private.page_key is 'The key of a page. It differs for other inputs and for callers with other rights.';

create function public.template_key(id_or_type text, options jsonb default '{}') returns text
language plpgsql stable set search_path = ''
as $$
declare
  request private.page_request := private.requested_page(id_or_type, options);
begin
  -- Called for its refusal only: page_versions has the version of the marketplace.
  if options ->> 'marketplace_id' is not null then
    perform private.page_marketplace(request, true);
  end if;
  return private.page_key(request, private.page_product(request), private.page_category(request));
end
$$;
comment on function public.template_key is
  'The key that template_inputs returns for the same options. It does not cover the values of the sources api and database. Refuses as template_inputs does.';

create function public.template_inputs(id_or_type text, options jsonb default '{}') returns jsonb
-- Volatile, because lists of products may record auctions.
language plpgsql volatile set search_path = ''
as $$
declare
  request private.page_request := private.requested_page(id_or_type, options);
  marketplace jsonb := private.page_marketplace(request, options ->> 'marketplace_id' is not null);
  product jsonb := private.page_product(request);
  category jsonb := private.page_category(request);
  sources jsonb := private.page_sources(request, private.uuids_in(options ->> 'asset_ids'));
  key text := private.page_key(request, product, category);
  grids jsonb := '{}'::jsonb;
begin
  if request.has_session then
    -- As sources do, grids show what a customer sees.
    perform set_config('souk.rights', 'customer', true);
    -- Grids show no labels and no tokens, and a kept page is for several readers.
    select coalesce(jsonb_object_agg(g.key, private.resolved_grid(g.grid, request.marketplace_id, false)), '{}') into grids
    from private.grids_in(sources, request.template_id) as g;
    perform set_config('souk.rights', '', true);
  end if;
  return sources || jsonb_build_object(
    'tenant_id', request.tenant_id, 'time_zone', request.time_zone, 'template', private.page_template(request),
    'version', coalesce(request.version_number, 0),
    'localizations', private.page_localizations(request), 'marketplace', marketplace, 'product', product,
    'category', category,
    'language', request.language, 'languages', private.page_languages(request), 'role', request.role,
    'products', grids, 'key', key
  );
end
$$;
comment on function public.template_inputs is
  'Everything that renders a page, as the caller may see it: tenant_id, time_zone, template, version, content (null for a built-in one), parents, includes, components, localizations, marketplace, product, category, language, languages, assets, products (of grids, by block), role, key. options: language, device, marketplace_id, product_id, category_id, asset_ids; version, for members with a content role; preview, a token. Refuses with NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, TEMPLATE_LIMIT.';

create function public.page_assets(tenant_id uuid, asset_ids uuid[], language text) returns jsonb
language sql stable set search_path = ''
as $$
  select private.shown_assets(asset_ids, tenant_id, language)
$$;
comment on function public.page_assets is
  'For the functions: the addresses, sizes and alternative texts of public assets, by id, as template_inputs returns them.';

create function private.zone_offset(time_zone text, second bigint) returns integer
language sql stable set search_path = ''
as $$
  select extract(epoch from to_timestamp(second) at time zone time_zone)::bigint - second
$$;
comment on function private.zone_offset is 'The offset of a time zone from UTC at a second since 1970, in seconds.';

create function public.zone_offsets(time_zone text) returns jsonb
language sql stable set search_path = ''
as $$
  with recursive week as materialized (
    -- From 1970 to 2060. No zone has changed its offset twice in a week.
    select w.second, private.zone_offset(time_zone, w.second) as utc_offset
    from generate_series(0, 2840140800, 604800) as w (second)
  ), change (low, high, before) as (
    select w.low, w.high, w.before
    from (
      select
        lag(o.second) over by_time as low, o.second as high, lag(o.utc_offset) over by_time as before, o.utc_offset as after
      from week o
      window by_time as (order by o.second)
    ) as w
    where w.before <> w.after
    union all
    select
      case when m.utc_offset = c.before then m.second else c.low end,
      case when m.utc_offset = c.before then c.high else m.second end, c.before
    from change c
    cross join lateral (
      select h.second, private.zone_offset(time_zone, h.second) as utc_offset
      from (select (c.low + c.high) / 120 * 60 as second) as h
    ) as m
    where c.high - c.low > 60
  )
  select jsonb_build_array(jsonb_build_array(0, private.zone_offset(time_zone, 0))) || coalesce(
    jsonb_agg(jsonb_build_array(c.high, private.zone_offset(time_zone, c.high)) order by c.high), '[]'
  )
  from change c
  where c.high - c.low <= 60
$$;
comment on function public.zone_offsets is
  'For the functions: the offsets of a time zone from UTC as this server has them, with the minute from which each holds: [[0, 3600], …], in seconds. Their engines have older zone data.';

create function private.page_template(request private.page_request) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(
    (
      select jsonb_build_object(
        'id', t.id, 'name', t.name, 'type', t.type, 'marketplace_id', t.marketplace_id, 'caching', t.caching
      )
      from public.templates t where t.tenant_id = request.tenant_id and t.id = request.template_id
    ),
    jsonb_build_object('id', null, 'name', request.type, 'type', request.type, 'marketplace_id', null, 'caching', null)
  );
end
$$;
comment on function private.page_template is 'The template of a page, without its content.';

create function private.page_languages(request private.page_request) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(distinct l.language), '[]')
    from (
      select o.language
      from public.template_localizations o
      where o.tenant_id = request.tenant_id
        and o.base_template_id in (
          select u.template_id from private.page_templates(request) as u where u.unit_id = request.template_id
        )
      union all
      select m.language from public.marketplaces m where m.tenant_id = request.tenant_id and m.id = request.marketplace_id
    ) as l
  );
end
$$;
comment on function private.page_languages is 'The languages of a page: the marketplace''s, and those of the translations of its templates.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.requested_page, private.page_product, private.page_category, private.page_marketplace, private.page_templates,
  private.page_components, private.page_localizations, private.page_sources, private.grids_in, private.page_versions,
  private.page_key, private.page_template, private.page_languages, private.uuids_in, private.template_blocks
to authenticated, service_role;
grant execute on function public.template_inputs, public.template_key to authenticated, service_role;
grant execute on function private.shown_assets, private.zone_offset, public.page_assets, public.zone_offsets to service_role;
