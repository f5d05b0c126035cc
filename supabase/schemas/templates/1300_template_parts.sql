-- The parts of a template: variables, conditions, blocks, sections and inheritance. These rules hold for every caller. The
-- edge functions also check when a template is saved that its texts can be rendered safely. A text that was saved by
-- supabase-js, without that check, is checked when it is rendered.

create type public.page_type as enum ('homepage', 'category', 'product', 'checkout', 'profile', 'search_results');
create type public.component_category as enum ('layout', 'navigation', 'form', 'content', 'ecommerce', 'media', 'feedback');

-- functions: values ------------------------------------------------------------------------------

create function private.insist_on_list(value jsonb, field text, most integer) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist(
    case when jsonb_typeof(value) = 'array' then jsonb_array_length(value) <= most end, field,
    format('a list of at most %s', most), null
  );
end
$$;
comment on function private.insist_on_list is 'Refuses a value that is not a list, or has more than `most` items.';

create function private.check_template_variable(definition jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  rule record;
begin
  perform private.insist_on_keys(
    definition, field, array['name', 'type', 'default_value', 'required', 'description', 'validation']
  );
  perform private.insist(
    private.is_text(definition -> 'name', 1, 50, '^[a-z][a-z0-9_]*$'), field || '.name',
    'up to 50 small letters, digits and underscores', definition -> 'name'
  );
  perform private.insist(
    definition ->> 'type' in ('string', 'number', 'boolean', 'array', 'object', 'image', 'color', 'date'), field || '.type',
    'one of string, number, boolean, array, object, image, color, date', definition -> 'type'
  );
  perform private.insist(
    jsonb_typeof(coalesce(definition -> 'required', 'false')) = 'boolean', field || '.required', 'true or false',
    definition -> 'required'
  );
  perform private.insist(
    private.is_optional_text(definition -> 'description', 1000), field || '.description',
    'a text of at most 1000 characters', definition -> 'description'
  );
  if coalesce(definition -> 'validation', 'null') <> 'null' then
    perform private.insist_on_keys(
      definition -> 'validation', field || '.validation',
      array['min', 'max', 'min_length', 'max_length', 'pattern', 'options']
    );
  end if;
  for rule in
    select r.key, r.value from jsonb_each(nullif(definition -> 'validation', 'null')) as r where r.value <> 'null'
  loop
    perform private.insist(
      case
        when rule.key in ('min', 'max') then
          jsonb_typeof(rule.value) = 'number' and private.has_short_numbers(rule.value)
            or definition ->> 'type' = 'date' and private.is_text(rule.value, 10, 10, '^\d{4}-\d{2}-\d{2}$')
        when rule.key = 'pattern' then private.is_text(rule.value, 1, 500)
        when rule.key = 'options' then jsonb_typeof(rule.value) = 'array' and octet_length(rule.value::text) <= 20000
          and private.has_short_numbers(rule.value)
        else private.is_whole_number(rule.value, 0, 100000)
      end,
      format('%s.validation.%s', field, rule.key), 'as docs/template-pages.md describes', rule.value
    );
  end loop;
  if coalesce(definition -> 'default_value', 'null') <> 'null' then
    perform private.check_field_value(
      -- The edge functions check the pattern, in linear time, and the length of lists.
      definition || jsonb_build_object('validation', case when definition ->> 'type' in ('string', 'number') then
        jsonb_strip_nulls(coalesce(nullif(definition -> 'validation', 'null'), '{}') - 'pattern')
      end),
      definition -> 'default_value', field || '.default_value'
    );
  end if;
end
$$;
comment on function private.check_template_variable is
  'Refuses an invalid definition of a variable: name, type, default_value, required, description, validation.';

create function private.check_template_variables(variables jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  variable record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist_on_list(variables, field, 100);
  for variable in
    select v.value, format('%s[%s]', field, v.position - 1) as field
    from jsonb_array_elements(variables) with ordinality as v (value, position)
    order by v.position
  loop
    begin
      perform private.check_template_variable(variable.value, variable.field);
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
  perform private.insist(
    (select count(distinct v.value ->> 'name') = count(*) from jsonb_array_elements(variables) as v), field,
    'a list with unique names', null
  );
end
$$;
comment on function private.check_template_variables is 'Refuses invalid definitions of variables, and two with the same name.';

-- functions: conditions --------------------------------------------------------------------------

create function private.check_expression(expression jsonb, field text, depth integer default 1) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist(depth <= 10, field, 'at most 10 levels deep', null);
  if jsonb_typeof(expression) = 'array' then
    perform private.insist_on_list(expression, field, 20);
    perform private.check_expression(e.value, format('%s[%s]', field, e.position - 1), depth + 1)
    from jsonb_array_elements(expression) with ordinality as e (value, position);
  elsif jsonb_typeof(expression) = 'object' and expression ? 'conditions' then
    perform private.insist_on_keys(expression, field, array['operator', 'conditions']);
    perform private.insist(
      expression ->> 'operator' in ('AND', 'OR', 'NOT'), field || '.operator', 'one of AND, OR, NOT', expression -> 'operator'
    );
    perform private.insist_on_list(expression -> 'conditions', field || '.conditions', 20);
    perform private.check_expression(c.value, format('%s.conditions[%s]', field, c.position - 1), depth + 1)
    from jsonb_array_elements(expression -> 'conditions') with ordinality as c (value, position);
  else
    perform private.insist_on_keys(expression, field, array['variable', 'operator', 'value', 'logic']);
    perform private.insist(
      private.is_text(expression -> 'variable', 1, 200, '^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_-]+)*$'), field || '.variable',
      'the name of a variable, or a path such as product.price', expression -> 'variable'
    );
    perform private.insist(
      expression ->> 'operator' in ('equals', 'not_equals', 'greater_than', 'less_than', 'contains', 'exists'),
      field || '.operator', 'one of equals, not_equals, greater_than, less_than, contains, exists', expression -> 'operator'
    );
    perform private.insist(
      coalesce(expression -> 'logic', 'null') in ('null', '"AND"', '"OR"'), field || '.logic', 'AND or OR', expression -> 'logic'
    );
    perform private.insist(
      octet_length(coalesce(expression -> 'value', 'null')::text) <= 2000 and private.has_short_numbers(expression),
      field || '.value', 'at most 2000 bytes', null
    );
  end if;
end
$$;
comment on function private.check_expression is
  'Refuses an invalid expression. Valid are a comparison, a list of expressions, and conditions joined by AND, OR, NOT.';

create function private.check_conditions(conditions jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  condition record;
begin
  if coalesce(conditions, 'null') = 'null' then
    return;
  end if;
  perform private.insist_on_list(conditions, field, 20);
  for condition in
    select c.value, format('%s[%s]', field, c.position - 1) as field
    from jsonb_array_elements(conditions) with ordinality as c (value, position)
  loop
    perform private.insist_on_keys(condition.value, condition.field, array['id', 'expression', 'action']);
    perform private.insist(
      coalesce(condition.value -> 'id', 'null') = 'null' or private.is_text(condition.value -> 'id', 1, 64, '^[A-Za-z0-9_-]+$'),
      condition.field || '.id', 'up to 64 letters, digits, _ and -', condition.value -> 'id'
    );
    perform private.insist(
      condition.value ->> 'action' in ('show', 'hide'), condition.field || '.action', 'show or hide', condition.value -> 'action'
    );
    perform private.check_expression(condition.value -> 'expression', condition.field || '.expression');
  end loop;
end
$$;
comment on function private.check_conditions is 'Refuses invalid conditions of a section. Null means that the section is always shown.';

create function private.check_responsive(rules jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  rule record;
begin
  if coalesce(rules, 'null') = 'null' then
    return;
  end if;
  perform private.insist_on_list(rules, field, 10);
  for rule in
    select r.value, format('%s[%s]', field, r.position - 1) as field
    from jsonb_array_elements(rules) with ordinality as r (value, position)
  loop
    perform private.insist_on_keys(rule.value, rule.field, array['breakpoint', 'styles', 'visibility']);
    perform private.insist(
      rule.value ->> 'breakpoint' in ('mobile', 'tablet', 'desktop'), rule.field || '.breakpoint',
      'one of mobile, tablet, desktop', rule.value -> 'breakpoint'
    );
    if coalesce(rule.value -> 'styles', 'null') <> 'null' then
      perform private.check_texts(
        rule.value -> 'styles', rule.field || '.styles', '^(--)?[A-Za-z][A-Za-z0-9-]{0,63}$', 'a property of CSS'
      );
    end if;
    if coalesce(rule.value -> 'visibility', 'null') <> 'null' then
      perform private.insist_on_keys(rule.value -> 'visibility', rule.field || '.visibility', array['show_on', 'hide_on']);
      perform private.insist(
        coalesce(nullif(rule.value #> '{visibility,show_on}', 'null'), '[]') <@ '["mobile", "tablet", "desktop"]'
          and coalesce(nullif(rule.value #> '{visibility,hide_on}', 'null'), '[]') <@ '["mobile", "tablet", "desktop"]',
        rule.field || '.visibility', 'lists of mobile, tablet, desktop', rule.value -> 'visibility'
      );
    end if;
  end loop;
end
$$;
comment on function private.check_responsive is 'Refuses invalid responsive rules: breakpoint, styles, visibility.';

create function private.is_text_of(value jsonb, bytes integer) returns boolean
language sql immutable set search_path = ''
as $$
  select coalesce(value, 'null') = 'null' or jsonb_typeof(value) = 'string' and octet_length(value #>> '{}') <= bytes
$$;
comment on function private.is_text_of is 'Whether a JSON value is a text of at most this number of bytes, null or missing.';

-- functions: data --------------------------------------------------------------------------------

create function private.check_binding(binding jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  source jsonb := binding -> 'source';
  key text := case source ->> 'type'
    when 'api' then 'endpoint' when 'database' then 'query' when 'static' then 'value' when 'computed' then 'formula'
  end;
begin
  perform private.insist_on_keys(binding, field, array['variable', 'source', 'transformation', 'caching']);
  perform private.insist(
    private.is_text(binding -> 'variable', 1, 50, '^[a-z][a-z0-9_]*$'), field || '.variable',
    'up to 50 small letters, digits and underscores', binding -> 'variable'
  );
  perform private.insist_on_keys(source, field || '.source', array['type', 'endpoint', 'query', 'value', 'formula']);
  perform private.insist(
    key is not null, field || '.source.type', 'one of api, database, static, computed', source -> 'type'
  );
  perform private.insist(
    source ? key and (key = 'value' or private.is_text(source -> key, 1, 2000)), format('%s.source.%s', field, key),
    case key when 'value' then 'there' else 'a text of 1 to 2000 characters' end, source -> key
  );
  perform private.insist(
    key <> 'endpoint' or source ->> 'endpoint' ~ '^/[^/\\]', field || '.source.endpoint', 'a path of this API, such as /api/products',
    source -> 'endpoint'
  );
  perform private.insist(private.has_short_numbers(source), field || '.source.value', 'free of numbers with more than 31 digits', null);
  perform private.insist(
    private.is_optional_text(binding -> 'transformation', 2000), field || '.transformation',
    'a text of at most 2000 characters', binding -> 'transformation'
  );
  if coalesce(binding -> 'caching', 'null') <> 'null' then
    perform private.insist_on_keys(binding -> 'caching', field || '.caching', array['duration']);
    perform private.insist(
      private.is_whole_number(binding #> '{caching,duration}', 0, 86400), field || '.caching.duration',
      'a whole number of seconds, at most 86400', binding #> '{caching,duration}'
    );
  end if;
end
$$;
comment on function private.check_binding is 'Refuses an invalid binding of a variable to a source: api, database, static or computed.';

create function private.check_caching(caching jsonb) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if coalesce(caching, 'null') = 'null' then
    return;
  end if;
  perform private.insist_on_keys(caching, 'caching', array['strategy', 'duration', 'invalidation', 'compression']);
  perform private.insist(
    caching ->> 'strategy' in ('memory', 'redis', 'filesystem', 'cdn'), 'caching.strategy',
    'one of memory, redis, filesystem, cdn', caching -> 'strategy'
  );
  perform private.insist(
    caching ? 'duration' and caching -> 'duration' <> 'null' and private.is_whole_number(caching -> 'duration', 0, 86400),
    'caching.duration', 'a whole number of seconds, at most 86400', caching -> 'duration'
  );
  if coalesce(caching -> 'invalidation', 'null') <> 'null' then
    perform private.check_list(caching -> 'invalidation', 'caching.invalidation', 100);
  end if;
  perform private.insist(
    jsonb_typeof(coalesce(nullif(caching -> 'compression', 'null'), 'false')) = 'boolean', 'caching.compression',
    'true or false', caching -> 'compression'
  );
end
$$;
comment on function private.check_caching is 'Refuses invalid settings of caching: strategy, duration, invalidation, compression.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.is_text_of to authenticated, service_role;
