import type { DeliveryMethod, DeliveryRecipient, Marketplace } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { SelectField, SwitchField, TextField } from "../components/field";
import { Form } from "../components/form";
import { Icon } from "../components/icon";
import { listIn } from "../lib/list-in";
import { numberFrom, typedNumber } from "../lib/numbers";
import { type MarketplaceEditing, useMarketplaceForm } from "./use-change";

interface DraftMethod {
  /** The key that the API knows, or a temporary one for a new method. */
  key: string;
  /** The key as it is typed. */
  typedKey: string;
  name: string;
  price: string;
  /** A line for each rate: grams, a space and the price. */
  rates: string;
  free_from: string;
  countries: string;
  regions: string;
  per_supplier: boolean;
  /** Set by the API only. */
  tax_category_id?: string | undefined;
}

const EMPTY = {
  ...{ typedKey: "", name: "", price: "", rates: "", free_from: "", countries: "", regions: "" },
  per_supplier: false,
};

const typedOr = (value: number | undefined) => (value === undefined ? "" : typedNumber(value));

const draftOf = (method: DeliveryMethod): DraftMethod => ({
  key: method.key,
  typedKey: method.key,
  name: method.name,
  price: typedOr(method.price),
  rates: (method.rates ?? [])
    .map(({ up_to_grams, price }) => `${typedNumber(up_to_grams)} ${typedNumber(price)}`)
    .join("\n"),
  free_from: typedOr(method.free_from),
  countries: method.countries?.join(", ") ?? "",
  regions: method.regions?.join(", ") ?? "",
  per_supplier: method.per_supplier ?? false,
  tax_category_id: method.tax_category_id,
});

/** A text that is no number stays undefined, which the API refuses with the name of the field. */
const typedPrice = (text: string | undefined) => numberFrom(text ?? "") as number;

function ratesIn(text: string): NonNullable<DeliveryMethod["rates"]> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const [grams, price] = line.trim().split(/\s+/);
    return { up_to_grams: typedPrice(grams), price: typedPrice(price) };
  });
}

function methodOf(draft: DraftMethod): DeliveryMethod {
  const rates = ratesIn(draft.rates);
  const countries = listIn(draft.countries);
  const regions = listIn(draft.regions);
  return {
    key: draft.typedKey,
    name: draft.name,
    ...(rates.length > 0 ? { rates } : { price: typedPrice(draft.price) }),
    ...(draft.free_from.trim() !== "" && { free_from: typedPrice(draft.free_from) }),
    ...(countries.length > 0 && { countries }),
    ...(regions.length > 0 && { regions }),
    per_supplier: draft.per_supplier,
    ...(draft.tax_category_id && { tax_category_id: draft.tax_category_id }),
  };
}

interface Delivery {
  methods: DraftMethod[];
  recipient: DeliveryRecipient;
}

function valuesOf({ settings }: Marketplace): Delivery {
  const { methods = [], recipient = "operator" } = settings.business?.delivery ?? {};
  return { methods: methods.map(draftOf), recipient };
}

/** The API replaces both together. */
const changesOf = ({ methods, recipient }: Partial<Delivery>, { settings }: Marketplace) => ({
  settings: {
    business: {
      delivery: {
        ...settings.business?.delivery,
        ...(methods && { methods: methods.map(methodOf) }),
        ...(recipient && { recipient }),
      },
    },
  },
});

export function DeliveryForm({ editing }: { editing: MarketplaceEditing }) {
  const { t } = useTranslation();
  const { read, values, set, form } = useMarketplaceForm(editing, "delivery", valuesOf, changesOf);
  const { methods, recipient } = values;
  const change = (key: string, fields: Partial<DraftMethod>) =>
    set({ methods: methods.map((one) => (one.key === key ? { ...one, ...fields } : one)) });
  const add = () =>
    set({
      methods: [...methods, { ...EMPTY, key: crypto.randomUUID() }],
    });
  return (
    <Form {...form}>
      {methods.length === 0 && <p className="muted">{t("marketplaces.noDelivery")}</p>}
      {methods.map((method, place) => (
        <DeliveryFields
          key={method.key}
          path={`settings.business.delivery.methods[${place}]`}
          currency={read.currency}
          method={method}
          onChange={(fields) => change(method.key, fields)}
          onRemove={() => set({ methods: methods.filter(({ key }) => key !== method.key) })}
        />
      ))}
      <Button onClick={add}>
        <Icon name="plus" />
        {t("marketplaces.addDelivery")}
      </Button>
      <SelectField
        name="settings.business.delivery.recipient"
        label={t("marketplaces.recipient")}
        hint={t("marketplaces.recipientHint")}
        options={(["operator", "supplier"] as const).map((value) => ({
          value,
          label: t(`marketplaces.recipients.${value}`),
        }))}
        value={recipient}
        onChange={(recipient) => set({ recipient })}
      />
    </Form>
  );
}

function DeliveryFields({
  path,
  currency,
  method,
  onChange,
  onRemove,
}: {
  path: string;
  currency: string;
  method: DraftMethod;
  onChange(fields: Partial<DraftMethod>): void;
  onRemove(): void;
}) {
  const { t } = useTranslation();
  return (
    <fieldset className="attribute">
      <legend className="hidden">{method.name}</legend>
      <div className="field-row">
        <TextField
          name={`${path}.name`}
          label={t("fields.name")}
          required
          value={method.name}
          onChange={(name) => onChange({ name })}
        />
        <TextField
          name={`${path}.key`}
          label={t("marketplaces.deliveryKey")}
          required
          value={method.typedKey}
          onChange={(typedKey) => onChange({ typedKey })}
        />
      </div>
      <div className="field-row">
        <TextField
          name={`${path}.price`}
          label={t("marketplaces.deliveryPrice", { currency })}
          inputMode="decimal"
          required={method.rates.trim() === ""}
          value={method.price}
          onChange={(price) => onChange({ price })}
        />
        <TextField
          name={`${path}.free_from`}
          label={t("marketplaces.freeFrom", { currency })}
          inputMode="decimal"
          value={method.free_from}
          onChange={(free_from) => onChange({ free_from })}
        />
      </div>
      <TextField
        name={`${path}.rates`}
        label={t("marketplaces.deliveryRates")}
        hint={t("marketplaces.deliveryRatesHint")}
        multiline
        value={method.rates}
        onChange={(rates) => onChange({ rates })}
      />
      <div className="field-row">
        <TextField
          name={`${path}.countries`}
          label={t("marketplaces.deliveryCountries")}
          hint={t("marketplaces.deliveryCountriesHint")}
          value={method.countries}
          onChange={(countries) => onChange({ countries })}
        />
        <TextField
          name={`${path}.regions`}
          label={t("marketplaces.deliveryRegions")}
          hint={t("common.byCommas")}
          value={method.regions}
          onChange={(regions) => onChange({ regions })}
        />
      </div>
      <div className="switches">
        <SwitchField
          name={`${path}.per_supplier`}
          label={t("marketplaces.perSupplier")}
          checked={method.per_supplier}
          onChange={(per_supplier) => onChange({ per_supplier })}
        />
        <Button variant="quiet" onClick={onRemove}>
          {t("common.remove")}
        </Button>
      </div>
    </fieldset>
  );
}
