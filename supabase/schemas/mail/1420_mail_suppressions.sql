-- Suppressions: addresses that get no more mails, or none of one kind. Recipients unsubscribe from optional mails;
-- providers report bounces and complaints.

-- types ----------------------------------------------------------------------------------------

create type public.suppression_reason as enum ('bounce', 'complaint', 'unsubscribed');

-- tables ---------------------------------------------------------------------------------------

create table public.mail_suppressions (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  email text collate "C" not null,
  template text,
  reason public.suppression_reason not null,
  created_at timestamptz not null default now(),
  constraint mail_suppressions_tenant_id_id_key unique (tenant_id, id),
  constraint email_is_unique_in_mail_suppressions unique nulls not distinct (tenant_id, email, template),
  constraint mail_suppressions_email_is_an_address_in_lower_case check (private.is_email(email))
);
comment on table public.mail_suppressions is
  'Addresses that get no mails of a tenant. template: the key of the kind that is suppressed; null for all mails.';
alter table public.mail_suppressions replica identity using index mail_suppressions_tenant_id_id_key;

-- indexes --------------------------------------------------------------------------------------

create index mail_suppressions_tenant_id_created_at_idx on public.mail_suppressions (tenant_id, created_at desc, id);

-- functions ------------------------------------------------------------------------------------

create function private.is_suppressed(tenant_id uuid, email text, template text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select
    from public.mail_suppressions s
    where s.tenant_id = is_suppressed.tenant_id and s.email = is_suppressed.email
      and (s.template is null or s.template = is_suppressed.template)
  )
$$;
comment on function private.is_suppressed is 'Whether an address gets no mails of this kind.';

create function private.suppress(tenant_id uuid, email text, template text, reason public.suppression_reason)
returns void
language sql security definer set search_path = ''
as $$
  insert into public.mail_suppressions (tenant_id, email, template, reason)
  values (suppress.tenant_id, suppress.email, suppress.template, suppress.reason)
  on conflict on constraint email_is_unique_in_mail_suppressions do nothing
$$;
comment on function private.suppress is 'Suppresses a kind of mail for an address; all mails if template is null.';

create function private.base64url(bytes bytea) returns text
language sql immutable set search_path = ''
as $$
  select rtrim(translate(replace(encode(bytes, 'base64'), e'\n', ''), '+/', '-_'), '=')
$$;
comment on function private.base64url is 'Bytes in the alphabet of URLs, without padding.';

create function private.unsubscribe_token(tenant_id uuid, template text, email text) returns text
language sql stable security definer set search_path = ''
as $$
  select private.base64url(convert_to(what, 'utf8')) || '.' || private.base64url(private.signed('mails', what))
  from (select concat_ws(' ', tenant_id, template, email) as what) as token
$$;
comment on function private.unsubscribe_token is
  'The token that unsubscribes an address from a kind of mail. It is not stored and does not expire. Granted to nobody.';

create function private.read_unsubscribe_token(token text, out tenant_id uuid, out template text, out email text)
language plpgsql stable security definer set search_path = ''
as $$
declare
  read text[];
begin
  if char_length(token) <= 800 and token ~ '^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$' then
    read := regexp_match(
      convert_from(
        decode(rpad(translate(split_part(token, '.', 1), '-_', '+/'), (char_length(split_part(token, '.', 1)) + 3) / 4 * 4, '='), 'base64'),
        'utf8'
      ),
      '^([0-9a-f-]{36}) ([a-z0-9_]+) (.+)$'
    );
    if private.is_uuid(read[1]) and private.unsubscribe_token(read[1]::uuid, read[2], read[3]) = token then
      tenant_id := read[1]::uuid;
      template := read[2];
      email := read[3];
    end if;
  end if;
exception
  -- The token is not base64, or not UTF-8.
  when invalid_parameter_value or character_not_in_repertoire or untranslatable_character then
    tenant_id := null;
end
$$;
comment on function private.read_unsubscribe_token is 'The tenant, kind of mail and address of a token; nulls if the token is not valid.';

create function public.unsubscribe(token text, confirmed boolean) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  found_token record;
begin
  select * into found_token from private.read_unsubscribe_token(token);
  if not exists (select from public.tenants t where t.id = found_token.tenant_id) then
    perform private.refuse('NOT_FOUND', 'This link is not valid. Use the link in the e-mail.');
  end if;
  if confirmed then
    perform private.suppress(found_token.tenant_id, found_token.email, found_token.template, 'unsubscribed');
  end if;
  return jsonb_build_object(
    'email', found_token.email, 'template', found_token.template,
    'unsubscribed', private.is_suppressed(found_token.tenant_id, found_token.email, found_token.template),
    'sender', (private.shop_of(found_token.tenant_id, null)).name,
    'languages', array_remove(
      array[
        (
          select c.language
          from public.customers c
          where c.tenant_id = found_token.tenant_id and c.email = found_token.email
          order by c.created_at
          limit 1
        ),
        (private.shop_of(found_token.tenant_id, null)).language
      ],
      null
    )
  );
end
$$;
comment on function public.unsubscribe is
  'For the functions: unsubscribes the address of a token if confirmed. Returns {email, template, unsubscribed, sender, languages}. Refuses with NOT_FOUND.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.mail_suppressions
  for each row execute function private.keep_nfc();

create trigger mail_suppressions_are_ended_by_admins
  before delete on public.mail_suppressions
  for each statement execute function private.permitted_only('mails.write');

-- policies -------------------------------------------------------------------------------------

alter table public.mail_suppressions enable row level security;

create policy "Admins see their tenant's suppressions" on public.mail_suppressions
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('mails.read')) = 'all');

create policy "Admins end suppressions" on public.mail_suppressions
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('mails.write')) = 'all');

-- grants ---------------------------------------------------------------------------------------

grant select, delete on public.mail_suppressions to authenticated;
grant all on public.mail_suppressions to service_role;
grant execute on function
  private.suppress, private.is_suppressed, private.read_unsubscribe_token, private.shop_of,
  public.unsubscribe
to service_role;
