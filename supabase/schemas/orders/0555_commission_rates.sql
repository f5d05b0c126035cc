-- Rates of commission, in percent of a sale: the supplier's rate, else the rate of the product's category or of its
-- nearest ancestor with one, else the marketplace's. An order keeps the rates of the time when it was placed.

-- tables ---------------------------------------------------------------------------------------

create table public.commission_rates (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  supplier_id uuid,
  category_id uuid,
  commission_percent numeric not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint supplier_id_is_unique_in_commission_rates unique (tenant_id, supplier_id),
  constraint category_id_is_unique_in_commission_rates unique (tenant_id, category_id),
  constraint commission_rates_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint commission_rates_category_id_fkey foreign key (tenant_id, category_id)
    references public.categories (tenant_id, id) on delete cascade,
  constraint commission_rates_supplier_id_or_category_id_is_set check (num_nonnulls(supplier_id, category_id) = 1),
  constraint commission_rates_commission_percent_is_from_0_to_100 check (commission_percent between 0 and 100),
  constraint commission_rates_commission_percent_is_of_at_most_4_decimals check (scale(commission_percent) <= 4)
);
comment on table public.commission_rates is
  'The rate of commission of a supplier, or of a category and all categories below it, in percent.';

-- indexes --------------------------------------------------------------------------------------

create unique index commission_rates_tenant_id_created_at_idx on public.commission_rates (tenant_id, created_at desc, id);
alter table public.commission_rates replica identity using index commission_rates_tenant_id_created_at_idx;

-- functions ------------------------------------------------------------------------------------

create function private.category_percent(tenant_id uuid, category_id uuid) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    with recursive line (id, parent_id, depth) as (
      select c.id, c.parent_id, 1
      from public.categories c
      where c.tenant_id = category_percent.tenant_id and c.id = category_percent.category_id
      union all
      select c.id, c.parent_id, l.depth + 1
      from line l
      join public.categories c on c.tenant_id = category_percent.tenant_id and c.id = l.parent_id
    )
    select r.commission_percent
    from line l
    join public.commission_rates r on r.tenant_id = category_percent.tenant_id and r.category_id = l.id
    order by l.depth
    limit 1
  );
end
$$;
comment on function private.category_percent is
  'The rate of commission of a category, or of its nearest ancestor that has one; null if none has.';

create function public.set_commission_rate(
  commission_percent numeric, supplier_id uuid default null, category_id uuid default null
) returns jsonb
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  kept public.commission_rates;
begin
  update public.commission_rates r
  set commission_percent = trim_scale(set_commission_rate.commission_percent)
  where r.tenant_id = private.tenant_id()
    and (r.supplier_id = set_commission_rate.supplier_id or r.category_id = set_commission_rate.category_id)
    and num_nonnulls(set_commission_rate.supplier_id, set_commission_rate.category_id) = 1
  returning r.* into kept;
  if not found then
    insert into public.commission_rates (supplier_id, category_id, commission_percent)
    values (
      set_commission_rate.supplier_id, set_commission_rate.category_id,
      trim_scale(set_commission_rate.commission_percent)
    )
    returning * into kept;
  end if;
  return to_jsonb(kept);
end
$$;
comment on function public.set_commission_rate is
  'For admins: sets the rate of commission of a supplier or of a category, for future orders. Returns the rate.';

-- triggers -------------------------------------------------------------------------------------

create trigger commission_rates_are_changed_by_admins
  before insert or update or delete on public.commission_rates
  for each statement execute function private.permitted_only('commission_rates.write');

create trigger commission_rates_touch
  before update on public.commission_rates
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.commission_rates enable row level security;

create policy "Admins and clients see all rates, suppliers their own and those of categories" on public.commission_rates
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('commission_rates.read'))
      when 'own' then supplier_id is null or supplier_id = (select private.supplier_id())
      when 'all' then true
    end
  );

create policy "Admins make rates" on public.commission_rates
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('commission_rates.write')) = 'all');

create policy "Admins change rates" on public.commission_rates
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('commission_rates.write')) = 'all')
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('commission_rates.write')) = 'all');

create policy "Admins remove rates" on public.commission_rates
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('commission_rates.write')) = 'all');

-- grants ---------------------------------------------------------------------------------------

grant select, delete on public.commission_rates to authenticated;
grant insert (supplier_id, category_id, commission_percent), update (commission_percent)
  on public.commission_rates to authenticated;
grant all on public.commission_rates to service_role;
grant execute on function public.set_commission_rate to authenticated;
