import type {
  Address,
  Country,
  CountryField,
  DeliveryMethod,
  Order,
  OrderContact,
} from "@souk/client";
import { useState } from "preact/hooks";
import type { CartItem } from "../../shop/cart/cart";
import { useShop } from "../../shop/shop";
import { Field } from "../../ui/field";
import { money, t } from "../../ui/texts";
import { deliveryAmount, deliveryCosts } from "./delivery";

interface Props<Known> {
  /** What the last order had. */
  last: Known | undefined;
  /** The paths of refused fields. */
  refused: readonly string[];
}

export function ContactFields({ last, refused }: Props<OrderContact>) {
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
        refused={refused.includes("contact.email")}
      />
      <Field
        label={t("account.name")}
        name="name"
        autocomplete="name"
        defaultValue={last?.name}
        refused={refused.includes("contact.name")}
      />
    </fieldset>
  );
}

/** The fields of an address by their name for autocompletion. */
export const ADDRESS = {
  company: "organization",
  country: "country",
  street: "street-address",
  postal_code: "postal-code",
  city: "address-level2",
  region: "address-level1",
} as const;

export type AddressOf = "shipping_address" | "billing_address";

/** The name of a field in the form. */
export const fieldOf = (of: AddressOf, name: string) =>
  of === "billing_address" ? `billing_${name}` : name;

/** The fields that an address in the chosen country has. Without a country, those that every order needs. */
export function AddressFields({
  of,
  last,
  refused,
  countries,
}: Props<Address> & { of: AddressOf; countries: readonly Country[] }) {
  const { marketplace } = useShop();
  const [code, setCode] = useState(last?.country ?? marketplace.country ?? "");
  const country = countries.find((one) => one.code === code);
  const labels: Country["labels"] = country?.labels ?? {
    street: t("checkout.street"),
    postal_code: t("checkout.postal_code"),
    city: t("checkout.city"),
  };
  const required: CountryField[] = country?.required ?? ["street", "city"];
  const propsOf = (name: keyof typeof ADDRESS) => ({
    name: fieldOf(of, name),
    autocomplete: `${of.split("_")[0]} ${ADDRESS[name]}`,
    refused: refused.includes(`${of}.${name}`),
  });
  return (
    <fieldset>
      <legend>{t(`checkout.${of}`)}</legend>
      <Field
        {...propsOf("company")}
        label={t("checkout.optional", { field: t("checkout.company") })}
        defaultValue={last?.company}
      />
      <Field
        {...propsOf("country")}
        as="select"
        label={t("checkout.country")}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      >
        {!marketplace.country && <option value="">{t("checkout.noCountry")}</option>}
        {countries.map((one) => (
          <option key={one.code} value={one.code}>
            {one.name}
          </option>
        ))}
      </Field>
      {(Object.keys(labels) as CountryField[]).map((name) => {
        const isRequired = required.includes(name);
        const label = labels[name] ?? name;
        return (
          <Field
            {...propsOf(name)}
            key={name}
            // A street has up to three lines.
            as={name === "street" ? "textarea" : "input"}
            label={isRequired ? label : t("checkout.optional", { field: label })}
            required={isRequired}
            placeholder={(name === "postal_code" && country?.postal_code_example) || undefined}
            defaultValue={last?.[name]}
          />
        );
      })}
    </fieldset>
  );
}

/** The tax number, and the address of the invoice if it is another one. */
export function BillingFields({
  last,
  refused,
  countries,
}: Props<Order> & { countries: readonly Country[] }) {
  const { billing_address: address, shipping_address, tax_id } = last ?? {};
  const [isOther, setOther] = useState(
    JSON.stringify(address) !== JSON.stringify(shipping_address),
  );
  return (
    <>
      <fieldset>
        <legend>{t("checkout.invoice")}</legend>
        <Field
          label={t("checkout.optional", { field: t("seller.tax_id") })}
          name="tax_id"
          defaultValue={tax_id ?? undefined}
          refused={refused.includes("tax_id")}
        />
        <label class="choice">
          <input
            type="checkbox"
            name="other_address"
            checked={isOther}
            onChange={(event) => setOther(event.currentTarget.checked)}
          />
          {t("checkout.otherAddress")}
        </label>
      </fieldset>
      {isOther && (
        <AddressFields
          of="billing_address"
          last={address ?? undefined}
          refused={refused}
          countries={countries}
        />
      )}
    </>
  );
}

export function DeliveryChoice({
  methods,
  chosen,
  items,
  onChoose,
}: {
  methods: readonly DeliveryMethod[];
  chosen: DeliveryMethod | undefined;
  items: readonly CartItem[];
  onChoose(key: string): void;
}) {
  const { currency } = useShop().marketplace;
  if (methods.length === 0) return null;
  return (
    <fieldset>
      <legend>{t("checkout.delivery")}</legend>
      {methods.map((method) => {
        const costs = deliveryCosts(items, method, currency);
        const amount = deliveryAmount(costs, currency);
        return (
          <label key={method.key} class="choice">
            <input
              type="radio"
              name="delivery"
              checked={method === chosen}
              onChange={() => onChoose(method.key)}
            />
            <bdi>{method.name}</bdi>
            <span class="muted">
              {amount === 0 ? t("checkout.free") : money(amount, currency)}{" "}
              {costs.length > 1 && t("checkout.parcels", { count: costs.length })}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

export function PaymentChoice({ methods }: { methods: readonly string[] }) {
  if (methods.length === 0) return null;
  return (
    <fieldset>
      <legend>{t("checkout.payment")}</legend>
      {methods.map((method, i) => (
        <label key={method} class="choice">
          <input type="radio" name="payment" value={method} defaultChecked={i === 0} />
          {nameOf(method)}
        </label>
      ))}
    </fieldset>
  );
}

/** The name of a method. Shops may use any names; common ones are translated. */
function nameOf(method: string): string {
  if (method === "card") return t("payment.card");
  return method === "invoice" ? t("payment.invoice") : method;
}
