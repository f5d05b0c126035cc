import type { DeliveryMethod, DeliveryRecipient, Marketplace } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { SelectField, SwitchField, TextField } from "../components/field";
import { Form } from "../components/form";
import { Icon } from "../components/icon";
import { numberFrom, typedNumber } from "../lib/numbers";
import { type MarketplaceEditing, useMarketplaceForm } from "./use-change";

interface DraftMethod {
  /** The key that the API knows, or a temporary one for a new method. */
  key: string;
  /** The key as it is typed. */
  typedKey: string;
  name: string;
  price: string;
  free_from: string;
  per_supplier: boolean;
}

const draftOf = ({ key, name, price, free_from, per_supplier }: DeliveryMethod): DraftMethod => ({
  key,
  typedKey: key,
  name,
  price: typedNumber(price),
  free_from: free_from === undefined || free_from === null ? "" : typedNumber(free_from),
  per_supplier: per_supplier ?? false,
});

const methodOf = ({
  typedKey,
  name,
  price,
  free_from,
  per_supplier,
}: DraftMethod): DeliveryMethod => {
  const free = numberFrom(free_from);
  return {
    key: typedKey,
    name,
    price: numberFrom(price) ?? 0,
    per_supplier,
    ...(free !== undefined && { free_from: free }),
  };
};

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
      methods: [
        ...methods,
        {
          key: crypto.randomUUID(),
          ...{ typedKey: "", name: "", price: "", free_from: "", per_supplier: false },
        },
      ],
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
          required
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
