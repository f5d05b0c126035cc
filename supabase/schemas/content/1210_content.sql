-- Content: its working draft and its published version. Callers who may see drafts read public.content. All others read
-- public.published_content, which holds nothing of a draft. The texts are in the private schema, because some of their
-- blocks are for certain roles only: functions return them.
--
--   content            one row for each piece of content: status, slug, schedule
--   content_branches   the working document of each branch; `main` is the one that is reviewed and published
--   published_content  one row for each published piece, with the document of each language in published_texts

create type public.translation_status as enum ('draft', 'in_progress', 'review', 'approved', 'published');
create type public.content_visibility as enum ('public', 'members', 'roles');

-- tables ---------------------------------------------------------------------------------------

create table public.content (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  type text not null,
  marketplace_id uuid not null,
  product_id uuid,
  category_id uuid,
  supplier_id uuid,
  language text not null,
  slug text not null,
  title jsonb not null,
  status public.content_status not null default 'draft',
  version_number integer not null default 1,
  last_version_number integer not null default 1,
  original_version_number integer not null default 1,
  published_version_number integer,
  scheduled_version_number integer,
  scheduled_languages text[],
  scheduled_at timestamptz,
  unpublish_at timestamptz,
  author_id uuid references auth.users (id) on delete set null,
  published_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint content_tenant_id_id_key unique (tenant_id, id),
  -- A lookup by slug seldom names the marketplace, so that column comes last.
  constraint slug_is_unique_in_content unique (tenant_id, type, slug, marketplace_id),
  constraint content_type_fkey foreign key (tenant_id, type) references public.content_types (tenant_id, key),
  constraint content_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade,
  constraint content_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint content_category_id_fkey foreign key (tenant_id, category_id)
    references public.categories (tenant_id, id) on delete cascade,
  constraint content_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint content_type_is_that_of_its_subject
    check ((type = 'products') = (product_id is not null) and (type = 'categories') = (category_id is not null)),
  constraint content_slug_is_small_letters_digits_and_hyphens check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 200),
  constraint content_scheduled_at_is_set_with_its_version check ((scheduled_at is null) = (scheduled_version_number is null))
);
comment on table public.content is
  'A piece of content for callers who may see drafts: its status, and the slug and title of its draft. language: the language of the original. original_version_number: the last version that changed the original; older translations are outdated. last_version_number: the newest version of all branches.';

create table private.content_branches (
  tenant_id uuid not null,
  content_id uuid not null,
  name text not null,
  version_number integer not null,
  document jsonb not null,
  created_at timestamptz not null default now(),
  constraint content_branches_pkey primary key (tenant_id, content_id, name),
  constraint content_branches_content_id_fkey foreign key (tenant_id, content_id)
    references public.content (tenant_id, id) on delete cascade,
  constraint content_branches_name_is_small_letters_digits_and_hyphens check (name ~ '^[a-z0-9][a-z0-9_-]{0,49}$')
);
comment on table private.content_branches is
  'The branches of a piece of content: the newest version of each, and its document.';

create table public.published_content (
  content_id uuid primary key,
  tenant_id uuid not null,
  type text not null,
  marketplace_id uuid not null,
  product_id uuid,
  category_id uuid,
  slug text not null,
  language text not null,
  languages text[] not null,
  title jsonb not null,
  visibility public.content_visibility not null,
  visible_to public.member_role[] not null default '{}',
  version_number integer not null,
  author_id uuid,
  created_at timestamptz not null,
  published_at timestamptz not null default now(),
  constraint published_content_content_id_fkey foreign key (tenant_id, content_id)
    references public.content (tenant_id, id) on delete cascade,
  constraint slug_is_unique_in_published_content unique (tenant_id, type, slug, marketplace_id)
);
comment on table public.published_content is
  'What readers see: one row for each published piece of content. languages: the published ones, the original''s first. Functions return its texts.';
-- No constraint: to PostgREST, it would make published_content a single object, and not a list, of content.
create unique index published_content_tenant_idx on public.published_content (tenant_id, content_id);

create table private.published_texts (
  tenant_id uuid not null,
  content_id uuid not null,
  language text not null,
  version_number integer not null,
  document jsonb not null,
  translated jsonb not null,
  asset_ids uuid[] not null,
  links jsonb not null,
  bytes integer not null generated always as (octet_length(document::text)) stored,
  constraint published_texts_pkey primary key (tenant_id, content_id, language),
  constraint published_texts_content_id_fkey foreign key (tenant_id, content_id)
    references public.published_content (tenant_id, content_id) on delete cascade
);
comment on table private.published_texts is
  'The document of each published language. Untranslated fields already have the text of the fallback language. translated: the texts of this language only, from version_number. asset_ids, links: what the document refers to.';

create table private.former_slugs (
  tenant_id uuid not null,
  marketplace_id uuid not null,
  type text not null,
  slug text not null,
  content_id uuid not null,
  constraint former_slugs_pkey primary key (tenant_id, type, slug, marketplace_id),
  constraint former_slugs_content_id_fkey foreign key (tenant_id, content_id)
    references public.content (tenant_id, id) on delete cascade
);
comment on table private.former_slugs is
  'The slugs under which content was published before. Each leads to its content until other content takes the slug.';

create table public.content_moves (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  content_id uuid not null,
  move text not null,
  from_status public.content_status not null,
  to_status public.content_status not null,
  version_number integer not null,
  actor_id uuid references auth.users (id) on delete set null,
  comment text,
  created_at timestamptz not null default clock_timestamp(),
  constraint content_moves_content_id_fkey foreign key (tenant_id, content_id)
    references public.content (tenant_id, id) on delete cascade
);
comment on table public.content_moves is
  'Every move of content, with its actor and comment. actor_id is null for scheduled moves and automatic steps of the workflow. `edit` is the move of a save that returns content to draft.';

create table public.content_localizations (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  content_id uuid not null,
  language text not null,
  status public.translation_status not null default 'draft',
  translator_id uuid references auth.users (id) on delete set null,
  original_version_number integer not null,
  published_version_number integer,
  withdrawn_version_number integer,
  last_updated timestamptz not null default now(),
  constraint language_is_unique_in_content_localizations unique (content_id, language),
  constraint content_localizations_content_id_fkey foreign key (tenant_id, content_id)
    references public.content (tenant_id, id) on delete cascade,
  constraint content_localizations_language_is_a_language check (private.is_language(language))
);
comment on table public.content_localizations is
  'The status of a translation. original_version_number: the version of the original that it was written or reviewed for. withdrawn_version_number: the version that was unpublished with the original, and returns with it. Its texts are part of the document, which functions return.';

alter table public.content replica identity full;
alter table public.published_content replica identity full;
alter publication supabase_realtime add table public.content, public.published_content;

-- indexes --------------------------------------------------------------------------------------

create unique index subject_id_is_unique_in_content on public.content (tenant_id, marketplace_id, coalesce(product_id, category_id));
create index content_list_idx on public.content (tenant_id, type, updated_at desc, id);
create index content_status_idx on public.content (tenant_id, type, status, updated_at desc, id);
create index content_supplier_idx on public.content (tenant_id, supplier_id);
create index content_author_id_idx on public.content (author_id);
create index content_scheduled_at_idx on public.content (scheduled_at) where scheduled_at is not null;
create index content_unpublish_at_idx on public.content (unpublish_at) where unpublish_at is not null;
create index content_product_idx on public.content (tenant_id, product_id);
create index content_category_idx on public.content (tenant_id, category_id);
create index published_content_list_idx on public.published_content (tenant_id, type, published_at desc, content_id);
create index published_content_product_idx on public.published_content (tenant_id, product_id);
create index published_content_category_idx on public.published_content (tenant_id, category_id);
create index former_slugs_content_id_idx on private.former_slugs (tenant_id, content_id);
create unique index content_moves_content_idx on public.content_moves (tenant_id, content_id, created_at desc, id);
alter table public.content_moves replica identity using index content_moves_content_idx;
create index content_moves_actor_id_idx on public.content_moves (actor_id);
create unique index content_localizations_content_idx on public.content_localizations (tenant_id, content_id, id);
alter table public.content_localizations replica identity using index content_localizations_content_idx;
create index content_localizations_translator_id_idx on public.content_localizations (translator_id);

-- functions: permissions -------------------------------------------------------------------------

create function private.roles_for(content public.content) returns text[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  roles text[] := private.content_roles();
begin
  if content.tenant_id is distinct from private.tenant_id() then
    return array[]::text[];
  end if;
  -- Suppliers write about their own products. They do not review or publish.
  return case
    when content.supplier_id = private.supplier_id('content.write') and not 'editor' = any (roles)
      then array_append(roles, 'editor')
    else roles
  end;
end
$$;
comment on function private.roles_for is 'The caller''s content roles for a piece of content. The supplier of the described product is an editor of it. Empty for a reader.';

create function private.insist_on_one(matches uuid[]) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if cardinality(matches) > 1 then
    perform private.refuse(
      'VALIDATION_ERROR', 'Several marketplaces have content with this slug. Send marketplace_id.', 'marketplace_id', 'null'
    );
  end if;
end
$$;
comment on function private.insist_on_one is 'Refuses a slug that content of several marketplaces has, with VALIDATION_ERROR on marketplace_id.';

create function private.draft_of(type text, id text, marketplace_id uuid default null) returns public.content
language plpgsql stable security definer set search_path = ''
as $$
declare
  found_content public.content;
  matches uuid[];
  tenant uuid := private.tenant_id();
  sees_all boolean := private.content_roles() <> '{}';
  own uuid := private.supplier_id('content.write');
begin
  perform private.content_type_of(type);
  -- Nearly all callers are readers.
  if not sees_all and own is null then
    return null;
  end if;
  if private.is_uuid(id) then
    select * into found_content
    from public.content c
    where c.tenant_id = tenant and c.type = draft_of.type and c.id = draft_of.id::uuid;
    if not found then
      select * into found_content
      from public.content c
      where c.tenant_id = tenant and c.type = draft_of.type
        and (c.product_id = draft_of.id::uuid or c.category_id = draft_of.id::uuid)
        and (draft_of.marketplace_id is null or c.marketplace_id = draft_of.marketplace_id)
      order by c.created_at, c.id
      limit 1;
    end if;
  else
    matches := array(
      select c.id
      from public.content c
      where c.tenant_id = tenant and c.type = draft_of.type and c.slug = draft_of.id
        and (draft_of.marketplace_id is null or c.marketplace_id = draft_of.marketplace_id)
        and (sees_all or c.supplier_id = own)
      limit 2
    );
    if matches = '{}' then
      -- The published slug may differ from the draft's.
      matches := array(
        select c.id
        from public.published_content p
        join public.content c on c.id = p.content_id
        where p.tenant_id = tenant and p.type = draft_of.type and p.slug = draft_of.id
          and (draft_of.marketplace_id is null or p.marketplace_id = draft_of.marketplace_id)
          and (sees_all or c.supplier_id = own)
        limit 2
      );
    end if;
    perform private.insist_on_one(matches);
    select * into found_content from public.content c where c.id = matches[1];
  end if;
  if found_content.id is null or private.roles_for(found_content) = '{}' then
    return null;
  end if;
  return found_content;
end
$$;
comment on function private.draft_of is
  'A piece of content whose draft the caller may see: by its id, the slug of its draft, its published slug, or the id of the product or category that it describes. Null if there is none.';

create function private.editable(type text, id text, role text) returns public.content
language plpgsql stable security definer set search_path = ''
as $$
declare
  content public.content := private.draft_of(type, id);
begin
  if content.id is null then
    -- FORBIDDEN for content that the caller can read; NOT_FOUND for all other content.
    if exists (select from private.seen_publication(type, id, null) as p where p.content_id is not null) then
      perform private.refuse('FORBIDDEN', 'Only members with a content role may change content.');
    end if;
    perform private.refuse('NOT_FOUND', 'There is no such content.');
  end if;
  if role is not null and not array[role, 'admin'] && private.roles_for(content) then
    perform private.refuse('FORBIDDEN', format('This requires the content role %s.', role));
  end if;
  return content;
end
$$;
comment on function private.editable is
  'A piece of content that the caller may change with this content role. If role is null: whose draft the caller may see. Errors: NOT_FOUND, FORBIDDEN.';

create function private.edited(type text, id text, role text default 'editor') returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  content public.content := private.editable(type, id, role);
begin
  select * into content from public.content c where c.id = content.id for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such content.');
  end if;
  return content;
end
$$;
comment on function private.edited is 'As private.editable, and locks the piece of content until the transaction ends. Errors: NOT_FOUND, FORBIDDEN.';

create function private.is_published_for(content public.published_content) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return content.tenant_id = private.tenant_id() and private.is_of_visit(content.marketplace_id) and case content.visibility
    when 'public' then true
    when 'members' then not private.is_guest()
    when 'roles' then private.tenant_role() = any (content.visible_to) and not private.is_visit() or private.content_roles() <> '{}'
    else false
  end;
end
$$;
comment on function private.is_published_for is 'Whether the caller may read a published piece of content.';

create function private.seen_publication(type text, id text, marketplace_id uuid) returns public.published_content
language plpgsql stable security definer set search_path = ''
as $$
declare
  publication public.published_content;
  matches uuid[];
  tenant uuid := private.tenant_id();
begin
  if private.is_uuid(id) then
    select * into publication
    from public.published_content p
    where p.tenant_id = tenant and p.content_id = seen_publication.id::uuid and p.type = seen_publication.type;
    if not found and seen_publication.type in ('products', 'categories') then
      select * into publication
      from public.published_content p
      where p.tenant_id = tenant and p.type = seen_publication.type
        and (p.product_id = seen_publication.id::uuid or p.category_id = seen_publication.id::uuid)
        and (seen_publication.marketplace_id is null or p.marketplace_id = seen_publication.marketplace_id)
        and private.is_of_visit(p.marketplace_id)
      order by p.published_at, p.content_id
      limit 1;
    end if;
  else
    matches := array(
      select p.content_id
      from public.published_content p
      where p.tenant_id = tenant and p.type = seen_publication.type and p.slug = seen_publication.id
        and (seen_publication.marketplace_id is null or p.marketplace_id = seen_publication.marketplace_id)
        and private.is_of_visit(p.marketplace_id)
      limit 2
    );
    if matches = '{}' then
      matches := array(
        select f.content_id
        from private.former_slugs f
        where f.tenant_id = tenant and f.type = seen_publication.type and f.slug = seen_publication.id
          and (seen_publication.marketplace_id is null or f.marketplace_id = seen_publication.marketplace_id)
          and private.is_of_visit(f.marketplace_id)
        limit 2
      );
    end if;
    perform private.insist_on_one(matches);
    select * into publication from public.published_content p where p.content_id = matches[1];
  end if;
  if publication.content_id is null or not private.is_published_for(publication) then
    return null;
  end if;
  return publication;
end
$$;
comment on function private.seen_publication is
  'Published content that the caller may read: by its id, its slug, a former slug, or the id of the product or category that it describes. Null if there is none.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.content for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.content_moves
  for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.content_localizations
  for each row execute function private.keep_nfc();

create trigger content_check_status_move
  before update of status on public.content
  for each row execute function private.check_status_move();

-- policies -------------------------------------------------------------------------------------

alter table public.content enable row level security;
alter table private.content_branches enable row level security;
alter table public.published_content enable row level security;
alter table private.published_texts enable row level security;
alter table private.former_slugs enable row level security;
alter table public.content_moves enable row level security;
alter table public.content_localizations enable row level security;

create policy "Content roles see all content, suppliers that of their products" on public.content
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (cardinality((select private.content_roles())) > 0 or supplier_id = (select private.supplier_id('content.write')))
  );

create policy "Members see what is published for them" on public.published_content
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case visibility
      when 'public' then true
      when 'members' then not (select private.is_guest())
      when 'roles' then (select private.tenant_role()) = any (visible_to) or cardinality((select private.content_roles())) > 0
      else false
    end
  );

-- A scalar subquery looks up one piece of content, as for the variants of products.
create policy "Members who see a draft see its moves" on public.content_moves
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select true from public.content c where c.id = content_id));

create policy "Members who see a draft see its translations" on public.content_localizations
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select true from public.content c where c.id = content_id));

-- grants ---------------------------------------------------------------------------------------

-- Only functions write these tables: a row alone would be content without its texts.
grant select on public.content, public.published_content, public.content_moves, public.content_localizations
to authenticated, service_role;
revoke insert, update, delete, truncate on
  public.content, public.published_content, public.content_moves, public.content_localizations
from service_role;
grant execute on function
  private.roles_for, private.draft_of, private.editable, private.edited, private.is_published_for, private.seen_publication
to authenticated, service_role;
