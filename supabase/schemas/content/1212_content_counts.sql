-- The number of pieces of content. A list returns its total, and counting 100,000 rows would take longer than the rest of
-- the list. Each change adds a row with +1 or -1, and a job sums rows up. So no transaction waits for another one, and a
-- total is the sum of a few rows.

-- tables ---------------------------------------------------------------------------------------

create table private.content_counts (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  type text not null,
  marketplace_id uuid not null,
  status public.content_status,
  visibility public.content_visibility,
  visible_to public.member_role[],
  pieces integer not null,
  constraint content_counts_is_of_drafts_or_of_what_is_published check ((status is null) <> (visibility is null))
);
comment on table private.content_counts is
  'Changes of the number of pieces of content: by status, for editors, and by visibility, for readers. The sum is the current number.';
-- The whole row identifies it for replication, because it has no key.
alter table private.content_counts replica identity full;

-- indexes --------------------------------------------------------------------------------------

create index content_counts_tenant_idx on private.content_counts (tenant_id, type);

-- functions --------------------------------------------------------------------------------------

create function private.count_content() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  content public.content := case when tg_op = 'DELETE' then old else new end;
begin
  insert into private.content_counts (tenant_id, type, marketplace_id, status, pieces)
  select content.tenant_id, content.type, content.marketplace_id, c.status, c.pieces
  from unnest(
    array[case when tg_op <> 'INSERT' then old.status end, case when tg_op <> 'DELETE' then new.status end], array[-1, 1]
  ) as c (status, pieces)
  -- Nothing is counted while the tenant itself is deleted.
  where c.status is not null and private.is_tenant_kept(content.tenant_id);
  return null;
end
$$;
comment on function private.count_content() is 'Row trigger: counts content by status.';

create function private.count_published_content() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' and private.is_tenant_kept(old.tenant_id) then
    insert into private.content_counts (tenant_id, type, marketplace_id, visibility, visible_to, pieces)
    values (old.tenant_id, old.type, old.marketplace_id, old.visibility, old.visible_to, -1);
  end if;
  if tg_op <> 'DELETE' then
    insert into private.content_counts (tenant_id, type, marketplace_id, visibility, visible_to, pieces)
    values (new.tenant_id, new.type, new.marketplace_id, new.visibility, new.visible_to, 1);
  end if;
  return null;
end
$$;
comment on function private.count_published_content() is 'Row trigger: counts published content by visibility.';

create function private.number_of_drafts(
  type text default null, status public.content_status default null, marketplace_id uuid default null
) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select sum(c.pieces)
    from private.content_counts c
    where c.tenant_id = private.tenant_id()
      and c.status is not null
      and (number_of_drafts.type is null or c.type = number_of_drafts.type)
      and (number_of_drafts.status is null or c.status = number_of_drafts.status)
      and (number_of_drafts.marketplace_id is null or c.marketplace_id = number_of_drafts.marketplace_id)
  ), 0);
end
$$;
comment on function private.number_of_drafts is 'The number of pieces of content of the caller''s tenant, of a type, a status or a marketplace if one is given.';

create function private.number_of_published(type text, marketplace_id uuid default null) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select sum(c.pieces)
    from private.content_counts c
    where c.tenant_id = private.tenant_id()
      and c.type = number_of_published.type
      and case c.visibility
        when 'public' then true
        when 'members' then not private.is_guest()
        when 'roles' then private.tenant_role() = any (c.visible_to) and not private.is_visit()
        else false
      end
      and (number_of_published.marketplace_id is null or c.marketplace_id = number_of_published.marketplace_id)
      and private.is_of_visit(c.marketplace_id)
  ), 0);
end
$$;
comment on function private.number_of_published is 'The number of published pieces of content of a type that the caller may read.';

create function private.gather_content_counts() returns void
language sql security definer set search_path = ''
as $$
  -- A concurrent reader sees either the old rows or the new one.
  with gone as (
    delete from private.content_counts c
    where c.ctid = any (array(
      select w.ctid
      from private.content_counts w
      join (
        select m.tenant_id, m.type from private.content_counts m group by m.tenant_id, m.type having count(*) > 50 limit 1000
      ) as many on many.tenant_id = w.tenant_id and many.type = w.type
      for update of w skip locked
    ))
    returning c.*
  )
  insert into private.content_counts (tenant_id, type, marketplace_id, status, visibility, visible_to, pieces)
  select g.tenant_id, g.type, g.marketplace_id, g.status, g.visibility, g.visible_to, sum(g.pieces)
  from gone g
  group by g.tenant_id, g.type, g.marketplace_id, g.status, g.visibility, g.visible_to
  having sum(g.pieces) <> 0
$$;
comment on function private.gather_content_counts() is 'Replaces the rows of a type that has more than 50 by their sums.';

-- triggers -------------------------------------------------------------------------------------

create trigger content_count
  after insert or delete on public.content
  for each row execute function private.count_content();

create trigger content_count_status
  after update of status on public.content
  for each row when (old.status <> new.status)
  execute function private.count_content();

create trigger published_content_count
  after insert or delete on public.published_content
  for each row execute function private.count_published_content();

create trigger published_content_count_visibility
  after update of visibility, visible_to on public.published_content
  for each row when (old.visibility <> new.visibility or old.visible_to <> new.visible_to)
  execute function private.count_published_content();

-- policies -------------------------------------------------------------------------------------

alter table private.content_counts enable row level security;
