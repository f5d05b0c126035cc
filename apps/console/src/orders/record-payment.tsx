import type { Order } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { numberFrom, typedNumber } from "../lib/numbers";
import { ReportPayment } from "./report-payment";

/** Records the payment of an order. */
export function RecordPayment({ order, onClose }: { order: Order; onClose(): void }) {
  const { t } = useTranslation();
  const [amount, setAmount] = useState(typedNumber(order.owed_amount));
  return (
    <ReportPayment
      order={order}
      title={t("orders.recordPayment")}
      report={{ status: "paid", amount: numberFrom(amount) ?? 0 }}
      onClose={onClose}
    >
      <TextField
        name="amount"
        label={t("orders.amountIn", { currency: order.currency })}
        inputMode="decimal"
        required
        value={amount}
        onChange={setAmount}
      />
    </ReportPayment>
  );
}
