import type { Product } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Card } from "../components/card";
import { useFormat } from "../lib/format";
import { useSouk } from "../lib/souk";
import { ChangeStock, type Stocked } from "./change-stock";

/** The stock of a product and its variants, with the last movements. */
export function ProductStock({ product }: { product: Product }) {
  const { t } = useTranslation();
  const format = useFormat();
  const souk = useSouk();
  const [changing, setChanging] = useState<Stocked | null>(null);
  const stock = useQuery({
    queryKey: ["stock", "of", product.id],
    queryFn: ({ signal }) =>
      souk.inventory.list({ product_id: product.id, limit: 200 }, { signal }),
  });
  const movements = useQuery({
    queryKey: ["stock", "movements", product.id],
    queryFn: ({ signal }) =>
      souk.inventory.movements({ product_id: product.id, limit: 8 }, { signal }),
  });
  return (
    <Card title={t("products.stock")}>
      <ul className="lines">
        {stock.data?.inventory.map((row) => (
          <li key={row.id}>
            <span>
              {row.variant_name ?? product.name}
              <small className="muted">
                {t("stock.counts", {
                  available: format.number(row.available),
                  reserved: format.number(row.reserved),
                })}
              </small>
            </span>
            <Button
              onClick={() =>
                setChanging({
                  product_id: product.id,
                  variant_id: row.variant_id,
                  name: row.variant_name ?? product.name,
                  quantity: row.quantity,
                  low_stock_threshold: row.low_stock_threshold,
                })
              }
            >
              {t("stock.changeShort")}
            </Button>
          </li>
        ))}
      </ul>
      {movements.data && movements.data.movements.length > 0 && (
        <details className="more">
          <summary>{t("stock.movements")}</summary>
          <ul className="lines">
            {movements.data.movements.map((one) => (
              <li key={one.id}>
                <span>
                  {t(`stock.reasons.${one.reason}`)}
                  <small className="muted">
                    {format.time(one.created_at)} {one.note}
                  </small>
                </span>
                <span>
                  {one.quantity_change > 0 && "+"}
                  {format.number(one.quantity_change)}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {changing && <ChangeStock stocked={changing} onClose={() => setChanging(null)} />}
    </Card>
  );
}
