insert into private.caps (name, value, unit) values
  ('templates_per_tenant', 1000, 'templates of a tenant'),
  ('components_per_tenant', 1000, 'components of a tenant'),
  ('template_bytes', 262144, 'bytes of the content of a template'),
  ('component_bytes', 131072, 'bytes of a component, and of a template''s texts in one language'),
  ('versions_per_template', 200, 'versions of a template that are kept'),
  ('languages_per_template', 50, 'languages of a template'),
  ('includes_per_page', 100, 'templates that a page includes, directly or through other templates'),
  ('template_input_bytes', 4194304, 'bytes of all templates and components of a page')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job(
  'forget-template-previews', $$delete from private.template_previews where expires_at < now()$$,
  every => '1 hour', at => '00:19', queue => 'long'
);
