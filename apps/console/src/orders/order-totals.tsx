import type { Order } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { Facts } from "../components/facts";
import { useFormat } from "../lib/format";

export function OrderTotals({ order }: { order: Order }) {
  const { t } = useTranslation();
  const format = useFormat();
  const money = (amount: number) => format.money(amount, order.currency);
  return (
    <Card title={t("orders.amounts")}>
      <Facts
        facts={[
          [t("orders.subtotal"), money(order.subtotal_amount)],
          [t("orders.delivery"), money(order.delivery_amount)],
          [t("orders.discount"), order.discount_amount > 0 && money(-order.discount_amount)],
          ...order.tax_lines.map(({ name, rate, tax_amount, note }): [string, string] => [
            note
              ? t("orders.reverseCharge")
              : t(`orders.${order.tax_included ? "taxIncluded" : "tax"}`, {
                  name,
                  rate: format.rate(rate),
                }),
            money(tax_amount),
          ]),
          [t("orders.total"), <strong key="total">{money(order.total_amount)}</strong>],
          [t("orders.refundDue"), order.refund_due > 0 && money(order.refund_due)],
          [t("orders.deliveryMethod"), order.delivery_method],
          [t("orders.paymentMethod"), order.payment_method],
          [
            t("orders.paymentDue"),
            order.payment_due_at_local && format.localTime(order.payment_due_at_local),
          ],
        ]}
      />
    </Card>
  );
}
