import type { Marketplace } from "@souk/client";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { listIn } from "../lib/list-in";
import { type MarketplaceEditing, useMarketplaceForm } from "./use-change";

const valuesOf = ({ settings: { seo = {} } }: Marketplace) => ({
  title: seo.title ?? "",
  description: seo.description ?? "",
  keywords: seo.keywords?.join(", ") ?? "",
  canonical_url: seo.canonical_url ?? "",
});

// null removes an empty field, so its default applies.
const changesOf = ({ keywords, ...texts }: Partial<ReturnType<typeof valuesOf>>) => ({
  settings: {
    seo: {
      ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text || null])),
      ...(keywords !== undefined && { keywords: listIn(keywords) }),
    },
  },
});

export function SeoForm({ editing }: { editing: MarketplaceEditing }) {
  const { t } = useTranslation();
  const { values, set, form } = useMarketplaceForm(editing, "seo", valuesOf, changesOf);
  return (
    <Form {...form}>
      <TextField
        name="settings.seo.title"
        label={t("marketplaces.seoTitle")}
        value={values.title}
        onChange={(title) => set({ title })}
      />
      <TextField
        name="settings.seo.description"
        label={t("fields.description")}
        multiline
        value={values.description}
        onChange={(description) => set({ description })}
      />
      <TextField
        name="settings.seo.keywords"
        label={t("marketplaces.keywords")}
        hint={t("common.byCommas")}
        value={values.keywords}
        onChange={(keywords) => set({ keywords })}
      />
      <TextField
        name="settings.seo.canonical_url"
        label={t("marketplaces.canonical")}
        type="url"
        placeholder="https://"
        value={values.canonical_url}
        onChange={(canonical_url) => set({ canonical_url })}
      />
    </Form>
  );
}
