import type { Customer } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { Empty } from "../components/empty";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { Icon } from "../components/icon";
import { Page } from "../components/page";
import { PagedTable } from "../components/paged-table";
import { useFormat } from "../lib/format";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";

const column = createColumnHelper<Customer>();

export function CustomersPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const [isAdding, setAdding] = useState(false);
  const list = usePagedList({
    key: ["customers", "list"],
    readPage: (page, signal) => souk.customers.list(page, { signal }),
    rowsOf: (page) => page.customers,
  });
  const columns = useCustomerColumns();
  const add = (
    <Button variant="primary" data-shortcut="n" onClick={() => setAdding(true)}>
      <Icon name="plus" />
      {t("customers.add")}
    </Button>
  );
  return (
    <Page title={t("customers.title")} lead={t("customers.lead")} actions={add}>
      <PagedTable
        label={t("customers.title")}
        list={list}
        rowId={(customer) => customer.id}
        columns={columns}
        empty={
          <Empty icon="customers" title={t("customers.none")}>
            {t("customers.noneHint")}
          </Empty>
        }
      />
      {isAdding && <AddCustomer onClose={() => setAdding(false)} />}
    </Page>
  );
}

function useCustomerColumns() {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(
    () => [
      column.accessor("name", {
        header: t("fields.name"),
        cell: ({ row: { original: customer } }) => (
          <Link to="/orders" search={{ customer: customer.id }} className="row-link">
            {customer.name || t("customers.guest")}
          </Link>
        ),
      }),
      column.accessor("email", {
        header: t("fields.email"),
        cell: (cell) => <span className="clipped">{cell.getValue() ?? "–"}</span>,
      }),
      column.accessor("user_id", {
        header: t("customers.account"),
        meta: { wide: true },
        cell: (cell) => (cell.getValue() ? t("common.yes") : t("common.no")),
      }),
      column.accessor("created_at", {
        header: t("common.since"),
        meta: { wide: true },
        cell: (cell) => format.date(cell.getValue()),
      }),
    ],
    [t, format],
  );
}

/** Adds a customer without an account, for whom the operator orders. */
function AddCustomer({ onClose }: { onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const add = useMutation({
    mutationFn: () => souk.customers.create({ name, ...(email && { email }) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["customers"] });
      toastDone(t("common.saved"));
      onClose();
    },
  });
  return (
    <Dialog title={t("customers.add")} lead={t("customers.addHint")} onClose={onClose}>
      <Form
        action={add}
        onSubmit={() => add.mutate()}
        submit={t("customers.add")}
        onCancel={onClose}
      >
        <TextField name="name" label={t("fields.name")} required value={name} onChange={setName} />
        <TextField
          name="email"
          label={t("fields.email")}
          type="email"
          value={email}
          onChange={setEmail}
        />
      </Form>
    </Dialog>
  );
}
