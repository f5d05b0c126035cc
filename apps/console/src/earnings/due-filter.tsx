import { useState } from "react";
import { useTranslation } from "react-i18next";
import { FilterSelect } from "../components/filters";

export const DUE = ["now", "later"] as const;
export type Due = (typeof DUE)[number];

/** The parameters of the list of commissions for what is due now, or later. */
export function useDueFilter(due: Due | undefined) {
  // Kept while the page is open, because the list is read again when its filter changes.
  const [now] = useState(() => new Date().toISOString());
  return { due_to: due === "now" ? now : undefined, due_from: due === "later" ? now : undefined };
}

/** A filter by whether commissions are due. */
export function DueFilter({
  value,
  onChange,
}: {
  value: Due | undefined;
  onChange(due: Due | undefined): void;
}) {
  const { t } = useTranslation();
  return (
    <FilterSelect
      label={t("commissions.due")}
      all={t("commissions.anyDue")}
      options={DUE.map((due) => ({ value: due, label: t(`commissions.dueTimes.${due}`) }))}
      value={value}
      onChange={onChange}
    />
  );
}
