-- Guests: a shop's visitors have no account and need a token all the same. A visitor finds the marketplace of a domain,
-- the one thing that is told without a token, and becomes an anonymous user of Supabase Auth, who is a customer of
-- the marketplace's tenant. What is wished for stands in the account's metadata, so it works alike through
-- `/auth/guest` and `supabase.auth.signInAnonymously({ options: { data: { marketplace } } })`. A guest that gets an address
-- of its own stays the same user, with the same orders.

-- functions ------------------------------------------------------------------------------------

create function private.open_marketplace(id_or_domain text) returns public.marketplaces
language sql stable security definer set search_path = ''
as $$
  select m
  from public.marketplaces m
  where m.status = 'active'
    and (
      m.domain = rtrim(lower(id_or_domain), '.')
      or m.id = case when private.is_uuid(id_or_domain) then id_or_domain::uuid end
    )
$$;
comment on function private.open_marketplace is
  'The active marketplace of an id or a domain; null where there is none.';

create function private.allows_guest_checkout(settings jsonb) returns boolean
language sql immutable set search_path = ''
as $$
  select coalesce((settings #>> '{business,guest_checkout}')::boolean, true)
$$;
comment on function private.allows_guest_checkout is 'Whether guests may order on a marketplace with these settings.';

create function private.storefront_of(site public.marketplaces) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'id', site.id, 'tenant_id', site.tenant_id, 'name', site.name, 'description', site.description,
    'category', site.category, 'currency', site.currency, 'language', site.language,
    'languages', jsonb_build_array(site.language), 'domain', site.domain,
    'branding', coalesce(site.settings -> 'branding', '{}'), 'seo', coalesce(site.settings -> 'seo', '{}'),
    'guest_checkout', private.allows_guest_checkout(site.settings)
  )
$$;
comment on function private.storefront_of is 'The public face of a marketplace.';

create function private.storefront(domain text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  site public.marketplaces := private.open_marketplace(storefront.domain);
begin
  if site.id is null then
    perform private.refuse(
      'NOT_FOUND', 'No marketplace is open at this domain.', 'domain', to_jsonb(storefront.domain)
    );
  end if;
  return private.storefront_of(site);
end
$$;
comment on function private.storefront is 'As public.storefront.';

create function public.storefront(domain text) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.storefront(domain);
end
$$;
comment on function public.storefront is
  'The public face of the active marketplace at a domain, for whoever asks, signed in or not. Refuses with NOT_FOUND.';

create function private.guest_problem(wish jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return case
    when wish ?| array['tenant_name', 'tenant_id', 'invitation', 'role'] or wish ->> 'marketplace' is null
      then private.problem(422, 'marketplace', 'A guest names the marketplace it visits, by its id or domain, and nothing else.')
    when (private.open_marketplace(wish ->> 'marketplace')).id is null
      then private.problem(404, 'marketplace', 'There is no such marketplace, or it is not open.')
  end;
end
$$;
comment on function private.guest_problem is
  'What stands against a guest''s wish, {marketplace}; null when nothing does.';

create function private.before_user_created_hook(event jsonb) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_strip_nulls(
    jsonb_build_object(
      'error',
      case
        when (event #>> '{user,is_anonymous}')::boolean then private.guest_problem(event #> '{user,user_metadata}')
        else private.wish_problem(event #> '{user,user_metadata}', event #>> '{user,email}')
      end - 'field'
    )
  )
$$;
comment on function private.before_user_created_hook is
  'Auth hook: refuses a registration or a guest that could not be carried out, with a status and a reason.';

create function private.join_as_guest() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  wish jsonb := coalesce(new.raw_user_meta_data, '{}');
  problem jsonb := private.guest_problem(wish);
begin
  -- Where the hook is not called, nothing has refused it yet.
  if problem is not null then
    perform private.refuse(
      case problem ->> 'http_code' when '404' then 'NOT_FOUND' else 'VALIDATION_ERROR' end,
      problem ->> 'message', problem ->> 'field'
    );
  end if;
  perform private.join_as(
    (private.open_marketplace(wish ->> 'marketplace')).tenant_id, new.id, 'customer', null, ''
  );
  return null;
end
$$;
comment on function private.join_as_guest() is
  'Row trigger: makes a new anonymous account a customer of the tenant whose marketplace it visits.';

-- triggers -------------------------------------------------------------------------------------

create trigger a_new_guest_joins_the_tenant
  after insert on auth.users
  for each row when (new.is_anonymous)
  execute function private.join_as_guest();

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.before_user_created_hook to supabase_auth_admin;
grant execute on function private.allows_guest_checkout, private.storefront_of to authenticated, service_role;
-- The one thing of ours that whoever is not signed in may call.
grant usage on schema private to anon;
grant execute on function private.storefront, public.storefront to anon, authenticated;
