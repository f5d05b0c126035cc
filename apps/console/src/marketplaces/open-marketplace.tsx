import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";

/** The names of languages and currencies come from the browser, in the language of the page. */
const SUGGESTED_LANGUAGES = [
  "ar",
  "de",
  "en",
  "es",
  "fr",
  "it",
  "ja",
  "nl",
  "pl",
  "pt",
  "tr",
  "zh",
];

export function OpenMarketplace({ onClose }: { onClose(): void }) {
  const { t, i18n } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [record, setRecord] = useState({
    name: "",
    domain: "",
    category: "",
    currency: "EUR",
    language: i18n.language,
  });
  const set = (field: keyof typeof record) => (text: string) =>
    setRecord({ ...record, [field]: text });
  const open = useMutation({
    mutationFn: () => souk.marketplaces.create(record),
    onSuccess: async ({ id, name }) => {
      await queries.invalidateQueries({ queryKey: ["marketplaces"] });
      toastDone(t("marketplaces.opened", { name }));
      await navigate({ to: "/marketplaces/$marketplaceId", params: { marketplaceId: id } });
    },
  });
  const namesOf = (type: "currency" | "language") => new Intl.DisplayNames(i18n.language, { type });
  return (
    <Dialog title={t("marketplaces.open")} lead={t("marketplaces.openHint")} onClose={onClose}>
      <Form
        action={open}
        onSubmit={() => open.mutate()}
        submit={t("marketplaces.open")}
        onCancel={onClose}
      >
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
          placeholder="shop.example.com"
          required
          value={record.domain}
          onChange={set("domain")}
        />
        <TextField
          name="category"
          label={t("marketplaces.category")}
          hint={t("marketplaces.categoryHint")}
          required
          value={record.category}
          onChange={set("category")}
        />
        <div className="field-row">
          <SelectField
            name="currency"
            label={t("fields.currency")}
            options={Intl.supportedValuesOf("currency").map((value) => ({
              value,
              label: `${value} · ${namesOf("currency").of(value)}`,
            }))}
            value={record.currency}
            onChange={set("currency")}
          />
          <SelectField
            name="language"
            label={t("session.language")}
            options={SUGGESTED_LANGUAGES.map((value) => ({
              value,
              label: namesOf("language").of(value) ?? value,
            }))}
            value={record.language}
            onChange={set("language")}
          />
        </div>
      </Form>
    </Dialog>
  );
}
