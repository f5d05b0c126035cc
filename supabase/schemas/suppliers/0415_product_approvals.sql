-- The review of suppliers' products, as the tenant's settings for sellers say. A product that awaits it is a draft; a change
-- of a product that was approved waits while buyers see the approved values.
-- later: private.write_mail_of_review, private.is_withheld

-- tables ---------------------------------------------------------------------------------------

create table public.product_approvals (
  product_id uuid not null,
  tenant_id uuid not null,
  supplier_id uuid not null,
  status public.approval_status not null,
  pending_changes jsonb,
  reason text,
  is_released boolean not null default false,
  requested_at timestamptz not null default now(),
  decided_by uuid references auth.users (id) on delete set null,
  decided_at timestamptz,
  -- In this order for lookups by product alone.
  constraint product_approvals_pkey primary key (product_id, tenant_id),
  -- Deferred: the row of a new product is written before the product.
  constraint product_approvals_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade deferrable initially deferred,
  constraint product_approvals_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint product_approvals_reason_is_at_most_1000_characters check (char_length(reason) <= 1000),
  constraint product_approvals_pending_changes_is_for_pending_ones check (status = 'pending' or pending_changes is null)
);
comment on table public.product_approvals is
  'The products of suppliers that await a review, or had one. pending_changes: the fields of an approved product that await it; null for a product that was never approved. reason: what the supplier is told about the decision. is_released: whether it needs no review any more, and a job approves it.';

-- indexes --------------------------------------------------------------------------------------

create index product_approvals_tenant_id_status_idx
  on public.product_approvals (tenant_id, status, requested_at, product_id);
create index product_approvals_requested_at_idx on public.product_approvals (tenant_id, requested_at desc, product_id);
create index product_approvals_supplier_idx on public.product_approvals (tenant_id, supplier_id, requested_at);
create index product_approvals_decided_by_idx on public.product_approvals (decided_by);
create index product_approvals_released_idx
  on public.product_approvals (tenant_id, requested_at, product_id) where is_released and status = 'pending';

-- functions ------------------------------------------------------------------------------------

create function private.needs_review(tenant_id uuid, supplier_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
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
$$;
comment on function private.needs_review is 'Whether the products of a supplier are reviewed before buyers see them.';

create function private.is_seller() returns boolean
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.is_seller() is 'Whether the caller writes products of its own organisation only: a supplier.';

create function private.was_approved(product_id uuid, tenant_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select
    from public.product_approvals a
    where a.product_id = was_approved.product_id and a.tenant_id = was_approved.tenant_id
      and (a.status = 'approved' or a.pending_changes is not null)
  );
end
$$;
comment on function private.was_approved is 'Whether a review has approved a product, whose changes may wait.';

create function private.request_approval(product_id uuid, tenant_id uuid, supplier_id uuid, changes jsonb) returns void
language sql security definer set search_path = ''
as $$
  insert into public.product_approvals as a (product_id, tenant_id, supplier_id, status, pending_changes)
  values (product_id, tenant_id, supplier_id, 'pending', changes)
  on conflict on constraint product_approvals_pkey do update
  set status = 'pending',
      pending_changes = case when excluded.pending_changes is null then null else coalesce(a.pending_changes, '{}') || excluded.pending_changes end,
      reason = null, is_released = false, decided_by = null, decided_at = null,
      requested_at = case when a.status = 'pending' then a.requested_at else now() end
$$;
comment on function private.request_approval is
  'Records that a product awaits a review: the whole product, or changes of it (null for the whole).';

create function private.end_approval(product_id uuid, tenant_id uuid) returns void
language sql security definer set search_path = ''
as $$
  update public.product_approvals a
  set status = 'approved', decided_by = auth.uid(), decided_at = now()
  where a.product_id = end_approval.product_id and a.tenant_id = end_approval.tenant_id
    and a.status <> 'approved' and a.pending_changes is null
$$;
comment on function private.end_approval is 'Records that a product was put up for sale without a review, which approves it.';

create function private.hold_for_approval() returns trigger
language plpgsql set search_path = ''
as $$
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
$$;
comment on function private.hold_for_approval() is
  'Row trigger: a product that its supplier puts up for sale keeps its status, or is a draft if it is new, while it awaits a review.';

create function private.reviewed_fields(product public.products) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'name', product.name, 'description', product.description, 'description_html', product.description_html,
    'category_id', product.category_id, 'images', product.images
  )
$$;
comment on function private.reviewed_fields is 'The fields of an approved product whose changes are reviewed.';

create function private.hold_changes() returns trigger
language plpgsql set search_path = ''
as $$
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
$$;
comment on function private.hold_changes() is
  'Row trigger: where the settings review all products, a supplier''s change of an approved product waits for a review in pending_changes.';

create function private.is_reviewed(asset public.media_assets) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
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
$$;
comment on function private.is_reviewed is
  'Whether a review has approved what an asset shows, as an image of a product, or decides on it now.';

create function private.check_review_of_media(asset public.media_assets) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if private.is_seller() and private.is_reviewed(asset) then
    perform private.refuse(
      'CONFLICT', 'A reviewed product shows this file. Upload another one and show that: the change is reviewed then.',
      'asset_id', to_jsonb(asset.id)
    );
  end if;
end
$$;
comment on function private.check_review_of_media is
  'Refuses with CONFLICT that a supplier changes a file that a reviewed product shows.';

create function private.check_reviewed_media() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform private.check_review_of_media(old);
  return new;
end
$$;
comment on function private.check_reviewed_media() is
  'Row trigger: refuses with CONFLICT that a supplier changes the alternative text that a reviewed product shows.';

create function private.review_of(product_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
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
$$;
comment on function private.review_of is
  'The fields of a product''s record about its review, for its supplier and the tenant''s staff: review_status, review_reason and pending_changes. Empty for others. The caller sees the product.';

create function private.drop_approval() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.product_approvals a where a.product_id = new.id and a.tenant_id = new.tenant_id;
  return null;
end
$$;
comment on function private.drop_approval() is 'Row trigger: a discontinued product awaits no review.';

create function private.carry_out_approval(approval public.product_approvals, reason text) returns void
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.carry_out_approval is
  'Approves a product: its waiting changes apply, or it is put up for sale. Granted to nobody.';

create function private.pending_approval(product_id uuid, updated_at timestamptz) returns public.product_approvals
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.pending_approval is
  'The review that a product of the caller''s tenant awaits, locked. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, CONFLICT.';

create function private.approve_product(product_id uuid, reason text, updated_at timestamptz) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  approval constant public.product_approvals := private.pending_approval(product_id, updated_at);
begin
  if approval.pending_changes is null then
    perform private.insist_on_safety(p) from public.products p where p.id = approval.product_id;
  end if;
  perform private.carry_out_approval(approval, reason);
  perform private.write_mail_of_review(p, 'approved', reason) from public.products p where p.id = product_id;
end
$$;
comment on function private.approve_product is 'See public.approve_product.';

create function public.approve_product(product_id uuid, reason text default null, updated_at timestamptz default null)
returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.approve_product(product_id, reason, updated_at);
  return (select private.shown_record(to_jsonb(r)) || private.review_of(r.id) from private.product_records r where r.id = product_id);
end
$$;
comment on function public.approve_product is
  'For admins: approves a product that awaits a review, which is put up for sale, or its waiting changes, which apply. Returns the whole record. updated_at: that of the product as it was reviewed; refuses with CONFLICT if it has changed since. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION.';

create function private.reject_product(product_id uuid, reason text, updated_at timestamptz) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  approval constant public.product_approvals := private.pending_approval(product_id, updated_at);
begin
  update public.product_approvals a
  set status = case when a.pending_changes is null then 'rejected' else 'approved' end::public.approval_status,
      pending_changes = null, reason = reject_product.reason, is_released = false, decided_by = auth.uid(), decided_at = now()
  where a.product_id = approval.product_id and a.tenant_id = approval.tenant_id;
  perform private.write_mail_of_review(p, 'rejected', reason) from public.products p where p.id = approval.product_id;
end
$$;
comment on function private.reject_product is 'See public.reject_product.';

create function public.reject_product(product_id uuid, reason text default null, updated_at timestamptz default null)
returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.reject_product(product_id, reason, updated_at);
  return (select private.shown_record(to_jsonb(r)) || private.review_of(r.id) from private.product_records r where r.id = product_id);
end
$$;
comment on function public.reject_product is
  'For admins: rejects a product that awaits a review, which stays as it is, or its waiting changes, which are dropped. Returns the whole record. The supplier may put it up for sale again. Refuses as approve_product does.';

-- functions: releases --------------------------------------------------------------------------

create function private.release_products(tenant_id uuid, most integer) returns integer
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.release_products is
  'Approves products of a tenant that need no review any more, at most so many. Returns their number.';

create function private.release_waiting_products() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.release_products(t.tenant_id, 200)
  from (select distinct a.tenant_id from public.product_approvals a where a.is_released and a.status = 'pending') as t;
end
$$;
comment on function private.release_waiting_products() is
  'For a job: approves products that need no review any more and were too many for the transaction that released them, 200 of each tenant.';

create function private.release_products_of_supplier() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if not private.needs_review(new.tenant_id, new.id) then
    update public.product_approvals a
    set is_released = true
    where a.tenant_id = new.tenant_id and a.supplier_id = new.id and a.status = 'pending';
    perform private.release_products(new.tenant_id, 200);
  end if;
  return null;
end
$$;
comment on function private.release_products_of_supplier() is
  'Row trigger: puts up for sale the products of a supplier that awaited its verification, 200 of them at once.';

create function private.release_products_of_tenant() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.product_approvals a
  set is_released = true
  where a.tenant_id = new.id and a.status = 'pending' and not private.needs_review(new.id, a.supplier_id);
  return null;
end
$$;
comment on function private.release_products_of_tenant() is
  'Row trigger: where the settings review fewer products now, a job approves those that wait.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.product_approvals
  for each row execute function private.keep_nfc();

-- After the checks of moves and values, whose names come before theirs.
create trigger products_hold_for_approval_when_listed
  before insert on public.products
  for each row when (new.status = 'active')
  execute function private.hold_for_approval();

create trigger products_hold_for_approval
  before update of status on public.products
  for each row when (new.status = 'active' and old.status in ('draft', 'inactive'))
  execute function private.hold_for_approval();

create trigger products_wait_with_changes
  before update of name, description, description_html, category_id, images on public.products
  for each row execute function private.hold_changes();

create trigger media_assets_check_review
  before update of alt_text on public.media_assets
  for each row when (old.alt_text <> new.alt_text)
  execute function private.check_reviewed_media();

create trigger products_drop_approval
  after update of status on public.products
  for each row when (new.status = 'discontinued' and old.status <> 'discontinued')
  execute function private.drop_approval();

create trigger suppliers_release_products
  after update of verified on public.suppliers
  for each row when (new.verified and not old.verified)
  execute function private.release_products_of_supplier();

create trigger tenants_release_products
  after update of settings on public.tenants
  for each row when (new.settings #> '{sellers,product_review}' is distinct from old.settings #> '{sellers,product_review}')
  execute function private.release_products_of_tenant();

-- policies -------------------------------------------------------------------------------------

alter table public.product_approvals enable row level security;

create policy "Admins and clients see all reviews, suppliers those of their products" on public.product_approvals
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('product_approvals.read'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.product_approvals to authenticated;
grant all on public.product_approvals to service_role;
grant execute on function private.review_of to anon, authenticated;
-- Triggers name them for every caller.
grant execute on function
  private.is_seller(), private.needs_review, private.was_approved, private.request_approval, private.end_approval,
  private.reviewed_fields, private.seller_setting, private.check_review_of_media
to authenticated, service_role;
grant execute on function
  private.approve_product, private.reject_product, public.approve_product, public.reject_product
to authenticated;
