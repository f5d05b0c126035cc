-- Visitors: requests with the project's public key and without a user's token. They name the marketplace that they
-- visit in a header, and read what everybody may see there. What that is, the last file of visitors lists.

-- functions ------------------------------------------------------------------------------------

create function private.open_marketplace(id_or_domain text) returns public.marketplaces
-- A session caches a plan. A plan from when there were few marketplaces would scan the table: 409 pages instead of 5
-- with 20,000 marketplaces.
language plpgsql stable security definer set search_path = '' set enable_seqscan = off
as $$
declare
  site public.marketplaces;
begin
  -- A domain is never a UUID, because it has a dot.
  if private.is_uuid(id_or_domain) then
    select m.* into site from public.marketplaces m where m.id = id_or_domain::uuid;
  else
    select m.* into site from public.marketplaces m where m.domain = rtrim(lower(id_or_domain), '.');
  end if;
  return case when site.status = 'active' then site end;
end
$$;
comment on function private.open_marketplace is
  'The active marketplace with an id or a domain; null if there is none.';

create function private.marketplace_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  if private.is_visit() then
    return (private.open_marketplace(private.request_header('x-souk-marketplace'))).id;
  end if;
  return null;
end
$$;
comment on function private.marketplace_id() is
  'The marketplace that a visitor visits: the active one whose domain or id is in the header x-souk-marketplace. Null for members, and without such a marketplace.';

create function private.is_counted() returns boolean
language sql stable security definer set search_path = ''
as $$
  select private.request_header('x-souk-counted') = encode(k.key, 'hex')
  from private.signing_keys k
  where k.name = 'functions'
$$;
comment on function private.is_counted() is 'Whether a request comes from a function, which has already counted it.';

create function private.reads_as_customer() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(current_setting('souk.rights', true) = 'customer', false)
    or coalesce(private.request_header('x-souk-rights') = 'customer' and private.is_counted(), false);
end
$$;
comment on function private.reads_as_customer() is
  'Whether the request reads for a page that somebody else has written: a function sent the header x-souk-rights, or the transaction has set souk.rights. Then the caller has the rights of a customer only, whatever its roles.';

create function private.sent_visitor_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  sent text := private.request_header('x-souk-visitor');
begin
  if not private.is_uuid(sent) or exists (select from auth.users u where u.id = sent::uuid) then
    return null;
  end if;
  return sent::uuid;
end
$$;
comment on function private.sent_visitor_id() is
  'The random id that a shop gave to a visitor who consented: the header x-souk-visitor. A customer who orders has the one from before the sign-in. Null without consent, and if it is the id of a user: nobody clicks or orders as somebody else.';

create function private.visitor_id() returns uuid
language plpgsql stable set search_path = ''
as $$
begin
  return case when private.is_visit() then private.sent_visitor_id() end;
end
$$;
comment on function private.visitor_id() is 'The id of a visitor who consented; null for members.';

create function private.viewer_id() returns uuid
language plpgsql stable set search_path = ''
as $$
begin
  return coalesce(auth.uid(), private.visitor_id());
end
$$;
comment on function private.viewer_id() is
  'The reader to whom promotions are shown and who clicks on them: the user, or the visitor''s random id. Null for a visitor without one.';

create function private.is_of_visit(marketplace_id uuid) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  return not private.is_visit() or marketplace_id = private.marketplace_id();
end
$$;
comment on function private.is_of_visit is
  'Whether a record of a marketplace may be shown to the caller: to a visitor only on the marketplace that it visits. It makes no rule for members.';

create function private.active_marketplace_ids() returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant constant uuid := private.tenant_id();
begin
  if private.is_visit() then
    return array_remove(array[private.marketplace_id()], null);
  end if;
  return array(select m.id from public.marketplaces m where m.tenant_id = tenant and m.status = 'active');
end
$$;
comment on function private.active_marketplace_ids() is
  'The active marketplaces of the caller''s tenant; for a visitor the one that it visits.';

create function private.currencies_in_use() returns text[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  shown constant uuid[] := private.active_marketplace_ids();
begin
  return array(
    select m.currency
    from public.marketplaces m
    where m.id = any (shown)
    group by m.currency
    order by min(m.created_at), m.currency
  );
end
$$;
comment on function private.currencies_in_use() is
  'The currencies of private.active_marketplace_ids(), without duplicates, the oldest marketplace''s first.';

create function private.marketplaces_asked(marketplace_id uuid, currency text) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  if marketplaces_asked.currency is null then
    return case when marketplaces_asked.marketplace_id is not null then array[marketplaces_asked.marketplace_id] end;
  end if;
  return array(
    select m.id
    from public.marketplaces m
    where m.tenant_id = private.tenant_id()
      and m.currency = marketplaces_asked.currency
      and (marketplaces_asked.marketplace_id is null or m.id = marketplaces_asked.marketplace_id)
  );
end
$$;
comment on function private.marketplaces_asked is
  'The marketplaces of the caller''s tenant that a list is filtered by: one, those with a currency, or both conditions; null without a filter.';

create function private.check_one_currency(marketplace_id uuid, currency text) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if marketplace_id is null and currency is null and cardinality(private.currencies_in_use()) > 1 then
    perform private.refuse(
      'VALIDATION_ERROR',
      'currency or marketplace_id must be sent: prices in several currencies cannot be compared.', 'currency', 'null'
    );
  end if;
end
$$;
comment on function private.check_one_currency is
  'Refuses with VALIDATION_ERROR to compare prices if the tenant has several currencies and the request names none.';

create function private.sole_marketplace_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(
    private.marketplace_id(),
    (
      select (array_agg(m.id))[1]
      from public.marketplaces m
      where m.tenant_id = private.tenant_id()
      having count(*) = 1
    )
  );
end
$$;
comment on function private.sole_marketplace_id() is
  'The default marketplace: the one that a visitor visits, or the tenant''s only one. Null if there are several or none.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.marketplace_id(), private.visitor_id(), private.viewer_id(), private.active_marketplace_ids(),
  private.currencies_in_use(), private.marketplaces_asked, private.check_one_currency, private.sole_marketplace_id()
to authenticated, service_role;
