import type { Marketplace } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { SwitchField, TextField } from "../components/field";
import { Form } from "../components/form";
import { listIn } from "../lib/list-in";
import { numberFrom, typedNumber } from "../lib/numbers";
import { useChangeBusiness } from "./use-change";

const NUMBERS = [
  "commission_percent",
  "payment_deadline_minutes",
  "delivered_after_days",
  "return_days",
  "max_unpaid_orders",
  "max_unpaid_pieces",
] as const;
/** The switches, with their defaults. */
const SWITCHES = {
  guest_checkout: true,
  ship_unpaid: true,
  commission_on_delivery: false,
} as const;
const SWITCH_NAMES = ["guest_checkout", "ship_unpaid", "commission_on_delivery"] as const;

const typedOr = (value: number | undefined) => (value === undefined ? "" : typedNumber(value));

/** Commission, payment and the terms of a marketplace. */
export function BusinessForm({ marketplace }: { marketplace: Marketplace }) {
  const { t } = useTranslation();
  const { save, ...action } = useChangeBusiness(marketplace);
  const before = marketplace.settings.business ?? {};
  const [methods, setMethods] = useState(before.payment_methods?.join(", ") ?? "");
  const [numbers, setNumbers] = useState<Record<string, string>>(
    Object.fromEntries(NUMBERS.map((name) => [name, typedOr(before[name])])),
  );
  const [switches, setSwitches] = useState<Record<string, boolean>>(
    Object.fromEntries(SWITCH_NAMES.map((name) => [name, before[name] ?? SWITCHES[name]])),
  );
  return (
    <Form
      action={action}
      onSubmit={() =>
        save({
          ...Object.fromEntries(NUMBERS.map((name) => [name, numberFrom(numbers[name] ?? "")])),
          ...switches,
          payment_methods: listIn(methods),
        })
      }
    >
      <div className="field-grid">
        {NUMBERS.map((name) => (
          <TextField
            key={name}
            name={`settings.business.${name}`}
            label={t(`marketplaces.business.${name}`)}
            inputMode="decimal"
            placeholder={t(`marketplaces.defaults.${name}`)}
            value={numbers[name] ?? ""}
            onChange={(text) => setNumbers({ ...numbers, [name]: text })}
          />
        ))}
      </div>
      <TextField
        name="settings.business.payment_methods"
        label={t("marketplaces.business.payment_methods")}
        hint={t("common.byCommas")}
        value={methods}
        onChange={setMethods}
      />
      {SWITCH_NAMES.map((name) => (
        <SwitchField
          key={name}
          name={`settings.business.${name}`}
          label={t(`marketplaces.business.${name}`)}
          checked={switches[name] ?? false}
          onChange={(checked) => setSwitches({ ...switches, [name]: checked })}
        />
      ))}
    </Form>
  );
}
