-- Recommended products: similar ones and best sellers, with promoted products first.

-- functions ------------------------------------------------------------------------------------

create function public.similar_products(
  product_id uuid, "limit" integer default 10, region text default null
) returns json
-- Volatile, because a share of auctions is recorded.
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  origin public.products;
  ids uuid[];
  relevance_scores double precision[];
  promotions jsonb[];
begin
  perform private.members_only();
  if ("limit" between 1 and 100) is not true then
    perform private.refuse('VALIDATION_ERROR', 'limit must be from 1 to 100.', 'limit', to_jsonb("limit"));
  end if;
  select p.* into origin
  from public.products p
  where p.id = similar_products.product_id and p.status <> 'discontinued';
  if not found then
    return null;
  end if;

  -- Some products near in meaning are not for sale here. So more are fetched, and looked up one by one, nearest first,
  -- until there are enough.
  select array_agg(near.id order by near.place), array_agg(near.closeness order by near.place)
  into ids, relevance_scores
  from (
    select found.id, found.closeness, found.place
    from (
      select
        n.id, least(greatest(n.closeness, 0), 1) as closeness, row_number() over (order by n.closeness desc, n.id) as place
      from private.products_near(origin.id, "limit" + 100) n
      where n.id <> origin.id
      order by place
    ) as found
    cross join lateral (
      select p.track_inventory
      from public.products p
      where p.id = found.id and p.status = 'active' and p.marketplace_id = origin.marketplace_id
      limit 1
    ) as p
    where private.is_in_stock(found.id, p.track_inventory)
    order by found.place
    limit "limit"
  ) as near;

  if coalesce(cardinality(ids), 0) < "limit" then
    -- Products with similar words follow those with a similar meaning, with lower scores.
    select
      coalesce(ids, '{}') || array_agg(alike.id order by alike.likeness desc, alike.id),
      coalesce(relevance_scores, '{}') || array_agg(
        alike.likeness * coalesce(relevance_scores[cardinality(relevance_scores)], 1) order by alike.likeness desc
      )
    into ids, relevance_scores
    from (
      select l.id, l.likeness
      from private.products_like(origin.id, "limit" + coalesce(cardinality(ids), 0)) l
      where (l.id = any (ids)) is not true
      order by l.likeness desc, l.id
      limit "limit" - coalesce(cardinality(ids), 0)
    ) as alike;
  end if;

  select
    array_agg(f.id order by f.place), array_agg(coalesce(relevance_scores[f.found_at], 0) order by f.place),
    array_agg(f.promotion order by f.place)
  into ids, relevance_scores, promotions
  from private.promoted_first(
    'similar', array[origin.category_id], origin.marketplace_id, origin.id, ids, "limit", region
  ) as f;

  return json_build_object(
    'products', private.product_page(ids, relevance_scores, promotions),
    'relevance_scores', coalesce(array_to_json(relevance_scores), '[]')
  );
end
$$;
comment on function public.similar_products is
  'Products that could be bought instead of one on its marketplace: those nearest in meaning first, then those with a similar name, category and price. relevance_scores, from 0 to 1: how similar each is (0 if it is only promoted). Products promoted in its category come first (region: the visitor''s region). Null if the caller does not see the product.';

create function public.top_sales(
  marketplace_id uuid default null,
  category uuid default null,
  days integer default 30,
  "limit" integer default 10,
  region text default null
) returns json
language plpgsql set search_path = ''
as $$
declare
  branch uuid[];
  ids uuid[];
  sales bigint[];
  promotions jsonb[];
begin
  perform private.members_only();
  if (days between 1 and 365) is not true then
    perform private.refuse('VALIDATION_ERROR', 'days must be from 1 to 365.', 'days', to_jsonb(days));
  elsif ("limit" between 1 and 100) is not true then
    perform private.refuse('VALIDATION_ERROR', 'limit must be from 1 to 100.', 'limit', to_jsonb("limit"));
  end if;
  if category is not null then
    branch := private.category_branch(private.tenant_id(), category);
  end if;

  select array_agg(best.id), array_agg(best.sales_count) into ids, sales
  from private.best_sellers(marketplace_id, branch, days, "limit") best;

  select
    array_agg(f.id order by f.place), array_agg(coalesce(sales[f.found_at], 0) order by f.place),
    array_agg(f.promotion order by f.place)
  into ids, sales, promotions
  from private.promoted_first('top_sales', branch, marketplace_id, null, ids, "limit", region) as f;

  return (
    select json_build_object(
      'products',
      coalesce(
        json_agg(r.value::jsonb || jsonb_build_object('sales_count', sales[r.position]) order by r.position), '[]'
      )
    )
    from json_array_elements(private.product_page(ids, null, promotions)) with ordinality as r (value, position)
  );
end
$$;
comment on function public.top_sales is
  'The products for sale that the caller sees and of which most pieces were sold in the last days (UTC, including today), without cancelled and returned pieces. sales_count: the pieces sold (0 if the product is only promoted). Promoted products come first (region: the visitor''s region).';

-- grants ---------------------------------------------------------------------------------------

grant execute on function public.similar_products, public.top_sales to authenticated;
