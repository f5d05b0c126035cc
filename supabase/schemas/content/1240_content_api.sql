-- The public functions of content. supabase-js can call them too. The edge functions add merging.

-- tables ---------------------------------------------------------------------------------------

create table private.content_previews (
  token_sha256 bytea not null,
  tenant_id uuid not null,
  content_id uuid not null,
  branch text not null,
  made_by uuid references auth.users (id) on delete cascade,
  expires_at timestamptz not null,
  -- In this order for lookups by token.
  constraint content_previews_pkey primary key (token_sha256, tenant_id),
  constraint content_previews_content_id_fkey foreign key (tenant_id, content_id)
    references public.content (tenant_id, id) on delete cascade
);
comment on table private.content_previews is 'Tokens that read a draft without a session, until expires_at. Only the digest of a token is stored.';

create index content_previews_content_idx on private.content_previews (tenant_id, content_id);
create index content_previews_made_by_idx on private.content_previews (made_by);
create index content_previews_expires_at_idx on private.content_previews (expires_at);

-- functions: settings ----------------------------------------------------------------------------

create function private.check_content_settings() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  settings jsonb := new.settings -> 'content';
begin
  perform private.insist_on_keys(settings, 'settings.content', array['four_eyes', 'keep_versions', 'preview_url']);
  perform private.refuse_all(
    private.fault_unless(
      jsonb_typeof(coalesce(settings -> 'four_eyes', 'false')) = 'boolean', 'settings.content.four_eyes', 'true or false',
      settings -> 'four_eyes'
    )
    || private.fault_unless(
      settings -> 'keep_versions' is null
        or jsonb_typeof(settings -> 'keep_versions') = 'number' and settings ->> 'keep_versions' ~ '^[1-9]\d{0,5}$'
          and (settings ->> 'keep_versions')::integer <= private.cap('versions_per_content'),
      'settings.content.keep_versions', format('a whole number from 1 to %s', private.cap('versions_per_content')),
      settings -> 'keep_versions'
    )
    || private.fault_unless(
      settings -> 'preview_url' is null or private.is_address(settings -> 'preview_url'), 'settings.content.preview_url',
      'an address (https://…)', settings -> 'preview_url'
    )
  );
  return new;
end
$$;
comment on function private.check_content_settings() is
  'Row trigger: checks the tenant''s settings of content: four_eyes, keep_versions, preview_url.';

-- functions: beginning and saving ----------------------------------------------------------------

create function public.create_content(
  type text, document jsonb, marketplace_id uuid default null, subject_id uuid default null, comment text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content;
begin
  -- A separate statement, so that the next one sees its rows.
  content := private.create_content(private.content_type_of(type), document, marketplace_id, subject_id, comment);
  return private.draft_record(content);
end
$$;
comment on function public.create_content is
  'Creates a draft and returns its record. document: slug, title (by language), content, blocks, fields, layout, seo, visibility, visible_to, localizations; missing parts are empty. Errors: CONFLICT if the slug is taken or the subject already has content, VALIDATION_ERROR, LIMIT_REACHED, FORBIDDEN, NOT_FOUND.';

create function public.save_content(
  type text, id text, version_number integer, changes jsonb, branch text default 'main', comment text default null,
  autosave boolean default false
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited(type, id);
begin
  content := private.save_changes(content, branch, version_number, changes, comment, autosave);
  return private.draft_record(content, branch);
end
$$;
comment on function public.save_content is
  'Saves the sent parts of a document on top of version_number, and returns the record. Errors: CONFLICT if there is a newer version (details.version_number) or the slug is taken, VALIDATION_ERROR, FORBIDDEN, NOT_FOUND.';

create function public.rollback_content(
  type text, id text, to_version integer, version_number integer default null, comment text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited(type, id);
  document jsonb := private.version_document(content.id, to_version);
begin
  if document is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it was pruned.', 'version_number', to_jsonb(to_version)
    );
  end if;
  content := private.save_draft(
    content, 'main', coalesce(rollback_content.version_number, content.version_number), document,
    coalesce(comment, format('Back to version %s', to_version))
  );
  return private.draft_record(content) || jsonb_build_object(
    'missing', array(select m.path from private.missing_references(content, document) as m order by m.path)
  );
end
$$;
comment on function public.rollback_content is
  'Saves the document of an earlier version as a new version. missing: the paths that name assets or products that were removed since. Errors: NOT_FOUND, CONFLICT, FORBIDDEN.';

create function public.delete_content(type text, id text) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.remove_content(private.edited(type, id, null));
end
$$;
comment on function public.delete_content is
  'Deletes a draft that was never published. Archives any other content, for publishers. Errors: NOT_FOUND, FORBIDDEN.';

-- functions: merging -----------------------------------------------------------------------------

create function public.content_to_merge(
  type text, id text, version_number integer, branch text default 'main', key_only boolean default false
) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.merge_sides(private.editable(type, id, 'editor'), version_number, null, branch, key_only);
end
$$;
comment on function public.content_to_merge is
  'The documents for merging a stale save: base (the version that it began from) and ours (the head of the branch), each {version_number, document}. key is the same as long as they are; with key_only nothing else is returned. Errors: NOT_FOUND, FORBIDDEN.';

create function private.merge_sides(
  content public.content, base integer, from_branch text, into_branch text, key_only boolean default false
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  theirs private.content_branches;
  ours private.content_branches;
  key text;
begin
  select * into ours
  from private.content_branches b
  where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = into_branch;
  select * into theirs
  from private.content_branches b
  where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = from_branch;
  if ours.name is null or from_branch is not null and theirs.name is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no such branch.', case when ours.name is null then 'into' else 'from' end
    );
  end if;
  base := coalesce(base, private.common_version(content.id, ours.version_number, theirs.version_number));
  -- Versions never change.
  key := concat_ws('.', content.id, base, ours.version_number, theirs.version_number);
  if key_only then
    return jsonb_build_object('key', key);
  end if;
  return jsonb_build_object(
    'key', key,
    'base', jsonb_build_object('version_number', base, 'document', private.version_document(content.id, base)),
    'ours', jsonb_build_object('version_number', ours.version_number, 'document', ours.document),
    'theirs', case when theirs.name is not null then
      jsonb_build_object('version_number', theirs.version_number, 'document', theirs.document)
    end
  );
end
$$;
comment on function private.merge_sides is
  'The documents that a merge compares, and a key that names their versions. The base document is null if it was pruned.';

create function public.branches_to_merge(
  type text, id text, "from" text, "into" text, key_only boolean default false
) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.merge_sides(private.editable(type, id, 'editor'), null, "from", "into", key_only);
end
$$;
comment on function public.branches_to_merge is
  'The documents for merging one branch into another: base (their nearest common version), ours (the head of into) and theirs (the head of from). key and key_only: as content_to_merge. Errors: NOT_FOUND, FORBIDDEN.';

create function public.merge_content(
  type text, id text, "from" text, "into" text, from_version integer, into_version integer, document jsonb,
  comment text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited(type, id);
  sides jsonb := private.merge_sides(content, null, "from", "into");
begin
  if (sides #>> '{theirs,version_number}')::integer is distinct from from_version then
    perform private.refuse_stale(from_version, (sides #>> '{theirs,version_number}')::integer);
  elsif (sides #>> '{ours,version_number}')::integer is distinct from into_version then
    perform private.refuse_stale(into_version, (sides #>> '{ours,version_number}')::integer);
  elsif (sides #>> '{base,version_number}')::integer = from_version then
    -- `into` already has all of `from`.
    return private.draft_record(content, "into");
  end if;
  content := private.save_merge(
    content, "into", into_version, from_version, document, sides, comment
  );
  return private.draft_record(content, "into");
end
$$;
comment on function public.merge_content is
  'Saves a merged document as a version with two parents. Saves nothing if `into` already has all of `from`. from_version and into_version are the merged versions. Errors: CONFLICT if either branch has a newer version, VALIDATION_ERROR, FORBIDDEN, NOT_FOUND.';

create function private.save_merge(
  content public.content, into_branch text, into_version integer, from_version integer, document jsonb, sides jsonb,
  comment text
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  type public.content_types := private.content_type_of(content.type);
  before jsonb := sides #> '{ours,document}';
  whole jsonb := private.whole_document(document, type, content.language);
begin
  whole := private.without_old_translations(private.without_old_translations(whole, before), sides #> '{theirs,document}');
  perform private.check_document(type, content.language, whole, before);
  perform private.check_references(content, whole, before, sides #> '{theirs,document}');
  return private.save_draft(content, into_branch, into_version, whole, comment, merged_from => from_version);
end
$$;
comment on function private.save_merge is 'Checks and saves a merged document. sides: the documents that were merged.';

create function public.create_content_branch(type text, id text, name text, from_version integer default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.open_branch(private.edited(type, id), name, from_version);
end
$$;
comment on function public.create_content_branch is
  'Creates a branch at a version, or at the head of main. Errors: CONFLICT if the name is taken, LIMIT_REACHED, NOT_FOUND, FORBIDDEN.';

create function private.open_branch(content public.content, name text, from_version integer) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  number integer := coalesce(from_version, content.version_number);
  document jsonb := private.version_document(content.id, number);
  opened private.content_branches;
begin
  if document is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it was pruned.', 'from_version', to_jsonb(from_version)
    );
  elsif private.cap('branches_per_content') <= (
    select count(*) from private.content_branches b where b.tenant_id = content.tenant_id and b.content_id = content.id
  ) then
    perform private.refuse_beyond('branches_per_content', 'This content has the maximum number of branches.');
  end if;
  insert into private.content_branches (tenant_id, content_id, name, version_number, document)
  values (content.tenant_id, content.id, open_branch.name, number, document)
  on conflict on constraint content_branches_pkey do nothing
  returning * into opened;
  if opened.name is null then
    perform private.refuse('CONFLICT', 'A branch with this name already exists.', 'name', to_jsonb(name));
  end if;
  return private.branch_record(opened);
end
$$;
comment on function private.open_branch is 'Creates a branch of a piece of content.';

create function private.branch_record(branch private.content_branches) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('name', branch.name, 'version_number', branch.version_number, 'created_at', branch.created_at)
$$;
comment on function private.branch_record is 'The record of a branch.';

create function public.list_content_branches(type text, id text) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.branches_of(private.seen_draft(type, id));
end
$$;
comment on function public.list_content_branches is 'The branches of a piece of content, main first. Errors: NOT_FOUND.';

create function private.branches_of(content public.content) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_agg(private.branch_record(b) order by b.name <> 'main', private.sort_name(b.name) collate "C", b.name collate "C")
  from private.content_branches b
  where b.tenant_id = content.tenant_id and b.content_id = content.id
$$;
comment on function private.branches_of is 'The branches of a piece of content.';

create function public.delete_content_branch(type text, id text, name text) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.close_branch(private.edited(type, id), name);
end
$$;
comment on function public.delete_content_branch is
  'Deletes a branch and keeps its versions. Errors: CONFLICT for main, NOT_FOUND, FORBIDDEN.';

create function private.close_branch(content public.content, name text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if name = 'main' then
    perform private.refuse('CONFLICT', 'The branch main cannot be deleted.');
  end if;
  delete from private.content_branches b
  where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = close_branch.name;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such branch.', 'name', to_jsonb(name));
  end if;
  perform private.record_content_assets(content);
end
$$;
comment on function private.close_branch is 'Deletes a branch of a piece of content.';

-- functions: history -----------------------------------------------------------------------------

create function private.seen_draft(type text, id text) returns public.content
language plpgsql stable security definer set search_path = ''
as $$
declare
  content public.content := private.draft_of(type, id);
begin
  if content.id is null then
    perform private.refuse('NOT_FOUND', 'There is no such content.');
  end if;
  return content;
end
$$;
comment on function private.seen_draft is 'A piece of content whose draft the caller may see. Errors: NOT_FOUND.';

create function private.version_record(version private.content_versions) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object(
    'id', version.id, 'content_id', version.content_id, 'version_number', version.version_number,
    'parents', version.parents, 'branch', version.branch, 'changes', version.changes, 'author_id', version.author_id,
    'timestamp', version.created_at, 'comment', version.comment, 'autosave', version.autosave, 'bytes', version.bytes
  )
$$;
comment on function private.version_record is 'The record of a version, without its document.';

create function private.versions_of(content public.content, "order" text, size integer, skipped bigint) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  numbers integer[];
begin
  execute format(
    $query$
      select array(
        select v.version_number from private.content_versions v
        where v.content_id = $1 and v.body is not null
        order by v.version_number %s
        offset $2 limit $3
      )
    $query$,
    case "order" when 'asc' then 'asc' else 'desc' end
  )
  into numbers
  using content.id, skipped, size;
  return jsonb_build_object(
    'versions', (
      select coalesce(jsonb_agg(private.version_record(v) order by shown.position), '[]')
      from unnest(numbers) with ordinality as shown (number, position)
      join private.content_versions v on v.content_id = content.id and v.version_number = shown.number
    ),
    'total', (select count(*) from private.content_versions v where v.content_id = content.id and v.body is not null)
  );
end
$$;
comment on function private.versions_of is 'A page of the stored versions of a piece of content.';

create function public.list_content_versions(
  type text, id text, page integer default 1, "limit" integer default 100, "order" text default 'desc'
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
begin
  return private.versions_of(
    private.seen_draft(type, id), "order", size, (greatest(page, 1)::bigint - 1) * size
  );
end
$$;
comment on function public.list_content_versions is
  'A page of the versions of a piece of content, newest first by default. Errors: NOT_FOUND.';

create function public.get_content_version(type text, id text, version_number integer) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.version_of(private.seen_draft(type, id), version_number);
end
$$;
comment on function public.get_content_version is
  'A version of a piece of content with its document. Errors: NOT_FOUND, also for a pruned version.';

create function private.version_of(content public.content, version_number integer) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  version private.content_versions;
begin
  select * into version
  from private.content_versions v
  where v.content_id = content.id and v.version_number = version_of.version_number and v.body is not null;
  if not found then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it was pruned.', 'version', to_jsonb(version_number)
    );
  end if;
  return private.version_record(version)
    || jsonb_build_object('document', private.version_document(content.id, version_number));
end
$$;
comment on function private.version_of is 'A version with its document.';

create function public.compare_content(type text, id text, from_version integer, to_version integer) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  content public.content := private.seen_draft(type, id);
  one jsonb := private.version_document(content.id, from_version);
  other jsonb := private.version_document(content.id, to_version);
begin
  if one is null or other is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it was pruned.', case when one is null then 'from' else 'to' end
    );
  end if;
  return jsonb_build_object('from', one, 'to', other);
end
$$;
comment on function public.compare_content is 'The documents of two versions of a piece of content. Errors: NOT_FOUND.';

create function private.moves_of(content public.content, "order" text, size integer, skipped bigint) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  ids uuid[];
begin
  execute format(
    $query$
      select array(
        select m.id from public.content_moves m
        where m.tenant_id = $1 and m.content_id = $2
        order by m.created_at %1$s, m.id %1$s
        offset $3 limit $4
      )
    $query$,
    case "order" when 'asc' then 'asc' else 'desc' end
  )
  into ids
  using content.tenant_id, content.id, skipped, size;
  return jsonb_build_object(
    'moves', (
      select coalesce(jsonb_agg(to_jsonb(m) order by shown.position), '[]')
      from unnest(ids) with ordinality as shown (id, position)
      join public.content_moves m on m.id = shown.id
    ),
    'total', (
      select count(*) from public.content_moves m where m.tenant_id = content.tenant_id and m.content_id = content.id
    )
  );
end
$$;
comment on function private.moves_of is 'A page of the moves of a piece of content.';

create function public.list_content_moves(
  type text, id text, page integer default 1, "limit" integer default 100, "order" text default 'desc'
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
begin
  return private.moves_of(
    private.seen_draft(type, id), "order", size, (greatest(page, 1)::bigint - 1) * size
  );
end
$$;
comment on function public.list_content_moves is
  'A page of the moves of a piece of content, newest first by default. Errors: NOT_FOUND.';

-- functions: moves -------------------------------------------------------------------------------

create function public.move_content(type text, id text, move text, comment text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited_by_any(type, id);
begin
  if move = 'unpublish' then
    return public.unpublish_content(type, id, null, comment);
  end if;
  content := private.move_content(content, move, comment);
  content := private.follow_workflow(content, move);
  return private.draft_record(content);
end
$$;
comment on function public.move_content is
  'Makes a move of a piece of content (submit, approve, reject, publish, unpublish, archive, restore) and returns its record. Errors: INVALID_TRANSITION, FORBIDDEN, VALIDATION_ERROR, CONFLICT, NOT_FOUND.';

create function private.edited_by_any(type text, id text) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  content public.content := private.seen_draft(type, id);
begin
  select * into content from public.content c where c.id = content.id for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such content.');
  end if;
  return content;
end
$$;
comment on function private.edited_by_any is
  'A piece of content whose draft the caller may see, locked until the transaction ends. The move checks the role. Errors: NOT_FOUND.';

create function public.publish_content(
  type text, id text, at timestamptz default null, until timestamptz default null, languages text[] default null,
  comment text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited_by_any(type, id);
begin
  content := private.publish_from_until(content, at, until, languages, comment);
  return private.draft_record(content);
end
$$;
comment on function public.publish_content is
  'Publishes a piece of content, or only the given languages, now or at a time, and until a time. Named languages that are published already stay so. Returns the record. Errors: INVALID_TRANSITION, FORBIDDEN, CONFLICT, VALIDATION_ERROR, NOT_FOUND.';

create function private.publish_from_until(
  content public.content, at timestamptz, until timestamptz, languages text[], comment text
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  is_original boolean := languages is null or content.language = any (languages);
  -- An original that is live already keeps its end, unless a new one is sent.
  sets_end boolean := is_original and (until is not null or at is not null or content.status <> 'published');
begin
  perform private.insist(at is null or at > now(), 'at', 'in the future', to_jsonb(at));
  perform private.insist(until is null or until > coalesce(at, now()), 'until', 'after at, and in the future', to_jsonb(until));
  perform private.insist(
    languages is null or cardinality(languages) > 0, 'languages', 'a list of languages, or absent', to_jsonb(languages)
  );
  -- A translation ends when its original ends.
  perform private.insist(until is null or is_original, 'until', 'absent if languages does not contain the original''s language', to_jsonb(until));
  content := case
    when at is null then private.publish_languages(content, languages, comment)
    else private.schedule_content(content, at, languages, comment)
  end;
  update public.content c
  set unpublish_at = case when sets_end then until else c.unpublish_at end
  where c.id = content.id
  returning * into content;
  return content;
end
$$;
comment on function private.publish_from_until is 'Publishes now or schedules the publication and its end.';

create function public.unpublish_content(type text, id text, languages text[] default null, comment text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited_by_any(type, id);
begin
  content := private.unpublish_languages(content, languages, comment);
  return private.draft_record(content);
end
$$;
comment on function public.unpublish_content is
  'Unpublishes a piece of content, or only the given languages, takes them out of the schedule, and returns the record. Errors: INVALID_TRANSITION, FORBIDDEN, NOT_FOUND.';

create function private.unpublish_languages(content public.content, languages text[], comment text) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  language text;
begin
  perform private.insist_on_mover(content, 'unpublish');
  perform private.check_move_comment(comment);
  for language in select distinct l from unnest(languages) as l loop
    if language <> content.language then
      content := private.withdraw_translation(content, language);
    end if;
  end loop;
  if languages is null or content.language = any (languages) then
    return private.unpublish_original(content, comment);
  end if;
  return content;
end
$$;
comment on function private.unpublish_languages is 'Unpublishes the original, or only the given languages.';

create function public.cancel_content_schedule(type text, id text) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited_by_any(type, id);
begin
  content := private.unschedule(content);
  return private.draft_record(content);
end
$$;
comment on function public.cancel_content_schedule is
  'Cancels the scheduled publication and the scheduled end, and returns the record. Errors: FORBIDDEN, NOT_FOUND.';

create function private.unschedule(content public.content) returns public.content
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.insist_on_mover(content, 'publish');
  update public.content c set unpublish_at = null, updated_at = now() where c.id = content.id returning * into content;
  return private.unscheduled(content);
end
$$;
comment on function private.unschedule is 'Cancels the schedule of a piece of content.';

-- functions: translations ------------------------------------------------------------------------

create function private.localization_record(content public.content, language text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  localization public.content_localizations := private.localization_of(content, language);
  document jsonb := (
    select b.document
    from private.content_branches b
    where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = 'main'
  );
begin
  return jsonb_build_object(
    'content_id', content.id, 'language', language, 'status', localization.status,
    'translator_id', localization.translator_id, 'last_updated', localization.last_updated,
    'published_version_number', localization.published_version_number,
    'outdated', localization.original_version_number < content.original_version_number,
    'version_number', content.version_number, 'title', null, 'content', null, 'seo', jsonb '{}', 'fields', jsonb '{}',
    'blocks', jsonb '[]'
  ) || private.translation_in(document, language);
end
$$;
comment on function private.localization_record is 'A translation: its status, and its texts in the draft.';

create function public.get_localization(type text, id text, language text) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.localization_record(private.seen_draft(type, id), language);
end
$$;
comment on function public.get_localization is 'A translation of a piece of content, for callers who may see its draft. Errors: NOT_FOUND.';

create function public.save_localization(
  type text, id text, language text, version_number integer, changes jsonb, comment text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  before public.content := private.edited(type, id);
  content public.content;
begin
  content := private.save_changes(
    before, 'main', version_number, private.localized_changes(before, language, changes), comment, false
  );
  if content.version_number = before.version_number and changes <> '{}' then
    perform private.confirm_translation(content, language);
  end if;
  return private.localization_record(content, language);
end
$$;
comment on function public.save_localization is
  'Saves the sent parts of a translation (title, content, seo, fields, blocks) on top of version_number, and returns the translation. null removes a part. The same texts again confirm a translation that is outdated. Errors: as save_content.';

create function private.confirm_translation(content public.content, language text) returns void
language sql security definer set search_path = ''
as $$
  update public.content_localizations l
  set original_version_number = content.original_version_number, last_updated = now()
  where l.content_id = content.id and l.language = confirm_translation.language
    and l.original_version_number < content.original_version_number
$$;
comment on function private.confirm_translation is 'Records that a translation is right for the original of now.';

create function private.localized_changes(content public.content, language text, changes jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  document jsonb := (
    select b.document
    from private.content_branches b
    where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = 'main'
  );
  titles jsonb := document -> 'title';
  texts jsonb := coalesce(document -> 'localizations' -> language, '{}') || (changes - 'title');
begin
  perform private.known_only(changes, array['title', 'content', 'seo', 'fields', 'blocks']);
  perform private.insist(language <> content.language, 'language', 'a language other than the original''s', to_jsonb(language));
  if changes ? 'title' then
    titles := case when changes -> 'title' = 'null' then titles - language
      else titles || jsonb_build_object(language, changes -> 'title')
    end;
  end if;
  return jsonb_build_object(
    'title', titles,
    'localizations', (document -> 'localizations') || jsonb_build_object(language, (
      select coalesce(jsonb_object_agg(t.key, t.value), '{}') from jsonb_each(texts) as t where t.value <> 'null'
    ))
  );
end
$$;
comment on function private.localized_changes is 'The changes of a document that a change of a translation makes.';

create function public.set_localization_status(
  type text, id text, language text, status public.translation_status
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited_by_any(type, id);
begin
  perform private.move_translation(content, language, status);
  return private.localization_record(content, language);
end
$$;
comment on function public.set_localization_status is
  'Moves a translation by one status (draft, in_progress, review, approved, published), or back to draft, and returns it. Errors: INVALID_TRANSITION, FORBIDDEN, NOT_FOUND.';

-- functions: previews ----------------------------------------------------------------------------

create function public.create_content_preview(type text, id text, branch text default 'main', language text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.open_preview(private.seen_draft(type, id), branch, language);
end
$$;
comment on function public.create_content_preview is
  'Creates a token that reads a draft without a session for 24 hours: {url, token, expires_at}. Errors: NOT_FOUND.';

create function private.open_preview(content public.content, branch text, language text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  token text := translate(encode(extensions.gen_random_bytes(32), 'base64'), '+/=', '-_');
  ends timestamptz := now() + interval '24 hours';
  address text := (select t.settings #>> '{content,preview_url}' from public.tenants t where t.id = content.tenant_id);
begin
  if not exists (
    select
    from private.content_branches b
    where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = branch
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such branch.', 'branch', to_jsonb(branch));
  end if;
  insert into private.content_previews (token_sha256, tenant_id, content_id, branch, made_by, expires_at)
  values (sha256(convert_to(token, 'utf8')), content.tenant_id, content.id, branch, auth.uid(), ends);
  return jsonb_build_object(
    'token', token, 'expires_at', ends, 'url', replace(replace(replace(replace(
      address, '{type}', content.type), '{slug}', content.slug), '{language}', coalesce(language, content.language)), '{token}', token)
  );
end
$$;
comment on function private.open_preview is 'Creates a preview token for a draft.';

create function public.delete_content_preview(type text, id text) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.close_previews(private.seen_draft(type, id));
end
$$;
comment on function public.delete_content_preview is 'Revokes all previews of a piece of content. Errors: NOT_FOUND.';

create function private.close_previews(content public.content) returns void
language sql security definer set search_path = ''
as $$
  delete from private.content_previews p where p.tenant_id = content.tenant_id and p.content_id = content.id
$$;
comment on function private.close_previews is 'Revokes all previews of a piece of content.';

create function private.public_links(links jsonb, content public.content) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_object_agg(
    format('%s/%s', l.type, l.id),
    coalesce(
      (
        select format('/%s/%s', p.type, p.slug)
        from public.published_content p
        where p.tenant_id = content.tenant_id and p.type = l.type and p.visibility = 'public'
          and case
            when private.is_uuid(l.id) then l.id::uuid in (p.content_id, p.product_id, p.category_id)
            else p.slug = l.id and p.marketplace_id = content.marketplace_id
          end
        order by p.marketplace_id <> content.marketplace_id, p.content_id
        limit 1
      ),
      case when l.type in ('products', 'categories') and private.is_uuid(l.id) then format('/%s/%s', l.type, l.id) end
    )
  ), '{}')
  from (select e.value ->> 'type' as type, e.value ->> 'id' as id from jsonb_array_elements(links) as e) as l
$$;
comment on function private.public_links is 'The addresses of the links of a draft, for a reader without a session.';

create function public.preview_content(type text, id text, token text, language text default null) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  content public.content;
  preview private.content_previews;
  answer jsonb;
begin
  select p.* into preview
  from private.content_previews p
  join public.content c on c.id = p.content_id
  join public.members m on m.tenant_id = p.tenant_id and m.user_id = p.made_by and m.status = 'active'
    -- The same as private.roles_for(), of somebody else.
    and (private.scope_of('content.manage', m.role) = 'all' or m.content_roles <> '{}' or m.supplier_id = c.supplier_id)
  where p.token_sha256 = sha256(convert_to(token, 'utf8')) and p.expires_at > now();
  select c.* into content
  from public.content c
  where c.id = preview.content_id and c.type = preview_content.type
    and preview_content.id in (c.id::text, c.slug, c.product_id::text, c.category_id::text);
  if content.id is null then
    perform private.refuse('NOT_FOUND', 'There is no such preview, or it has expired.');
  end if;
  answer := private.draft_record(content, preview.branch, null, language);
  return answer || jsonb_build_object('links', private.public_links(private.links_in(answer), content));
end
$$;
comment on function public.preview_content is 'For the edge functions: the draft of a preview token, while its creator may see the draft. Errors: NOT_FOUND.';

-- triggers -------------------------------------------------------------------------------------

create trigger tenants_check_content_settings
  before insert or update of settings on public.tenants
  for each row when (new.settings ? 'content')
  execute function private.check_content_settings();

-- policies -------------------------------------------------------------------------------------

alter table private.content_previews enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.create_content, private.save_changes, private.save_draft, private.save_merge, private.merge_sides,
  private.open_branch, private.close_branch, private.branches_of, private.seen_draft, private.versions_of, private.version_of,
  private.version_document, private.missing_references, private.moves_of, private.edited_by_any, private.move_content,
  private.follow_workflow, private.publish_from_until,
  private.unpublish_languages, private.unschedule, private.localization_record, private.localized_changes,
  private.move_translation, private.confirm_translation, private.open_preview, private.close_previews, private.public_links, private.remove_content, private.draft_record,
  private.refuse_stale
to authenticated, service_role;
grant select on private.content_previews to service_role;
grant execute on function
  public.create_content, public.save_content, public.rollback_content, public.delete_content, public.content_to_merge,
  public.branches_to_merge, public.merge_content, public.create_content_branch, public.list_content_branches,
  public.delete_content_branch, public.list_content_versions, public.get_content_version, public.compare_content, public.list_content_moves,
  public.move_content, public.publish_content, public.unpublish_content, public.cancel_content_schedule,
  public.get_localization, public.save_localization, public.set_localization_status,
  public.create_content_preview, public.delete_content_preview
to authenticated;
