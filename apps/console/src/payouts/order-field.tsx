import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Option, SelectField } from "../components/field";
import { Filters } from "../components/filters";
import { SearchField } from "../components/search-field";
import { useFormat } from "../lib/format";
import { numberFrom } from "../lib/numbers";
import { useSouk } from "../lib/souk";

/** The number of orders among which one is chosen. */
const FOUND_ORDERS = 20;

/** Chooses an order of a supplier, which is found by its number; without one, it is about the supplier. */
export function OrderField({
  supplier,
  none,
  value,
  onChange,
}: {
  /** Empty while no supplier is chosen. */
  supplier: string;
  /** The text while no order is chosen. */
  none: string;
  value: string;
  onChange(orderId: string): void;
}) {
  const { t } = useTranslation();
  const { date } = useFormat();
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<Option>();
  const found = useFoundOrders(supplier, search);
  const options = (found.data ?? []).map(({ order_id, number, created_at }) => ({
    value: order_id,
    label: `#${number} · ${date(created_at)}`,
  }));
  // A search that does not find the chosen order must not drop it.
  const isFound = options.some((option) => option.value === chosen?.value);
  return (
    <>
      <SelectField
        name="order_id"
        label={t("payouts.order")}
        options={[{ value: "", label: none }, ...(chosen && !isFound ? [chosen] : []), ...options]}
        value={value}
        onChange={(id) => {
          setChosen(options.find((option) => option.value === id) ?? chosen);
          onChange(id);
        }}
      />
      <Filters>
        <SearchField label={t("payouts.findOrder")} value={search} onChange={setSearch} />
      </Filters>
    </>
  );
}

/** The newest orders of a supplier, or the one with a number. Imported orders have no commission, and so are left out. */
function useFoundOrders(supplier: string, search: string) {
  const souk = useSouk();
  return useQuery({
    queryKey: ["orders", "found", supplier, search],
    enabled: supplier !== "",
    queryFn: async ({ signal }) => {
      const orders = souk.supabase
        .from("commission_details")
        .select("order_id, number, created_at")
        .eq("supplier_id", supplier)
        .order("created_at", { ascending: false })
        .limit(FOUND_ORDERS)
        .abortSignal(signal);
      // No order has the number 0.
      const number = Math.trunc(numberFrom(search.replace("#", "")) ?? 0);
      const { data } = await (search ? orders.eq("number", number) : orders).throwOnError();
      return data;
    },
    placeholderData: (before) => before,
  });
}
