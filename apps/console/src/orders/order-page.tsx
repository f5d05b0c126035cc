import type { Order } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNote } from "../components/error-note";
import { Loading } from "../components/loading";
import { Page } from "../components/page";
import { useFormat } from "../lib/format";
import { useRefresh } from "../lib/refresh";
import { useSouk } from "../lib/souk";
import { useMay } from "../session/session";
import { OrderActions } from "./order-actions";
import { OrderBadge, PaymentBadge } from "./order-badge";
import { OrderCommissions } from "./order-commissions";
import { OrderCustomer } from "./order-customer";
import { OrderHistory } from "./order-history";
import { OrderNotes } from "./order-notes";
import { OrderPart } from "./order-part";
import { OrderPayments } from "./order-payments";
import { OrderReturns } from "./order-returns";
import { OrderShipments } from "./order-shipments";
import { OrderTotals } from "./order-totals";
import { orderQuery } from "./queries";

export function OrderPage() {
  const { orderId } = useParams({ from: "/orders/$orderId" });
  const souk = useSouk();
  const order = useQuery(orderQuery(souk, orderId));
  useOrderLive(orderId);
  if (!order.data) {
    return order.error ? (
      <ErrorNote error={order.error} onRetry={() => order.refetch()} />
    ) : (
      <Loading />
    );
  }
  return <OrderDetails order={order.data} />;
}

function OrderDetails({ order }: { order: Order }) {
  const { t } = useTranslation();
  const format = useFormat();
  const may = useMay();
  return (
    <Page
      title={t("orders.numbered", { number: order.number })}
      aside={
        <>
          <OrderBadge status={order.status} />
          <PaymentBadge status={order.payment_status} />
        </>
      }
      lead={format.localTime(order.created_at_local)}
      back={{ to: "/orders", label: t("orders.title") }}
      actions={<OrderActions order={order} />}
    >
      <div className="columns">
        <div className="column-main">
          {order.parts.map((part) => (
            <OrderPart key={part.supplier_id ?? "operator"} order={order} part={part} />
          ))}
          <OrderShipments order={order} />
          <OrderReturns order={order} />
          <OrderNotes order={order} />
        </div>
        <div className="column-side">
          <OrderTotals order={order} />
          <OrderCustomer order={order} />
          {may("payments.write") && <OrderPayments order={order} />}
          <OrderCommissions order={order} />
          <OrderHistory order={order} />
        </div>
      </div>
    </Page>
  );
}

/** Reloads the order whenever a message arrives on its channel. */
function useOrderLive(orderId: string) {
  const souk = useSouk();
  const refresh = useRefresh(["orders"]);
  useEffect(() => {
    const listening = souk.realtime.order(orderId, {
      onStatus: refresh,
      onPayment: refresh,
      onPieces: refresh,
      onReconnect: refresh,
    });
    listening.catch(() => {});
    return () => {
      listening.then((subscription) => subscription.unsubscribe()).catch(() => {});
    };
  }, [souk, orderId, refresh]);
}
