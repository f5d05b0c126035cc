import type { Category } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { SelectField, SwitchField, TextField } from "../components/field";
import { Form } from "../components/form";
import { Icon } from "../components/icon";
import { listIn } from "../lib/list-in";
import { useRecordForm } from "../lib/record-form";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";
import { useCategoryOptions } from "./category-options";

const TYPES = ["text", "number", "boolean", "select"] as const;

interface DraftAttribute {
  key: string;
  name: string;
  type: (typeof TYPES)[number];
  required: boolean;
  searchable: boolean;
  /** The options, separated by commas. */
  options: string;
}

interface Values {
  name: string;
  /** Empty for the top level. */
  parent_id: string;
  attributes: DraftAttribute[];
}

const valuesOf = ({ name, parent_id, attributes }: Category): Values => ({
  name,
  parent_id: parent_id ?? "",
  attributes: attributes.map((one) => ({
    ...one,
    key: one.name,
    options: one.options.join(", "),
  })),
});

const newAttribute = (): DraftAttribute => ({
  key: crypto.randomUUID(),
  name: "",
  type: "text",
  required: false,
  searchable: true,
  options: "",
});

const attributeOf = ({ key: _, options, ...one }: DraftAttribute) => ({
  ...one,
  ...(one.type === "select" && { options: listIn(options) }),
});

/** The fields to send of the values that were changed. */
const changesOf = ({ name, parent_id, attributes }: Partial<Values>) => ({
  ...(name !== undefined && { name }),
  ...(parent_id !== undefined && { parent_id: parent_id || null }),
  ...(attributes && { attributes: attributes.map(attributeOf) }),
});

export function NewCategory({ onClose }: { onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const [values, setValues] = useState<Values>({ name: "", parent_id: "", attributes: [] });
  const create = useMutation({
    mutationFn: () => souk.categories.create({ ...changesOf(values), name: values.name }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["categories"] });
      toastDone(t("common.saved"));
      onClose();
    },
  });
  return (
    <Dialog title={t("categories.add")} onClose={onClose}>
      <Form action={create} onSubmit={() => create.mutate()} onCancel={onClose}>
        <CategoryFields
          values={values}
          set={(fields) => setValues((before) => ({ ...before, ...fields }))}
        />
      </Form>
    </Dialog>
  );
}

export function EditCategory({ category, onClose }: { category: Category; onClose(): void }) {
  const souk = useSouk();
  const queries = useQueryClient();
  const { values, set, form } = useRecordForm<Category, Values>({
    record: category,
    valuesOf,
    save: async (changed, { id, updated_at }) => {
      const saved = await souk.categories.update(id, { ...changesOf(changed), updated_at });
      await queries.invalidateQueries({ queryKey: ["categories"] });
      return saved;
    },
    reread: () => souk.categories.get(category.id),
    onSaved: onClose,
  });
  return (
    <Dialog title={category.name} onClose={onClose}>
      <Form {...form} onCancel={onClose}>
        <CategoryFields values={values} set={set} own={category.id} />
      </Form>
    </Dialog>
  );
}

function CategoryFields({
  values,
  set,
  own,
}: {
  values: Values;
  set(fields: Partial<Values>): void;
  /** The id of the category, which cannot be below itself. */
  own?: string;
}) {
  const { t } = useTranslation();
  const others = useCategoryOptions().filter(({ value }) => value !== own);
  const { attributes } = values;
  const change = (key: string, fields: Partial<DraftAttribute>) =>
    set({ attributes: attributes.map((one) => (one.key === key ? { ...one, ...fields } : one)) });
  return (
    <>
      <TextField
        name="name"
        label={t("fields.name")}
        required
        value={values.name}
        onChange={(name) => set({ name })}
      />
      <SelectField
        name="parent_id"
        label={t("categories.parent")}
        options={[{ value: "", label: t("categories.top") }, ...others]}
        value={values.parent_id}
        onChange={(parent_id) => set({ parent_id })}
      />
      <h3>{t("categories.attributes")}</h3>
      <p className="muted">{t("categories.attributesHint")}</p>
      {attributes.map((attribute, place) => (
        <fieldset key={attribute.key} className="attribute">
          <legend className="hidden">{attribute.name}</legend>
          <div className="field-row">
            <TextField
              name={`attributes[${place}].name`}
              label={t("fields.name")}
              required
              value={attribute.name}
              onChange={(value) => change(attribute.key, { name: value })}
            />
            <SelectField
              name={`attributes[${place}].type`}
              label={t("categories.type")}
              options={TYPES.map((value) => ({ value, label: t(`categories.types.${value}`) }))}
              value={attribute.type}
              onChange={(type) => change(attribute.key, { type })}
            />
          </div>
          {attribute.type === "select" && (
            <TextField
              name={`attributes[${place}].options`}
              label={t("categories.options")}
              hint={t("common.byCommas")}
              value={attribute.options}
              onChange={(options) => change(attribute.key, { options })}
            />
          )}
          <div className="switches">
            <SwitchField
              name={`attributes[${place}].required`}
              label={t("categories.required")}
              checked={attribute.required}
              onChange={(required) => change(attribute.key, { required })}
            />
            <SwitchField
              name={`attributes[${place}].searchable`}
              label={t("categories.searchable")}
              checked={attribute.searchable}
              onChange={(searchable) => change(attribute.key, { searchable })}
            />
            <Button
              variant="quiet"
              onClick={() =>
                set({ attributes: attributes.filter(({ key }) => key !== attribute.key) })
              }
            >
              {t("common.remove")}
            </Button>
          </div>
        </fieldset>
      ))}
      <Button onClick={() => set({ attributes: [...attributes, newAttribute()] })}>
        <Icon name="plus" />
        {t("categories.addAttribute")}
      </Button>
    </>
  );
}
