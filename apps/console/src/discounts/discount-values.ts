import type { Discount } from "@souk/client";
import { numberFrom, typedNumber } from "../lib/numbers";
import { timeFrom, typedTime } from "../lib/times";

/** The fields as they are typed. An empty text stands for null, and an empty list for all. */
export interface Values extends Pick<Discount, "kind" | "borne_by"> {
  code: string;
  value: string;
  currency: string;
  marketplace_id: string;
  category_ids: string[];
  product_ids: string[];
  supplier_ids: string[];
  minimum_subtotal: string;
  starts_at: string;
  ends_at: string;
  uses_total: string;
  uses_per_customer: string;
}

export const EMPTY: Values = {
  code: "",
  kind: "percentage",
  value: "",
  currency: "",
  marketplace_id: "",
  category_ids: [],
  product_ids: [],
  supplier_ids: [],
  minimum_subtotal: "",
  starts_at: "",
  ends_at: "",
  uses_total: "",
  uses_per_customer: "",
  borne_by: "operator",
};

const typedOrEmpty = (number: number | null) => (number === null ? "" : typedNumber(number));

export const valuesOf = (discount: Discount): Values => ({
  code: discount.code ?? "",
  kind: discount.kind,
  value: typedOrEmpty(discount.value),
  currency: discount.currency ?? "",
  marketplace_id: discount.marketplace_id ?? "",
  category_ids: discount.category_ids ?? [],
  product_ids: discount.product_ids ?? [],
  supplier_ids: discount.supplier_ids ?? [],
  minimum_subtotal: typedOrEmpty(discount.minimum_subtotal),
  starts_at: discount.starts_at ? typedTime(discount.starts_at) : "",
  ends_at: discount.ends_at ? typedTime(discount.ends_at) : "",
  uses_total: typedOrEmpty(discount.uses_total),
  uses_per_customer: typedOrEmpty(discount.uses_per_customer),
  borne_by: discount.borne_by,
});

/** The field itself refuses a text that is no number. */
const numberOrNull = (typed: string) => numberFrom(typed) ?? null;
const timeOrNull = (typed: string) => (typed ? timeFrom(typed) : null);
const listOrNull = (ids: string[]) => (ids.length > 0 ? ids : null);

export const bodyOf = (values: Values) => ({
  code: values.code.trim() || null,
  kind: values.kind,
  value: numberOrNull(values.value),
  currency: values.currency || null,
  marketplace_id: values.marketplace_id || null,
  category_ids: listOrNull(values.category_ids),
  product_ids: listOrNull(values.product_ids),
  supplier_ids: listOrNull(values.supplier_ids),
  minimum_subtotal: numberOrNull(values.minimum_subtotal),
  starts_at: timeOrNull(values.starts_at),
  ends_at: timeOrNull(values.ends_at),
  uses_total: numberOrNull(values.uses_total),
  uses_per_customer: numberOrNull(values.uses_per_customer),
  borne_by: values.borne_by,
});

/** The fields to send of the values that were changed. */
export function changesOf(changed: Partial<Values>, read: Discount) {
  const body = bodyOf({ ...valuesOf(read), ...changed });
  const sent = Object.entries(body).filter(([name]) => name in changed);
  return Object.fromEntries(sent) as Partial<typeof body>;
}
