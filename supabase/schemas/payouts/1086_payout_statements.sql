-- Statements of payouts: what each was for. A payout that failed or was reversed keeps its statement, although its lines are
-- free for the next one.

-- functions ------------------------------------------------------------------------------------

create function private.check_payout(payout_id uuid) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform private.members_only();
  if not exists (
    select from public.payouts p where p.tenant_id = private.tenant_id() and p.id = check_payout.payout_id
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such payout.');
  end if;
end
$$;
comment on function private.check_payout is 'Refuses with NOT_FOUND a payout that the caller does not see.';

create function private.lines_of_payout(payout_id uuid, after timestamptz, after_id uuid, size integer) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant constant uuid := private.tenant_id();
begin
  return array(
    select l.id
    from public.ledger_lines l
    where l.tenant_id = tenant and l.payout_id = lines_of_payout.payout_id and l.kind not in ('payout', 'payout_reversal')
      and (l.created_at, l.id) > (after, after_id)
    order by l.created_at, l.id
    limit size
  ) || array(
    -- Those of a payout that failed or was reversed.
    select l.id
    from private.freed_ledger_lines f
    join public.ledger_lines l on l.tenant_id = f.tenant_id and l.id = f.line_id
    where f.tenant_id = tenant and f.payout_id = lines_of_payout.payout_id and (l.created_at, l.id) > (after, after_id)
    order by l.created_at, l.id
    limit size
  );
end
$$;
comment on function private.lines_of_payout is
  'Lines of a payout of the caller''s tenant, also those that it had before it failed or was reversed: so many after a line, the oldest first.';

-- The lines of a payout are read with the rights of their owner: who may see a payout may see what it is for.
create function private.payout_statement(payout_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'payout', to_jsonb(p),
      'supplier', (
        select jsonb_build_object('id', s.id, 'name', s.name, 'legal', s.legal)
        from public.suppliers s
        where s.tenant_id = p.tenant_id and s.id = p.supplier_id
      ),
      'sums', (
        select jsonb_agg(jsonb_build_object('kind', k.kind, 'amount', k.amount) order by k.kind)
        from (
          select l.kind, sum(l.amount) as amount
          from public.ledger_lines l
          where l.tenant_id = p.tenant_id and l.id = any (
            private.lines_of_payout(p.id, '-infinity', '00000000-0000-0000-0000-000000000000', p.lines)
          )
          group by l.kind
        ) as k
      )
    )
    from public.payouts p
    where p.tenant_id = private.tenant_id() and p.id = payout_statement.payout_id
  );
end
$$;
comment on function private.payout_statement is 'See public.payout_statement, which checks that the caller sees the payout.';

create function private.payout_statement_lines(payout_id uuid, after uuid, size integer) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant constant uuid := private.tenant_id();
  last_at timestamptz := timestamptz '-infinity';
begin
  if after is not null then
    select l.created_at into last_at from public.ledger_lines l where l.tenant_id = tenant and l.id = after;
    if not found then
      perform private.refuse('NOT_FOUND', 'There is no such line.', 'after', to_jsonb(after));
    end if;
  end if;
  return (
    select coalesce(jsonb_agg(to_jsonb(d) order by d.created_at, d.id), '[]')
    from public.ledger_details d
    where d.tenant_id = tenant and d.id = any (
      private.lines_of_payout(payout_statement_lines.payout_id, last_at, coalesce(after, '00000000-0000-0000-0000-000000000000'), size)
    )
  );
end
$$;
comment on function private.payout_statement_lines is
  'See public.payout_statement_lines, which checks that the caller sees the payout.';

create function public.payout_statement(payout_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.check_payout(payout_id);
  return private.payout_statement(payout_id);
end
$$;
comment on function public.payout_statement is
  'A payout with its supplier (name and legal identity) and the sums of its lines by kind, which add up to its amount. Refuses with NOT_FOUND.';

create function public.payout_statement_lines(payout_id uuid, after uuid default null, "limit" integer default 1000)
returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.check_payout(payout_id);
  return private.payout_statement_lines(payout_id, after, least(greatest("limit", 1), 1000));
end
$$;
comment on function public.payout_statement_lines is
  'A page of the lines of a payout, the oldest first: the first 1000, or those after the last line of the page before. Refuses with NOT_FOUND.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.check_payout, private.payout_statement, private.payout_statement_lines to authenticated;
grant execute on function public.payout_statement, public.payout_statement_lines to authenticated;
