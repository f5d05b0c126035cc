-- The slugs of products: readable addresses, one for each product of a marketplace, and those that it had before.

-- functions ------------------------------------------------------------------------------------

create function private.slug_of(words text) returns text
language sql stable
-- Composed first: unaccent knows letters with their accents, and not accents alone.
return nullif(
  trim('-' from left(
    trim('-' from regexp_replace(lower(extensions.unaccent(normalize(coalesce(words, ''), nfkc))), '[^a-z0-9]+', '-', 'g')), 200
  )), ''
);
comment on function private.slug_of is 'The slug of a title: small letters, digits and hyphens, at most 200. Null if no letter or digit is left.';

-- GET /api/products/{id} takes an id or a slug, beside these paths.
create function private.is_no_slug(word text) returns boolean
language sql immutable
return private.is_uuid(word) or word in ('export', 'import', 'search', 'top-sales');
comment on function private.is_no_slug is 'Whether a word cannot be the slug of a product, because it is an id or a path of the API below products.';

-- tables ---------------------------------------------------------------------------------------

-- Current and former slugs are one table, so that one key keeps them apart, also for requests at the same time. Without a
-- foreign key, which would be checked for each new product: triggers delete the slugs of a product with it.
create table private.product_slugs (
  tenant_id uuid not null,
  marketplace_id uuid not null,
  slug text not null,
  product_id uuid not null,
  replaced_at timestamptz,
  -- A lookup by slug seldom names the marketplace, so that column comes last.
  constraint slug_is_unique_in_product_slugs primary key (tenant_id, slug, marketplace_id),
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
return rtrim(left(base, 190), '-') || '-' || number;
comment on function private.numbered_slug is 'A slug with a number: lamp-2, lamp-3.';

create function private.next_slug(product public.products, base text) returns text
-- A plan from when the table was empty, which a session keeps, would scan it. Not stable: it has to see what other
-- transactions have stored meanwhile.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  -- One statement may add many products of one name. They continue from the last number of the transaction.
  last text[] := string_to_array(current_setting('souk.last_slug', true), ' ');
  subject text := concat(product.marketplace_id, '/', base);
  -- The greatest number that is known to be taken, the step to the next one that is tried, and the one that is tried.
  taken integer := case when last[1] = subject then last[2]::integer else 1 end;
  step integer := 1;
  is_step_free boolean := false;
begin
  -- Steps are doubled up to a free number, then halved: among 10,000 products of one name it takes 28 lookups.
  while step > 0 loop
    if exists (
      select
      from private.product_slugs s
      where s.tenant_id = product.tenant_id and s.marketplace_id = product.marketplace_id
        and s.slug = private.numbered_slug(base, taken + step) and s.product_id <> product.id
    ) then
      taken := taken + step;
    else
      is_step_free := true;
    end if;
    step := case when is_step_free then step / 2 else step * 2 end;
  end loop;
  perform set_config('souk.last_slug', concat(subject, ' ', taken + 1), true);
  return private.numbered_slug(base, taken + 1);
end
$$;
comment on function private.next_slug is 'The slug with the next number that no other product of the marketplace has, or had.';

create function private.replace_former_slugs(product public.products) returns void
-- A plan from when the table was empty, which a session keeps, would scan it.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  delete from private.product_slugs s
  where s.tenant_id = product.tenant_id and s.product_id = product.id and s.marketplace_id <> product.marketplace_id;
  update private.product_slugs s
  set replaced_at = clock_timestamp()
  where s.tenant_id = product.tenant_id and s.product_id = product.id and s.slug <> product.slug and s.replaced_at is null;
  delete from private.product_slugs s
  where s.tenant_id = product.tenant_id and s.product_id = product.id and s.slug in (
    select f.slug
    from private.product_slugs f
    where f.tenant_id = product.tenant_id and f.product_id = product.id and f.replaced_at is not null
    order by f.replaced_at desc
    offset 20
  );
end
$$;
comment on function private.replace_former_slugs is
  'Makes all slugs of a product former ones, besides its current one, and deletes those of another marketplace and the oldest above 20.';

create function private.settle_slug() returns trigger
-- A plan from when the table was empty, which a session keeps, would scan it.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  base text;
begin
  if coalesce(new.slug, '') = '' then
    base := coalesce(private.slug_of(new.name), 'product-' || left(new.id::text, 8));
    base := case when private.is_no_slug(base) then 'product-' || base else base end;
    new.slug := base;
  end if;
  loop
    -- It waits for another transaction that is storing the same slug.
    insert into private.product_slugs (tenant_id, marketplace_id, slug, product_id)
    values (new.tenant_id, new.marketplace_id, new.slug, new.id)
    on conflict (tenant_id, slug, marketplace_id) do nothing;
    exit when found;
    -- It may have had it before.
    update private.product_slugs s
    set replaced_at = null
    where tg_op = 'UPDATE' and s.tenant_id = new.tenant_id and s.slug = new.slug
      and s.marketplace_id = new.marketplace_id and s.product_id = new.id;
    exit when found;
    if base is null then
      perform private.refuse(
        'CONFLICT', 'Another product of this marketplace has this slug, or had it before.', 'slug', to_jsonb(new.slug)
      );
    end if;
    new.slug := private.next_slug(new, base);
  end loop;
  if tg_op = 'UPDATE' then
    perform private.replace_former_slugs(new);
  end if;
  return new;
end
$$;
comment on function private.settle_slug() is
  'Row trigger: makes the slug of a product that has none from its name, with the next number if another product has it. Without a Latin letter or digit: product- and the beginning of its id. Refuses with CONFLICT a chosen one that another product has. The former slug keeps leading to the product.';

create function private.free_slugs() returns trigger
-- A plan from when the table was empty, which a session keeps, would scan it.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  delete from private.product_slugs s where s.tenant_id = old.tenant_id and s.product_id = old.id;
  return null;
end
$$;
comment on function private.free_slugs() is 'Row trigger: releases the slugs of a product that is discontinued or deleted.';

create function private.products_with_slug(slug text, marketplace_id uuid, former boolean) returns uuid[]
-- A plan from when the table was empty, which a session keeps, would scan it.
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
  for each row when ((new.slug, new.marketplace_id) is distinct from (old.slug, old.marketplace_id))
  execute function private.settle_slug();

create trigger products_free_slugs_when_deleted
  after delete on public.products
  for each row execute function private.free_slugs();

create trigger products_free_slugs_when_discontinued
  after update of status on public.products
  for each row when (new.status = 'discontinued' and old.status <> 'discontinued')
  execute function private.free_slugs();

-- policies -------------------------------------------------------------------------------------

alter table private.product_slugs enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant insert (slug), update (slug) on public.products to authenticated;
grant execute on function private.products_with_slug to authenticated, service_role;
