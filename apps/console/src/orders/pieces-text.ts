import type { Order } from "@souk/client";
import { useFormat } from "../lib/format";

/** Formats pieces of an order's items: `2 × Round tray, 1 × Oval tray`. */
export function usePiecesText({ items }: Order) {
  const format = useFormat();
  return (pieces: readonly { item_id: string; quantity: number }[]): string =>
    pieces
      .map(({ item_id, quantity }) => {
        const name = items.find(({ id }) => id === item_id)?.name ?? "–";
        return `${format.number(quantity)} × ${name}`;
      })
      .join(", ");
}
