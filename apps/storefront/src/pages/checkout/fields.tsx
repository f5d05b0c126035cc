import type { Address, Checkout, Country, CountryField, DeliveryOption, Order } from "@souk/client";
import { useState } from "preact/hooks";
import { useShop } from "../../shop/shop";
import { EmailField, Field } from "../../ui/field";
import { findText, money, t } from "../../ui/texts";

interface Props<Known> {
  /** What the last order had. */
  last: Known | undefined;
  /** The paths of refused fields. */
  refused: readonly string[];
}
type AddressProps<Known> = Props<Known> & { countries: readonly Country[] };

export function ContactFields({ last, refused }: Props<NonNullable<Order["contact"]>>) {
  return (
    <fieldset>
      <legend>{t("checkout.contact")}</legend>
      <EmailField
        name="contact.email"
        defaultValue={last?.email}
        refused={refused.includes("contact.email")}
      />
      <Field
        label={t("account.name")}
        name="contact.name"
        autocomplete="name"
        defaultValue={last?.name}
        refused={refused.includes("contact.name")}
      />
    </fieldset>
  );
}

/** The fields of an address by their name for autocompletion. */
const ADDRESS = {
  company: "organization",
  country: "country",
  street: "street-address",
  postal_code: "postal-code",
  city: "address-level2",
  region: "address-level1",
} as const;

/** The fields that an address in the chosen country has. Without a country, those that every order needs. */
export function AddressFields(
  props: AddressProps<Address> & { of: "shipping_address" | "billing_address" },
) {
  const { of, last, refused, countries } = props;
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
    name: `${of}.${name}`,
    autocomplete: `${of.split("_")[0]} ${ADDRESS[name]}`,
    refused: refused.includes(`${of}.${name}`),
  });
  return (
    <fieldset>
      <legend>{t(`checkout.${of}`)}</legend>
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
      {(["company", ...Object.keys(labels)] as (CountryField | "company")[]).map((name) => {
        const isRequired = name !== "company" && required.includes(name);
        const label = name === "company" ? t("checkout.company") : (labels[name] ?? name);
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
export function BillingFields({ last, ...fields }: AddressProps<Order>) {
  const { billing_address: bill, shipping_address: goods, tax_id } = last ?? {};
  const [isOther, setOther] = useState(JSON.stringify(bill) !== JSON.stringify(goods));
  return (
    <>
      <fieldset>
        <legend>{t("checkout.invoice")}</legend>
        <Field
          label={t("checkout.optional", { field: t("seller.tax_id") })}
          name="tax_id"
          defaultValue={tax_id ?? undefined}
          refused={fields.refused.includes("tax_id")}
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
      {isOther && <AddressFields of="billing_address" last={bill ?? undefined} {...fields} />}
    </>
  );
}

/** The methods that take all items to the address. Those that each seller charges come in several parcels. */
export function DeliveryChoice({
  quote: { delivery_options: deliveries, currency },
  chosen,
}: {
  quote: Checkout;
  chosen: DeliveryOption | undefined;
}) {
  if (deliveries.length === 0) return null;
  return (
    <fieldset>
      <legend>{t("checkout.delivery")}</legend>
      {deliveries[0]?.options.map((option) => (
        <label key={option.key} class="choice">
          <input
            type="radio"
            name="delivery_method"
            value={option.key}
            checked={option === chosen}
          />
          <bdi>{option.name}</bdi>
          <span class="muted">
            {option.total === 0 ? t("checkout.free") : money(option.total, currency)}{" "}
            {option.per_supplier &&
              deliveries.length > 1 &&
              t("checkout.parcels", { count: deliveries.length })}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** The code of a discount. Enter applies it, and does not order yet. */
export function DiscountCode({ isRefused }: { isRefused: boolean }) {
  return (
    <fieldset>
      <Field
        label={t("checkout.optional", { field: t("checkout.code") })}
        name="discount_codes"
        autocomplete="off"
        maxLength={50}
        refused={isRefused}
        reason={t("error.DISCOUNT_NOT_APPLICABLE")}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          event.currentTarget.dispatchEvent(new Event("change", { bubbles: true }));
        }}
      />
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
          <input type="radio" name="payment_method" value={method} defaultChecked={i === 0} />
          {findText(`method.${method}`) ?? method}
        </label>
      ))}
    </fieldset>
  );
}
