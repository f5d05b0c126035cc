-- What spreadsheets make of codes when they open a CSV file and save it again: 00123 becomes 123, 12345678901234567890
-- becomes 1.23E+19, and 1-2 becomes a date. Imports ask before they store such a text in place of the original.
--
-- A code is a stored text, a cell the text of a file. The group of a code is a number; a cell has the ranges of the groups of
-- all codes that it may have been. So an index on groups finds these codes.

-- functions: dates -----------------------------------------------------------------------------

create function private.month_number(word text) returns integer
language plpgsql immutable strict set search_path = ''
as $$
declare
  months constant text[] := string_to_array(
    'january february march april may june july august september october november december '
    'januar februar märz april mai juni juli august september oktober november dezember '
    'يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر',
    ' '
  );
begin
  -- Most words are no month, and each code of a product is examined.
  if word !~* '^(jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|ينا|فبر|مار|أبر|ماي|يون|يول|أغس|سبت|أكت|نوف|ديس)' then
    return null;
  end if;
  return (
    select min((m.position - 1) % 12 + 1)
    from unnest(months) with ordinality as m (name, position)
    where starts_with(m.name, replace(lower(word), 'mrz', 'mär'))
  );
end
$$;
comment on function private.month_number is
  'The month of a name in English, German or Arabic, which may be shortened to three letters; null if it is none.';

create function private.date_group(variadic parts integer[]) returns numeric
language plpgsql immutable set search_path = ''
as $$
declare
  -- Languages order the parts of dates differently, and years have two digits or four.
  sorted integer[] := array(select p.part % 100 from unnest(parts) as p (part) order by 1);
begin
  if (
    select bool_or(p.part between 1 and 12) and count(*) filter (where p.part between 1 and 31) >= cardinality(parts) - 1
    from unnest(sorted) as p (part)
  ) then
    -- Below all numbers that are codes, so that the groups of numbers and dates differ.
    return -1e12 - (sorted[1] + 100 * sorted[2] + 10000 * (coalesce(sorted[3], -1) + 1));
  end if;
  return null;
end
$$;
comment on function private.date_group is
  'The group of codes that are read as a date of these parts: day and month, month and year, or all three; null if they are no date.';

create function private.date_ranges(day integer, month integer, year integer default null) returns numrange[]
language plpgsql immutable set search_path = ''
as $$
begin
  return array(
    select numrange(g.number, g.number, '[]')
    from unnest(array[
      private.date_group(day, month),
      -- 1.2 is a date, too, if the decimal separator is a comma.
      format('%s.%s', day, month)::numeric, format('%s.%s', month, day)::numeric,
      format('%s.%s', day, lpad(month::text, 2, '0'))::numeric, format('%s.%s', month, lpad(day::text, 2, '0'))::numeric,
      case when year is not null then private.date_group(day, month, year) end,
      -- Month and year are the first day of that month.
      case when day = 1 then private.date_group(month, year) end, case when month = 1 then private.date_group(day, year) end
    ]) as g (number)
    where g.number is not null
  );
end
$$;
comment on function private.date_ranges is
  'The groups of codes from which a spreadsheet makes a date. Day and month may be swapped.';

create function private.date_cell_ranges(cell text) returns numrange[]
language plpgsql immutable set search_path = ''
as $$
declare
  parts text[];
begin
  -- 2-Jan, 02. Jan, 2-Jan-26
  parts := regexp_match(cell, '^([0-9]{1,2})[-. ]{1,2}([^-/. 0-9]{3,9})(?:[-. ]{1,2}([0-9]{2}|[0-9]{4}))?$');
  if private.month_number(parts[2]) is not null then
    return private.date_ranges(parts[1]::integer, private.month_number(parts[2]), parts[3]::integer);
  end if;
  -- Jan-26
  parts := regexp_match(cell, '^([^-/. 0-9]{3,9})[- ]([0-9]{2}|[0-9]{4})$');
  if private.month_number(parts[1]) is not null then
    return private.date_ranges(1, private.month_number(parts[1]), parts[2]::integer);
  end if;
  -- 1/2/2026, 02.01.26
  parts := regexp_match(cell, '^([0-9]{1,2})([/.])([0-9]{1,2})\2([0-9]{2}|[0-9]{4})$');
  if parts is not null then
    return private.date_ranges(parts[1]::integer, parts[3]::integer, parts[4]::integer);
  end if;
  -- 02-01-2026
  parts := regexp_match(cell, '^([0-9]{1,2})-([0-9]{1,2})-([0-9]{4})$');
  if parts is not null then
    return private.date_ranges(parts[1]::integer, parts[2]::integer, parts[3]::integer);
  end if;
  -- 2026-01-02
  parts := regexp_match(cell, '^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})$');
  if parts is not null then
    return private.date_ranges(parts[3]::integer, parts[2]::integer, parts[1]::integer);
  end if;
  return '{}'::numrange[];
end
$$;
comment on function private.date_cell_ranges is
  'The groups of the codes of which a spreadsheet may make this text because it read them as a date.';

create function private.serial_ranges(cell text) returns numrange[]
language plpgsql immutable set search_path = ''
as $$
declare
  day date;
begin
  if cell !~ '^[1-9][0-9]{4}$' then
    return '{}'::numrange[];
  end if;
  -- Day 1 is 1900-01-01, and spreadsheets count a 29 February of that year.
  day := date '1899-12-30' + cell::integer;
  return private.date_ranges(
    extract(day from day)::integer, extract(month from day)::integer, extract(year from day)::integer
  );
end
$$;
comment on function private.serial_ranges is
  'The groups of the codes that a spreadsheet read as the date with this number of days.';

-- functions: codes and cells -------------------------------------------------------------------

create function private.code_group(code text) returns numeric
language plpgsql immutable strict set search_path = ''
as $$
declare
  parts text[];
begin
  if char_length(code) > 100 then
    return null;
  elsif code ~* '^[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)(e[+-]?[0-9]{1,2})?$' then
    return replace(code, ',', '.')::numeric;
  end if;
  parts := regexp_match(code, '^([0-9]{1,2}|[0-9]{4})([-/.])([0-9]{1,2}|[0-9]{4})(?:\2([0-9]{1,2}|[0-9]{4})?)?$');
  if parts is not null then
    return private.date_group(
      variadic array_remove(array[parts[1]::integer, parts[3]::integer, parts[4]::integer], null)
    );
  end if;
  -- 1-MAR, MAR1, MAR 2024, 1.MAR.2024
  parts := regexp_match(code, '^([0-9]{1,2})?[-/. ]*([^-/. 0-9]{3,9})[-/. ]*([0-9]{1,2}|[0-9]{4})?$');
  if num_nonnulls(parts[1], parts[3]) > 0 and private.month_number(parts[2]) is not null then
    return private.date_group(
      variadic array_remove(array[parts[1]::integer, private.month_number(parts[2]), parts[3]::integer], null)
    );
  end if;
  return null;
end
$$;
comment on function private.code_group is
  'A number for a code that a spreadsheet reads as a number or as a date. Codes of which it may make the same text have close numbers. null for all other codes.';

create function private.cell_ranges(cell text) returns numrange[]
language plpgsql immutable strict set search_path = ''
as $$
declare
  parts text[];
  number numeric;
  unit numeric := 0;
begin
  if char_length(cell) > 100 then
    return '{}'::numrange[];
  end if;
  parts := regexp_match(cell, '^-?(0|[1-9][0-9]*)([.,][0-9]*[1-9])?$');
  if parts is not null then
    number := private.code_group(cell);
    -- A spreadsheet keeps 15 digits, other programs 17.
    unit := case
      when substr(parts[1], 16) ~ '^0+$' then format('1e%s', char_length(parts[1]) - 15)::numeric
      when substr(parts[1], 18) ~ '^0+$' then format('1e%s', char_length(parts[1]) - 17)::numeric
      else 0
    end;
    -- More digits were rounded or cut off.
    return array[numrange(number - unit / 2, number + unit, case unit when 0 then '[]' else '[)' end)];
  end if;
  parts := regexp_match(cell, '^[0-9](?:[.,]([0-9]+))?e([+-][0-9]{2,3})$', 'i');
  if parts is not null then
    number := replace(cell, ',', '.')::numeric;
    unit := format('1e%s', parts[2]::integer - char_length(coalesce(parts[1], '')))::numeric;
    return array[numrange(greatest(number - unit / 2, number * 0.95), number + unit, '[)')];
  end if;
  return private.date_cell_ranges(regexp_replace(cell, '[ T]0?0:00(:00)?$', ''));
end
$$;
comment on function private.cell_ranges is
  'The groups of the codes of which a spreadsheet may make this text; empty if it makes it of none.';

create function private.is_saved_as(code text, cell text) returns boolean
language plpgsql immutable strict set search_path = ''
as $$
begin
  return code <> cell and case
    -- The largest cell of a spreadsheet.
    when char_length(cell) between 32766 and 32767 then starts_with(code, cell)
    -- Characters that the encoding of a spreadsheet's file does not have.
    when strpos(cell, '?') > 0 then
      cell = regexp_replace(regexp_replace(code, '[\U00010000-\U0010FFFF]', '??', 'g'), '[^\u0001-\u007F]', '?', 'g')
    when cell in ('TRUE', 'WAHR', 'صواب') then lower(code) = 'true'
    when cell in ('FALSE', 'FALSCH', 'خطأ') then lower(code) = 'false'
    else exists (
      select from unnest(private.cell_ranges(cell) || private.serial_ranges(cell)) as r (span)
      where r.span @> private.code_group(code)
    )
  end;
end
$$;
comment on function private.is_saved_as is
  'Whether a spreadsheet that opens and saves a file may turn the text code into the text cell.';

create function private.changed_codes(stored jsonb, given jsonb)
returns table (place bigint, field text, code text, cell text)
language plpgsql immutable set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  select 0::bigint, f.key, stored ->> f.key, f.value #>> '{}'
  from jsonb_each(given) as f
  where jsonb_typeof(f.value) in ('string', 'number') and jsonb_typeof(stored -> f.key) = 'string'
    and private.is_saved_as(stored ->> f.key, f.value #>> '{}')
  union all
  select g.position, format('attributes[%s].value', g.position - 1), s.value ->> 'value', g.value ->> 'value'
  from jsonb_path_query(given, '$.attributes[*]') with ordinality as g (value, position)
  join jsonb_array_elements(stored -> 'attributes') as s on s.value ->> 'name' = g.value ->> 'name'
  where coalesce(s.value ->> 'type' not in ('number', 'boolean'), true)
    and private.is_saved_as(s.value ->> 'value', g.value ->> 'value')
  union all
  -- A text that another variant has is that variant's.
  select g.position, format('variants[%s].%s', g.position - 1, f.key), s.value ->> f.key, f.value
  from jsonb_path_query(given, '$.variants[*]') with ordinality as g (value, position)
  cross join jsonb_each_text(case jsonb_typeof(g.value) when 'object' then g.value else '{}' end) as f
  join jsonb_array_elements(stored -> 'variants') as s
    on jsonb_typeof(s.value -> f.key) = 'string' and private.is_saved_as(s.value ->> f.key, f.value)
  where not stored -> 'variants' @> jsonb_build_array(jsonb_build_object(f.key, f.value))
  order by 1, 2;
end
$$;
comment on function private.changed_codes is
  'The texts of a given product that a spreadsheet may have made of those of the stored one, with their field.';

create function private.code_question(record text, code text, cell text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return format(
    '%s %s, which a spreadsheet may have changed to %s. Send the former, or accept_changed_codes=true if the latter is meant.',
    record, left(code, 60), left(cell, 60)
  );
end
$$;
comment on function private.code_question is 'What an import asks about a code that a spreadsheet may have changed.';

create function private.refused_questions(questions jsonb) returns jsonb
language sql immutable set search_path = ''
return (
  select coalesce(
    jsonb_agg(
      jsonb_build_object('line', q.value -> 'line')
        || private.refusal('VALIDATION_ERROR', q.value ->> 'message', q.value ->> 'field', q.value -> 'cell')
    ),
    '[]'
  )
  from jsonb_array_elements(questions) as q
);
comment on function private.refused_questions is 'The errors of lines about which an import asks, in the form of PostgREST.';

create function private.remarks_of(questions jsonb, others jsonb default '[]') returns jsonb
language sql immutable set search_path = ''
return (
  select case when count(*) = 0 then '{}' else jsonb_build_object('remarks', jsonb_agg(r.remark order by r.place)) end
  from (
    select 1 as place, q.value - array['position', 'cell'] || jsonb '{"code": "CODE_CHANGED"}' as remark
    from jsonb_array_elements(questions) as q
    union all
    select 2, o.value from jsonb_array_elements(others) as o
  ) as r
);
comment on function private.remarks_of is
  'The questions of an import, and other remarks, as its result has them: in remarks, with line, code, field and message; nothing without any.';

-- grants ---------------------------------------------------------------------------------------

-- The indexes compute them for whoever writes a row.
grant execute on function
  private.month_number, private.date_group, private.code_group
to authenticated, service_role;
grant execute on function
  private.date_ranges, private.date_cell_ranges, private.serial_ranges, private.cell_ranges, private.is_saved_as,
  private.changed_codes, private.code_question, private.refused_questions, private.remarks_of
to authenticated;
