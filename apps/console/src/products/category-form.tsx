import type { Category, NewCategory } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { SelectField, SwitchField, TextField } from "../components/field";
import { Form } from "../components/form";
import { Icon } from "../components/icon";
import { listIn } from "../lib/list-in";
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

/** Creates or changes a category. */
export function CategoryForm({
  category,
  onClose,
}: {
  category: Category | null;
  onClose(): void;
}) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const others = useCategoryOptions().filter(({ value }) => value !== category?.id);
  const [name, setName] = useState(category?.name ?? "");
  const [parent, setParent] = useState(category?.parent_id ?? "");
  const [attributes, setAttributes] = useState<DraftAttribute[]>(
    () =>
      category?.attributes.map((one) => ({
        ...one,
        key: one.name,
        options: one.options.join(", "),
      })) ?? [],
  );
  const record: NewCategory = {
    name,
    parent_id: parent || null,
    attributes: attributes.map(({ key: _, options, ...one }) => ({
      ...one,
      ...(one.type === "select" && { options: listIn(options) }),
    })),
  };
  const save = useMutation({
    mutationFn: () =>
      category ? souk.categories.update(category.id, record) : souk.categories.create(record),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["categories"] });
      toastDone(t("common.saved"));
      onClose();
    },
  });
  const change = (key: string, fields: Partial<DraftAttribute>) =>
    setAttributes((all) => all.map((one) => (one.key === key ? { ...one, ...fields } : one)));
  return (
    <Dialog title={category ? category.name : t("categories.add")} onClose={onClose}>
      <Form action={save} onSubmit={() => save.mutate()} onCancel={onClose}>
        <TextField name="name" label={t("fields.name")} required value={name} onChange={setName} />
        <SelectField
          name="parent_id"
          label={t("categories.parent")}
          options={[{ value: "", label: t("categories.top") }, ...others]}
          value={parent}
          onChange={setParent}
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
                  setAttributes((all) => all.filter(({ key }) => key !== attribute.key))
                }
              >
                {t("common.remove")}
              </Button>
            </div>
          </fieldset>
        ))}
        <Button
          onClick={() =>
            setAttributes((all) => [
              ...all,
              {
                key: crypto.randomUUID(),
                name: "",
                type: "text",
                required: false,
                searchable: true,
                options: "",
              },
            ])
          }
        >
          <Icon name="plus" />
          {t("categories.addAttribute")}
        </Button>
      </Form>
    </Dialog>
  );
}
