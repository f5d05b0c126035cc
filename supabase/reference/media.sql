insert into private.media_types (content_type, type, extension) values
  ('image/jpeg', 'image', 'jpg'), ('image/png', 'image', 'png'), ('image/webp', 'image', 'webp'),
  ('image/avif', 'image', 'avif'), ('image/gif', 'image', 'gif'),
  -- A PNG that moves: `complete` makes it image/png.
  ('image/apng', 'image', 'png'),
  -- The same structure under another name: `complete` makes them video/mp4.
  ('video/x-m4v', 'video', 'mp4'), ('video/3gpp', 'video', 'mp4'), ('video/3gpp2', 'video', 'mp4'),
  ('video/mp4', 'video', 'mp4'), ('video/webm', 'video', 'webm'),
  ('application/pdf', 'document', 'pdf'), ('text/plain', 'document', 'txt'), ('text/csv', 'document', 'csv'),
  ('application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'document', 'docx'),
  ('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'document', 'xlsx'),
  ('model/gltf-binary', 'model_3d', 'glb'), ('model/gltf+json', 'model_3d', 'gltf'),
  ('model/vnd.usdz+zip', 'model_3d', 'usdz')
on conflict (content_type) do update set type = excluded.type, extension = excluded.extension;

insert into private.caps (name, value, unit) values
  ('media_file_bytes', 52428800, 'bytes of a file, unless the tenant''s settings have another limit'),
  ('media_file_bytes_at_most', 5368709120, 'bytes of a file that a tenant''s settings may allow'),
  ('media_quota_bytes', 5368709120, 'bytes of all media of a tenant, unless its settings have another limit'),
  ('media_quota_bytes_at_most', 1099511627776, 'bytes of all media that a tenant''s settings may allow'),
  ('media_assets_per_tenant', 100000, 'assets of a tenant''s media library'),
  ('media_folders_per_tenant', 1000, 'folders of a tenant''s media library'),
  ('products_per_image', 1000, 'products that show the same image of the library')
on conflict (name) do update set unit = excluded.unit;

insert into private.media_settings default values
on conflict do nothing;

insert into storage.buckets (id, name, public, allowed_mime_types)
select b.id, b.id, b.id = 'media', array(select t.content_type from private.media_types t order by t.content_type)
from unnest(array['uploads', 'media', 'documents']) as b (id)
on conflict (id) do update set public = excluded.public, allowed_mime_types = excluded.allowed_mime_types;

select private.schedule_job('sweep-media', 'select private.sweep_media()', every => '10 minutes', queue => 'workers');

select private.add_queue(
  'media_cleanings', worker => 'media-sweep', lease => '5 minutes',
  waits => '{10 minutes,20 minutes,40 minutes,80 minutes,160 minutes,320 minutes,640 minutes,1280 minutes}', gives_up => false
);
