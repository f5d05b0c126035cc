import type { Marketplace } from "@souk/client";
import { Link } from "@tanstack/react-router";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Empty } from "../components/empty";
import { Icon } from "../components/icon";
import { Page } from "../components/page";
import { PagedTable } from "../components/paged-table";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { MarketplaceBadge } from "./marketplace-badge";
import { OpenMarketplace } from "./open-marketplace";

const column = createColumnHelper<Marketplace>();

export function MarketplacesPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const [isOpening, setOpening] = useState(false);
  const list = usePagedList({
    key: ["marketplaces", "list"],
    readPage: (page, signal) => souk.marketplaces.list(page, { signal }),
    rowsOf: (page) => page.marketplaces,
  });
  const columns = useMemo(
    () => [
      column.accessor("name", {
        header: t("fields.name"),
        cell: ({ row: { original: marketplace } }) => (
          <Link
            to="/marketplaces/$marketplaceId"
            params={{ marketplaceId: marketplace.id }}
            className="row-link"
          >
            {marketplace.name}
          </Link>
        ),
      }),
      column.accessor("domain", { header: t("fields.domain"), meta: { wide: true } }),
      column.accessor("currency", { header: t("fields.currency"), meta: { wide: true } }),
      column.accessor("status", {
        header: t("orders.status"),
        cell: (cell) => <MarketplaceBadge status={cell.getValue()} />,
      }),
    ],
    [t],
  );
  const open = (
    <Button variant="primary" data-shortcut="n" onClick={() => setOpening(true)}>
      <Icon name="plus" />
      {t("marketplaces.open")}
    </Button>
  );
  return (
    <Page title={t("marketplaces.title")} lead={t("marketplaces.lead")} actions={open}>
      <PagedTable
        label={t("marketplaces.title")}
        list={list}
        rowId={(marketplace) => marketplace.id}
        columns={columns}
        empty={
          <Empty icon="marketplaces" title={t("marketplaces.none")}>
            {t("marketplaces.noneHint")}
          </Empty>
        }
      />
      {isOpening && <OpenMarketplace onClose={() => setOpening(false)} />}
    </Page>
  );
}
