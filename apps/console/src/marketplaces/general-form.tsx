import type { Marketplace } from "@souk/client";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { type MarketplaceEditing, useMarketplaceForm } from "./use-change";

const valuesOf = ({ name, domain, category, description }: Marketplace) => ({
  name,
  domain,
  category,
  description,
});

export function GeneralForm({ editing }: { editing: MarketplaceEditing }) {
  const { t } = useTranslation();
  const { values, set, form } = useMarketplaceForm(
    editing,
    "general",
    valuesOf,
    (changed) => changed,
  );
  return (
    <Form {...form}>
      <TextField
        name="name"
        label={t("fields.name")}
        required
        value={values.name}
        onChange={(name) => set({ name })}
      />
      <TextField
        name="domain"
        label={t("fields.domain")}
        required
        value={values.domain}
        onChange={(domain) => set({ domain })}
      />
      <TextField
        name="category"
        label={t("marketplaces.category")}
        required
        value={values.category}
        onChange={(category) => set({ category })}
      />
      <TextField
        name="description"
        label={t("fields.description")}
        multiline
        value={values.description}
        onChange={(description) => set({ description })}
      />
    </Form>
  );
}
