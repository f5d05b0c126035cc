import type { InventoryRow } from "@souk/client";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { Button, ButtonLink } from "../components/button";
import { Empty } from "../components/empty";
import { FilterSelect, Filters } from "../components/filters";
import { Page } from "../components/page";
import { PagedTable } from "../components/paged-table";
import { useFormat } from "../lib/format";
import { useLive } from "../lib/live";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { ChangeStock, type Stocked } from "./change-stock";

const column = createColumnHelper<InventoryRow>();

const stockedOf = ({
  product_id,
  product_name,
  variant_id,
  variant_name,
  quantity,
  low_stock_threshold,
}: InventoryRow): Stocked => ({
  product_id,
  variant_id,
  name: variant_name ? `${product_name}, ${variant_name}` : product_name,
  quantity,
  low_stock_threshold,
});

export function StockPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const { low } = useSearch({ from: "/stock" });
  const navigate = useNavigate({ from: "/stock" });
  const [changing, setChanging] = useState<Stocked | null>(null);
  const list = usePagedList({
    key: ["stock", "list", low],
    readPage: (page, signal) =>
      souk.inventory.list({ ...page, sort: "name", order: "asc", low_stock: low }, { signal }),
    rowsOf: (page) => page.inventory,
  });
  const columns = useStockColumns(setChanging);
  useLive("inventory", ["stock"]);
  return (
    <Page title={t("stock.title")} lead={t("stock.lead")}>
      <Filters>
        <FilterSelect
          label={t("stock.filter")}
          all={t("stock.all")}
          options={[{ value: "low", label: t("stock.low") }]}
          value={low && "low"}
          onChange={(value) =>
            navigate({ search: { low: value ? true : undefined }, replace: true })
          }
        />
      </Filters>
      <PagedTable
        label={t("stock.title")}
        list={list}
        rowId={(row) => row.id}
        columns={columns}
        empty={
          low ? (
            <Empty
              icon="check"
              title={t("stock.noneLow")}
              action={<ButtonLink to="/stock">{t("stock.all")}</ButtonLink>}
            />
          ) : (
            <Empty
              icon="stock"
              title={t("stock.none")}
              action={
                <ButtonLink to="/products/new" variant="primary">
                  {t("products.add")}
                </ButtonLink>
              }
            >
              {t("stock.noneHint")}
            </Empty>
          )
        }
      />
      {changing && <ChangeStock stocked={changing} onClose={() => setChanging(null)} />}
    </Page>
  );
}

function useStockColumns(onChange: (stocked: Stocked) => void) {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(
    () => [
      column.accessor("product_name", {
        header: t("fields.name"),
        cell: ({ row: { original: row } }) => (
          <span className="two-lines">
            <Link to="/products/$productId" params={{ productId: row.product_id }}>
              {row.product_name}
            </Link>
            {row.variant_name && <small className="muted">{row.variant_name}</small>}
          </span>
        ),
      }),
      column.accessor("sku", {
        header: t("fields.sku"),
        meta: { wide: true },
        cell: (cell) => cell.getValue() ?? "–",
      }),
      column.accessor("reserved", {
        header: t("stock.reserved"),
        meta: { wide: true, numeric: true },
        cell: (cell) => format.number(cell.getValue()),
      }),
      column.accessor("available", {
        header: t("stock.available"),
        meta: { numeric: true },
        cell: ({ row: { original: row } }) => (
          <>
            {row.low_stock && <Badge tone="warn">{t("stock.low")}</Badge>}{" "}
            {format.number(row.available)}
          </>
        ),
      }),
      column.display({
        id: "change",
        header: () => <span className="hidden">{t("stock.change")}</span>,
        meta: { numeric: true },
        cell: ({ row: { original: row } }) => (
          <Button
            aria-label={`${t("stock.change")}: ${stockedOf(row).name}`}
            onClick={() => onChange(stockedOf(row))}
          >
            {t("stock.changeShort")}
          </Button>
        ),
      }),
    ],
    [t, format, onChange],
  );
}
