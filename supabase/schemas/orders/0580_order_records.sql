-- The record of an order, as the API returns it and events contain it.

-- With the caller's rights: a supplier gets the tax of its own part.
create function private.tax_lines_of(target public.orders) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'name', t.name, 'rate', t.rate, 'base_amount', t.base_amount, 'tax_amount', t.tax_amount, 'note', t.note
        )
        order by t.rate desc, t.name
      ),
      '[]'
    )
    from (
      select taxed.name, taxed.rate, taxed.note, sum(taxed.base) as base_amount, sum(taxed.tax) as tax_amount
      from (
        select i.tax_name as name, i.tax_rate as rate, p.tax_note as note, i.net_amount as base, i.tax_amount as tax
        from public.order_items i
        join public.order_parts p on p.order_id = i.order_id and p.supplier_id is not distinct from i.supplier_id
        where i.tenant_id = target.tenant_id and i.order_id = target.id
        union all
        select
          p.delivery_tax_name, p.delivery_tax_rate, p.tax_note,
          p.delivery_amount - p.delivery_discount_amount - p.delivery_exempt_amount
            - case when p.tax_included then p.delivery_tax_amount else 0 end,
          p.delivery_tax_amount
        from public.order_parts p
        where p.tenant_id = target.tenant_id and p.order_id = target.id and p.delivery_amount > 0
      ) as taxed
      where taxed.rate is not null
      group by taxed.name, taxed.rate, taxed.note
    ) as t
  );
end
$$;
comment on function private.tax_lines_of is
  'The tax of an order by rate, as it was placed: [{name, rate, base_amount, tax_amount, note}].';

create view public.order_details with (security_invoker = true) as
select
  o.id, o.tenant_id, o.marketplace_id, o.number, o.customer_id, o.status, o.payment_status,
  money.subtotal_amount, money.delivery_amount, money.total_amount,
  due.amount as refund_due,
  case when due.amount > 0 then private.refund_due_for(o, due.amount) else '{"items": [], "deliveries": []}' end as refund_due_for,
  o.currency, o.delivery_method, o.payment_method,
  o.payment_due_at, o.shipping_address, coalesce(o.billing_address, o.shipping_address) as billing_address, o.tax_id,
  o.contact, o.language, o.external_id, o.imported_at, o.created_at, o.updated_at,
  private.local_text(o.payment_due_at, t.time_zone) as payment_due_at_local,
  private.local_text(o.imported_at, t.time_zone) as imported_at_local,
  private.local_text(o.created_at, t.time_zone) as created_at_local,
  private.local_text(o.updated_at, t.time_zone) as updated_at_local,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', i.id, 'product_id', i.product_id, 'variant_id', i.variant_id, 'supplier_id', i.supplier_id,
          'name', i.name, 'quantity', i.quantity, 'shipped_quantity', i.shipped_quantity,
          'delivered_quantity', i.delivered_quantity, 'cancelled_quantity', i.cancelled_quantity,
          'returned_quantity', i.returned_quantity, 'lost_quantity', i.lost_quantity,
          'starts_at', i.starts_at, 'starts_at_local', private.local_text(i.starts_at, t.time_zone),
          'price', i.price, 'amount', i.amount, 'discount_amount', i.discount_amount,
          'discount_borne_by', i.discount_borne_by, 'discount_code', i.discount_code, 'tax_included', i.tax_included,
          'tax_rate', i.tax_rate, 'tax_name', i.tax_name, 'tax_amount', i.tax_amount, 'exempt_amount', i.exempt_amount,
          'net_amount', i.net_amount
        )
        order by i.position
      ),
      '[]'
    )
    from public.order_items i
    where i.tenant_id = o.tenant_id and i.order_id = o.id
  ) as items,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'supplier_id', p.supplier_id, 'status', p.status, 'subtotal', p.subtotal,
          'delivery_amount', p.delivery_amount, 'delivery_owed', p.delivery_owed,
          'delivery_recipient', p.delivery_recipient, 'delivery_discount_amount', p.delivery_discount_amount,
          'discount_amount', p.discount_amount, 'delivery_price', private.delivery_price_of(p),
          'delivery_tax_rate', p.delivery_tax_rate, 'delivery_tax_amount', p.delivery_tax_amount, 'tax_amount', p.tax_amount, 'tax_note', p.tax_note,
          'total_amount', private.total_of(p), 'legal', p.legal
        )
        order by p.supplier_id
      ),
      '[]'
    )
    from public.order_parts p
    where p.tenant_id = o.tenant_id and p.order_id = o.id
  ) as parts,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'old_status', c.old_status, 'new_status', c.new_status, 'note', c.note,
          'actor_id', c.actor_id,
          'created_at', c.created_at, 'created_at_local', private.local_text(c.created_at, t.time_zone)
        )
        order by c.created_at
      ),
      '[]'
    )
    from public.order_status_changes c
    where c.tenant_id = o.tenant_id and c.order_id = o.id
  ) as history,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', p.id, 'status', p.status, 'amount', p.amount, 'currency', p.currency, 'reference', p.reference,
          'items', p.items, 'delivery_amount', p.delivery_amount, 'borne_by', p.borne_by, 'actor_id', p.actor_id,
          'created_at', p.created_at, 'created_at_local', private.local_text(p.created_at, t.time_zone)
        )
        order by p.created_at
      ),
      '[]'
    )
    from public.payments p
    where p.tenant_id = o.tenant_id and p.order_id = o.id
  ) as payments,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', c.id, 'items', c.items, 'amount', c.amount, 'reason', c.reason, 'actor_id', c.actor_id,
          'created_at', c.created_at, 'created_at_local', private.local_text(c.created_at, t.time_zone)
        )
        order by c.created_at
      ),
      '[]'
    )
    from public.order_cancellation_details c
    where c.tenant_id = o.tenant_id and c.order_id = o.id
  ) as cancellations,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', r.id, 'items', r.items, 'amount', r.amount, 'note', r.note, 'actor_id', r.actor_id,
          'created_at', r.created_at, 'created_at_local', private.local_text(r.created_at, t.time_zone)
        )
        order by r.created_at
      ),
      '[]'
    )
    from public.order_return_details r
    where r.tenant_id = o.tenant_id and r.order_id = o.id
  ) as returns,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', n.id, 'text', n.text, 'visibility', n.visibility, 'supplier_id', n.supplier_id,
          'author_id', n.author_id,
          'created_at', n.created_at, 'created_at_local', private.local_text(n.created_at, t.time_zone)
        )
        order by n.created_at
      ),
      '[]'
    )
    from public.order_notes n
    where n.tenant_id = o.tenant_id and n.order_id = o.id
  ) as notes,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'supplier_id', c.supplier_id, 'sales_amount', c.sales_amount, 'delivery_amount', c.delivery_amount,
          'commission_percent', c.commission_percent, 'delivery_percent', c.delivery_percent,
          'commission_amount', c.commission_amount, 'refunded_amount', c.refunded_amount,
          'tax_amount', c.tax_amount, 'tax_collected_by', c.tax_collected_by, 'payout_amount', c.payout_amount
        )
        order by c.supplier_id
      ),
      '[]'
    )
    from public.order_commissions c
    where c.tenant_id = o.tenant_id and c.order_id = o.id
  ) as commissions,
  money.tax_included, money.tax_amount, private.tax_lines_of(o) as tax_lines,
  kept.tax + money.owed_delivery_tax as tax_due, kept.amount + money.owed_delivery as owed_amount, money.discount_amount
from public.orders o
-- Postgres removes these joins where no local time and no amount is selected, for example when a list is counted.
left join public.tenants t on t.id = o.tenant_id
left join lateral (
  select
    coalesce(sum(p.subtotal), 0) as subtotal_amount, coalesce(sum(p.delivery_amount), 0) as delivery_amount,
    coalesce(sum(private.total_of(p)), 0) as total_amount, coalesce(bool_and(p.tax_included), true) as tax_included,
    coalesce(sum(p.tax_amount), 0) as tax_amount,
    coalesce(sum(p.discount_amount + p.delivery_discount_amount), 0) as discount_amount,
    coalesce(sum(private.delivery_price_of(p)) filter (where p.delivery_owed), 0) as owed_delivery,
    coalesce(sum(p.delivery_tax_amount) filter (where p.delivery_owed), 0) as owed_delivery_tax
  from public.order_parts p
  where p.tenant_id = o.tenant_id and p.order_id = o.id
) as money on true
left join lateral (
  select
    coalesce(sum(private.price_of(i, i.sold_quantity)), 0) as amount,
    coalesce(sum(private.tax_of(i, i.sold_quantity)), 0) as tax
  from public.order_items i
  where i.tenant_id = o.tenant_id and i.order_id = o.id
) as kept on true
left join lateral private.refund_due(o) as due on true;
comment on view public.order_details is
  'The whole record of an order, as the API returns it: amounts, items, parts, history, payments, cancellations, returns, notes and commissions. Its times are also there as texts in the tenant''s time zone (…_local). Of each list, the caller sees the rows that the policies allow.';

create function public.change_order_status(
  order_id uuid, status public.order_status, note text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.change_order_status(order_id, status, note);
  return (select to_jsonb(d) from public.order_details d where d.id = change_order_status.order_id);
end
$$;
comment on function public.change_order_status is
  'Moves an order to a status and returns its whole record. Admins make any move, suppliers move orders forward that have their items only, customers cancel while the order is pending or confirmed.';

grant select on public.order_details to authenticated;
grant all on public.order_details to service_role;
grant execute on function public.change_order_status to authenticated;
grant execute on function
  private.share_of, private.tax_of, private.discount_of, private.price_of, private.delivery_price_of, private.total_of, private.tax_lines_of
to authenticated, service_role;
