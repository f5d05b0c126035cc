import type { SoukClient } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useSouk } from "../lib/souk";

/** A mutation of payouts, holds or adjustments, which then invalidates all queries of payouts, the ledger and the holds. */
export function usePayoutAction<Answer, Input = void>(
  act: (souk: SoukClient, input: Input) => Promise<Answer>,
  onDone: (answer: Answer, input: Input) => void,
  onError?: (error: Error) => void,
) {
  const souk = useSouk();
  const queries = useQueryClient();
  return useMutation<Answer, Error, Input>({
    mutationFn: (input) => act(souk, input),
    onSuccess: async (answer, input) => {
      await queries.invalidateQueries({ queryKey: ["payouts"] });
      onDone(answer, input);
    },
    onError,
  });
}
