import type { Customer } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { Empty, NothingFound } from "../components/empty";
import { TextField } from "../components/field";
import { FilterSelect, Filters } from "../components/filters";
import { Form } from "../components/form";
import { Icon } from "../components/icon";
import { Page } from "../components/page";
import { PagedTable } from "../components/paged-table";
import { SearchField } from "../components/search-field";
import { useFormat } from "../lib/format";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";
import { useAccountText } from "./account-text";
import { type CustomerSearch, HAVING_ORDERS } from "./search";

const column = createColumnHelper<Customer>();

export function CustomersPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const { search, ordered } = useSearch({ from: "/customers" });
  const navigate = useNavigate({ from: "/customers" });
  const choose = (change: Partial<CustomerSearch>) =>
    navigate({ search: { search, ordered, ...change }, replace: true });
  const [isAdding, setAdding] = useState(false);
  const list = usePagedList({
    key: ["customers", "list", { search, ordered }],
    readPage: (page, signal) =>
      souk.customers.list(
        { ...page, search, has_orders: ordered && ordered === "yes" },
        { signal },
      ),
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
      <Filters>
        <SearchField
          label={t("customers.search")}
          value={search ?? ""}
          onChange={(text) => choose({ search: text || undefined })}
        />
        <FilterSelect
          label={t("customers.orders")}
          all={t("customers.withAndWithout")}
          options={HAVING_ORDERS.map((value) => ({
            value,
            label: t(`customers.ordered.${value}`),
          }))}
          value={ordered}
          onChange={(ordered) => choose({ ordered })}
        />
      </Filters>
      <PagedTable
        label={t("customers.title")}
        list={list}
        rowId={(customer) => customer.id}
        columns={columns}
        empty={
          search || ordered ? (
            <NothingFound list="/customers" />
          ) : (
            <Empty icon="customers" title={t("customers.none")}>
              {t("customers.noneHint")}
            </Empty>
          )
        }
      />
      {isAdding && <AddCustomer onClose={() => setAdding(false)} />}
    </Page>
  );
}

function useCustomerColumns() {
  const { t } = useTranslation();
  const format = useFormat();
  const accountText = useAccountText();
  return useMemo(
    () => [
      column.accessor("name", {
        header: t("fields.name"),
        cell: ({ row: { original: customer } }) => (
          <Link
            to="/customers/$customerId"
            params={{ customerId: customer.id }}
            className="row-link"
          >
            {customer.name || t("customers.guest")}
          </Link>
        ),
      }),
      column.accessor("email", {
        header: t("fields.email"),
        cell: (cell) => <span className="clipped">{cell.getValue() ?? "–"}</span>,
      }),
      column.accessor("orders", {
        header: t("customers.orders"),
        meta: { numeric: true },
        cell: ({ row: { original: customer } }) => (
          <Link to="/orders" search={{ customer: customer.id }}>
            {format.number(customer.orders)}
          </Link>
        ),
      }),
      column.accessor("last_ordered_at", {
        header: t("customers.lastOrder"),
        meta: { wide: true },
        cell: (cell) => {
          const time = cell.getValue();
          return time ? format.date(time) : "–";
        },
      }),
      column.accessor("user_id", {
        header: t("customers.account"),
        meta: { wide: true },
        cell: ({ row: { original: customer } }) => accountText(customer),
      }),
      column.accessor("created_at", {
        header: t("common.since"),
        meta: { wide: true },
        cell: (cell) => format.date(cell.getValue()),
      }),
    ],
    [t, format, accountText],
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
