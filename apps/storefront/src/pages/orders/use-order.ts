import type {
  Order,
  OrderDownloads,
  OrderPart,
  ReturnRequest,
  Shipment,
  Supplier,
} from "@souk/client";
import { useEffect } from "preact/hooks";
import { useShop } from "../../shop/shop";
import { type Answer, useAnswer } from "../../shop/use-answer";

/** All data of an order that a customer can see. */
export interface WholeOrder {
  order: Order;
  shipments: Shipment[];
  returns: ReturnRequest[];
  downloads: OrderDownloads;
  suppliers: Supplier[];
}

/** What the elements of a supplier's part of an order have in common. */
export interface PartProps {
  part: OrderPart;
  whole: WholeOrder;
  onChange(): void;
}

/** An order that is reloaded whenever it changes. */
export function useOrder(id: string): Answer<WholeOrder> {
  const { souk, user } = useShop();
  const answer = useAnswer(
    "order",
    async (signal): Promise<WholeOrder> => {
      const options = { signal };
      const [order, { shipments }, { return_requests }, downloads, { suppliers }] =
        await Promise.all([
          souk.orders.get(id, options),
          souk.shipments.list(id, options),
          souk.returns.list(id, options),
          souk.downloads.get(id, options),
          souk.suppliers.list({ limit: 100 }, options),
        ]);
      return { order, shipments, returns: return_requests, downloads, suppliers };
    },
    [id],
  );

  const { again } = answer;
  useEffect(() => {
    const listening = souk.realtime.order(id, {
      onStatus: again,
      onPayment: again,
      onPieces: again,
      onReconnect: again,
    });
    // The order contains everything that happened before the channel was joined. Without live changes the page still
    // works.
    listening.then(again).catch(() => {});
    return () => {
      listening.then((subscription) => subscription.unsubscribe()).catch(() => {});
    };
  }, [souk, id, user.id, again]);
  return answer;
}
