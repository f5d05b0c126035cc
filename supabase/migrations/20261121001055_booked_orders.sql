-- The orders behind a figure: orders with a line of the book of sales between two times.

-- functions ------------------------------------------------------------------------------------

create function private.moment_of(written text, field text, time_zone text) returns timestamptz
language plpgsql stable set search_path = ''
as $$
begin
  if written ~ '^\d{4}-\d{2}-\d{2}$' then
    return written::timestamp at time zone time_zone;
  end if;
  perform private.insist(
    written is null or private.time_of(written) is not null, field, 'a date, or a time with its offset', to_jsonb(written)
  );
  return private.time_of(written);
exception
  when datetime_field_overflow or invalid_datetime_format then
    perform private.refuse('VALIDATION_ERROR', 'This date does not exist.', field, to_jsonb(written));
    return null;
end
$$;
comment on function private.moment_of is
  'A time from a text: a time with its offset, or a date, which begins in a time zone; null for null. Refuses other texts with VALIDATION_ERROR.';

create function private.booked_order_ids(booked_from text, booked_to text) returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
  time_zone text := private.time_zone_of(tenant);
  starts_at timestamptz := coalesce(private.moment_of(booked_from, 'booked_from', time_zone), '-infinity');
  ends_at timestamptz := coalesce(private.moment_of(booked_to, 'booked_to', time_zone), 'infinity');
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
  'The caller''s orders that were placed, cancelled, returned, paid or refunded from one time to before another: times with an offset, or dates, which begin in the tenant''s time zone. They can be filtered and sorted like order_details.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.booked_order_ids to authenticated;
grant execute on function public.booked_orders to authenticated;
