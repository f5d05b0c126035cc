import type { CategoryAttribute } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { SelectField, TextField } from "../components/field";
import { useSouk } from "../lib/souk";
import { attributesOf, type Draft } from "./draft";
import { categoriesQuery, inOrder } from "./queries";

/** The attributes that the product's category defines, and the product's other attributes. */
export function AttributeFields({
  draft,
  onChange,
}: {
  draft: Draft;
  onChange(attributes: Draft["attributes"]): void;
}) {
  const souk = useSouk();
  const tree = useQuery(categoriesQuery(souk)).data?.categories ?? [];
  const placed = inOrder(tree).find(({ category }) => category.id === draft.category_id);
  // If two definitions have the same name, the nearest category's applies.
  const known = new Map(
    (placed ? [...placed.above, placed.category] : [])
      .flatMap(({ attributes }) => attributes)
      .map((attribute) => [attribute.name, attribute]),
  );
  const free = Object.keys(draft.attributes).filter((name) => !known.has(name));
  const sent = attributesOf(draft.attributes);
  const nameOf = (attribute: string) => {
    const place = sent.findIndex(({ name }) => name === attribute);
    return place < 0 ? `attributes.${attribute}` : `attributes[${place}].value`;
  };
  const fields: CategoryAttribute[] = [
    ...known.values(),
    ...free.map((name) => ({
      name,
      type: "text" as const,
      required: false,
      searchable: false,
      options: [],
    })),
  ];
  return fields.map((attribute) => (
    <AttributeField
      key={attribute.name}
      attribute={attribute}
      name={nameOf(attribute.name)}
      value={draft.attributes[attribute.name] ?? ""}
      onChange={(value) => onChange({ ...draft.attributes, [attribute.name]: value })}
    />
  ));
}

function AttributeField({
  attribute,
  ...field
}: {
  attribute: CategoryAttribute;
  name: string;
  value: string;
  onChange(value: string): void;
}) {
  const { t } = useTranslation();
  const { name, type, options, required } = attribute;
  const label = required ? `${name} *` : name;
  if (type === "boolean" || type === "select") {
    const choices =
      type === "select"
        ? options.map((value) => ({ value, label: value }))
        : [
            { value: "true", label: t("common.yes") },
            { value: "false", label: t("common.no") },
          ];
    return (
      <SelectField {...field} label={label} options={[{ value: "", label: "–" }, ...choices]} />
    );
  }
  return (
    <TextField {...field} label={label} inputMode={type === "number" ? "decimal" : undefined} />
  );
}
