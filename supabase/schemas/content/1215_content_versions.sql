-- Versions of content: every save that changed something. They form a graph through their parents, and never change. A save
-- changes little of a long page, so a version stores only the bytes between the common beginning and the common end of its
-- document and its parent's. Every sixteenth version is stored whole, so reading a version takes at most 16 steps.

-- tables ---------------------------------------------------------------------------------------

create table private.content_versions (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  content_id uuid not null,
  version_number integer not null,
  parents integer[] not null,
  branch text not null,
  autosave boolean not null default false,
  author_id uuid references auth.users (id) on delete set null,
  comment text,
  changes text[] not null,
  asset_ids uuid[] not null,
  -- The version that this one is stored against, the number of bytes that both begin and end with, and the number of steps
  -- to a version that is stored whole.
  base_number integer,
  head_bytes integer not null default 0,
  tail_bytes integer not null default 0,
  steps smallint not null default 0,
  body bytea,
  bytes integer not null,
  created_at timestamptz not null default clock_timestamp(),
  -- In this order, because a version is read through the versions that it is stored against.
  constraint content_versions_pkey primary key (content_id, version_number, tenant_id),
  constraint content_versions_content_id_fkey foreign key (tenant_id, content_id)
    references public.content (tenant_id, id) on delete cascade
);
comment on table private.content_versions is
  'The versions of each piece of content. changes: the paths that differ from the first parent. body: the document as JSON in UTF-8, without the common beginning and end of base_number; null for a version that was pruned, which stays in the graph. bytes: the size of the whole document.';

-- indexes --------------------------------------------------------------------------------------

create index content_versions_author_id_idx on private.content_versions (author_id);
create index content_versions_kept_idx on private.content_versions (content_id, version_number desc) where body is not null;

-- functions: storing -----------------------------------------------------------------------------

create function private.common_head(one bytea, other bytea) returns integer
language plpgsql immutable set search_path = ''
as $$
declare
  same integer := 0;
  most integer := least(octet_length(one), octet_length(other));
  middle integer;
begin
  while same < most loop
    middle := (same + most + 1) / 2;
    if substring(one from same + 1 for middle - same) = substring(other from same + 1 for middle - same) then
      same := middle;
    else
      most := middle - 1;
    end if;
  end loop;
  return same;
end
$$;
comment on function private.common_head is 'The number of equal bytes at the beginning of two texts.';

create function private.common_tail(one bytea, other bytea, most integer) returns integer
language plpgsql immutable set search_path = ''
as $$
declare
  same integer := 0;
  middle integer;
begin
  while same < most loop
    middle := (same + most + 1) / 2;
    if substring(one from octet_length(one) - middle + 1 for middle - same)
      = substring(other from octet_length(other) - middle + 1 for middle - same)
    then
      same := middle;
    else
      most := middle - 1;
    end if;
  end loop;
  return same;
end
$$;
comment on function private.common_tail is 'The number of equal bytes at the end of two texts, at most `most`.';

create function private.version_bytes(content_id uuid, version_number integer) returns bytea
language plpgsql stable security definer set search_path = ''
as $$
declare
  version private.content_versions;
  base bytea;
begin
  select * into version
  from private.content_versions v
  where v.content_id = version_bytes.content_id and v.version_number = version_bytes.version_number;
  if version.base_number is null then
    return version.body;
  end if;
  base := private.version_bytes(content_id, version.base_number);
  return substring(base from 1 for version.head_bytes) || version.body
    || substring(base from octet_length(base) - version.tail_bytes + 1);
end
$$;
comment on function private.version_bytes is 'The document of a version as JSON in UTF-8; null for a pruned version.';

create function private.version_document(content_id uuid, version_number integer) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return convert_from(private.version_bytes(content_id, version_number), 'utf8')::jsonb;
end
$$;
comment on function private.version_document is 'The document of a version; null for a pruned version.';

create function private.asset_ids_in(document jsonb) returns uuid[]
language sql immutable set search_path = ''
as $$
  select coalesce(array_agg(distinct (a #>> '{}')::uuid), '{}')
  from jsonb_path_query(document, 'strict $.**.asset_id') as a
  where jsonb_typeof(a) = 'string' and private.is_uuid(a #>> '{}')
$$;
comment on function private.asset_ids_in is 'The ids of the media assets that a document shows.';

create function private.store_version(
  content public.content, number integer, parents integer[], branch text, document jsonb, changes text[],
  comment text, autosave boolean
) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  steps_at_most constant integer := 15;
  whole bytea := convert_to(document::text, 'utf8');
  base bytea;
  base_steps integer;
  head integer := 0;
  tail integer := 0;
begin
  if parents <> '{}' then
    base := private.version_bytes(content.id, store_version.parents[1]);
    base_steps := (
      select v.steps from private.content_versions v
      where v.content_id = content.id and v.version_number = store_version.parents[1]
    );
  end if;
  if base is not null and base_steps < steps_at_most then
    head := private.common_head(base, whole);
    tail := private.common_tail(base, whole, least(octet_length(base), octet_length(whole)) - head);
  end if;
  -- A version that shares little is stored whole.
  if head + tail < octet_length(whole) / 2 then
    base := null;
    head := 0;
    tail := 0;
  end if;
  insert into private.content_versions (
    tenant_id, content_id, version_number, parents, branch, autosave, author_id, comment, changes, asset_ids,
    base_number, head_bytes, tail_bytes, steps, body, bytes
  )
  values (
    content.tenant_id, content.id, number, parents, branch, autosave, auth.uid(), nullif(store_version.comment, ''),
    changes, private.asset_ids_in(document),
    case when base is not null and head + tail > 0 then parents[1] end, head, tail,
    case when base is not null and head + tail > 0 then base_steps + 1 else 0 end,
    substring(whole from head + 1 for octet_length(whole) - head - tail), octet_length(whole)
  );
end
$$;
comment on function private.store_version is 'Stores a document as a version.';

create function private.prune_version(content_id uuid, version_number integer) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- Versions that are stored against it are stored whole from now on.
  update private.content_versions v
  set body = private.version_bytes(v.content_id, v.version_number), base_number = null, head_bytes = 0, tail_bytes = 0, steps = 0
  where v.content_id = prune_version.content_id and v.base_number = prune_version.version_number;
  update private.content_versions v
  set body = null, base_number = null, head_bytes = 0, tail_bytes = 0, steps = 0
  where v.content_id = prune_version.content_id and v.version_number = prune_version.version_number;
end
$$;
comment on function private.prune_version is 'Prunes a version: removes its document and keeps its place in the graph.';

-- functions: the graph ---------------------------------------------------------------------------

create function private.versions_above(content_id uuid, version_number integer) returns setof integer
language sql stable security definer set search_path = ''
as $$
  with recursive above (number) as (
    select versions_above.version_number
    union
    select p.number
    from above a
    join private.content_versions v on v.content_id = versions_above.content_id and v.version_number = a.number
    cross join lateral unnest(v.parents) as p (number)
  )
  select a.number from above a
$$;
comment on function private.versions_above is 'A version and all its ancestors.';

create function private.common_version(content_id uuid, one integer, other integer) returns integer
language sql stable security definer set search_path = ''
as $$
  -- Numbers grow along the graph, so the largest common ancestor is the nearest.
  select max(a.number)
  from private.versions_above(content_id, one) as a (number)
  join private.versions_above(content_id, other) as b (number) on b.number = a.number
$$;
comment on function private.common_version is 'The nearest common ancestor of two versions.';

create function private.shown_versions(content public.content) returns setof integer
language sql stable security definer set search_path = ''
as $$
  select n.number
  from unnest(array[content.published_version_number, content.scheduled_version_number]) as n (number)
  where n.number is not null
  union
  select b.version_number from private.content_branches b where b.tenant_id = content.tenant_id and b.content_id = content.id
  union
  select coalesce(l.published_version_number, l.withdrawn_version_number)
  from public.content_localizations l
  where l.content_id = content.id and coalesce(l.published_version_number, l.withdrawn_version_number) is not null
$$;
comment on function private.shown_versions is
  'The versions in use: published, scheduled, heads of branches, and translations that return with their original.';

create function private.kept_versions(content public.content) returns setof integer
language sql stable security definer set search_path = ''
as $$
  select s from private.shown_versions(content) as s
  union
  select private.common_version(content.id, one.version_number, other.version_number)
  from private.content_branches one
  join private.content_branches other
    on other.tenant_id = one.tenant_id and other.content_id = one.content_id and other.name > one.name
  where one.tenant_id = content.tenant_id and one.content_id = content.id
$$;
comment on function private.kept_versions is
  'The versions that are never pruned: those in use, and the bases of merges between branches.';

create function private.prune_versions(content public.content) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  most bigint := coalesce(
    (select (t.settings #>> '{content,keep_versions}')::bigint from public.tenants t where t.id = content.tenant_id),
    private.cap('versions_per_content')
  );
begin
  if content.last_version_number <= most then
    return;
  end if;
  perform private.prune_version(content.id, v.version_number)
  from private.content_versions v
  where v.content_id = content.id
    and v.body is not null
    and v.version_number <= (
      select min(kept.version_number)
      from (
        select k.version_number from private.content_versions k
        where k.content_id = content.id and k.body is not null
        order by k.version_number desc
        limit most
      ) as kept
    ) - 1
    and v.version_number not in (select k from private.kept_versions(content) as k);
end
$$;
comment on function private.prune_versions is
  'Prunes the oldest versions of a piece of content beyond settings.content.keep_versions.';

-- functions: differences -------------------------------------------------------------------------

create function private.parts_of(document jsonb, other jsonb default null)
returns table (path text, value jsonb, place bigint)
language plpgsql immutable set search_path = ''
as $$
begin
  return query
    select d.key, d.value, null::bigint
    from jsonb_each(document) as d
    where d.key not in ('title', 'fields', 'seo', 'blocks', 'localizations') and d.value is distinct from other -> d.key
    union all
    select d.key || '.' || e.key, e.value, null
    from unnest(array['title', 'fields', 'seo']) as d (key)
    cross join lateral jsonb_each(document -> d.key) as e
    where document -> d.key is distinct from other -> d.key
    union all
    select 'blocks.' || (b.value ->> 'id'), b.value, b.position
    from jsonb_array_elements(
      case when document -> 'blocks' is distinct from other -> 'blocks' then document -> 'blocks' end
    ) with ordinality as b (value, position)
    union all
    select format('localizations.%s.%s', l.key, e.key), e.value, null
    from jsonb_each(document -> 'localizations') as l
    cross join lateral jsonb_each(l.value) as e
    where l.value is distinct from other -> 'localizations' -> l.key;
end
$$;
comment on function private.parts_of is
  'The parts of a document that a change can name, each with its path, and the position of each block. Parts that another document has as well are left out.';

create function private.changed_paths(before jsonb, after jsonb) returns text[]
language sql immutable set search_path = ''
as $$
  select coalesce(array_agg(path order by path), '{}')
  from (
    select coalesce(b.path, a.path) as path
    from private.parts_of(before, after) as b
    full join private.parts_of(after, before) as a on a.path = b.path
    where b.value is distinct from a.value or b.place is distinct from a.place
    order by 1
    limit 1000
  ) as changed
$$;
comment on function private.changed_paths is 'The first 1,000 paths that differ between two documents.';

-- policies -------------------------------------------------------------------------------------

alter table private.content_versions enable row level security;
