import type { PayoutHold } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { nameIn, useSuppliers } from "../lib/names";
import { toastDone } from "../lib/toasts";
import { OrderField } from "./order-field";
import { SupplierField } from "./supplier-field";
import { usePayoutAction } from "./use-payout-action";

/** Holds what is due to a supplier, or what is due of one of its orders. */
export function HoldPayouts({ supplier = "", onClose }: { supplier?: string; onClose(): void }) {
  const { t } = useTranslation();
  const suppliers = useSuppliers();
  const [supplierId, setSupplierId] = useState(supplier);
  const [orderId, setOrderId] = useState("");
  const [reason, setReason] = useState("");
  const hold = usePayoutAction(
    (souk) =>
      souk.payoutHolds.create({
        supplier_id: supplierId,
        reason,
        ...(orderId && { order_id: orderId }),
      }),
    () => {
      toastDone(t("payouts.isHeld", { name: nameIn(suppliers.data, supplierId) }));
      onClose();
    },
  );
  return (
    <Dialog title={t("payouts.hold")} lead={t("payouts.holdHint")} onClose={onClose}>
      <Form
        action={hold}
        onSubmit={() => hold.mutate()}
        submit={t("payouts.hold")}
        onCancel={onClose}
      >
        <SupplierField
          value={supplierId}
          onChange={(id) => {
            setSupplierId(id);
            setOrderId("");
          }}
        />
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
          none={t("payouts.allOrders")}
          value={orderId}
          onChange={setOrderId}
        />
      </Form>
    </Dialog>
  );
}

/** Releases a hold. */
export function ReleaseHold({ hold, onClose }: { hold: PayoutHold; onClose(): void }) {
  const { t } = useTranslation();
  const suppliers = useSuppliers();
  const name = nameIn(suppliers.data, hold.supplier_id);
  const release = usePayoutAction(
    (souk) => souk.payoutHolds.remove(hold.id),
    () => {
      toastDone(t("payouts.released", { name }));
      onClose();
    },
  );
  return (
    <Dialog title={t("payouts.release")} onClose={onClose}>
      <Form
        action={release}
        onSubmit={() => release.mutate()}
        submit={t("payouts.release")}
        onCancel={onClose}
      >
        <p>{t(hold.order_id ? "payouts.releaseOrderHint" : "payouts.releaseHint", { name })}</p>
      </Form>
    </Dialog>
  );
}
