-- Full-text search: what each product is found by, kept as it changes. How a text that is asked becomes a query is told
-- in search_query. A text is folded the same way on both sides: lower case, no accents, nothing but letters and digits.
-- Words that are written in several ways ("Wi-Fi", "16 GB", "C++") stand in documents as they are and as one word.

create extension if not exists pg_trgm with schema extensions;

-- configurations -------------------------------------------------------------------------------

-- Names are found by each of their words, stop words too: nothing else may be left of "The Who". So each language
-- is had twice: as Postgres brings it, and here with a stemmer that lets every word pass.
do $$
declare
  language text;
begin
  for language in
    select c.cfgname
    from pg_catalog.pg_ts_config c
    where c.cfgnamespace = 'pg_catalog'::regnamespace
  loop
    execute format('create text search configuration private.%I (copy = pg_catalog.%I)', language, language);
  end loop;
  for language in
    select distinct d.dictname
    from pg_catalog.pg_ts_config_map m
    join pg_catalog.pg_ts_config c on c.oid = m.mapcfg
    join pg_catalog.pg_ts_dict d on d.oid = m.mapdict
    where c.cfgnamespace = 'private'::regnamespace and d.dictname like '%\_stem'
  loop
    execute format(
      'create text search dictionary private.%I (template = pg_catalog.snowball, language = %I)',
      language, regexp_replace(language, '_stem$', '')
    );
  end loop;
  for language in
    select distinct format(
      'alter text search configuration private.%I alter mapping replace pg_catalog.%I with private.%I',
      c.cfgname, d.dictname, d.dictname
    )
    from pg_catalog.pg_ts_config_map m
    join pg_catalog.pg_ts_config c on c.oid = m.mapcfg
    join pg_catalog.pg_ts_dict d on d.oid = m.mapdict
    where c.cfgnamespace = 'private'::regnamespace and d.dictname like '%\_stem'
  loop
    execute language;
  end loop;
end
$$;

-- tables ---------------------------------------------------------------------------------------

create table private.product_texts (
  product_id uuid primary key,
  tenant_id uuid not null,
  document tsvector not null,
  constraint product_texts_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade
);
comment on table private.product_texts is
  'What each product is found by: its name (A), its brand, searchable attributes, variants and numbers (B), the categories above it (C) and its description (D). Every lexeme begins with a key of the tenant, so that an index reads what one tenant has.';

-- Without a foreign key, which would take three times as long as all else where a large category is renamed.
create table private.outdated_texts (
  product_id uuid primary key
);
comment on table private.outdated_texts is
  'Products whose texts are written by the clock, since so many changed at once. One that is gone may be among them.';

create table private.search_words (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  word text not null,
  described boolean not null default false,
  unused_since timestamptz
);
comment on table private.search_words is
  'The words of a tenant''s products, folded but not stemmed: where parts of words and the right spelling of wrong ones are looked up. described: only descriptions have it, and it is not taken for the right spelling of another. A word may be there twice: two transactions that bring the same one need not wait for each other.';

-- functions: parts of words --------------------------------------------------------------------

create function private.grams(tenant_id uuid, word text) returns bigint[]
language plpgsql immutable parallel safe cost 1000 set search_path = ''
as $$
declare
  seed bigint := hashtextextended(tenant_id::text, 0);
begin
  return array(
    select hashtextextended(substr(word, i, 3), seed) from generate_series(1, char_length(word) - 2) as i
  );
end
$$;
comment on function private.grams is
  'Every three letters in a row of a word, hashed with its tenant: what an index finds a part of a word by, within one tenant.';

-- indexes --------------------------------------------------------------------------------------

create index product_texts_tenant_id_idx on private.product_texts (tenant_id, product_id);
-- Without a pending list: it would be read whole by every search.
create index product_texts_document_idx on private.product_texts using gin (document) with (fastupdate = off);
-- The word first: no plan reads all of a tenant's words by it where the other index has those that are wanted.
create index search_words_word_idx on private.search_words (word, tenant_id);
create index search_words_grams_idx on private.search_words
  using gin (private.grams(tenant_id, ' ' || word || ' ')) with (fastupdate = off);

-- What reads and writes these tables keeps its plans, and looks rows up by index even where there is next to nothing
-- yet: to read all of that is cheap at first, and slow when an import has been at it for a while.

-- functions: words -----------------------------------------------------------------------------

create function private.fold(said text) returns text
language plpgsql stable set search_path = ''
as $$
begin
  -- Of what is not ASCII, the parser of Postgres knows letters and digits. In ASCII it would see addresses, too.
  return regexp_replace(private.plain(said), '[\x01-/:-@[-`{-\x7f]+', ' ', 'g');
end
$$;
comment on function private.fold is
  'A text as search compares it: in lower case, without accents, with blanks for whatever is neither letter nor digit.';

-- functions: words that are written in several ways -------------------------------------------

-- In these patterns [^\x01-/:-@[-`{-\x7f] is a letter or a digit, and [^\x01-@[-`{-\x7f] a letter.

create function private.with_units(plain text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  -- Measures that stand behind a number, with a blank before them or without.
  units constant text := '(?:[cdmkn]?m[23]?|um|[mk]?g|[cdm]?l|[kmgtp]b|[kmg]?hz|[mk]?wh?|[mk]?v|m?ah|mp|px|dpi|psi|bar|lm|lbs?|oz|ft|inch|zoll|fps|rpm|db|qt|gal|stk|pcs'
    || U&'|\043C\043B|\043A\0433|\0441\043C|\043C\043C|\043A\043C|\0433\0431|\043C\0431|\0442\0431|\0432\0442|\043A\0432\0442|\0448\0442)';
begin
  if plain ~ '[0-9]' then
    plain := regexp_replace(plain, '\m([0-9]+)[.,]([0-9]+)([ -]?' || units || '\M)', '\1p\2\3', 'g');
    plain := regexp_replace(plain, '\m([0-9]+(?:p[0-9]+)?)[ -](' || units || '\M)', '\1\2', 'g');
  end if;
  return plain;
end
$$;
comment on function private.with_units is
  'A plain text in which a number and its unit are one word: 16gb for "16 GB", 1p5l for "1,5 l" and "1.5l".';

create function private.with_signs(plain text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  -- A word of one or two letters, and no further letter, digit or sign behind its signs.
  word constant text := '(?<![^\x01-/:-@[-`{-\x7f])([^\x01-@[-`{-\x7f]{1,2})';
  its_end constant text := '(?![^\x01-"$-*,-/:-@[-`{-\x7f])';
begin
  if plain ~ '[+#]' then
    plain := regexp_replace(plain, word || '\+\+' || its_end, '\1plusplus', 'g');
    plain := regexp_replace(plain, word || '\+' || its_end, '\1plus', 'g');
    plain := regexp_replace(plain, word || '#' || its_end, '\1sharp', 'g');
  end if;
  return plain;
end
$$;
comment on function private.with_signs is
  'A plain text in which signs behind one or two letters are a part of the word: cplusplus for "C++", csharp for "C#".';

create function private.without_hyphens(plain text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  -- Not between two digits: "5-10" is no 510.
  return regexp_replace(
    regexp_replace(
      plain, '([^\x01-@[-`{-\x7f])[-''&._]{1,2}(?=[^\x01-/:-@[-`{-\x7f])', '\1', 'g'
    ),
    '([0-9])[-''&._]{1,2}(?=[^\x01-@[-`{-\x7f])', '\1', 'g'
  );
end
$$;
comment on function private.without_hyphens is
  'A plain text in which words that hyphens or other signs join are one: wifi for "Wi-Fi", esp32c6 for "ESP32-C6".';

create function private.pieces(folded text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if folded !~ '[^ ]{51}' then
    return folded;
  end if;
  return (
    select string_agg(
      case
        when char_length(w.word) <= 50 then w.word
        else (
          -- substr would count the letters before each piece again.
          select string_agg(half.letters || half.next, ' ' order by half.position)
          from (
            select h.found[1] as letters, lead(h.found[1]) over (order by h.position) as next, h.position
            from regexp_matches(w.word, '.{1,25}', 'g') with ordinality as h (found, position)
          ) as half
          where half.next is not null
        )
      end,
      ' ' order by w.position
    )
    from regexp_split_to_table(folded, ' +') with ordinality as w (word, position)
  );
end
$$;
comment on function private.pieces is
  'A folded text with pieces of 50 letters in place of words that are longer, as names without blanks are. Each begins 25 letters behind the one before, so that up to 25 letters in a row stand in one of them.';

create function private.indexed(said text, length integer) returns text
language plpgsql stable set search_path = ''
as $$
declare
  plain text := private.plain(left(said, length));
  joined text := private.without_hyphens(private.with_signs(private.with_units(plain)));
  folded text := private.fold(plain);
begin
  if joined <> plain then
    folded := concat_ws(
      ' ', folded,
      (
        select string_agg(w.word, ' ')
        from (
          select regexp_split_to_table(private.fold(joined), ' +') as word
          except
          select regexp_split_to_table(folded, ' +')
        ) as w
      )
    );
  end if;
  return private.pieces(folded);
end
$$;
comment on function private.indexed is
  'What the first letters of a text (so many) are found by: its words, folded, and those that are written in several ways also as one.';

create function private.words(folded text) returns text[]
language plpgsql stable set search_path = ''
as $$
begin
  return array(
    select l.lexeme
    from unnest(to_tsvector('pg_catalog.simple', folded)) as l
    order by l.positions[1]
  );
end
$$;
comment on function private.words is 'The words of a folded text, each once, in their sequence.';

create function private.search_language(language text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return coalesce(
    '{
      "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
      "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian",
      "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali",
      "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
      "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish"
    }'::jsonb ->> split_part(lower(language), '-', 1),
    'simple'
  );
end
$$;
comment on function private.search_language is
  'By which of Postgres'' configurations texts in a language (BCP 47) are stemmed; simple where there is none.';

create function private.search_key(tenant_id uuid) returns text
language sql immutable
return left(md5(tenant_id::text), 6);
comment on function private.search_key is
  'What a tenant''s lexemes begin with. Two tenants may have the same: what an index finds is asked whose it is.';

-- functions: what a product is found by --------------------------------------------------------

create function private.category_paths(categories uuid[]) returns table (category_id uuid, path text)
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
  with recursive line (leaf, tenant_id, parent_id, name, depth) as (
    select c.id, c.tenant_id, c.parent_id, c.name, 1
    from public.categories c
    where c.id = any (categories)
    union all
    select l.leaf, c.tenant_id, c.parent_id, c.name, l.depth + 1
    from line l
    join public.categories c on c.tenant_id = l.tenant_id and c.id = l.parent_id
  )
  select l.leaf, string_agg(l.name, ' > ' order by l.depth desc)
  from line l
  group by l.leaf;
end
$$;
comment on function private.category_paths is 'The names of categories and of all above them, from the top.';

create function private.searchable_values(attributes jsonb) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if attributes = '[]' then
    return '';
  end if;
  return (
    select coalesce(string_agg(a.value ->> 'value', ' ' order by a.position), '')
    from jsonb_array_elements(attributes) with ordinality as a (value, position)
    where (a.value ->> 'searchable')::boolean and a.value ->> 'type' <> 'boolean' and a.value ->> 'name' <> 'brand'
  );
end
$$;
comment on function private.searchable_values is
  'What the searchable attributes of a product say; its brand, by which it is always found, is left out.';

create function private.product_content(product_id uuid) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select concat_ws(
      E'\n', p.name, p.brand, nullif(private.searchable_values(p.attributes), ''), c.path, nullif(p.description, '')
    )
    from public.products p
    left join private.category_paths(array[p.category_id]) c on c.category_id = p.category_id
    where p.id = product_content.product_id
  );
end
$$;
comment on function private.product_content is
  'What a product is about, as one text: its name, its brand, its searchable attributes, the categories above it and its description.';

create function private.texts_of(ids uuid[])
returns table (
  product_id uuid, tenant_id uuid, language text, named text, described text, placed text, told text
)
-- A plan from when the tables were empty, which a session keeps, would scan products and product_variants.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  return query
  with listed as materialized (
    select
      p.id, p.tenant_id, p.category_id, p.attributes, p.brand, p.external_id, p.name, p.description,
      private.search_language(m.language) as language
    from unnest(ids) as wanted (id)
    join public.products p on p.id = wanted.id
    join public.marketplaces m on m.id = p.marketplace_id
  )
  select
    l.id, l.tenant_id, l.language, private.indexed(l.name, 200),
    left(
      private.indexed(concat_ws(' ', l.brand, private.searchable_values(l.attributes), v.said, l.external_id), 30000)
      -- A number is also found as it is written without what divides it.
      || coalesce(' ' || replace(private.fold(l.external_id), ' ', ''), '') || coalesce(v.numbers, ''),
      30000
    ),
    coalesce(private.indexed(c.path, 3000), ''),
    private.indexed(l.description, 50000)
  from listed l
  left join private.category_paths(array(select distinct l.category_id from listed l)) c
    on c.category_id = l.category_id
  cross join lateral (
    select
      string_agg(concat_ws(' ', v.name, v.sku), ' ' order by v.position, v.id) as said,
      string_agg(' ' || replace(private.fold(v.sku), ' ', ''), '' order by v.position, v.id) as numbers
    from public.product_variants v
    where v.tenant_id = l.tenant_id and v.product_id = l.id
  ) as v;
end
$$;
comment on function private.texts_of is
  'What products are found by, folded: their names, what describes them, the categories above them, and what is told of them.';

create function private.product_document(
  tenant_id uuid, language text, named text, described text, placed text, told text
) returns tsvector
language plpgsql stable set search_path = ''
as $$
declare
  key text := private.search_key(tenant_id);
  whole regconfig := ('private.' || language)::regconfig;
  without_stop_words regconfig := ('pg_catalog.' || language)::regconfig;
  document tsvector := setweight(to_tsvector(whole, named), 'A') || setweight(to_tsvector(whole, described), 'B')
    || setweight(to_tsvector(whole, placed), 'C') || setweight(to_tsvector(without_stop_words, told), 'D');
  written text := document::text;
begin
  -- Postgres takes no lexeme over 2046 bytes, with a key or without.
  if octet_length(written) > 2000 then
    written := ts_delete(
      document, array(select l.lexeme from unnest(document) as l where octet_length(l.lexeme) > 500)
    )::text;
  end if;
  if written = '' then
    return ''::tsvector;
  end if;
  -- A lexeme stands in quotes and has none in it: whatever is no letter and no digit was folded away.
  return ('''' || key || substr(replace(written, ' ''', ' ''' || key), 2))::tsvector;
end
$$;
comment on function private.product_document is
  'What is kept of a product''s texts: their stems, each with its weight, and the key of the tenant before it.';

create function private.dictionary_words(named text, described text, placed text, told text)
returns table (word text, is_told_only boolean)
language plpgsql stable set search_path = ''
as $$
begin
  return query
    select l.lexeme, bool_and(l.is_told)
    from (
      select n.lexeme, false as is_told
      from unnest(to_tsvector('pg_catalog.simple', concat_ws(' ', named, described, placed))) as n
      union all
      select d.lexeme, true
      from unnest(to_tsvector('pg_catalog.simple', told)) as d
    ) as l
    where char_length(l.lexeme) >= 3
    group by l.lexeme;
end
$$;
comment on function private.dictionary_words is
  'The words of a product''s texts, each once, and whether only its description has it: those of 3 letters or more, since shorter ones have no parts to be found by.';

create function private.write_product_texts(ids uuid[]) returns void
-- A plan from when the tables were empty, which a session keeps, would scan products, product_texts and search_words.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  -- Held by all who write texts; whoever renames a category, or changes a language, has it alone: see
  -- private.write_many_texts. In a statement of its own, so that the next one sees what changed while this one waited.
  perform private.hold('search_texts', t.tenant_id::text, shared => true)
  from (select distinct p.tenant_id from public.products p where p.id = any (ids) order by p.tenant_id) as t;

  with texts as materialized (
    select t.product_id, t.tenant_id, t.language, t.named, t.described, t.placed, t.told
    from private.texts_of(ids) t
  ),
  documents as materialized (
    select
      t.product_id, t.tenant_id,
      private.product_document(t.tenant_id, t.language, t.named, t.described, t.placed, t.told) as document
    from texts t
  ),
  written as (
    insert into private.product_texts (product_id, tenant_id, document)
    select d.product_id, d.tenant_id, d.document
    from documents d
    where (select t.document from private.product_texts t where t.product_id = d.product_id) is distinct from d.document
    -- Whoever writes several does so in the same sequence, so that nobody waits in a circle.
    order by d.product_id
    on conflict (product_id) do update
    set document = excluded.document
  )
  insert into private.search_words (tenant_id, word, described)
  select w.tenant_id, w.word, w.described
  from (
    select t.tenant_id, said.word, bool_and(said.is_told_only) as described
    from texts t
    cross join lateral private.dictionary_words(t.named, t.described, t.placed, t.told) as said
    group by t.tenant_id, said.word
  ) as w
  -- A scalar subquery looks each one up; `not exists` may be planned as a walk through all that there is.
  where (
    select true
    from private.search_words s
    where s.word = w.word and s.tenant_id = w.tenant_id and s.unused_since is null
      and (w.described or not s.described)
    limit 1
  ) is null;
end
$$;
comment on function private.write_product_texts is
  'Writes down what products are found by, and the words that are new to their tenants. Whoever calls it has locked these products, or the texts of their tenant, so that nobody else changes them meanwhile.';

create function private.write_listed_products() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_product_texts(array(select c.id from changed c));
  return null;
end
$$;
comment on function private.write_listed_products() is 'Statement trigger: what is listed is found from then on.';

create function private.write_changed_products() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  otherwise uuid[] := array(
    select n.id
    from changed n
    join before o on o.id = n.id
    where o.name <> n.name or o.description <> n.description
      or o.attributes <> n.attributes or o.category_id is distinct from n.category_id
      or o.external_id is distinct from n.external_id
  );
begin
  if otherwise <> '{}' then
    perform private.write_product_texts(otherwise);
  end if;
  return null;
end
$$;
comment on function private.write_changed_products() is 'Statement trigger: products are found by what they say now.';

create function private.write_products_of_variants() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_product_texts(array(select distinct c.product_id from changed c));
  return null;
end
$$;
comment on function private.write_products_of_variants() is
  'Statement trigger: a product is found by its variants too. Its name comes behind that of the trigger that touches the product, and so locks it.';

create function private.write_many_texts(ids uuid[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  at_once uuid[] := '{}'::uuid[];
begin
  if cardinality(ids) <= 500 then
    -- One that is being deleted is not waited for: whoever deletes it may come to wait for the texts of others.
    at_once := array(select p.id from public.products p where p.id = any (ids) for key share skip locked);
    perform private.write_product_texts(at_once);
  end if;
  insert into private.outdated_texts (product_id)
  select i.id
  from unnest(ids) as i (id)
  where i.id <> all (at_once)
  order by i.id
  on conflict (product_id) do nothing;
end
$$;
comment on function private.write_many_texts is
  'Writes down what products are found by or, if they are more than 500, leaves that to the clock. Whoever calls it has the lock of their tenant''s texts alone before it looks which they are: nobody writes a text then by what was said before, and whoever has just done so has committed, so that none is missed.';

create function private.write_products_of_category() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.hold('search_texts', new.tenant_id::text);
  perform private.write_many_texts(array(
    select p.id
    from public.products p
    where p.tenant_id = new.tenant_id and p.category_id = any (private.category_branch(new.tenant_id, new.id))
  ));
  return null;
end
$$;
comment on function private.write_products_of_category() is
  'Row trigger: products are found by the names of all categories above them.';

create function private.write_products_of_marketplace() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.hold('search_texts', new.tenant_id::text);
  perform private.write_many_texts(array(
    select p.id from public.products p where p.tenant_id = new.tenant_id and p.marketplace_id = new.id
  ));
  return null;
end
$$;
comment on function private.write_products_of_marketplace() is
  'Row trigger: texts are stemmed in the language of their marketplace.';

-- functions: for the clock ---------------------------------------------------------------------

-- Procedures commit as they go, and may have no settings of their own: what they call has them. They are cut short
-- where a statement may only take so long, and lose nothing by it.

create function private.write_outdated_texts(after uuid) returns uuid
-- A plan from when the tables were empty, which a session keeps, would scan outdated_texts and products.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  outdated uuid[] := array(
    select o.product_id
    from private.outdated_texts o
    where o.product_id > after
    order by o.product_id
    limit 200
    for update skip locked
  );
  -- Whoever renames what many products are found by holds up its own tenant's texts alone.
  open uuid[] := array(
    select t.tenant_id
    from (select distinct p.tenant_id from public.products p where p.id = any (outdated)) t
    where private.try_hold('search_texts', t.tenant_id::text, shared => true)
  );
  -- What is being changed is left for the next run. Whoever changes it may be waiting for another one of these.
  free uuid[] := array(
    select p.id
    from public.products p
    where p.id = any (outdated) and p.tenant_id = any (open)
    for no key update skip locked
  );
begin
  perform private.write_product_texts(free);
  delete from private.outdated_texts o
  where o.product_id = any (outdated)
    and (o.product_id = any (free) or not exists (select from public.products p where p.id = o.product_id));
  return outdated[cardinality(outdated)];
end
$$;
comment on function private.write_outdated_texts(uuid) is
  'Writes the next 200 texts that are out of date, in the sequence of their products'' ids. Answers the last of them, or null when there is none.';

create procedure private.write_outdated_texts()
language plpgsql
as $$
declare
  last uuid := '00000000-0000-0000-0000-000000000000'::uuid;
begin
  -- For so long that the next run is due.
  while last is not null and clock_timestamp() < statement_timestamp() + interval '50 seconds' loop
    last := private.write_outdated_texts(last);
    commit;
  end loop;
end
$$;
comment on procedure private.write_outdated_texts() is
  'For the clock: writes texts that are out of date, 200 in a transaction.';

create function private.find_outdated_texts(tenant_id uuid, after uuid) returns uuid
-- A plan from when the tables were empty, which a session keeps, would scan products and product_texts.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  ids uuid[] := array(
    select p.id
    from public.products p
    where p.tenant_id = find_outdated_texts.tenant_id and p.id > after
    order by p.id
    limit 1000
  );
begin
  insert into private.outdated_texts (product_id)
  select t.product_id
  from private.texts_of(ids) t
  left join private.product_texts written on written.product_id = t.product_id
  where written.document is distinct from private.product_document(
    t.tenant_id, t.language, t.named, t.described, t.placed, t.told
  )
  order by t.product_id
  on conflict (product_id) do nothing;
  return ids[cardinality(ids)];
end
$$;
comment on function private.find_outdated_texts is
  'Notes which of a tenant''s next 1000 products are found by something else than they say, in the sequence of their ids. Answers the last of them, or null when there is none.';

create function private.forget_search_words(tenant_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  used text[];
  used_in_descriptions text[];
begin
  select array_agg(u.word) filter (where not u.described), array_agg(u.word) filter (where u.described)
  into used, used_in_descriptions
  from (
    select said.word, bool_and(said.is_told_only) as described
    from private.texts_of(
      array(select p.id from public.products p where p.tenant_id = forget_search_words.tenant_id)
    ) t
    cross join lateral private.dictionary_words(t.named, t.described, t.placed, t.told) as said
    group by said.word
  ) as u;
  -- One that was marked in the very moment in which another product got it.
  insert into private.search_words (tenant_id, word, described)
  select forget_search_words.tenant_id, u.word, u.described
  from (
    select n.word, false as described from unnest(used) as n (word)
    union all
    select d.word, true from unnest(used_in_descriptions) as d (word)
  ) as u
  where (
    select true
    from private.search_words s
    where s.word = u.word and s.tenant_id = forget_search_words.tenant_id and s.unused_since is null
      and s.described = u.described
    limit 1
  ) is null;
  -- Who writes a word that is marked writes it anew. So what has been marked for a day is needed by nobody, not
  -- even by a transaction that was under way then.
  delete from private.search_words s
  where s.tenant_id = forget_search_words.tenant_id and s.unused_since < now() - interval '1 day';
  delete from private.search_words s
  using private.search_words other
  where s.tenant_id = forget_search_words.tenant_id and other.tenant_id = s.tenant_id and other.word = s.word
    and other.described = s.described and other.ctid < s.ctid and other.unused_since is null;
  update private.search_words s
  set unused_since = now()
  where s.tenant_id = forget_search_words.tenant_id and s.unused_since is null
    and not exists (select from unnest(used) as u (word) where u.word = s.word and not s.described)
    and not exists (select from unnest(used_in_descriptions) as u (word) where u.word = s.word and s.described);
end
$$;
comment on function private.forget_search_words is
  'Marks the words that none of a tenant''s products has any more, and forgets those marked a day ago.';

create procedure private.mend_search()
language plpgsql
as $$
declare
  tenant uuid;
  last uuid;
begin
  -- For two minutes, however much there is; at random, so that nobody is always behind the place where it stops.
  for tenant in select t.id from public.tenants t order by random() loop
    exit when clock_timestamp() > statement_timestamp() + interval '2 minutes';
    perform private.forget_search_words(tenant);
    commit;
    last := '00000000-0000-0000-0000-000000000000'::uuid;
    while last is not null loop
      last := private.find_outdated_texts(tenant, last);
      commit;
    end loop;
  end loop;
end
$$;
comment on procedure private.mend_search() is
  'For the clock: forgets words that nobody uses, and notes what is found by something else than it says, though nothing should be: rows may have been copied with triggers off, or a new server may stem otherwise.';

-- triggers -------------------------------------------------------------------------------------

create trigger products_write_texts_when_listed
  after insert on public.products
  referencing new table as changed
  for each statement execute function private.write_listed_products();

create trigger products_write_texts_when_changed
  after update on public.products
  referencing old table as before new table as changed
  for each statement execute function private.write_changed_products();

create trigger product_variants_write_texts_when_added
  after insert on public.product_variants
  referencing new table as changed
  for each statement execute function private.write_products_of_variants();

create trigger product_variants_write_texts_when_changed
  after update on public.product_variants
  referencing new table as changed
  for each statement execute function private.write_products_of_variants();

create trigger product_variants_write_texts_when_removed
  after delete on public.product_variants
  referencing old table as changed
  for each statement execute function private.write_products_of_variants();

create trigger categories_write_texts
  after update of name, parent_id on public.categories
  for each row when (old.name <> new.name or old.parent_id is distinct from new.parent_id)
  execute function private.write_products_of_category();

create trigger marketplaces_write_texts
  after update of language on public.marketplaces
  for each row when (old.language <> new.language)
  execute function private.write_products_of_marketplace();

-- policies -------------------------------------------------------------------------------------

alter table private.product_texts enable row level security;
alter table private.outdated_texts enable row level security;
alter table private.search_words enable row level security;

-- cron -----------------------------------------------------------------------------------------

select cron.schedule('write-outdated-texts', '* * * * *', 'call private.write_outdated_texts()');
select cron.schedule('mend-search', '23 3 * * *', 'call private.mend_search()');
