-- Where a supplier may sell: on the marketplaces that the admins allow, while it is active. Products that may not be sold are
-- withheld: they are inactive until they may be sold again. So no list or search has to ask for their supplier.

-- tables ---------------------------------------------------------------------------------------

create table private.withheld_products (
  product_id uuid not null,
  tenant_id uuid not null,
  supplier_id uuid not null,
  -- In this order for lookups by product alone.
  constraint withheld_products_pkey primary key (product_id, tenant_id),
  -- Deferred: the row of a new product is written before the product.
  constraint withheld_products_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade deferrable initially deferred
);
comment on table private.withheld_products is
  'The products that are inactive because their supplier may not sell them now. They are put up for sale again when it may.';

create table private.unsettled_suppliers (
  tenant_id uuid not null,
  supplier_id uuid not null,
  -- When the job last went on with them: they take turns.
  tried_at timestamptz not null default '-infinity',
  changed_at timestamptz not null default clock_timestamp(),
  constraint unsettled_suppliers_pkey primary key (tenant_id, supplier_id),
  constraint unsettled_suppliers_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade
);
comment on table private.unsettled_suppliers is
  'The suppliers who since a moment sell elsewhere, or no more. A job goes on with products that were too many for one transaction, and with those that other transactions were adding meanwhile. changed_at: that moment.';

-- indexes --------------------------------------------------------------------------------------

create index withheld_products_supplier_idx on private.withheld_products (tenant_id, supplier_id, product_id);

-- functions ------------------------------------------------------------------------------------

create function private.may_sell(tenant_id uuid, supplier_id uuid, marketplace_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return supplier_id is null or exists (
    select
    from public.suppliers s
    where s.tenant_id = may_sell.tenant_id and s.id = may_sell.supplier_id and s.status = 'active'
      and (s.marketplace_ids is null or may_sell.marketplace_id = any (s.marketplace_ids))
  );
end
$$;
comment on function private.may_sell is
  'Whether a supplier may sell on a marketplace now. The operator (supplier_id null) always may.';

create function private.is_orderable(product public.products) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
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
$$;
comment on function private.is_orderable is 'Whether a product is for sale, or sold out, by a supplier who may sell it.';

create function private.is_withheld(product_id uuid, tenant_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select
    from private.withheld_products w
    where w.product_id = is_withheld.product_id and w.tenant_id = is_withheld.tenant_id
  );
end
$$;
comment on function private.is_withheld is
  'Whether a product is inactive only because its supplier may not sell now, so that it is put up for sale again by itself.';

create function private.withhold_product() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if not private.may_sell(new.tenant_id, new.supplier_id, new.marketplace_id) then
    new.status := 'inactive';
    insert into private.withheld_products (product_id, tenant_id, supplier_id)
    values (new.id, new.tenant_id, new.supplier_id)
    on conflict on constraint withheld_products_pkey do nothing;
  end if;
  return new;
end
$$;
comment on function private.withhold_product() is
  'Row trigger: a product whose supplier may not sell now is inactive in place of active.';

create function private.keep_withheld(product_id uuid, tenant_id uuid) returns void
language sql security definer set search_path = ''
as $$
  delete from private.withheld_products w where w.product_id = keep_withheld.product_id and w.tenant_id = keep_withheld.tenant_id
$$;
comment on function private.keep_withheld is
  'Has a withheld product stay inactive when its supplier may sell again, because its seller takes it down.';

create function private.forget_withheld() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.keep_withheld(new.id, new.tenant_id);
  return null;
end
$$;
comment on function private.forget_withheld() is
  'Row trigger: a product that its seller takes down or discontinues is not put up for sale again by itself.';

create function private.settle_products(tenant_id uuid, supplier_id uuid, most integer) returns boolean
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.settle_products is
  'Withholds the products that a supplier may not sell now, and puts up for sale those that it may sell again, at most so many. Returns whether that were all.';

create function private.settle_supplier() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.settle_products(new.tenant_id, new.id, 500);
  insert into private.unsettled_suppliers (tenant_id, supplier_id)
  values (new.tenant_id, new.id)
  on conflict on constraint unsettled_suppliers_pkey do update
  set tried_at = excluded.tried_at, changed_at = excluded.changed_at;
  return null;
end
$$;
comment on function private.settle_supplier() is
  'Row trigger: withholds the products that a supplier may not sell any more, or puts them up for sale again; 500 at once.';

create function private.settle_suppliers() returns text
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.settle_suppliers() is
  'A batch of a job: goes on with up to 1000 products of the supplier that has waited longest since it may sell elsewhere, or no more. Null: none is due.';

create function private.check_supplier_marketplaces() returns trigger
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.check_supplier_marketplaces() is
  'Row trigger: refuses marketplaces of a supplier that the tenant does not have.';

-- triggers -------------------------------------------------------------------------------------

-- After the reviews, whose names come before theirs.
create trigger products_withhold_when_listed
  before insert on public.products
  for each row when (new.status = 'active' and new.supplier_id is not null)
  execute function private.withhold_product();

-- A product without stock is active again when it has none to track any more.
create trigger products_withhold
  before update of status, track_inventory on public.products
  for each row when (new.status = 'active' and new.supplier_id is not null)
  execute function private.withhold_product();

create trigger products_forget_withheld
  after update of status on public.products
  for each row when (
    new.supplier_id is not null and old.status <> new.status and new.status = 'discontinued'
  )
  execute function private.forget_withheld();

create trigger suppliers_check_marketplaces
  before insert or update of marketplace_ids on public.suppliers
  for each row when (new.marketplace_ids is not null)
  execute function private.check_supplier_marketplaces();

create trigger suppliers_settle
  after update of status, marketplace_ids on public.suppliers
  for each row when (old.status <> new.status or old.marketplace_ids is distinct from new.marketplace_ids)
  execute function private.settle_supplier();

-- policies -------------------------------------------------------------------------------------

alter table private.withheld_products enable row level security;
alter table private.unsettled_suppliers enable row level security;

-- grants ---------------------------------------------------------------------------------------

-- The function that changes products names it for every seller.
grant execute on function private.keep_withheld to authenticated;
-- Triggers ask it for every caller.
grant execute on function private.is_withheld to authenticated, service_role;
