import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Progress } from "../components/progress";
import { useFormat } from "../lib/format";
import { useSouk } from "../lib/souk";
import { PanelFrame } from "./panel-frame";

/** The number of customers in each segment, and their revenue. */
export function SegmentsPanel() {
  const { t } = useTranslation();
  const format = useFormat();
  const souk = useSouk();
  const segments = useQuery({
    queryKey: ["orders", "segments"],
    queryFn: ({ signal }) => souk.analytics.segments({}, { signal }),
  });
  return (
    <PanelFrame panel="segments" figures={segments}>
      {({ segments }) => (
        <ul className="bars">
          {segments.map(({ name, count, revenue_share }) => (
            <li key={name}>
              <span>
                {t(`segments.${name}`)}
                <small className="muted">{t(`segments.${name}Hint`)}</small>
              </span>
              <span className="bar-value">{format.number(count)}</span>
              <Progress
                label={t("overview.share", { name: t(`segments.${name}`) })}
                value={revenue_share}
              />
            </li>
          ))}
        </ul>
      )}
    </PanelFrame>
  );
}
