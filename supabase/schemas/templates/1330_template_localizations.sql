-- The texts of templates in other languages, by key; the direction of writing; and the formats of money, dates and numbers. A
-- translation shows at once.

-- tables ---------------------------------------------------------------------------------------

create table public.template_localizations (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  base_template_id uuid not null,
  language text not null,
  translations jsonb not null default '[]',
  rtl_support boolean not null,
  custom_styles text,
  formatting jsonb,
  version_number integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint language_is_unique_in_template_localizations unique (base_template_id, language),
  constraint template_localizations_base_template_id_fkey foreign key (tenant_id, base_template_id)
    references public.templates (tenant_id, id) on delete cascade,
  constraint template_localizations_language_is_a_language check (private.is_language(language)),
  constraint template_localizations_custom_styles_is_at_most_100000_bytes check (octet_length(custom_styles) <= 100000)
);
comment on table public.template_localizations is
  'The texts of a template in a language, by key, with plural forms. rtl_support: the language is written from right to left. formatting: date_format, time_format, currency_format, number_format. version_number: the number of saves.';

-- indexes --------------------------------------------------------------------------------------

create unique index template_localizations_template_idx on public.template_localizations (tenant_id, base_template_id, id);
alter table public.template_localizations replica identity using index template_localizations_template_idx;

-- functions --------------------------------------------------------------------------------------

create function private.right_to_left_tags() returns text
language sql immutable
return '^(ar|arc|ckb|dv|fa|he|iw|ks|ku-arab|ps|sd|ug|ur|yi)(-|$)|-(arab|hebr|thaa|syrc|nkoo)(-|$)';
comment on function private.right_to_left_tags is
  'A regular expression for the tags of languages that are usually written from right to left, regardless of case. `npm run types` writes it for the functions and the client, too.';

create function private.is_written_from_right(language text) returns boolean
language sql immutable
return language ~* private.right_to_left_tags();
comment on function private.is_written_from_right is 'Whether a language is usually written from right to left.';

create function private.check_template_translation(translation jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  forms jsonb := nullif(translation -> 'plural_forms', 'null');
begin
  perform private.insist_on_keys(translation, field, array['key', 'value', 'context', 'plural_forms']);
  perform private.insist(
    private.is_text(translation -> 'key', 1, 200, '^[A-Za-z0-9_.-]+$'), field || '.key',
    'up to 200 letters, digits, dots, _ and -', translation -> 'key'
  );
  perform private.insist(
    private.is_text(translation -> 'value', 0, 10000), field || '.value', 'a text of at most 10000 characters',
    translation -> 'value'
  );
  perform private.insist(
    private.is_optional_text(translation -> 'context', 500), field || '.context', 'a text of at most 500 characters',
    translation -> 'context'
  );
  if forms is not null then
    perform private.insist_on_keys(forms, field || '.plural_forms', array['zero', 'one', 'two', 'few', 'many', 'other']);
    perform private.insist(
      forms ? 'other' and not exists (select from jsonb_each(forms) as f where not private.is_text(f.value, 0, 10000)),
      field || '.plural_forms', 'texts by plural category, with a text for other', forms
    );
  end if;
end
$$;
comment on function private.check_template_translation is 'Refuses an invalid translation: key, value, context, plural_forms.';

create function private.check_formatting(formatting jsonb) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if formatting is null or formatting = 'null' then
    return;
  end if;
  perform private.insist_on_keys(
    formatting, 'formatting', array['date_format', 'time_format', 'currency_format', 'number_format']
  );
  perform private.insist(
    coalesce(formatting ->> 'date_format', 'short') in ('short', 'medium', 'long', 'full'), 'formatting.date_format',
    'one of short, medium, long, full', formatting -> 'date_format'
  );
  perform private.insist(
    coalesce(formatting ->> 'time_format', 'short') in ('short', 'medium', 'long', 'full'), 'formatting.time_format',
    'one of short, medium, long, full', formatting -> 'time_format'
  );
  perform private.insist(
    coalesce(formatting ->> 'currency_format', 'symbol') in ('symbol', 'narrow_symbol', 'code', 'name'),
    'formatting.currency_format', 'one of symbol, narrow_symbol, code, name', formatting -> 'currency_format'
  );
  perform private.insist(
    coalesce(formatting ->> 'number_format', 'plain') in ('grouped', 'plain', 'compact'), 'formatting.number_format',
    'one of grouped, plain, compact', formatting -> 'number_format'
  );
end
$$;
comment on function private.check_formatting is 'Refuses invalid formats: date_format, time_format, currency_format, number_format. Null means the formats of the language.';

create function private.check_template_localization() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if octet_length(new.translations::text) > private.cap('component_bytes') then
    perform private.refuse_beyond('component_bytes', 'These translations are too large.', 'translations');
  end if;
  perform private.insist_on_list(new.translations, 'translations', 2000);
  perform private.check_template_translation(t.value, format('translations[%s]', t.position - 1))
  from jsonb_array_elements(new.translations) with ordinality as t (value, position);
  perform private.insist(
    (select count(distinct t.value ->> 'key') = count(*) from jsonb_array_elements(new.translations) as t), 'translations',
    'a list with unique keys', null
  );
  perform private.check_formatting(new.formatting);
  return new;
end
$$;
comment on function private.check_template_localization() is 'Row trigger: checks the translations and formats of a template, and their size.';

create function private.localization_of_template(template_id uuid, language text) returns public.template_localizations
language plpgsql stable security definer set search_path = ''
as $$
declare
  localization public.template_localizations;
  template public.templates := private.judged_template(template_id);
begin
  select * into localization
  from public.template_localizations l
  where l.base_template_id = template.id and l.language = localization_of_template.language;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no translation into this language.', 'language', to_jsonb(language));
  end if;
  return localization;
end
$$;
comment on function private.localization_of_template is
  'The translation of a template into a language. Refuses with NOT_FOUND, FORBIDDEN.';

create function private.save_template_localization(
  template_id uuid, language text, version_number integer, changes jsonb
) returns public.template_localizations
language plpgsql security definer set search_path = ''
as $$
declare
  template public.templates := private.edited_template(template_id, 'editor');
  was public.template_localizations;
  changed public.template_localizations;
begin
  perform private.known_only(changes, array['translations', 'rtl_support', 'custom_styles', 'formatting']);
  select * into was
  from public.template_localizations l
  where l.base_template_id = template.id and l.language = save_template_localization.language;
  if coalesce(was.version_number, 0) <> coalesce(save_template_localization.version_number, 0) then
    perform private.refuse_stale(save_template_localization.version_number, coalesce(was.version_number, 0));
  end if;
  changed := jsonb_populate_record(was, changes);
  changed.formatting := nullif(changed.formatting, 'null');
  if was.id is null then
    if private.cap('languages_per_template') <= (
      select count(*) from public.template_localizations l where l.base_template_id = template.id
    ) then
      perform private.refuse_beyond('languages_per_template', 'This template has the maximum number of languages.');
    end if;
    insert into public.template_localizations as l (
      tenant_id, base_template_id, language, translations, rtl_support, custom_styles, formatting
    )
    values (
      template.tenant_id, template.id, save_template_localization.language, coalesce(changed.translations, '[]'),
      coalesce(changed.rtl_support, private.is_written_from_right(save_template_localization.language)),
      changed.custom_styles, changed.formatting
    )
    returning * into changed;
  elsif changed is distinct from was then
    update public.template_localizations l
    set translations = changed.translations, rtl_support = changed.rtl_support, custom_styles = changed.custom_styles,
        formatting = changed.formatting, version_number = l.version_number + 1
    where l.id = was.id
    returning * into changed;
  end if;
  return changed;
end
$$;
comment on function private.save_template_localization is 'As public.save_template_localization.';

create function public.get_template_localization(template_id uuid, language text) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return to_jsonb(private.localization_of_template(template_id, language));
end
$$;
comment on function public.get_template_localization is
  'The translation of a template into a language. Refuses with NOT_FOUND, FORBIDDEN.';

create function public.save_template_localization(
  template_id uuid, language text, changes jsonb, version_number integer default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return to_jsonb(private.save_template_localization(template_id, language, version_number, changes));
end
$$;
comment on function public.save_template_localization is
  'For content editors: saves changes (translations, rtl_support, custom_styles, formatting) of a translation on top of version_number, which is null or 0 for a new one, and returns it. Refuses with CONFLICT if there is a newer version; VALIDATION_ERROR, LIMIT_REACHED, FORBIDDEN, NOT_FOUND.';

create function public.list_template_localizations(template_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  template public.templates := private.judged_template(template_id);
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(l) order by l.language), '[]')
    from public.template_localizations l
    where l.tenant_id = template.tenant_id and l.base_template_id = template.id
  );
end
$$;
comment on function public.list_template_localizations is
  'All translations of a template, for members with a content role. Refuses with NOT_FOUND, FORBIDDEN.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.template_localizations
  for each row execute function private.keep_nfc();

create trigger template_localizations_check
  before insert or update on public.template_localizations
  for each row execute function private.check_template_localization();

create trigger template_localizations_touch
  before update on public.template_localizations
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.template_localizations enable row level security;

create policy "Content roles see translations of templates" on public.template_localizations
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and cardinality((select private.content_roles())) > 0);

-- grants ---------------------------------------------------------------------------------------

grant select on public.template_localizations to authenticated, service_role;
revoke insert, update, delete, truncate on public.template_localizations from service_role;
grant execute on function private.localization_of_template, private.save_template_localization to authenticated, service_role;
grant execute on function
  public.get_template_localization, public.save_template_localization, public.list_template_localizations
to authenticated;
