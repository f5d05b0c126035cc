-- The pieces of an order: each is open, in transit, delivered, returned, lost or cancelled. An item counts its pieces
-- in each state. The status of the order, and of each supplier's part, follows from these counts. Every change of a
-- piece goes through move_pieces.

-- types ----------------------------------------------------------------------------------------

create type public.piece_state as enum ('open', 'shipped', 'delivered', 'returned', 'lost', 'cancelled');

create type private.piece as (
  item_id uuid, "position" integer, product_id uuid, variant_id uuid, supplier_id uuid, is_digital boolean,
  quantity integer
);
comment on type private.piece is 'A number of pieces (quantity) of an item of an order.';

-- tables ---------------------------------------------------------------------------------------

create table private.piece_states (
  state public.piece_state not null,
  is_shipped boolean not null default false,
  is_delivered boolean not null default false,
  is_returned boolean not null default false,
  is_lost boolean not null default false,
  is_cancelled boolean not null default false,
  constraint piece_states_pkey primary key (state)
);
comment on table private.piece_states is
  'Which quantities of an item count a piece in a state. So quantity = open + shipped + cancelled, and shipped = in transit + delivered + lost. The state shipped means in transit.';

create table private.piece_moves (
  name text not null,
  from_state public.piece_state not null,
  to_state public.piece_state not null,
  stock_reason public.inventory_reason,
  constraint piece_moves_pkey primary key (name),
  constraint piece_moves_from_state_fkey foreign key (from_state) references private.piece_states (state),
  constraint piece_moves_to_state_fkey foreign key (to_state) references private.piece_states (state)
);
comment on table private.piece_moves is
  'Every move of a piece that exists, and the reason (of inventory_movements) for which it moves the stock; null if it moves none.';

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
  'The history of each order: who moved it, when, from which status to which. Without an actor it was a job, or one of several suppliers of the order.';

-- indexes --------------------------------------------------------------------------------------

create unique index order_status_changes_order_idx on public.order_status_changes (tenant_id, order_id, created_at, id);
alter table public.order_status_changes replica identity using index order_status_changes_order_idx;

-- functions ------------------------------------------------------------------------------------

create function private.status_of_pieces(
  given public.order_status, kept numeric, lost numeric, returned numeric, delivered numeric, shipped numeric, is_begun boolean
) returns public.order_status
language sql immutable
return case
  when kept = 0 and lost = 0 then 'cancelled'::public.order_status
  when kept = 0 or returned = kept then 'returned'
  when delivered = kept then 'delivered'
  when shipped = kept then 'shipped'
  when is_begun or not private.holds_stock(given) then 'processing'
  else given
end;
comment on function private.status_of_pieces is
  'The status of an order, or of a part of one, by its pieces. kept: pieces that are neither cancelled nor lost; returned, delivered and shipped: pieces of these that are at least so far; is_begun: a piece that is not digital was shipped; given: the status until now, or the one to which it is moved by hand.';

create function private.pieces_in(target public.orders, variadic states public.piece_state[] default '{}')
returns setof private.piece
language plpgsql stable security definer set search_path = ''
as $$
declare
  -- A supplier moves only its own items.
  own_supplier uuid := private.supplier_id();
begin
  return query
  select
    i.id, i.position, i.product_id, i.variant_id, i.supplier_id, p.kind = 'digital',
    case when 'open' = any (states) then i.quantity - i.shipped_quantity - i.cancelled_quantity else 0 end
    + case when 'shipped' = any (states) then i.shipped_quantity - i.delivered_quantity - i.lost_quantity else 0 end
    + case when 'delivered' = any (states) then i.delivered_quantity - i.returned_quantity else 0 end
  from public.order_items i
  join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
  where i.tenant_id = target.tenant_id and i.order_id = target.id
    and (own_supplier is null or i.supplier_id = own_supplier)
  order by i.position;
end
$$;
comment on function private.pieces_in is
  'The number of pieces of each item of an order, also 0, in these states: open, shipped (in transit) and delivered (not returned). A supplier gets its own items.';

create function private.wanted_pieces(items jsonb, there private.piece[], too_many text) returns private.piece[]
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  wanted private.piece[];
  problem record;
begin
  if jsonb_typeof(items) is distinct from 'array' or jsonb_array_length(items) = 0 then
    perform private.refuse('VALIDATION_ERROR', 'items must name at least one item.', 'items', items);
  elsif jsonb_array_length(items) > 500 then
    perform private.refuse('VALIDATION_ERROR', 'items must have at most 500 entries.', 'items');
  end if;
  perform private.known_only(sent.value, '{item_id,quantity}', format('items[%s].', sent.position - 1))
  from jsonb_array_elements(items) with ordinality as sent (value, position);

  select line.* into problem
  from (
    select
      sent.position, sent.value, piece.item_id, (sent.value ->> 'quantity')::integer as quantity, piece.quantity as there,
      sum((sent.value ->> 'quantity')::integer) over (partition by piece.item_id order by sent.position) as wanted
    from jsonb_array_elements(items) with ordinality as sent (value, position)
    left join unnest(there) as piece on piece.item_id = (sent.value ->> 'item_id')::uuid
  ) as line
  where line.item_id is null or coalesce(line.quantity, 0) <= 0 or line.wanted > line.there
  order by line.position
  limit 1;
  if found and problem.item_id is null then
    perform private.refuse(
      'NOT_FOUND', 'The order has no such item.',
      format('items[%s].item_id', problem.position - 1), problem.value -> 'item_id'
    );
  elsif found then
    perform private.refuse(
      'VALIDATION_ERROR',
      case when coalesce(problem.quantity, 0) <= 0 then 'quantity must be at least 1.' else format(too_many, problem.there) end,
      format('items[%s].quantity', problem.position - 1), problem.value -> 'quantity'
    );
  end if;

  select array_agg(
    row(
      piece.item_id, piece.position, piece.product_id, piece.variant_id, piece.supplier_id, piece.is_digital, sent.quantity
    )::private.piece
    order by piece.position
  )
  into wanted
  from (
    select (s.value ->> 'item_id')::uuid as item_id, sum((s.value ->> 'quantity')::integer)::integer as quantity
    from jsonb_array_elements(items) as s (value)
    group by 1
  ) as sent
  join unnest(there) as piece on piece.item_id = sent.item_id;
  return wanted;
end
$$;
comment on function private.wanted_pieces is
  'The pieces that a caller names by item_id and quantity, out of those that are there. too_many: the message if it names more, with %s for the number that is there. Refuses: NOT_FOUND, VALIDATION_ERROR.';

create function private.pieces_among(there private.piece[], wanted private.piece[]) returns private.piece[]
language sql immutable set search_path = ''
as $$
  select array_agg(
    row(
      w.item_id, w.position, w.product_id, w.variant_id, w.supplier_id, w.is_digital, least(w.quantity, t.quantity)
    )::private.piece
    order by w.position
  )
  from unnest(wanted) as w
  join unnest(there) as t on t.item_id = w.item_id
  where least(w.quantity, t.quantity) > 0
$$;
comment on function private.pieces_among is 'As many of the wanted pieces of each item as are there; null if there are none.';

create function private.move_pieces(target public.orders, move text, pieces private.piece[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  reason public.inventory_reason;
  moved jsonb := to_jsonb(pieces);
begin
  if coalesce(cardinality(pieces), 0) = 0 then
    return;
  end if;
  select m.stock_reason into strict reason from private.piece_moves m where m.name = move_pieces.move;
  -- An imported order never moves stock.
  if reason is not null and target.imported_at is null then
    perform private.lock_stock(target.tenant_id, moved);
    perform private.take_stock(target.tenant_id, target.id, reason::text, moved);
  end if;

  update public.order_items i
  set shipped_quantity = i.shipped_quantity + sent.quantity * (after.is_shipped::integer - before.is_shipped::integer),
      delivered_quantity =
        i.delivered_quantity + sent.quantity * (after.is_delivered::integer - before.is_delivered::integer),
      returned_quantity = i.returned_quantity + sent.quantity * (after.is_returned::integer - before.is_returned::integer),
      lost_quantity = i.lost_quantity + sent.quantity * (after.is_lost::integer - before.is_lost::integer),
      cancelled_quantity =
        i.cancelled_quantity + sent.quantity * (after.is_cancelled::integer - before.is_cancelled::integer)
  from (select p.item_id, sum(p.quantity)::integer as quantity from unnest(pieces) as p group by p.item_id) as sent
  cross join private.piece_moves m
  join private.piece_states before on before.state = m.from_state
  join private.piece_states after on after.state = m.to_state
  where m.name = move_pieces.move
    and i.tenant_id = target.tenant_id and i.order_id = target.id and i.id = sent.item_id;
end
$$;
comment on function private.move_pieces is
  'Makes a move of piece_moves with pieces of an order, and moves the stock with them. The caller has locked the order''s row, has checked that the pieces are in the state where the move begins, and calls follow_pieces afterwards.';

create function private.has_one_seller(target public.orders) returns boolean
language sql stable security definer set search_path = ''
as $$
  select count(*) <= 1
  from (
    select distinct i.supplier_id
    from public.order_items i
    where i.tenant_id = target.tenant_id and i.order_id = target.id
  ) as seller
$$;
comment on function private.has_one_seller is
  'Whether all items of an order are of one supplier, or of the operator. If not, several suppliers read its history, which must not reveal what one of them, or the customer, did with another one''s items.';

create function private.follow_pieces(
  target public.orders, note text default null, given public.order_status default null
) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  current_status public.order_status := (select o.status from public.orders o where o.id = target.id);
  next_status public.order_status;
begin
  with counted as materialized (
    select
      i.supplier_id,
      sum(i.quantity - i.cancelled_quantity - i.lost_quantity) as kept,
      sum(i.lost_quantity) as lost,
      sum(i.returned_quantity) as returned,
      sum(i.delivered_quantity) as delivered,
      sum(i.shipped_quantity - i.lost_quantity) as shipped,
      -- Digital goods are handed out by themselves.
      bool_or(i.shipped_quantity > 0 and p.kind <> 'digital') as is_begun
    from public.order_items i
    join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
    where i.tenant_id = target.tenant_id and i.order_id = target.id
    group by i.supplier_id
  ),
  whole as (
    select private.status_of_pieces(
      current_status, sum(c.kept), sum(c.lost), sum(c.returned), sum(c.delivered), sum(c.shipped), bool_or(c.is_begun)
    ) as status, sum(c.kept) as kept
    from counted c
  ),
  parts as (
    update public.order_parts p
    set status = after.status,
        delivery_owed = after.delivery_owed,
        accepted = p.accepted or coalesce(given > 'pending', false)
    from (
      select
        part.supplier_id,
        case
          -- A part that delivers the whole order has the status of the order once no item of its own is left.
          when c.kept is null or c.kept = 0 and c.lost = 0 and part.delivers_all then whole.status
          else private.status_of_pieces(
            greatest(part.status, coalesce(given, 'pending')), c.kept, c.lost, c.returned, c.delivered, c.shipped, c.is_begun
          )
        end as status,
        -- A delivery of which nothing arrives is not owed.
        coalesce(case when part.delivers_all then whole.kept else c.kept end, 0) > 0 as delivery_owed
      from public.order_parts part
      cross join whole
      left join counted c on c.supplier_id is not distinct from part.supplier_id
      where part.tenant_id = target.tenant_id and part.order_id = target.id
    ) as after
    where p.tenant_id = target.tenant_id and p.order_id = target.id
      and p.supplier_id is not distinct from after.supplier_id
      and (p.status, p.delivery_owed, p.accepted)
        <> (after.status, after.delivery_owed, p.accepted or coalesce(given > 'pending', false))
  )
  select w.status into next_status from whole w;

  -- The row is written even if its status stays, so that Realtime reports it. If a status is given, the caller has
  -- written the row already.
  if given is null or next_status <> current_status then
    update public.orders o
    set status = next_status, updated_at = now()
    where o.id = target.id;
  end if;
  if next_status <> current_status then
    insert into public.order_status_changes (tenant_id, order_id, old_status, new_status, note, actor_id)
    values (
      target.tenant_id, target.id, current_status, next_status, follow_pieces.note,
      case when private.supplier_id() is null or private.has_one_seller(target) then auth.uid() end
    );
  end if;
end
$$;
comment on function private.follow_pieces is
  'Sets the status of an order and of its parts to the one that their pieces have, and writes the history. note: for everybody who sees the order. given: the status to which the whole order is moved by hand, which its parts get at least; null if it is not.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.order_status_changes
  for each row execute function private.keep_nfc();

create trigger orders_check_status_move
  before update of status on public.orders
  for each row execute function private.check_status_move();

-- policies -------------------------------------------------------------------------------------

alter table private.piece_states enable row level security;
alter table private.piece_moves enable row level security;
alter table public.order_status_changes enable row level security;

create policy "Members who see an order see its history" on public.order_status_changes
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case
      when (select private.scope('orders.read')) = 'all' then true
      else (select true from public.orders o where o.id = order_id)
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.order_status_changes to authenticated;
grant all on public.order_status_changes to service_role;
