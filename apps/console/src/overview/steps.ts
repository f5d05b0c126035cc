import { useQuery } from "@tanstack/react-query";
import type { LinkProps } from "@tanstack/react-router";
import { useSouk } from "../lib/souk";
import { useSession } from "../session/session";

export interface Step {
  /** The key of its name in the texts: `steps.marketplace`. */
  name:
    | "marketplace"
    | "activate"
    | "category"
    | "supplier"
    | "legal"
    | "product"
    | "picture"
    | "order";
  to: LinkProps["to"];
  isDone: boolean;
}

/** The steps to the first sale for the person's role; undefined until they are loaded. */
export function useSteps(): readonly Step[] | undefined {
  const souk = useSouk();
  const { role, supplier_id } = useSession();
  const one = { limit: 1 };
  const progress = useQuery({
    // Each key starts with the records that it depends on, so a change invalidates it and cached answers are not used.
    queryKey: ["orders", "steps", role],
    staleTime: 0,
    queryFn: async ({ signal }): Promise<readonly Step[]> => {
      const call = { signal };
      const [products, orders] = await Promise.all([
        souk.products.list(one, call),
        souk.orders.list(one, call),
      ]);
      const product: Step = { name: "product", to: "/products/new", isDone: products.total > 0 };
      const order: Step = { name: "order", to: "/orders", isDone: orders.total > 0 };
      if (role === "supplier") {
        const own = await souk.suppliers.get(supplier_id ?? "", call);
        return [
          { name: "legal", to: "/organisation", isDone: own.legal.name !== undefined },
          product,
          {
            name: "picture",
            to: "/products",
            isDone: products.products.some(({ images }) => images.length > 0),
          },
          order,
        ];
      }
      const [marketplaces, active, categories, suppliers, invitations] = await Promise.all([
        souk.marketplaces.list(one, call),
        souk.marketplaces.list({ ...one, status: "active" }, call),
        souk.categories.list(call),
        souk.suppliers.list(one, call),
        souk.invitations.list(one, call),
      ]);
      return [
        { name: "marketplace", to: "/marketplaces", isDone: marketplaces.total > 0 },
        { name: "activate", to: "/marketplaces", isDone: active.total > 0 },
        { name: "category", to: "/categories", isDone: categories.total > 0 },
        {
          name: "supplier",
          to: "/suppliers",
          isDone: suppliers.total > 0 || invitations.total > 0,
        },
        product,
        order,
      ];
    },
  });
  return progress.data;
}
