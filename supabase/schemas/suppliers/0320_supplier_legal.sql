-- The legal identity of a supplier. Shops must show it, and each order keeps a copy.

-- functions ------------------------------------------------------------------------------------

create function private.check_legal(legal jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.insist_on_keys(
    legal, 'legal', array['name', 'address', 'email', 'phone', 'register_number', 'tax_id', 'self_certified']
  );
  perform private.insist(
    private.is_name(legal -> known.key, known.longest),
    'legal.' || known.key, format('a text of 1 to %s characters, one of them visible', known.longest),
    legal -> known.key
  )
  from (
    values ('name', 200), ('address', 1000), ('email', 254), ('phone', 50), ('register_number', 50), ('tax_id', 50)
  ) as known (key, longest)
  where legal ? known.key;
  perform private.insist(
    private.is_email(lower(legal ->> 'email')), 'legal.email', 'an e-mail address', legal -> 'email'
  )
  where legal ? 'email';
  perform private.insist(
    jsonb_typeof(legal -> 'self_certified') = 'boolean', 'legal.self_certified', 'true or false', legal -> 'self_certified'
  )
  where legal ? 'self_certified';
end
$$;
comment on function private.check_legal is
  'Refuses with VALIDATION_ERROR an invalid legal identity; it must be {name, address, email, phone, register_number, tax_id, self_certified}, each of them optional. Names the field.';

create function private.check_supplier_legal() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.check_legal(new.legal);
  return new;
end
$$;
comment on function private.check_supplier_legal() is 'Row trigger: refuses an invalid legal identity.';

-- triggers -------------------------------------------------------------------------------------

create trigger suppliers_check_legal
  before insert or update of legal on public.suppliers
  for each row execute function private.check_supplier_legal();
