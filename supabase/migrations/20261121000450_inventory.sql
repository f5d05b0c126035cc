-- Inventory: every change of stock is a row in a ledger, with the reason for it.

-- functions ------------------------------------------------------------------------------------

create function private.explain_stock_change(reason text, note text default null, order_id uuid default null)
returns void
language sql set search_path = ''
as $$
  select set_config(
    'souk.stock_change',
    jsonb_build_object('reason', reason, 'note', note, 'order_id', order_id)::text,
    true
  )
$$;
comment on function private.explain_stock_change is
  'Says why stock is about to change, until the end of the transaction or the next word on it; the ledger notes it.';
