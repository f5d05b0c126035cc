import type { Cohorts } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useFormat } from "../lib/format";
import { useSouk } from "../lib/souk";
import { PanelFrame } from "./panel-frame";

/** The number of months that are shown after the first order. */
const MONTHS = 7;
/** The number of tints of a cell. The styles define one class for each. */
const TINTS = 5;

/** Customers by the month of their first order, and the share that ordered again. */
export function CohortsPanel() {
  const souk = useSouk();
  const cohorts = useQuery({
    queryKey: ["orders", "cohorts"],
    queryFn: ({ signal }) =>
      souk.analytics.cohorts({ type: "retention", months: MONTHS }, { signal }),
  });
  return (
    <PanelFrame panel="cohorts" figures={cohorts}>
      {(answer) => <CohortTable cohorts={answer.cohorts} />}
    </PanelFrame>
  );
}

function CohortTable({ cohorts }: Pick<Cohorts, "cohorts">) {
  const { t } = useTranslation();
  const format = useFormat();
  const months = [...Array(MONTHS).keys()];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section className="cohorts" tabIndex={0} aria-label={t("overview.firstOrder")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("overview.firstOrder")}</th>
            <th scope="col">{t("customers.title")}</th>
            {months.map((month) => (
              <th key={month} scope="col">
                {month === 0 ? t("overview.sameMonth") : `+${format.number(month)}`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cohorts.map(({ period, users, retention }) => (
            <tr key={period}>
              <th scope="row">{format.month(period)}</th>
              <td>{format.number(users)}</td>
              {months.map((month) => {
                const share = retention?.[month];
                return share === undefined ? (
                  <td key={month} />
                ) : (
                  <td key={month} data-tint={tintOf(share)}>
                    {format.percent(share)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const tintOf = (share: number) => Math.ceil((Math.min(share, 100) / 100) * TINTS);
