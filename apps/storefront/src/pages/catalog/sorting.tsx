import { t } from "../../ui/texts";
import { useSearchParams } from "./search-params";

const SORTINGS = {
  price_asc: { sort: "price", order: "asc" },
  price_desc: { sort: "price", order: "desc" },
  name: { sort: "name", order: "asc" },
} as const;
type Sorting = keyof typeof SORTINGS;

/** The parameters of a sorting. Without one, the best match comes first. */
export const sortingOf = (name: string | null) => SORTINGS[name as Sorting] ?? {};

export function Sorting() {
  const { params, change } = useSearchParams();
  return (
    <label class="row">
      <span>{t("list.sort")}</span>
      <select
        value={params.get("sort") ?? ""}
        onChange={(event) => change({ sort: event.currentTarget.value })}
      >
        <option value="">{t("list.best")}</option>
        {(Object.keys(SORTINGS) as Sorting[]).map((name) => (
          <option key={name} value={name}>
            {t(`list.${name}`)}
          </option>
        ))}
      </select>
    </label>
  );
}
