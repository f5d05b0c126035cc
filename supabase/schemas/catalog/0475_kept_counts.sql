-- The counts of a whole catalog, which are kept until a product changes. A list of 100,000 products counts all of them,
-- which takes longer than anything else in it, and most callers ask for the same counts.

-- tables ---------------------------------------------------------------------------------------

create table private.catalog_changes (
  -- Without a foreign key, because the products of a deleted tenant are deleted after it.
  tenant_id uuid not null,
  xact_id xid8 not null default pg_current_xact_id(),
  finished_at timestamptz,
  primary key (tenant_id, xact_id)
);
comment on table private.catalog_changes is
  'The transactions of the last hours that changed what lists of a tenant''s products count. finished_at: when the transaction was first known to have ended.';

create table private.kept_counts (
  tenant_id uuid not null references public.tenants on delete cascade,
  question bytea not null,
  counts private.product_count[] not null,
  attributes json,
  epoch timestamptz not null default private.present_epoch(),
  snapshot pg_snapshot not null,
  kept_by xid8 not null default pg_current_xact_id(),
  kept_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, question)
);
comment on table private.kept_counts is
  'Counts of whole catalogs as they were in a snapshot. They hold in the epoch of the snapshot, until a transaction that is not in the snapshot, or the one that kept them, changes a product. question: a hash of all that the counts depend on.';

-- indexes --------------------------------------------------------------------------------------

create index kept_counts_kept_at_idx on private.kept_counts (kept_at);
create index catalog_changes_finished_at_idx on private.catalog_changes (finished_at);

-- functions ------------------------------------------------------------------------------------

create function private.record_catalog_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.catalog_changes as c (tenant_id)
  values (coalesce(new.tenant_id, old.tenant_id))
  -- In an earlier epoch, another transaction may have had the same number.
  on conflict on constraint catalog_changes_pkey do update set finished_at = null where c.finished_at is not null;
  return null;
end
$$;
comment on function private.record_catalog_change is
  'Notes the transaction in catalog_changes, so that counts of earlier snapshots no longer hold.';

create function private.counts_question(filters private.product_filters, facets text[]) returns bytea
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.counts_question is
  'A hash of all that the counts of the caller''s catalog depend on, besides the tenant''s products. Null if the counts cannot be kept.';

create function private.find_kept_counts(question bytea) returns private.kept_counts
-- A plan from when the tables were empty, which a session keeps, would scan kept_counts and catalog_changes.
language plpgsql stable set search_path = '' set enable_seqscan = off
as $$
begin
  return (
    select k
    from private.kept_counts k
    where k.tenant_id = private.tenant_id()
      and k.question = find_kept_counts.question
      and k.kept_at > clock_timestamp() - interval '1 hour'
      and k.epoch = private.present_epoch()
      and not exists (
        select
        from private.catalog_changes c
        where c.tenant_id = k.tenant_id
          and c.xact_id >= pg_snapshot_xmin(k.snapshot)
          and (c.xact_id = k.kept_by or not pg_visible_in_snapshot(c.xact_id, k.snapshot))
      )
  );
end
$$;
comment on function private.find_kept_counts is
  'The kept answer to a question of the caller''s tenant, if no product has changed since. Otherwise null.';

create function private.store_counts(
  question bytea, counts private.product_count[], attributes json, snapshot pg_snapshot
) returns void
-- A plan from when the table was empty, which a session keeps, would scan kept_counts and products.
language plpgsql set search_path = '' set enable_seqscan = off
as $$
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
$$;
comment on function private.store_counts is
  'Keeps counts of a tenant with at least 1,000 products, if they have at most 256 kB, at most once a second for a tenant. The 20 newest of a tenant are kept. snapshot: the one in which they were counted. Never waits.';

create function private.delete_old_counts() returns void
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.delete_old_counts is
  'For a job: deletes counts that were kept more than an hour ago, and the changes that no counts can depend on, 70 to 90 minutes after their transactions ended.';

-- triggers -------------------------------------------------------------------------------------

create trigger products_note_catalog_change
  after insert or delete on public.products
  for each row execute function private.record_catalog_change();

create trigger products_note_catalog_change_of_counted
  after update on public.products
  for each row when (
    (
      old.status, old.marketplace_id, old.supplier_id, old.category_id, old.brand, old.lowest_price, old.highest_price,
      old.attributes
    ) is distinct from (
      new.status, new.marketplace_id, new.supplier_id, new.category_id, new.brand, new.lowest_price, new.highest_price,
      new.attributes
    )
  )
  execute function private.record_catalog_change();

-- policies -------------------------------------------------------------------------------------

alter table private.catalog_changes enable row level security;
alter table private.kept_counts enable row level security;
