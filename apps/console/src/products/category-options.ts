import { useQuery } from "@tanstack/react-query";
import type { Option } from "../components/field";
import { useSouk } from "../lib/souk";
import { categoriesQuery, inOrder } from "./queries";

/** All categories as options, each with the names of its parents. */
export function useCategoryOptions(): Option[] {
  const souk = useSouk();
  const tree = useQuery(categoriesQuery(souk)).data?.categories ?? [];
  return inOrder(tree).map(({ category, above }) => ({
    value: category.id,
    label: [...above, category].map(({ name }) => name).join(" › "),
  }));
}
