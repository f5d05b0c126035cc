-- The prices that products and variants had before, and what their prices are compared with. Who announces a reduction in the
-- EU says the lowest price of the 30 days before it (Directive 98/6/EC, article 6a).

-- tables ---------------------------------------------------------------------------------------

create table private.product_prices (
  tenant_id uuid not null,
  product_id uuid not null,
  variant_id uuid,
  price numeric,
  began_at timestamptz not null,
  constraint product_prices_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint product_prices_variant_id_fkey foreign key (tenant_id, product_id, variant_id)
    references public.product_variants (tenant_id, product_id, id) on delete cascade,
  constraint product_prices_price_is_null_only_for_variants check (price is not null or variant_id is not null)
);
comment on table private.product_prices is
  'The prices of products, and of variants with prices of their own, each until the next one began. variant_id: null for a product. price: null from when a variant has the product''s price again. A price that never changed has no row, so most products have none: it began when the product or the variant was listed.';
-- The whole row identifies it for replication, because variant_id may be null.
alter table private.product_prices replica identity full;

-- indexes --------------------------------------------------------------------------------------

-- One expression for both, because no index finds `variant_id is not distinct from` a value.
create unique index began_at_is_unique_in_product_prices
  on private.product_prices (product_id, coalesce(variant_id, product_id), began_at);

-- functions ------------------------------------------------------------------------------------

create function private.price_periods(product_id uuid, variant_id uuid, is_inherited boolean)
returns table (price numeric, began_at timestamptz, ended_at timestamptz)
-- A plan from when the table was empty, which a session keeps, would scan it.
language plpgsql stable security definer rows 5 set search_path = '' set enable_seqscan = off
as $$
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
$$;
comment on function private.price_periods is
  'The recorded prices of a product (variant_id null) or of a variant, each with its time. The present one ends at infinity. is_inherited: whether the variant has the product''s price.';

create function private.lowest_price_30d(
  product_id uuid, price numeric, variant_id uuid default null, own_price numeric default null
) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
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
$$;
comment on function private.lowest_price_30d is
  'The lowest price of a product, or of one of its variants, in the 30 days before its present price began; null if none is known. price: the product''s; own_price: the variant''s own, null if it has the product''s.';

create function private.record_price(present private.product_prices, former numeric, listed_at timestamptz) returns void
-- A plan from when the tables were empty, which a session keeps, would scan them.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
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
$$;
comment on function private.record_price is
  'Records that a price begins (present), and the one before it if it is the first change. former: the price before, null if a variant had the product''s. listed_at: when the product or the variant was listed. Deletes what no later question needs, and the oldest of more than 1,000.';

create function private.record_changed_price() returns trigger
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.record_changed_price() is
  'Row trigger: records the new price of a product, or the new own price of a variant.';

create function private.check_compared_prices(variant_ids uuid[]) returns void
-- A plan from when the tables were empty, which a session keeps, would scan them.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
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
$$;
comment on function private.check_compared_prices is
  'Refuses with VALIDATION_ERROR variants whose compare_at_price is not greater than their price, which may be the product''s.';

create function private.check_raised_price() returns trigger
-- A plan from when the table was empty, which a session keeps, would scan it.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  perform private.check_compared_prices(array(
    select v.id
    from public.product_variants v
    where v.tenant_id = new.tenant_id and v.product_id = new.id and v.compare_at_price is not null
  ));
  return null;
end
$$;
comment on function private.check_raised_price() is
  'Row trigger: refuses with VALIDATION_ERROR a price that reaches what a variant without its own is compared with.';

-- triggers -------------------------------------------------------------------------------------

create trigger products_record_price
  after update of price on public.products
  for each row when (new.price <> old.price)
  execute function private.record_changed_price();

create trigger product_variants_record_price
  after update of price on public.product_variants
  for each row when (new.price is distinct from old.price)
  execute function private.record_changed_price();

-- Deferrable, because a change may raise the price of a product first, and then what its variants are compared with.
create constraint trigger products_check_compared_prices
  after update of price on public.products
  deferrable initially immediate
  for each row when (new.price > old.price)
  execute function private.check_raised_price();

-- policies -------------------------------------------------------------------------------------

alter table private.product_prices enable row level security;

-- grants ---------------------------------------------------------------------------------------

-- The views of products call it. It answers for any product, so callers show it for products that they select.
grant execute on function private.lowest_price_30d to authenticated, service_role;
