-- What buyers see of a supplier: a readable address, a description, a logo, and the trader's identity.

-- indexes --------------------------------------------------------------------------------------

create unique index slug_is_unique_in_suppliers on public.suppliers (tenant_id, slug) where slug <> '';

-- functions ------------------------------------------------------------------------------------

create function private.settle_supplier_slug() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  base text;
  number integer := 1;
begin
  if new.slug = '' then
    base := coalesce(private.slug_of(new.name), 'supplier-' || left(new.id::text, 8));
    base := case when private.is_uuid(base) then 'supplier-' || base else base end;
    new.slug := base;
    -- Two suppliers of one name may join at the same time. The lock makes the second see the slug of the first.
    perform private.hold('cap', 'slugs of suppliers of ' || new.tenant_id);
    while exists (
      select from public.suppliers s where s.tenant_id = new.tenant_id and s.slug = new.slug and s.id <> new.id
    ) loop
      number := number + 1;
      new.slug := private.numbered_slug(base, number);
    end loop;
  end if;
  perform private.insist(
    new.slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(new.slug) <= 200 and not private.is_uuid(new.slug), 'slug',
    'small letters, digits and hyphens, at most 200, and no id', to_jsonb(new.slug)
  );
  return new;
end
$$;
comment on function private.settle_supplier_slug() is
  'Row trigger: makes the slug of a supplier that has none from its name, with the next number if another supplier of the tenant has it. Refuses what cannot be a slug.';

create function private.check_supplier_logo() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.insist(private.is_address(to_jsonb(new.logo)), 'logo', 'an address (https://…)', to_jsonb(new.logo));
  return new;
end
$$;
comment on function private.check_supplier_logo() is 'Row trigger: refuses a logo that is no address.';

-- triggers -------------------------------------------------------------------------------------

create trigger suppliers_check_logo
  before insert or update of logo on public.suppliers
  for each row when (new.logo is not null)
  execute function private.check_supplier_logo();

create trigger suppliers_settle_slug
  before insert or update of slug on public.suppliers
  for each row execute function private.settle_supplier_slug();
