import type { NoteVisibility, Order } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { Card } from "../components/card";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";
import { useFormat } from "../lib/format";
import { useOrderAction } from "./use-order-action";

export function OrderNotes({ order }: { order: Order }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [text, setText] = useState("");
  const [visibility, setVisibility] = useState<NoteVisibility>("internal");
  const add = useOrderAction((souk) => souk.orders.addNote(order.id, { text, visibility }), {
    onDone: () => setText(""),
  });
  const options = (["internal", "customer"] as const).map((value) => ({
    value,
    label: t(`orders.noteFor.${value}`),
  }));
  return (
    <Card title={t("orders.notes")}>
      <ul className="notes">
        {order.notes.map((note) => (
          <li key={note.id}>
            <p>{note.text}</p>
            <span className="muted">
              {format.localTime(note.created_at_local)}{" "}
              {note.visibility === "customer" && (
                <Badge tone="info">{t("orders.noteFor.customer")}</Badge>
              )}
            </span>
          </li>
        ))}
      </ul>
      <Form action={add} onSubmit={() => add.mutate()} submit={t("orders.addNote")}>
        <TextField
          name="text"
          label={t("orders.note")}
          multiline
          required
          value={text}
          onChange={setText}
        />
        <SelectField
          name="visibility"
          label={t("orders.noteVisibility")}
          options={options}
          value={visibility}
          onChange={setVisibility}
        />
      </Form>
    </Card>
  );
}
