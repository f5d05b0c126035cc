import type { SoukClient } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useSouk } from "../lib/souk";

/** A call that changes an order. What is shown of orders is then read anew. */
export function useOrderAction<Input, Answer>(
  act: (souk: SoukClient, input: Input) => Promise<Answer>,
  onDone?: () => void,
) {
  const souk = useSouk();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => act(souk, input),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["orders"] });
      onDone?.();
    },
  });
}
