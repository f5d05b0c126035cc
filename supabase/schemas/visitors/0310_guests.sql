-- Guests: an order needs an account, which a visitor of a shop has not. So a shop signs a visitor who orders in as an
-- anonymous user of Supabase Auth. In the transaction that creates the user, the database makes it a customer of the
-- marketplace's tenant. The marketplace is in the user's
-- metadata, so `/auth/guest` and `signInAnonymously({ options: { data: { marketplace } } })` work alike. A guest who
-- registers stays the same user with the same orders.

-- tables ---------------------------------------------------------------------------------------

create unlogged table private.guest_counts (
  address text primary key,
  opened_at timestamptz[] not null
);
comment on table private.guest_counts is
  'The times at which guests of an IP address were created within an hour, oldest first. Unlogged: lost in a crash.';

create table private.guest_registrations (
  user_id uuid primary key references auth.users (id) on delete cascade,
  begun_at timestamptz not null default now()
);
comment on table private.guest_registrations is
  'The guests that /auth/register is registering now, so that none is registered twice. A row older than a minute is from a request that crashed.';

-- functions ------------------------------------------------------------------------------------

create function private.allows_guest_checkout(settings jsonb) returns boolean
language sql immutable
return coalesce((settings #>> '{business,guest_checkout}')::boolean, true);
comment on function private.allows_guest_checkout is 'Whether guests may order on a marketplace with these settings.';

create function private.storefront_of(site public.marketplaces) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'id', site.id, 'tenant_id', site.tenant_id, 'name', site.name, 'description', site.description,
    'category', site.category, 'currency', site.currency, 'language', site.language,
    'languages', jsonb_build_array(site.language), 'domain', site.domain,
    'branding', coalesce(site.settings -> 'branding', '{}'), 'seo', coalesce(site.settings -> 'seo', '{}'),
    'guest_checkout', private.allows_guest_checkout(site.settings), 'country', site.settings #>> '{business,country}'
  )
$$;
comment on function private.storefront_of is 'The public data of a marketplace.';

create function private.storefront(domain text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  site public.marketplaces := private.open_marketplace(storefront.domain);
begin
  -- An id is not accepted as a domain.
  if site.id is null or private.is_uuid(storefront.domain) then
    perform private.refuse(
      'NOT_FOUND', 'No active marketplace has this domain.', 'domain', to_jsonb(storefront.domain)
    );
  end if;
  return private.storefront_of(site);
end
$$;
comment on function private.storefront is 'See public.storefront.';

create function public.storefront(domain text) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.storefront(domain);
end
$$;
comment on function public.storefront is
  'The public data of the active marketplace at a domain. For everybody, signed in or not. Refuses with NOT_FOUND.';

create function private.visited_storefront(marketplace_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select private.storefront_of(m)
    from public.marketplaces m
    where m.id = visited_storefront.marketplace_id and m.id = private.marketplace_id()
  );
end
$$;
comment on function private.visited_storefront is
  'The public data of a marketplace if it is the one that a visitor visits; otherwise null.';

create function private.checkout_marketplace(marketplace_id uuid) returns public.marketplaces
language plpgsql stable security definer set search_path = ''
as $$
declare
  wanted constant uuid := coalesce(marketplace_id, private.sole_marketplace_id());
  site public.marketplaces;
begin
  if wanted is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'marketplace_id is required: the tenant has several marketplaces.', 'marketplace_id', 'null'
    );
  end if;
  select m.* into site
  from public.marketplaces m
  where m.tenant_id = private.tenant_id() and m.id = wanted and private.is_of_visit(m.id)
    and (m.status = 'active' or private.scope('marketplaces.read') = 'all');
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such marketplace.', 'marketplace_id', to_jsonb(wanted));
  end if;
  return site;
end
$$;
comment on function private.checkout_marketplace is
  'The marketplace in which the caller orders: by default the one that a visitor visits, or the tenant''s only one. Refuses with NOT_FOUND, VALIDATION_ERROR.';

create function private.delivery_methods(
  marketplace_id uuid, country text, region text, weight_grams bigint, subtotal numeric
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  site constant public.marketplaces := private.checkout_marketplace(marketplace_id);
begin
  perform private.insist(
    country is null or private.is_country(to_jsonb(country)), 'country', 'the code of a country by ISO 3166-1, such as DE',
    to_jsonb(country)
  );
  return jsonb_build_object(
    'delivery_methods',
    (
      select coalesce(jsonb_agg(m.method || jsonb_build_object('price', p.price) order by m.position), '[]')
      from jsonb_array_elements(site.settings #> '{business,delivery,methods}') with ordinality as m (method, position)
      cross join private.delivery_price(m.method, coalesce(weight_grams, 0), subtotal) as p (price)
      where p.price is not null and (country is null or private.serves(m.method, country, region))
    )
  );
end
$$;
comment on function private.delivery_methods is 'See public.list_delivery_methods.';

create function public.list_delivery_methods(
  marketplace_id uuid default null, country text default null, region text default null, weight_grams bigint default null,
  subtotal numeric default null
) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.members_only();
  return private.delivery_methods(marketplace_id, country, region, weight_grams, subtotal);
end
$$;
comment on function public.list_delivery_methods is
  'The delivery methods of a marketplace: {delivery_methods: [{key, name, price, rates, per_supplier, free_from, countries, regions}]}. marketplace_id: by default the one that a visitor visits, or the tenant''s only one. country, region: only methods that serve them; by default all. weight_grams, subtotal: price is that of this weight and subtotal, and methods that do not carry the weight are left out; by default 0. Refuses with NOT_FOUND, VALIDATION_ERROR.';

create function private.payment_methods(marketplace_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  site constant public.marketplaces := private.checkout_marketplace(marketplace_id);
begin
  return jsonb_build_object(
    'tenant_id', site.tenant_id, 'payment_methods', coalesce(site.settings #> '{business,payment_methods}', '[]')
  );
end
$$;
comment on function private.payment_methods is 'See public.list_payment_methods.';

create function public.list_payment_methods(marketplace_id uuid default null) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.members_only();
  return private.payment_methods(marketplace_id);
end
$$;
comment on function public.list_payment_methods is
  'The payment methods that a marketplace accepts: {tenant_id, payment_methods: [name]}. marketplace_id: by default the one that a visitor visits, or the tenant''s only one. Refuses with NOT_FOUND, VALIDATION_ERROR.';

create function private.guest_problem(request jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return case
    when request ?| array['tenant_name', 'tenant_id', 'invitation', 'role'] or request ->> 'marketplace' is null
      then private.problem(
        422, 'marketplace', 'marketplace must be the id or domain of a marketplace. A guest must not send tenant, invitation or role.'
      )
    when (private.open_marketplace(request ->> 'marketplace')).id is null
      then private.problem(404, 'marketplace', 'There is no active marketplace with this id or domain.')
  end;
end
$$;
comment on function private.guest_problem is
  'The reason why the request of a guest, {marketplace}, cannot be carried out; null if it can.';

create function private.before_user_created_hook(event jsonb) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_strip_nulls(
    jsonb_build_object(
      'error',
      case
        when (event #>> '{user,is_anonymous}')::boolean then private.guest_problem(event #> '{user,user_metadata}')
        else private.join_problem(event #> '{user,user_metadata}', event #>> '{user,email}')
      end - 'field'
    )
  )
$$;
comment on function private.before_user_created_hook is
  'Auth hook: refuses an invalid registration or guest, with a status and a reason.';

create function private.join_as_guest() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  request jsonb := coalesce(new.raw_user_meta_data, '{}');
  problem jsonb := private.guest_problem(request);
begin
  -- The hook may not be configured, so the check is repeated here.
  if problem is not null then
    perform private.refuse_problem(problem, coalesce(request -> (problem ->> 'field'), 'null'));
  end if;
  perform private.join_as((private.open_marketplace(request ->> 'marketplace')).tenant_id, new.id, 'customer', null, '');
  return null;
end
$$;
comment on function private.join_as_guest() is
  'Row trigger: makes a new anonymous user a customer of the marketplace''s tenant.';

create function public.admit_guest(marketplace text, address text) returns integer
language plpgsql set search_path = ''
as $$
declare
  problem jsonb := private.guest_problem(jsonb_build_object('marketplace', marketplace));
  allowed integer := private.cap('guests_per_hour');
  opened timestamptz[];
begin
  if problem is not null then
    perform private.refuse_problem(problem, to_jsonb(marketplace));
  end if;
  -- The insert locks the row, so requests of one IP address are counted one after another.
  insert into private.guest_counts as c (address, opened_at)
  values (admit_guest.address, '{}')
  on conflict on constraint guest_counts_pkey do update
  set opened_at = array(select o.at from unnest(c.opened_at) as o (at) where o.at > now() - interval '1 hour')
  returning c.opened_at into opened;
  if cardinality(opened) >= allowed then
    return ceil(extract(epoch from opened[cardinality(opened) - allowed + 1] + interval '1 hour' - now()));
  end if;
  update private.guest_counts c set opened_at = opened || now() where c.address = admit_guest.address;
  return 0;
end
$$;
comment on function public.admit_guest is
  'For /auth/guest: counts a guest of an IP address. Returns 0, or the seconds to wait if the address has reached its limit of the last hour; then the guest is not counted. Refuses with NOT_FOUND without such an active marketplace.';

create function private.begin_guest_registration(user_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  insert into private.guest_registrations as r (user_id)
  values (begin_guest_registration.user_id)
  on conflict on constraint guest_registrations_pkey do update set begun_at = now()
  where r.begun_at < now() - interval '1 minute';
  if not found then
    perform private.refuse_for_now('Another request is registering this guest. Try again.');
  end if;
  -- A statement of its own, so that it sees the changes of the request that held the row before.
  if not exists (select from auth.users u where u.id = begin_guest_registration.user_id and u.is_anonymous) then
    perform private.refuse('CONFLICT', 'This guest has already registered. Log in.');
  end if;
end
$$;
comment on function private.begin_guest_registration is 'See public.begin_guest_registration.';

create function public.begin_guest_registration(user_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.begin_guest_registration(user_id);
end
$$;
comment on function public.begin_guest_registration is
  'For /auth/register: claims a guest for one request, until end_guest_registration or for a minute. Refuses with CONFLICT while another request has the claim, and if the guest has registered.';

create function public.end_guest_registration(user_id uuid) returns void
language sql set search_path = ''
as $$
  delete from private.guest_registrations r where r.user_id = end_guest_registration.user_id
$$;
comment on function public.end_guest_registration is 'For /auth/register: releases the claim of begin_guest_registration.';

-- triggers -------------------------------------------------------------------------------------

create trigger a_new_guest_joins_the_tenant
  after insert on auth.users
  for each row when (new.is_anonymous)
  execute function private.join_as_guest();

-- policies -------------------------------------------------------------------------------------

alter table private.guest_counts enable row level security;
alter table private.guest_registrations enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.before_user_created_hook to supabase_auth_admin;
grant execute on function private.allows_guest_checkout, private.storefront_of to authenticated, service_role;
grant usage on schema private to anon;
grant execute on function private.storefront, public.storefront to anon, authenticated;
grant execute on function
  private.delivery_methods, public.list_delivery_methods, private.payment_methods, public.list_payment_methods
to authenticated;

grant select, insert, update on private.guest_counts to service_role;
grant select, delete on private.guest_registrations to service_role;
grant execute on function private.guest_problem, private.begin_guest_registration to service_role;
grant execute on function
  public.admit_guest, public.begin_guest_registration, public.end_guest_registration
to service_role;
