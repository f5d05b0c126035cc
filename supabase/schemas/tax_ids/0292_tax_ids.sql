-- Tax ids of businesses in the European Union, by their form.

-- tables ---------------------------------------------------------------------------------------

create table private.tax_id_forms (
  country text primary key,
  pattern text not null
);
comment on table private.tax_id_forms is
  'What tax ids look like in the countries of the European Union: a regular expression for the whole id, in capital letters and without spaces, points and hyphens.';

-- functions ------------------------------------------------------------------------------------

create function private.is_tax_id(country text, tax_id text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select
    from private.tax_id_forms f
    where f.country = is_tax_id.country
      and upper(translate(tax_id, ' .-', '')) ~ ('^(?:' || f.pattern || ')$')
  );
end
$$;
comment on function private.is_tax_id is
  'Whether a text is a tax id of a country of the European Union by its form. Whether it is assigned is not asked.';

create function private.has_tax_ids(country text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (select from private.tax_id_forms f where f.country = has_tax_ids.country);
end
$$;
comment on function private.has_tax_ids is 'Whether a country is in the European Union.';

-- policies -------------------------------------------------------------------------------------

alter table private.tax_id_forms enable row level security;
