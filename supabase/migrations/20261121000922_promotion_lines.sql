-- What promotion costs a supplier is taken from what it is paid.

-- functions ------------------------------------------------------------------------------------

create function private.note_unbilled_charges() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.unbilled_charges (tenant_id, supplier_id, currency, amount)
  select c.tenant_id, c.supplier_id, m.currency, sum(n.amount)
  from new_charges n
  join public.campaigns c on c.tenant_id = n.tenant_id and c.id = n.campaign_id
  join public.marketplaces m on m.tenant_id = c.tenant_id and m.id = c.marketplace_id
  where c.supplier_id is not null
  group by c.tenant_id, c.supplier_id, m.currency
  having sum(n.amount) <> 0;
  return null;
end
$$;
comment on function private.note_unbilled_charges() is
  'Statement trigger: charges of suppliers'' campaigns, and refunds of them, wait to be billed.';

-- triggers -------------------------------------------------------------------------------------

create trigger placement_charges_note_unbilled
  after insert on public.placement_charges
  referencing new table as new_charges
  for each statement execute function private.note_unbilled_charges();
