insert into private.event_types (name) values
  ('order.created'), ('order.status_changed'), ('order.cancelled'), ('order.completed'), ('order.items_cancelled'),
  ('shipment.created'), ('shipment.delivered'), ('shipment.lost'),
  ('return.requested'), ('return.approved'), ('return.rejected'), ('return.received'),
  ('payment.succeeded'), ('payment.failed'), ('payment.refunded'), ('payment.refund_failed'),
  ('product.created'), ('product.updated'), ('product.out_of_stock'),
  ('discount.created'), ('discount.updated'), ('discount.deleted'),
  ('payout.created'), ('payout.paid'), ('payout.failed'), ('payout.reversed'), ('ledger.mismatch'),
  ('user.registered'), ('user.verified'),
  ('content.created'), ('content.status_changed'), ('content.published'), ('content.deleted'),
  ('webhook.failing'), ('webhook.disabled')
on conflict do nothing;

insert into private.event_retention (keep)
select '30 days' where not exists (select from private.event_retention);

select private.make_event_partitions();

select private.schedule_job(
  'make-event-partitions', 'select private.make_event_partitions()',
  every => '1 hour', at => '00:03'
);

select private.schedule_job(
  'forget-event-counts', $$delete from private.event_counts where minute < now() - interval '2 minutes'$$,
  every => '10 minutes', queue => 'long'
);

select private.schedule_job(
  'forget-events', 'select private.delete_old_events()',
  every => '1 hour', at => '00:33', queue => 'long'
);
