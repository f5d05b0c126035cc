import type { LedgerBalance } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";
import { toastDone } from "../lib/toasts";
import { SupplierField } from "./supplier-field";
import { usePayoutAction } from "./use-payout-action";

/** Closes what is due to a supplier. Each currency gets a payout. */
export function PayOut({
  supplier = "",
  balances,
  onClose,
}: {
  supplier?: string;
  balances: readonly LedgerBalance[];
  onClose(): void;
}) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const suppliers = useSuppliers();
  const [supplierId, setSupplierId] = useState(supplier);
  const [until, setUntil] = useState("");
  const name = nameIn(suppliers.data, supplierId);
  const due = balances
    .filter((balance) => balance.supplier_id === supplierId && balance.due > 0)
    .map((balance) => money(balance.due, balance.currency));
  const create = usePayoutAction(
    (souk) => souk.payouts.create({ supplier_id: supplierId, ...(until && { until }) }),
    () => {
      toastDone(t("payouts.created", { name }));
      onClose();
    },
  );
  return (
    <Dialog title={t("payouts.create")} lead={t("payouts.createHint")} onClose={onClose}>
      <Form
        action={create}
        onSubmit={() => create.mutate()}
        submit={t("payouts.create")}
        onCancel={onClose}
      >
        <SupplierField
          // Until an earlier day, less may be due.
          hint={
            due.length > 0 && !until ? t("payouts.dueNow", { amount: due.join(" + ") }) : undefined
          }
          value={supplierId}
          onChange={setSupplierId}
        />
        <TextField
          name="until"
          label={t("payouts.until")}
          hint={t("payouts.untilHint")}
          type="date"
          value={until}
          onChange={setUntil}
        />
      </Form>
    </Dialog>
  );
}
