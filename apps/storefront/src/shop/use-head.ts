import { useLayoutEffect } from "preact/hooks";
import type { PageHead } from "./platform";
import { useShop } from "./shop";

/** Shows the head of a page, once it is known. */
export function useHead(head: PageHead | undefined): void {
  const { showHead } = useShop();
  // Effects do not run on the server.
  if (import.meta.env.SSR && head) showHead(head);
  useLayoutEffect(() => {
    if (head) showHead(head);
  }, [head?.title, showHead]);
}
