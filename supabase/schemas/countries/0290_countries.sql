-- Countries, and the addresses in them. What an address must have depends on its country.

-- tables ---------------------------------------------------------------------------------------

create table private.countries (
  code text primary key,
  fields text[] not null,
  required text[] not null,
  city_kind text,
  region_kind text,
  postal_code_kind text,
  postal_code_pattern text,
  postal_code_example text
);
comment on table private.countries is
  'Countries by their code of ISO 3166-1. fields: what addresses there have, of street, city, region and postal_code, in the country''s order. required: what an address must have. The kinds say what a field is called there, such as emirate or eircode. postal_code_pattern: for a whole postal code in capital letters, without anchors; null if any is accepted.';

-- functions: the list --------------------------------------------------------------------------

create function private.list_countries() returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object(
    'countries',
    jsonb_agg(
      jsonb_build_object(
        'code', c.code, 'fields', c.fields, 'required', c.required, 'postal_code_example', c.postal_code_example,
        'kinds', jsonb_strip_nulls(
          jsonb_build_object('city', c.city_kind, 'region', c.region_kind, 'postal_code', c.postal_code_kind)
        )
      )
      order by c.code
    )
  )
  from private.countries c
$$;
comment on function private.list_countries is 'See public.list_countries.';

create function public.list_countries() returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.members_only();
  return private.list_countries();
end
$$;
comment on function public.list_countries is
  'The countries that an address can have: {countries: [{code, fields, required, kinds, postal_code_example}]}. fields: those that addresses there have, in the country''s order. kinds: what city, region and postal_code are there, such as emirate or eircode.';

create function private.is_country(value jsonb) returns boolean
language sql stable security definer set search_path = ''
as $$
  select jsonb_typeof(value) = 'string' and exists (select from private.countries c where c.code = value #>> '{}')
$$;
comment on function private.is_country is 'Whether a JSON value is the code of a country.';

-- functions: addresses -------------------------------------------------------------------------

create function private.address_texts(address jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  street constant text := nullif(
    array_to_string(
      array(
        select l.line from regexp_split_to_table(address ->> 'street', '\r\n?|\n') with ordinality as l (line, place)
        where private.is_more_than_spaces(l.line) order by l.place
      ),
      e'\n'
    ),
    ''
  );
begin
  return (
    select coalesce(jsonb_object_agg(e.key, case e.key when 'street' then to_jsonb(street) else e.value end), '{}')
    from jsonb_each(address) as e
    where e.key not in ('name', 'company', 'street', 'city', 'region', 'postal_code', 'country', 'phone')
      or private.is_more_than_spaces(e.value #>> '{}')
  );
end
$$;
comment on function private.address_texts is
  'An address without known fields that are null or blank, and without blank lines in its street.';

create function private.check_address_texts(address jsonb, field text) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  wrong record;
begin
  if jsonb_typeof(address) is distinct from 'object' then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s must be an object with street, city and what else its country requires.', field),
      field, address
    );
  elsif octet_length(address::text) > 8192 then
    perform private.refuse('VALIDATION_ERROR', format('%s must be at most 8192 bytes.', field), field);
  end if;
  select known.name, known.longest into wrong
  from (
    values
      (1, 'name', 200), (2, 'company', 200), (3, 'street', 500), (4, 'city', 200), (5, 'region', 200),
      (6, 'postal_code', 40), (7, 'country', 2), (8, 'phone', 50)
  ) as known (place, name, longest)
  where jsonb_typeof(address -> known.name) not in ('string', 'null')
    or known.name <> 'country' and char_length(address ->> known.name) > known.longest
  order by known.place
  limit 1;
  if found then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s.%s must be a text of at most %s characters.', field, wrong.name, wrong.longest),
      format('%s.%s', field, wrong.name), address -> wrong.name
    );
  end if;
end
$$;
comment on function private.check_address_texts is
  'Refuses with VALIDATION_ERROR an address that is not an object, has known fields that are no texts or too long, or has more than 8192 bytes, because lists of orders return it.';

create function private.check_postal_code(code text, country private.countries, field text) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  -- Digits of Arabic, Persian and full-width keyboards count as digits, and so do their hyphens and spaces, and those of
  -- word processors.
  plain constant text := btrim(
    translate(
      code, '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹０１２３４５６７８９－−‐‑–ー' || U&'\00A0\202F\3000',
      '012345678901234567890123456789------   '
    )
  );
begin
  if plain !~* ('^(?:' || country.postal_code_pattern || ')$') then
    perform private.refuse(
      'VALIDATION_ERROR',
      format('%s must be a postal code of %s, such as %s.', field, country.code, country.postal_code_example),
      field, to_jsonb(code)
    );
  end if;
end
$$;
comment on function private.check_postal_code is
  'Refuses with VALIDATION_ERROR a postal code that is none of the country, with an example. Accepts small letters, and the prefix of the country.';

create function private.checked_address(sent jsonb, usual_country text, field text default 'shipping_address') returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  address jsonb;
  country private.countries;
  missing text;
begin
  perform private.check_address_texts(sent, field);
  address := private.address_texts(sent);
  if usual_country is not null and not address ? 'country' then
    address := address || jsonb_build_object('country', usual_country);
  end if;

  select c.* into country from private.countries c where c.code = address ->> 'country';
  if not found and address ? 'country' then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s.country must be the code of a country by ISO 3166-1, such as DE. See /api/countries.', field),
      field || '.country', address -> 'country'
    );
  end if;

  select r.name into missing
  from unnest(coalesce(country.required, '{street,city}')) with ordinality as r (name, place)
  where not address ? r.name
  order by r.place
  limit 1;
  if found then
    perform private.refuse(
      'VALIDATION_ERROR',
      format('%s.%s is required%s.', field, missing, ' in addresses of ' || country.code), format('%s.%s', field, missing),
      sent -> missing
    );
  elsif cardinality(string_to_array(address ->> 'street', e'\n')) > 3 then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s.street must have at most 3 lines.', field), field || '.street', sent -> 'street'
    );
  end if;
  perform private.check_postal_code(address ->> 'postal_code', country, field || '.postal_code');
  return address;
end
$$;
comment on function private.checked_address is
  'An address as it is stored: without blank fields, and with the usual country if it names none. Refuses with VALIDATION_ERROR, naming the field: an unknown country, what is missing by the country''s rules (without a country street and city), a postal code that is none of the country, more than 3 lines of street. Further fields are allowed.';

-- policies -------------------------------------------------------------------------------------

alter table private.countries enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.list_countries, public.list_countries to authenticated;
