select private.schedule_job('roll-up-sales', 'select public.roll_up_sales(rounds => 50)', every => '1 minute');

insert into private.event_types (name) values ('analytics.mismatch')
on conflict do nothing;

-- Through the API, because a function's own statement_timeout has no effect when a clock calls it directly.
select private.schedule_job(
  'compare-sales', $$select private.perform_later('compare_sales', '{}')$$,
  every => '1 day', at => '03:17'
);

select private.make_storefront_partitions();

select private.schedule_job(
  'make-storefront-partitions', 'select private.make_storefront_partitions()',
  every => '1 hour', at => '00:05'
);

select private.schedule_job(
  'forget-storefront-events', 'select private.delete_old_storefront_events()',
  every => '1 hour', at => '00:37', queue => 'long'
);

insert into private.caps (name, value, unit) values
  ('visitor_events_per_day', 5000, 'events that a customer, guest or visitor reports in a day, in UTC; more are not counted'),
  ('address_events_per_day', 100000, 'events that the visitors of an address report in a day, in UTC; more are not counted')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job(
  'forget-visitor-event-counts', $$delete from private.visitor_event_counts where day < (now() at time zone 'utc')::date - 1$$,
  every => '1 hour', at => '00:39', queue => 'long'
);

select private.schedule_job(
  'forget-visitor-days',
  $$
    with days as (delete from private.visitor_days where day < (now() at time zone 'utc')::date - 401)
    delete from private.visitor_product_days where day < (now() at time zone 'utc')::date - 401
  $$,
  every => '1 hour', at => '00:43', queue => 'long'
);

select private.schedule_job('count-visitors', 'select public.count_visitors(rounds => 50)', every => '1 minute');

-- Through the API, because a function's own statement_timeout has no effect when a clock calls it directly.
select private.schedule_job(
  'compare-visitors', $$select private.perform_later('compare_visitors', '{}')$$,
  every => '1 day', at => '03:47'
);

select private.schedule_job(
  'forget-visitor-gaps', $$delete from private.visitor_gaps where day < (now() at time zone 'utc')::date - 401$$,
  every => '1 hour', at => '00:44', queue => 'long'
);

select private.schedule_job(
  'redraw-visitor-days', 'select private.redraw_visitor_days()',
  every => '1 minute', queue => 'long'
);

insert into private.caps (name, value, unit) values
  ('dashboards_per_owner', 100, 'dashboards of a tenant''s admins and clients, and of each supplier')
on conflict (name) do update set unit = excluded.unit;

insert into private.figure_reports (path, operation) values
  ('overview', 'analytics_overview'), ('sales', 'analytics_sales'), ('revenue', 'analytics_revenue'),
  ('products/top', 'analytics_top_products'), ('customers/segments', 'analytics_segments'),
  ('funnel', 'analytics_funnel'), ('cohorts', 'analytics_cohorts')
on conflict (path) do update set operation = excluded.operation;
