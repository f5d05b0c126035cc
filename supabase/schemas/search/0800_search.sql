-- Full-text search: the words by which each product is found, updated with every change of it. Texts of products and
-- search texts are folded in the same way: lower case, no accents, only letters and digits. Words with several
-- spellings ("Wi-Fi", "16 GB", "C++") are indexed as they are and as one word.

create extension if not exists pg_trgm with schema extensions;

-- tables ---------------------------------------------------------------------------------------

create table private.product_texts (
  product_id uuid not null,
  tenant_id uuid not null,
  document tsvector not null,
  -- In this order for lookups by product alone.
  constraint product_texts_pkey primary key (product_id, tenant_id),
  constraint product_texts_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade
);
comment on table private.product_texts is
  'The text index of each product: its name (A), its brand, searchable attributes, variants and numbers (B), its category and all above it (C) and its description (D). Every lexeme begins with a key of the tenant, so that an index scan reads the rows of one tenant.';

-- No foreign key: its checks would triple the time of renaming a large category.
create table private.outdated_texts (
  product_id uuid not null,
  tenant_id uuid not null,
  -- In this order, because the job goes through all products.
  constraint outdated_texts_pkey primary key (product_id, tenant_id)
);
comment on table private.outdated_texts is
  'Products whose texts a job writes, because too many changed at once. A product may have been deleted since.';

create table private.search_words (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  word text not null,
  described boolean not null default false,
  unused_since timestamptz
);
comment on table private.search_words is
  'The words of a tenant''s products, folded but not stemmed, for searches by parts of words and for corrections of misspelt ones. described: only descriptions have it, so it is not offered as a correction. A word may be there twice, because two transactions that add it do not wait for each other.';
-- The whole row identifies it for replication, because it has no key.
alter table private.search_words replica identity full;

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
  'All sequences of three letters in a word, hashed with its tenant. An index on them finds parts of words within one tenant.';

-- indexes --------------------------------------------------------------------------------------

-- Without fastupdate, because every search would read the whole pending list.
create index product_texts_document_idx on private.product_texts using gin (document) with (fastupdate = off);
-- The word is the first column, so that no plan reads all words of a tenant by this index instead of the gram index.
create index search_words_word_idx on private.search_words (word, tenant_id);
create index search_words_grams_idx on private.search_words
  using gin (private.grams(tenant_id, ' ' || word || ' ')) with (fastupdate = off);

-- Functions that read and write these tables keep their plans and use indexes only. Sequential scans are cheap while a
-- table is empty, and slow after some minutes of an import.

-- functions: words -----------------------------------------------------------------------------

create function private.fold(input text) returns text
language plpgsql stable set search_path = ''
as $$
begin
  -- Replaces signs in ASCII. The parser of Postgres separates other signs itself, but in ASCII it would also recognise
  -- e-mail addresses and URLs.
  return regexp_replace(private.plain(input), '[\x01-/:-@[-`{-\x7f]+', ' ', 'g');
end
$$;
comment on function private.fold is
  'A text in the form that search compares: lower case, no accents, and a space for everything in ASCII that is not a letter or digit.';

-- functions: words with several spellings -----------------------------------------------------

-- In these patterns [^\x01-/:-@[-`{-\x7f] is a letter or a digit, and [^\x01-@[-`{-\x7f] a letter.

create function private.with_units(plain text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  -- Units of measure after a number, with or without a space between.
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
  -- A word of one or two letters with a sign, not followed by a letter, a digit or another sign.
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
  'A plain text in which a sign after one or two letters is a part of the word: cplusplus for "C++", csharp for "C#".';

create function private.without_hyphens(plain text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  -- Not between two digits, because "5-10" does not mean 510.
  return regexp_replace(
    regexp_replace(
      plain, '([^\x01-@[-`{-\x7f])[-''&._]{1,2}(?=[^\x01-/:-@[-`{-\x7f])', '\1', 'g'
    ),
    '([0-9])[-''&._]{1,2}(?=[^\x01-@[-`{-\x7f])', '\1', 'g'
  );
end
$$;
comment on function private.without_hyphens is
  'A plain text in which words joined by hyphens or similar signs are one word: wifi for "Wi-Fi", esp32c6 for "ESP32-C6".';

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
          -- Does not use substr, which would count the letters before each piece again.
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
  'A folded text in which words of more than 50 letters, such as names without spaces, are replaced by pieces of 50 letters. Each piece begins 25 letters after the previous one, so that any 25 consecutive letters are in one piece.';

create function private.indexed(input text, length integer) returns text
language plpgsql stable set search_path = ''
as $$
declare
  plain text := private.plain(left(input, length));
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
  'The folded words by which the first letters of a text (length) are found, with words of several spellings also as one word.';

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
comment on function private.words is 'The distinct words of a folded text, in order.';

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
  'The text search configuration of Postgres for a language (BCP 47); simple if there is none.';

create function private.search_key(tenant_id uuid) returns text
language sql immutable
return left(md5(tenant_id::text), 6);
comment on function private.search_key is
  'The prefix of a tenant''s lexemes. Two tenants may have the same one, so queries also compare the tenant.';

-- functions: texts of products -----------------------------------------------------------------

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
comment on function private.category_paths is 'The names of categories and their ancestors, from the top.';

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
  'The values of a product''s searchable attributes, without its brand, by which it is always found.';

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
  'The text of a product for its embedding: its name, brand, searchable attributes, categories and description.';

create function private.texts_of(ids uuid[])
returns table (
  product_id uuid, tenant_id uuid, language text, named text, described text, placed text, description text
)
-- A plan from when the tables were empty, which a session keeps, would scan products and product_variants,
-- and with hash joins all categories.
-- Planned once: 0.54 ms without, 0.11 with, for a new product.
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
      private.indexed(concat_ws(' ', l.brand, private.searchable_values(l.attributes), v.names, l.external_id), 30000)
      -- A number is also found without its separators.
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
      string_agg(concat_ws(' ', v.name, v.sku), ' ' order by v.position, v.id) as names,
      string_agg(' ' || replace(private.fold(v.sku), ' ', ''), '' order by v.position, v.id) as numbers
    from public.product_variants v
    where v.tenant_id = l.tenant_id and v.product_id = l.id
  ) as v;
end
$$;
comment on function private.texts_of is
  'The folded texts by which products are found: name (named), brand, attributes, variants and numbers (described), categories (placed) and description.';

create function private.product_document(
  tenant_id uuid, language text, named text, described text, placed text, description text
) returns tsvector
language plpgsql stable set search_path = ''
as $$
declare
  key text := private.search_key(tenant_id);
  whole regconfig := ('private.' || language)::regconfig;
  without_stop_words regconfig := ('pg_catalog.' || language)::regconfig;
  document tsvector := setweight(to_tsvector(whole, named), 'A') || setweight(to_tsvector(whole, described), 'B')
    || setweight(to_tsvector(whole, placed), 'C') || setweight(to_tsvector(without_stop_words, description), 'D');
  written text := document::text;
begin
  -- Postgres allows lexemes of at most 2046 bytes. The key counts too.
  if octet_length(written) > 2000 then
    written := ts_delete(
      document, array(select l.lexeme from unnest(document) as l where octet_length(l.lexeme) > 500)
    )::text;
  end if;
  if written = '' then
    return ''::tsvector;
  end if;
  -- Lexemes are in quotes and contain none, because folding removes everything but letters and digits.
  return ('''' || key || substr(replace(written, ' ''', ' ''' || key), 2))::tsvector;
end
$$;
comment on function private.product_document is
  'The document of a product''s texts: their stems with their weights, each prefixed with the key of the tenant.';

create function private.dictionary_words(named text, described text, placed text, description text)
returns table (word text, is_description_only boolean)
language plpgsql stable set search_path = ''
as $$
begin
  return query
    select l.lexeme, bool_and(l.is_description)
    from (
      select n.lexeme, false as is_description
      from unnest(to_tsvector('pg_catalog.simple', concat_ws(' ', named, described, placed))) as n
      union all
      select d.lexeme, true
      from unnest(to_tsvector('pg_catalog.simple', description)) as d
    ) as l
    where char_length(l.lexeme) >= 3
    group by l.lexeme;
end
$$;
comment on function private.dictionary_words is
  'The distinct words of a product''s texts, and whether only its description has them. Words of less than 3 letters are left out, because they have no parts to search for.';

create function private.write_product_texts(ids uuid[]) returns void
-- A plan from when the tables were empty, which a session keeps, would scan products, product_texts and search_words.
-- Planned once: 0.45 ms without, 0.32 with, for a new product.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  -- All writers of texts share this lock. A change of a category's name or of a language takes it exclusively: see
  -- private.write_many_texts. It is a statement of its own, so that the next one sees what changed while this one
  -- waited.
  perform private.hold('search_texts', t.tenant_id::text, shared => true)
  from (select distinct p.tenant_id from public.products p where p.id = any (ids) order by p.tenant_id) as t;

  with texts as materialized (
    select t.product_id, t.tenant_id, t.language, t.named, t.described, t.placed, t.description
    from private.texts_of(ids) t
  ),
  documents as materialized (
    select
      t.product_id, t.tenant_id,
      private.product_document(t.tenant_id, t.language, t.named, t.described, t.placed, t.description) as document
    from texts t
  ),
  written as (
    insert into private.product_texts (product_id, tenant_id, document)
    select d.product_id, d.tenant_id, d.document
    from documents d
    where (
      select t.document from private.product_texts t where t.product_id = d.product_id and t.tenant_id = d.tenant_id
    ) is distinct from d.document
    -- In the order of ids, as in all writers of texts, which prevents deadlocks.
    order by d.product_id
    on conflict (product_id, tenant_id) do update
    set document = excluded.document
  )
  insert into private.search_words (tenant_id, word, described)
  select w.tenant_id, w.word, w.described
  from (
    select t.tenant_id, entry.word, bool_and(entry.is_description_only) as described
    from texts t
    cross join lateral private.dictionary_words(t.named, t.described, t.placed, t.description) as entry
    group by t.tenant_id, entry.word
  ) as w
  -- A scalar subquery looks up each word. Postgres may plan `not exists` as a scan of all rows.
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
  'Writes the texts of products, and the words that are new to their tenants. The caller has locked these products or the texts of their tenant, so that they do not change meanwhile.';

create function private.write_listed_products() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_product_texts(array(select c.id from changed c));
  return null;
end
$$;
comment on function private.write_listed_products() is 'Statement trigger: writes the texts of new products.';

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
comment on function private.write_changed_products() is
  'Statement trigger: writes the texts of products whose texts have changed.';

create function private.write_products_of_variants() returns trigger
-- A plan from when the tables were empty, which a session keeps, would scan products.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  affected uuid[];
begin
  if tg_op = 'UPDATE' then
    affected := array(
      select distinct c.product_id
      from changed c
      join former f on f.id = c.id
      where (c.name, c.sku, c.position) is distinct from (f.name, f.sku, f.position)
    );
  else
    affected := array(select distinct c.product_id from changed c);
  end if;
  perform 1 from public.products p where p.id = any (affected) order by p.id for no key update;
  perform private.write_product_texts(affected);
  return null;
end
$$;
comment on function private.write_products_of_variants() is
  'Statement trigger: writes the texts of products whose variants have changed.';

create function private.write_many_texts(tenant_id uuid, ids uuid[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  at_once uuid[] := '{}'::uuid[];
begin
  if cardinality(ids) <= 500 then
    -- Skips products that are being deleted instead of waiting for them, because the deleting transaction may wait for
    -- this one.
    at_once := array(select p.id from public.products p where p.id = any (ids) for key share skip locked);
    perform private.write_product_texts(at_once);
  end if;
  insert into private.outdated_texts (product_id, tenant_id)
  select i.id, write_many_texts.tenant_id
  from unnest(ids) as i (id)
  where i.id <> all (at_once)
  order by i.id
  on conflict on constraint outdated_texts_pkey do nothing;
end
$$;
comment on function private.write_many_texts is
  'Writes the texts of a tenant''s products or, if there are more than 500, leaves that to a job. The caller takes the exclusive lock of the tenant''s texts before it looks up the products. So no text is written from old names meanwhile, and texts that were just written are committed and not missed.';

create function private.write_products_of_category() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.hold('search_texts', new.tenant_id::text);
  perform private.write_many_texts(new.tenant_id, array(
    select p.id
    from public.products p
    where p.tenant_id = new.tenant_id and p.category_id = any (private.category_branch(new.tenant_id, new.id))
  ));
  return null;
end
$$;
comment on function private.write_products_of_category() is
  'Row trigger: writes the texts of all products in a renamed or moved category and below it.';

create function private.write_products_of_marketplace() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.hold('search_texts', new.tenant_id::text);
  perform private.write_many_texts(new.tenant_id, array(
    select p.id from public.products p where p.tenant_id = new.tenant_id and p.marketplace_id = new.id
  ));
  return null;
end
$$;
comment on function private.write_products_of_marketplace() is
  'Row trigger: writes the texts of a marketplace''s products when its language changes.';

-- functions: jobs ------------------------------------------------------------------------------

create function private.write_outdated_texts(after uuid) returns uuid
-- A plan from when the tables were empty, which a session keeps, would scan outdated_texts and products.
-- Planned once: 0.14 ms without, 0.04 with, for a product.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  outdated uuid[] := array(
    select o.product_id
    from private.outdated_texts o
    where o.product_id > coalesce(after, '00000000-0000-0000-0000-000000000000')
    order by o.product_id
    limit 200
    for update skip locked
  );
  -- Skips tenants whose texts are locked exclusively, so that a rename delays only its own tenant.
  open uuid[] := array(
    select t.tenant_id
    from (select distinct p.tenant_id from public.products p where p.id = any (outdated)) t
    where private.try_hold('search_texts', t.tenant_id::text, shared => true)
  );
  -- Skips products that are being changed, whose transactions may wait for other products of this batch. The next run
  -- writes them.
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
comment on function private.write_outdated_texts is
  'Writes the next 200 outdated texts after this product, in the order of ids; null starts with the first. Returns the last product, or null if there are none.';

create function private.find_outdated_texts(tenant_id uuid, after uuid) returns uuid
-- A plan from when the tables were empty, which a session keeps, would scan products and product_texts.
-- Hash joins would read the texts of all products: 2,526 of 11 tenants instead of 358.
language plpgsql security definer set search_path = ''
set enable_seqscan = off
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
  insert into private.outdated_texts (product_id, tenant_id)
  select t.product_id, t.tenant_id
  from private.texts_of(ids) t
  left join private.product_texts written on written.product_id = t.product_id and written.tenant_id = t.tenant_id
  where written.document is distinct from private.product_document(
    t.tenant_id, t.language, t.named, t.described, t.placed, t.description
  )
  order by t.product_id
  on conflict on constraint outdated_texts_pkey do nothing;
  return ids[cardinality(ids)];
end
$$;
comment on function private.find_outdated_texts is
  'Finds which of a tenant''s next 1000 products after this one have texts that differ from what they should be, and queues them. Returns the last product that was checked, or null if there are none.';

create function private.delete_old_search_words(tenant_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  used text[];
  used_in_descriptions text[];
begin
  select array_agg(u.word) filter (where not u.described), array_agg(u.word) filter (where u.described)
  into used, used_in_descriptions
  from (
    select entry.word, bool_and(entry.is_description_only) as described
    from private.texts_of(
      array(select p.id from public.products p where p.tenant_id = delete_old_search_words.tenant_id)
    ) t
    cross join lateral private.dictionary_words(t.named, t.described, t.placed, t.description) as entry
    group by entry.word
  ) as u;
  -- Adds words that were marked as unused while another product got them.
  insert into private.search_words (tenant_id, word, described)
  select delete_old_search_words.tenant_id, u.word, u.described
  from (
    select n.word, false as described from unnest(used) as n (word)
    union all
    select d.word, true from unnest(used_in_descriptions) as d (word)
  ) as u
  where (
    select true
    from private.search_words s
    where s.word = u.word and s.tenant_id = delete_old_search_words.tenant_id and s.unused_since is null
      and s.described = u.described
    limit 1
  ) is null;
  -- Writers insert a word again if it is marked. So no transaction needs a word that was marked a day ago, not even one
  -- that was running then.
  delete from private.search_words s
  where s.tenant_id = delete_old_search_words.tenant_id and s.unused_since < now() - interval '1 day';
  delete from private.search_words s
  using private.search_words other
  where s.tenant_id = delete_old_search_words.tenant_id and other.tenant_id = s.tenant_id and other.word = s.word
    and other.described = s.described and other.ctid < s.ctid and other.unused_since is null;
  update private.search_words s
  set unused_since = now()
  where s.tenant_id = delete_old_search_words.tenant_id and s.unused_since is null
    and not exists (select from unnest(used) as u (word) where u.word = s.word and not s.described)
    and not exists (select from unnest(used_in_descriptions) as u (word) where u.word = s.word and s.described);
end
$$;
comment on function private.delete_old_search_words is
  'Marks the words that none of a tenant''s products has any more, and deletes those that were marked a day ago.';

create function private.mend_search(progress text) returns text
language plpgsql set search_path = ''
as $$
declare
  started timestamptz := coalesce((progress::jsonb ->> 'started')::timestamptz, now());
  tenant uuid := (progress::jsonb ->> 'tenant_id')::uuid;
  last uuid := (progress::jsonb ->> 'product_id')::uuid;
begin
  if last is null then
    -- The order differs each day, so that no tenant is always left out.
    tenant := (
      select t.id
      from public.tenants t
      where now() < started + interval '10 minutes'
        and (tenant is null or md5(t.id::text || started) > md5(tenant::text || started))
      order by md5(t.id::text || started)
      limit 1
    );
    if tenant is null then
      return null;
    end if;
    perform private.delete_old_search_words(tenant);
    last := '00000000-0000-0000-0000-000000000000';
  else
    last := private.find_outdated_texts(tenant, last);
  end if;
  return jsonb_build_object('started', started, 'tenant_id', tenant, 'product_id', last)::text;
end
$$;
comment on function private.mend_search is
  'A batch of the daily check, after the one that returned this: deletes unused words of the next tenant, or queues those of its next 1000 products whose texts are outdated. There should be none, unless rows were copied with triggers off, or a new version of Postgres stems differently. Returns null at the end, and after 10 minutes.';

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
  referencing old table as former new table as changed
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
