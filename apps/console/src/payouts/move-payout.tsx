import type { Payout, SoukClient } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { toastDone } from "../lib/toasts";
import type { PayoutMove } from "./statuses";
import { usePayoutAction } from "./use-payout-action";

const send = (souk: SoukClient, id: string, move: PayoutMove, text: string) =>
  souk.payouts.update(
    id,
    move === "paid" ? { status: move, reference: text } : { status: move, reason: text },
  );

/** Marks a payout as paid, with the reference of the transfer, or as failed or reversed, with the reason. */
export function MovePayout({
  payout,
  move,
  onClose,
}: {
  payout: Payout;
  move: PayoutMove;
  onClose(): void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const action = usePayoutAction(
    (souk) => send(souk, payout.id, move, text),
    () => {
      toastDone(t("common.saved"));
      onClose();
    },
  );
  const isPaid = move === "paid";
  return (
    <Dialog
      title={t(`payouts.moveTitles.${move}`)}
      lead={t(`payouts.moveHints.${move}`)}
      onClose={onClose}
    >
      <Form action={action} onSubmit={() => action.mutate()} danger={!isPaid} onCancel={onClose}>
        <TextField
          name={isPaid ? "reference" : "reason"}
          label={t(isPaid ? "fields.reference" : "fields.reason")}
          hint={t(isPaid ? "payouts.referenceHint" : "payouts.supplierReads")}
          multiline={!isPaid}
          required
          value={text}
          onChange={setText}
        />
      </Form>
    </Dialog>
  );
}
