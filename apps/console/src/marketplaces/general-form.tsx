import type { Marketplace } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useChangeMarketplace } from "./use-change";

export function GeneralForm({ marketplace }: { marketplace: Marketplace }) {
  const { t } = useTranslation();
  const change = useChangeMarketplace(marketplace);
  const { name, domain, description, category } = marketplace;
  const [record, setRecord] = useState({ name, domain, description, category });
  const set = (field: keyof typeof record) => (text: string) =>
    setRecord({ ...record, [field]: text });
  return (
    <Form action={change} onSubmit={() => change.mutate(record)}>
      <TextField
        name="name"
        label={t("fields.name")}
        required
        value={record.name}
        onChange={set("name")}
      />
      <TextField
        name="domain"
        label={t("fields.domain")}
        required
        value={record.domain}
        onChange={set("domain")}
      />
      <TextField
        name="category"
        label={t("marketplaces.category")}
        required
        value={record.category}
        onChange={set("category")}
      />
      <TextField
        name="description"
        label={t("fields.description")}
        multiline
        value={record.description}
        onChange={set("description")}
      />
    </Form>
  );
}
