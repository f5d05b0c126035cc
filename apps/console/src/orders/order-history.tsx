import type { Order } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { useFormat } from "../lib/format";

export function OrderHistory({ order }: { order: Order }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <Card title={t("orders.history")}>
      <ol className="timeline">
        {order.history.toReversed().map(({ new_status, note, created_at, created_at_local }) => (
          <li key={`${created_at} ${new_status}`}>
            <strong>{t(`orderStatus.${new_status}`)}</strong>
            {note && <span>{note}</span>}
            <time className="muted" dateTime={created_at}>
              {format.localTime(created_at_local)}
            </time>
          </li>
        ))}
        <li>
          <strong>{t("orders.placed")}</strong>
          <time className="muted" dateTime={order.created_at}>
            {format.localTime(order.created_at_local)}
          </time>
        </li>
      </ol>
    </Card>
  );
}
