-- The events of discounts: created, updated, deleted. A use of a discount is no change of it, and has none.

-- functions ------------------------------------------------------------------------------------

create function private.emit_discount_event() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  discount public.discounts := case when tg_op = 'DELETE' then old else new end;
begin
  if tg_op = 'DELETE' and not private.is_tenant_kept(discount.tenant_id) then
    -- No events while the tenant itself is deleted.
    return null;
  end if;
  perform private.emit(
    discount.tenant_id,
    case tg_op when 'INSERT' then 'discount.created' when 'UPDATE' then 'discount.updated' else 'discount.deleted' end,
    jsonb_build_object(
      'discount',
      to_jsonb(discount) || jsonb_build_object('costs', private.costs_of_discount(discount.tenant_id, discount.id))
    ),
    marketplace_id => discount.marketplace_id, status => discount.status::text
  );
  return null;
end
$$;
comment on function private.emit_discount_event() is
  'Row trigger: emits discount.created, discount.updated and discount.deleted.';

-- triggers -------------------------------------------------------------------------------------

create trigger discounts_emit_created
  after insert on public.discounts
  for each row execute function private.emit_discount_event();

create trigger discounts_emit_updated
  after update on public.discounts
  for each row when (new.uses = old.uses)
  execute function private.emit_discount_event();

create trigger discounts_emit_deleted
  after delete on public.discounts
  for each row execute function private.emit_discount_event();
