import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Progress } from "../components/progress";
import { useFormat } from "../lib/format";
import { useSouk } from "../lib/souk";
import { PanelFrame } from "./panel-frame";
import type { PanelProps } from "./panels";

/** The number of visitors in each stage on the way to an order. */
export function FunnelPanel({ period }: PanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const souk = useSouk();
  const funnel = useQuery({
    queryKey: ["orders", "funnel", period],
    queryFn: ({ signal }) => souk.analytics.funnel({ period }, { signal }),
  });
  return (
    <PanelFrame panel="funnel" figures={funnel}>
      {({ stages }) => {
        const all = stages[0]?.count ?? 0;
        return (
          <ul className="bars">
            {stages.map(({ name, count, conversion }) => (
              <li key={name}>
                <span>
                  {t(`stages.${name}`)}
                  {conversion !== null && name !== "visitors" && (
                    <small className="muted">
                      {t("overview.ofStageBefore", { share: format.percent(conversion) })}
                    </small>
                  )}
                </span>
                <span className="bar-value">{format.number(count)}</span>
                <Progress label={t(`stages.${name}`)} value={count} max={Math.max(all, 1)} />
              </li>
            ))}
          </ul>
        );
      }}
    </PanelFrame>
  );
}
