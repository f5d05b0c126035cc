import { useLocation } from "wouter-preact";
import { t } from "../../ui/texts";
import { useSearchParams } from "./search-params";

/** Links to the previous and the next page of a list. */
export function Pages({ total, page, limit }: { total: number; page: number; limit: number }) {
  const { params } = useSearchParams();
  const [path] = useLocation();
  const last = Math.max(1, Math.ceil(total / limit));
  if (last === 1) return null;
  function link(rel: "prev" | "next", number: number) {
    if (number < 1 || number > last) return <span />;
    const there = new URLSearchParams(params);
    there.set("page", String(number));
    return (
      <a class="button quiet" rel={rel} href={`${path}?${there}`}>
        {t(rel === "prev" ? "list.previous" : "list.next")}
      </a>
    );
  }
  return (
    <nav class="row between" aria-label={t("list.pages")}>
      {link("prev", page - 1)}
      <span>{t("list.page", { page, last })}</span>
      {link("next", page + 1)}
    </nav>
  );
}
