import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";

/** What waits for an admin, and the answer that is given. */
export interface Decision {
  about: "application" | "product";
  id: string;
  name: string;
  answer: "approve" | "reject";
}

/** Approves or rejects an application or a product, with a reason for its supplier. */
export function Decide({ decision, onClose }: { decision: Decision; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const { about, id, name, answer } = decision;
  const decide = useMutation<unknown, Error>({
    mutationFn: () => {
      const body = reason ? { reason } : {};
      return about === "application"
        ? souk.supplierApplications[answer](id, body)
        : souk.products[answer](id, body);
    },
    onSuccess: async () => {
      toastDone(t(`reviews.done.${answer}`, { name }));
      onClose();
      await queries.invalidateQueries();
    },
  });
  return (
    <Dialog
      title={t(`reviews.${answer}`)}
      lead={t(`reviews.hints.${about}.${answer}`, { name })}
      onClose={onClose}
    >
      <Form
        action={decide}
        onSubmit={() => decide.mutate()}
        submit={t(`reviews.${answer}`)}
        danger={answer === "reject"}
        onCancel={onClose}
      >
        <TextField
          name="reason"
          label={t("fields.reason")}
          hint={t("reviews.reasonHint")}
          multiline
          value={reason}
          onChange={setReason}
        />
      </Form>
    </Dialog>
  );
}
