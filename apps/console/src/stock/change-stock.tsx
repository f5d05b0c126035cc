import type { InventoryChange } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";
import { numberFrom, typedNumber } from "../lib/numbers";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";

/** The stock of a product, or of one of its variants. */
export interface Stocked {
  product_id: string;
  variant_id: string | null;
  name: string;
  quantity: number;
  low_stock_threshold: number;
}

const OPERATIONS = ["add", "subtract", "set"] as const;

export function ChangeStock({ stocked, onClose }: { stocked: Stocked; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const [operation, setOperation] = useState<(typeof OPERATIONS)[number]>("add");
  const [quantity, setQuantity] = useState("");
  const [note, setNote] = useState("");
  const [threshold, setThreshold] = useState(typedNumber(stocked.low_stock_threshold));
  const isNewThreshold = threshold !== typedNumber(stocked.low_stock_threshold);
  const variant = stocked.variant_id ? { variant_id: stocked.variant_id } : {};

  async function send(change: InventoryChange) {
    await souk.inventory.change(stocked.product_id, change);
    await Promise.all(
      [["stock"], ["products"]].map((queryKey) => queries.invalidateQueries({ queryKey })),
    );
  }
  const change = useMutation({
    mutationFn: () =>
      send({
        ...variant,
        quantity: numberFrom(quantity) ?? 0,
        operation,
        ...(isNewThreshold && { low_stock_threshold: numberFrom(threshold) ?? 0 }),
        ...(note && { note }),
      }),
    onSuccess: () => {
      toastDone(t("stock.changed", { name: stocked.name }), {
        label: t("common.undo"),
        run: () => undo.mutate(),
      });
      onClose();
    },
  });
  // Orders may have changed the stock meanwhile, so an addition is undone by a subtraction. A set quantity is set back.
  const undo = useMutation({
    mutationFn: () => {
      const back = { add: "subtract", subtract: "add", set: "set" } as const;
      return send({
        ...variant,
        quantity: operation === "set" ? stocked.quantity : (numberFrom(quantity) ?? 0),
        operation: back[operation],
        ...(isNewThreshold && { low_stock_threshold: stocked.low_stock_threshold }),
        note: t("stock.undone"),
      });
    },
  });
  return (
    <Dialog title={t("stock.change")} lead={stocked.name} onClose={onClose}>
      <Form action={change} onSubmit={() => change.mutate()} onCancel={onClose}>
        <div className="field-row">
          <SelectField
            name="operation"
            label={t("stock.operation")}
            options={OPERATIONS.map((value) => ({ value, label: t(`stock.operations.${value}`) }))}
            value={operation}
            onChange={setOperation}
          />
          <TextField
            name="quantity"
            label={t("stock.pieces")}
            inputMode="numeric"
            required
            autoFocus
            value={quantity}
            onChange={setQuantity}
          />
        </div>
        <TextField name="note" label={t("fields.note")} value={note} onChange={setNote} />
        <TextField
          name="low_stock_threshold"
          label={t("stock.threshold")}
          hint={t("stock.thresholdHint")}
          inputMode="numeric"
          value={threshold}
          onChange={setThreshold}
        />
      </Form>
    </Dialog>
  );
}
