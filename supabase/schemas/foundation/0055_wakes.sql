-- Waking workers. pg_net calls an edge function after the commit of a transaction that has work for it. Transactions
-- within 250 ms share a call, because each call costs the function a request:
--
-- - A call is recorded, as a wake. For 250 ms, other transactions rely on it instead of calling again.
-- - A transaction that relies on a wake holds its lock, shared, until it ends. The worker that was called looks for work
--   again when the 250 ms are over, and repeats that until nobody holds the lock. So it also sees what was committed last.
-- - A wake that is rolled back was never recorded. If the worker crashes, a job of the next minute wakes it again.

-- tables ---------------------------------------------------------------------------------------

create table private.wakes (
  worker text not null,
  wake_id uuid not null,
  woken_at timestamptz not null,
  constraint wakes_pkey primary key (worker)
);
comment on table private.wakes is 'The last wake of each worker that other transactions may rely on.';

-- functions ------------------------------------------------------------------------------------

create function private.is_fresh(woken_at timestamptz) returns boolean
language sql volatile set search_path = ''
as $$
  -- The worker waits as long: JOINED_MS in the functions.
  select woken_at > clock_timestamp() - interval '250 milliseconds'
$$;
comment on function private.is_fresh is 'Whether transactions may still rely on a wake of that time.';

create function private.rely_on_wake(worker text) returns boolean
language plpgsql security definer set search_path = ''
as $$
declare
  wake private.wakes;
begin
  select w.* into wake from private.wakes w where w.worker = rely_on_wake.worker;
  if private.is_fresh(wake.woken_at) is not true or not private.try_hold('wake', wake.wake_id::text, shared => true) then
    return false;
  end if;
  -- The time is read after the lock is held. The worker reads them in the same order, so one of the two sees the other.
  return private.is_fresh(wake.woken_at);
end
$$;
comment on function private.rely_on_wake is
  'Whether the worker was called less than 250 ms ago, and will look for the work of this transaction after its end.';

create function private.record_wake(worker text) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  recorded uuid;
begin
  -- Another transaction that calls the worker at this moment records its wake. This one does not wait for its end.
  if private.try_hold('wake', worker) then
    insert into private.wakes as w (worker, wake_id, woken_at)
    values (record_wake.worker, gen_random_uuid(), clock_timestamp())
    on conflict on constraint wakes_pkey do update set wake_id = excluded.wake_id, woken_at = excluded.woken_at
      where not private.is_fresh(w.woken_at)
    returning wake_id into recorded;
  end if;
  return recorded;
end
$$;
comment on function private.record_wake is
  'Records that this transaction calls the worker, and returns the id of the wake. Null if another transaction has just recorded one.';

create function private.wake(worker text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  mark text := 'souk.woken_at_' || translate(worker, '-', '_');
  -- Other isolation levels show the wakes of the transaction's beginning.
  may_join boolean := current_setting('transaction_isolation') = 'read committed';
  address text;
  key text;
begin
  -- Once in a transaction is enough, however much work it adds.
  if current_setting(mark, true) = pg_current_xact_id()::text then
    return;
  end if;
  perform set_config(mark, pg_current_xact_id()::text, true);

  select s.decrypted_secret into address from vault.decrypted_secrets s where s.name = 'functions_url';
  select s.decrypted_secret into key from vault.decrypted_secrets s where s.name = 'secret_key';
  if address is null or key is null then
    -- The change must not fail because of this, so the work waits for the next wake.
    raise warning 'the worker % was not called: put functions_url and secret_key into the Vault', worker;
    return;
  end if;
  if may_join and private.rely_on_wake(worker) then
    return;
  end if;
  perform net.http_post(
    url := address || '/' || worker,
    headers := jsonb_build_object('Content-Type', 'application/json', 'apikey', key),
    body := jsonb_build_object('wake_id', case when may_join then private.record_wake(worker) end)
  );
end
$$;
comment on function private.wake is
  'Lets pg_net call the function of that name after the commit of this transaction, or relies on a call of the last 250 ms. The function asks wake_is_over with the wake_id that it gets, and looks for work again.';

create function public.wake_is_over(wake_id uuid) returns boolean
language plpgsql set search_path = ''
as $$
begin
  if exists (
    select from private.wakes w where w.wake_id = wake_is_over.wake_id and private.is_fresh(w.woken_at)
  ) then
    return false;
  end if;
  return private.try_hold('wake', wake_is_over.wake_id::text);
end
$$;
comment on function public.wake_is_over is
  'For the workers: whether no transaction relies on a wake any more. All that have done so are committed, and the worker sees their work.';

-- policies -------------------------------------------------------------------------------------

alter table private.wakes enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant select on private.wakes to service_role;
grant execute on function private.is_fresh, public.wake_is_over to service_role;
