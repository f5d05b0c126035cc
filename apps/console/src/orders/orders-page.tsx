import type { Order } from "@souk/client";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty, NothingFound } from "../components/empty";
import { FilterChip, FilterSelect, Filters } from "../components/filters";
import { Page } from "../components/page";
import { PagedTable } from "../components/paged-table";
import { SearchField } from "../components/search-field";
import { useMarketplaces } from "../lib/names";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { useMay, useSession } from "../session/session";
import { useCustomerNames, useNamesOfCustomers } from "./customer-names";
import { useOrderColumns } from "./order-columns";
import { ordersIn } from "./queries";
import type { OrderSearch } from "./search";
import { ORDER_STATUSES, PAYMENT_STATUSES } from "./statuses";

export function OrdersPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const search = useSearch({ from: "/orders" });
  const navigate = useNavigate({ from: "/orders" });
  const { role } = useSession();
  const may = useMay();
  const list = usePagedList(ordersIn(souk, search, role));
  const marketplaces = useMarketplaces();
  const [openedAt] = useState(() => Date.now());
  const choose = (change: Partial<OrderSearch>) =>
    navigate({ search: { ...search, ...change }, replace: true });
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const customers = useCustomerNames(list.pages);
  const chosenCustomer = useNamesOfCustomers([search.customer ? [search.customer] : []]);
  const columns = useOrderColumns(customers);
  const fresh = new Set(
    list.pages
      .flat()
      .filter((order) => isNewer(order, openedAt))
      .map(({ id }) => id),
  );

  return (
    <Page title={t("orders.title")} lead={t("orders.lead")}>
      <Filters>
        <SearchField
          label={t(may("customers.read") ? "orders.search" : "orders.searchNumber")}
          value={search.search ?? ""}
          onChange={(text) => choose({ search: text || undefined })}
        />
        <FilterSelect
          label={t("orders.status")}
          all={t("orders.anyStatus")}
          options={ORDER_STATUSES.map((value) => ({ value, label: t(`orderStatus.${value}`) }))}
          value={search.status}
          onChange={(status) => choose({ status })}
        />
        <FilterSelect
          label={t("orders.payment")}
          all={t("orders.anyPayment")}
          options={PAYMENT_STATUSES.map((value) => ({ value, label: t(`paymentStatus.${value}`) }))}
          value={search.payment}
          onChange={(payment) => choose({ payment })}
        />
        {marketplaces.data && marketplaces.data.length > 1 && (
          <FilterSelect
            label={t("fields.marketplace")}
            all={t("common.allMarketplaces")}
            options={marketplaces.data.map(({ id, name }) => ({ value: id, label: name }))}
            value={search.marketplace}
            onChange={(marketplace) => choose({ marketplace })}
          />
        )}
        {search.customer && (
          <FilterChip
            label={t("orders.customer")}
            value={chosenCustomer.get(search.customer)}
            onClear={() => choose({ customer: undefined })}
          />
        )}
      </Filters>
      <PagedTable
        label={t("orders.title")}
        list={list}
        rowId={(order) => order.id}
        columns={columns}
        fresh={fresh}
        empty={
          isFiltered ? (
            <NothingFound list="/orders" />
          ) : (
            <Empty icon="orders" title={t("orders.none")}>
              {t("orders.noneHint")}
            </Empty>
          )
        }
      />
    </Page>
  );
}

const isNewer = ({ created_at }: Order, time: number) => Date.parse(created_at) > time;
