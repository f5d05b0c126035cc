import { useLocation, useSearch } from "wouter-preact";

/** The query parameters of a list. They are in the URL, so that the list can be bookmarked and shared. */
export function useSearchParams() {
  const params = new URLSearchParams(useSearch());
  const [path, navigate] = useLocation();
  return {
    params,
    /**
     * Changes some parameters. An empty value removes one. Any change except that of the page returns to the first
     * page.
     */
    change(changes: Record<string, string | readonly string[]>) {
      if (!("page" in changes)) params.delete("page");
      for (const [name, value] of Object.entries(changes)) {
        params.delete(name);
        for (const each of [value].flat()) if (each !== "") params.append(name, each);
      }
      navigate(`${path}?${params}`);
    },
  };
}
