import type { Order, ReturnRequest } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useOrderAction } from "./use-order-action";

interface AnswerReturnProps {
  order: Order;
  request: ReturnRequest;
  answer: "approve" | "reject" | "cancel";
  onClose(): void;
}

/** Answers a return request, with a note for the customer. */
export function AnswerReturn({ order, request, answer, onClose }: AnswerReturnProps) {
  const { t } = useTranslation();
  const [note, setNote] = useState("");
  const send = useOrderAction(
    (souk) => souk.returns[answer](order.id, request.id, note ? { note } : {}),
    { onDone: onClose },
  );
  return (
    <Dialog title={t(`orders.answerTitles.${answer}`)} onClose={onClose}>
      <Form
        action={send}
        onSubmit={() => send.mutate()}
        submit={t(`orders.answerTitles.${answer}`)}
        danger={answer !== "approve"}
        onCancel={onClose}
      >
        <TextField
          name="note"
          label={t("fields.note")}
          hint={t("orders.answerNoteHint")}
          multiline
          value={note}
          onChange={setNote}
        />
      </Form>
    </Dialog>
  );
}
