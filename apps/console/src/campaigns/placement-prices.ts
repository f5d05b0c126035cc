import type { Product } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useSouk } from "../lib/souk";
import { categoriesQuery, inOrder } from "../products/queries";

/** The category of a product and those above it, in which it may be promoted, nearest first. */
export function useCategoriesOf({ category_id }: Product) {
  const souk = useSouk();
  const tree = useQuery(categoriesQuery(souk)).data?.categories ?? [];
  const own = inOrder(tree).find(({ category }) => category.id === category_id);
  return own ? [own.category, ...own.above.toReversed()] : [];
}

/**
 * The lowest bid and the fee of a day for a promotion in the last of these categories: the highest of all of them, in a
 * currency.
 */
export function usePlacementPrices(categoryIds: readonly string[], currency: string) {
  const souk = useSouk();
  return useQuery({
    queryKey: ["placement", categoryIds, currency],
    queryFn: async ({ signal }) => {
      const all = await Promise.all(
        categoryIds.map((id) => souk.placement.category(id, { signal })),
      );
      const prices = all.flatMap((category) =>
        category.prices.filter((price) => price.currency === currency),
      );
      return {
        minBid: Math.max(0, ...prices.map((price) => price.minBid)),
        dayFee: Math.max(0, ...prices.map((price) => price.basePrice)),
      };
    },
  });
}
