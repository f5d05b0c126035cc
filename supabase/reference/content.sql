insert into private.caps (name, value, unit) values
  ('content_types_per_tenant', 100, 'content types of a tenant'),
  ('content_per_tenant', 100000, 'pieces of content of a tenant'),
  ('branches_per_content', 20, 'branches of a piece of content'),
  ('languages_per_content', 50, 'languages of a piece of content'),
  ('versions_per_content', 10000, 'versions of a piece of content that are kept if the tenant''s settings say nothing'),
  ('content_move_comment', 2000, 'characters of a comment on a move or a version')
on conflict (name) do update set unit = excluded.unit;

insert into private.content_move_rules (move, from_status, to_status, role) values
  ('submit', 'draft', 'in_review', 'editor'),
  ('approve', 'in_review', 'approved', 'reviewer'),
  ('reject', 'in_review', 'draft', 'reviewer'),
  ('publish', 'approved', 'published', 'publisher'),
  ('unpublish', 'published', 'draft', 'publisher'),
  ('archive', 'published', 'archived', 'publisher'),
  ('restore', 'archived', 'draft', 'publisher')
on conflict (move, from_status) do update set to_status = excluded.to_status, role = excluded.role;

-- A save returns content to draft. DELETE archives content that was ever published, whatever its status.
insert into private.status_moves (subject, from_status, to_status)
select 'content', r.from_status::text, r.to_status::text from private.content_move_rules r
union
values
  ('content', 'in_review', 'draft'), ('content', 'approved', 'draft'), ('content', 'published', 'draft'),
  ('content', 'draft', 'archived'), ('content', 'in_review', 'archived'), ('content', 'approved', 'archived')
on conflict do nothing;

insert into private.rich_text_nodes (node, attributes, holds)
select n.node, n.attributes, case n.holds
  when 'blocks' then
    '{paragraph,heading,bulletList,orderedList,blockquote,codeBlock,horizontalRule,image,table}'::text[]
  when 'line' then '{text,hardBreak}'
  else string_to_array(n.holds, ' ')
end
from (values
  ('doc', '{}'::text[], 'blocks'), ('blockquote', '{}', 'blocks'), ('listItem', '{}', 'blocks'),
  ('tableCell', '{colspan,rowspan}', 'blocks'), ('tableHeader', '{colspan,rowspan}', 'blocks'),
  ('paragraph', '{}', 'line'), ('heading', '{level}', 'line'), ('codeBlock', '{language}', 'text'),
  ('bulletList', '{}', 'listItem'), ('orderedList', '{start}', 'listItem'),
  ('table', '{}', 'tableRow'), ('tableRow', '{}', 'tableCell tableHeader'),
  ('text', '{}', ''), ('hardBreak', '{}', ''), ('horizontalRule', '{}', ''),
  ('image', '{asset_id,src,alt,title}', '')
) as n (node, attributes, holds)
on conflict (node) do update set attributes = excluded.attributes, holds = excluded.holds;

select private.schedule_job('gather-content-counts', 'select private.gather_content_counts()', every => '10 minutes');

select private.schedule_job('run-content-schedule', 'select private.run_content_schedule()', every => '1 minute');

select private.schedule_job(
  'forget-content-previews', $$delete from private.content_previews where expires_at < now()$$,
  every => '1 hour', at => '00:17', queue => 'long'
);

insert into private.event_statuses (name)
select s.name from unnest(enum_range(null::public.content_status)::text[]) as s (name)
on conflict do nothing;
