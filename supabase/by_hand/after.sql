-- Statements that the migration since the last release runs behind the difference: rows that move into new columns, and
-- what the difference does not show, such as dictionaries of text search.

insert into private.jobs (queue, tenant_id, subject_id, due_at, attempts, is_counted)
select w.queue, w.tenant_id, w.subject_id, w.due_at, w.attempts, w.is_counted from private.waiting_jobs w;

drop table private.waiting_jobs;

insert into private.jobs (queue, tenant_id, subject_id, due_at)
select 'media_sweeps', s.tenant_id, s.id, s.due_at from private.media_sweeps s;

-- Servers without vectors lack these tables.
do $$
begin
  if to_regclass('private.embedding_queue') is not null then
    insert into private.jobs (queue, tenant_id, subject_id, queued_at, due_at, attempts, error)
    select 'embeddings', q.tenant_id, q.product_id, q.queued_at, q.next_attempt_at, q.attempts, q.error
    from private.embedding_queue q;
    insert into private.jobs (queue, tenant_id, subject_id)
    select 'word_lessons', l.tenant_id, l.tenant_id from private.word_lessons l where l.is_due;
  end if;
end
$$;

select private.unschedule_job('clean-media');

-- A tenant of an earlier release goes on as it was: the settings of a new tenant are stricter with sellers.
update public.tenants
set settings = settings || '{"sellers": {"signup": "open", "product_review": "none"}}'
where not settings ? 'sellers';

-- Accounts get the customers that have had their addresses before.
insert into private.customer_claims (tenant_id, customer_id, due_at)
select c.tenant_id, c.id, now()
from public.customers c
where c.user_id is null and c.email is not null or c.is_guest and c.contact_email is not null;

-- The trigger makes their slugs.
update public.suppliers set slug = '' where slug = '';

-- The ledger begins with the orders and the charges that there are. What follows changes it.
select private.begin_ledger(c) from public.order_commissions c;

insert into public.ledger_lines (tenant_id, supplier_id, marketplace_id, currency, kind, amount, campaign_id, date, due_at)
select c.tenant_id, c.supplier_id, c.marketplace_id, c.currency, 'promotion', -charged.amount, c.id, charged.date, charged.last_at
from public.campaigns c
join private.currencies k on k.code = c.currency
cross join lateral (
  select round(sum(p.amount), k.exponent) as amount, max(p.date) as date, max(p.created_at) as last_at
  from public.placement_charges p
  where p.tenant_id = c.tenant_id and p.campaign_id = c.id
) as charged
where c.supplier_id is not null and charged.amount <> 0;

-- A refund of the operator may have changed what a supplier bears of an earlier one.
select private.settle_commissions(o)
from public.orders o
where o.imported_at is null
  and exists (
    select from public.payments p where p.tenant_id = o.tenant_id and p.order_id = o.id and p.borne_by = 'supplier'
  );
