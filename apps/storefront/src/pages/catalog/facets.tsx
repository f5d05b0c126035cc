import type { ProductList } from "@souk/client";
import { useLayoutEffect, useState } from "preact/hooks";
import { money, t } from "../../ui/texts";
import { useSearchParams } from "./search-params";

/** The width from which the filters stand beside the list, in CSS pixels. */
const WIDE = 768;

/** The query parameter of an attribute's chosen values. */
const ATTRIBUTE = /^attributes\[(.+)\]$/;

/** The chosen values of each filter, from the URL. */
export function chosenIn(params: URLSearchParams) {
  const names = [...new Set(params.keys())].filter((name) => ATTRIBUTE.test(name));
  const attributes = names.map((name) => [
    name.slice("attributes[".length, -1),
    params.getAll(name),
  ]);
  return {
    category: params.getAll("category"),
    brand: params.getAll("brand"),
    attributes: Object.fromEntries(attributes) as Record<string, string[]>,
  };
}

/** The filters of a list, with the number of products for each choice. */
export function Facets({
  filters,
  currency,
}: {
  filters: ProductList["filters"];
  currency: string;
}) {
  const { params, change } = useSearchParams();
  const { categories, brands, attributes, price_range } = filters;
  const chosen = [...new Set(params.keys())].filter(
    (name) => ATTRIBUTE.test(name) || /^(category|brand|price_min|price_max)$/.test(name),
  );
  const [isOpen, setOpen] = useState(false);
  // The server does not know the width of the page.
  useLayoutEffect(() => setOpen(innerWidth >= WIDE), []);
  return (
    <details class="facets" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("list.filters")}</summary>
      <Choices
        name="category"
        legend={t("list.categories")}
        values={categories.map(({ id, name, count }) => ({ value: id, label: name, count }))}
      />
      <Choices
        name="brand"
        legend={t("list.brands")}
        values={brands.map(({ name, count }) => ({ value: name, count }))}
      />
      {attributes?.map(({ name, values }) => (
        <Choices
          key={name}
          name={`attributes[${name}]`}
          legend={name.replaceAll("_", " ")}
          values={values}
        />
      ))}
      {price_range && (
        <fieldset>
          <legend>{t("list.price")}</legend>
          {(["price_min", "price_max"] as const).map((name, i) => (
            <label key={name}>
              {t(`list.${name}`)}
              <input
                type="number"
                min={0}
                value={params.get(name) ?? ""}
                placeholder={money(price_range[i] ?? 0, currency)}
                onChange={(event) => change({ [name]: event.currentTarget.value })}
              />
            </label>
          ))}
        </fieldset>
      )}
      {chosen.length > 0 && (
        <button
          type="button"
          class="quiet"
          onClick={() => change(Object.fromEntries(chosen.map((name) => [name, ""])))}
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
  values: readonly { value: string; label?: string; count: number }[];
}) {
  const { params, change } = useSearchParams();
  const chosen = params.getAll(name);
  if (values.length === 0) return null;
  return (
    <fieldset>
      <legend>{legend}</legend>
      {values.map(({ value, label = value, count }) => (
        <label key={value} class="choice">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ currentTarget }) => {
              const others = chosen.filter((other) => other !== value);
              change({ [name]: currentTarget.checked ? [...others, value] : others });
            }}
          />
          <bdi>{label}</bdi> <span class="muted">{t("list.number", { count })}</span>
        </label>
      ))}
    </fieldset>
  );
}
