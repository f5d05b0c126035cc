import type { Marketplace } from "@souk/client";
import { useTranslation } from "react-i18next";
import { SelectField, SwitchField, TextField } from "../components/field";
import { Form } from "../components/form";
import { useCountryOptions } from "../lib/countries";
import { listIn } from "../lib/list-in";
import { numberFrom, typedNumber } from "../lib/numbers";
import { type MarketplaceEditing, useMarketplaceForm } from "./use-change";

const NUMBERS = [
  "commission_percent",
  "payment_deadline_minutes",
  "checkout_minutes",
  "delivered_after_days",
  "return_days",
  "payout_delay_days",
  "max_unpaid_orders",
  "max_unpaid_pieces",
] as const;
/** The switches, with their defaults. */
const SWITCHES = {
  guest_checkout: true,
  ship_unpaid: true,
  require_safety: false,
  commission_on_delivery: false,
} as const;
const SWITCH_NAMES = [
  "guest_checkout",
  "ship_unpaid",
  "commission_on_delivery",
  "require_safety",
] as const;

type Numbers = Record<(typeof NUMBERS)[number], string>;
type Switches = Record<(typeof SWITCH_NAMES)[number], boolean>;
type Business = Numbers &
  Switches & {
    payment_methods: string;
    payment_instructions: string;
    payment_capture: "automatic" | "manual";
    reply_to: string;
    country: string;
  };

const typedOr = (value: number | undefined) => (value === undefined ? "" : typedNumber(value));

const valuesOf = ({ settings: { business = {} } }: Marketplace): Business => ({
  ...(Object.fromEntries(NUMBERS.map((name) => [name, typedOr(business[name])])) as Numbers),
  ...(Object.fromEntries(
    SWITCH_NAMES.map((name) => [name, business[name] ?? SWITCHES[name]]),
  ) as Switches),
  payment_methods: business.payment_methods?.join(", ") ?? "",
  payment_instructions: business.payment_instructions ?? "",
  payment_capture: business.payment_capture ?? "automatic",
  reply_to: business.reply_to ?? "",
  country: business.country ?? "",
});

// null removes an empty number, so its default applies.
const changesOf = ({
  payment_methods,
  payment_instructions,
  payment_capture,
  reply_to,
  country,
  ...changed
}: Partial<Business>) => ({
  settings: {
    business: {
      ...Object.fromEntries(
        Object.entries(changed).map(([name, value]) => [
          name,
          typeof value === "string" ? (numberFrom(value) ?? null) : value,
        ]),
      ),
      ...(reply_to !== undefined && { reply_to: reply_to || null }),
      ...(country !== undefined && { country: country || null }),
      ...(payment_methods !== undefined && { payment_methods: listIn(payment_methods) }),
      ...(payment_instructions !== undefined && {
        payment_instructions: payment_instructions || null,
      }),
      ...(payment_capture !== undefined && { payment_capture }),
    },
  },
});

/** Commission, payment and the terms of a marketplace. */
export function BusinessForm({ editing }: { editing: MarketplaceEditing }) {
  const { t } = useTranslation();
  const { values, set, form } = useMarketplaceForm(editing, "business", valuesOf, changesOf);
  const countries = useCountryOptions(values.country);
  return (
    <Form {...form}>
      <div className="field-grid">
        {NUMBERS.map((name) => (
          <TextField
            key={name}
            name={`settings.business.${name}`}
            label={t(`marketplaces.business.${name}`)}
            inputMode="decimal"
            placeholder={t(`marketplaces.defaults.${name}`)}
            value={values[name]}
            onChange={(text) => set({ [name]: text })}
          />
        ))}
      </div>
      <TextField
        name="settings.business.payment_methods"
        label={t("marketplaces.business.payment_methods")}
        hint={t("common.byCommas")}
        value={values.payment_methods}
        onChange={(payment_methods) => set({ payment_methods })}
      />
      <TextField
        name="settings.business.payment_instructions"
        label={t("marketplaces.business.payment_instructions")}
        hint={t("marketplaces.instructionsHint")}
        multiline
        value={values.payment_instructions}
        onChange={(payment_instructions) => set({ payment_instructions })}
      />
      <SelectField
        name="settings.business.payment_capture"
        label={t("marketplaces.business.payment_capture")}
        options={(["automatic", "manual"] as const).map((value) => ({
          value,
          label: t(`marketplaces.captures.${value}`),
        }))}
        value={values.payment_capture}
        onChange={(payment_capture) => set({ payment_capture })}
      />
      <TextField
        name="settings.business.reply_to"
        label={t("marketplaces.business.reply_to")}
        type="email"
        value={values.reply_to}
        onChange={(reply_to) => set({ reply_to })}
      />
      <SelectField
        name="settings.business.country"
        label={t("marketplaces.business.country")}
        hint={t("marketplaces.countryHint")}
        options={[{ value: "", label: t("marketplaces.noCountry") }, ...countries]}
        value={values.country}
        onChange={(chosen) => set({ country: chosen })}
      />
      {SWITCH_NAMES.map((name) => (
        <SwitchField
          key={name}
          name={`settings.business.${name}`}
          label={t(`marketplaces.business.${name}`)}
          checked={values[name]}
          onChange={(checked) => set({ [name]: checked })}
        />
      ))}
    </Form>
  );
}
