-- Synonyms: groups of terms; a search for one term of a group also finds the others.

-- tables ---------------------------------------------------------------------------------------

create table public.search_synonyms (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  terms text[] not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint search_synonyms_tenant_id_id_key unique (tenant_id, id),
  constraint search_synonyms_terms_is_a_list_of_2_to_20_different_terms check (cardinality(terms) between 2 and 20)
);
comment on table public.search_synonyms is
  'Groups of synonyms: a search for one term finds products with any of them. Terms are words or phrases, stored in lower case, without accents and with single spaces. Of terms that are equal for search, only the first is kept.';
alter table public.search_synonyms replica identity using index search_synonyms_tenant_id_id_key;

-- indexes --------------------------------------------------------------------------------------

create index search_synonyms_tenant_id_created_at_idx on public.search_synonyms (tenant_id, created_at desc, id);

-- functions ------------------------------------------------------------------------------------

create function private.fold_search_synonyms() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  folded text[];
  unfit record;
begin
  -- A longer list is refused because of its length, whatever it contains.
  if cardinality(new.terms) > 20 then
    return new;
  end if;
  folded := array(
    select btrim(regexp_replace(lower(extensions.unaccent(normalize(sent.term, nfkc))), '\s+', ' ', 'g'))
    from unnest(new.terms) with ordinality as sent (term, place)
    order by sent.place
  );
  select t.place - 1 as index, t.sent into unfit
  from unnest(folded, new.terms) with ordinality as t (term, sent, place)
  where (char_length(t.term) <= 100 and btrim(private.fold(t.term)) <> '') is not true
  order by t.place
  limit 1;
  if found then
    perform private.refuse(
      'VALIDATION_ERROR', 'A term must have 1 to 100 characters, one of them a letter or digit.',
      format('terms[%s]', unfit.index), to_jsonb(unfit.sent)
    );
  end if;
  new.terms := array(
    select (array_agg(t.term order by t.place))[1]
    from unnest(folded) with ordinality as t (term, place)
    group by btrim(private.fold(t.term))
    order by min(t.place)
  );
  return new;
end
$$;
comment on function private.fold_search_synonyms() is
  'Row trigger: folds terms and keeps the first of those that are equal for search. Refuses with VALIDATION_ERROR a term that is too long, or that has no letter or digit.';

create function public.create_search_synonyms(terms text[]) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created public.search_synonyms;
begin
  insert into public.search_synonyms (terms)
  values (create_search_synonyms.terms)
  returning * into created;
  return to_jsonb(created);
end
$$;
comment on function public.create_search_synonyms is
  'For admins: creates a group of 2 to 20 different terms, so that a search for one finds products with any of them, and returns it. Refuses with FORBIDDEN, VALIDATION_ERROR.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.search_synonyms
  for each row execute function private.keep_nfc();

create trigger search_synonyms_are_changed_by_admins
  before insert or update or delete on public.search_synonyms
  for each statement execute function private.permitted_only('synonyms.write');

create trigger search_synonyms_fold
  before insert or update of terms on public.search_synonyms
  for each row execute function private.fold_search_synonyms();

create trigger search_synonyms_touch
  before update on public.search_synonyms
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.search_synonyms enable row level security;

create policy "Members see their tenant's synonyms" on public.search_synonyms
  for select to authenticated
  using (tenant_id = (select private.tenant_id()));

create policy "Admins create synonyms" on public.search_synonyms
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('synonyms.write')) = 'all');

create policy "Admins change synonyms" on public.search_synonyms
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('synonyms.write')) = 'all')
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('synonyms.write')) = 'all');

create policy "Admins delete synonyms" on public.search_synonyms
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('synonyms.write')) = 'all');

-- grants ---------------------------------------------------------------------------------------

grant select, delete, insert (terms), update (terms) on public.search_synonyms to authenticated;
grant all on public.search_synonyms to service_role;
grant execute on function public.create_search_synonyms to authenticated;
