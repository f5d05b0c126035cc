import type { DeliveryMethod, DeliveryRecipient, Marketplace } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { SelectField, SwitchField, TextField } from "../components/field";
import { Form } from "../components/form";
import { Icon } from "../components/icon";
import { numberFrom, typedNumber } from "../lib/numbers";
import { useChangeBusiness } from "./use-change";

interface DraftMethod {
  id: string;
  key: string;
  name: string;
  price: string;
  free_from: string;
  per_supplier: boolean;
}

const draftOf = ({ key, name, price, free_from, per_supplier }: DeliveryMethod): DraftMethod => ({
  id: key,
  key,
  name,
  price: typedNumber(price),
  free_from: free_from === undefined || free_from === null ? "" : typedNumber(free_from),
  per_supplier: per_supplier ?? false,
});

const methodOf = ({ key, name, price, free_from, per_supplier }: DraftMethod): DeliveryMethod => {
  const free = numberFrom(free_from);
  return {
    key,
    name,
    price: numberFrom(price) ?? 0,
    per_supplier,
    ...(free !== undefined && { free_from: free }),
  };
};

export function DeliveryForm({ marketplace }: { marketplace: Marketplace }) {
  const { t } = useTranslation();
  const { save, ...action } = useChangeBusiness(marketplace);
  const delivery = marketplace.settings.business?.delivery ?? {};
  const [methods, setMethods] = useState(() => (delivery.methods ?? []).map(draftOf));
  const [recipient, setRecipient] = useState<DeliveryRecipient>(delivery.recipient ?? "operator");
  const change = (id: string, fields: Partial<DraftMethod>) =>
    setMethods((all) => all.map((one) => (one.id === id ? { ...one, ...fields } : one)));
  const add = () =>
    setMethods((all) => [
      ...all,
      { id: crypto.randomUUID(), key: "", name: "", price: "", free_from: "", per_supplier: false },
    ]);
  return (
    <Form
      action={action}
      onSubmit={() => save({ delivery: { methods: methods.map(methodOf), recipient } })}
    >
      {methods.length === 0 && <p className="muted">{t("marketplaces.noDelivery")}</p>}
      {methods.map((method, place) => (
        <DeliveryFields
          key={method.id}
          path={`settings.business.delivery.methods[${place}]`}
          currency={marketplace.currency}
          method={method}
          onChange={(fields) => change(method.id, fields)}
          onRemove={() => setMethods((all) => all.filter(({ id }) => id !== method.id))}
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
        onChange={setRecipient}
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
          value={method.key}
          onChange={(key) => onChange({ key })}
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
