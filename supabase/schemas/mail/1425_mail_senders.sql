-- Senders: how many mails a tenant sends and an address gets, whether a tenant may send mails of its own, and when its
-- mail is paused. All tenants send from the address of the project, whose reputation they share.
--
-- Mails are counted when a dispatcher takes them, not in the transaction that writes them. So no order waits for a count,
-- or fails because of one.

-- types ----------------------------------------------------------------------------------------

create type public.tenant_mail_status as enum ('new', 'approved');

create type private.mail_refusal as (status public.mail_status, error text);
comment on type private.mail_refusal is 'Why a mail is not sent, and the status in which it ends. Both are null if it may be sent.';

alter table public.tenants
  add column mail_status public.tenant_mail_status not null default 'new',
  add column mail_paused_at timestamptz;
comment on column public.tenants.mail_status is
  'Whether the owner of the project lets the tenant send mails of its own: new or approved.';
comment on column public.tenants.mail_paused_at is
  'Since when the tenant sends no mails, because too many bounced or were complained about; null if it sends mails.';

create table private.mail_senders (
  tenant_id uuid primary key references public.tenants (id) on delete cascade,
  mails_per_day bigint,
  day date not null default '-infinity',
  mails bigint not null default 0,
  mails_to_members bigint not null default 0,
  reported_since timestamptz not null default '-infinity',
  constraint mail_senders_mails_per_day_is_not_negative check (mails_per_day >= 0)
);
comment on table private.mail_senders is
  'Tenants that have sent mails. mails_per_day: the tenant''s own bound; null for the cap mails_per_tenant_per_day. mails: those of the day, in UTC; mails_to_members: those that tell members of orders, which have the same bound for themselves. reported_since: when its mail was resumed; reports of older mails do not pause it again.';

create unlogged table private.mail_counts (
  subject bytea primary key,
  sent_at timestamptz[] not null default '{}',
  cause_id uuid,
  counted_at timestamptz not null default now()
);
comment on table private.mail_counts is
  'When addresses got mails within an hour. subject: a keyed hash of the address, for its mails, for those that tell members of orders, and for those about unpaid orders. sent_at: as many as the caps allow. cause_id: the last unpaid order''s event. Unlogged: lost in a crash.';

alter table public.mails add column reported public.suppression_reason;
comment on column public.mails.reported is 'What the provider reported about the mail; null if nothing.';

-- indexes --------------------------------------------------------------------------------------

create index mail_counts_counted_at_idx on private.mail_counts (counted_at);
create index mails_sent_idx on public.mails (tenant_id, created_at desc) where status = 'success' or reported is not null;

-- functions: bounds ------------------------------------------------------------------------------

create function private.mail_subject(kind text, address text) returns bytea
language sql stable security definer set search_path = ''
as $$
  -- What follows a plus does not change the mailbox.
  select private.signed('mails', kind || ' ' || regexp_replace(lower(address), '\+[^@]*@', '@'))
$$;
comment on function private.mail_subject(text, text) is
  'The keyed hash by which mails to an address are counted. kind: member for mails that tell members of orders, address for all others, unpaid for those of them about unpaid orders. Granted to nobody.';

create function private.mail_subject(mail public.mails) returns bytea
language sql stable security definer set search_path = ''
as $$
  select private.mail_subject(case when mail.is_for_members then 'member' else 'address' end, mail."to")
$$;
comment on function private.mail_subject(public.mails) is
  'The keyed hash by which a mail is counted for its address: orders never crowd out a member''s other mails.';

create function private.mails_per_day(tenant_id uuid) returns bigint
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    (select s.mails_per_day from private.mail_senders s where s.tenant_id = mails_per_day.tenant_id),
    private.cap('mails_per_tenant_per_day')
  )
$$;
comment on function private.mails_per_day is 'How many mails a tenant may send in a day.';

create function private.mails_of_today(tenant_id uuid, to_members boolean) returns bigint
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    (
      select case when to_members then s.mails_to_members else s.mails end
      from private.mail_senders s
      where s.tenant_id = mails_of_today.tenant_id and s.day = (now() at time zone 'utc')::date
    ),
    0
  )
$$;
comment on function private.mails_of_today is 'How many mails a tenant has sent today, in UTC: those that tell members of orders, or all others.';

create function private.mails_of_this_hour(subject bytea) returns bigint
language sql stable security definer set search_path = ''
as $$
  select count(*)
  from private.mail_counts c
  cross join unnest(c.sent_at) as s (at)
  where c.subject = mails_of_this_hour.subject and s.at > now() - interval '1 hour'
$$;
comment on function private.mails_of_this_hour is 'How many mails of a subject of mail_counts were sent within an hour.';

create function private.hold_mail_counts(mails public.mails[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  senders constant uuid[] := array(select distinct m.tenant_id from unnest(mails) m order by m.tenant_id);
begin
  -- All transactions lock tenants before addresses, each in this order, which prevents deadlocks.
  insert into private.mail_senders (tenant_id)
  select s.id from unnest(senders) as s (id)
  on conflict on constraint mail_senders_pkey do nothing;
  perform from private.mail_senders s where s.tenant_id = any (senders) order by s.tenant_id for no key update;
  insert into private.mail_counts (subject)
  select distinct h.subject
  from unnest(mails) m
  cross join lateral (values (private.mail_subject(m), true), (private.mail_subject('unpaid', m."to"), m.is_unpaid)) as h (subject, counts)
  where h.counts
    -- Mails beyond the bound of their tenant take no space.
    and private.mails_of_today(m.tenant_id, m.is_for_members) < private.mails_per_day(m.tenant_id)
  order by h.subject
  on conflict on constraint mail_counts_pkey do update set counted_at = now();
end
$$;
comment on function private.hold_mail_counts is
  'Locks the counts of the tenants and addresses of mails, so that several dispatchers count one after the other. They wait only for the same tenants and addresses.';

create function private.count_mail(subject bytea, cause_id uuid) returns void
language sql security definer set search_path = ''
as $$
  insert into private.mail_counts as c (subject, sent_at, cause_id)
  values (count_mail.subject, array[now()], count_mail.cause_id)
  on conflict on constraint mail_counts_pkey do update
  set sent_at = array(select s.at from unnest(c.sent_at) as s (at) where s.at > now() - interval '1 hour') || now(),
      cause_id = excluded.cause_id,
      counted_at = now()
$$;
comment on function private.count_mail is 'Counts a mail of a subject of mail_counts, and forgets those of more than an hour ago.';

create function private.exceeded_mail_bound(mail public.mails) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  unpaid constant bytea := private.mail_subject('unpaid', mail."to");
begin
  if private.mails_of_today(mail.tenant_id, mail.is_for_members) >= private.mails_per_day(mail.tenant_id) then
    return format(
      'The tenant has sent its %s mails of today, in UTC. The owner of the project can raise this number.',
      private.mails_per_day(mail.tenant_id)
    );
  elsif private.mails_of_this_hour(private.mail_subject(mail)) >= private.cap(
      case when mail.is_for_members then 'order_mails_per_member_per_hour' else 'mails_per_address_per_hour' end
    )
    or mail.is_unpaid
      and private.mails_of_this_hour(unpaid) >= private.cap('unpaid_orders_per_address_per_hour')
      and not exists (select from private.mail_counts c where c.subject = unpaid and c.cause_id = mail.cause_id)
  then
    -- One text for both: a tenant learns nothing about the orders of other tenants.
    return 'This address has had too many mails this hour.';
  end if;
  return null;
end
$$;
comment on function private.exceeded_mail_bound is
  'The bound of its tenant or address that a mail exceeds; null if it exceeds none. All mails of one event about an unpaid order count as one order.';

create function private.count_as_sent(mail public.mails) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  today constant date := (now() at time zone 'utc')::date;
  unpaid constant bytea := private.mail_subject('unpaid', mail."to");
begin
  update private.mail_senders s
  set mails = private.mails_of_today(mail.tenant_id, false) + (not mail.is_for_members)::integer,
      mails_to_members = private.mails_of_today(mail.tenant_id, true) + mail.is_for_members::integer,
      day = today
  where s.tenant_id = mail.tenant_id;
  perform private.count_mail(private.mail_subject(mail), null);
  if mail.is_unpaid
    and not exists (select from private.mail_counts c where c.subject = unpaid and c.cause_id = mail.cause_id)
  then
    perform private.count_mail(unpaid, mail.cause_id);
  end if;
  update private.jobs j set is_counted = true where j.queue = 'mails' and j.subject_id = mail.id;
end
$$;
comment on function private.count_as_sent is 'Counts a mail for its tenant and its address.';

-- functions: mails of the tenant -----------------------------------------------------------------

create function private.needs_own_template(mail public.mails) returns boolean
language sql stable security definer set search_path = ''
as $$
  select mail.is_test or not exists (select from private.mail_kinds l where l.key = mail.template)
$$;
comment on function private.needs_own_template is 'Whether a mail needs the template of its tenant, which no built-in one can replace.';

create function private.unused_own_template(mail public.mails) returns text
language sql stable security definer set search_path = ''
as $$
  select 'Your own letter is sent once the owner of the project has approved your mail.'
  from public.tenants t
  where t.id = mail.tenant_id and t.mail_status <> 'approved'
    and (
      private.needs_own_template(mail)
      or exists (select from public.email_templates e where e.tenant_id = mail.tenant_id and e.key = mail.template)
    )
$$;
comment on function private.unused_own_template is
  'Why a mail is not made with the tenant''s own template; null if it has, or if there is none.';

-- functions: sending -----------------------------------------------------------------------------

create function private.refused_mail(mail public.mails) returns private.mail_refusal
language plpgsql stable security definer set search_path = ''
as $$
declare
  is_paused constant boolean := (select t.mail_paused_at is not null from public.tenants t where t.id = mail.tenant_id);
  refusal private.mail_refusal;
begin
  if private.is_suppressed(mail.tenant_id, mail."to", mail.template) then
    refusal.status := 'suppressed';
    refusal.error := 'The address is suppressed: it has unsubscribed, complained or bounced.';
  elsif mail.attempts = 0 and mail.created_at < now() - interval '1 day' then
    refusal.status := 'failed';
    refusal.error := 'No dispatcher could send it within a day: check MAIL_URL and MAIL_FROM.';
  elsif is_paused then
    refusal.status := 'failed';
    refusal.error := 'The mail of the tenant is paused, because too many of its mails bounced or were complained about. '
      || 'The owner of the project can resume it.';
  elsif private.needs_own_template(mail) and private.unused_own_template(mail) is not null then
    refusal.status := 'suppressed';
    refusal.error := private.unused_own_template(mail);
  end if;
  return refusal;
end
$$;
comment on function private.refused_mail is 'Why a mail may not be sent now, apart from the bounds.';

create function private.admit_mail(mail public.mails) returns text
language plpgsql security definer set search_path = ''
as $$
declare
  exceeded text;
begin
  if (select j.is_counted from private.jobs j where j.queue = 'mails' and j.subject_id = mail.id) then
    return null;
  end if;
  exceeded := private.exceeded_mail_bound(mail);
  if exceeded is null then
    perform private.count_as_sent(mail);
  end if;
  return exceeded;
end
$$;
comment on function private.admit_mail is
  'Counts a mail that is within the bounds, once; otherwise returns the bound that it exceeds. Requires private.hold_mail_counts.';

-- functions: reports -----------------------------------------------------------------------------

create function private.record_mail_report(mail public.mails, reason public.suppression_reason) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.suppress(mail.tenant_id, mail."to", null, record_mail_report.reason);
  update public.mails m set reported = record_mail_report.reason where m.id = mail.id and m.reported is null;
  insert into private.mail_senders (tenant_id) values (mail.tenant_id)
  on conflict on constraint mail_senders_pkey do nothing;
  -- Reports of a tenant that arrive together are counted one after the other.
  perform from private.mail_senders s where s.tenant_id = mail.tenant_id for no key update;
  update public.tenants t
  set mail_paused_at = now()
  where t.id = mail.tenant_id and t.mail_paused_at is null
    and (
      select count(l.reported)
      from (
        select m.reported
        from public.mails m
        where m.tenant_id = mail.tenant_id and (m.status = 'success' or m.reported is not null)
          and m.created_at >= (select s.reported_since from private.mail_senders s where s.tenant_id = mail.tenant_id)
        order by m.created_at desc
        limit 100
      ) as l
    ) > private.cap('mail_reports');
end
$$;
comment on function private.record_mail_report is
  'Records a bounce or a complaint: suppresses all mails of the tenant to the address, and pauses the tenant''s mail beyond the cap mail_reports.';

create function private.report_mail(provider_id text, email text, reason public.suppression_reason) returns boolean
language plpgsql security definer set search_path = ''
as $$
declare
  mail public.mails;
begin
  select m.* into mail
  from public.mails m
  where m.provider_id = report_mail.provider_id and m."to" = lower(report_mail.email);
  if not found then
    return false;
  end if;
  perform private.record_mail_report(mail, report_mail.reason);
  return true;
end
$$;
comment on function private.report_mail is 'As public.report_mail.';

create function public.report_mail(provider_id text, email text, reason public.suppression_reason) returns boolean
language plpgsql set search_path = ''
as $$
begin
  return private.report_mail(provider_id, email, reason);
end
$$;
comment on function public.report_mail is
  'For the functions: records a bounce or a complaint that a provider reports. Suppresses all mails of the tenant to the address, and pauses the mail of a tenant with too many reports. False if the mail with this provider_id was not sent to the address.';

-- functions: for the owner of the project ------------------------------------------------------------

create function private.check_tenant_exists(tenant_id uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not exists (select from public.tenants t where t.id = check_tenant_exists.tenant_id) then
    perform private.refuse('NOT_FOUND', 'There is no such tenant.', 'tenant_id', to_jsonb(tenant_id));
  end if;
end
$$;
comment on function private.check_tenant_exists is 'Refuses with NOT_FOUND an id that no tenant has.';

create function public.set_mail_status(tenant_id uuid, status public.tenant_mail_status) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.check_tenant_exists(tenant_id);
  update public.tenants t set mail_status = set_mail_status.status where t.id = set_mail_status.tenant_id;
end
$$;
comment on function public.set_mail_status is
  'For the operator: approves a tenant''s mail, so that mails of its own are sent, or takes that back with new. Refuses with NOT_FOUND.';

create function public.set_mails_per_day(tenant_id uuid, mails_per_day bigint) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.check_tenant_exists(tenant_id);
  insert into private.mail_senders (tenant_id, mails_per_day)
  values (set_mails_per_day.tenant_id, set_mails_per_day.mails_per_day)
  on conflict on constraint mail_senders_pkey do update set mails_per_day = excluded.mails_per_day;
end
$$;
comment on function public.set_mails_per_day is
  'For the operator: sets how many mails a tenant may send in a day; null for the cap mails_per_tenant_per_day. Refuses with NOT_FOUND.';

create function public.resume_mail(tenant_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.check_tenant_exists(tenant_id);
  insert into private.mail_senders (tenant_id, reported_since)
  values (resume_mail.tenant_id, now())
  on conflict on constraint mail_senders_pkey do update set reported_since = excluded.reported_since;
  update public.tenants t set mail_paused_at = null where t.id = resume_mail.tenant_id;
end
$$;
comment on function public.resume_mail is
  'For the operator: resumes a tenant''s mail that was paused. Reports of mails from before do not pause it again. Refuses with NOT_FOUND.';

-- policies -------------------------------------------------------------------------------------

alter table private.mail_senders enable row level security;
alter table private.mail_counts enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant select, insert, update on private.mail_senders to service_role;
grant execute on function
  private.report_mail, private.check_tenant_exists,
  public.report_mail, public.set_mail_status, public.set_mails_per_day, public.resume_mail
to service_role;
