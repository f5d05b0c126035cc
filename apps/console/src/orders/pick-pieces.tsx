import type { OrderItem } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { numberFrom, typedNumber } from "../lib/numbers";

/** The chosen quantity of each item; by default all available pieces. */
export function usePieces(items: readonly OrderItem[], available: (item: OrderItem) => number) {
  const choices = items.filter((item) => available(item) > 0);
  const [typed, setTyped] = useState<Record<string, string>>({});
  const quantityOf = (item: OrderItem) => typed[item.id] ?? typedNumber(available(item));
  return {
    choices,
    available,
    quantityOf,
    set: (item: OrderItem, quantity: string) => setTyped({ ...typed, [item.id]: quantity }),
    /** The chosen items in the API's form: those with at least one piece. */
    chosen: choices
      .map((item) => ({ item_id: item.id, quantity: numberFrom(quantityOf(item)) ?? 0 }))
      .filter(({ quantity }) => quantity > 0),
  };
}

export function PickPieces({ pieces }: { pieces: ReturnType<typeof usePieces> }) {
  const { t } = useTranslation();
  const { choices, available, quantityOf, set, chosen } = pieces;
  return (
    <ul className="pieces">
      {choices.map((item) => (
        <li key={item.id}>
          <span>{item.name}</span>
          <TextField
            // Errors of the API refer to an item by its index among the sent ones.
            name={`items[${chosen.findIndex(({ item_id }) => item_id === item.id)}].quantity`}
            label={t("orders.piecesOf", { name: item.name })}
            bare
            inputMode="numeric"
            value={quantityOf(item)}
            onChange={(quantity) => set(item, quantity)}
          />
          <span className="muted">{t("orders.ofPieces", { count: available(item) })}</span>
        </li>
      ))}
    </ul>
  );
}
