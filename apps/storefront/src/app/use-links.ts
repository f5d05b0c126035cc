import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { reportClick } from "../shop/promotion";
import { useShop } from "../shop/shop";

/** Handles links and search forms inside the element without a reload, also those of templates. */
export function useLinks() {
  const { souk } = useShop();
  const [, navigate] = useLocation();
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    function go(to: string) {
      navigate(to);
      scrollTo(0, 0);
    }
    function follow(event: MouseEvent) {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
        return;
      const link = (event.target as Element).closest("a");
      if (!link || link.origin !== location.origin || link.target || link.download) return;
      reportClick(souk, link);
      if (link.getAttribute("href")?.startsWith("#")) return;
      event.preventDefault();
      go(link.pathname + link.search);
    }
    function search(event: SubmitEvent) {
      const form = event.target as HTMLFormElement;
      if (event.defaultPrevented || form.getAttribute("action") !== "/search") return;
      event.preventDefault();
      go(`/search?${new URLSearchParams(new FormData(form) as never)}`);
    }
    element.addEventListener("click", follow);
    element.addEventListener("submit", search);
    return () => {
      element.removeEventListener("click", follow);
      element.removeEventListener("submit", search);
    };
  }, [souk, navigate]);
  return frame;
}
