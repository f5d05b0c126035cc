-- Tax rates: the percentage of each country, for a region or a category where it differs, and the days on which it is valid.
-- One rate applies to a product at a place on a day: the most specific one, in place of the others.

-- tables ---------------------------------------------------------------------------------------

create table public.tax_rates (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  country text not null,
  region text,
  category_id uuid,
  rate numeric not null,
  name text not null,
  valid_from date,
  valid_to date,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint tax_rates_pkey primary key (tenant_id, id),
  constraint tax_rates_category_id_fkey foreign key (tenant_id, category_id)
    references public.categories (tenant_id, id) on delete cascade,
  constraint tax_rates_region_is_1_to_200_characters check (char_length(region) between 1 and 200),
  constraint tax_rates_region_is_more_than_spaces check (private.is_more_than_spaces(region)),
  constraint tax_rates_rate_is_from_0_to_100 check (rate between 0 and 100),
  constraint tax_rates_rate_is_of_at_most_4_decimals check (scale(rate) <= 4),
  constraint tax_rates_name_is_1_to_100_characters check (char_length(name) between 1 and 100),
  constraint tax_rates_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint tax_rates_valid_from_is_in_the_years_1_to_9999 check (valid_from between '0001-01-01' and '9999-12-31'),
  constraint tax_rates_valid_to_is_in_the_years_1_to_9999 check (valid_to between '0001-01-01' and '9999-12-31'),
  constraint tax_rates_valid_to_is_on_or_after_valid_from check (valid_to >= valid_from),
  -- Holds for every writer. A null equals nothing here, so those of region and category are replaced by values.
  constraint tax_rates_are_unique_on_a_day exclude using gist (
    tenant_id with =, country with =, (coalesce(private.folded_name(region), '')) with =,
    (coalesce(category_id, '00000000-0000-0000-0000-000000000000')) with =, daterange(valid_from, valid_to, '[]') with &&
  )
);
comment on table public.tax_rates is
  'The rates of tax, in percent. region: as addresses name it, compared without case and outer spaces; null for the whole country. category_id: the category with all categories below it; null for all products. valid_from, valid_to: the first and the last day; null without a bound.';

-- indexes --------------------------------------------------------------------------------------

create index tax_rates_tenant_id_created_at_idx on public.tax_rates (tenant_id, created_at desc, id);
create index tax_rates_category_idx on public.tax_rates (tenant_id, category_id);
create index tax_rates_place_idx on public.tax_rates (tenant_id, country, (coalesce(private.folded_name(region), '')));

-- functions ------------------------------------------------------------------------------------

create function private.tax_rate_of(tenant_id uuid, country text, region text, category_id uuid, day date)
returns public.tax_rates
language plpgsql stable security definer set search_path = ''
as $$
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
$$;
comment on function private.tax_rate_of is
  'The tax rate of a category at a place on a day; null if there is none. The rate of the region comes before that of its country; among several of one place, that of the category, then of its nearest ancestor, then that of all products.';

create function private.check_tax_rate() returns trigger
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.check_tax_rate() is
  'Row trigger: refuses an unknown country with VALIDATION_ERROR, and a rate above the cap tax_rates_per_tenant with LIMIT_REACHED.';

create function private.refuse_overlapping_tax_rate(valid_from jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse(
    'CONFLICT',
    'Another rate of this country, region and category is valid on some of these days. Change its valid_from or valid_to first.',
    'valid_from', valid_from
  );
end
$$;
comment on function private.refuse_overlapping_tax_rate is
  'Refuses with CONFLICT a rate that is valid on a day of another one of the same country, region and category.';

create function public.create_tax_rate(
  country text, rate numeric, name text, region text default null, category_id uuid default null,
  valid_from date default null, valid_to date default null
) returns jsonb
language plpgsql set search_path = ''
as $$
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
$$;
comment on function public.create_tax_rate is
  'For admins: creates a tax rate in percent, and returns its record. Without region for the whole country, without category_id for all products, without valid_from or valid_to without that bound. Refuses with FORBIDDEN, VALIDATION_ERROR, NOT_FOUND (the category), CONFLICT (another rate is valid on one of its days), LIMIT_REACHED.';

create function public.update_tax_rate(tax_rate_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
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
$$;
comment on function public.update_tax_rate is
  'For admins: changes fields of a tax rate, where null removes a region, a category or a bound, and returns the whole record. Fields that are not sent do not change. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, and with CONFLICT if another rate is valid on one of its days, or if updated_at is sent and differs from the rate''s.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.tax_rates for each row execute function private.keep_nfc();

create trigger tax_rates_are_changed_by_admins
  before insert or update or delete on public.tax_rates
  for each statement execute function private.permitted_only('tax_rates.write');

create trigger tax_rates_check
  before insert or update on public.tax_rates
  for each row execute function private.check_tax_rate();

create trigger tax_rates_touch
  before update on public.tax_rates
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.tax_rates enable row level security;

create policy "Admins, clients and suppliers see tax rates" on public.tax_rates
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('tax_rates.read')) = 'all');

create policy "Admins create tax rates" on public.tax_rates
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('tax_rates.write')) = 'all');

create policy "Admins change tax rates" on public.tax_rates
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('tax_rates.write')) = 'all')
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('tax_rates.write')) = 'all');

create policy "Admins delete tax rates" on public.tax_rates
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('tax_rates.write')) = 'all');

-- grants ---------------------------------------------------------------------------------------

grant select, delete,
  insert (country, region, category_id, rate, name, valid_from, valid_to),
  update (country, region, category_id, rate, name, valid_from, valid_to)
on public.tax_rates to authenticated;
grant all on public.tax_rates to service_role;
grant execute on function private.refuse_overlapping_tax_rate to authenticated, service_role;
grant execute on function public.create_tax_rate, public.update_tax_rate to authenticated;
