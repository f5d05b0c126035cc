import type { Customer } from "@souk/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { Button, ButtonLink } from "../components/button";
import { Card } from "../components/card";
import { Confirm } from "../components/confirm";
import { ErrorNote } from "../components/error-note";
import { Facts } from "../components/facts";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { Loading } from "../components/loading";
import { Page } from "../components/page";
import { changedIn } from "../lib/edits";
import { messageOf } from "../lib/errors";
import { useFormat } from "../lib/format";
import { useSouk } from "../lib/souk";
import { toastDone, toastError } from "../lib/toasts";
import { useAccountText } from "./account-text";

export function CustomerPage() {
  const { customerId } = useParams({ from: "/customers/$customerId" });
  const souk = useSouk();
  const customer = useQuery({
    queryKey: ["customers", "one", customerId],
    queryFn: ({ signal }) => souk.customers.get(customerId, { signal }),
  });
  if (customer.error)
    return <ErrorNote error={customer.error} onRetry={() => customer.refetch()} />;
  if (!customer.data) return <Loading />;
  return <CustomerDetails customer={customer.data} />;
}

function CustomerDetails({ customer }: { customer: Customer }) {
  const { t } = useTranslation();
  const format = useFormat();
  const accountText = useAccountText();
  return (
    <Page
      title={customer.name || t("customers.guest")}
      aside={customer.erased_at && <Badge>{t("customers.erased")}</Badge>}
      back={{ to: "/customers", label: t("customers.title") }}
      actions={
        <ButtonLink to="/orders" search={{ customer: customer.id }}>
          {t("orders.title")}
        </ButtonLink>
      }
    >
      <div className="columns">
        <div className="column-main">
          {!customer.erased_at && (
            <Card title={t("customers.profile")}>
              <ProfileForm customer={customer} />
            </Card>
          )}
        </div>
        <div className="column-side">
          <Card>
            <Facts
              facts={[
                [t("customers.orders"), format.number(customer.orders)],
                [
                  t("customers.lastOrder"),
                  customer.last_ordered_at && format.date(customer.last_ordered_at),
                ],
                [t("common.since"), format.date(customer.created_at)],
                [t("customers.account"), accountText(customer)],
              ]}
            />
          </Card>
          {!customer.erased_at && <PersonalDataCard customer={customer} />}
        </div>
      </div>
    </Page>
  );
}

const valuesOf = ({ name, email, phone, language }: Customer) => ({
  name,
  email: email ?? "",
  phone: phone ?? "",
  language: language ?? "",
});

/** The profile of a customer. The e-mail address of an account is its own to change. */
function ProfileForm({ customer }: { customer: Customer }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const [typed, setTyped] = useState<Partial<ReturnType<typeof valuesOf>>>({});
  const before = valuesOf(customer);
  const values = { ...before, ...typed };
  const set = (fields: typeof typed) => setTyped((now) => ({ ...now, ...fields }));
  const save = useMutation({
    mutationFn: () => {
      const { name, ...others } = changedIn(before, typed);
      const cleared = Object.fromEntries(
        Object.entries(others).map(([field, value]) => [field, value || null]),
      );
      return souk.customers.update(customer.id, { ...(name && { name }), ...cleared });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["customers"] });
      setTyped({});
      toastDone(t("common.saved"));
    },
  });
  return (
    <Form action={save} onSubmit={() => save.mutate()} submit={t("common.save")}>
      <TextField
        name="name"
        label={t("fields.name")}
        required
        value={values.name}
        onChange={(name) => set({ name })}
      />
      <TextField
        name="email"
        label={t("fields.email")}
        type="email"
        disabled={customer.user_id !== null && !customer.is_guest}
        value={values.email}
        onChange={(email) => set({ email })}
      />
      <TextField
        name="phone"
        label={t("fields.phone")}
        type="tel"
        value={values.phone}
        onChange={(phone) => set({ phone })}
      />
      <TextField
        name="language"
        label={t("customers.language")}
        value={values.language}
        onChange={(language) => set({ language })}
      />
    </Form>
  );
}

/** What a person may ask for: a copy of its data, and its erasure. */
function PersonalDataCard({ customer }: { customer: Customer }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const [isErasing, setErasing] = useState(false);
  const copy = useMutation({
    mutationFn: () => souk.customers.personalData(customer.id),
    onSuccess: (data) => {
      const file = new Blob([JSON.stringify(data, null, 2)], { type: "application/json" });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(file);
      link.download = `${customer.id}.json`;
      link.click();
      URL.revokeObjectURL(link.href);
    },
    onError: (error) => toastError(t("common.failed"), messageOf(error)),
  });
  return (
    <Card title={t("customers.personalData")}>
      <p className="muted">{t("customers.personalDataHint")}</p>
      <div className="line-actions">
        <Button onClick={() => copy.mutate()}>{t("customers.copyData")}</Button>
        <Button variant="danger" onClick={() => setErasing(true)}>
          {t("customers.erase")}
        </Button>
      </div>
      {isErasing && <Erase customer={customer} onClose={() => setErasing(false)} />}
    </Card>
  );
}

function Erase({ customer, onClose }: { customer: Customer; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const erase = useMutation({
    mutationFn: () => souk.customers.erase(customer.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["customers"] });
      toastDone(t("customers.isErased"));
      onClose();
    },
  });
  return (
    <Confirm
      title={t("customers.erase")}
      submit={t("customers.erase")}
      action={erase}
      onConfirm={() => erase.mutate()}
      onClose={onClose}
    >
      {t("customers.eraseHint", { name: customer.name || t("customers.guest") })}
    </Confirm>
  );
}
