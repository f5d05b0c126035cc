-- Marketplaces: the separate trading sites of a tenant, and the currencies in which they trade.
-- later: private.check_delivery

create type public.marketplace_status as enum ('draft', 'active', 'inactive', 'suspended');
create type public.delivery_recipient as enum ('operator', 'supplier');
comment on type public.delivery_recipient is 'The recipient of the delivery amount of a supplier''s part of an order.';

-- tables ---------------------------------------------------------------------------------------

create table private.currencies (
  code text primary key,
  exponent smallint not null
);
comment on table private.currencies is 'Currencies of ISO 4217, with the number of decimals of an amount.';

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
  -- Products refer to this key, so that their currency is the currency of their marketplace.
  constraint marketplaces_tenant_id_id_currency_key unique (tenant_id, id, currency),
  constraint domain_is_unique_in_marketplaces unique (domain),
  constraint marketplaces_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint marketplaces_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint marketplaces_description_is_at_most_10000_characters check (char_length(description) <= 10000),
  constraint marketplaces_category_is_1_to_100_characters check (char_length(category) between 1 and 100),
  -- Language, script, region, variants, extensions, and private use.
  constraint marketplaces_language_is_a_bcp_47_tag check (
    char_length(language) <= 35
    and language ~* ('^([a-z]{2,3}(-[a-z]{3}){0,3}|[a-z]{4,8})(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?'
      '(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[0-9a-wy-z](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?$')
  ),
  constraint marketplaces_domain_is_a_host_name check (
    char_length(domain) <= 253
    and domain ~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'
    and domain !~ '\.[0-9]+$'
  ),
  constraint marketplaces_settings_is_an_object check (jsonb_typeof(settings) = 'object'),
  constraint marketplaces_settings_is_without_numbers_of_over_30_digits check (private.has_short_numbers(settings))
);
comment on table public.marketplaces is 'A trading site of a tenant, with its own domain, currency and language.';

alter table public.marketplaces replica identity full;
alter publication supabase_realtime add table public.marketplaces;

-- indexes --------------------------------------------------------------------------------------

create index marketplaces_tenant_id_created_at_idx on public.marketplaces (tenant_id, created_at desc, id);
create index marketplaces_tenant_id_name_idx
  on public.marketplaces (tenant_id, (private.sort_name(name) collate "C"), id);
create index marketplaces_currency_idx on public.marketplaces (currency);

-- functions ------------------------------------------------------------------------------------

create function public.sort_name(marketplace public.marketplaces) returns private.sort_text
language sql immutable
return private.sort_name((marketplace).name);
comment on function public.sort_name(public.marketplaces) is
  'The key for sorting marketplaces by name: .order(''sort_name'').';

create function private.normalise_domain() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.domain := rtrim(lower(new.domain), '.');
  return new;
end
$$;
comment on function private.normalise_domain() is
  'Row trigger: stores a host name in lower case and without a trailing dot.';

create function private.insist_on_keys(value jsonb, field text, allowed text[]) returns void
language plpgsql set search_path = ''
as $$
declare
  key text;
begin
  perform private.insist(jsonb_typeof(value) = 'object', field, 'an object', value);
  for key in select k from jsonb_object_keys(value) as k where k <> all (allowed) loop
    perform private.refuse(
      'VALIDATION_ERROR', format('%s.%s is not known. Use one of: %s.', field, key, array_to_string(allowed, ', ')),
      format('%s.%s', field, key), value -> key
    );
  end loop;
end
$$;
comment on function private.insist_on_keys is 'Refuses a value that is not an object, and unknown keys.';

create function private.is_text(value jsonb, shortest integer, longest integer, pattern text default '') returns boolean
language sql immutable set search_path = ''
as $$
  select jsonb_typeof(value) = 'string'
    and char_length(value #>> '{}') between shortest and longest
    and value #>> '{}' ~ pattern
$$;
comment on function private.is_text is 'Whether a JSON value is a text with a length in a range that matches a pattern.';

create function private.is_name(value jsonb, longest integer) returns boolean
language sql immutable set search_path = ''
as $$
  select private.is_text(value, 1, longest) and private.is_more_than_spaces(value #>> '{}')
$$;
comment on function private.is_name is 'Whether a JSON value is a text with a visible character and at most a maximum length.';

create function private.is_address(value jsonb) returns boolean
language sql immutable set search_path = ''
as $$
  -- Includes the spaces that \s does not match here but does in JavaScript.
  select private.is_text(value, 1, 2048, '^https?://[^\s/?#@]+([/?#]\S*)?$')
    and value #>> '{}' !~ '[\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]'
$$;
comment on function private.is_address is 'Whether a JSON value is an address of the web.';

create function private.check_texts(value jsonb, field text, name_pattern text, name_rule text) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist(
    jsonb_typeof(value) = 'object' and (select count(*) from jsonb_object_keys(value)) <= 100,
    field, 'an object of at most 100 entries', value
  );
  for entry in select e.key, e.value from jsonb_each(value) as e loop
    faults := faults || private.fault_unless(
      entry.key ~ name_pattern, format('%s.%s', field, entry.key), 'named with ' || name_rule, entry.value
    );
    faults := faults || private.fault_unless(
      private.is_text(entry.value, 1, 1000), format('%s.%s', field, entry.key), 'a text of 1 to 1000 characters', entry.value
    );
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_texts is 'Refuses a value that is not an object of short texts.';

create function private.check_list(value jsonb, field text, longest integer) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist(
    case when jsonb_typeof(value) = 'array' then jsonb_array_length(value) <= 100 end,
    field, 'a list of at most 100', value
  );
  for entry in
    select e.value, e.position - 1 as index
    from jsonb_array_elements(value) with ordinality as e (value, position)
  loop
    faults := faults || private.fault_unless(
      private.is_text(entry.value, 1, longest), format('%s[%s]', field, entry.index),
      format('a text of 1 to %s characters', longest), entry.value
    );
  end loop;
  perform private.refuse_all(faults);
  perform private.insist(
    (select count(distinct e.value) = count(*) from jsonb_array_elements(value) as e (value)),
    field, 'a list without repetitions', value
  );
end
$$;
comment on function private.check_list is 'Refuses a value that is not a list of different short texts.';

create function private.check_hosts(value jsonb, field text) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.check_list(value, field, 253);
  perform private.insist(jsonb_array_length(value) <= 20, field, 'a list of at most 20', value);
  for entry in
    select e.value, e.position - 1 as index
    from jsonb_array_elements(value) with ordinality as e (value, position)
  loop
    -- The last label of a name is no number, so that the name is no IP address.
    faults := faults || private.fault_unless(
      entry.value #>> '{}' ~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$',
      format('%s[%s]', field, entry.index), 'a host name in lower case, such as images.example.com', entry.value
    );
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_hosts is 'Refuses a value that is not a list of at most 20 different host names.';

create function private.check_branding(branding jsonb) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist_on_keys(
    branding, 'settings.branding', array['logo_url', 'favicon_url', 'colors', 'custom_css', 'hosts']
  );
  for entry in select e.key, e.value from jsonb_each(branding) as e loop
    begin
      case entry.key
        when 'logo_url', 'favicon_url' then
          perform private.insist(
            private.is_address(entry.value), 'settings.branding.' || entry.key, 'an address (https://…)', entry.value
          );
        when 'custom_css' then
          -- It may be inserted between <style> and </style>, so it must not contain the end tag.
          perform private.insist(
            private.is_text(entry.value, 0, 50000) and strpos(entry.value #>> '{}', '</') = 0,
            'settings.branding.custom_css', 'a text of at most 50000 characters without "</"', entry.value
          );
        when 'colors' then
          perform private.check_texts(
            entry.value, 'settings.branding.colors', '^[A-Za-z][A-Za-z0-9_-]{0,49}$', 'up to 50 letters, digits, _ and -'
          );
        when 'hosts' then perform private.check_hosts(entry.value, 'settings.branding.hosts');
      end case;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  for entry in
    select e.key, e.value
    from jsonb_each(case jsonb_typeof(branding -> 'colors') when 'object' then branding -> 'colors' end) as e
  loop
    faults := faults || private.fault_unless(
      private.is_text(entry.value, 7, 7, '^#[0-9A-Fa-f]{6}$'),
      'settings.branding.colors.' || entry.key, 'a color like #1a2b3c', entry.value
    );
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_branding is 'Refuses an invalid branding. Names the field.';

create function private.check_seo(seo jsonb, field text, known text[]) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
  longest integer;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist_on_keys(seo, field, known);
  for entry in select e.key, e.value, format('%s.%s', check_seo.field, e.key) as field from jsonb_each(seo) as e loop
    begin
      case entry.key
        when 'title', 'description' then
          longest := case entry.key when 'title' then 200 else 1000 end;
          perform private.insist(
            private.is_text(entry.value, 0, longest), entry.field,
            format('a text of at most %s characters', longest), entry.value
          );
        when 'keywords' then
          perform private.check_list(entry.value, entry.field, 100);
        when 'canonical_url' then
          perform private.insist(private.is_address(entry.value), entry.field, 'an address (https://…)', entry.value);
        when 'schema_markup' then
          perform private.insist(
            jsonb_typeof(entry.value) = 'object' and octet_length(entry.value::text) <= 20000
              and private.has_short_numbers(entry.value),
            entry.field, 'an object of at most 20,000 bytes', entry.value
          );
        else
          perform private.check_texts(
            entry.value, entry.field, '^[A-Za-z][A-Za-z0-9:._-]{0,99}$', 'up to 100 letters, digits, :, ., _ and -'
          );
      end case;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_seo is 'Refuses SEO data with unknown keys or invalid values. Names the field.';

create function private.insist_on_whole_number(value jsonb, field text, low integer, high integer) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.insist(
    case
      when jsonb_typeof(value) = 'number' then
        (value #>> '{}')::numeric between low and high
        and scale(trim_scale((value #>> '{}')::numeric)) = 0
    end,
    field, format('a whole number from %s to %s', low, high), value
  );
end
$$;
comment on function private.insist_on_whole_number is 'Refuses a value that is not a whole number within a range. Names the field.';

create function private.check_business(business jsonb, currency text) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist_on_keys(
    business, 'settings.business',
    array[
      'commission_percent', 'payment_methods', 'payment_deadline_minutes', 'delivery', 'guest_checkout', 'ship_unpaid',
      'delivered_after_days', 'return_days', 'payout_delay_days', 'commission_on_delivery', 'max_unpaid_orders',
      'max_unpaid_pieces', 'reply_to', 'country', 'require_safety', 'checkout_minutes', 'payment_instructions',
      'payment_capture'
    ]
  );
  for entry in select e.key, e.value, 'settings.business.' || e.key as field from jsonb_each(business) as e loop
    begin
      case entry.key
        when 'commission_percent' then
          perform private.insist(
            case
              when jsonb_typeof(entry.value) = 'number' then
                (entry.value #>> '{}')::numeric between 0 and 100
                and scale(trim_scale((entry.value #>> '{}')::numeric)) <= 4
            end,
            entry.field, 'a number from 0 to 100 with at most 4 decimals', entry.value
          );
        when 'payment_deadline_minutes', 'checkout_minutes' then
          perform private.insist_on_whole_number(entry.value, entry.field, 5, 43200);
        when 'delivered_after_days', 'return_days' then
          perform private.insist_on_whole_number(entry.value, entry.field, 1, 365);
        when 'payout_delay_days' then
          perform private.insist_on_whole_number(entry.value, entry.field, 0, 365);
        when 'max_unpaid_orders', 'max_unpaid_pieces' then
          perform private.insist_on_whole_number(entry.value, entry.field, 1, 1000000);
        when 'reply_to' then
          perform private.insist(
            jsonb_typeof(entry.value) = 'string' and private.is_email(entry.value #>> '{}'),
            entry.field, 'an e-mail address in lower case', entry.value
          );
        when 'country' then
          perform private.insist(
            private.is_country(entry.value), entry.field, 'the code of a country by ISO 3166-1, such as DE', entry.value
          );
        when 'payment_methods' then
          perform private.check_list(entry.value, entry.field, 50);
        when 'payment_instructions' then
          perform private.insist(
            private.is_name(entry.value, 2000), entry.field, 'a text of 1 to 2000 characters', entry.value
          );
        when 'payment_capture' then
          perform private.insist(
            entry.value in ('"automatic"', '"manual"'), entry.field, 'automatic or manual', entry.value
          );
        when 'delivery' then
          perform private.check_delivery(entry.value, currency);
        when 'guest_checkout', 'ship_unpaid', 'commission_on_delivery', 'require_safety' then
          perform private.insist(jsonb_typeof(entry.value) = 'boolean', entry.field, 'true or false', entry.value);
      end case;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_business is 'Refuses invalid business settings. Names the field.';

create function private.check_tax(tax jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.insist_on_keys(
    tax, 'settings.tax', array['prices_include_tax', 'country', 'collected_by', 'commission_on_tax']
  );
  perform private.refuse_all(
    private.fault_unless(
      not tax ? 'prices_include_tax' or jsonb_typeof(tax -> 'prices_include_tax') = 'boolean',
      'settings.tax.prices_include_tax', 'true or false', tax -> 'prices_include_tax'
    ) || private.fault_unless(
      not tax ? 'country' or private.is_country(tax -> 'country'),
      'settings.tax.country', 'the code of a country by ISO 3166-1, such as DE', tax -> 'country'
    ) || private.fault_unless(
      not tax ? 'collected_by' or tax ->> 'collected_by' in ('supplier', 'operator'),
      'settings.tax.collected_by', 'supplier or operator', tax -> 'collected_by'
    ) || private.fault_unless(
      not tax ? 'commission_on_tax' or jsonb_typeof(tax -> 'commission_on_tax') = 'boolean',
      'settings.tax.commission_on_tax', 'true or false', tax -> 'commission_on_tax'
    )
  );
end
$$;
comment on function private.check_tax is 'Refuses invalid tax settings. Names the fields.';

create function private.check_settings() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist(
    exists (select 1 from private.currencies c where c.code = new.currency), 'currency', 'an ISO 4217 code',
    to_jsonb(new.currency)
  );
  -- The rest of the record is a description, at most 60 kB as JSON, and short texts.
  perform private.bound_record(octet_length(new.settings::text), 0.9, 'These settings are too large.', 'settings');
  perform private.insist_on_keys(new.settings, 'settings', array['branding', 'seo', 'business', 'tax']);
  for entry in select e.key, e.value from jsonb_each(new.settings) as e order by e.key loop
    begin
      case entry.key
        when 'branding' then perform private.check_branding(entry.value);
        when 'business' then perform private.check_business(entry.value, new.currency);
        when 'tax' then perform private.check_tax(entry.value);
        else
          perform private.check_seo(
            entry.value, 'settings.seo',
            array['title', 'description', 'keywords', 'canonical_url', 'meta_tags', 'og_tags']
          );
      end case;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
  return new;
end
$$;
comment on function private.check_settings() is
  'Row trigger: refuses invalid settings with VALIDATION_ERROR. Names the field, such as settings.business.commission_percent.';

create function public.create_marketplace(
  name text,
  category text,
  currency text,
  language text,
  domain text,
  description text default '',
  settings jsonb default '{}'
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created public.marketplaces;
begin
  insert into public.marketplaces (name, description, category, currency, language, domain, settings)
  values (
    create_marketplace.name, create_marketplace.description, create_marketplace.category,
    create_marketplace.currency, create_marketplace.language, create_marketplace.domain,
    create_marketplace.settings
  )
  returning * into created;
  return to_jsonb(created);
end
$$;
comment on function public.create_marketplace is
  'For admins: creates a marketplace as a draft and returns its whole record.';

create function public.change_marketplace(marketplace_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  changed public.marketplaces;
begin
  update public.marketplaces m
  set name = coalesce(changes ->> 'name', m.name),
      description = coalesce(changes ->> 'description', m.description),
      category = coalesce(changes ->> 'category', m.category),
      currency = coalesce(changes ->> 'currency', m.currency),
      language = coalesce(changes ->> 'language', m.language),
      domain = coalesce(changes ->> 'domain', m.domain),
      status = coalesce((changes ->> 'status')::public.marketplace_status, m.status),
      settings = case
        when changes ? 'settings' then private.merged_settings(m.settings, changes -> 'settings') else m.settings
      end
  where m.id = change_marketplace.marketplace_id and private.is_unchanged(m.updated_at, changes)
  returning m.* into changed;
  if changed.id is null then
    if exists (select 1 from public.marketplaces m where m.id = change_marketplace.marketplace_id) then
      perform private.refuse_outdated('marketplace', changes);
    end if;
    perform private.refuse('NOT_FOUND', 'There is no such marketplace.');
  end if;
  return to_jsonb(changed);
exception
  -- References to a marketplace include its currency.
  when foreign_key_violation then
    perform private.refuse(
      'CONFLICT', 'The currency cannot change, because the marketplace has products or orders.',
      'currency', changes -> 'currency'
    );
    return null;
end
$$;
comment on function public.change_marketplace is
  'For admins: changes the fields that are sent, and of settings the fields of groups (branding, seo, business, tax) that are sent, where null removes one, and returns the whole record. Refuses with CONFLICT if updated_at is sent and differs from the marketplace''s, and with INVALID_TRANSITION, CONFLICT, VALIDATION_ERROR, NOT_FOUND.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.marketplaces
  for each row execute function private.keep_nfc();

create trigger marketplaces_are_changed_by_admins
  before insert or update or delete on public.marketplaces
  for each statement execute function private.permitted_only('marketplaces.write');

create trigger marketplaces_normalise_domain
  before insert or update of domain on public.marketplaces
  for each row execute function private.normalise_domain();

create trigger marketplaces_check_settings
  before insert or update of settings, currency on public.marketplaces
  for each row execute function private.check_settings();

create trigger marketplaces_check_status_move
  before update of status on public.marketplaces
  for each row execute function private.check_status_move();

create trigger marketplaces_touch
  before update on public.marketplaces
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table private.currencies enable row level security;
alter table public.marketplaces enable row level security;

create policy "Admins, clients and suppliers see all marketplaces, customers the active ones" on public.marketplaces
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('marketplaces.read'))
      when 'own' then status = 'active'
      when 'all' then true
    end
  );

create policy "Admins create marketplaces" on public.marketplaces
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('marketplaces.write')) = 'all');

create policy "Admins change marketplaces" on public.marketplaces
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('marketplaces.write')) = 'all')
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('marketplaces.write')) = 'all');

-- grants ---------------------------------------------------------------------------------------

grant select on public.marketplaces to authenticated;
grant insert (name, description, category, currency, language, domain, settings)
  on public.marketplaces to authenticated;
grant update (name, description, category, currency, language, domain, status, settings)
  on public.marketplaces to authenticated;
grant all on public.marketplaces to service_role;
grant execute on function private.is_text, private.is_name to authenticated, service_role;
grant execute on function public.create_marketplace, public.change_marketplace to authenticated;
grant execute on function public.sort_name(public.marketplaces) to authenticated, service_role;
