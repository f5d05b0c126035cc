-- Sales of promoted placement: each line of an order is attributed to the buyer's last valid click on the product, and
-- counted on the day of the order unless it is cancelled or returned.

-- tables ---------------------------------------------------------------------------------------

create table private.placement_sales (
  tenant_id uuid not null,
  order_id uuid not null,
  item_id uuid not null,
  campaign_id uuid,
  click_id uuid,
  date date not null,
  amount numeric not null,
  sold boolean not null,
  counted_for uuid,
  counted_amount numeric not null default 0,
  counted boolean not null default false,
  is_open boolean not null default true,
  constraint placement_sales_pkey primary key (tenant_id, order_id, item_id),
  constraint placement_sales_item_id_fkey foreign key (tenant_id, order_id, item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint placement_sales_campaign_id_fkey foreign key (tenant_id, campaign_id)
    references public.campaigns (tenant_id, id) on delete cascade,
  -- A row without a click is deleted before its transaction commits.
  constraint placement_sales_click_id_is_there_once_counted check (is_open or campaign_id is not null and click_id is not null),
  constraint placement_sales_amount_is_of_at_most_4_decimals check (scale(amount) <= 4),
  constraint placement_sales_counted_amount_is_of_at_most_4_decimals check (scale(counted_amount) <= 4)
);
comment on table private.placement_sales is
  'Lines of orders that are attributed to a click: the amount that is left after cancellations and returns, the amount that the statistics of the date contain, and for which campaign (counted_for). is_open: the statistics do not contain it yet; only within a transaction.';

-- indexes --------------------------------------------------------------------------------------

create index placement_sales_campaign_idx on private.placement_sales (tenant_id, campaign_id);
create index placement_sales_click_idx on private.placement_sales (tenant_id, click_id);
-- Contains only rows that a transaction is about to count.
create index placement_sales_open_idx on private.placement_sales (campaign_id, date) where is_open;

-- functions ------------------------------------------------------------------------------------

create function private.last_click(tenant_id uuid, visitor_id text, product_id uuid, moment timestamptz)
returns table (id uuid, campaign_id uuid)
language plpgsql rows 1 security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  select k.id, k.campaign_id
  from private.placement_clicks k
  where k.tenant_id = last_click.tenant_id and k.visitor_id = last_click.visitor_id
    and k.product_id = last_click.product_id and k.refusal is null
    and k.clicked_at > moment - interval '7 days' and k.clicked_at <= moment
  order by k.clicked_at desc, k.id
  limit 1
  -- The lock lasts until the commit, so that a transaction that invalidates the click finds this sale. A click that is
  -- locked now is about to be invalidated, so it is skipped: an order does not wait for it.
  for share skip locked;
end
$$;
comment on function private.last_click is
  'The click to which a sale at this moment is attributed: the visitor''s last valid click on the product within the 7 days before.';

create function private.attribute_sales(order_ids uuid[], visitor_ids text[])
returns table (place bigint, sales bigint)
-- Planning for the arrays of each call takes 0.35 ms of the 4 ms of an order. The plan is kept and looks up rows by
-- index, even if it was made while the tables were empty.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  return query
  with sold as (
    select
      wanted.place, i.tenant_id, i.order_id, i.id as item_id, click.campaign_id, click.id as click_id,
      (o.created_at at time zone t.time_zone)::date as date,
      i.price * i.sold_quantity as amount,
      i.sold_quantity > 0 as sold
    from unnest(order_ids, visitor_ids) with ordinality as wanted (order_id, visitor_id, place)
    join public.orders o on o.id = wanted.order_id and o.imported_at is null
    join public.tenants t on t.id = o.tenant_id
    join public.order_items i on i.tenant_id = o.tenant_id and i.order_id = o.id
    cross join lateral private.last_click(i.tenant_id, wanted.visitor_id, i.product_id, o.created_at) as click
  ),
  attributed as (
    insert into private.placement_sales
      (tenant_id, order_id, item_id, campaign_id, click_id, date, amount, sold)
    select s.tenant_id, s.order_id, s.item_id, s.campaign_id, s.click_id, s.date, s.amount, s.sold
    from sold s
    order by s.order_id, s.item_id, s.place
    on conflict do nothing
    returning item_id, click_id
  )
  select first_of.place, count(*)
  from (
    select distinct on (a.item_id) a.item_id, s.place
    from attributed a
    join sold s on s.item_id = a.item_id and s.click_id = a.click_id
    order by a.item_id, s.place
  ) as first_of
  group by first_of.place;
end
$$;
comment on function private.attribute_sales is
  'Attributes each line of these orders, unless they were imported, to the last valid click of the visitor at the same position on that product within the 7 days before the order; each line once. Returns the number of lines for each position that has some.';

create function private.pass_on_sales(tenant_id uuid, click_ids uuid[]) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  perform 1
  from private.placement_sales s
  where s.tenant_id = pass_on_sales.tenant_id and s.click_id = any (pass_on_sales.click_ids)
  order by s.order_id, s.item_id
  for update;

  update private.placement_sales s
  set campaign_id = heir.campaign_id, click_id = heir.click_id, is_open = true
  from (
    select l.order_id, l.item_id, click.campaign_id, click.id as click_id
    from private.placement_sales l
    -- A deleted click passes nothing on, because the clicks before it are deleted too.
    left join private.placement_clicks k on k.tenant_id = l.tenant_id and k.id = l.click_id
    join public.orders o on o.tenant_id = l.tenant_id and o.id = l.order_id
    left join lateral private.last_click(l.tenant_id, k.visitor_id, k.product_id, o.created_at) as click on true
    where l.tenant_id = pass_on_sales.tenant_id and l.click_id = any (pass_on_sales.click_ids)
  ) as heir
  where s.tenant_id = pass_on_sales.tenant_id and s.order_id = heir.order_id and s.item_id = heir.item_id;
end
$$;
comment on function private.pass_on_sales is
  'Attributes the sales of clicks that became invalid to the previous valid click of the same visitor on the same product, or to none.';

create function private.open_sales()
returns table (campaign_id uuid, date date, amount numeric, lines integer)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  select d.campaign_id, s.date, d.amount, d.lines
  from private.placement_sales s
  cross join lateral (
    values
      (s.campaign_id, s.amount, s.sold::integer),
      (s.counted_for, -s.counted_amount, -s.counted::integer)
  ) as d (campaign_id, amount, lines)
  where s.is_open and d.campaign_id is not null;
end
$$;
comment on function private.open_sales() is
  'The changes of this transaction''s sales that the statistics do not contain yet.';

create function private.count_sales() returns void
language plpgsql security definer set search_path = ''
as $$
declare
  campaigns uuid[];
  dates date[];
begin
  -- Other transactions count their sales before they commit, so all open rows are of this transaction.
  select array_agg(d.campaign_id), array_agg(d.date) into campaigns, dates
  from private.open_sales() as d;
  if campaigns is null then
    return;
  end if;
  perform private.lock_statistics(campaigns, dates);

  with changed as (
    select d.campaign_id, d.date, sum(d.amount) as amount, sum(d.lines) as lines
    from private.open_sales() as d
    group by d.campaign_id, d.date
  )
  update public.campaign_statistics s
  set sales_count = s.sales_count + changed.lines, sales_amount = s.sales_amount + changed.amount
  from changed
  where s.campaign_id = changed.campaign_id and s.date = changed.date;

  delete from private.placement_sales s where s.is_open and s.click_id is null;
  update private.placement_sales s
  set counted_for = s.campaign_id, counted_amount = s.amount, counted = s.sold, is_open = false
  where s.is_open;
end
$$;
comment on function private.count_sales() is
  'Adds the sales, cancellations and returns of this transaction to the statistics.';

create function private.count_open_sales() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.count_sales();
  return null;
end
$$;
comment on function private.count_open_sales() is
  'Row trigger at commit: counts all sales of the transaction at once, so that the statistics of days are locked in order and for a short time.';

create function private.follow_sold_items() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.attribute_sales(array_agg(o.id order by clicked.place), array_agg(clicked.by::text order by clicked.place))
  from public.orders o
  join public.customers c on c.tenant_id = o.tenant_id and c.id = o.customer_id
  -- A guest may have clicked before it had an account.
  cross join lateral (values (1, c.user_id), (2, private.sent_visitor_id())) as clicked (place, by)
  where o.id = any (array(select distinct i.order_id from new_items i)) and c.user_id is not null and clicked.by is not null;
  return null;
end
$$;
comment on function private.follow_sold_items() is
  'Statement trigger: attributes the items that a customer buys to its last clicks.';

create function private.follow_changed_items() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update private.placement_sales s
  set amount = i.price * i.sold_quantity, sold = i.sold_quantity > 0, is_open = true
  from new_items i
  join old_items was on was.id = i.id and was.sold_quantity <> i.sold_quantity
  where s.tenant_id = i.tenant_id and s.order_id = i.order_id and s.item_id = i.id;
  return null;
end
$$;
comment on function private.follow_changed_items() is
  'Statement trigger: updates the sales of items that were cancelled, returned or lost in part.';

-- triggers -------------------------------------------------------------------------------------

create trigger order_items_make_sales
  after insert on public.order_items
  referencing new table as new_items
  for each statement execute function private.follow_sold_items();

create trigger order_items_change_sales
  after update on public.order_items
  referencing old table as old_items new table as new_items
  for each statement execute function private.follow_changed_items();

create constraint trigger placement_sales_count
  after insert or update on private.placement_sales
  deferrable initially deferred
  for each row when (new.is_open)
  execute function private.count_open_sales();

-- policies -------------------------------------------------------------------------------------

alter table private.placement_sales enable row level security;
