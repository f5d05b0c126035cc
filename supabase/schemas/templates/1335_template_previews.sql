-- Previews: a token shows a version of a template for 24 hours, without a session.

-- tables ---------------------------------------------------------------------------------------

create table private.template_previews (
  token_sha256 bytea not null,
  tenant_id uuid not null,
  template_id uuid not null,
  version_number integer not null,
  made_by uuid references auth.users (id) on delete cascade,
  expires_at timestamptz not null,
  -- In this order for lookups by token.
  constraint template_previews_pkey primary key (token_sha256, tenant_id),
  constraint template_previews_version_fkey foreign key (tenant_id, template_id, version_number)
    references private.template_versions (tenant_id, template_id, version_number) on delete cascade
);
comment on table private.template_previews is
  'Tokens that show a version of a template without a session until expires_at. Only the digest of a token is kept.';

create index template_previews_template_idx on private.template_previews (tenant_id, template_id, version_number);
create index template_previews_made_by_idx on private.template_previews (made_by);
create index template_previews_expires_at_idx on private.template_previews (expires_at);

-- functions --------------------------------------------------------------------------------------

create function private.open_template_preview(template_id uuid, version integer) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  template public.templates := private.judged_template(template_id);
  number integer := coalesce(version, template.version_number);
  token text := translate(encode(extensions.gen_random_bytes(32), 'base64'), '+/=', '-_');
  ends timestamptz := now() + interval '24 hours';
begin
  if not exists (
    select
    from private.template_versions v
    where v.tenant_id = template.tenant_id and v.template_id = template.id and v.version_number = number
  ) then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it is not kept any more.', 'version', to_jsonb(version)
    );
  end if;
  insert into private.template_previews (token_sha256, tenant_id, template_id, version_number, made_by, expires_at)
  values (sha256(convert_to(token, 'utf8')), template.tenant_id, template.id, number, auth.uid(), ends);
  return jsonb_build_object(
    'url', format('/functions/v1/api/templates/%s/render?preview=%s', template.id, token), 'token', token, 'version', number,
    'expires_at', ends
  );
end
$$;
comment on function private.open_template_preview is 'As public.create_template_preview.';

create function public.create_template_preview(template_id uuid, version integer default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.open_template_preview(template_id, version);
end
$$;
comment on function public.create_template_preview is
  'Makes a token that shows a version of a template, by default the latest, without a session for 24 hours. Returns {url, token, version, expires_at}; url is a path of the project. Refuses with FORBIDDEN, NOT_FOUND.';

create function private.close_template_previews(template_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  template public.templates := private.judged_template(template_id);
begin
  delete from private.template_previews p where p.tenant_id = template.tenant_id and p.template_id = template.id;
end
$$;
comment on function private.close_template_previews is 'As public.delete_template_preview.';

create function public.delete_template_preview(template_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.close_template_previews(template_id);
end
$$;
comment on function public.delete_template_preview is 'Ends all previews of a template. Refuses with FORBIDDEN, NOT_FOUND.';

create function private.template_preview(id text, token text) returns private.template_previews
language plpgsql stable security definer set search_path = ''
as $$
declare
  preview private.template_previews;
begin
  select p.* into preview
  from private.template_previews p
  join public.members m on m.tenant_id = p.tenant_id and m.user_id = p.made_by and m.status = 'active'
    and (private.scope_of('content.manage', m.role) = 'all' or m.content_roles <> '{}')
  where p.token_sha256 = sha256(convert_to(token, 'utf8')) and p.expires_at > now() and p.template_id::text = lower(id);
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such preview, or it has ended.');
  end if;
  return preview;
end
$$;
comment on function private.template_preview is
  'The preview of a token, as long as the member who made it may see all versions. Refuses with NOT_FOUND.';

-- policies -------------------------------------------------------------------------------------

alter table private.template_previews enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.open_template_preview, private.close_template_previews, private.template_preview
to authenticated, service_role;
grant execute on function public.create_template_preview, public.delete_template_preview to authenticated;
