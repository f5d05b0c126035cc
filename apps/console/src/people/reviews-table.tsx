import type { ProductApproval } from "@souk/client";
import { Link } from "@tanstack/react-router";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { Empty } from "../components/empty";
import { PagedTable } from "../components/paged-table";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";
import { usePagedList } from "../lib/paged-list";
import { useNamesOf } from "../lib/record-names";
import { useSouk } from "../lib/souk";
import { Decide, type Decision } from "./decide";

const column = createColumnHelper<ProductApproval>();

/** The products, and changes of products, that await a review: those that wait longest first. */
export function ReviewsTable() {
  const { t } = useTranslation();
  const souk = useSouk();
  const format = useFormat();
  const suppliers = useSuppliers();
  const [decision, setDecision] = useState<Decision | null>(null);
  const list = usePagedList({
    key: ["productApprovals", "list"],
    readPage: (page, signal) =>
      souk.productApprovals.list(
        { ...page, status: "pending", sort: "requested_at", order: "asc" },
        { signal },
      ),
    rowsOf: (page) => page.product_approvals,
  });
  const names = useNamesOf(
    "products",
    list.pages.map((page) => page.map(({ product_id }) => product_id)),
  );
  const columns = useMemo(
    () => [
      column.accessor("product_id", {
        header: t("fields.name"),
        cell: ({ row: { original } }) => (
          <Link
            to="/products/$productId"
            params={{ productId: original.product_id }}
            className="row-link"
          >
            {names.get(original.product_id) ?? "…"}
          </Link>
        ),
      }),
      column.accessor("supplier_id", {
        header: t("fields.supplier"),
        meta: { wide: true },
        cell: (cell) => nameIn(suppliers.data, cell.getValue()),
      }),
      column.accessor("pending_changes", {
        header: t("reviews.what"),
        cell: (cell) => (
          <Badge tone="info">{t(cell.getValue() ? "reviews.change" : "reviews.newProduct")}</Badge>
        ),
      }),
      column.accessor("requested_at", {
        header: t("reviews.since"),
        meta: { wide: true },
        cell: (cell) => format.date(cell.getValue()),
      }),
      column.display({
        id: "actions",
        header: () => <span className="hidden">{t("common.actions")}</span>,
        meta: { numeric: true },
        cell: ({ row: { original } }) => (
          <span className="line-actions">
            {(["approve", "reject"] as const).map((answer) => (
              <Button
                key={answer}
                onClick={() =>
                  setDecision({
                    about: "product",
                    id: original.product_id,
                    name: names.get(original.product_id) ?? "",
                    answer,
                  })
                }
              >
                {t(`reviews.${answer}`)}
              </Button>
            ))}
          </span>
        ),
      }),
    ],
    [t, format, names, suppliers.data],
  );
  return (
    <>
      <PagedTable
        label={t("reviews.products")}
        list={list}
        rowId={(review) => review.product_id}
        columns={columns}
        empty={
          <Empty icon="products" title={t("reviews.noProducts")}>
            {t("reviews.noProductsHint")}
          </Empty>
        }
      />
      {decision && <Decide decision={decision} onClose={() => setDecision(null)} />}
    </>
  );
}
