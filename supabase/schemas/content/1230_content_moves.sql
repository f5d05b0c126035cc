-- Moves of content between statuses, publication, and scheduled publication. The workflow of the type says which content
-- role makes a move; otherwise private.content_move_rules does.

-- functions: moves -------------------------------------------------------------------------------

create function private.insist_on_role(content public.content, move text, role text) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  roles text[] := private.roles_for(content);
begin
  -- A move that no rule names has no role. Nobody but an admin makes it.
  if (role = any (roles) or 'admin' = any (roles)) is not true then
    perform private.refuse(
      'FORBIDDEN', format('To %s content, you need the content role %s.', move, role), 'move', to_jsonb(move)
    );
  end if;
end
$$;
comment on function private.insist_on_role is 'Refuses a caller who has neither this content role nor admin, with FORBIDDEN.';

create function private.insist_on_mover(content public.content, move text) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.insist_on_role(content, move, coalesce(
    (
      select s.value ->> 'assignee_role'
      from public.content_types t
      cross join lateral jsonb_array_elements(t.workflow) as s
      where t.tenant_id = content.tenant_id and t.key = content.type and s.value -> 'required_actions' @> to_jsonb(move)
    ),
    (select r.role from private.content_move_rules r where r.move = insist_on_mover.move limit 1)
  ));
end
$$;
comment on function private.insist_on_mover is
  'Refuses a caller who may not make a move, with FORBIDDEN: by the workflow of the type, or by content_move_rules.';

create function private.needs_four_eyes(content public.content) returns boolean
language sql stable security definer set search_path = ''
as $$
  select coalesce(t.settings #> '{content,four_eyes}' = 'true', false) from public.tenants t where t.id = content.tenant_id
$$;
comment on function private.needs_four_eyes is 'Whether settings.content.four_eyes is on: authors may not approve their own content.';

create function private.last_published_version(content public.content) returns integer
language sql stable security definer set search_path = ''
as $$
  select coalesce(content.published_version_number, max(m.version_number), 0)
  from public.content_moves m
  where m.tenant_id = content.tenant_id and m.content_id = content.id and m.move = 'publish'
$$;
comment on function private.last_published_version is
  'The version that readers see, or else the newest one that they saw. 0 for content that was never published.';

create function private.insist_on_four_eyes(content public.content) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if private.needs_four_eyes(content) and exists (
    select from private.content_versions v
    where v.content_id = content.id and v.author_id = auth.uid()
      and v.version_number > private.last_published_version(content)
  ) then
    perform private.refuse(
      'FORBIDDEN', 'Somebody else must approve this, because you wrote a version since the last publication.'
    );
  end if;
end
$$;
comment on function private.insist_on_four_eyes is
  'Refuses the author of a version since the last publication if settings.content.four_eyes is on, with FORBIDDEN.';

create function private.check_required_fields(content public.content) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  faults jsonb := (
    select coalesce(jsonb_agg(
      private.fault(f.value ->> 'name' || ' is missing.', 'fields.' || (f.value ->> 'name'), 'null') order by f.position
    ), '[]')
    from public.content_types t
    cross join lateral jsonb_array_elements(t.fields) with ordinality as f (value, position)
    join private.content_branches b on b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = 'main'
    where t.tenant_id = content.tenant_id and t.key = content.type and f.value -> 'required' = 'true'
      and coalesce(b.document -> 'fields' -> (f.value ->> 'name'), 'null') = 'null'
  );
begin
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_required_fields is 'Refuses a draft without a required field of its type.';

create function private.record_move(
  content public.content, move text, before public.content_status, comment text, version integer default null
) returns void
language sql security definer set search_path = ''
as $$
  insert into public.content_moves (tenant_id, content_id, move, from_status, to_status, version_number, actor_id, comment)
  values (
    content.tenant_id, content.id, move, before, content.status, coalesce(version, content.version_number), auth.uid(),
    nullif(comment, '')
  )
$$;
comment on function private.record_move is 'Records a move of the caller. version: the version that was moved, if not the draft''s.';

create function private.publish_draft(content public.content) returns public.content
language sql security definer set search_path = ''
as $$
  select private.publish_version(private.unscheduled(content, array[content.language]), content.version_number)
$$;
comment on function private.publish_draft is 'Publishes the original of the draft, in place of its scheduled publication.';

create function private.move_content(content public.content, move text, comment text) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  before public.content_status := content.status;
  rule private.content_move_rules;
begin
  select * into rule
  from private.content_move_rules r
  where r.move = move_content.move
    -- The draft may have changed since the publication that is archived.
    and (r.from_status = content.status or r.move = 'archive' and content.published_version_number is not null);
  if not found then
    perform private.refuse(
      'INVALID_TRANSITION', format('Content that is %s has no move %s.', content.status, move), 'move', to_jsonb(move)
    );
  end if;
  perform private.insist_on_mover(content, move);
  perform private.check_move_comment(comment);
  if move in ('submit', 'approve', 'publish') then
    perform private.check_required_fields(content);
  end if;
  if move = 'approve' then
    perform private.insist_on_four_eyes(content);
  end if;
  update public.content c
  set status = rule.to_status, updated_at = now(), deleted_at = case move when 'restore' then null else c.deleted_at end
  where c.id = content.id
  returning * into content;
  perform private.record_move(content, move, before, comment);
  return case move
    when 'publish' then private.publish_draft(content)
    when 'archive' then private.withdraw(content)
    when 'reject' then private.unscheduled(content)
    else content
  end;
end
$$;
comment on function private.move_content is
  'Makes a move of content_move_rules. Errors: INVALID_TRANSITION, FORBIDDEN, VALIDATION_ERROR.';

create function private.follow_workflow(content public.content, made text) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  next text := case made when 'submit' then 'approve' when 'approve' then 'publish' end;
  before public.content_status := content.status;
begin
  if next is null or not exists (
      select from public.content_types t
      cross join lateral jsonb_array_elements(t.workflow) as s
      where t.tenant_id = content.tenant_id and t.key = content.type
        and s.value -> 'required_actions' = jsonb_build_array(next) and s.value -> 'auto_transition' = 'true'
    )
    -- With four eyes, a person has to approve.
    or next = 'approve' and private.needs_four_eyes(content)
  then
    return content;
  end if;
  update public.content c
  set status = case next when 'approve' then 'approved' else 'published' end::public.content_status
  where c.id = content.id
  returning * into content;
  insert into public.content_moves (tenant_id, content_id, move, from_status, to_status, version_number)
  values (content.tenant_id, content.id, next, before, content.status, content.version_number);
  if next = 'publish' then
    return private.publish_draft(content);
  end if;
  return private.follow_workflow(content, next);
end
$$;
comment on function private.follow_workflow is 'Makes the automatic moves that follow a move in the workflow.';

-- functions: translations ------------------------------------------------------------------------

create function private.localization_of(content public.content, language text) returns public.content_localizations
language plpgsql stable security definer set search_path = ''
as $$
declare
  localization public.content_localizations;
begin
  select * into localization
  from public.content_localizations l
  where l.content_id = content.id and l.language = localization_of.language;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no translation into this language.', 'language', to_jsonb(language));
  end if;
  return localization;
end
$$;
comment on function private.localization_of is 'A translation of a piece of content. Errors: NOT_FOUND.';

create function private.role_for_translation(one public.translation_status, other public.translation_status) returns text
language sql immutable set search_path = ''
as $$
  -- The later of the two statuses decides.
  select case greatest(one, other) when 'published' then 'publisher' when 'approved' then 'reviewer' else 'editor' end
$$;
comment on function private.role_for_translation is 'The content role that moves a translation between two statuses.';

create function private.insist_on_other_translator(
  content public.content, localization public.content_localizations
) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if private.needs_four_eyes(content) and exists (
    select from private.content_versions v
    where v.content_id = content.id and v.author_id = auth.uid()
      and v.version_number > coalesce(localization.published_version_number, 0)
      and (v.parents = '{}' or exists (
        select from unnest(v.changes) as c (path)
        where c.path = 'title.' || localization.language
          or starts_with(c.path, format('localizations.%s.', localization.language))
      ))
  ) then
    perform private.refuse('FORBIDDEN', 'Somebody else must approve this translation, because you wrote a part of it.');
  end if;
end
$$;
comment on function private.insist_on_other_translator is
  'Refuses a caller who wrote part of a translation since its last publication if settings.content.four_eyes is on, with FORBIDDEN.';

create function private.move_translation(
  content public.content, language text, status public.translation_status
) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  localization public.content_localizations := private.localization_of(content, language);
  states constant public.translation_status[] := enum_range(null::public.translation_status);
  step integer := array_position(states, status) - array_position(states, localization.status);
begin
  if (step in (1, -1) or step < 0 and status = 'draft') is not true then
    perform private.refuse(
      'INVALID_TRANSITION', format('A translation cannot go from %s to %s.', localization.status, status),
      'status', to_jsonb(status)
    );
  end if;
  perform private.insist_on_role(content, 'move this translation', private.role_for_translation(localization.status, status));
  if status = 'approved' and step > 0 then
    perform private.insist_on_other_translator(content, localization);
  end if;
  update public.content_localizations l
  set status = move_translation.status, last_updated = now(),
      published_version_number = case
        when move_translation.status = 'published' then content.version_number
        when localization.status = 'published' then null
        else l.published_version_number
      end,
      -- Who sends it to review, or approves it, confirms it for the original of now.
      original_version_number = case when step > 0 and move_translation.status in ('review', 'approved')
        then content.original_version_number else l.original_version_number
      end,
      -- Once it was moved back, or published by itself, it does not return with the original.
      withdrawn_version_number = case when step > 0 and move_translation.status <> 'published' then l.withdrawn_version_number end
  where l.id = localization.id;
  if 'published' in (status, localization.status) then
    content := private.unscheduled(content, array[language]);
  end if;
  if content.published_version_number is not null and (status = 'published' or localization.status = 'published') then
    update public.published_content p set published_at = now() where p.content_id = content.id and status = 'published';
    perform private.write_published_texts(content);
  end if;
  perform private.record_content_assets(content);
end
$$;
comment on function private.move_translation is
  'Moves a translation by one status, or back to draft. Readers see a published translation as soon as the original is published. Errors: INVALID_TRANSITION, FORBIDDEN, NOT_FOUND.';

create function private.withdraw_translation(content public.content, language text) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  localization public.content_localizations := private.localization_of(content, language);
begin
  if localization.published_version_number is null then
    perform private.refuse(
      'INVALID_TRANSITION', format('The translation into %s is not published.', language),
      'languages', to_jsonb(array[language])
    );
  end if;
  update public.content_localizations l
  -- Content that was changed since is a draft already.
  set published_version_number = null, last_updated = now(),
      status = case l.status when 'published' then 'approved' else l.status end
  where l.id = localization.id;
  if content.published_version_number is not null then
    perform private.write_published_texts(content);
  end if;
  content := private.unscheduled(content, array[language]);
  perform private.drop_unused_translations(content);
  perform private.record_content_assets(content);
  return content;
end
$$;
comment on function private.withdraw_translation is
  'Unpublishes a translation, and takes it out of the schedule. Errors: INVALID_TRANSITION if it is not published, NOT_FOUND.';

-- functions: publication -------------------------------------------------------------------------

create function private.publish_languages(content public.content, languages text[], comment text) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  language text;
begin
  if content.language = any (languages) and content.status = 'published' then
    perform private.insist_on_mover(content, 'publish');
    perform private.check_move_comment(comment);
  elsif languages is null or content.language = any (languages) then
    if languages is not null then
      perform private.leave_withdrawn(content);
    end if;
    content := private.move_content(content, 'publish', comment);
  end if;
  for language in select distinct l from unnest(languages) as l where l <> content.language loop
    if (private.localization_of(content, language)).status = 'published' then
      perform private.insist_on_role(content, 'publish', 'publisher');
    else
      perform private.move_translation(content, language, 'published');
    end if;
  end loop;
  return content;
end
$$;
comment on function private.publish_languages is
  'Publishes the original, or only the given languages. Those that are published already stay so.';

create function private.schedule_content(
  content public.content, at timestamptz, languages text[], comment text
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  language text;
  others text[] := array(
    select s.language
    from unnest(coalesce(content.scheduled_languages, array[content.language])) as s (language)
    where content.scheduled_at is not null and s.language <> all (coalesce(languages, array[content.language]))
  );
begin
  perform private.insist_on_mover(content, 'publish');
  if (languages is null or content.language = any (languages)) and content.status <> 'approved'
    and (languages is null or content.status <> 'published')
  then
    perform private.refuse(
      'INVALID_TRANSITION', format('Content that is %s cannot be published.', content.status), 'move', '"publish"'
    );
  end if;
  foreach language in array coalesce(array_remove(languages, content.language), '{}') loop
    if (private.localization_of(content, language)).status not in ('approved', 'published') then
      perform private.refuse(
        'INVALID_TRANSITION', format('The translation into %s is not approved.', language), 'languages', to_jsonb(languages)
      );
    end if;
  end loop;
  if others <> '{}' then
    perform private.refuse(
      'CONFLICT',
      format('%s is scheduled already. Name it too, or cancel its schedule first.', array_to_string(others, ', ')),
      'languages', to_jsonb(languages)
    );
  end if;
  perform private.check_required_fields(content);
  perform private.check_move_comment(comment);
  update public.content c
  set scheduled_at = at, scheduled_version_number = c.version_number, scheduled_languages = languages, updated_at = now()
  where c.id = content.id
  returning * into content;
  perform private.record_content_assets(content);
  perform private.record_move(content, 'schedule', content.status, comment);
  return content;
end
$$;
comment on function private.schedule_content is
  'Schedules the publication of the current version, in place of an earlier schedule of these languages. Later saves do not change it. Errors: INVALID_TRANSITION, FORBIDDEN, VALIDATION_ERROR, CONFLICT if other languages are scheduled.';

create function private.publish_scheduled(content public.content) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  before public.content_status := content.status;
  languages text[] := content.scheduled_languages;
  number integer := content.scheduled_version_number;
begin
  update public.content c
  set scheduled_at = null, scheduled_version_number = null, scheduled_languages = null,
      -- A version that was saved since needs its own review.
      status = case
        when c.status = 'approved' and c.version_number = number and (languages is null or c.language = any (languages))
          then 'published'
        else c.status
      end
  where c.id = content.id
  returning * into content;
  if languages is null or content.language = any (languages) then
    if languages is not null then
      perform private.leave_withdrawn(content);
    end if;
    content := private.publish_version(content, number);
    perform private.record_move(content, 'publish', before, null, number);
  end if;
  update public.content_localizations l
  set status = private.status_when_published(l, number), published_version_number = number, withdrawn_version_number = null,
      last_updated = now()
  where l.content_id = content.id and l.language = any (languages);
  if found then
    if content.published_version_number is not null then
      update public.published_content p set published_at = now() where p.content_id = content.id;
      perform private.write_published_texts(content);
    end if;
    perform private.record_content_assets(content);
  end if;
  return content;
end
$$;
comment on function private.publish_scheduled is
  'Publishes the scheduled version in the scheduled languages, whatever was saved since, and ends its schedule.';

create function private.unpublish_original(content public.content, comment text) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  before public.content_status := content.status;
begin
  if content.published_version_number is null then
    perform private.refuse('INVALID_TRANSITION', 'This content is not published.', 'move', '"unpublish"');
  end if;
  update public.content c
  -- Content that was changed since is a draft already.
  set status = case c.status when 'published' then 'draft' else c.status end, updated_at = now()
  where c.id = content.id
  returning * into content;
  perform private.record_move(content, 'unpublish', before, comment);
  return private.withdraw(content);
end
$$;
comment on function private.unpublish_original is 'Unpublishes a piece of content. Errors: INVALID_TRANSITION if it is not published.';

create function private.run_content_schedule() returns void
language plpgsql security definer set search_path = ''
as $$
declare
  due public.content;
begin
  -- Row by row: a concurrent run takes other rows, and a failure stops no other row.
  for due in
    select c.* from public.content c where c.scheduled_at <= now()
    order by c.scheduled_at, c.id
    limit 1000
    for update skip locked
  loop
    begin
      perform private.publish_scheduled(due);
    exception
      when deadlock_detected or lock_not_available or serialization_failure then
        -- It stays due, and the next run publishes it.
        null;
      when others then
        perform private.unscheduled(due);
        perform private.record_move(
          due, 'schedule_failed', due.status,
          case sqlstate when '23505' then 'Other content is published under this slug.' else sqlerrm end
        );
    end;
  end loop;
  for due in
    select c.* from public.content c where c.unpublish_at <= now()
    order by c.unpublish_at, c.id
    limit 1000
    for update skip locked
  loop
    if due.published_version_number is null then
      update public.content c set unpublish_at = null where c.id = due.id;
    else
      perform private.unpublish_original(due, null);
    end if;
  end loop;
end
$$;
comment on function private.run_content_schedule() is
  'Publishes and unpublishes what is due, at most 1,000 pieces of each. Content that cannot be published, for example because its slug is taken, is not tried again; the move schedule_failed says why. After a deadlock or a lock timeout it is tried again.';

create function private.remove_content(content public.content) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  was_published boolean := content.published_version_number is not null or exists (
    select from public.content_moves m where m.content_id = content.id and m.move = 'publish'
  );
  before public.content_status := content.status;
begin
  if not was_published then
    perform private.insist_on_role(content, 'delete', 'editor');
    delete from public.content c where c.id = content.id;
    return;
  end if;
  perform private.insist_on_role(content, 'delete', 'publisher');
  if content.deleted_at is not null then
    return;
  end if;
  update public.content c
  set status = 'archived', deleted_at = now(), updated_at = now()
  where c.id = content.id
  returning * into content;
  perform private.record_move(content, 'delete', before, null);
  perform private.withdraw(content);
end
$$;
comment on function private.remove_content is
  'Deletes a draft that was never published, and archives any other content. Publishers can restore it. Errors: FORBIDDEN.';
