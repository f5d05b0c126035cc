import type { ListedProduct } from "@souk/client";
import { Link } from "@tanstack/react-router";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../components/icon";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";
import { useMay } from "../session/session";
import { ProductBadge } from "./product-badge";

const column = createColumnHelper<ListedProduct>();

/** The columns of a list of products. */
export function useProductColumns() {
  const { t } = useTranslation();
  const format = useFormat();
  const may = useMay();
  const suppliers = useSuppliers();
  const isForAll = may("products.write:all");
  return useMemo(
    () => [
      column.accessor("name", {
        header: t("fields.name"),
        cell: ({ row: { original: product } }) => (
          <span className="product-cell">
            <Thumbnail product={product} />
            <Link to="/products/$productId" params={{ productId: product.id }} className="row-link">
              {product.name}
            </Link>
          </span>
        ),
      }),
      ...(isForAll
        ? [
            column.accessor("supplier_id", {
              header: t("fields.supplier"),
              meta: { wide: true },
              cell: (cell) => nameIn(suppliers.data, cell.getValue()) ?? t("orders.operator"),
            }),
          ]
        : []),
      column.accessor("status", {
        header: t("orders.status"),
        cell: (cell) => <ProductBadge status={cell.getValue()} />,
      }),
      column.accessor("inventory", {
        header: t("products.available"),
        meta: { wide: true, numeric: true },
        cell: ({ row: { original: product } }) =>
          product.track_inventory
            ? format.number(product.inventory.quantity - product.inventory.reserved)
            : "–",
      }),
      column.accessor("price", {
        header: t("fields.price"),
        meta: { numeric: true },
        cell: ({ row: { original: product } }) => format.money(product.price, product.currency),
      }),
    ],
    [t, format, suppliers.data, isForAll],
  );
}

function Thumbnail({ product }: { product: ListedProduct }) {
  const picture = product.images[0];
  if (!picture) {
    return (
      <span className="thumbnail">
        <Icon name="picture" />
      </span>
    );
  }
  // The name is next to it.
  return (
    <img
      className="thumbnail"
      src={picture.url}
      srcSet={picture.srcset ?? undefined}
      sizes="40px"
      alt=""
      loading="lazy"
    />
  );
}
