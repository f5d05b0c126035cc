insert into private.caps (name, value, unit) values
  ('tax_rates_per_tenant', 1000, 'tax rates of a tenant')
on conflict (name) do update set unit = excluded.unit;
