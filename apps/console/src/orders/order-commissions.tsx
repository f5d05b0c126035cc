import type { Order } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { Facts } from "../components/facts";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";

/** The earnings of an order's suppliers, and the marketplace's share. */
export function OrderCommissions({ order }: { order: Order }) {
  const { t } = useTranslation();
  const format = useFormat();
  const suppliers = useSuppliers();
  if (order.commissions.length === 0) return null;
  const money = (amount: number) => format.money(amount, order.currency);
  return (
    <Card title={t("orders.commissions")}>
      {order.commissions.map((line) => (
        <Facts
          key={line.supplier_id}
          facts={[
            [t("fields.supplier"), nameIn(suppliers.data, line.supplier_id)],
            [t("commissions.commission"), money(line.commission_amount)],
            [t("commissions.refunds"), line.refunded_amount > 0 && money(line.refunded_amount)],
            [t("commissions.payout"), money(line.payout_amount)],
          ]}
        />
      ))}
    </Card>
  );
}
