import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { SelectField } from "../components/field";
import { Loading } from "../components/loading";
import { useSouk } from "../lib/souk";
import { Arrange } from "./arrange";
import { CohortsPanel } from "./cohorts-panel";
import { FiguresPanel } from "./figures-panel";
import { FunnelPanel } from "./funnel-panel";
import { type Panel, type PanelProps, panelsOf } from "./panels";
import { PERIODS, type Period } from "./period";
import { SegmentsPanel } from "./segments-panel";
import { TopPanel } from "./top-panel";

// The plots need a large library, so they are loaded after the rest of the page.
const RevenuePanel = lazy(async () => ({ default: (await import("./plots")).RevenuePanel }));
const OrdersPanel = lazy(async () => ({ default: (await import("./plots")).OrdersPanel }));

const COMPONENTS: Record<Panel, React.ComponentType<PanelProps>> = {
  figures: FiguresPanel,
  revenue: RevenuePanel,
  orders: OrdersPanel,
  top: TopPanel,
  segments: SegmentsPanel,
  funnel: FunnelPanel,
  cohorts: CohortsPanel,
};

/** The figures of a period, in the arrangement that is stored for the tenant. */
export function Dashboard() {
  const { t } = useTranslation();
  const souk = useSouk();
  const [period, setPeriod] = useState<Period>("30d");
  const [isArranging, setArranging] = useState(false);
  const dashboards = useQuery({
    queryKey: ["dashboards"],
    queryFn: ({ signal }) => souk.dashboards.list({ signal }),
  });
  if (dashboards.isPending) return <Loading />;
  const dashboard = dashboards.data?.dashboards[0];
  return (
    <>
      <div className="dashboard-bar">
        <SelectField
          name="period"
          label={t("overview.period")}
          bare
          options={PERIODS.map((value) => ({ value, label: t(`overview.periods.${value}`) }))}
          value={period}
          onChange={setPeriod}
        />
        <Button onClick={() => setArranging(true)}>{t("overview.arrange")}</Button>
      </div>
      <div className="dashboard">
        {panelsOf(dashboard).map((panel) => {
          const PanelComponent = COMPONENTS[panel];
          return (
            <div key={panel} className={`panel panel-${panel}`}>
              <Suspense fallback={<Loading />}>
                <PanelComponent period={period} />
              </Suspense>
            </div>
          );
        })}
      </div>
      {isArranging && <Arrange dashboard={dashboard} onClose={() => setArranging(false)} />}
    </>
  );
}
