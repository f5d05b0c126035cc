-- The first epoch: cursors of events without an epoch are of this one.
insert into private.epoch (epoch, server_started_at)
select 'epoch', pg_postmaster_start_time() where not exists (select from private.epoch);
