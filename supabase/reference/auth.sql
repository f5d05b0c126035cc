insert into private.signing_keys (name) values ('invitations'), ('functions')
on conflict do nothing;

-- A spent token need not be kept long after the end of its session.
select private.schedule_job(
  'forget-sessions-that-are-over',
  $$
  delete from private.session_tenants t
  where t.chosen_at < now() - interval '1 year'
    and not exists (select 1 from auth.sessions s where s.id = t.session_id)
  $$,
  every => '1 day', at => '03:27', queue => 'long'
);

select private.schedule_job(
  'forget-spent-refresh-tokens', $$delete from private.spent_refresh_tokens where spent_at < now() - interval '1 year'$$,
  every => '1 day', at => '03:17', queue => 'long'
);

select private.schedule_job(
  'end-old-key-sessions', 'select private.end_old_key_sessions()', every => '1 hour', at => '00:43', queue => 'long', in_batches => true
);

select private.schedule_job('suspend-expired-keys', 'select private.suspend_expired_keys()', every => '1 minute');
