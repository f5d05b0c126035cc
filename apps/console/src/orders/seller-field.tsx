import type { Order, OrderItem } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { SelectField } from "../components/field";
import { nameIn, useSuppliers } from "../lib/names";

const OPERATOR = "operator";

/** The sellers with available pieces in an order, and the chosen one. */
export function useSeller(order: Order, available: (item: OrderItem) => number) {
  const sellerOf = ({ supplier_id }: OrderItem) => supplier_id ?? OPERATOR;
  const choices = [...new Set(order.items.filter((item) => available(item) > 0).map(sellerOf))];
  const [chosen, setChosen] = useState(choices[0] ?? OPERATOR);
  return {
    choices,
    chosen,
    choose: setChosen,
    items: order.items.filter((item) => sellerOf(item) === chosen),
  };
}

/** Chooses a seller if an order has several, because a shipment and a return request contain items of one seller. */
export function SellerField({ seller }: { seller: ReturnType<typeof useSeller> }) {
  const { t } = useTranslation();
  const suppliers = useSuppliers();
  const { choices, chosen, choose } = seller;
  if (choices.length < 2) return null;
  return (
    <SelectField
      name="supplier_id"
      label={t("orders.part")}
      options={choices.map((value) => ({
        value,
        label: nameIn(suppliers.data, value) ?? t("orders.operator"),
      }))}
      value={chosen}
      onChange={choose}
    />
  );
}
