insert into private.caps (name, value, unit) values
  ('discounts_per_tenant', 10000, 'discounts of a tenant, with those of its suppliers'),
  ('discounts_per_supplier', 500, 'discounts of a supplier')
on conflict (name) do update set unit = excluded.unit;

insert into private.event_statuses (name)
select s.name from unnest(enum_range(null::public.discount_status)::text[]) as s (name)
on conflict do nothing;
