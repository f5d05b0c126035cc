import type { ProductList } from "@souk/client";
import { money, t } from "../lib/texts";
import { useSearchParams } from "./search-params";

/** What the list can be narrowed down to, with how many products each choice has. */
export function Facets({
  filters,
  currency,
}: {
  filters: ProductList["filters"];
  currency: string;
}) {
  const { params, change } = useSearchParams();
  const isNarrowed = ["category", "brand", "price_min", "price_max"].some((name) =>
    params.has(name),
  );
  return (
    <details class="facets" open={innerWidth >= 768}>
      <summary>{t("list.filters")}</summary>
      <Choices
        name="category"
        legend={t("list.categories")}
        values={filters.categories.map(({ id, name, count }) => ({
          value: id,
          label: name,
          count,
        }))}
      />
      <Choices
        name="brand"
        legend={t("list.brands")}
        values={filters.brands.map(({ name, count }) => ({ value: name, label: name, count }))}
      />
      {filters.price_range && (
        <fieldset>
          <legend>{t("list.price")}</legend>
          {(["price_min", "price_max"] as const).map((name, i) => (
            <label key={name}>
              {t(`list.${name}`)}
              <input
                type="number"
                min={0}
                value={params.get(name) ?? ""}
                placeholder={money(filters.price_range?.[i] ?? 0, currency)}
                onChange={(event) => change({ [name]: event.currentTarget.value })}
              />
            </label>
          ))}
        </fieldset>
      )}
      {isNarrowed && (
        <button
          type="button"
          class="quiet"
          onClick={() => change({ category: "", brand: "", price_min: "", price_max: "" })}
        >
          {t("list.clear")}
        </button>
      )}
    </details>
  );
}

function Choices({
  name,
  legend,
  values,
}: {
  name: string;
  legend: string;
  values: readonly { value: string; label: string; count: number }[];
}) {
  const { params, change } = useSearchParams();
  if (values.length === 0) return null;
  return (
    <fieldset>
      <legend>{legend}</legend>
      {values.map(({ value, label, count }) => (
        <label key={value} class="choice">
          <input
            type="checkbox"
            checked={params.get(name) === value}
            onChange={(event) => change({ [name]: event.currentTarget.checked ? value : "" })}
          />
          <bdi>{label}</bdi> <span class="muted">{t("list.number", { count })}</span>
        </label>
      ))}
    </fieldset>
  );
}
