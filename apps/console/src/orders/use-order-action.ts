import type { SoukClient } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useSouk } from "../lib/souk";

interface Outcome {
  onDone?: () => void;
  onError?: (error: Error) => void;
}

/** A mutation that changes an order and then invalidates all queries of orders. */
export function useOrderAction<Input = void, Answer = unknown>(
  act: (souk: SoukClient, input: Input) => Promise<Answer>,
  { onDone, onError }: Outcome = {},
) {
  const souk = useSouk();
  const queries = useQueryClient();
  return useMutation<Answer, Error, Input>({
    mutationFn: (input) => act(souk, input),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["orders"] });
      onDone?.();
    },
    onError,
  });
}
