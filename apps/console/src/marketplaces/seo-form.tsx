import type { Marketplace } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { listIn } from "../lib/list-in";
import { useChangeMarketplace } from "./use-change";

export function SeoForm({ marketplace }: { marketplace: Marketplace }) {
  const { t } = useTranslation();
  const change = useChangeMarketplace(marketplace);
  const before = marketplace.settings.seo ?? {};
  const [seo, setSeo] = useState({
    title: before.title ?? "",
    description: before.description ?? "",
    keywords: before.keywords?.join(", ") ?? "",
    canonical_url: before.canonical_url ?? "",
  });
  const set = (field: keyof typeof seo) => (text: string) => setSeo({ ...seo, [field]: text });
  const save = () =>
    change.mutate({
      settings: {
        // Undefined values are not sent, so their defaults apply.
        seo: {
          ...before,
          title: seo.title || undefined,
          description: seo.description || undefined,
          keywords: listIn(seo.keywords),
          canonical_url: seo.canonical_url || undefined,
        },
      },
    });
  return (
    <Form action={change} onSubmit={save}>
      <TextField
        name="settings.seo.title"
        label={t("marketplaces.seoTitle")}
        value={seo.title}
        onChange={set("title")}
      />
      <TextField
        name="settings.seo.description"
        label={t("fields.description")}
        multiline
        value={seo.description}
        onChange={set("description")}
      />
      <TextField
        name="settings.seo.keywords"
        label={t("marketplaces.keywords")}
        hint={t("common.byCommas")}
        value={seo.keywords}
        onChange={set("keywords")}
      />
      <TextField
        name="settings.seo.canonical_url"
        label={t("marketplaces.canonical")}
        type="url"
        placeholder="https://"
        value={seo.canonical_url}
        onChange={set("canonical_url")}
      />
    </Form>
  );
}
