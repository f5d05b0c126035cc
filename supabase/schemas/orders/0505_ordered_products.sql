-- A product that was ever ordered is discontinued instead of deleted.

-- functions ------------------------------------------------------------------------------------

create function private.discontinue_ordered_product() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- The row is locked, so no order can be placed in between. If the tenant is deleted, its products are deleted too.
  if exists (
      select 1 from public.order_items i where i.tenant_id = old.tenant_id and i.product_id = old.id
    )
    and private.is_tenant_kept(old.tenant_id)
  then
    update public.products p
    set status = 'discontinued'
    where p.id = old.id and p.status <> 'discontinued';
    return null;
  end if;
  return old;
end
$$;
comment on function private.discontinue_ordered_product() is
  'Row trigger: discontinues a product that was ever ordered instead of deleting it.';

-- triggers -------------------------------------------------------------------------------------

create trigger products_stay_when_ordered
  before delete on public.products
  for each row execute function private.discontinue_ordered_product();
