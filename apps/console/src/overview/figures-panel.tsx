import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Figures } from "../components/figures";
import { useFormat } from "../lib/format";
import { useSouk } from "../lib/souk";
import { PanelFrame } from "./panel-frame";
import type { PanelProps } from "./panels";

export function FiguresPanel({ period }: PanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const souk = useSouk();
  const overview = useQuery({
    queryKey: ["orders", "figures", period],
    queryFn: ({ signal }) => souk.analytics.overview({ period }, { signal }),
  });
  return (
    <PanelFrame panel="figures" figures={overview}>
      {({ currency, revenue, orders, customers, conversion_rate }) => {
        const money = (amount: number) =>
          currency ? format.money(amount, currency) : format.number(amount);
        return (
          <Figures
            figures={[
              {
                name: t("overview.revenue"),
                value: money(revenue.total),
                change: revenue.change,
                hint: t("overview.revenueHint"),
              },
              // Null for a supplier: payments are of whole orders.
              ...(revenue.received === null
                ? []
                : [
                    {
                      name: t("overview.received"),
                      value: money(revenue.received),
                      hint: t("overview.receivedHint"),
                    },
                  ]),
              {
                name: t("orders.title"),
                value: format.number(orders.total),
                change: orders.change,
              },
              {
                name: t("overview.averageOrder"),
                value: orders.average_order === null ? "–" : money(orders.average_order),
              },
              {
                name: t("customers.title"),
                value: format.number(customers.total),
                change: customers.change,
              },
              {
                name: t("overview.conversion"),
                value: conversion_rate.value === null ? "–" : format.percent(conversion_rate.value),
                change: conversion_rate.change,
              },
            ]}
          />
        );
      }}
    </PanelFrame>
  );
}
