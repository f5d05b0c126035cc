-- Saving content. A save names the version that it began from, and is refused if there is a newer one. So nothing is
-- overwritten unseen. Over HTTP the edge functions then merge both and save again.

-- functions: saving ------------------------------------------------------------------------------

create function private.refuse_stale(sent integer, newest integer) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse(
    'CONFLICT', 'There is a newer version. Read it, and save again on top of it.', 'version_number', to_jsonb(sent),
    jsonb_build_object('version_number', newest)
  );
end
$$;
comment on function private.refuse_stale is 'Refuses a stale save with CONFLICT. details.version_number is the newest version.';

create function private.follow_translations(content public.content, document jsonb, changed text[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  spoken text[] := array(
    select k from jsonb_object_keys((document -> 'title') || (document -> 'localizations')) as k where k <> content.language
  );
begin
  perform private.drop_unused_translations(content);
  -- Readers still see these, or will.
  update public.content_localizations l
  set status = 'draft'
  where l.content_id = content.id and l.language <> all (spoken) and l.status in ('review', 'approved', 'published');
  insert into public.content_localizations as l (tenant_id, content_id, language, translator_id, original_version_number)
  select content.tenant_id, content.id, s.language, auth.uid(), content.original_version_number
  from unnest(spoken) as s (language)
  on conflict on constraint language_is_unique_in_content_localizations do update
  set translator_id = excluded.translator_id, original_version_number = excluded.original_version_number,
      last_updated = now(),
      -- The reviewed text has changed.
      status = case when l.status in ('review', 'approved', 'published') then 'draft' else l.status end
  where exists (
    select from unnest(changed) as c (path)
    where c.path = 'title.' || l.language or c.path like format('localizations.%s.%%', replace(l.language, '_', '\_'))
  );
end
$$;
comment on function private.follow_translations is
  'Adds and removes translations as a save has them. A changed translation that was reviewed returns to draft.';

create function private.replaced_autosave(content public.content, head private.content_branches) returns private.content_versions
language sql stable security definer set search_path = ''
as $$
  select v.*
  from private.content_versions v
  where v.content_id = content.id and v.version_number = head.version_number and v.autosave
    and v.author_id = auth.uid() and v.created_at > now() - interval '10 minutes'
    and v.parents <> '{}'
    and v.version_number not in (
      select n from unnest(array[content.published_version_number, content.scheduled_version_number]) as n where n is not null
      union all
      select coalesce(l.published_version_number, l.withdrawn_version_number) from public.content_localizations l
      where l.content_id = content.id and coalesce(l.published_version_number, l.withdrawn_version_number) is not null
      union all
      select b.version_number
      from private.content_branches b
      where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name <> head.name
    )
    -- No other branch continues from it.
    and not exists (
      select from private.content_versions n
      where n.content_id = content.id and n.version_number > v.version_number and v.version_number = any (n.parents)
    )
$$;
comment on function private.replaced_autosave is
  'The head of a branch if it is an autosave of the caller within the last 10 minutes that nothing else uses yet.';

create function private.advance_main(
  content public.content, number integer, document jsonb, changed text[]
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  before public.content_status := content.status;
  -- Translations are reviewed and published separately.
  touches_original boolean := exists (
    select from unnest(changed) as c (path)
    where c.path not like 'localizations.%' and (c.path not like 'title.%' or c.path = 'title.' || content.language)
  );
begin
  update public.content c
  set version_number = number, slug = document ->> 'slug', title = document -> 'title', updated_at = now(),
      original_version_number = case when touches_original then number else c.original_version_number end,
      status = case when touches_original and c.status <> 'archived' then 'draft' else c.status end
  where c.id = content.id
  returning * into content;
  if content.status <> before then
    insert into public.content_moves (tenant_id, content_id, move, from_status, to_status, version_number, actor_id)
    values (content.tenant_id, content.id, 'edit', before, content.status, number, auth.uid());
  end if;
  perform private.follow_translations(content, document, changed);
  return content;
end
$$;
comment on function private.advance_main is
  'Moves main to a new version. A change of the original returns content to draft.';

create function private.head_of(content public.content, branch text, base integer) returns private.content_branches
language plpgsql stable security definer set search_path = ''
as $$
declare
  head private.content_branches;
begin
  select * into head
  from private.content_branches b
  where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = branch;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such branch.', 'branch', to_jsonb(branch));
  elsif head.version_number is distinct from base then
    perform private.refuse_stale(base, head.version_number);
  end if;
  -- Concatenation reads the stored value once. Otherwise each use of the document would read it again.
  head.document := head.document || '{}';
  return head;
end
$$;
comment on function private.head_of is 'The head of a branch, whose version has to be base. Errors: NOT_FOUND, CONFLICT.';

create function private.save_draft(
  content public.content, branch text, base integer, document jsonb, comment text, autosave boolean default false,
  merged_from integer default null
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  head private.content_branches := private.head_of(content, branch, base);
  replaced private.content_versions;
  changed text[];
  line integer[];
  number integer := content.last_version_number + 1;
begin
  perform private.check_move_comment(comment);
  changed := private.changed_paths(head.document, document);
  if changed = '{}' and merged_from is null then
    return content;
  end if;
  line := array[head.version_number] || merged_from;
  if autosave then
    replaced := private.replaced_autosave(content, head);
    if replaced.content_id is not null then
      line := replaced.parents;
    end if;
  end if;
  perform private.store_version(
    content, number, array_remove(line, null), branch, document,
    case when replaced.content_id is null then changed
      else private.changed_paths(private.version_document(content.id, line[1]), document)
    end,
    comment, autosave
  );
  delete from private.content_versions v where v.content_id = content.id and v.version_number = replaced.version_number;
  update private.content_branches b
  set version_number = number, document = save_draft.document
  where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = branch;
  update public.content c set last_version_number = number, updated_at = now() where c.id = content.id returning * into content;
  if branch = 'main' then
    content := private.advance_main(
      content, number, document, private.changed_by_hand(head.document, document, changed)
    );
  end if;
  perform private.record_content_assets(content);
  perform private.prune_versions(content);
  return content;
end
$$;
comment on function private.save_draft is
  'Saves a checked document as the next version of a branch, whose head has to be base. Without a change it makes no version. Errors: CONFLICT if it is stale or its slug is taken, NOT_FOUND.';

create function private.check_move_comment(comment text) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if char_length(comment) > private.cap('content_move_comment') then
    perform private.refuse_beyond('content_move_comment', 'The comment is too long. Shorten it.', 'comment');
  end if;
end
$$;
comment on function private.check_move_comment is 'Refuses a comment that is too long, with LIMIT_REACHED.';

create function private.save_changes(
  content public.content, branch text, base integer, changes jsonb, comment text, autosave boolean
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  type public.content_types := private.content_type_of(content.type);
  -- This comes first: whether changes are valid depends on the version below them.
  before jsonb := (private.head_of(content, branch, base)).document;
  document jsonb;
begin
  perform private.known_only(changes, private.document_keys());
  document := private.without_old_translations(private.whole_document(before || changes, type, content.language), before);
  perform private.check_document(type, content.language, document, before);
  perform private.check_references(content, document, before);
  return private.save_draft(content, branch, base, document, comment, autosave);
end
$$;
comment on function private.save_changes is 'Saves the sent parts of a document and keeps the others.';

-- functions: beginning ---------------------------------------------------------------------------

create function private.subject_of(type text, subject_id uuid, out product_id uuid, out category_id uuid, out supplier_id uuid, out marketplace_id uuid)
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
begin
  if type not in ('products', 'categories') then
    perform private.insist(
      subject_id is null, 'subject_id', 'absent: only content of the types products and categories describes something',
      to_jsonb(subject_id)
    );
    return;
  end if;
  if type = 'products' then
    select p.id, p.supplier_id, p.marketplace_id into product_id, supplier_id, marketplace_id
    from public.products p
    where p.tenant_id = tenant and p.id = subject_of.subject_id and p.status <> 'discontinued';
  else
    select k.id into category_id from public.categories k where k.tenant_id = tenant and k.id = subject_of.subject_id;
  end if;
  if coalesce(product_id, category_id) is null then
    perform private.refuse(
      case when subject_id is null then 'VALIDATION_ERROR' else 'NOT_FOUND' end,
      'subject_id must be the id of a product or category.', 'subject_id', coalesce(to_jsonb(subject_id), 'null')
    );
  end if;
end
$$;
comment on function private.subject_of is
  'The product, with its supplier and marketplace, or the category that content describes. Errors: NOT_FOUND, VALIDATION_ERROR on subject_id.';

create function private.create_content(
  type public.content_types, document jsonb, marketplace_id uuid, subject_id uuid, comment text
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  subject record := private.subject_of(type.key, subject_id);
  place public.marketplaces;
  created public.content;
  whole jsonb;
begin
  if not 'editor' = any (private.content_roles())
    and not coalesce(subject.supplier_id = private.supplier_id('content.write'), false)
  then
    perform private.refuse(
      'FORBIDDEN', 'Only editors and admins may create content. Suppliers may describe their own products.'
    );
  end if;
  select * into place
  from public.marketplaces m
  where m.tenant_id = private.tenant_id()
    and m.id = coalesce(create_content.marketplace_id, subject.marketplace_id, private.sole_marketplace_id());
  perform private.insist(place.id is not null, 'marketplace_id', 'the id of a marketplace of your tenant', to_jsonb(create_content.marketplace_id));
  perform private.insist(
    place.id = coalesce(subject.marketplace_id, place.id), 'marketplace_id', 'the marketplace of the product', to_jsonb(place.id)
  );
  if private.cap('content_per_tenant') <= private.number_of_drafts() then
    perform private.refuse_beyond('content_per_tenant', 'The tenant has the maximum number of pieces of content.');
  end if;
  perform private.known_only(document, private.document_keys());
  perform private.check_move_comment(comment);
  whole := private.whole_document(document, type, place.language);
  perform private.check_document(type, place.language, whole, null);
  insert into public.content (
    tenant_id, type, marketplace_id, product_id, category_id, supplier_id, language, slug, title, author_id
  )
  values (
    place.tenant_id, type.key, place.id, subject.product_id, subject.category_id, subject.supplier_id, place.language,
    whole ->> 'slug', whole -> 'title', auth.uid()
  )
  returning * into created;
  perform private.check_references(created, whole, null);
  insert into private.content_branches (tenant_id, content_id, name, version_number, document)
  values (created.tenant_id, created.id, 'main', 1, whole);
  perform private.store_version(created, 1, '{}', 'main', whole, '{}', comment, false);
  perform private.follow_translations(created, whole, '{}');
  perform private.record_content_assets(created);
  return created;
end
$$;
comment on function private.create_content is 'Creates a draft. Errors: CONFLICT, VALIDATION_ERROR, LIMIT_REACHED, FORBIDDEN, NOT_FOUND.';
