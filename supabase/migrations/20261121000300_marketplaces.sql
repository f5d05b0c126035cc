-- Marketplaces: the separate trading sites of a tenant. Also what every later chapter needs of them:
-- currencies, and the one table of moves between states.

create type public.marketplace_status as enum ('draft', 'active', 'inactive', 'suspended');

-- tables ---------------------------------------------------------------------------------------

create table private.currencies (
  code text primary key,
  exponent smallint not null
);
comment on table private.currencies is 'ISO 4217: how many decimals an amount in the currency may have.';

insert into private.currencies (code, exponent)
select unnest(string_to_array(codes, ' ')), exponent
from (values
  (0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'),
  (2, 'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF '
    'CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL '
    'HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT '
    'MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB '
    'SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH '
    'USD UYU UZS VES WST XCD XCG YER ZAR ZMW ZWG'),
  (3, 'BHD IQD JOD KWD LYD OMR TND')
) as iso (exponent, codes);

create table private.status_moves (
  subject text not null,
  from_status text not null,
  to_status text not null,
  constraint status_moves_pkey primary key (subject, from_status, to_status)
);
comment on table private.status_moves is
  'Every move between states that exists. The subject is a table, or a table and its column.';

insert into private.status_moves (subject, from_status, to_status) values
  ('marketplaces', 'draft', 'active'),
  ('marketplaces', 'active', 'inactive'),
  ('marketplaces', 'inactive', 'active'),
  ('marketplaces', 'active', 'suspended'),
  ('marketplaces', 'inactive', 'suspended'),
  ('marketplaces', 'suspended', 'active'),
  ('marketplaces', 'suspended', 'inactive');

create table public.marketplaces (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  name text not null,
  description text not null default '',
  category text not null,
  currency text not null references private.currencies (code),
  language text not null,
  domain text not null,
  status public.marketplace_status not null default 'draft',
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint marketplaces_tenant_id_id_key unique (tenant_id, id),
  -- Products refer to it, so that their currency is their marketplace's.
  constraint marketplaces_tenant_id_id_currency_key unique (tenant_id, id, currency),
  constraint domain_is_unique_in_marketplaces unique (domain),
  constraint marketplaces_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint marketplaces_description_is_at_most_10000_characters check (char_length(description) <= 10000),
  constraint marketplaces_category_is_1_to_100_characters check (char_length(category) between 1 and 100),
  constraint marketplaces_language_is_a_bcp_47_tag check (language ~ '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$'),
  constraint marketplaces_domain_is_a_host_name check (
    char_length(domain) <= 253
    and domain ~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'
  ),
  constraint marketplaces_settings_is_an_object check (jsonb_typeof(settings) = 'object')
);
comment on table public.marketplaces is 'A trading site of a tenant, with its own domain, currency and language.';

alter table public.marketplaces replica identity full;
alter publication supabase_realtime add table public.marketplaces;

-- indexes --------------------------------------------------------------------------------------

create index marketplaces_tenant_id_created_at_idx on public.marketplaces (tenant_id, created_at desc, id);
create index marketplaces_currency_idx on public.marketplaces (currency);

-- functions ------------------------------------------------------------------------------------

create function private.check_status_move() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  column_name text := coalesce(tg_argv[0], 'status');
  moved text := tg_table_name || coalesce('.' || tg_argv[0], '');
  old_status text := to_jsonb(old) ->> column_name;
  new_status text := to_jsonb(new) ->> column_name;
begin
  if old_status is distinct from new_status and not exists (
    select 1 from private.status_moves m
    where m.subject = moved
      and m.from_status = old_status
      and m.to_status = new_status
  ) then
    perform private.refuse(
      'INVALID_TRANSITION', format('The %s cannot go from %s to %s.', column_name, old_status, new_status),
      column_name, to_jsonb(new_status)
    );
  end if;
  return new;
end
$$;
comment on function private.check_status_move() is
  'Row trigger: refuses with INVALID_TRANSITION a move that is no row of status_moves. Argument: the column, if not status.';

create function private.normalise_domain() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.domain := lower(new.domain);
  return new;
end
$$;
comment on function private.normalise_domain() is 'Row trigger: host names are compared without regard to case.';

create function private.active_marketplace_ids() returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
    select m.id
    from public.marketplaces m
    where m.tenant_id = private.tenant_id() and m.status = 'active';
end
$$;
comment on function private.active_marketplace_ids() is 'Where the caller''s tenant sells.';

create function private.sole_marketplace_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select (array_agg(m.id))[1]
    from public.marketplaces m
    where m.tenant_id = private.tenant_id()
    having count(*) = 1
  );
end
$$;
comment on function private.sole_marketplace_id() is
  'The marketplace one need not name: the tenant''s only one. Null when there are several, or none.';

-- triggers -------------------------------------------------------------------------------------

create trigger marketplaces_are_changed_by_admins
  before insert or update or delete on public.marketplaces
  for each statement execute function private.only_for('admin');

create trigger marketplaces_normalise_domain
  before insert or update of domain on public.marketplaces
  for each row execute function private.normalise_domain();

create trigger marketplaces_check_status_move
  before update of status on public.marketplaces
  for each row execute function private.check_status_move();

create trigger marketplaces_touch
  before update on public.marketplaces
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table private.currencies enable row level security;
alter table private.status_moves enable row level security;
alter table public.marketplaces enable row level security;

create policy "Members see their tenant's marketplaces, customers the active ones" on public.marketplaces
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (status = 'active' or (select private.tenant_role()) <> 'customer')
  );

create policy "Admins create marketplaces" on public.marketplaces
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins change marketplaces" on public.marketplaces
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin')
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

-- grants ---------------------------------------------------------------------------------------

grant select on public.marketplaces to authenticated;
grant insert (name, description, category, currency, language, domain, settings)
  on public.marketplaces to authenticated;
grant update (name, description, category, currency, language, domain, status, settings)
  on public.marketplaces to authenticated;
grant all on public.marketplaces to service_role;
grant execute on function private.active_marketplace_ids(), private.sole_marketplace_id()
  to authenticated, service_role;
