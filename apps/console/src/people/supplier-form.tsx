import type { NewLegalIdentity, Supplier } from "@souk/client";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { SelectField, SwitchField, TextField } from "../components/field";
import { Form } from "../components/form";
import { useRecordForm } from "../lib/record-form";
import { useSouk } from "../lib/souk";
import { useMay } from "../session/session";

/** The texts of the legal identity, with the keys of their labels. */
const LEGAL = {
  name: "suppliers.legalName",
  address: "suppliers.legalAddress",
  email: "fields.email",
  phone: "fields.phone",
  register_number: "suppliers.registerNumber",
  tax_id: "suppliers.taxId",
} as const;

type LegalField = keyof typeof LEGAL;

const LEGAL_FIELDS = Object.keys(LEGAL) as LegalField[];

const valuesOf = ({ name, status, slug, description, logo, legal }: Supplier) => ({
  ...{ name, status, slug, description, logo: logo ?? "" },
  legal: {
    ...(Object.fromEntries(LEGAL_FIELDS.map((field) => [field, legal[field] ?? ""])) as Record<
      LegalField,
      string
    >),
    self_certified: legal.self_certified ?? false,
  },
});

/** The fields that are not empty. */
function identityOf(legal: ReturnType<typeof valuesOf>["legal"]) {
  const identity: NewLegalIdentity = legal.self_certified ? { self_certified: true } : {};
  for (const field of LEGAL_FIELDS) if (legal[field]) identity[field] = legal[field];
  return identity;
}

/** The profile and the legal identity of a supplier, and whether it sells. */
export function SupplierForm({ supplier, onDone }: { supplier: Supplier; onDone?: () => void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const may = useMay();
  const queries = useQueryClient();
  const store = (read: Supplier) => {
    queries.setQueryData(["suppliers", "one", read.id], read);
    return read;
  };
  const { values, set, form } = useRecordForm({
    record: supplier,
    valuesOf,
    save: async ({ legal, slug, logo, ...changed }, { updated_at }) => {
      const saved = store(
        await souk.suppliers.update(supplier.id, {
          ...changed,
          ...(slug !== undefined && { slug: slug || null }),
          ...(logo !== undefined && { logo: logo || null }),
          ...(legal && { legal: identityOf(legal) }),
          updated_at,
        }),
      );
      await queries.invalidateQueries({ queryKey: ["suppliers"] });
      return saved;
    },
    reread: async () => store(await souk.suppliers.get(supplier.id)),
    onSaved: onDone,
  });
  const { name, status, slug, description, logo, legal } = values;
  const isAdmin = may("suppliers.verify");
  const isSuspended = supplier.status === "suspended";
  const statuses = (["active", "paused", "suspended"] as const).filter(
    (one) => isAdmin || (one === "suspended") === isSuspended,
  );
  return (
    <Form {...form} onCancel={onDone}>
      <TextField
        name="name"
        label={t("fields.name")}
        required
        value={name}
        onChange={(name) => set({ name })}
      />
      <SelectField
        name="status"
        label={t("orders.status")}
        hint={t("suppliers.statusHint")}
        options={statuses.map((value) => ({ value, label: t(`suppliers.statuses.${value}`) }))}
        value={status}
        disabled={statuses.length === 1}
        onChange={(status) => set({ status })}
      />
      <TextField
        name="slug"
        label={t("fields.slug")}
        hint={t("suppliers.slugHint")}
        value={slug}
        onChange={(slug) => set({ slug })}
      />
      <TextField
        name="description"
        label={t("fields.description")}
        multiline
        value={description}
        onChange={(description) => set({ description })}
      />
      <TextField
        name="logo"
        label={t("suppliers.logo")}
        type="url"
        value={logo}
        onChange={(logo) => set({ logo })}
      />
      {LEGAL_FIELDS.map((field) => (
        <TextField
          key={field}
          name={`legal.${field}`}
          label={t(LEGAL[field])}
          multiline={field === "address"}
          value={legal[field]}
          onChange={(text) => set({ legal: { ...legal, [field]: text } })}
        />
      ))}
      <SwitchField
        name="legal.self_certified"
        label={t("suppliers.selfCertified")}
        checked={legal.self_certified}
        onChange={(self_certified) => set({ legal: { ...legal, self_certified } })}
      />
    </Form>
  );
}
