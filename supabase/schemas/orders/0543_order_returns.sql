-- Returns: shipped pieces of an order come back, some or all. The order is returned when its last piece is back.

-- tables ---------------------------------------------------------------------------------------

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
comment on table public.order_returns is 'The returns of an order: each row is one time that pieces came back.';
alter table public.order_returns replica identity using index order_returns_tenant_id_order_id_id_key;

create table public.order_return_items (
  tenant_id uuid not null,
  order_id uuid not null,
  return_id uuid not null,
  item_id uuid not null,
  quantity integer not null,
  amount numeric not null,
  restocked boolean not null default true,
  constraint order_return_items_pkey primary key (tenant_id, order_id, return_id, item_id),
  constraint order_return_items_return_id_fkey foreign key (tenant_id, order_id, return_id)
    references public.order_returns (tenant_id, order_id, id) on delete cascade,
  constraint order_return_items_item_id_fkey foreign key (tenant_id, order_id, item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint order_return_items_quantity_is_positive check (quantity > 0),
  constraint order_return_items_amount_is_of_at_most_4_decimals check (scale(amount) <= 4)
);
comment on table public.order_return_items is 'The pieces of each return, their price (amount), and whether they were put back into stock.';

create table private.returned_pieces (
  tenant_id uuid not null,
  order_id uuid not null,
  shipment_id uuid not null,
  item_id uuid not null,
  request_id uuid,
  quantity integer not null,
  constraint returned_pieces_key unique nulls not distinct (tenant_id, order_id, shipment_id, item_id, request_id),
  constraint returned_pieces_shipment_id_fkey foreign key (tenant_id, order_id, shipment_id, item_id)
    references public.shipment_items (tenant_id, order_id, shipment_id, item_id) on delete cascade,
  constraint returned_pieces_quantity_is_not_negative check (quantity >= 0)
);
comment on table private.returned_pieces is
  'The shipments of pieces that came back or that the customer wants to send back, so that each piece is returned in its own window. request_id: the return request; null if an admin took the pieces back without one.';
-- The whole row identifies it for replication, because request_id may be null.
alter table private.returned_pieces replica identity full;

-- indexes --------------------------------------------------------------------------------------

create index order_return_items_item_idx on public.order_return_items (tenant_id, order_id, item_id);

-- functions ------------------------------------------------------------------------------------

create function private.take_back(
  target public.orders, pieces private.piece[], note text, discarded uuid[] default '{}'
) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  delivered private.piece[] :=
    private.pieces_among(array(select p from private.pieces_in(target, 'delivered') as p), pieces);
  returned uuid;
begin
  if target.imported_at is null then
    -- One lock for all moves below: with one each, two returns could deadlock.
    perform private.lock_stock(target.tenant_id, to_jsonb(pieces));
  end if;
  insert into public.order_returns (tenant_id, order_id, note, actor_id)
  values (target.tenant_id, target.id, take_back.note, auth.uid())
  returning id into returned;
  insert into public.order_return_items (tenant_id, order_id, return_id, item_id, quantity, amount, restocked)
  select
    target.tenant_id, target.id, returned, i.id, p.quantity,
    private.price_of(i, i.sold_quantity) - private.price_of(i, i.sold_quantity - p.quantity), i.id <> all (discarded)
  from unnest(pieces) as p
  join public.order_items i on i.tenant_id = target.tenant_id and i.order_id = target.id and i.id = p.item_id;

  perform private.move_pieces(
    target, 'take_back', array(select p from unnest(delivered) as p where p.item_id <> all (discarded))
  );
  perform private.move_pieces(
    target, 'discard', array(select p from unnest(delivered) as p where p.item_id = any (discarded))
  );
  perform private.move_pieces(target, 'turn_back', array(
    select row(
      p.item_id, p.position, p.product_id, p.variant_id, p.supplier_id, p.is_digital, p.quantity - coalesce(d.quantity, 0)
    )::private.piece
    from unnest(pieces) as p
    left join unnest(delivered) as d on d.item_id = p.item_id
    where p.quantity > coalesce(d.quantity, 0)
  ));
  return returned;
end
$$;
comment on function private.take_back is
  'Takes back shipped pieces of an order, delivered ones first, puts them into stock, and records the return. Pieces of the items in discarded, which have to be delivered, are not put into stock. The caller calls follow_pieces afterwards.';

create function private.return_window_start(target public.orders) returns timestamptz
language sql stable security definer set search_path = ''
as $$
  select now() - make_interval(
    days => coalesce((private.business_of(target.marketplace_id) ->> 'return_days')::integer, 14)
  )
$$;
comment on function private.return_window_start is
  'The time after which a piece was delivered if its return can be requested now: settings.business.return_days ago, 14 by default.';

create function private.unreturned_pieces(target public.orders)
returns table (shipment_id uuid, item_id uuid, delivered_at timestamptz, created_at timestamptz, quantity integer)
language sql stable security definer set search_path = ''
as $$
  select i.shipment_id, i.item_id, s.delivered_at, s.created_at, i.quantity - coalesce(sum(r.quantity), 0)::integer
  from public.shipments s
  join public.shipment_items i on i.tenant_id = s.tenant_id and i.order_id = s.order_id and i.shipment_id = s.id
  left join private.returned_pieces r
    on r.tenant_id = i.tenant_id and r.order_id = i.order_id and r.shipment_id = i.shipment_id and r.item_id = i.item_id
  where s.tenant_id = target.tenant_id and s.order_id = target.id and s.status in ('shipped', 'delivered')
  group by i.shipment_id, i.item_id, i.quantity, s.delivered_at, s.created_at
$$;
comment on function private.unreturned_pieces is
  'The pieces of each shipment of an order, in transit or delivered, that no return and no return request has.';

create function private.assign_returned_pieces(target public.orders, pieces private.piece[], request_id uuid) returns void
language sql security definer set search_path = ''
as $$
  insert into private.returned_pieces as r (tenant_id, order_id, shipment_id, item_id, request_id, quantity)
  select
    target.tenant_id, target.id, there.shipment_id, there.item_id, assign_returned_pieces.request_id,
    least(there.quantity, there.wanted - there.before)
  from (
    select
      u.shipment_id, u.item_id, u.quantity, p.quantity as wanted,
      -- Nobody knows in which shipment a piece was. The oldest that is still in its window leaves the customer the most
      -- time for the others. Pieces in transit come last.
      coalesce(
        sum(u.quantity) over (
          partition by u.item_id
          order by
            u.delivered_at > private.return_window_start(target) is not true, u.delivered_at nulls last,
            u.created_at desc, u.shipment_id
          rows between unbounded preceding and 1 preceding
        ),
        0
      ) as before
    from unnest(pieces) as p
    join private.unreturned_pieces(target) as u on u.item_id = p.item_id and u.quantity > 0
  ) as there
  where there.before < there.wanted
  on conflict on constraint returned_pieces_key do update set quantity = r.quantity + excluded.quantity
$$;
comment on function private.assign_returned_pieces is
  'Records in which shipments the pieces of a return request, or of a return without one (request_id is null), were. The caller has locked the order''s row.';

create function private.take_all_back(target public.orders, note text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.take_back(
    target, array(select p from private.pieces_in(target, 'shipped', 'delivered') as p where p.quantity > 0),
    take_all_back.note
  );
end
$$;
comment on function private.take_all_back is 'Takes back all shipped pieces of an order. The caller calls follow_pieces afterwards.';

create function private.bound_returns(target public.orders, items integer, note text) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  there record;
begin
  select count(*) as returns, coalesce(sum(octet_length(to_json(r.note)::text)), 0) as bytes into there
  from public.order_returns r
  where r.tenant_id = target.tenant_id and r.order_id = target.id;
  -- The record of an order lists all returns, so their number and size are limited.
  if there.returns >= 200 then
    perform private.refuse('VALIDATION_ERROR', 'An order can have at most 200 returns. Move it to returned instead.');
  end if;
  -- 100 bytes per line of a return: an id, a quantity and an amount.
  perform private.bound_record(
    there.bytes + coalesce(octet_length(to_json(bound_returns.note)::text), 0) + 100 * (
      bound_returns.items + (
        select count(*)
        from public.order_return_items i
        where i.tenant_id = target.tenant_id and i.order_id = target.id
      )
    ),
    0.06, 'The record of this order cannot hold more returns. Move it to returned instead, or shorten the note.'
  );
end
$$;
comment on function private.bound_returns is
  'Refuses a return that the record of an order cannot hold: VALIDATION_ERROR, LIMIT_REACHED.';

create function private.return_order_items(order_id uuid, items jsonb, note text) returns uuid
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  target public.orders;
  outside private.piece[];
  pieces private.piece[];
  returned uuid;
begin
  perform private.require_permission('returns.record', 'Your role may not record returns.');
  select * into target
  from public.orders o
  where o.tenant_id = private.tenant_id() and o.id = return_order_items.order_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such order.');
  end if;
  outside := array(select p from private.pieces_in(target, 'shipped', 'delivered') as p);
  if not exists (select from unnest(outside) as p where p.quantity > 0) then
    perform private.refuse(
      'INVALID_TRANSITION', format('The order is %s. Only shipped and delivered items can be returned.', target.status)
    );
  end if;
  pieces := private.wanted_pieces(items, outside, 'Only %s of them can still be returned.');
  perform private.bound_returns(target, cardinality(pieces), return_order_items.note);
  perform private.assign_returned_pieces(target, pieces, null);
  returned := private.take_back(target, pieces, return_order_items.note);
  perform private.follow_pieces(target, return_order_items.note);
  return returned;
end
$$;
comment on function private.return_order_items is
  'Takes pieces of an order that were shipped or delivered back into stock, or refuses: FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR.';

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
  'For admins: takes items, a list of item_id and quantity, back into stock, and returns the record of the return. The order becomes returned when its last piece is back.';

create view public.order_return_details with (security_invoker = true) as
select
  r.id, r.tenant_id, r.order_id, r.note, r.actor_id, r.created_at, back.items, back.amount
from public.order_returns r
cross join lateral (
  select
    coalesce(
      jsonb_agg(
        jsonb_build_object(
          'item_id', i.item_id, 'quantity', i.quantity, 'amount', i.amount, 'restocked', i.restocked
        )
        order by i.item_id
      ),
      '[]'
    ) as items,
    coalesce(sum(i.amount), 0) as amount
  from public.order_return_items i
  where i.tenant_id = r.tenant_id and i.order_id = r.order_id and i.return_id = r.id
) as back;
comment on view public.order_return_details is
  'The returns of orders, with their items and price. A supplier sees its own items and their price.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.order_returns
  for each row execute function private.keep_nfc();

-- policies -------------------------------------------------------------------------------------

alter table private.returned_pieces enable row level security;
alter table public.order_returns enable row level security;
alter table public.order_return_items enable row level security;

create policy "Members who see an order see its returns, suppliers those of their items" on public.order_returns
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.reach('orders.read'))
      when 'customer' then (select true from public.orders o where o.id = order_id)
      when 'supplier' then (
        select true
        from public.order_return_items i
        where i.tenant_id = order_returns.tenant_id
          and i.order_id = order_returns.order_id
          and i.return_id = order_returns.id
        limit 1
      )
      when 'all' then true
    end
  );

create policy "Members who see an item see its returns" on public.order_return_items
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case
      when (select private.scope('orders.read')) = 'all' then true
      else (select true from public.order_items i where i.id = item_id)
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.order_returns, public.order_return_items,
  public.order_return_details to authenticated;
grant all on public.order_returns, public.order_return_items,
  public.order_return_details to service_role;
grant execute on function private.return_order_items to authenticated;
grant execute on function public.return_order_items to authenticated;
