import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useFormat } from "../lib/format";
import { useSouk } from "../lib/souk";
import { PanelFrame } from "./panel-frame";
import type { PanelProps } from "./panels";

export function TopPanel({ period }: PanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const souk = useSouk();
  const top = useQuery({
    queryKey: ["orders", "top", period],
    queryFn: ({ signal }) => souk.analytics.topProducts({ period, limit: 6 }, { signal }),
  });
  return (
    <PanelFrame panel="top" figures={top}>
      {({ products, currency }) =>
        products.length === 0 ? (
          <p className="muted">{t("overview.nothing")}</p>
        ) : (
          <ol className="lines">
            {products.map((product) => (
              <li key={product.id}>
                <span>
                  <Link to="/products/$productId" params={{ productId: product.id }}>
                    {product.name}
                  </Link>
                  <small className="muted">
                    {t("overview.sold", { count: product.sales_count })}
                  </small>
                </span>
                <span>
                  {currency
                    ? format.money(product.revenue, currency)
                    : format.number(product.revenue)}
                </span>
              </li>
            ))}
          </ol>
        )
      }
    </PanelFrame>
  );
}
