import type { SalesReport } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import {
  Area,
  AreaChart,
  Bar,
  BarChart,
  CartesianGrid,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { useFormat } from "../lib/format";
import { useSouk } from "../lib/souk";
import { PanelFrame } from "./panel-frame";
import type { PanelProps } from "./panels";
import { type Period, STEP_OF } from "./period";

/** The height of a plot, in px. */
const HEIGHT = 300;

export function RevenuePanel({ period }: PanelProps) {
  const { t, i18n } = useTranslation();
  const format = useFormat();
  const sales = useSales(period);
  const name = useStepName(period);
  return (
    <PanelFrame panel="revenue" figures={sales} hint={t("overview.revenueHint")}>
      {({ data, currency }) => {
        const money = (amount: number) =>
          currency ? format.money(amount, currency) : format.number(amount);
        return (
          <figure className="plot" aria-label={t("overview.panels.revenue")}>
            <ResponsiveContainer width="100%" height={HEIGHT}>
              <AreaChart data={data} accessibilityLayer={false}>
                <CartesianGrid vertical={false} stroke="var(--line)" />
                <XAxis
                  dataKey="date"
                  tickFormatter={name}
                  minTickGap={24}
                  reversed={i18n.dir() === "rtl"}
                  tickLine={false}
                  axisLine={false}
                />
                <YAxis
                  orientation={i18n.dir() === "rtl" ? "right" : "left"}
                  width={64}
                  tickFormatter={(amount: number) =>
                    currency ? format.roundMoney(amount, currency) : format.number(amount)
                  }
                  tickLine={false}
                  axisLine={false}
                />
                <Tooltip
                  content={<Tip rows={data} name={name} value={({ revenue }) => money(revenue)} />}
                />
                <Area
                  dataKey="revenue"
                  type="monotone"
                  stroke="var(--accent)"
                  strokeWidth={2}
                  fill="var(--accent-soft)"
                  isAnimationActive={false}
                />
              </AreaChart>
            </ResponsiveContainer>
          </figure>
        );
      }}
    </PanelFrame>
  );
}

export function OrdersPanel({ period }: PanelProps) {
  const { t, i18n } = useTranslation();
  const format = useFormat();
  const sales = useSales(period);
  const name = useStepName(period);
  return (
    <PanelFrame panel="orders" figures={sales}>
      {({ data }) => (
        <figure className="plot" aria-label={t("overview.panels.orders")}>
          <ResponsiveContainer width="100%" height={HEIGHT}>
            <BarChart data={data} accessibilityLayer={false}>
              <CartesianGrid vertical={false} stroke="var(--line)" />
              <XAxis
                dataKey="date"
                tickFormatter={name}
                minTickGap={24}
                reversed={i18n.dir() === "rtl"}
                tickLine={false}
                axisLine={false}
              />
              <YAxis
                orientation={i18n.dir() === "rtl" ? "right" : "left"}
                width={40}
                allowDecimals={false}
                tickFormatter={format.number}
                tickLine={false}
                axisLine={false}
              />
              <Tooltip
                cursor={{ fill: "var(--accent-soft)" }}
                content={
                  <Tip rows={data} name={name} value={({ orders }) => format.number(orders)} />
                }
              />
              <Bar dataKey="orders" fill="var(--accent)" radius={4} isAnimationActive={false} />
            </BarChart>
          </ResponsiveContainer>
        </figure>
      )}
    </PanelFrame>
  );
}

type Step = SalesReport["data"][number];

/** The tooltip of a step. Recharts adds `active` and `label`. */
function Tip({
  active,
  label,
  rows,
  name,
  value,
}: {
  active?: boolean;
  label?: string;
  rows: readonly Step[];
  name(date: string): string;
  value(step: Step): string;
}) {
  const step = rows.find(({ date }) => date === label);
  if (!active || !step) return null;
  return (
    <div className="tip">
      <span className="muted">{name(step.date)}</span>
      <strong>{value(step)}</strong>
    </div>
  );
}

function useSales(period: Period) {
  const souk = useSouk();
  return useQuery({
    queryKey: ["orders", "sales", period],
    queryFn: ({ signal }) =>
      souk.analytics.sales({ period, group_by: STEP_OF[period] }, { signal }),
  });
}

/** Formats the label of a step on the axis. */
function useStepName(period: Period) {
  const format = useFormat();
  return (date: string) => {
    if (period === "1y") return format.month(date);
    return period === "today" ? format.hour(date) : format.day(date);
  };
}
