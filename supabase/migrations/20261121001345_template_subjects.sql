-- Products and categories that are shown by a template of their own: one of the right type, and of their marketplace or all.
-- Where it is deleted they are shown by that of all again.

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
    -- That there is one at all, its key sees to.
    not exists (
      select from public.templates t
      where t.tenant_id = new.tenant_id and t.id = new.template_id
        and (
          t.type::text <> tg_argv[0]
          -- Categories are shared by marketplaces.
          or tg_argv[0] = 'product' and t.marketplace_id <> marketplace
        )
    ),
    'template_id', format('a template of type %s, of this marketplace or of all', tg_argv[0]), to_jsonb(new.template_id)
  );
  return new;
end
$$;
comment on function private.check_own_template() is
  'Row trigger: whatever is shown by a template of its own names one of the type in the argument.';

-- triggers -------------------------------------------------------------------------------------

-- After the triggers that say whose a product is: they run in the sequence of their names.
create trigger products_that_name_a_template_check_it
  before insert or update of template_id on public.products
  for each row when (new.template_id is not null)
  execute function private.check_own_template('product');

create trigger categories_that_name_a_template_check_it
  before insert or update of template_id on public.categories
  for each row when (new.template_id is not null)
  execute function private.check_own_template('category');
