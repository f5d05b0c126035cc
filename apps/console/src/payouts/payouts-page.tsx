import { Tabs } from "@base-ui/react/tabs";
import type { LedgerBalance } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { ErrorNote } from "../components/error-note";
import { Loading } from "../components/loading";
import { Page } from "../components/page";
import { useSouk } from "../lib/souk";
import { useMay } from "../session/session";
import { AdjustBalance } from "./adjust-balance";
import { Balances, OwnBalances } from "./balances";
import { HoldPayouts } from "./hold-payouts";
import { HoldsTable } from "./holds-table";
import { LedgerTable } from "./ledger-table";
import { PayOut } from "./pay-out";
import { SupplierFilter } from "./payout-filters";
import { PayoutsTable } from "./payouts-table";
import { balancesQuery } from "./queries";
import { type PayoutSearch, TABS } from "./search";

/** What suppliers are owed, and what they were paid; for suppliers, their own. */
export function PayoutsPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const may = useMay();
  const search = useSearch({ from: "/payouts" });
  const navigate = useNavigate({ from: "/payouts" });
  const choose = (change: PayoutSearch) =>
    navigate({ search: { ...search, ...change }, replace: true });
  const ofAll = may("payouts.read:all");
  const balances = useQuery(balancesQuery(souk));
  const [paying, setPaying] = useState<string | null>(null);
  const tabs = TABS.filter((tab) => ofAll || tab !== "balances");
  const shown = tabs.find((tab) => tab === search.tab) ?? tabs[0];
  if (!balances.data) {
    return balances.error ? (
      <ErrorNote error={balances.error} onRetry={() => balances.refetch()} />
    ) : (
      <Loading />
    );
  }
  return (
    <Page
      title={t("payouts.title")}
      lead={t(ofAll ? "payouts.lead" : "payouts.leadOwn")}
      actions={
        may("payouts.write") && (
          <Actions
            supplier={search.supplier}
            balances={balances.data}
            paying={paying}
            onPay={setPaying}
          />
        )
      }
    >
      {!ofAll && <OwnBalances balances={balances.data} />}
      <Tabs.Root value={shown} onValueChange={(tab) => choose({ tab })}>
        <Tabs.List className="tabs">
          {tabs.map((tab) => (
            <Tabs.Tab key={tab} value={tab} className="tab">
              {t(`payouts.tabs.${tab}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="balances" className="tab-panel">
          <SupplierFilter search={search} onChoose={choose} />
          <Balances
            balances={balances.data.filter(
              ({ supplier_id }) => !search.supplier || supplier_id === search.supplier,
            )}
            search={search}
            onPayOut={may("payouts.write") ? setPaying : undefined}
          />
        </Tabs.Panel>
        <Tabs.Panel value="payouts" className="tab-panel">
          <PayoutsTable search={search} onChoose={choose} />
        </Tabs.Panel>
        <Tabs.Panel value="ledger" className="tab-panel">
          <LedgerTable search={search} onChoose={choose} />
        </Tabs.Panel>
        <Tabs.Panel value="holds" className="tab-panel">
          <SupplierFilter search={search} onChoose={choose} />
          <HoldsTable search={search} />
        </Tabs.Panel>
      </Tabs.Root>
    </Page>
  );
}

/** The buttons of an admin, and their dialogs. */
function Actions({
  supplier,
  balances,
  paying,
  onPay,
}: {
  /** The supplier that the page is filtered by. */
  supplier: string | undefined;
  balances: readonly LedgerBalance[];
  /** The supplier to pay, empty if it is to be chosen; null while the dialog is closed. */
  paying: string | null;
  onPay(supplierId: string | null): void;
}) {
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<"adjust" | "hold" | null>(null);
  const close = () => setDialog(null);
  return (
    <>
      <Button onClick={() => setDialog("hold")}>{t("payouts.hold")}</Button>
      <Button onClick={() => setDialog("adjust")}>{t("payouts.adjust")}</Button>
      <Button variant="primary" data-shortcut="n" onClick={() => onPay(supplier ?? "")}>
        {t("payouts.create")}
      </Button>
      {paying !== null && (
        <PayOut supplier={paying} balances={balances} onClose={() => onPay(null)} />
      )}
      {dialog === "hold" && <HoldPayouts supplier={supplier} onClose={close} />}
      {dialog === "adjust" && (
        <AdjustBalance supplier={supplier} balances={balances} onClose={close} />
      )}
    </>
  );
}
