import { useLocation, useSearch } from "wouter-preact";

/** The choices of a list. They stand in the address, so that it can be kept, sent and gone back to. */
export function useSearchParams() {
  const params = new URLSearchParams(useSearch());
  const [path, navigate] = useLocation();
  return {
    params,
    /** Changes some of them; an empty value removes one. Any change but that of the page begins at the first page. */
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
