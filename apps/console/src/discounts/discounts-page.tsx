import type { Discount } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { Confirm } from "../components/confirm";
import { Empty } from "../components/empty";
import { Icon } from "../components/icon";
import { Page } from "../components/page";
import { PagedTable } from "../components/paged-table";
import { messageOf } from "../lib/errors";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { toastDone, toastError } from "../lib/toasts";
import { useMay } from "../session/session";
import { EditDiscount, NewDiscount } from "./discount-form";

const column = createColumnHelper<Discount>();

/** The discounts of the tenant, newest first; for suppliers, their own. */
export function DiscountsPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const [editing, setEditing] = useState<Discount | "new" | null>(null);
  const [removing, setRemoving] = useState<Discount | null>(null);
  const list = usePagedList({
    key: ["discounts", "list"],
    readPage: (page, signal) => souk.discounts.list(page, { signal }),
    rowsOf: (page) => page.discounts,
  });
  const columns = useDiscountColumns(setEditing, setRemoving);
  const add = (
    <Button variant="primary" data-shortcut="n" onClick={() => setEditing("new")}>
      <Icon name="plus" />
      {t("discounts.add")}
    </Button>
  );
  return (
    <Page title={t("discounts.title")} lead={t("discounts.lead")} actions={add}>
      <PagedTable
        label={t("discounts.title")}
        list={list}
        rowId={(discount) => discount.id}
        columns={columns}
        empty={
          <Empty icon="tag" title={t("discounts.none")}>
            {t("discounts.noneHint")}
          </Empty>
        }
      />
      {editing === "new" && <NewDiscount onClose={() => setEditing(null)} />}
      {editing && editing !== "new" && (
        <EditDiscount discount={editing} onClose={() => setEditing(null)} />
      )}
      {removing && <RemoveDiscount discount={removing} onClose={() => setRemoving(null)} />}
    </Page>
  );
}

/** The columns of the list. A supplier's list omits the supplier. */
function useDiscountColumns(
  onEdit: (discount: Discount) => void,
  onRemove: (discount: Discount) => void,
) {
  const { t } = useTranslation();
  const suppliers = useSuppliers();
  const showsSuppliers = useMay()("discounts.write:all");
  const { mutate: move } = useMove();
  return useMemo(
    () => [
      column.accessor("code", {
        header: t("discounts.code"),
        cell: ({ row: { original: discount } }) => (
          <button type="button" className="link row-link clipped" onClick={() => onEdit(discount)}>
            {discount.code ?? t("discounts.automatic")}
          </button>
        ),
      }),
      ...(showsSuppliers
        ? [
            column.accessor("supplier_id", {
              header: t("fields.supplier"),
              meta: { wide: true },
              cell: (cell) => (
                <span className="clipped">
                  {nameIn(suppliers.data, cell.getValue()) ?? t("discounts.bearers.operator")}
                </span>
              ),
            }),
          ]
        : []),
      column.accessor("kind", {
        header: t("discounts.kind"),
        meta: { wide: true },
        cell: (cell) => t(`discounts.kinds.${cell.getValue()}`),
      }),
      column.accessor("value", {
        header: t("discounts.value"),
        meta: { numeric: true },
        cell: ({ row: { original: discount } }) => <Value discount={discount} />,
      }),
      column.accessor("uses", {
        header: t("discounts.uses"),
        meta: { numeric: true, wide: true },
        cell: ({ row: { original: discount } }) => <Uses discount={discount} />,
      }),
      column.accessor("costs", {
        header: t("discounts.costs"),
        meta: { numeric: true, wide: true },
        cell: (cell) => <Costs costs={cell.getValue()} />,
      }),
      column.accessor("status", {
        header: t("orders.status"),
        cell: (cell) => (
          <Badge tone={cell.getValue() === "active" ? "good" : "neutral"}>
            {t(`discounts.statuses.${cell.getValue()}`)}
          </Badge>
        ),
      }),
      column.display({
        id: "actions",
        header: () => <span className="hidden">{t("common.actions")}</span>,
        meta: { numeric: true },
        cell: ({ row: { original: discount } }) => (
          <span className="line-actions">
            <Button onClick={() => move(discount)}>
              {discount.status === "active" ? t("discounts.pause") : t("discounts.resume")}
            </Button>
            {discount.uses === 0 && (
              <Button
                variant="quiet"
                aria-label={`${t("common.remove")}: ${discount.code ?? t("discounts.automatic")}`}
                onClick={() => onRemove(discount)}
              >
                <Icon name="trash" />
              </Button>
            )}
          </span>
        ),
      }),
    ],
    [t, onEdit, onRemove, move, suppliers.data, showsSuppliers],
  );
}

/** What a discount takes off. */
function Value({ discount: { kind, value, currency } }: { discount: Discount }) {
  const format = useFormat();
  if (value === null) return "–";
  return kind === "amount" && currency ? format.money(value, currency) : format.rate(value);
}

/** How often orders use a discount, and how often they may. */
function Uses({ discount: { uses, uses_total } }: { discount: Discount }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  if (uses_total === null) return number(uses);
  return t("discounts.usesOf", { uses: number(uses), total: number(uses_total) });
}

/** What a discount took off its orders, in each of their currencies. */
function Costs({ costs }: Pick<Discount, "costs">) {
  const { money } = useFormat();
  if (costs.length === 0) return "–";
  return costs.map(({ currency, amount }) => money(amount, currency)).join(" + ");
}

/** Pauses a discount, or resumes it. */
function useMove() {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, status, updated_at }: Discount) =>
      souk.discounts.update(id, { status: status === "active" ? "paused" : "active", updated_at }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["discounts"] });
      toastDone(t("common.saved"));
    },
    onError: async (error) => {
      toastError(t("common.failed"), messageOf(error));
      await queries.invalidateQueries({ queryKey: ["discounts"] });
    },
  });
}

function RemoveDiscount({ discount, onClose }: { discount: Discount; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const name = discount.code ?? t("discounts.automatic");
  const remove = useMutation({
    mutationFn: () => souk.discounts.remove(discount.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["discounts"] });
      toastDone(t("discounts.removed", { name }));
      onClose();
    },
  });
  return (
    <Confirm
      title={t("discounts.remove")}
      submit={t("common.remove")}
      action={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t("discounts.removeHint", { name })}
    </Confirm>
  );
}
