-- Guests who never ordered are forgotten, and all that was kept of them goes.

-- functions ------------------------------------------------------------------------------------

create function private.forget_guests() returns void
language plpgsql security definer set search_path = '' set lock_timeout = '500ms'
as $$
declare
  long_ago timestamptz := now() - interval '30 days';
  gone uuid[] := array(
    select u.id
    from auth.users u
    where u.is_anonymous
      and u.created_at < long_ago
      and not exists (
        select from auth.sessions s
        where s.user_id = u.id
          and greatest(s.created_at, s.refreshed_at at time zone 'utc') > long_ago
      )
      and not exists (
        select
        from public.customers c
        join public.orders o on o.tenant_id = c.tenant_id and o.customer_id = c.id
        where c.user_id = u.id
      )
    limit 1000
  );
begin
  delete from public.customers c where c.user_id = any (gone);
  delete from auth.users u where u.id = any (gone);
end
$$;
comment on function private.forget_guests() is
  'Removes guests without an order, 30 days after they were last seen; a thousand at most, since each takes its rows along.';

-- cron -----------------------------------------------------------------------------------------

select cron.schedule('forget-guests', '13 * * * *', 'select private.forget_guests()');
