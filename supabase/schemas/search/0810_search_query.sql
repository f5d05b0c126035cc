-- Queries of search: turns a search text into a tsquery, with synonyms, parts of words and corrections of misspelt
-- ones, and ranks the products that it finds.

-- types ----------------------------------------------------------------------------------------

create type private.search_terms as (
  wide tsquery, exact tsquery, exact_lexemes integer, near tsquery, near_lexemes integer, guessed tsquery,
  guessed_lexemes integer, slight tsquery, slight_lexemes integer, words integer, short_words integer, parts text[],
  numbers text[]
);
comment on type private.search_terms is
  'A search text as queries on product_texts. wide: what is found. The others rank what is found: the words as searched with their synonyms (exact), words that begin with them or contain them (near), words that only descriptions have and corrections (guessed), and stop words (slight); each with its number of lexemes. words: the number of words that are not stop words; short_words: how many of these have less than three letters. parts, numbers: the parts of the query, one for each word or synonym; parts may be left out, numbers may not.';

create type private.found_product as (
  id uuid, category_id uuid, brand text, lowest_price numeric, highest_price numeric, marketplace_id uuid,
  created_at timestamptz, updated_at timestamptz, relevance double precision, has_all boolean
);
comment on type private.found_product is
  'A product that a search finds, its relevance from 0 to 1, and whether it has all words of the search.';

-- functions ------------------------------------------------------------------------------------

create function private.stems(languages text[], words text[]) returns text[]
language plpgsql stable set search_path = ''
as $$
begin
  if words = '{}' then
    return words;
  end if;
  return array(
    select distinct s.lexeme
    from unnest(languages) as l (language)
    cross join unnest(to_tsvector(('private.' || l.language)::regconfig, array_to_string(words, ' '))) as s
  );
end
$$;
comment on function private.stems is 'The lexemes that texts in any of these languages have for these folded words.';

create function private.operand(key text, lexeme text) returns text
language sql immutable
return '''' || replace(replace(key || lexeme, '\', '\\'), '''', '''''') || '''';
comment on function private.operand is 'A lexeme of a tenant as an operand of a tsquery.';

create function private.any_of(key text, lexemes text[]) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select '(' || string_agg(distinct private.operand(key, l.lexeme), ' | ') || ')' from unnest(lexemes) as l (lexeme)
  );
end
$$;
comment on function private.any_of is 'A part of a tsquery, as text, that matches any of these lexemes of a tenant.';

create function private.edit_distance(a text, b text) returns integer
language plpgsql immutable set search_path = ''
as $$
declare
  columns integer := char_length(b);
  letters text[] := string_to_array(b, null);
  before_last integer[];
  last integer[];
  this integer[];
  letter text;
  previous text;
begin
  -- Indices begin at 1: [j + 1] is the distance between the first letters of a and the first j letters of b.
  last := array(select generate_series(0, columns));
  for i in 1 .. char_length(a) loop
    letter := substr(a, i, 1);
    this := array[i];
    for j in 1 .. columns loop
      this[j + 1] := least(
        last[j + 1] + 1, this[j] + 1, last[j] + case when letter = letters[j] then 0 else 1 end
      );
      if i > 1 and j > 1 and letter = letters[j - 1] and previous = letters[j] then
        this[j + 1] := least(this[j + 1], before_last[j - 1] + 1);
      end if;
    end loop;
    before_last := last;
    last := this;
    previous := letter;
  end loop;
  return last[columns + 1];
end
$$;
comment on function private.edit_distance is
  'The number of missing, additional, wrong or swapped letters between two words (Damerau-Levenshtein distance).';

create function private.slips_allowed(word text) returns integer
language sql immutable
return least(char_length(word) / 4, 2);
comment on function private.slips_allowed is
  'The largest edit distance between a misspelt word and its correction: 1 from four letters on, 2 from eight.';

create function private.words_with(tenant_id uuid, part text, out words text[], out described text[])
-- A plan from when the table was empty, which a session keeps, would scan search_words.
-- Planned once: 0.17 ms without, 0.05 with, for two words.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  wanted bigint[] := private.grams(tenant_id, part);
begin
  select
    coalesce(array_agg(w.word) filter (where not w.described), '{}'),
    coalesce(array_agg(w.word) filter (where w.described), '{}')
  into words, described
  from (
    select s.word, bool_and(s.described) as described
    from private.search_words s
    where private.grams(s.tenant_id, ' ' || s.word || ' ') @> wanted
      and s.tenant_id is not distinct from words_with.tenant_id
      and strpos(s.word, part) > 0
    group by s.word
    order by bool_and(s.described), char_length(s.word), s.word
    limit 100
  ) as w;
end
$$;
comment on function private.words_with is
  'Words of a tenant''s products that contain a part of 3 letters or more: the 100 shortest, first those that texts other than descriptions have (words), then those that only descriptions have (described).';

create function private.words_like(tenant_id uuid, misspelt text) returns text[]
-- A plan from when the table was empty, which a session keeps, would scan search_words.
-- Planned once: 0.10 ms without, 0.04 with, for a misspelt word.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  allowed integer := private.slips_allowed(misspelt);
  wanted bigint[] := private.grams(tenant_id, ' ' || misspelt || ' ');
begin
  if allowed = 0 or misspelt ~ '[0-9]' then
    return '{}'::text[];
  end if;
  return array(
    select near.word
    from (
      select s.word, private.edit_distance(s.word, misspelt) as distance
      from (
        select s.word
        from private.search_words s
        where private.grams(s.tenant_id, ' ' || s.word || ' ') && wanted
          and s.tenant_id is not distinct from words_like.tenant_id
          and not s.described
          and abs(char_length(s.word) - char_length(misspelt)) <= allowed
        group by s.word
        order by extensions.similarity(s.word, misspelt) desc, s.word
        limit 20
      ) as s
    ) as near
    where near.distance <= allowed
    order by near.distance, near.word
    limit 5
  );
end
$$;
comment on function private.words_like is
  'Corrections of a misspelt word: the tenant''s words that differ from it by one letter, or by two if it has eight or more. Words with digits are not corrected.';

create function private.synonym_groups(tenant_id uuid, asked text[]) returns uuid[]
-- A plan from when the table was empty, which a session keeps, would scan search_synonyms.
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off
as $$
declare
  -- Stemming does not change the first three letters of a word.
  beginnings text := '\m(' || (select string_agg(left(w.word, 3), '|') from unnest(asked) as w (word)) || ')';
begin
  return array(
    select s.id
    from public.search_synonyms s
    where s.tenant_id = synonym_groups.tenant_id and array_to_string(s.terms, ' ') ~ beginnings
  );
end
$$;
comment on function private.synonym_groups is
  'The tenant''s groups of synonyms that may apply to these words, found by the first letters of their terms.';

create function private.synonyms_in(groups uuid[], key text, languages text[], asked text[])
returns table (first integer, last integer, alternatives text, lexemes text[])
-- A plan from when the table was empty, which a session keeps, would scan search_synonyms.
-- Planned once: 0.21 ms without, 0.06 with, for a word.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  return query
  with known as materialized (
    select s.id, private.words(private.fold(t.term)) as words, t.position
    from public.search_synonyms s
    cross join unnest(s.terms) with ordinality as t (term, position)
    where s.id = any (groups)
  ),
  met as materialized (
    select distinct k.id, here.place as first, here.place + cardinality(k.words) - 1 as last
    from known k
    cross join generate_subscripts(asked, 1) as here (place)
    where k.words <> '{}'
      and here.place + cardinality(k.words) - 1 <= cardinality(asked)
      and not exists (
        select 1
        from unnest(k.words) with ordinality as term (word, position)
        where not private.stems(languages, array[term.word])
          && private.stems(languages, array[asked[here.place + term.position - 1]])
      )
  )
  select
    m.first, m.last, string_agg(phrase.written, ' | ' order by phrase.written),
    private.stems(languages, array_agg(array_to_string(k.words, ' ')))
  from met m
  join known k on k.id = m.id
  cross join lateral (
    select '(' || string_agg(
      private.any_of(key, private.stems(languages, array[term.word])), ' <-> ' order by term.position
    ) || ')' as written
    from unnest(k.words) with ordinality as term (word, position)
  ) as phrase
  group by m.first, m.last;
end
$$;
comment on function private.synonyms_in is
  'The synonyms that apply to the searched words: the positions of the first and last word that they replace, the alternatives as a part of a tsquery, and their lexemes.';

create function private.is_in_a_text(tenant_id uuid, lexemes text[]) returns boolean
-- A plan from when the table was empty, which a session keeps, would scan product_texts.
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off
as $$
declare
  query tsquery := private.any_of(private.search_key(tenant_id), lexemes)::tsquery;
begin
  return exists (
    select 1
    from private.product_texts t
    where t.document @@ query and t.tenant_id is not distinct from is_in_a_text.tenant_id
  );
end
$$;
comment on function private.is_in_a_text is 'Whether any product of the tenant has one of these lexemes.';

create function private.stop_words(plain text, words text[], languages text[]) returns text[]
language plpgsql stable set search_path = ''
as $$
declare
  stop_words text[];
begin
  -- Stop words are compared before folding, because the folded "für" is not a stop word.
  stop_words := array(
    select private.fold(w.word)
    from unnest(private.words(plain)) as w (word)
    cross join unnest(languages) as l (language)
    where to_tsvector(('pg_catalog.' || l.language)::regconfig, w.word) = ''
  );
  return case when words <@ stop_words then '{}'::text[] else stop_words end;
end
$$;
comment on function private.stop_words is
  'The folded words of a text that are stop words in one of these languages; none if all words are.';

create function private.relatives_of(
  tenant_id uuid, languages text[], word text, stems text[], is_guessing boolean,
  out near text[], out guessed text[]
)
language plpgsql stable set search_path = ''
as $$
declare
  holding record := private.words_with(tenant_id, word);
begin
  near := private.stems(languages, holding.words);
  guessed := private.stems(languages, holding.described);
  if is_guessing and near = '{}' and not private.is_in_a_text(tenant_id, stems) then
    guessed := guessed || private.stems(languages, private.words_like(tenant_id, word));
  end if;
end
$$;
comment on function private.relatives_of is
  'Lexemes related to a word of 3 letters or more in a tenant''s texts. near: words that contain it. guessed: words that contain it and that only descriptions have, and its corrections if no text has it.';

create function private.with_lexemes(
  terms private.search_terms, key text, exact text[], near text[], beginnings text[], guessed text[], slight text[]
) returns private.search_terms
language plpgsql immutable set search_path = ''
as $$
begin
  terms.wide := array_to_string(terms.parts || terms.numbers, ' & ')::tsquery;
  exact := array(select distinct e.lexeme from unnest(exact) as e (lexeme));
  terms.exact := private.any_of(key, exact)::tsquery;
  terms.exact_lexemes := cardinality(exact);
  -- ts_rank counts each lexeme of a query once, with or without a star.
  near := array(
    select n.lexeme from unnest(near) as n (lexeme) except select b.word from unnest(beginnings) as b (word)
  );
  beginnings := array(select distinct private.operand(key, b.word) || ':*' from unnest(beginnings) as b (word));
  terms.near := concat_ws(' | ', private.any_of(key, near), nullif(array_to_string(beginnings, ' | '), ''))::tsquery;
  terms.near_lexemes := cardinality(near) + cardinality(beginnings);
  guessed := array(select distinct g.lexeme from unnest(guessed) as g (lexeme));
  terms.guessed := private.any_of(key, guessed)::tsquery;
  terms.guessed_lexemes := cardinality(guessed);
  slight := array(select distinct s.lexeme from unnest(slight) as s (lexeme));
  terms.slight := private.any_of(key, slight)::tsquery;
  terms.slight_lexemes := cardinality(slight);
  return terms;
end
$$;
comment on function private.with_lexemes is
  'The terms of a search with the queries of their parts and of these lexemes. beginnings: words that match as prefixes.';

create function private.search_reading(
  tenant_id uuid, words text[], stop_words text[], languages text[], is_guessing boolean
) returns private.search_terms
language plpgsql stable security definer set search_path = ''
as $$
declare
  key text := private.search_key(tenant_id);
  groups uuid[] := private.synonym_groups(tenant_id, words);
  here integer := 1;
  first integer;
  beyond integer;
  synonyms record;
  word text;
  stems text[];
  relatives record;
  span text[];
  part text;
  exact text[] := '{}'::text[];
  near text[] := '{}'::text[];
  beginnings text[] := '{}'::text[];
  guessed text[] := '{}'::text[];
  slight text[] := '{}'::text[];
  terms private.search_terms;
begin
  terms.words := 0;
  terms.short_words := 0;
  terms.parts := '{}'::text[];
  terms.numbers := '{}'::text[];
  while here <= cardinality(words) loop
    select s.last, s.alternatives, s.lexemes into synonyms
    from private.synonyms_in(groups, key, languages, words) s
    where groups <> '{}' and s.first = here
    order by s.last desc
    limit 1;
    beyond := coalesce(synonyms.last, here) + 1;
    exact := exact || synonyms.lexemes;
    span := '{}';
    first := here;
    while here < beyond loop
      word := words[here];
      here := here + 1;
      stems := private.stems(languages, array[word]);
      if word = any (stop_words) then
        slight := slight || stems;
        continue;
      end if;
      terms.words := terms.words + 1;
      exact := exact || stems;
      if char_length(word) < 3 then
        terms.short_words := terms.short_words + 1;
      else
        relatives := private.relatives_of(tenant_id, languages, word, stems, is_guessing);
        near := near || relatives.near;
        guessed := guessed || relatives.guessed;
        stems := stems || relatives.near || relatives.guessed;
      end if;
      beginnings := beginnings || word;
      span := span || format('(%s | %s:*)', private.any_of(key, stems), private.operand(key, word));
    end loop;
    if span <> '{}' or synonyms.alternatives is not null then
      part := '('
        || concat_ws(' | ', '(' || nullif(array_to_string(span, ' & '), '') || ')', synonyms.alternatives) || ')';
      if array_to_string(words[first:here - 1], ' ') ~ '[0-9]' then
        terms.numbers := terms.numbers || part;
      else
        terms.parts := terms.parts || part;
      end if;
    end if;
  end loop;
  return private.with_lexemes(terms, key, exact, near, beginnings, guessed, slight);
end
$$;
comment on function private.search_reading is
  'The terms of a search for these words. Each word that is not a stop word matches itself, its synonyms, words that begin with it or contain it, and, if the tenant has none of these, its corrections.';

create function private.search_query(tenant_id uuid, search text, marketplaces uuid[]) returns private.search_terms[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  searched text := left(search, 200);
  plain text := private.with_signs(private.with_units(private.plain(searched)));
  joined text := private.without_hyphens(plain);
  words text[] := (private.words(private.pieces(private.fold(plain))))[1:12];
  languages text[];
  stop_words text[];
begin
  languages := array(
    select distinct private.search_language(m.language)
    from public.marketplaces m
    where m.tenant_id = search_query.tenant_id and (marketplaces is null or m.id = any (marketplaces))
  );
  if words = '{}' or languages = '{}' then
    return '{}'::private.search_terms[];
  end if;
  stop_words := private.stop_words(lower(searched), words, languages);
  return array[private.search_reading(tenant_id, words, stop_words, languages, true)]
    || case
      when joined <> plain then array[private.search_reading(
        tenant_id, (private.words(private.pieces(private.fold(joined))))[1:12], stop_words, languages, false
      )]
    end;
end
$$;
comment on function private.search_query is
  'The readings of a search text: word by word, and, if signs such as a hyphen join some words, also with these as one word. Stop words are those of the languages of these marketplaces; null for all of the tenant''s.';

-- Without a SET clause, so that Postgres inlines it into the query. ts_rank divides by the number of lexemes of the
-- query and by the sum of 1/n², which is 1.64493406685. 1 - 0.5 / (0.5 + x) equals x / (0.5 + x), and computes x once.
create function private.fitness(
  document tsvector, words integer, exact tsquery, exact_lexemes integer, near tsquery, near_lexemes integer,
  guessed tsquery, guessed_lexemes integer, slight tsquery, slight_lexemes integer
) returns double precision
language sql immutable
return 1 - 0.5 / (
  0.5 + 1.64493406685 / words * (
    ts_rank(document, exact) * exact_lexemes
    + 0.5 * ts_rank(document, near) * near_lexemes
    + 0.08 * coalesce(ts_rank(document, guessed), 0) * guessed_lexemes
    + 0.1 * coalesce(ts_rank('{0,0,0.4,1}', document, slight), 0) * slight_lexemes
  )
);
comment on function private.fitness is
  'The relevance of a text, from 0 to 1. An exact word counts more than one that begins with it or contains it, which counts more than a guess. Stop words count less than other words, and only in names and in attributes. Names count more than attributes, these more than categories, and these more than descriptions.';

create function private.two_of(parts text[]) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  half integer := cardinality(parts) / 2;
begin
  -- Two of the first half, two of the second, or one of each, which is much shorter than all pairs.
  return case
    when half > 0 then concat_ws(
      ' | ', private.two_of(parts[:half]), private.two_of(parts[half + 1:]),
      format('(%s) & (%s)', array_to_string(parts[:half], ' | '), array_to_string(parts[half + 1:], ' | '))
    )
  end;
end
$$;
comment on function private.two_of is
  'A part of a tsquery, as text, that matches texts with two of these parts; null for less than two.';

create function private.products_named(
  part text, besides tsquery, branch uuid[], filters private.product_filters
) returns setof private.found_product
-- A plan from when the tables were empty, which a session keeps, would scan products.
-- Planned once: 1.3 ms without, 0.9 with, for two letters.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  unfiltered boolean := filters is null;
begin
  return query
    select
      p.id, p.category_id, p.brand, p.lowest_price, p.highest_price, p.marketplace_id, p.created_at, p.updated_at,
      0.05::double precision, true
    from public.products p
    join private.product_texts t on t.product_id = p.id and t.tenant_id = p.tenant_id
    where p.tenant_id = tenant
      and strpos(lower(p.name), part) > 0
      and (t.document @@ besides) is not true
      and p.status <> 'discontinued'
      and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
      and (branch is null or p.category_id = any (branch))
      and (unfiltered or private.is_wanted(p, filters));
end
$$;
comment on function private.products_named is
  'The products that the caller sees whose name contains a part, without those that match a query (besides). For products_found: one or two letters or signs, which no index finds.';

create function private.products_found(search text, branch uuid[], filters private.product_filters)
returns setof private.found_product
-- A plan from when the tables were empty, which a session keeps, would scan products and product_texts.
-- Planned once: 0.37 ms without, 0.10 with, for two words.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  unfiltered boolean := filters is null;
  readings private.search_terms[] := private.search_query(tenant, search, filters.marketplaces);
  terms private.search_terms := readings[1];
  -- The reading with words that hyphens join as one; null if there are none. The better one of both readings counts.
  joined private.search_terms := readings[2];
  wide tsquery := case when joined.wide is null then terms.wide else terms.wide || joined.wide end;
  besides tsquery;
  words integer := terms.words;
  exact tsquery := terms.exact;
  exact_lexemes integer := terms.exact_lexemes;
  near tsquery := terms.near;
  near_lexemes integer := terms.near_lexemes;
  guessed tsquery := terms.guessed;
  guessed_lexemes integer := terms.guessed_lexemes;
  slight tsquery := terms.slight;
  slight_lexemes integer := terms.slight_lexemes;
  some_parts text;
  rows_found integer;
begin
  -- First products that match all parts. If these are less than ten (for two parts, if there are none), products that
  -- match some parts follow.
  loop
    return query
      select
        p.id, p.category_id, p.brand, p.lowest_price, p.highest_price, p.marketplace_id, p.created_at, p.updated_at,
        greatest(
          private.fitness(
            t.document, words, exact, exact_lexemes, near, near_lexemes, guessed, guessed_lexemes, slight, slight_lexemes
          ),
          private.fitness(
            t.document, joined.words, joined.exact, joined.exact_lexemes, joined.near, joined.near_lexemes,
            joined.guessed, joined.guessed_lexemes, joined.slight, joined.slight_lexemes
          )
        ) * case when besides is null then 1 else 0.2 end,
        besides is null
      from private.product_texts t
      join public.products p on p.id = t.product_id
      where t.document @@ wide
        and (t.document @@ besides) is not true
        -- With `=`, Postgres might use the tenant's index and read all its rows.
        and t.tenant_id is not distinct from tenant
        and p.tenant_id is not distinct from tenant
        and p.status <> 'discontinued'
        and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
        and (branch is null or p.category_id = any (branch))
        and (unfiltered or private.is_wanted(p, filters));
    get diagnostics rows_found = row_count;
    exit when besides is not null
      or rows_found >= case cardinality(terms.parts) when 2 then 1 else 10 end
      or coalesce(cardinality(terms.parts), 0) < 2;
    besides := wide;
    -- For long searches, the first eight words are enough.
    some_parts := case cardinality(terms.parts)
      when 2 then array_to_string(terms.parts, ' | ')
      else private.two_of(terms.parts[:8])
    end;
    wide := array_to_string(terms.numbers || format('(%s)', some_parts), ' & ')::tsquery;
  end loop;

  -- One or two letters or signs match anywhere in a name.
  if terms.words is null or terms.words = terms.short_words or terms.short_words > 0 and rows_found = 0 then
    return query select * from private.products_named(lower(btrim(left(search, 200))), wide, branch, filters);
  end if;
end
$$;
comment on function private.products_found is
  'The products that the caller sees, that match a search text and that pass the filters (null: no filter), each with its relevance from 0 to 1. If less than ten match all words, products that match all numbers and two of the other words follow, with a fifth of their relevance; for a search of two words, if none matches both, products that match one. has_all tells them apart. This function bypasses the policies and checks the same conditions, because text operators are not leakproof, so that a query with policies could not use the index.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.products_found to authenticated, service_role;
