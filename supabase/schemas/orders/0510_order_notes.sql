-- Notes on orders: internal ones for members who work on the order, others for everybody who sees it.

create type public.note_visibility as enum ('internal', 'customer');

-- tables ---------------------------------------------------------------------------------------

create table public.order_notes (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  text text not null,
  visibility public.note_visibility not null,
  supplier_id uuid,
  author_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  constraint order_notes_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint order_notes_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint order_notes_text_is_1_to_5000_characters_and_not_blank
    check (char_length(text) <= 5000 and text ~ '\S')
);
comment on table public.order_notes is
  'Notes on an order. Internal ones are for admins and clients, and for the supplier whose member wrote them (supplier_id); the others are for all who see the order.';

-- indexes --------------------------------------------------------------------------------------

create unique index order_notes_order_idx on public.order_notes (tenant_id, order_id, created_at, id);
alter table public.order_notes replica identity using index order_notes_order_idx;
create index order_notes_supplier_idx on public.order_notes (tenant_id, supplier_id);

-- functions ------------------------------------------------------------------------------------

create function private.add_order_note(order_id uuid, text text, visibility public.note_visibility) returns uuid
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  by_buyer boolean := private.reach('order_notes.write') = 'customer';
  added uuid;
begin
  perform private.seen_order(add_order_note.order_id);
  perform private.require_permission('order_notes.write', 'Your role may not add notes to orders.');
  if by_buyer and add_order_note.visibility = 'internal' then
    perform private.refuse(
      'FORBIDDEN', 'visibility must be customer for a note of a customer.', 'visibility', '"internal"'
    );
  elsif add_order_note.text is null then
    perform private.refuse('VALIDATION_ERROR', 'text is required.', 'text', 'null');
  end if;
  -- Lists of orders return all notes, so their number is limited. The lock lets parallel requests count each other's
  -- notes.
  perform 1 from public.orders o where o.id = add_order_note.order_id for no key update;
  if (
    select count(*) from public.order_notes n where n.tenant_id = tenant and n.order_id = add_order_note.order_id
  ) >= 200 then
    perform private.refuse('VALIDATION_ERROR', 'An order can have at most 200 notes.');
  end if;
  perform private.bound_record(
    (
      select coalesce(sum(octet_length(to_json(n.text)::text)), 0)
      from public.order_notes n
      where n.tenant_id = tenant and n.order_id = add_order_note.order_id
    ) + octet_length(to_json(add_order_note.text)::text),
    0.25, 'The notes of this order are too long together. Shorten this note.', 'text'
  );

  insert into public.order_notes (tenant_id, order_id, text, visibility, supplier_id, author_id)
  values (
    tenant, add_order_note.order_id, add_order_note.text,
    coalesce(
      add_order_note.visibility,
      case when by_buyer then 'customer' else 'internal' end::public.note_visibility
    ),
    private.supplier_id(), auth.uid()
  )
  returning id into added;
  return added;
end
$$;
comment on function private.add_order_note is
  'Adds a note to an order that the caller sees, or refuses: NOT_FOUND, FORBIDDEN, VALIDATION_ERROR.';

create function public.add_order_note(
  order_id uuid, text text, visibility public.note_visibility default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  added uuid := private.add_order_note(order_id, text, visibility);
begin
  return (select to_jsonb(n) from public.order_notes n where n.id = added);
end
$$;
comment on function public.add_order_note is
  'Adds a note to an order and returns it. Everybody who sees the order can read a customer''s note. Other notes are internal unless visibility is customer.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.order_notes for each row execute function private.keep_nfc();

-- policies -------------------------------------------------------------------------------------

alter table public.order_notes enable row level security;

create policy "Admins and clients see all notes, customers those for them, suppliers their own and the operator's for customers" on public.order_notes
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.reach('orders.read'))
      when 'customer' then visibility = 'customer' and (select true from public.orders o where o.id = order_id)
      when 'supplier' then
        (visibility = 'customer' and supplier_id is null or supplier_id = (select private.supplier_id()))
        and (select true from public.orders o where o.id = order_id)
      when 'all' then true
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.order_notes to authenticated;
grant all on public.order_notes to service_role;
grant execute on function private.add_order_note to authenticated;
grant execute on function public.add_order_note to authenticated;
