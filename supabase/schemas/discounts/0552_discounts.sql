-- Discounts: percentages, amounts and free delivery, by a code or for everybody. The operator's are made by admins and clients. A
-- supplier makes its own, for its own products, and bears them.
-- later: public.discount_details

-- types ----------------------------------------------------------------------------------------

create type public.discount_kind as enum ('percentage', 'amount', 'free_delivery');
create type public.discount_status as enum ('active', 'paused');

-- tables ---------------------------------------------------------------------------------------

create table public.discounts (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  supplier_id uuid default private.supplier_id(),
  code text,
  kind public.discount_kind not null,
  value numeric,
  currency text,
  marketplace_id uuid,
  category_ids uuid[],
  product_ids uuid[],
  supplier_ids uuid[],
  minimum_subtotal numeric,
  starts_at timestamptz,
  ends_at timestamptz,
  uses_total integer,
  uses_per_customer integer,
  borne_by public.refund_bearer not null,
  status public.discount_status not null default 'active',
  uses integer not null default 0,
  created_by uuid default auth.uid(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint discounts_pkey primary key (tenant_id, id),
  constraint discounts_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint discounts_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade,
  constraint discounts_code_is_1_to_50_characters check (char_length(code) between 1 and 50),
  constraint discounts_code_is_more_than_spaces check (private.is_more_than_spaces(code)),
  constraint discounts_code_is_without_spaces_at_its_ends check (code = private.trimmed(code)),
  constraint discounts_kind_is_percentage_or_amount_for_a_supplier check (supplier_id is null or kind <> 'free_delivery'),
  constraint discounts_value_is_set_except_for_free_delivery check ((value is null) = (kind = 'free_delivery')),
  constraint discounts_value_is_above_0_and_below_1e12 check (value > 0 and value < 1e12),
  constraint discounts_value_is_at_most_100_percent check (kind <> 'percentage' or value <= 100),
  constraint discounts_value_is_of_at_most_4_decimals check (scale(value) <= 4),
  constraint discounts_currency_is_set_for_amounts
    check (currency is not null or kind <> 'amount' and minimum_subtotal is null),
  -- Not `between`: it nests the condition, and the form that Postgres prints of it does not.
  constraint discounts_category_ids_is_a_list_of_1_to_100
    check (cardinality(category_ids) >= 1 and cardinality(category_ids) <= 100 and array_position(category_ids, null) is null),
  constraint discounts_product_ids_is_a_list_of_1_to_100
    check (cardinality(product_ids) >= 1 and cardinality(product_ids) <= 100 and array_position(product_ids, null) is null),
  constraint discounts_supplier_ids_is_a_list_of_1_to_100
    check (cardinality(supplier_ids) >= 1 and cardinality(supplier_ids) <= 100 and array_position(supplier_ids, null) is null),
  constraint discounts_supplier_ids_is_null_in_a_suppliers_discount check (supplier_id is null or supplier_ids is null),
  constraint discounts_minimum_subtotal_is_above_0_and_below_1e12 check (minimum_subtotal > 0 and minimum_subtotal < 1e12),
  constraint discounts_starts_at_is_finite check (isfinite(starts_at)),
  constraint discounts_ends_at_is_finite check (isfinite(ends_at)),
  constraint discounts_ends_at_is_after_starts_at check (ends_at > starts_at),
  constraint discounts_uses_total_is_at_least_1 check (uses_total >= 1),
  constraint discounts_uses_per_customer_is_at_least_1 check (uses_per_customer >= 1),
  constraint discounts_borne_by_is_supplier_in_a_suppliers_discount check (supplier_id is null or borne_by = 'supplier'),
  constraint discounts_uses_is_not_negative check (uses >= 0)
);
comment on table public.discounts is
  'What is taken off the price of an order. supplier_id: the supplier who made it, for its own products; null for the operator''s, which admins and clients make. code: as typed, compared without case; null if no code is needed. value: percent, or an amount in currency; null for free delivery. A discount with a currency is for marketplaces of that currency. marketplace_id, category_ids (with the categories below them), product_ids, supplier_ids: what it is for; null for all. Ids of what was deleted since match nothing. starts_at, ends_at: null without a bound; ends_at is the first moment after it. uses_total, uses_per_customer: how often it may be used; null without a limit. uses: how often orders use it, which orders maintain. created_by: the account or API key that made it.';

-- indexes --------------------------------------------------------------------------------------

-- Of a tenant's codes, also of those that only differ in case.
create unique index code_is_unique_in_discounts on public.discounts (tenant_id, (private.folded_name(code)));
create index discounts_tenant_id_created_at_idx on public.discounts (tenant_id, created_at desc, id);
create index discounts_supplier_idx on public.discounts (tenant_id, supplier_id, created_at desc, id);
create index discounts_marketplace_idx on public.discounts (tenant_id, marketplace_id);

-- functions ------------------------------------------------------------------------------------

create function private.default_bearer() returns public.refund_bearer
language sql stable set search_path = ''
as $$
  select case when private.supplier_id() is null then 'operator' else 'supplier' end::public.refund_bearer
$$;
comment on function private.default_bearer() is
  'Who bears a discount that does not say it: the supplier who makes it, otherwise the operator.';

create function private.check_discount_amounts() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  exponent smallint;
  settled text;
begin
  if new.currency is not null then
    select c.exponent into exponent from private.currencies c where c.code = new.currency;
    perform private.insist(found, 'currency', 'an ISO 4217 code', to_jsonb(new.currency));
    select m.currency into settled
    from public.marketplaces m
    where m.tenant_id = new.tenant_id and m.id = new.marketplace_id;
    perform private.insist(
      new.currency = coalesce(settled, new.currency), 'currency', 'the marketplace''s', to_jsonb(new.currency)
    );
  end if;
  new.value := case new.kind
    when 'amount' then private.checked_price(new.value, exponent, 'value') else trim_scale(new.value)
  end;
  new.minimum_subtotal := private.checked_price(new.minimum_subtotal, exponent, 'minimum_subtotal');
  return new;
end
$$;
comment on function private.check_discount_amounts() is
  'Row trigger: refuses an unknown currency, one that is not the marketplace''s, and amounts with more decimals than the currency has. Stores amounts with exactly that number of decimals.';

create function private.check_discounted_records() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  -- What was named before may have been deleted since, and does not stand in the way of other changes.
  known constant uuid[] := coalesce(old.category_ids || old.product_ids || old.supplier_ids, '{}');
  unknown record;
begin
  select named.field, named.id into unknown
  from (
    select 'category_ids' as field, c.id from unnest(new.category_ids) as c (id)
    union all
    select 'product_ids', p.id from unnest(new.product_ids) as p (id)
    union all
    select 'supplier_ids', s.id from unnest(new.supplier_ids) as s (id)
  ) as named
  where named.id <> all (known)
    and not case named.field
      when 'category_ids' then exists (
        select from public.categories c where c.tenant_id = new.tenant_id and c.id = named.id
      )
      when 'product_ids' then exists (
        select from public.products p
        where p.tenant_id = new.tenant_id and p.id = named.id
          and (new.supplier_id is null or p.supplier_id = new.supplier_id)
      )
      else exists (
        select from public.suppliers s where s.tenant_id = new.tenant_id and s.id = named.id
      )
    end
  limit 1;
  if found then
    perform private.refuse(
      'NOT_FOUND', format('There is no such %s.', left(unknown.field, -4)), unknown.field, to_jsonb(unknown.id)
    );
  end if;
  return null;
end
$$;
comment on function private.check_discounted_records() is
  'Row trigger: refuses with NOT_FOUND categories, products and suppliers that the tenant does not have, and in a supplier''s discount products of others.';

create function private.refuse_used_discount() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if private.is_tenant_kept(old.tenant_id) then
    perform private.refuse('CONFLICT', 'Orders have used this discount. Pause it instead.');
  end if;
  return old;
end
$$;
comment on function private.refuse_used_discount() is 'Row trigger: refuses with CONFLICT to delete a discount that orders use.';

create function private.bound_discounts() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  maker record;
begin
  for maker in select distinct a.tenant_id, a.supplier_id from added a order by a.tenant_id, a.supplier_id loop
    -- The lock lets parallel transactions count each other's discounts.
    perform private.hold('cap', 'discounts of ' || maker.tenant_id);
    if (
      select count(*) from public.discounts d where d.tenant_id = maker.tenant_id
    ) > private.cap('discounts_per_tenant') then
      perform private.refuse_beyond(
        'discounts_per_tenant', 'The tenant has the maximum number of discounts. Delete one first.'
      );
    end if;
    if (
      select count(*) from public.discounts d where d.tenant_id = maker.tenant_id and d.supplier_id = maker.supplier_id
    ) > private.cap('discounts_per_supplier') then
      perform private.refuse_beyond(
        'discounts_per_supplier', 'The supplier has the maximum number of discounts. Delete one first.'
      );
    end if;
  end loop;
  return null;
end
$$;
comment on function private.bound_discounts() is
  'Statement trigger: refuses with LIMIT_REACHED more discounts than the caps discounts_per_tenant and discounts_per_supplier.';

create function public.create_discount(
  kind public.discount_kind, code text default null, value numeric default null, currency text default null,
  marketplace_id uuid default null, category_ids uuid[] default null, product_ids uuid[] default null,
  supplier_ids uuid[] default null, minimum_subtotal numeric default null, starts_at timestamptz default null,
  ends_at timestamptz default null, uses_total integer default null, uses_per_customer integer default null,
  borne_by public.refund_bearer default private.default_bearer(), status public.discount_status default 'active'
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created public.discounts;
begin
  insert into public.discounts (
    code, kind, value, currency, marketplace_id, category_ids, product_ids, supplier_ids, minimum_subtotal, starts_at, ends_at,
    uses_total, uses_per_customer, borne_by, status
  )
  values (
    create_discount.code, create_discount.kind, create_discount.value, create_discount.currency,
    create_discount.marketplace_id, create_discount.category_ids, create_discount.product_ids,
    create_discount.supplier_ids, create_discount.minimum_subtotal, create_discount.starts_at, create_discount.ends_at,
    create_discount.uses_total, create_discount.uses_per_customer, create_discount.borne_by, create_discount.status
  )
  returning * into created;
  return (
    select to_jsonb(d) from public.discount_details d where d.tenant_id = created.tenant_id and d.id = created.id
  );
end
$$;
comment on function public.create_discount is
  'For admins, clients and suppliers: creates a discount and returns its record. A supplier''s is for its own products and borne by the supplier. Refuses with FORBIDDEN, VALIDATION_ERROR, NOT_FOUND (a marketplace, category, product or supplier), LIMIT_REACHED, and with Postgres''s 23505 if the code is taken.';

create function public.update_discount(discount_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  changed public.discounts;
begin
  perform private.known_only(
    changes,
    array[
      'code', 'kind', 'value', 'currency', 'marketplace_id', 'category_ids', 'product_ids', 'supplier_ids', 'minimum_subtotal',
      'starts_at', 'ends_at', 'uses_total', 'uses_per_customer', 'borne_by', 'status', 'updated_at'
    ]
  );
  update public.discounts d
  set (
    code, kind, value, currency, marketplace_id, category_ids, product_ids, supplier_ids, minimum_subtotal, starts_at, ends_at,
    uses_total, uses_per_customer, borne_by, status
  ) = (
    select
      n.code, n.kind, n.value, n.currency, n.marketplace_id, n.category_ids, n.product_ids, n.supplier_ids,
      n.minimum_subtotal, n.starts_at, n.ends_at, n.uses_total, n.uses_per_customer, n.borne_by, n.status
    -- Fields that are not sent are those of the row.
    from jsonb_populate_record(d, changes) as n
  )
  where d.id = update_discount.discount_id and private.is_unchanged(d.updated_at, changes)
  returning d.* into changed;
  if changed.id is null then
    if exists (select from public.discounts d where d.id = update_discount.discount_id) then
      perform private.refuse_outdated('discount', changes);
    end if;
    perform private.refuse('NOT_FOUND', 'There is no such discount.');
  end if;
  return (
    select to_jsonb(d) from public.discount_details d where d.tenant_id = changed.tenant_id and d.id = changed.id
  );
end
$$;
comment on function public.update_discount is
  'For admins and clients, and suppliers for their own: changes fields of a discount, where null removes one, and returns the whole record. Fields that are not sent do not change. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, with CONFLICT if updated_at is sent and differs from the discount''s, and with Postgres''s 23505 if the code is taken.';

alter table public.discounts alter column borne_by set default private.default_bearer();

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.discounts for each row execute function private.keep_nfc();

create trigger discounts_are_changed_by_admins_clients_and_suppliers
  before insert or update or delete on public.discounts
  for each statement execute function private.permitted_only('discounts.write');

create trigger discounts_check_amounts
  before insert or update of kind, value, currency, marketplace_id, minimum_subtotal on public.discounts
  for each row execute function private.check_discount_amounts();

-- After the row is written, so that its lists have at most 100 ids.
create trigger discounts_check_records
  after insert or update of category_ids, product_ids, supplier_ids on public.discounts
  for each row execute function private.check_discounted_records();

create trigger discounts_stay_when_used
  before delete on public.discounts
  for each row when (old.uses > 0)
  execute function private.refuse_used_discount();

create trigger discounts_bound
  after insert on public.discounts
  referencing new table as added
  for each statement execute function private.bound_discounts();

-- An order that uses a discount does not change it for those who edit it.
create trigger discounts_touch
  before update on public.discounts
  for each row when (new.uses = old.uses)
  execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.discounts enable row level security;

create policy "Admins and clients see all discounts, suppliers their own" on public.discounts
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('discounts.read'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
      else false
    end
  );

create policy "Admins and clients make the operator's, suppliers their own" on public.discounts
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('discounts.write'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
      else false
    end
  );

create policy "Admins and clients change any discount, suppliers their own" on public.discounts
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('discounts.write'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
      else false
    end
  )
  with check (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('discounts.write'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
      else false
    end
  );

create policy "Admins and clients delete any discount, suppliers their own" on public.discounts
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('discounts.write'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
      else false
    end
  );

-- grants ---------------------------------------------------------------------------------------

-- Who made a discount follows from the caller, and orders count its uses.
grant select, delete,
  insert (
    code, kind, value, currency, marketplace_id, category_ids, product_ids, supplier_ids, minimum_subtotal, starts_at, ends_at,
    uses_total, uses_per_customer, borne_by, status
  ),
  update (
    code, kind, value, currency, marketplace_id, category_ids, product_ids, supplier_ids, minimum_subtotal, starts_at, ends_at,
    uses_total, uses_per_customer, borne_by, status
  )
on public.discounts to authenticated;
grant all on public.discounts to service_role;
grant execute on function private.default_bearer() to authenticated, service_role;
grant execute on function public.create_discount, public.update_discount to authenticated;
