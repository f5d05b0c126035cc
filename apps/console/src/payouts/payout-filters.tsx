import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { FilterSelect, Filters } from "../components/filters";
import { useSuppliers } from "../lib/names";
import { useMay } from "../session/session";
import type { PayoutSearch } from "./search";

/** What a tab is filtered by. */
export interface Filtered {
  search: PayoutSearch;
  onChoose(change: PayoutSearch): void;
}

/** A filter by supplier, for those who see several, beside further filters. */
export function SupplierFilter({
  search,
  onChoose,
  children,
}: Filtered & { children?: ReactNode }) {
  const { t } = useTranslation();
  const suppliers = useSuppliers();
  const ofAll = useMay()("payouts.read:all");
  if (!ofAll && !children) return null;
  return (
    <Filters>
      {ofAll && (
        <FilterSelect
          label={t("fields.supplier")}
          all={t("commissions.allSuppliers")}
          options={(suppliers.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={search.supplier}
          onChange={(supplier) => onChoose({ supplier })}
        />
      )}
      {children}
    </Filters>
  );
}
