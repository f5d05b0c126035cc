import { useQuery } from "@tanstack/react-query";
import { useSouk } from "../lib/souk";

/**
 * Lets the page load pictures only of the project at `url` and of the hosts that the tenant's marketplaces list, so that a
 * picture of a supplier tells no other host who looks at it. Returns the state of the query that reads the hosts.
 */
export function usePictureHosts(url: string, userId: string | null | undefined) {
  const { supabase } = useSouk();
  return useQuery({
    queryKey: ["picture-hosts", userId],
    enabled: Boolean(userId),
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from("marketplaces")
        .select("hosts:settings->branding->hosts, logo_url:settings->branding->>logo_url")
        .abortSignal(signal)
        .throwOnError();
      const hosts = data.flatMap((row) => (row.hosts ?? []) as string[]);
      const logos = data.flatMap(({ logo_url }) => (logo_url ? [new URL(logo_url).origin] : []));
      const sources = new Set([new URL(url).origin, ...hosts, ...logos]);
      narrowPictures(sources);
      return [...sources];
    },
  });
}

/** A policy can only become stricter, so a page keeps the first one: another tenant needs a new page. */
let isNarrow = false;

function narrowPictures(sources: Iterable<string>): void {
  if (isNarrow) return;
  isNarrow = true;
  const meta = document.createElement("meta");
  meta.httpEquiv = "Content-Security-Policy";
  meta.content = ["img-src 'self' data: blob:", ...sources].join(" ");
  document.head.append(meta);
}
