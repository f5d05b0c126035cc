-- The slugs of products: readable addresses, one for each product of a marketplace, and those that it had before.

-- functions ------------------------------------------------------------------------------------

create function private.slug_of(words text) returns text
language sql stable set search_path = ''
as $$
  -- Composed first: unaccent knows letters with their accents, and not accents alone.
  select nullif(
    trim('-' from left(
      trim('-' from regexp_replace(lower(extensions.unaccent(normalize(coalesce(words, ''), nfkc))), '[^a-z0-9]+', '-', 'g')), 200
    )), ''
  )
$$;
comment on function private.slug_of is 'The slug of a title: small letters, digits and hyphens, at most 200. Null if no letter or digit is left.';

-- GET /api/products/{id} takes an id or a slug, beside these paths.
create function private.is_no_slug(word text) returns boolean
language sql immutable
return private.is_uuid(word) or word in ('export', 'import', 'search', 'top-sales');
comment on function private.is_no_slug is 'Whether a word cannot be the slug of a product, because it is an id or a path of the API below products.';

-- tables ---------------------------------------------------------------------------------------

-- Current and former slugs are one table, so that one key keeps them apart, also for requests at the same time.
create table private.product_slugs (
  tenant_id uuid not null,
  marketplace_id uuid not null,
  slug text not null,
  product_id uuid not null,
  replaced_at timestamptz,
  -- A lookup by slug seldom names the marketplace, so that column comes last.
  constraint slug_is_unique_in_product_slugs primary key (tenant_id, slug, marketplace_id),
  -- The slug is written before its product is.
  constraint product_slugs_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade deferrable initially deferred,
  constraint product_slugs_slug_is_small_letters_digits_and_hyphens check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  constraint product_slugs_slug_is_at_most_200_characters check (char_length(slug) <= 200),
  constraint product_slugs_slug_is_no_id_and_no_path_of_the_api check (not private.is_no_slug(slug))
);
comment on table private.product_slugs is
  'The slugs of products that are not discontinued: the current one, a copy of products.slug, and with replaced_at up to 20 former ones, which lead to the product.';

-- indexes --------------------------------------------------------------------------------------

create index product_slugs_product_id_idx on private.product_slugs (tenant_id, product_id);
create index products_tenant_id_slug_idx on public.products (tenant_id, slug);

-- functions ------------------------------------------------------------------------------------

create function private.numbered_slug(base text, number integer) returns text
language sql immutable
return case number when 1 then base else rtrim(left(base, 190), '-') || '-' || number end;
comment on function private.numbered_slug is 'A slug, from the second on with its number: lamp, lamp-2, lamp-3.';

create function private.is_slug_taken(product public.products, slug text) returns boolean
-- A plan from when the table was empty, which a session keeps, would scan it. Not stable: it has to see what other
-- transactions have stored meanwhile.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  return exists (
    select
    from private.product_slugs s
    where s.tenant_id = product.tenant_id and s.marketplace_id = product.marketplace_id
      and s.slug = is_slug_taken.slug and s.product_id <> product.id
  );
end
$$;
comment on function private.is_slug_taken is 'Whether another product of the marketplace has a slug, or had it.';

create function private.free_slug(product public.products, words text) returns text
language plpgsql security definer set search_path = ''
as $$
declare
  base text := coalesce(private.slug_of(words), 'product-' || left(product.id::text, 8));
  taken integer := 0;
  free integer := 1;
  tried integer;
begin
  base := case when private.is_no_slug(base) then 'product-' || base else base end;
  -- Doubled, then halved: a name that 10,000 products have takes 28 lookups.
  while private.is_slug_taken(product, private.numbered_slug(base, free)) loop
    taken := free;
    free := free * 2;
  end loop;
  while free - taken > 1 loop
    tried := (free + taken) / 2;
    if private.is_slug_taken(product, private.numbered_slug(base, tried)) then
      taken := tried;
    else
      free := tried;
    end if;
  end loop;
  return private.numbered_slug(base, free);
end
$$;
comment on function private.free_slug is
  'A slug for a product, made from its name. If others have it, with the next number. Without a Latin letter or digit: product- and the beginning of its id.';

create function private.hold_slug(product public.products) returns boolean
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  -- It waits for another transaction that is storing the same slug.
  insert into private.product_slugs as s (tenant_id, marketplace_id, slug, product_id)
  values (product.tenant_id, product.marketplace_id, product.slug, product.id)
  on conflict (tenant_id, slug, marketplace_id) do update
  set replaced_at = null
  where s.product_id = excluded.product_id;
  return found;
end
$$;
comment on function private.hold_slug is
  'Stores the slug of a product, which may be one that it had before. False if another product has it, or had it.';

create function private.settle_slug() returns trigger
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  if coalesce(new.slug, '') = '' then
    loop
      new.slug := private.free_slug(new, new.name);
      exit when private.hold_slug(new);
    end loop;
  elsif not private.hold_slug(new) then
    perform private.refuse(
      'CONFLICT', 'Another product of this marketplace has this slug, or had it before.', 'slug', to_jsonb(new.slug)
    );
  end if;
  if tg_op = 'UPDATE' then
    delete from private.product_slugs s
    where s.tenant_id = new.tenant_id and s.product_id = new.id and s.marketplace_id <> new.marketplace_id;
    update private.product_slugs s
    set replaced_at = clock_timestamp()
    where s.tenant_id = new.tenant_id and s.product_id = new.id and s.slug <> new.slug and s.replaced_at is null;
    delete from private.product_slugs s
    where s.tenant_id = new.tenant_id and s.product_id = new.id and s.slug in (
      select f.slug
      from private.product_slugs f
      where f.tenant_id = new.tenant_id and f.product_id = new.id and f.replaced_at is not null
      order by f.replaced_at desc
      offset 20
    );
  end if;
  return new;
end
$$;
comment on function private.settle_slug() is
  'Row trigger: makes the slug of a product that has none from its name, and refuses with CONFLICT one that another product has. The former slug keeps leading to the product.';

create function private.free_slugs() returns trigger
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  delete from private.product_slugs s where s.tenant_id = new.tenant_id and s.product_id = new.id;
  return null;
end
$$;
comment on function private.free_slugs() is 'Row trigger: releases the slugs of a discontinued product.';

create function private.products_with_slug(slug text, marketplace_id uuid, former boolean) returns uuid[]
language plpgsql stable security definer set search_path = '' set enable_seqscan = off
as $$
begin
  return array(
    select s.product_id
    from private.product_slugs s
    where s.tenant_id = private.tenant_id() and s.slug = products_with_slug.slug
      and (s.replaced_at is not null) = former
      and (products_with_slug.marketplace_id is null or s.marketplace_id = products_with_slug.marketplace_id)
  );
end
$$;
comment on function private.products_with_slug is
  'The products of the caller''s tenant that have a slug, or had it (former): one in each marketplace. The caller may not see all of them.';

-- triggers -------------------------------------------------------------------------------------

-- Stock and orders change other columns, and so run none of them.
create trigger products_settle_slug
  before insert on public.products
  for each row execute function private.settle_slug();

create trigger products_settle_changed_slug
  before update of slug, marketplace_id on public.products
  for each row when (
    new.status <> 'discontinued' and (new.slug, new.marketplace_id) is distinct from (old.slug, old.marketplace_id)
  )
  execute function private.settle_slug();

create trigger products_free_slugs
  after update of status on public.products
  for each row when (new.status = 'discontinued' and old.status <> 'discontinued')
  execute function private.free_slugs();

-- policies -------------------------------------------------------------------------------------

alter table private.product_slugs enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant insert (slug), update (slug) on public.products to authenticated;
grant execute on function private.products_with_slug to authenticated, service_role;
