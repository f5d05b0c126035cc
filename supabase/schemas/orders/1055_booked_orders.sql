-- The orders behind a figure: orders with a line of the book of sales between two times.

-- functions ------------------------------------------------------------------------------------

create function private.booked_order_ids(booked_from text, booked_to text) returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
  starts_at timestamptz := coalesce(private.moment_of(booked_from, 'booked_from'), '-infinity');
  ends_at timestamptz := coalesce(private.moment_of(booked_to, 'booked_to', is_end => true), 'infinity');
  -- A supplier's request counts only the supplier's own lines.
  own_supplier uuid := private.supplier_id();
begin
  return query
    select distinct s.order_id
    from private.sales s
    where s.tenant_id = tenant
      and s.booked_at >= starts_at
      and s.booked_at < ends_at
      and s.order_id is not null
      and (own_supplier is null or s.supplier_id = own_supplier);
end
$$;
comment on function private.booked_order_ids is 'The orders with a line of the book from one time to before another; for a supplier, with a line of its own.';

create function public.booked_orders(booked_from text default null, booked_to text default null)
returns setof public.order_details
language sql stable set search_path = ''
as $$
  select d.* from public.order_details d where d.id in (select private.booked_order_ids(booked_from, booked_to))
$$;
comment on function public.booked_orders is
  'The caller''s orders that were placed, cancelled, returned, paid or refunded from one time to before another: times with an offset, or dates, which are days of the tenant''s time zone (booked_to includes its day). They can be filtered and sorted like order_details.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.booked_order_ids to authenticated;
grant execute on function public.booked_orders to authenticated;
