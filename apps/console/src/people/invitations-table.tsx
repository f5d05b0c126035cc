import type { Invitation, InvitationStatus } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Badge, type Tone } from "../components/badge";
import { Button } from "../components/button";
import { Empty } from "../components/empty";
import { PagedTable } from "../components/paged-table";
import { messageOf } from "../lib/errors";
import { useFormat } from "../lib/format";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { toastDone, toastError } from "../lib/toasts";

const column = createColumnHelper<Invitation>();

const TONES: Partial<Record<InvitationStatus, Tone>> = { pending: "info", accepted: "good" };

export function InvitationsTable() {
  const { t } = useTranslation();
  const souk = useSouk();
  const format = useFormat();
  const list = usePagedList({
    key: ["invitations", "list"],
    readPage: (page, signal) => souk.invitations.list(page, { signal }),
    rowsOf: (page) => page.invitations,
  });
  const { mutate: withdraw } = useWithdraw();
  const columns = useMemo(
    () => [
      column.accessor("email", {
        header: t("fields.email"),
        cell: (cell) => <span className="clipped">{cell.getValue()}</span>,
      }),
      column.accessor("role", {
        header: t("fields.role"),
        meta: { wide: true },
        cell: (cell) => t(`roles.${cell.getValue()}`),
      }),
      column.accessor("status", {
        header: t("orders.status"),
        cell: (cell) => (
          <Badge tone={TONES[cell.getValue()]}>
            {t(`invitations.statuses.${cell.getValue()}`)}
          </Badge>
        ),
      }),
      column.accessor("expires_at", {
        header: t("invitations.expires"),
        meta: { wide: true },
        cell: (cell) => format.date(cell.getValue()),
      }),
      column.display({
        id: "withdraw",
        header: () => <span className="hidden">{t("common.actions")}</span>,
        meta: { numeric: true },
        cell: ({ row: { original: invitation } }) =>
          invitation.status === "pending" && (
            <Button variant="quiet" onClick={() => withdraw(invitation.id)}>
              {t("invitations.withdraw")}
            </Button>
          ),
      }),
    ],
    [t, format, withdraw],
  );
  return (
    <PagedTable
      label={t("invitations.title")}
      list={list}
      rowId={(invitation) => invitation.id}
      columns={columns}
      empty={
        <Empty icon="members" title={t("invitations.none")}>
          {t("invitations.noneHint")}
        </Empty>
      }
    />
  );
}

function useWithdraw() {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => souk.invitations.remove(id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["invitations"] });
      toastDone(t("invitations.withdrawn"));
    },
    onError: (error) => toastError(t("common.failed"), messageOf(error)),
  });
}
