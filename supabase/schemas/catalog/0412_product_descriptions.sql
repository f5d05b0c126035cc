-- The description of a product: its text, attributes as its category requires them, images, and details for shipping. They
-- are checked here for the API and for supabase-js alike.
-- later: private.is_withheld

-- functions ------------------------------------------------------------------------------------

create function private.brand(attributes jsonb) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return nullif(jsonb_path_query_first(attributes, '$[*] ? (@.name == "brand").value') #>> '{}', '');
end
$$;
comment on function private.brand is 'The brand of a product: the value of its attribute brand.';

create function private.values_by_name(attributes jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(a.value ->> 'name', a.value -> 'value'), '{}')
    from jsonb_array_elements(attributes) as a (value)
    where a.value ->> 'value' <> ''
  );
end
$$;
comment on function private.values_by_name is 'The values of a product''s attributes by name, without empty ones.';

create function private.attribute_values(attributes jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  by_name jsonb := private.values_by_name(attributes);
begin
  -- An entry of an index has at most 2,704 bytes. It also holds the brand, of at most 1,000 bytes.
  return case when pg_column_size(by_name) <= 1000 then by_name end;
end
$$;
comment on function private.attribute_values is
  'The values of a product''s attributes by name, as the indexes of lists hold them; null if they take over 1,000 bytes.';

create function private.completed_attributes(asked jsonb, attributes jsonb) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'name', sent.value ->> 'name',
          'value', sent.value ->> 'value',
          'type', coalesce(asked -> (sent.value ->> 'name') ->> 'type', sent.value ->> 'type', 'text'),
          'required', coalesce((asked -> (sent.value ->> 'name') ->> 'required')::boolean, false),
          'searchable', coalesce(
            (asked -> (sent.value ->> 'name') ->> 'searchable')::boolean, (sent.value ->> 'searchable')::boolean, false
          )
        )
        order by sent.position
      ),
      '[]'
    )
    from jsonb_array_elements(attributes) with ordinality as sent (value, position)
  );
end
$$;
comment on function private.completed_attributes is
  'Attributes of a product, each with the type, required and searchable of its category.';

create function private.missing_attributes(asked jsonb, attributes jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_agg(
    private.fault(format('The category requires the attribute "%s".', a.key), 'attributes.' || a.key, 'null') order by a.key
  ), '[]')
  from jsonb_each(asked) as a (key, definition)
  where (a.definition ->> 'required')::boolean
    and not attributes @> jsonb_build_array(jsonb_build_object('name', a.key))
$$;
comment on function private.missing_attributes is
  'The faults of attributes of a product that lack some which its category requires.';

create function private.checked_attributes(tenant_id uuid, category_id uuid, attributes jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  asked jsonb := case
    when category_id is null then '{}'
    else private.category_attributes(checked_attributes.tenant_id, checked_attributes.category_id)
  end;
  given record;
  value text;
  definition jsonb;
  type text;
  names text[] := array[]::text[];
  field text;
  message text;
  faults jsonb := '[]'::jsonb;
begin
  if attributes = '[]' and asked = '{}' then
    return attributes;
  elsif jsonb_typeof(attributes) is distinct from 'array' or jsonb_array_length(attributes) > 200 then
    perform private.refuse('VALIDATION_ERROR', 'attributes must be a list of at most 200.', 'attributes', attributes);
  end if;

  -- A loop, because one statement with all rules takes three times as long, and each imported product is checked.
  for given in
    select sent.position - 1 as index, sent.value as attribute, sent.value -> 'name' as name, sent.value ->> 'name' as key
    from jsonb_array_elements(attributes) with ordinality as sent (value, position)
    order by sent.position
  loop
    value := given.attribute ->> 'value';
    definition := asked -> given.key;
    type := coalesce(definition ->> 'type', given.attribute ->> 'type', 'text');
    field := 'value';
    message := null;
    if private.is_name(given.name, 100) is not true then
      field := 'name';
      message := 'The name of an attribute must have 1 to 100 characters.';
    elsif given.key = any (names) then
      field := 'name';
      message := format('The attribute %s must not be present twice.', given.name);
    elsif jsonb_typeof(given.attribute -> 'value') is distinct from 'string' or char_length(value) > 2000 then
      message := 'The value of an attribute must be a text of at most 2000 characters.';
    elsif given.key = 'brand' and octet_length(value) > 1000 then -- See private.attribute_values.
      message := 'The attribute brand must have at most 1000 bytes.';
    elsif type not in ('text', 'number', 'boolean', 'select') then
      field := 'type';
      message := 'The type of an attribute must be text, number, boolean or select.';
    elsif (definition ->> 'required')::boolean and btrim(value) = '' then
      message := format('The category requires the attribute %s.', given.name);
    elsif type = 'number' and value <> '' and value !~ '^-?[0-9]{1,30}([.][0-9]{1,30})?$' then
      message := format('The attribute %s must be a number.', given.name);
    elsif type = 'boolean' and value not in ('', 'true', 'false') then
      message := format('The attribute %s must be true or false.', given.name);
    elsif definition ->> 'type' = 'select' and value <> '' and not definition -> 'options' @> (given.attribute -> 'value') then
      message := format('The attribute %s must be one of %s.', given.name, definition -> 'options');
    elsif jsonb_typeof(given.attribute -> 'searchable') <> 'boolean' then
      field := 'searchable';
      message := 'searchable must be true or false.';
    end if;
    if message is not null then
      faults := faults
        || private.fault(message, format('attributes[%s].%s', given.index, field), given.attribute -> field);
    end if;
    names := names || given.key;
  end loop;

  perform private.refuse_all(faults || private.missing_attributes(asked, attributes));
  return private.completed_attributes(asked, attributes);
end
$$;
comment on function private.checked_attributes is
  'A product''s attributes, completed with the type, required and searchable of its category. Refuses attributes that the category does not allow.';

create function private.checked_physical(tenant_id uuid, marketplace_id uuid, physical jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  faults jsonb;
  methods jsonb;
begin
  if jsonb_typeof(physical) is distinct from 'object' then
    perform private.refuse('VALIDATION_ERROR', 'physical must be an object.', 'physical', physical);
  end if;

  select coalesce(jsonb_agg(private.fault(
    'Weights and lengths must be whole numbers from 1 to 999999999.', 'physical.' || measure.name, physical -> measure.name
  ) order by measure.position), '[]')
  into faults
  from unnest(array['weight_grams', 'length_mm', 'width_mm', 'height_mm']) with ordinality as measure (name, position)
  where physical ->> measure.name !~ '^[1-9][0-9]{0,8}$'
    or jsonb_typeof(physical -> measure.name) not in ('number', 'null');

  if physical -> 'delivery' <> 'null' then
    select coalesce(jsonb_path_query_array(m.settings, 'lax $.business.delivery.methods[*].key'), '[]') into methods
    from public.marketplaces m
    where m.tenant_id = checked_physical.tenant_id and m.id = checked_physical.marketplace_id;
    if jsonb_typeof(physical -> 'delivery') <> 'array' or jsonb_array_length(physical -> 'delivery') > 100 then
      faults := faults || private.fault(
        'delivery must be a list of at most 100 keys of the marketplace''s delivery methods.', 'physical.delivery',
        physical -> 'delivery'
      );
    else
      faults := faults || (
        select coalesce(jsonb_agg(private.fault(
          'delivery must contain keys of the marketplace''s delivery methods.',
          format('physical.delivery[%s]', sent.position - 1), sent.value
        ) order by sent.position), '[]')
        from jsonb_array_elements(physical -> 'delivery') with ordinality as sent (value, position)
        where jsonb_typeof(sent.value) <> 'string' or not methods @> sent.value
      );
    end if;
  end if;
  perform private.refuse_all(faults);

  return jsonb_build_object(
    'weight_grams', physical -> 'weight_grams', 'length_mm', physical -> 'length_mm',
    'width_mm', physical -> 'width_mm', 'height_mm', physical -> 'height_mm',
    'delivery', physical -> 'delivery'
  );
end
$$;
comment on function private.checked_physical is
  'Weight and size of a parcel in grams and millimetres, and the keys of the allowed delivery methods of the marketplace; null for all methods.';

create function private.checked_safety(safety jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  trader record;
begin
  perform private.insist_on_keys(safety, 'safety', '{manufacturer,responsible_person,warnings}');
  for trader in
    select t.key, t.value, 'safety.' || t.key as field
    from jsonb_each(safety) as t
    where t.key <> 'warnings' and t.value <> 'null'
    order by t.key
  loop
    perform private.insist_on_keys(trader.value, trader.field, '{name,address,email}');
    perform private.insist(
      private.is_name(trader.value -> 'name', 200), trader.field || '.name', 'a text of 1 to 200 characters', trader.value -> 'name'
    );
    perform private.insist(
      coalesce(trader.value -> 'address', 'null') = 'null' or private.is_text(trader.value -> 'address', 1, 500),
      trader.field || '.address', 'a text of 1 to 500 characters', trader.value -> 'address'
    );
    perform private.insist(
      coalesce(trader.value -> 'email', 'null') = 'null' or private.is_email(trader.value ->> 'email'), trader.field || '.email',
      'an e-mail address in lower case', trader.value -> 'email'
    );
  end loop;
  perform private.insist(
    coalesce(safety -> 'warnings', 'null') = 'null' or private.is_text(safety -> 'warnings', 1, 5000), 'safety.warnings',
    'a text of 1 to 5000 characters', safety -> 'warnings'
  );
  return jsonb_strip_nulls(safety);
end
$$;
comment on function private.checked_safety is
  'Who answers for a product: its manufacturer and the responsible person, each with name, address and email, and warnings. Without nulls. Refuses with VALIDATION_ERROR.';

create function private.needs_safety(product public.products) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return product.kind = 'physical' and product.safety -> 'manufacturer' is null and exists (
    select
    from public.marketplaces m
    where m.tenant_id = product.tenant_id and m.id = product.marketplace_id
      and m.settings -> 'business' -> 'require_safety' = 'true'
  );
end
$$;
comment on function private.needs_safety is
  'Whether a product lacks a manufacturer that its marketplace requires of goods before they are for sale.';

create function private.insist_on_safety(product public.products) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if private.needs_safety(product) then
    perform private.refuse(
      'VALIDATION_ERROR', 'This marketplace requires safety.manufacturer before a product is active.', 'safety.manufacturer',
      null
    );
  end if;
end
$$;
comment on function private.insist_on_safety is
  'Refuses with VALIDATION_ERROR a product that lacks the manufacturer that its marketplace requires.';

create function private.require_safety() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- Only of those who put a product up for sale: stock that comes back, and sellers who may sell again, go on.
  if current_user = 'authenticated' then
    perform private.insist_on_safety(new);
  end if;
  return new;
end
$$;
comment on function private.require_safety() is
  'Row trigger: refuses with VALIDATION_ERROR to put goods up for sale without the manufacturer that the marketplace requires.';

create function private.keep_safety() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if current_user = 'authenticated' and (new.status = 'out_of_stock' or private.is_withheld(new.id, new.tenant_id)) then
    perform private.insist_on_safety(new);
  end if;
  return new;
end
$$;
comment on function private.keep_safety() is
  'Row trigger: refuses with VALIDATION_ERROR to remove the manufacturer from goods that are put up for sale again by themselves.';

create function private.check_product_details() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or new.attributes is distinct from old.attributes or new.category_id is distinct from old.category_id then
    -- A discontinued product loses a deleted category, so its attributes are not checked.
    if new.status <> 'discontinued' then
      new.attributes := private.checked_attributes(new.tenant_id, new.category_id, new.attributes);
      new.brand := private.brand(new.attributes);
      new.attribute_values := private.attribute_values(new.attributes);
    end if;
  end if;
  if tg_op = 'INSERT' or new.images is distinct from old.images then
    new.images := private.checked_images(
      new.tenant_id, new.supplier_id, new.images,
      -- A discontinued product shows no asset.
      case when tg_op = 'UPDATE' and old.status <> 'discontinued' then old.images else '[]' end
    );
  end if;
  if new.physical is not null and (tg_op = 'INSERT' or new.physical is distinct from old.physical) then
    new.physical := private.checked_physical(new.tenant_id, new.marketplace_id, new.physical);
  end if;
  if new.safety is not null and (tg_op = 'INSERT' or new.safety is distinct from old.safety) then
    new.safety := private.checked_safety(new.safety);
  end if;
  return new;
end
$$;
comment on function private.check_product_details() is
  'Row trigger: checks attributes when they or the category change, and images, physical details and safety when they change.';

create function private.settle_product_description() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  settled record;
begin
  -- Callers send a record back as they read it, with both fields. So the field that they changed counts, and of two
  -- the HTML.
  if tg_op = 'UPDATE' and new.description_html is not distinct from old.description_html then
    if new.description is not distinct from old.description then
      return new;
    end if;
    new.description_html := null;
  elsif tg_op = 'UPDATE' and new.description_html is null and new.description is not distinct from old.description then
    return new; -- Its HTML is removed, and its text stays.
  end if;
  settled := private.settle_html(
    new.description, new.description_html, case when new.description_html is null then 'description' else 'description_html' end
  );
  new.description := settled.plain;
  new.description_html := settled.html;
  return new;
end
$$;
comment on function private.settle_product_description() is
  'Row trigger: reduces an HTML description to allowed elements, and makes the description its plain text. A new plain text removes the HTML.';

-- triggers -------------------------------------------------------------------------------------

create trigger products_settle_description
  before insert or update of description, description_html on public.products
  for each row execute function private.settle_product_description();

create trigger products_check_details
  before insert or update of attributes, category_id, images, physical, safety on public.products
  for each row execute function private.check_product_details();

-- Before the review of a new product, which makes it a draft, and after the check of its details.
create trigger products_check_safety
  before insert or update of status, safety on public.products
  for each row when (new.status = 'active')
  execute function private.require_safety();

-- One that is sold out is active again as soon as it has stock, and a withheld one as soon as its supplier may sell.
create trigger products_keep_safety
  before update of safety on public.products
  for each row when (new.status in ('out_of_stock', 'inactive') and new.safety is distinct from old.safety)
  execute function private.keep_safety();

-- grants ---------------------------------------------------------------------------------------

-- Callers fire the trigger that asks it.
grant execute on function private.insist_on_safety to authenticated, service_role;
