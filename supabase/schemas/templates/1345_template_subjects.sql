-- A product or category may name its template, which has its type and its marketplace, or is for all marketplaces. When that
-- template is deleted, the default template is used again.

-- indexes --------------------------------------------------------------------------------------

create index products_template_idx on public.products (tenant_id, template_id) where template_id is not null;
create index categories_template_idx on public.categories (tenant_id, template_id) where template_id is not null;

alter table public.products add constraint products_template_id_fkey foreign key (tenant_id, template_id)
  references public.templates (tenant_id, id) on delete set null (template_id);
alter table public.categories add constraint categories_template_id_fkey foreign key (tenant_id, template_id)
  references public.templates (tenant_id, id) on delete set null (template_id);

-- functions --------------------------------------------------------------------------------------

create function private.check_own_template() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  marketplace uuid := (to_jsonb(new) ->> 'marketplace_id')::uuid;
begin
  perform private.insist(
    -- The foreign key refuses an id that does not exist.
    not exists (
      select from public.templates t
      where t.tenant_id = new.tenant_id and t.id = new.template_id
        and (
          t.type::text <> tg_argv[0]
          -- All marketplaces share the categories.
          or tg_argv[0] = 'product' and t.marketplace_id <> marketplace
        )
    ),
    'template_id', format('a template of type %s, for this marketplace or for all marketplaces', tg_argv[0]), to_jsonb(new.template_id)
  );
  return null;
end
$$;
comment on function private.check_own_template() is
  'Row trigger: template_id must name a template of the type in the argument.';

-- triggers -------------------------------------------------------------------------------------

-- Afterwards, because other triggers set the marketplace of a product.
create trigger products_check_template
  after insert or update of template_id on public.products
  for each row when (new.template_id is not null)
  execute function private.check_own_template('product');

create trigger categories_check_template
  after insert or update of template_id on public.categories
  for each row when (new.template_id is not null)
  execute function private.check_own_template('category');
