import type { Campaign, SoukClient } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useSouk } from "../lib/souk";

interface Outcome<Input> {
  onDone?: (input: Input, campaign: Campaign) => void;
  onError?: (error: Error) => void;
}

/** A mutation that starts or changes a campaign and then invalidates all queries of campaigns. */
export function useCampaignAction<Input = void>(
  act: (souk: SoukClient, input: Input) => Promise<Campaign>,
  { onDone, onError }: Outcome<Input> = {},
) {
  const souk = useSouk();
  const queries = useQueryClient();
  return useMutation<Campaign, Error, Input>({
    mutationFn: (input) => act(souk, input),
    onSuccess: async (campaign, input) => {
      await queries.invalidateQueries({ queryKey: ["campaigns"] });
      onDone?.(input, campaign);
    },
    onError,
  });
}
