-- How orders move on: along the one table of moves, the stock with them, and each move kept. Part of an
-- order may come back; when the last piece is back, the order has moved to returned.

-- tables ---------------------------------------------------------------------------------------

create table public.order_status_changes (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  old_status public.order_status not null,
  new_status public.order_status not null,
  note text,
  actor_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  constraint order_status_changes_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint order_status_changes_note_is_at_most_2000_characters check (char_length(note) <= 2000)
);
comment on table public.order_status_changes is
  'The history of each order: who moved it, when, from where to where. Without an actor it was the clock.';

create table public.order_returns (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  note text,
  actor_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  constraint order_returns_tenant_id_order_id_id_key unique (tenant_id, order_id, id),
  constraint order_returns_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint order_returns_note_is_at_most_2000_characters check (char_length(note) <= 2000)
);
comment on table public.order_returns is 'Each time pieces of an order came back.';

create table public.order_return_items (
  tenant_id uuid not null,
  order_id uuid not null,
  return_id uuid not null,
  item_id uuid not null,
  quantity integer not null,
  amount numeric not null,
  constraint order_return_items_pkey primary key (tenant_id, order_id, return_id, item_id),
  constraint order_return_items_return_id_fkey foreign key (tenant_id, order_id, return_id)
    references public.order_returns (tenant_id, order_id, id) on delete cascade,
  constraint order_return_items_item_id_fkey foreign key (tenant_id, order_id, item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint order_return_items_quantity_is_positive check (quantity > 0),
  constraint order_return_items_amount_is_of_at_most_4_decimals check (scale(amount) <= 4)
);
comment on table public.order_return_items is 'What came back each time, and what had been paid for it.';

insert into private.status_moves (subject, from_status, to_status)
select 'orders', a.status, b.status
from unnest(array['pending', 'confirmed', 'processing', 'shipped', 'delivered']) with ordinality as a (status, rank)
join unnest(array['pending', 'confirmed', 'processing', 'shipped', 'delivered']) with ordinality as b (status, rank)
  on b.rank > a.rank
union all
values
  ('orders', 'pending', 'cancelled'),
  ('orders', 'confirmed', 'cancelled'),
  ('orders', 'processing', 'cancelled'),
  ('orders', 'shipped', 'returned'),
  ('orders', 'delivered', 'returned');

-- indexes --------------------------------------------------------------------------------------

create index order_status_changes_order_idx on public.order_status_changes (tenant_id, order_id, created_at);
create index order_return_items_item_idx on public.order_return_items (tenant_id, order_id, item_id);

-- functions ------------------------------------------------------------------------------------

create function private.pieces_of(order_ids uuid[]) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'item_id', i.id, 'product_id', i.product_id, 'variant_id', i.variant_id,
          'quantity', i.quantity - i.returned_quantity
        )
        order by i.position
      ),
      '[]'
    )
    from public.orders o
    join public.order_items i on i.tenant_id = o.tenant_id and i.order_id = o.id
    where o.id = any (order_ids) and i.returned_quantity < i.quantity
  );
end
$$;
comment on function private.pieces_of is 'The pieces of orders that did not come back, as lock_stock and take_stock read them.';

create function private.take_back(target public.orders, pieces jsonb, note text) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  returned uuid;
begin
  if target.imported_at is null then
    perform private.lock_stock(target.tenant_id, pieces);
    perform private.take_stock(target.tenant_id, target.id, 'return', pieces);
  end if;

  insert into public.order_returns (tenant_id, order_id, note, actor_id)
  values (target.tenant_id, target.id, take_back.note, auth.uid())
  returning id into returned;

  with back as (
    select piece.item_id, sum(piece.quantity)::integer as quantity
    from jsonb_to_recordset(pieces) as piece (item_id uuid, quantity integer)
    group by piece.item_id
  ),
  counted as (
    update public.order_items i
    set returned_quantity = i.returned_quantity + back.quantity
    from back
    where i.tenant_id = target.tenant_id and i.order_id = target.id and i.id = back.item_id
    returning i.id, back.quantity, back.quantity * i.price as amount
  )
  insert into public.order_return_items (tenant_id, order_id, return_id, item_id, quantity, amount)
  select target.tenant_id, target.id, returned, counted.id, counted.quantity, counted.amount
  from counted;
  return returned;
end
$$;
comment on function private.take_back is
  'Puts pieces of an order, a list of item_id, product_id, variant_id and quantity, back into stock (unless it was imported) and keeps that they came back.';

create function private.move_order(target public.orders, status public.order_status, note text) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  pieces jsonb := private.pieces_of(array[target.id]);
begin
  -- The trigger refuses a move that does not exist; to stay is none either, or stock would follow it twice.
  if move_order.status = target.status then
    perform private.refuse(
      'INVALID_TRANSITION', format('The order is %s already.', target.status), 'status', to_jsonb(move_order.status)
    );
  end if;
  update public.orders o
  set status = move_order.status
  where o.id = target.id;

  insert into public.order_status_changes (tenant_id, order_id, old_status, new_status, note, actor_id)
  values (target.tenant_id, target.id, target.status, move_order.status, move_order.note, auth.uid());

  if jsonb_array_length(pieces) = 0 then
    return;
  elsif move_order.status = 'returned' then
    perform private.take_back(target, pieces, move_order.note);
  elsif private.holds_stock(target.status) and not private.holds_stock(move_order.status)
    and target.imported_at is null
  then
    -- Until it is shipped an order holds a reservation; afterwards the pieces are gone.
    perform private.lock_stock(target.tenant_id, pieces);
    perform private.take_stock(
      target.tenant_id, target.id, case move_order.status when 'cancelled' then 'release' else 'ship' end, pieces
    );
  end if;
end
$$;
comment on function private.move_order is
  'Moves an order, whose row the caller has locked, with its history and the stock that follows from it, or refuses: INVALID_TRANSITION.';

create function private.change_order_status(order_id uuid, status public.order_status, note text) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  caller public.member_role := private.tenant_role();
  target public.orders := private.seen_order(change_order_status.order_id);
  may boolean;
begin
  -- Who sees an order never changes. Where it stands may, until it is locked.
  select * into target from public.orders o where o.id = target.id for update;

  may := case caller
    when 'admin' then true
    when 'customer' then change_order_status.status = 'cancelled'
    when 'supplier' then
      not private.is_void(change_order_status.status)
      and not exists (
        select 1 from public.order_items i
        where i.tenant_id = target.tenant_id
          and i.order_id = target.id
          and i.supplier_id is distinct from private.supplier_id()
      )
    else false
  end;
  if not may then
    perform private.refuse(
      'FORBIDDEN', 'Your role may not move this order there.', 'status', to_jsonb(change_order_status.status)
    );
  end if;

  perform private.move_order(target, change_order_status.status, change_order_status.note);

  if caller = 'customer' and target.status not in ('pending', 'confirmed') then
    perform private.refuse(
      'FORBIDDEN', 'It is too late to cancel this order yourself.', 'status', to_jsonb(change_order_status.status)
    );
  end if;
end
$$;
comment on function private.change_order_status is
  'Moves an order, with the stock that follows from it, or refuses: NOT_FOUND, FORBIDDEN, INVALID_TRANSITION.';

create function private.return_order_items(order_id uuid, items jsonb, note text) returns uuid
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  target public.orders;
  pieces jsonb;
  problem record;
  returned uuid;
begin
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Your role may not take goods back.');
  end if;
  select * into target
  from public.orders o
  where o.tenant_id = private.tenant_id() and o.id = return_order_items.order_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such order.');
  elsif not private.is_sent(target.status) then
    perform private.refuse(
      'INVALID_TRANSITION', format('The order is %s: goods come back from shipped and delivered ones.', target.status)
    );
  elsif jsonb_typeof(items) is distinct from 'array' or jsonb_array_length(items) = 0 then
    perform private.refuse('VALIDATION_ERROR', 'Say what came back: at least one item.', 'items', items);
  elsif (
    select count(*) from public.order_returns r where r.tenant_id = target.tenant_id and r.order_id = target.id
  ) >= 200 then
    -- A list of orders shows them all.
    perform private.refuse('VALIDATION_ERROR', 'An order holds at most 200 returns: move it to returned.');
  end if;
  -- For each line of a return an id, a quantity and an amount.
  perform private.bound_record(
    (
      select coalesce(sum(octet_length(to_json(r.note)::text)), 0)
      from public.order_returns r
      where r.tenant_id = target.tenant_id and r.order_id = target.id
    )
    + coalesce(octet_length(to_json(return_order_items.note)::text), 0)
    + 100 * (
      jsonb_array_length(items) + (
        select count(*)
        from public.order_return_items i
        where i.tenant_id = target.tenant_id and i.order_id = target.id
      )
    ),
    0.0625, 'This order holds no more returns: move it to returned, or say less in the note.'
  );
  perform private.known_only(sent.value, '{item_id,quantity}', format('items[%s].', sent.position - 1))
  from jsonb_array_elements(items) with ordinality as sent (value, position)
  where jsonb_typeof(sent.value) = 'object';

  select jsonb_agg(
    jsonb_build_object(
      'position', sent.position, 'sent', sent.value, 'item_id', i.id, 'product_id', i.product_id,
      'variant_id', i.variant_id, 'quantity', (sent.value ->> 'quantity')::integer,
      'outside', i.quantity - i.returned_quantity
    )
    order by sent.position
  )
  into pieces
  from jsonb_array_elements(items) with ordinality as sent (value, position)
  left join public.order_items i
    on i.tenant_id = target.tenant_id and i.order_id = target.id and i.id = (sent.value ->> 'item_id')::uuid;

  select line.* into problem
  from (
    select piece.*, sum(piece.quantity) over (partition by piece.item_id order by piece.position) as wanted
    from jsonb_to_recordset(pieces) as piece (position integer, sent jsonb, item_id uuid, quantity integer, outside integer)
  ) as line
  where line.item_id is null or coalesce(line.quantity, 0) <= 0 or line.wanted > line.outside
  order by line.position
  limit 1;
  if found and problem.item_id is null then
    perform private.refuse(
      'NOT_FOUND', 'The order has no such item.',
      format('items[%s].item_id', problem.position - 1), problem.sent -> 'item_id'
    );
  elsif found then
    perform private.refuse(
      'VALIDATION_ERROR',
      case
        when coalesce(problem.quantity, 0) <= 0 then 'Say how many: at least 1.'
        else format('Only %s of them can still come back.', problem.outside)
      end,
      format('items[%s].quantity', problem.position - 1), problem.sent -> 'quantity'
    );
  end if;

  returned := private.take_back(target, pieces, return_order_items.note);
  if private.pieces_of(array[target.id]) = '[]' then
    perform private.move_order(target, 'returned', return_order_items.note);
  else
    -- Whoever listens to the order hears of it.
    update public.orders o set updated_at = now() where o.id = target.id;
  end if;
  return returned;
end
$$;
comment on function private.return_order_items is
  'Takes pieces of a shipped or delivered order back into stock, or refuses: FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR.';

create function public.return_order_items(order_id uuid, items jsonb, note text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  returned uuid := private.return_order_items(order_id, items, note);
begin
  return (
    select to_jsonb(d) || jsonb_build_object('order_status', o.status)
    from public.order_return_details d
    join public.orders o on o.id = d.order_id
    where d.id = returned
  );
end
$$;
comment on function public.return_order_items is
  'For admins: takes items, a list of item_id and quantity, back into stock and answers the return. When the last piece is back the order becomes returned.';

create view public.order_return_details with (security_invoker = true) as
select
  r.id, r.tenant_id, r.order_id, r.note, r.actor_id, r.created_at, back.items, back.amount
from public.order_returns r
cross join lateral (
  select
    coalesce(
      jsonb_agg(
        jsonb_build_object('item_id', i.item_id, 'quantity', i.quantity, 'amount', i.amount) order by i.item_id
      ),
      '[]'
    ) as items,
    coalesce(sum(i.amount), 0) as amount
  from public.order_return_items i
  where i.tenant_id = r.tenant_id and i.order_id = r.order_id and i.return_id = r.id
) as back;
comment on view public.order_return_details is
  'What came back of an order, and what had been charged for it. A supplier sees its own items, and their amount.';

-- triggers -------------------------------------------------------------------------------------

create trigger orders_check_status_move
  before update of status on public.orders
  for each row execute function private.check_status_move();

-- policies -------------------------------------------------------------------------------------

alter table public.order_status_changes enable row level security;
alter table public.order_returns enable row level security;
alter table public.order_return_items enable row level security;

create policy "Whoever sees an order sees its history" on public.order_status_changes
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case
      when (select private.reads_all()) then true
      else (select true from public.orders o where o.id = order_id)
    end
  );

create policy "Whoever sees an order sees its returns, suppliers those of their items" on public.order_returns
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then (select true from public.orders o where o.id = order_id)
      when 'supplier' then (
        select true
        from public.order_return_items i
        where i.tenant_id = order_returns.tenant_id
          and i.order_id = order_returns.order_id
          and i.return_id = order_returns.id
        limit 1
      )
      else (select private.reads_all())
    end
  );

create policy "Whoever sees an item sees what came back of it" on public.order_return_items
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case
      when (select private.reads_all()) then true
      else (select true from public.order_items i where i.id = item_id)
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.order_status_changes, public.order_returns, public.order_return_items,
  public.order_return_details to authenticated;
grant all on public.order_status_changes, public.order_returns, public.order_return_items,
  public.order_return_details to service_role;
grant execute on function private.change_order_status, private.return_order_items to authenticated;
grant execute on function public.return_order_items to authenticated;
