import type { OrderContact } from "@souk/client";
import { Field } from "../app/field";
import { t } from "../lib/texts";

interface Props<Known> {
  /** The address of the last order. */
  last: Known | undefined;
  errors: Record<string, string>;
}

export function ContactFields({ last, errors }: Props<OrderContact>) {
  return (
    <fieldset>
      <legend>{t("checkout.contact")}</legend>
      <Field
        label={t("account.email")}
        name="email"
        type="email"
        autocomplete="email"
        required
        defaultValue={last?.email}
        error={errors["contact.email"]}
      />
      <Field
        label={t("account.name")}
        name="name"
        autocomplete="name"
        defaultValue={last?.name}
        error={errors["contact.name"]}
      />
    </fieldset>
  );
}

const FIELDS = {
  street: "street-address",
  postal_code: "postal-code",
  city: "address-level2",
} as const;

export function AddressFields({ last, errors }: Props<Record<string, unknown>>) {
  return (
    <fieldset>
      <legend>{t("checkout.address")}</legend>
      {(Object.keys(FIELDS) as (keyof typeof FIELDS)[]).map((name) => (
        <Field
          key={name}
          label={t(`checkout.${name}`)}
          name={name}
          autocomplete={FIELDS[name]}
          required
          defaultValue={last && String(last[name] ?? "")}
          error={errors[`shipping_address.${name}`]}
        />
      ))}
    </fieldset>
  );
}
