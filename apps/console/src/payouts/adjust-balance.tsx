import type { LedgerBalance } from "@souk/client";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";
import { nameIn, useMarketplaces, useSuppliers } from "../lib/names";
import { numberFrom } from "../lib/numbers";
import { toastDone } from "../lib/toasts";
import { OrderField } from "./order-field";
import { SupplierField } from "./supplier-field";
import { usePayoutAction } from "./use-payout-action";

/** Adds an amount to the balance of a supplier, or takes it off. */
export function AdjustBalance({
  supplier = "",
  balances,
  onClose,
}: {
  supplier?: string;
  balances: readonly LedgerBalance[];
  onClose(): void;
}) {
  const { t } = useTranslation();
  const suppliers = useSuppliers();
  const marketplaces = useMarketplaces();
  const [supplierId, setSupplierId] = useState(supplier);
  const [orderId, setOrderId] = useState("");
  const [amount, setAmount] = useState("");
  const [chosen, setChosen] = useState("");
  const [reason, setReason] = useState("");
  // Those of the supplier's balances first.
  const currencies = [
    ...new Set(
      [
        ...balances.filter(({ supplier_id }) => supplier_id === supplierId),
        ...(marketplaces.data ?? []),
      ].map((one) => one.currency),
    ),
  ];
  const currency = chosen || (currencies[0] ?? "");
  const keyOf = useKeys();
  const adjust = usePayoutAction(
    (souk) => {
      const adjustment = {
        // A text that is no number is refused by its field.
        amount: numberFrom(amount) ?? 0,
        currency,
        reason,
        ...(orderId && { order_id: orderId }),
      };
      const idempotencyKey = keyOf([supplierId, adjustment]);
      return souk.adjustments.create(supplierId, adjustment, { idempotencyKey });
    },
    () => {
      toastDone(t("payouts.adjusted", { name: nameIn(suppliers.data, supplierId) }));
      onClose();
    },
  );
  return (
    <Dialog title={t("payouts.adjust")} lead={t("payouts.adjustHint")} onClose={onClose}>
      <Form action={adjust} onSubmit={() => adjust.mutate()} onCancel={onClose}>
        <SupplierField
          value={supplierId}
          onChange={(id) => {
            setSupplierId(id);
            setOrderId("");
          }}
        />
        <div className="field-row">
          <TextField
            name="amount"
            label={t("payouts.amount")}
            hint={t("payouts.amountHint")}
            inputMode="decimal"
            required
            value={amount}
            onChange={setAmount}
          />
          <SelectField
            name="currency"
            label={t("fields.currency")}
            options={currencies.map((value) => ({ value, label: value }))}
            value={currency}
            onChange={setChosen}
          />
        </div>
        <TextField
          name="reason"
          label={t("fields.reason")}
          hint={t("payouts.supplierReads")}
          multiline
          required
          value={reason}
          onChange={setReason}
        />
        <OrderField
          key={supplierId}
          supplier={supplierId}
          none={t("payouts.noOrder")}
          value={orderId}
          onChange={setOrderId}
        />
      </Form>
    </Dialog>
  );
}

/** One idempotency key for each content: after a lost answer, sending the same again does not adjust twice. */
function useKeys() {
  const keys = useRef(new Map<string, string>());
  return (content: unknown) => {
    const text = JSON.stringify(content);
    const key = keys.current.get(text) ?? crypto.randomUUID();
    keys.current.set(text, key);
    return key;
  };
}
