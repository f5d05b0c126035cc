import { useLocation } from "wouter-preact";
import { t } from "../../ui/texts";
import { useSearchParams } from "./search-params";

/** Links to the previous and the next page of a list. */
export function Pages({ total, page, limit }: { total: number; page: number; limit: number }) {
  const { params } = useSearchParams();
  const [path] = useLocation();
  const last = Math.max(1, Math.ceil(total / limit));
  if (last === 1) return null;
  function at(number: number): string {
    const there = new URLSearchParams(params);
    there.set("page", String(number));
    return `${path}?${there}`;
  }
  return (
    <nav class="row between" aria-label={t("list.pages")}>
      {page > 1 ? (
        <a class="button quiet" rel="prev" href={at(page - 1)}>
          {t("list.previous")}
        </a>
      ) : (
        <span />
      )}
      <span>{t("list.page", { page, last })}</span>
      {page < last ? (
        <a class="button quiet" rel="next" href={at(page + 1)}>
          {t("list.next")}
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}
