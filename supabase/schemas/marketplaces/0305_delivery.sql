-- The delivery methods of a marketplace: what settings.business.delivery may say, which addresses and weights a method
-- serves, and what it costs.

-- functions: settings --------------------------------------------------------------------------

create function private.faults_of_amount(amount jsonb, field text, currency text) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  exponent constant smallint := (select c.exponent from private.currencies c where c.code = faults_of_amount.currency);
begin
  return private.fault_unless(
    case
      when jsonb_typeof(amount) = 'number' then
        (amount #>> '{}')::numeric between 0 and 999999999999 and scale(trim_scale((amount #>> '{}')::numeric)) <= exponent
    end,
    field, format('a number of at least 0 with at most %s decimals', exponent), amount
  );
end
$$;
comment on function private.faults_of_amount is 'For refuse_all: the fault of an amount of money, if any.';

create function private.faults_of_rates(rates jsonb, field text, currency text) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  faults jsonb := private.fault_unless(
    case when jsonb_typeof(rates) = 'array' then jsonb_array_length(rates) between 1 and 50 end,
    field, 'a list of 1 to 50', rates
  );
  rate record;
  heaviest numeric := 0;
begin
  if faults <> '[]' then
    return faults;
  end if;
  for rate in
    select r.value, r.value -> 'up_to_grams' as up_to, format('%s[%s]', faults_of_rates.field, r.position - 1) as field
    from jsonb_array_elements(rates) with ordinality as r (value, position)
    order by r.position
  loop
    perform private.insist_on_keys(rate.value, rate.field, '{up_to_grams,price}');
    faults := faults || private.fault_unless(
      case
        when jsonb_typeof(rate.up_to) = 'number' then
          (rate.up_to #>> '{}')::numeric between heaviest + 1 and 999999999999
          and scale(trim_scale((rate.up_to #>> '{}')::numeric)) = 0
      end,
      rate.field || '.up_to_grams', format('a whole number of grams above %s', heaviest), rate.up_to
    ) || private.faults_of_amount(rate.value -> 'price', rate.field || '.price', currency);
    if jsonb_typeof(rate.up_to) = 'number' then
      heaviest := greatest(heaviest, trunc((rate.up_to #>> '{}')::numeric));
    end if;
  end loop;
  return faults;
end
$$;
comment on function private.faults_of_rates is
  'For refuse_all: the faults of the rates of a delivery method, whose weights must grow. Refuses a rate that is no object.';

create function private.faults_of_area(method jsonb, field text) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  countries constant jsonb := method -> 'countries';
  regions constant jsonb := method -> 'regions';
  country_count constant integer := case when jsonb_typeof(countries) = 'array' then jsonb_array_length(countries) end;
begin
  return private.fault_unless(
    not method ? 'countries' or case when country_count between 1 and 250 then
      not exists (select from jsonb_array_elements(countries) as c (code) where not private.is_country(c.code))
    end,
    field || '.countries', 'a list of 1 to 250 codes of countries by ISO 3166-1, such as DE', countries
  ) || private.fault_unless(
    not method ? 'regions' or case when jsonb_typeof(regions) = 'array' then
      jsonb_array_length(regions) between 1 and 200 and not exists (
        select from jsonb_array_elements(regions) as r (name) where private.is_name(r.name, 200) is not true
      )
    end,
    field || '.regions', 'a list of 1 to 200 regions, as addresses name them', regions
  ) || private.fault_unless(
    not method ? 'regions' or country_count = 1, field || '.countries', 'one country, because regions are named', countries
  );
end
$$;
comment on function private.faults_of_area is 'For refuse_all: the faults of the countries and regions of a delivery method.';

create function private.faults_of_method(method jsonb, field text, currency text) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist_on_keys(
    method, field, '{key,name,price,rates,per_supplier,free_from,countries,regions,tax_category_id}'
  );
  return private.fault_unless(
    private.is_text(method -> 'key', 1, 50, '^[a-z0-9][a-z0-9_-]*$'), field || '.key',
    'up to 50 lower-case letters, digits, _ and -', method -> 'key'
  ) || private.fault_unless(
    private.is_name(method -> 'name', 200), field || '.name', 'a text of 1 to 200 characters, one of them visible',
    method -> 'name'
  ) || private.fault_unless(
    not method ? 'per_supplier' or jsonb_typeof(method -> 'per_supplier') = 'boolean',
    field || '.per_supplier', 'true or false', method -> 'per_supplier'
  ) || private.fault_unless(
    not method ? 'tax_category_id'
      or jsonb_typeof(method -> 'tax_category_id') = 'string' and private.is_uuid(method ->> 'tax_category_id'),
    field || '.tax_category_id', 'the id of a category', method -> 'tax_category_id'
  ) || case
    when method ? 'price' and method ? 'rates' then
      private.fault_unless(false, field || '.rates', 'left out where there is a price', method -> 'rates')
    when method ? 'rates' then private.faults_of_rates(method -> 'rates', field || '.rates', currency)
    else private.faults_of_amount(method -> 'price', field || '.price', currency)
  end || case
    when method ? 'free_from' then private.faults_of_amount(method -> 'free_from', field || '.free_from', currency)
    else '[]'
  end || private.faults_of_area(method, field);
end
$$;
comment on function private.faults_of_method is
  'For refuse_all: the faults of a delivery method in a currency. Refuses one that is no object, or has unknown fields.';

create function private.check_delivery(delivery jsonb, currency text) returns void
language plpgsql set search_path = ''
as $$
declare
  methods constant jsonb := coalesce(delivery -> 'methods', '[]');
  method record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist_on_keys(delivery, 'settings.business.delivery', array['methods', 'recipient']);
  perform private.insist(
    not delivery ? 'recipient' or delivery ->> 'recipient' = any (enum_range(null::public.delivery_recipient)::text[]),
    'settings.business.delivery.recipient', 'operator or supplier', delivery -> 'recipient'
  );
  perform private.insist(
    case when jsonb_typeof(methods) = 'array' then jsonb_array_length(methods) <= 100 end,
    'settings.business.delivery.methods', 'a list of at most 100', methods
  );
  for method in
    select e.value, format('settings.business.delivery.methods[%s]', e.position - 1) as field
    from jsonb_array_elements(methods) with ordinality as e (value, position)
  loop
    faults := faults || private.faults_of_method(method.value, method.field, currency);
  end loop;
  perform private.refuse_all(faults);
  perform private.insist(
    (select count(distinct m.value ->> 'key') = count(*) from jsonb_array_elements(methods) as m (value)),
    'settings.business.delivery.methods', 'a list in which every key is different', methods
  );
end
$$;
comment on function private.check_delivery is 'Refuses invalid delivery settings. Names the field.';

-- functions: what a method serves, and what it costs -------------------------------------------

create function private.serves(method jsonb, country text, region text) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select coalesce(not method ? 'countries' or method -> 'countries' ? country, false) and (
      not method ? 'regions' or exists (
        select
        from jsonb_array_elements_text(method -> 'regions') as r (name)
        where lower(private.trimmed(r.name)) = lower(private.trimmed(region))
      )
    )
  );
end
$$;
comment on function private.serves is
  'Whether a delivery method serves a country and a region there. Null for an address that names none, which only a method for all countries serves. Regions are compared without regard to case and outer spaces.';

create function private.delivery_price(method jsonb, grams numeric, subtotal numeric) returns numeric
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select case when subtotal >= (method ->> 'free_from')::numeric then 0 else trim_scale(p.price) end
    from (
      select case
        when not method ? 'rates' then (method ->> 'price')::numeric
        else (
          select (r.rate ->> 'price')::numeric
          from jsonb_array_elements(method -> 'rates') as r (rate)
          where (r.rate ->> 'up_to_grams')::numeric >= grams
          order by (r.rate ->> 'up_to_grams')::numeric
          limit 1
        )
      end as price
    ) as p
    where p.price is not null
  );
end
$$;
comment on function private.delivery_price is
  'What a delivery method costs for a weight in grams and a subtotal: 0 from its free_from on. Null if it does not carry the weight.';
