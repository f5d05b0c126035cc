-- Every night a job compares the ledger with what it describes: orders, payouts and the charges of promotion. A difference should
-- never occur; if one does, the tenant gets an event that names the rows, once.

-- types ----------------------------------------------------------------------------------------

create type private.ledger_rule as enum ('part', 'payout', 'payout_lines', 'promotion', 'adjustment');

-- tables ---------------------------------------------------------------------------------------

create table private.ledger_mismatches (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  rule private.ledger_rule not null,
  subject_id uuid not null,
  supplier_id uuid not null,
  currency text not null,
  expected numeric not null,
  found numeric not null,
  found_at timestamptz not null default now(),
  constraint ledger_mismatches_pkey primary key (tenant_id, rule, subject_id, supplier_id, currency)
);
comment on table private.ledger_mismatches is
  'The differences that the last comparison found, so that each is reported once. subject_id: the order of a part, the payout, the campaign of a promotion, or the adjustment.';

-- functions ------------------------------------------------------------------------------------

create function private.ledger_differences(tenant uuid) returns setof private.ledger_mismatches
language sql stable security definer set search_path = ''
as $$
  with line as materialized (
    select l.supplier_id, l.currency, l.order_id, l.campaign_id, l.adjustment_id, l.payout_id, l.kind, sum(l.amount) as amount
    from public.ledger_lines l
    where l.tenant_id = tenant
    group by l.supplier_id, l.currency, l.order_id, l.campaign_id, l.adjustment_id, l.payout_id, l.kind
  ),
  figure as (
    -- The lines of a part of an order add up to its payout.
    select 'part'::private.ledger_rule as rule, c.order_id as subject_id, c.supplier_id, c.currency, c.payout_amount as expected, 0 as found
    from public.order_commissions c
    where c.tenant_id = tenant
    union all
    select 'part', l.order_id, l.supplier_id, l.currency, 0, l.amount
    from line l
    where l.order_id is not null and l.kind <> 'adjustment'
    union all
    -- What a payout takes off the ledger, until it failed or was reversed.
    select 'payout', p.id, p.supplier_id, p.currency, case when p.status in ('pending', 'paid') then -p.amount else 0 end, 0
    from public.payouts p
    where p.tenant_id = tenant
    union all
    select 'payout', l.payout_id, l.supplier_id, l.currency, 0, l.amount
    from line l
    where l.kind in ('payout', 'payout_reversal')
    union all
    -- What a payout closes.
    select 'payout_lines', p.id, p.supplier_id, p.currency, case when p.status in ('pending', 'paid') then p.amount else 0 end, 0
    from public.payouts p
    where p.tenant_id = tenant
    union all
    select 'payout_lines', l.payout_id, l.supplier_id, l.currency, 0, l.amount
    from line l
    where l.payout_id is not null and l.kind not in ('payout', 'payout_reversal')
    union all
    -- A currency without cents has the charges of a campaign rounded.
    select
      'promotion', c.id, c.supplier_id, c.currency,
      -round(sum(p.amount), (select k.exponent from private.currencies k where k.code = c.currency)), 0
    from public.campaigns c
    join public.placement_charges p on p.tenant_id = c.tenant_id and p.campaign_id = c.id
    where c.tenant_id = tenant and c.supplier_id is not null
    group by c.id, c.supplier_id, c.currency
    union all
    select 'promotion', l.campaign_id, l.supplier_id, l.currency, 0, l.amount
    from line l
    where l.campaign_id is not null
    union all
    select 'adjustment', a.id, a.supplier_id, a.currency, a.amount, 0
    from public.ledger_adjustments a
    where a.tenant_id = tenant
    union all
    select 'adjustment', l.adjustment_id, l.supplier_id, l.currency, 0, l.amount
    from line l
    where l.adjustment_id is not null
  )
  select tenant, f.rule, f.subject_id, f.supplier_id, f.currency, sum(f.expected), sum(f.found), now()
  from figure f
  group by f.rule, f.subject_id, f.supplier_id, f.currency
  having sum(f.expected) <> sum(f.found)
$$;
comment on function private.ledger_differences is
  'Where a tenant''s ledger differs from its orders (part), its payouts (payout, payout_lines), the charges of its suppliers'' campaigns (promotion) or its adjustments.';

create function private.compare_ledger_of(tenant uuid) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  news private.news[];
begin
  with difference as materialized (
    select d.* from private.ledger_differences(tenant) d
  ),
  mended as (
    delete from private.ledger_mismatches m
    where m.tenant_id = tenant and not exists (
      select
      from difference d
      where d.rule = m.rule and d.subject_id = m.subject_id and d.supplier_id = m.supplier_id and d.currency = m.currency
    )
  ),
  reported as (
    insert into private.ledger_mismatches as m (tenant_id, rule, subject_id, supplier_id, currency, expected, found)
    select tenant, d.rule, d.subject_id, d.supplier_id, d.currency, d.expected, d.found
    from difference d
    where not exists (
      select
      from private.ledger_mismatches k
      where k.tenant_id = tenant and k.rule = d.rule and k.subject_id = d.subject_id and k.supplier_id = d.supplier_id
        and k.currency = d.currency and k.expected = d.expected and k.found = d.found
    )
    order by d.rule, d.subject_id, d.supplier_id, d.currency
    limit 100
    on conflict on constraint ledger_mismatches_pkey do update
    set expected = excluded.expected, found = excluded.found, found_at = now()
    returning m.*
  )
  select array_agg(
    row(
      tenant, 'ledger.mismatch',
      jsonb_build_object('mismatch', jsonb_build_object(
        'rule', r.rule, 'supplier_id', r.supplier_id,
        case r.rule
          when 'part' then 'order_id' when 'promotion' then 'campaign_id' when 'adjustment' then 'adjustment_id' else 'payout_id'
        end, r.subject_id,
        'currency', r.currency, 'expected', r.expected, 'found', r.found
      )),
      '{}', null, null
    )::private.news
  )
  into news
  from reported r;
  perform private.emit_all(news) where news is not null;
end
$$;
comment on function private.compare_ledger_of is
  'Compares a tenant''s ledger with what it describes, and writes a ledger.mismatch event for each difference that is new or has changed: 100 a night, until all are reported.';

create function private.compare_ledgers(last text) returns text
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid;
begin
  select t.id into tenant
  from public.tenants t
  where (last is null or t.id > last::uuid)
    and not exists (select from private.tenant_removals r where r.tenant_id = t.id)
  order by t.id
  limit 1;
  if tenant is not null then
    begin
      perform private.compare_ledger_of(tenant);
    exception
      -- One tenant whose ledger cannot be compared does not keep the job from the others.
      when others then
        raise warning 'the ledger of tenant % cannot be compared: %', tenant, sqlerrm;
    end;
  end if;
  return tenant::text;
end
$$;
comment on function private.compare_ledgers is
  'For a job in batches: compares the ledger of the first tenant, or of the one after the last, and returns it; null after the last one.';

-- policies -------------------------------------------------------------------------------------

alter table private.ledger_mismatches enable row level security;
