import { Tabs } from "@base-ui/react/tabs";
import type { Supplier } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { Button, ButtonLink } from "../components/button";
import { Empty } from "../components/empty";
import { Icon } from "../components/icon";
import { Page } from "../components/page";
import { PagedTable } from "../components/paged-table";
import { messageOf } from "../lib/errors";
import { useFormat } from "../lib/format";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { toastDone, toastError } from "../lib/toasts";
import { ApplicationsTable } from "./applications-table";
import { InviteDialog } from "./invite-dialog";
import { ReviewsTable } from "./reviews-table";
import { SupplierDialog } from "./supplier-dialog";

const column = createColumnHelper<Supplier>();

export function SuppliersPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const [editing, setEditing] = useState<Supplier | null>(null);
  const [isInviting, setInviting] = useState(false);
  const list = usePagedList({
    key: ["suppliers", "list"],
    readPage: (page, signal) => souk.suppliers.list(page, { signal }),
    rowsOf: (page) => page.suppliers,
  });
  const columns = useSupplierColumns(setEditing);
  const invite = (
    <Button variant="primary" data-shortcut="n" onClick={() => setInviting(true)}>
      <Icon name="plus" />
      {t("suppliers.invite")}
    </Button>
  );
  return (
    <Page title={t("suppliers.title")} lead={t("suppliers.lead")} actions={invite}>
      <Tabs.Root defaultValue="suppliers">
        <Tabs.List className="tabs">
          <Tabs.Tab value="suppliers" className="tab">
            {t("suppliers.title")}
          </Tabs.Tab>
          <Tabs.Tab value="applications" className="tab">
            {t("reviews.applications")}
          </Tabs.Tab>
          <Tabs.Tab value="products" className="tab">
            {t("reviews.products")}
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="suppliers">
          <PagedTable
            label={t("suppliers.title")}
            list={list}
            rowId={(supplier) => supplier.id}
            columns={columns}
            empty={
              <Empty icon="suppliers" title={t("suppliers.none")}>
                {t("suppliers.noneHint")}
              </Empty>
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="applications">
          <ApplicationsTable />
        </Tabs.Panel>
        <Tabs.Panel value="products">
          <ReviewsTable />
        </Tabs.Panel>
      </Tabs.Root>
      {isInviting && <InviteDialog as="supplier" onClose={() => setInviting(false)} />}
      {editing && <SupplierDialog supplier={editing} onClose={() => setEditing(null)} />}
    </Page>
  );
}

function useSupplierColumns(onEdit: (supplier: Supplier) => void) {
  const { t } = useTranslation();
  const format = useFormat();
  const verify = useVerify();
  const { mutate } = verify;
  return useMemo(
    () => [
      column.accessor("name", {
        header: t("fields.name"),
        cell: ({ row: { original: supplier } }) => (
          <button type="button" className="link row-link" onClick={() => onEdit(supplier)}>
            {supplier.name}
          </button>
        ),
      }),
      column.accessor("verified", {
        header: t("suppliers.verification"),
        cell: (cell) =>
          cell.getValue() ? (
            <Badge tone="good">{t("suppliers.verified")}</Badge>
          ) : (
            <Badge>{t("suppliers.unverified")}</Badge>
          ),
      }),
      column.accessor("status", {
        header: t("orders.status"),
        cell: (cell) => (
          <Badge tone={cell.getValue() === "active" ? "good" : "warn"}>
            {t(`suppliers.statuses.${cell.getValue()}`)}
          </Badge>
        ),
      }),
      column.accessor("created_at", {
        header: t("common.since"),
        meta: { wide: true },
        cell: (cell) => format.date(cell.getValue()),
      }),
      column.display({
        id: "actions",
        header: () => <span className="hidden">{t("common.actions")}</span>,
        meta: { numeric: true, wide: true },
        cell: ({ row: { original: supplier } }) => (
          <span className="line-actions">
            <ButtonLink to="/products" search={{ supplier: supplier.id }} variant="quiet">
              {t("products.title")}
            </ButtonLink>
            <Button onClick={() => mutate(supplier)}>
              {supplier.verified ? t("suppliers.unverify") : t("suppliers.verify")}
            </Button>
          </span>
        ),
      }),
    ],
    [t, format, onEdit, mutate],
  );
}

/** Verifies a supplier, or revokes the verification. */
function useVerify() {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const verify = useMutation({
    // What is verified is the supplier as it is shown, so its state is sent.
    mutationFn: ({ id, verified, updated_at }: Supplier) =>
      souk.suppliers.update(id, { verified: !verified, updated_at }),
    onSuccess: async (supplier) => {
      await queries.invalidateQueries({ queryKey: ["suppliers"] });
      toastDone(
        t(supplier.verified ? "suppliers.isVerified" : "suppliers.isNotVerified", {
          name: supplier.name,
        }),
        {
          label: t("common.undo"),
          run: () => verify.mutate(supplier),
        },
      );
    },
    onError: async (error) => {
      toastError(t("common.failed"), messageOf(error));
      await queries.invalidateQueries({ queryKey: ["suppliers"] });
    },
  });
  return verify;
}
